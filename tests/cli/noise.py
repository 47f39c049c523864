#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
noise.py SEED N: the run times of N draws of the run in noise.txt on noise.xml, which it writes, as the JSON that
pagoda prints of them: least, median, what 95 % do not exceed, most. Nothing of pagoda is in it; the rules are
those of pagoda-machine(5), the hash is splitmix64's.

Rank 0, on node a, works 25 ms, sends 1000 bytes, and works 5 ms; rank 1 works 2 ms, receives, and works 1 ms;
both meet in a barrier.
"""
import json
import sys

MS, MILLION = 10**6, 10**6
MESSAGES = [(10, 0.5), (60, 1), (95, 3), (100, 8)]
BARRIERS = [(50, 2)]
COMPUTING = [(80, 1), (100, 2.5)]
LOAD = [(0, 1), (100, 1.2)]
TRACE = """nodes a b
0 0 enter main
0 25000000 enter MPI_Send
0 25000000 send world 1 1 1000
0 25001000 leave MPI_Send
0 30001000 enter MPI_Barrier
1 0 enter main
1 2000000 enter MPI_Recv
1 25020000 recv world 0 1 1000
1 25020000 leave MPI_Recv
1 26020000 enter MPI_Barrier
0 30002000 coll-end barrier world - 0 0
0 30002000 leave MPI_Barrier
0 30002000 leave main
1 30002000 coll-end barrier world - 0 0
1 30002000 leave MPI_Barrier
1 30002000 leave main
"""


def quantiles(points):
    return "".join(f'<quantile percent="{p}" factor="{f}"/>' for p, f in points)


MACHINE = f"""<machine>
  <message scope="network"><point bytes="0" time="10us"/><point bytes="1000" time="20us"/>{quantiles(MESSAGES)}</message>
  <collective op="barrier" time="100e-6">{quantiles(BARRIERS)}</collective>
  <noise every="10ms">{quantiles(COMPUTING)}</noise>
  <noise nodes="a x*">{quantiles(LOAD)}</noise>
</machine>
"""


def mixed(state, part):
    x = (state + part + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def checksum(text):
    """That of analyzer/base/checksum.h, of less than 8 bytes."""
    total = 0
    for value in (len(text), int.from_bytes(text.encode(), "little")):
        total = (total ^ value) * 0x9E3779B97F4A7C15 % 2**64
        total ^= total >> 29
    return total


def factor(points, draw, kind, which, item):
    """In millionths."""
    share = mixed(mixed(mixed(draw, kind), which), item) * MILLION >> 64
    points = [(p * MILLION // 100, int(f * MILLION)) for p, f in points]
    if share < points[0][0]:
        return points[0][1]
    for (s0, f0), (s1, f1) in zip(points, points[1:]):
        if s0 <= share < s1:
            return f0 + (f1 - f0) * (share - s0) // (s1 - s0)
    return points[-1][1]


def work(draw, rank, begin, length):
    """Millionths of ns that LENGTH ns of work take which begin after BEGIN ns of work."""
    spans, at = 0, begin
    while at < begin + length:
        end = min(begin + length, (at // (10 * MS) + 1) * 10 * MS)
        spans += (end - at) * MILLION * factor(COMPUTING, draw, 3, rank, at // (10 * MS))
        at = end
    result = length * MILLION * (spans * 1000 // (length * MILLION)) // 10**9
    if rank == 0:
        result = result * (1000 * factor(LOAD, draw, 3, 1 << 32, checksum("a"))) // 10**9
    return result


def run(draw):
    first = work(draw, 0, 0, 25 * MS)
    arrival = -(-first // MILLION) + 20000 * factor(MESSAGES, draw, 0, 0, 0) // MILLION
    receive = max(arrival, -(-work(draw, 1, 0, 2 * MS) // MILLION))
    ends = [first + work(draw, 0, 25 * MS, 5 * MS), receive * MILLION + work(draw, 1, 2 * MS, MS)]
    return max(-(-end // MILLION) for end in ends) + 100000 * factor(BARRIERS, draw, 2, 0, 0) // MILLION


seed, n = int(sys.argv[1]), int(sys.argv[2])
for name, text in (("noise.txt", TRACE), ("noise.xml", MACHINE)):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)
times = sorted(run((seed << 32) + number) for number in range(1, n + 1))
print(json.dumps({"count": n, "seed": seed, "least_ns": times[0], "median_ns": times[(n + 1) // 2 - 1],
                  "below_95_ns": times[-(-n * 95 // 100) - 1], "most_ns": times[-1]}))
