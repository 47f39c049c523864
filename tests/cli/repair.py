# SPDX-License-Identifier: BSD-3-Clause
"""Damages archives and compares what `pagoda check --repair` makes of them with what otf2-print shows
of them before. repair.py TEST [ARGUMENT...], in an empty folder; for tests/cli/repair.bats."""
import inspect
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys

PAGODA = os.environ["PAGODA"]
EVENT = re.compile(r"^[A-Z0-9_]+ +[0-9]+ +[0-9]+ ")
CHUNK = 256 * 1024


def run(*words):
    pages = {"GLIBC_TUNABLES": os.environ["OTF2_PRINT_TUNABLES"]} if words[0] == "otf2-print" else {}
    return subprocess.run(
        words, capture_output=True, text=True, errors="replace", check=False, env=os.environ | pages
    )


def events(path):
    """The lines of otf2-print by location, which must be able to read PATH."""
    anchor = [name for name in os.listdir(path) if name.endswith(".otf2")][0]
    done = run("otf2-print", os.path.join(path, anchor))
    assert done.returncode == 0 and "error" not in done.stderr, done.stderr
    lines = {}
    for line in done.stdout.splitlines():
        if EVENT.match(line):
            lines.setdefault(line.split()[1], []).append(line)
    return lines


def repair(path, status=3):
    """Repairs PATH to the folder fixed: its losses and what `check` finds in it."""
    before = tree(path) if os.path.isdir(path) else None
    shutil.rmtree("fixed", ignore_errors=True)
    done = run(PAGODA, "check", "--json", "--repair", path, "-o", "fixed")
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert before is None or before == tree(path), "the input has changed"
    return json.loads(done.stdout)["files"][0]


def tree(path):
    return {
        os.path.join(folder, name): open(os.path.join(folder, name), "rb").read()
        for folder, _, names in os.walk(path)
        for name in names
    }


def copy(path, name="cut"):
    shutil.rmtree(name, ignore_errors=True)
    shutil.copytree(path, name)
    return name


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def codes(check):
    return [loss["code"] for loss in check["losses"]]


def record_ends(content):
    """Where the records of a little-endian event file of one chunk end, each with how many regions are
    open then."""
    at, depth, ends = 18, 0, []
    while content[at] not in (0, 2):
        if content[at] == 5:
            at += 9
        kind = content[at]
        is_bare = kind in (12, 13, 16, 17, 20, 21, 24, 28, 29, 30)
        at += 2 + content[at + 1]
        assert is_bare or content[at] != 255
        if kind != 6:
            depth += {12: 1, 13: -1}.get(kind, 0)
            ends.append((at, depth))
    return ends


def whole(path):
    """Of an archive that is whole, nothing is lost: the same events, the same definitions."""
    check = repair(path, 0)
    assert check["losses"] == [] and check["repaired_from"] == path
    assert events("fixed") == events(path)
    printed = [run("otf2-print", "-G", os.path.join(folder, "traces.otf2")).stdout for folder in (path, "fixed")]
    assert sorted(printed[0].split("\n")) == sorted(printed[1].split("\n"))
    first = tree("fixed")
    repair(path, 0)
    assert first == tree("fixed"), "not the same bytes"


def removed(path):
    """Each file is removed in turn."""
    all_events = events(path)
    n_all = sum(len(lines) for lines in all_events.values())
    for name in ("traces.otf2", "traces.def", "traces/1.evt", "traces/1.def"):
        cut = copy(path)
        os.remove(os.path.join(cut, name))
        check = repair(cut)
        left = events("fixed")
        print(name, codes(check), sum(len(lines) for lines in left.values()))
        n_lost = len(all_events["1"]) if name == "traces/1.evt" else 0
        assert sum(len(lines) for lines in left.values()) == check["events"] == n_all - n_lost
        assert sum(loss["events"] or 0 for loss in check["losses"]) == n_lost
        assert len(check["locations"]) == len(all_events) and check["ranks"] == len(all_events)
        assert check["messages"] > 0 and check["locations"][0]["damage"] is None


