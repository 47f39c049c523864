#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a profile in the Cube format, from the format's definition and from numbers that are
easily checked by hand: make_cube.py FILE [WORD...], FILE.cubex for Cube 4, else for Cube 3.

Words: big (byte order), packed (values), packed-anchor, dense (all rows), exclusive (times),
ranks=N, threads=N, scale=F (of times), and NAME=TEXT, which replaces a part of the archive by TEXT
(escapes as in Python), or leaves it out when TEXT is -."""
import gzip
import io
import struct
import sys
import tarfile
import zlib

path, words = sys.argv[1], [word for word in sys.argv[2:] if "=" not in word]
options = dict(word.split("=", 1) for word in sys.argv[2:] if "=" in word)
n_ranks, n_threads = int(options.get("ranks", 2)), int(options.get("threads", 1))
scale = float(options.get("scale", 1))
order = ">" if "big" in words else "<"

# The call tree, parents before children: id, region, parent. Ids are not in that order.
regions = [("main", "src/main.c", "compiler"), ("solve", "/home/me/src/solve.c", "compiler"),
           ("MPI_Recv", "MPI", "mpi"), ("work<int>(a, b)", "", "user"), ("MPI_Barrier", "", "mpi")]
nodes = [(0, 0, None), (1, 1, 0), (3, 2, 1), (4, 3, 1), (2, 3, 0), (5, 4, 0)]
# Exclusive seconds by node on a location of rank r.
seconds = [lambda r: 1, lambda r: 2, lambda r: 0.5 * r, lambda r: 4 - r, lambda r: 1, lambda r: 0.25]
visits = [lambda r: 1, lambda r: 3, lambda r: 6, lambda r: 3, lambda r: 1, lambda r: 2]
waits = [None, None, lambda r: 0.25 * r, None, None, None]
barriers = [None] * 5 + [lambda r: 0.125]
sent = [None, None, None, lambda r: 1000 * (r + 1), None, None]

# id, name, type of values, unit, kind, values by node (exclusive), below which metric
metrics = [
    (0, "visits", "UINT64", "occ", "EXCLUSIVE", visits),
    (1, "time", "DOUBLE", "sec", "EXCLUSIVE" if "exclusive" in words else "INCLUSIVE", seconds),
    (2, "min_time", "MINDOUBLE", "sec", "EXCLUSIVE", seconds),
    (3, "mpi_latesender", "DOUBLE", "sec", "EXCLUSIVE", waits),
    (4, "mpi_latesender_wo", "FLOAT", "sec", "EXCLUSIVE", waits),
    (5, "mpi_barrier_wait", "DOUBLE", "sec", "EXCLUSIVE", barriers),
    (6, "bytes_sent", "INT32", "bytes", "EXCLUSIVE", sent),
    (7, "mpi", "DOUBLE", "sec", "PREDERIVED_EXCLUSIVE", None),
    (8, "comp", "DOUBLE", "sec", "INCLUSIVE", None),
]
letters = {"UINT64": "Q", "DOUBLE": "d", "FLOAT": "d", "MINDOUBLE": "d", "INT32": "i"}


def children(node):
    return [n for n in nodes if n[2] == node[0]]


def value(metric, node, location):
    """Of a location, each of whose threads but the first has a tenth."""
    rank, thread = location % n_ranks, location // n_ranks
    number = metric[5][nodes.index(node)]
    number = number(rank) if number else 0
    if metric[3] == "sec":
        number *= scale
    if thread:
        number = number / 10 if metric[2] in ("DOUBLE", "FLOAT", "MINDOUBLE") else 0
    if metric[4] == "INCLUSIVE":
        number += sum(value(metric, child, location) for child in children(node))
    return number


def call_order(kind):
    """Cube counts inclusive rows level by level below each node, and the others depth first."""
    if kind != "INCLUSIVE":
        return nodes
    wide = []
    def visit(node):
        wide.extend(children(node))
        for child in children(node):
            visit(child)
    for root in (n for n in nodes if n[2] is None):
        wide.append(root)
        visit(root)
    return wide


def definitions(version):
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;")

    def cnode(node):
        inner = "".join(cnode(child) for child in children(node))
        return f'<cnode id="{node[0]}" calleeId="{node[1]}">{inner}</cnode>\n'

    kind = ' type="{}"' if version == 4 else ""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<cube version="{version}.0">',
             '<attr key="Creator" value="make_cube.py"/>', "<metrics>"]
    for number, name, dtype, unit, how, _ in metrics:
        lines.append(f'<metric id="{number}"{kind.format(how)}><disp_name>{name}</disp_name>'
                     f"<uniq_name>{name}</uniq_name><dtype>{dtype}</dtype><uom>{unit}</uom>"
                     + ("" if number == 3 else "</metric>" + ("</metric>" if number == 4 else "")))
    lines.append("</metrics><program>")
    for number, (name, file, paradigm) in enumerate(regions):
        lines.append(f'<region id="{number}" mod="{file}" begin="1" end="-1">'
                     f"<name>{escaped(name)}</name><paradigm>{paradigm}</paradigm></region>")
    lines += [cnode(node) for node in nodes if node[2] is None] + ["</program><system>"]
    # Ranks alternate between two nodes, so that the order of locations is not that of their Ids.
    tree = ({"machine": "systemtreenode", "node": "systemtreenode", "group": "locationgroup",
             "location": "location"} if version == 4 else
            {"machine": "machine", "node": "node", "group": "process", "location": "thread"})
    lines.append(f'<{tree["machine"]} Id="0"><name>cluster</name><class>machine</class>')
    for host in range(2):
        lines.append(f'<{tree["node"]} Id="{host + 1}"><name>n{host}</name><class>node</class>')
        for rank in range(host, n_ranks, 2):
            lines.append(f'<{tree["group"]} Id="{rank}"><name>r</name><rank>{rank}</rank>'
                         "<type>process</type>")
            for thread in range(n_threads):
                lines.append(f'<{tree["location"]} Id="{thread * n_ranks + rank}"><name>t</name>'
                             f"<rank>{thread}</rank><type>thread</type></{tree['location']}>")
            lines.append(f'</{tree["group"]}>')
        lines.append(f'</{tree["node"]}>')
    lines.append(f'</{tree["machine"]}></system>')
    return "\n".join(lines)


def row(metric, node):
    return [value(metric, node, location) for location in range(n_ranks * n_threads)]


def cube3():
    text = definitions(3) + "\n<severity>\n"
    for metric in metrics:
        if metric[5] is None:
            continue
        text += f'<matrix metricId="{metric[0]}">\n'
        for node in nodes:
            own = row(metric[:4] + ("EXCLUSIVE",) + metric[5:], node)
            if any(own):
                text += f'<row cnodeId="{node[0]}">\n' + "\n".join(f"{n:.12g}" for n in own) + "</row>\n"
        text += "</matrix>\n"
    return (text + "</severity>\n</cube>\n").encode()


def files():
    anchor = (definitions(4) + "\n</cube>\n").encode()
    yield "remapping.spec", b"not ours" + bytes(504)
    yield "anchor.xml", gzip.compress(anchor) if "packed-anchor" in words else anchor
    for metric in metrics:
        if metric[5] is None:
            continue
        ordered = call_order(metric[4])
        places = [i for i, node in enumerate(ordered) if "dense" in words or any(row(metric, node))]
        index = b"CUBEX.INDEX" + struct.pack(order + "IHB", 1, 0, 3 if "dense" in words else 1)
        if "dense" not in words:
            index += struct.pack(f"{order}I{len(places)}I", len(places), *places)
        code = f"{order}{n_ranks * n_threads}{letters[metric[2]]}"
        rows = [struct.pack(code, *row(metric, ordered[i])) for i in places]
        data = b"CUBEX.DATA" + b"".join(rows)
        if "packed" in words:
            # Pieces as CubeW writes them when rows come in any order: the last one first.
            pieces = [zlib.compress(r, 1) for r in rows]
            begins = [sum(len(p) for p in pieces[i + 1:]) for i in range(len(pieces))]
            table = [(sum(len(r) for r in rows[:i]), begins[i], len(pieces[i])) for i in range(len(rows))]
            data = (b"ZCUBEX.DATA" + struct.pack(order + "Q", len(rows))
                    + b"".join(struct.pack(order + "3Q", *entry) for entry in table)
                    + b"".join(reversed(pieces)))
        yield f"{metric[0]}.index", index
        yield f"{metric[0]}.data", data


def cube4():
    out = b""
    for name, content in files():
        if name in options:
            content = options[name].encode().decode("unicode_escape").encode("latin-1")
        if options.get(name) == "-":
            continue
        header = tarfile.TarInfo(name)
        header.size = len(content)
        # CubeW's padding: a whole block where the last one is full.
        out += header.tobuf(tarfile.USTAR_FORMAT) + content + bytes(512 - len(content) % 512)
    return out + bytes(1024)


content = cube4() if path.endswith(".cubex") else cube3()
content = gzip.compress(content) if path.endswith(".gz") else content
with open(path, "wb") as file:
    file.write(content)
