#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
task_farm.py SEED TRACE.txt LENGTHS: a random task farm as a text trace, and how long it takes with 1, 2, ...
workers, a line each, by a simulation of its own: nothing of pagoda is in it.

A message takes `flight` from its send to the end of its receive, or its receive no time if it has come
before. The master sends the first tasks one a `gap`; it receives the answer that came first, sends the
next task `before` later and looks for another answer `after` that, or `tail` later if no task is left.
"""
import heapq
import random
import sys


class Farm:
    def __init__(self, seed):
        draw = random.Random(seed)
        self.n_workers = draw.randint(2, 5)
        self.tasks = [draw.randint(1000, 400000) for _ in range(draw.randint(2 * self.n_workers, 40))]
        self.flight, self.back, self.before = (draw.randint(100, 9000) for _ in range(3))
        self.after, self.tail, self.gap = (draw.randint(100, 9000) for _ in range(3))

    def run(self, n_workers, tell=lambda *event: None):
        """Its length; TELL(RANK, TIME, TEXT) gets its events."""
        on_their_way, now, handed = [], 0, 0
        waits_since = [0] * (n_workers + 1)

        def send(worker):
            nonlocal handed
            tell(0, now, "enter MPI_Send")
            tell(0, now, f"send world {worker} 1 8")
            tell(0, now, "leave MPI_Send")
            has = now + self.flight
            done = has + self.tasks[handed]
            handed += 1
            tell(worker, waits_since[worker], "enter MPI_Recv")
            tell(worker, has, "recv world 0 1 8")
            tell(worker, has, "leave MPI_Recv")
            tell(worker, done, "enter MPI_Send")
            tell(worker, done, "send world 0 2 8")
            tell(worker, done, "leave MPI_Send")
            waits_since[worker] = done
            heapq.heappush(on_their_way, (done + self.back, worker))

        for worker in range(1, min(n_workers, len(self.tasks)) + 1):
            send(worker)
            now += self.gap
        while True:
            arrival, worker = heapq.heappop(on_their_way)
            tell(0, now, "enter MPI_Recv")
            now = max(now, arrival)
            tell(0, now, f"recv world {worker} 2 8")
            tell(0, now, "leave MPI_Recv")
            if not on_their_way and handed == len(self.tasks):
                return now
            if handed < len(self.tasks):
                now += self.before
                send(worker)
                now += self.after
            else:
                now += self.tail


def main():
    farm = Farm(int(sys.argv[1]))
    with open(sys.argv[2], "w", encoding="ascii") as trace:
        print("nodes" + " n" * (farm.n_workers + 1) + "\ncores n 64", file=trace)
        farm.run(farm.n_workers, lambda *event: print(*event, file=trace))
    with open(sys.argv[3], "w", encoding="ascii") as lengths:
        for n_workers in range(1, 9):
            print(farm.run(n_workers), file=lengths)


main()
