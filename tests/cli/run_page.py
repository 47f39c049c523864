#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_page.py PAGE.html TRACE.txt [LANE]: the calls that a page of `pagoda export` holds, against the text that its
trace was made of; and the shares of its columns against the calls. Prints what each rank waits, in ns, and what each
thread does."""
import base64
import json
import re
import struct
import sys
import zlib

KINDS = 6  # computing, waiting, point-to-point, collective, other MPI, without CPU time
THREAD_KINDS = "computing", "waiting", "runtime", "mpi", "idle"


def element(page, name):
    return re.search(rf'<script id="{name}" type="[^"]*">(.*?)</script>', page, re.S).group(1)


def lane_of(page, name):
    lane = next(lane for lane in json.loads(element(page, "lanes")) if lane["name"] == name)
    data = zlib.decompress(base64.b64decode(element(page, name)))
    letters = {"Float64Array": "d", "Uint32Array": "I", "Uint16Array": "H", "Uint8Array": "B"}
    at = 0
    for array in lane["arrays"]:
        form = "<%d%s" % (array["n"], letters[array["type"]])
        lane[array["name"]] = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
    assert at == len(data)
    return lane


def calls_of(text):
    """(rank, enter, leave) of each MPI call, times from the first event on."""
    events = [line.split() for line in text.splitlines() if re.match(r"\d+ +\d+ +(enter|leave) +MPI_", line)]
    begin = min(int(line.split()[1]) for line in text.splitlines() if re.match(r"\d+ +\d+ ", line))
    is_open, calls = {}, []
    for rank, time, what, _ in events:
        if what == "enter":
            is_open[rank] = int(time)
        else:
            calls.append((int(rank), is_open.pop(rank) - begin, int(time) - begin))
    return sorted(calls)


def check_shares(lane, row, times):
    """What a row of the page shows of each kind is TIMES, rounded down to 255ths of a column."""
    n = lane["columns"] * KINDS
    for kind, ns in times:
        shown = sum(lane["shares"][row * n:(row + 1) * n][kind::KINDS]) / 255 * lane["column_ns"]
        assert abs(shown - ns) <= lane["column_ns"] * lane["columns"] / 255, (row, kind, shown, ns)


def show_threads(lane):
    spans = list(zip(lane["span_thread"], lane["span_begin"], lane["span_end"], lane["span_kind"]))
    assert spans == sorted(spans)
    for i, thread in enumerate(lane["threads"]):
        own = [span for span in spans if span[0] == i]
        assert all(before[2] <= after[1] for before, after in zip(own, own[1:])), "spans overlap"
        sums = [sum(end - begin for _, begin, end, kind in own if kind == k) for k in range(KINDS)]
        check_shares(lane, lane["ranks"] + i, enumerate(sums))
        print("%d %s:" % (thread["rank"], thread["name"]), *("%s %d" % (name, ns) for name, ns in zip(THREAD_KINDS, sums)))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    lane = lane_of(page, sys.argv[3] if len(sys.argv) > 3 else "measured")
    calls = list(zip(lane["rank"], lane["enter"], lane["leave"], lane["release"], lane["kind"], lane["lost"]))
    if len(sys.argv) <= 3:
        with open(sys.argv[2], encoding="utf-8") as file:
            assert [call[:3] for call in calls] == calls_of(file.read())
    for rank in range(lane["ranks"]):
        own = [call for call in calls if call[0] == rank]
        waited = sum(call[3] - call[1] for call in own)
        lost = sum((call[1] - since) * call[5] / 65535 for call, since in zip(own, [0] + [call[2] for call in own]))
        check_shares(lane, rank, [(1, waited), (5, lost)] + [
            (kind, sum(call[2] - call[3] for call in own if call[4] == kind)) for kind in range(2, 5)])
        print(rank, int(waited))
    show_threads(lane)


main()