def cuts(path, step):
    """An event file is cut at and beside the ends of its records."""
    before = events(path)
    content = read(os.path.join(path, "traces/1.evt"))
    ends = record_ends(content)
    assert len(ends) == len(before["1"])
    lengths = [0, 1, 17, 18, 19] + [end + more for end, _ in ends for more in (0, 1)]
    lengths.pop()  # there the file has its end mark
    for length in lengths[:5] + lengths[5 :: int(step)]:
        write(os.path.join(copy(path), "traces/1.evt"), content[:length])
        check = repair("cut")
        kept = [depth for end, depth in ends if end < length] # the file has another byte after it
        n_open = kept[-1] if kept else 0
        after = events("fixed")
        lines = after.pop("1", [])
        assert lines[: len(kept)] == before["1"][: len(kept)]
        assert [line.split()[0] for line in lines[len(kept) :]] == ["LEAVE"] * n_open
        assert after == {key: before[key] for key in before if key != "1"}
        (loss,) = check["losses"]
        assert loss["code"] == "events-cut" and loss["location"] == "1"
        assert loss["events"] == len(before["1"]) - len(kept)
        assert not any(w["code"] in ("unbalanced-region", "bad-reference") for w in check["warnings"])


def definitions(path, step):
    """The global definitions are cut anywhere: no event is lost, and each names what is defined."""
    n_before = {key: len(lines) for key, lines in events(path).items()}
    content = read(os.path.join(path, "traces.def"))
    for length in range(0, len(content), int(step)):
        write(os.path.join(copy(path), "traces.def"), content[:length])
        check = repair("cut")
        assert {key: len(lines) for key, lines in events("fixed").items()} == n_before
        assert codes(check)[0] == "definitions-cut", codes(check)
        assert check["ranks"] == len(n_before) and check["messages"] > 0, length
        assert not any(w["code"] == "bad-reference" for w in check["warnings"]), check["warnings"]


def every_kind():
    """A record of each kind that the library can write, at both ends of what its fields hold."""
    import _otf2
    import otf2

    names = [name for name in dir(_otf2) if name.startswith("EvtWriter_")]
    names = [name for name in names if not re.search("Writer_(Get|Set|Clear|Rewind|StoreRew|Metric$)", name)]
    with otf2.writer.open("kinds", timer_resolution=1000000000) as archive:
        group = archive.definitions.location_group(
            "process", system_tree_parent=archive.definitions.system_tree_node("node")
        )
        writer = archive.event_writer_from_location(archive.definitions.location("thread", group=group))
        for large in (False, True):
            for time, name in enumerate(names):
                function = getattr(_otf2, name)
                arguments = list(inspect.signature(function).parameters)[3:]
                values = [0] * len(arguments)
                for i, argument in enumerate(arguments if large else []):
                    is_small = argument in SMALL or argument.endswith(("Type", "Op", "Mode", "Option", "mode"))
                    values[i] = 3 if is_small else 0x01020304
                if name.endswith("ProgramBegin"):
                    values = [1, [1, 300]] if large else [0, []]
                if name.endswith("BufferFlush"):
                    values = [1000]
                function(writer._handle, None, 100 * large + time, *values)
    lines = events("kinds")["0"]
    assert len(lines) == 2 * len(names) and len(names) >= 78, (len(lines), len(names))
    check = repair("kinds")  # as whole as it was; nothing of what it names is defined
    assert codes(check) == ["names-lost"] and check["events"] == len(lines)
    assert [line.split()[:3] for line in events("fixed")["0"]] == [line.split()[:3] for line in lines]


SMALL = ("collectiveOp", "lockType", "syncType", "type", "model", "whence", "mode", "measurementMode")


