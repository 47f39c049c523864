# SPDX-License-Identifier: BSD-3-Clause
"""Brute force for until where less work in a region pays.

    bends.py program SEED >TRACE.txt     a random program, as a text trace (tools/mktrace)
    bends.py check SEED <ADVICE.json     is what `pagoda advise --json` says of it right?
    bends.py slack SEED <REPLAY.json     is the slack of the critical path in `pagoda replay --json`?

A program is steps of computing in regions a, b and c, messages along a ring, and barriers. Messages
take FLIGHT, calls nothing else. So the run time at any factor on a region's work follows from the
program by adding up.
"""
import json
import random
import sys

FLIGHT = 50000
REGIONS = "abc"


def program(seed):
    """By step: ("work", {rank: [(region, ns)]}), ("ring", distance) or ("barrier",)."""
    choice = random.Random(seed)
    n = choice.randint(2, 6)
    steps = []
    weights = {region: [choice.random() ** 3 for _ in range(n)] for region in REGIONS}
    for _ in range(choice.randint(3, 30)):
        steps.append(("work", [[(r, int(choice.uniform(0.5, 1) * weights[r][rank] * 20000000) + 100000)
                                for r in choice.sample(REGIONS, choice.randint(0, 3))]
                               for rank in range(n)]))
        steps.append(("ring", choice.randint(1, n - 1)) if choice.random() < 0.7 else ("barrier",))
    return n, steps


def run(n, steps, region, factor, lines=None, of_rank=None):
    """The end of the last rank, of whose computing in REGION on rank OF_RANK, or all, FACTOR is left;
    with LINES also the trace."""
    now = [0] * n

    def put(rank, text):
        if lines is not None:
            lines.append(f"{rank} {now[rank]} {text}")

    for rank in range(n):
        put(rank, "enter main")
    for step in steps:
        if step[0] == "work":
            for rank, parts in enumerate(step[1]):
                for name, ns in parts:
                    put(rank, "enter " + name)
                    now[rank] += ns * factor if name == region and of_rank in (None, rank) else ns
                    put(rank, "leave " + name)
        elif step[0] == "ring":
            sent = now[:]
            for rank in range(n):
                put(rank, "enter MPI_Send")
                put(rank, f"send world {(rank + step[1]) % n} 0 8")
                put(rank, "leave MPI_Send")
            for rank in range(n):
                source = (rank - step[1]) % n
                put(rank, "enter MPI_Recv")
                now[rank] = max(now[rank], sent[source] + FLIGHT)
                put(rank, f"recv world {source} 0 8")
                put(rank, "leave MPI_Recv")
        else:
            last = max(now)
            for rank in range(n):
                put(rank, "enter MPI_Barrier")
                put(rank, "coll-begin")
                now[rank] = last
                put(rank, "coll-end barrier world - 0 0")
                put(rank, "leave MPI_Barrier")
    for rank in range(n):
        put(rank, "leave main")
    return max(now)


def is_right(time, factor, least, share, gain_ns):
    """Whether less work pays until SHARE of it is gone, and saves GAIN_NS there (None: up to FACTOR).
    TIME is the run time by factor; the slope is looked for from LEAST on."""
    whole, step = time(1), 1e-5
    close = whole / 1000
    rate = (whole - time(1 - step)) / step / 2  # half of the first one
    if share is None:
        # It pays to the end, from anywhere; or nearly all of what was promised is there.
        return whole - time(factor) > 1.89 * rate * (1 - factor) or all(
            time(least + more) - time(least) >= rate * more - close
            for more in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3) if least + more < 1)
    bend = 1 - share
    before, after = whole - time(bend), time(bend) - time(least)
    fine = before >= rate * share - close and after <= rate * (bend - least) + close
    return fine and least < bend < 1 and abs(before - gain_ns) < close


def check(seed, advice):
    """How many bends are right, and how many changes rightly pay to the end."""
    n, steps = program(seed)
    n_bends = n_without = 0
    for candidate in advice["candidates"]:
        words = candidate["options"].split("=")
        if not words[0].startswith("--scale ") or words[0][8:] not in REGIONS:
            continue
        if candidate["gain_ns"] is None or candidate["gain_ns"] * 1000 < advice["target_ns"]:
            continue
        if candidate.get("same_as"):
            continue
        region, factor = words[0][8:], float(words[1])
        least = max(factor, 0.01)  # the slope is looked for there

        def time(factor, region=region):
            return run(n, steps, region, factor)

        until = candidate.get("pays_until", {})
        share = until.get("share")
        if not is_right(time, factor, least, share, until.get("gain_ns")):
            sys.exit(f"seed {seed}: {candidate['options']}: pays until {share}, of {time(1)}")
        n_without += share is None
        n_bends += share is not None
    return n_bends, n_without


def check_slack(seed, replay):
    """How many slacks are right that end before all is gone, and how many after that."""
    n, steps = program(seed)
    n_bends = n_without = 0
    for slack in replay["critical_path"]["slack"]:
        def time(factor, slack=slack):
            return run(n, steps, slack["region"], factor, None, slack["rank"])

        share = slack["share"]
        rate = (time(1) - time(1 - 1e-5)) / 1e-5
        if share == 0:
            fine = time(1) - time(0.9) <= rate / 20 + 1 and slack["gain_ns"] == 0
        else:
            fine = is_right(time, 0, 0.01, share if share < 1 else None, slack["gain_ns"])
            fine = fine and abs(slack["path_ns"] - rate) < rate / 1000
        if not fine:
            sys.exit(f"seed {seed}: {slack}: rate {rate}, of {time(1)}")
        n_without += share == 1
        n_bends += share < 1
    return n_bends, n_without


if __name__ == "__main__":
    if sys.argv[1] == "program":
        trace = []
        run(*program(int(sys.argv[2])), None, 1, trace)
        print("nodes", *(f"n{rank}" for rank in range(program(int(sys.argv[2]))[0])))
        print("\n".join(trace))
    else:
        checks = {"check": check, "slack": check_slack}
        print(*checks[sys.argv[1]](int(sys.argv[2]), json.load(sys.stdin)))
