#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Clocks whose errors are known, and what pagoda align makes of them.

clocks.py write CASE > TEXT        a run of 4 ranks as a text trace (mktrace), by clocks of this CASE
clocks.py check CASE PRINT         PRINT is what otf2-print shows of the aligned copy: how far its times
                                   are from the true ones, a constant aside: the largest error in ns

The ranks send around a ring and back; each message takes 2 us or longer. CASE is offset (constants),
drift (up to 80 ppm), own (drift, of which the archive knows half), hours (drift, clocks days apart), bend
(the speed changes twice), one-way (drift, only messages to the next rank), jump (the clock of rank 2 is set
40 ms back in the middle; jump-first: that of rank 0, jump-pair: of 1 in a run of 2; what it shows is not compared), jitter (a clock is up to 900 ns off at random).
"""
import random
import re
import sys

RANKS, ROUNDS, FASTEST_NS = 2 if "jump-pair" in sys.argv else 4, 300, 2000
STEP_NS = 30_000_000  # from one round to the next: 9 s in all


def jumping(case):
    """The rank whose clock jumps."""
    return {"jump": 2, "jump-first": 0, "jump-pair": 1}.get(case)


def clock(case, rank, time_ns, chance):
    """What the clock of a rank shows at a true time."""
    offset_ns = [0, 70_000_000, 3_000_000, 150_000][rank]
    ppm = ([40, 0, -80, 11] if case == "jump-first" else [0, 40, -80, 11])[rank]  # of the first that is right: 0
    if case == "offset":
        return time_ns + offset_ns
    if case == "hours":
        offset_ns += rank * 40 * 3600 * 10**9
    if case == "bend":
        ahead_ns = ppm * 1e-6 * min(time_ns, 4e9) - ppm * 2e-6 * max(0, min(time_ns, 7e9) - 4e9)
        return round(time_ns + offset_ns + ahead_ns)
    shown_ns = round(time_ns + offset_ns + ppm * 1e-6 * time_ns)
    if rank == jumping(case) and time_ns > 4.5e9:
        shown_ns -= 40_000_000
    if case == "jitter" and rank == 2:
        shown_ns += chance.randrange(-900, 900)
    return shown_ns


def run(case):
    """The true times of all events: of each rank a list of (ns, what)."""
    chance = random.Random(7)
    events = [[(0, "enter main")] for _ in range(RANKS)]
    ways = [1] if case == "one-way" else [1, -1]
    for i in range(ROUNDS):
        begin_ns = 1_000_000 + i * STEP_NS + chance.randrange(5_000_000)
        for way in ways:
            for rank in range(RANKS):
                to = (rank + way) % RANKS
                took_ns = FASTEST_NS + int(chance.expovariate(1 / 3000))
                events[rank] += [(begin_ns, "enter MPI_Send"), (begin_ns + 100, f"send world {to} 0 8"),
                                 (begin_ns + 200, "leave MPI_Send")]
                events[to] += [(begin_ns + 300, "enter MPI_Recv"),
                               (begin_ns + took_ns, f"recv world {rank} 0 8"),
                               (begin_ns + took_ns, "leave MPI_Recv")]
            begin_ns += 200_000
    for rank in range(RANKS):
        events[rank].sort(key=lambda event: event[0])
        events[rank].append((ROUNDS * STEP_NS + 10_000_000, "leave main"))
    return events


def write(case):
    chance = random.Random(8)
    if case == "own":
        for rank in range(RANKS):
            for time_ns in (10**8, 6 * 10**9):
                half_ns = (clock("drift", rank, time_ns, chance) - time_ns) // 2
                print("offset", rank, time_ns + half_ns, -half_ns)
    for rank, events in enumerate(run(case)):
        last_ns = 0
        for time_ns, what in events:
            last_ns = max(last_ns, clock(case, rank, time_ns, chance) + 100_000_000)
            print(rank, last_ns, what)


def check(case, path):
    found = [[] for _ in range(RANKS)]
    with open(path, encoding="utf-8") as file:
        for line in file:
            event = re.match(r"(ENTER|LEAVE|MPI_SEND|MPI_RECV) +(\d+) +(\d+)", line)
            if event:
                found[int(event[2])].append(int(event[3]))
    errors = []
    for rank, events in enumerate(run(case)):
        assert len(found[rank]) == len(events), (rank, len(found[rank]), len(events))
        if rank != jumping(case):
            errors.append([shown - true for shown, (true, _) in zip(found[rank], events)])
    middle = sorted(errors[0])[len(errors[0]) // 2]
    print(max(abs(error - middle) for rank in errors for error in rank))


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    check(sys.argv[2], sys.argv[3])