def chunks():
    """Several chunks, not of the usual size: with and without the anchor file, the second one
    overwritten at its begin and in the middle, the file cut there."""
    import otf2

    with otf2.writer.open(
        "long", timer_resolution=1000000000, chunk_size_events=CHUNK, chunk_size_definitions=CHUNK
    ) as archive:
        group = archive.definitions.location_group(
            "process", system_tree_parent=archive.definitions.system_tree_node("node")
        )
        outer, inner = archive.definitions.region("outer"), archive.definitions.region("inner")
        writer = archive.event_writer_from_location(archive.definitions.location("thread", group=group))
        for i in range(15000):
            writer.enter(10 * i, outer)
            writer.enter(10 * i + 1, inner)
            writer.leave(10 * i + 2, inner)
            writer.leave(10 * i + 3, outer)
    content = read("long/traces/0.evt")
    assert len(content) > 2 * CHUNK
    (n_first,) = struct.unpack_from("<Q", content, 10)
    lines = events("long")["0"]
    os.remove(os.path.join(copy("long"), "traces.otf2"))
    assert repair("cut")["events"] == len(lines)
    spoiled = bytearray(content)
    spoiled[CHUNK : CHUNK + 18] = bytes(18)
    other = bytearray(content)
    other[CHUNK + 5000 : CHUNK + 5100] = b"\xff" * 100
    for damaged, least, most in (
        (spoiled, n_first, n_first),
        (content[:CHUNK], n_first, n_first),
        (content[: CHUNK + 18], n_first, n_first),
        (other, n_first + 300, n_first + 600),
    ):
        for lacks_anchor in (False, True):
            write(os.path.join(copy("long"), "traces/0.evt"), damaged)
            if lacks_anchor:
                os.remove("cut/traces.otf2")
            check = repair("cut")
            left = events("fixed")["0"]
            n_kept = len(lines) - [loss["events"] for loss in check["losses"] if loss["events"]][0]
            assert least <= n_kept <= most, (least, n_kept, most)
            assert left[:n_kept] == lines[:n_kept]
            assert all(line.startswith("LEAVE") for line in left[n_kept:]) and len(left) - n_kept <= 2


def big_endian():
    """An event file of the other byte order, cut: what is added is of that order, too."""
    import otf2

    with otf2.writer.open("big", timer_resolution=1000000000) as archive:
        group = archive.definitions.location_group(
            "process", system_tree_parent=archive.definitions.system_tree_node("node")
        )
        regions = [archive.definitions.region("region %d" % i) for i in range(300)]
        writer = archive.event_writer_from_location(archive.definitions.location("thread", group=group))
        for i in range(300):
            writer.enter(i, regions[i])
    enters = b"".join(
        b"\x05" + struct.pack(">Q", i) + b"\x0c" + (b"\x00" if i == 0 else b"\x01%c" % i if i < 256 else b"\x02" + struct.pack(">H", i))
        for i in range(300)
    )
    lines = events("big")["0"]
    write("big/traces/0.evt", b"\x03\x23" + struct.pack(">QQ", 1, 300) + enters + b"\x02\x01")
    assert events("big")["0"] == lines
    write(os.path.join(copy("big"), "traces/0.evt"), read("big/traces/0.evt")[:-5])
    repair("cut")
    left = events("fixed")["0"]
    assert left[:299] == lines[:299]
    assert [line.split('"')[1] for line in left[299:]] == ["region %d" % i for i in range(298, -1, -1)]


def spoiled(path, seed, n):
    """Any damage: the library reads what comes of it, or nothing was left."""
    chance = random.Random(int(seed))
    for _ in range(int(n)):
        copy(path)
        for _ in range(chance.choice((1, 1, 2))):
            name = chance.choice(sorted(tree("cut")))
            content = bytearray(read(name))
            at = chance.randrange(len(content) + 1)
            kind = chance.randrange(3)
            if kind == 0:
                del content[at:]
            elif kind == 1:
                content[at : at + 40] = chance.randbytes(len(content[at : at + 40]))
            elif at < len(content):
                content[at] = chance.randrange(256)
            write(name, content)
        shutil.rmtree("fixed", ignore_errors=True)
        done = run(PAGODA, "check", "--repair", "cut", "-o", "fixed")
        assert done.returncode in (0, 1, 3), done
        assert (done.returncode == 1) == (not os.path.exists("fixed")), done.stderr
        if done.returncode != 1:
            events("fixed")


globals()[sys.argv[1]](*sys.argv[2:])
