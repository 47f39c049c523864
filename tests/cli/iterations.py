#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""iterations.py write NAME | check NAME | moment NAME RANK TIME: the text trace of a loop NAME of LOOPS,
whose times follow from the work of each rank in each iteration, or whether the JSON of its replay (stdin)
says so; or that of `--explain RANK@TIMEns`."""
import json
import sys

RANKS, SETUP, REDUCE = 3, 5000, 10
WORK = 1000


class Loop:
    """WORK_OF(rank, k) is the work in solve() in iteration k, from 1 on; update() takes 100."""

    def __init__(self, n, work_of, odd, functions=True, sites=False):
        self.n, self.work_of, self.odd = n, work_of, odd
        self.functions, self.sites = functions, sites


def slow(first, last, rank, factor):
    return lambda r, k: WORK * (factor if first <= k <= last and r in (rank, rank + RANKS) else 1)


# What is odd: first, last, every, is_trend, rank, function or source.
LOOPS = {
    "single": Loop(60, slow(17, 17, 2, 4), [(17, 17, 1, False, 2, "solve")]),
    "range": Loop(100, slow(40, 60, 1, 2), [(40, 60, 1, False, 1, "solve")]),
    "shift": Loop(100, slow(41, 100, 0, 2), [(41, 100, 1, True, 0, "solve")]),
    "outlier": Loop(100, lambda r, k: WORK * 300 if (r, k) == (2, 57) else WORK + 150 * (r == 2 and k > 57),
                    [(57, 57, 1, False, 2, "solve"), (58, 100, 1, True, 2, "solve")]),
    "growth": Loop(100, lambda r, k: WORK + (k - 30) * 40 * (r == 1 and k > 30),
                   [(32, 100, 1, True, 1, "solve")]),
    "swelling": Loop(80, lambda r, k: WORK + 40 * k, [(12, 80, 1, True, None, "solve")]),
    "periodic": Loop(60, lambda r, k: WORK * (3 if k % 10 == 0 else 1),
                     [(10, 60, 10, False, None, "solve")]),
    "even": Loop(60, lambda r, k: WORK + 3 * ((r * 7 + k * 13) % 11), []),
    "sites": Loop(60, slow(17, 17, 2, 4), [(17, 17, 1, False, 2, "loop.c:7")], functions=False,
                  sites=True),
    "many": Loop(5000, slow(2049, 3072, 2, 2), [(2049, 3072, 1, False, 2, "solve")]),
    "short": Loop(3, slow(2, 2, 2, 4), None),
    "apart": Loop(40, slow(10, 11, 2, 5000), None),
}


def times(loop):
    """By iteration: for each rank begin, end, computing, waiting, other MPI."""
    now = [100] * RANKS  # leaves of MPI_Init
    for k in range(1, loop.n + 1):
        begin = list(now)
        enter = [now[r] + (SETUP if k == 1 else 0) + loop.work_of(r, k) + 100 for r in range(RANKS)]
        now = [max(enter) + REDUCE] * RANKS
        yield k, [(begin[r], now[r], enter[r] - begin[r], max(enter) - enter[r], REDUCE)
                  for r in range(RANKS)]


def write(loop):
    at = " at reduce" if loop.sites else ""
    print("context reduce main loop.c:7")
    for r in range(RANKS):
        print(f"{r} 0 enter MPI_Init\n{r} 100 leave MPI_Init")
    for k, ranks in times(loop):
        for r, (begin, end, *_) in enumerate(ranks):
            begin += SETUP if k == 1 else 0
            enter = begin + loop.work_of(r, k) + 100
            if loop.functions:
                print(f"{r} {begin} enter step\n{r} {begin} enter solve")
                print(f"{r} {enter - 100} leave solve\n{r} {enter - 100} enter update")
                print(f"{r} {enter} leave update")
            print(f"{r} {enter} enter MPI_Allreduce{at}\n{r} {enter} coll-begin")
            print(f"{r} {end} coll-end allreduce world - 8 8\n{r} {end} leave MPI_Allreduce")
            if loop.functions:
                print(f"{r} {end} leave step")
    for r in range(RANKS):
        print(f"{r} {end + 50} enter MPI_Finalize\n{r} {end + 60} leave MPI_Finalize")


def equal(what, is_value, wanted):
    if is_value != wanted:
        sys.exit(f"{what}: {is_value}, wanted {wanted}")


def check(loop):
    found = json.load(sys.stdin).get("iterations")
    if loop.odd is None:
        equal("iterations", found, None)
        return
    equal("count", found["count"], loop.n)
    equal("ranks", found["ranks"], RANKS)
    equal("region", found["region"], "step" if loop.functions else None)
    by_number = dict(times(loop))
    next_one = 1
    for item in found["items"]:
        equal("first", item["first"], next_one)
        rows = [row for k in range(item["first"], item["last"] + 1) for row in by_number[k]]
        equal("begin", item["begin_ns"], min(row[0] for row in rows))
        equal("end", item["end_ns"], max(row[1] for row in rows))
        equal("time", item["time_ns"], sum(row[1] - row[0] for row in rows))
        for name, column in (("useful_ns", 2), ("wait_ns", 3), ("other_mpi_ns", 4)):
            equal(name, item[name], sum(row[column] for row in rows))
        sums = [sum(row[2] for row in rows[r::RANKS]) for r in range(RANKS)]
        equal("slowest rank", item["slowest_rank"], sums.index(max(sums)))
        equal("its computing", item["slowest_ns"], max(sums))
        next_one = item["last"] + 1
    equal("last", next_one, loop.n + 1)
    if len(found["items"]) > 512:
        sys.exit(f"{len(found['items'])} items")
    odd = [(o["first"], o["last"], o["every"], o["is_trend"], o["rank"],
            o["before"] or (o["path"] or "").split("/")[-1]) for o in found["odd"]]
    equal("odd", odd, loop.odd)
    for o in found["odd"]:
        check_amounts(loop, by_number, o)


def check_amounts(loop, by_number, odd):
    """Factor and lost time, from the iterations that are not odd."""
    numbers = set(range(odd["first"], odd["last"] + 1, odd["every"]))
    all_odd = {k for first, last, every, *_ in loop.odd for k in range(first, last + 1, every)}
    mean = {k: sum(row[1] - row[0] for row in rows) / RANKS for k, rows in by_number.items() if k > 1}
    usual = [ns for k, ns in mean.items() if k not in all_odd]
    usual_ns = sum(usual) / len(usual)
    lost = sum(mean[k] - usual_ns for k in numbers)
    factor = sum(mean[k] for k in numbers) / len(numbers) / usual_ns
    if abs(odd["lost_ns"] - lost) > len(numbers) or abs(odd["factor"] - factor) > 1e-6:
        sys.exit(f"{odd}: lost {lost}, factor {factor} wanted")


def check_moment(loop, rank, time):
    """In iteration k, after the first: the ways of all ranks meet where k - 1 was released."""
    moment = json.load(sys.stdin)["explain"]
    before = None
    for _, rows in times(loop):
        enters = [row[0] + row[2] for row in rows]
        last = enters.index(max(enters))
        if time < rows[rank][1]:
            break
        before = (last, enters[last])
    enter = enters[rank]
    waits_for = None if rank == last or enter == enters[last] else last
    equal("state", moment["state"], "computing" if time < enter
          else "waiting" if time < enters[last] else "mpi")
    if time < enter:
        equal("computing", (moment["begin_ns"], moment["end_ns"]), (rows[rank][0], enter))
        equal("in", moment["path"], "step/solve")
        return
    equal("wait", (moment["wait_ns"], moment["waits_for"]), (enters[last] - enter, waits_for))
    if waits_for is None:
        equal("steps", moment["steps"], [])
        return
    common = moment["common"]
    equal("common", (common["rank"], common["time_ns"], common["own_ns"]), (*before, enter - before[1]))
    ends = [step["end_ns"] for step in moment["steps"]] + [common["time_ns"]]
    equal("ends", ends[0], enters[last])
    equal("begins", [step["begin_ns"] for step in moment["steps"]], ends[1:])
    equal("origin", (moment["origin"]["rank"], moment["origin"]["path"]), (last, "step/solve"))


if __name__ == "__main__":
    if sys.argv[1] == "moment":
        check_moment(LOOPS[sys.argv[2]], int(sys.argv[3]), int(sys.argv[4]))
        sys.exit()
    {"write": write, "check": check}[sys.argv[1]](LOOPS[sys.argv[2]])
