#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
task_farm.py SEED TRACE.txt LENGTHS [POLICY.xml]: a random task farm as a text trace, and how long it takes
with 1, 2, ... workers, a line each, by a simulation of its own: nothing of pagoda is in it. With POLICY.xml
the tasks are then handed out by a random policy, which is written there.

A message takes `flight` from its send to the end of its receive, or its receive no time if it has come
before. The master sends the first tasks one a `gap`; it receives the answer that came first, sends the
next task `before` later and looks for another answer `after` that, or `tail` later if no task is left. In
rounds it sends the next tasks `before` after the last answer, and looks on `tail` after the others.
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
        self.order, self.to, self.work = "recorded", "next-free", None
        self.weights, self.launch = [1], 0

    def queues(self, n_workers):
        """The tasks of each worker; one list for all where they go to whoever is free."""
        order = {"recorded": 0, "longest-first": -1, "shortest-first": 1}[self.order]
        tasks = sorted(self.tasks, key=lambda task: order * task)
        if self.work is not None:
            tasks = [self.work] * len(tasks)
        if self.to == "all":
            tasks = [-(-task // n_workers) for task in tasks]
        tasks = [self.launch + task for task in tasks]
        if self.to == "next-free":
            return dict.fromkeys(range(1, n_workers + 1), tasks)
        if self.to == "all":
            return {worker: list(tasks) for worker in range(1, n_workers + 1)}
        if self.to in ("in-turn", "in-rounds"):
            # One cycle: whoever has turns left, those with the most before those with fewer.
            left = {worker: self.weights[(worker - 1) % len(self.weights)] for worker in range(1, n_workers + 1)}
            cycle = []
            while max(left.values()) > 0:
                most = max(left.values())
                cycle += [worker for worker in left if left[worker] == most]
                left = {worker: n - (n == most) for worker, n in left.items()}
            queues = {worker: [] for worker in range(1, n_workers + 1)}
            for i, task in enumerate(tasks):
                queues[cycle[i % len(cycle)]].append(task)
            return queues
        ends = [len(tasks) * i // n_workers for i in range(n_workers + 1)]
        return {worker: tasks[ends[worker - 1]:ends[worker]] for worker in range(1, n_workers + 1)}

    def change(self, seed):
        """A random policy takes over; its text."""
        draw = random.Random(f"policy {seed}")
        self.order = draw.choice(["recorded", "longest-first", "shortest-first"])
        self.to = draw.choice(["next-free", "in-turn", "in-turn", "in-blocks", "in-rounds", "all"])
        text = f'order="{self.order}" to="{self.to}"'
        if self.to == "in-turn" and draw.random() < 0.7:
            self.weights = [draw.randint(1, 4) for _ in range(draw.randint(1, 4))]
            text += f' weights="{" ".join(map(str, self.weights))}"'
        if draw.random() < 0.3:
            self.launch = draw.randint(0, 50000)
            text += f' launch="{self.launch}ns"'
        names = {"task-flight": "flight", "answer-flight": "back", "before": "before", "after": "after",
                 "tail": "tail", "gap": "gap", "work": "work"}
        for word, name in names.items():
            if draw.random() < 0.3:
                setattr(self, name, draw.randint(0, 20000))
                text += f' {word}="{getattr(self, name)}ns"'
        return f'<policy name="random"><tasks {text}/></policy>\n'

    def run(self, n_workers, tell=lambda *event: None):
        """Its length; TELL(RANK, TIME, TEXT) gets its events."""
        on_their_way, now, has_rounds = [], 0, self.to in ("in-rounds", "all")
        if self.to != "all":
            n_workers = min(n_workers, len(self.tasks))
        queues = self.queues(n_workers)
        waits_since = [0] * (n_workers + 1)

        def send(worker):
            tell(0, now, "enter MPI_Send")
            tell(0, now, f"send world {worker} 1 8")
            tell(0, now, "leave MPI_Send")
            has = now + self.flight
            done = has + queues[worker].pop(0)
            tell(worker, waits_since[worker], "enter MPI_Recv")
            tell(worker, has, "recv world 0 1 8")
            tell(worker, has, "leave MPI_Recv")
            tell(worker, done, "enter MPI_Send")
            tell(worker, done, "send world 0 2 8")
            tell(worker, done, "leave MPI_Send")
            waits_since[worker] = done
            heapq.heappush(on_their_way, (done + self.back, worker))

        def send_round():
            nonlocal now
            for worker in range(1, n_workers + 1):
                if queues[worker]:
                    send(worker)
                    now += self.gap

        send_round()
        while True:
            arrival, worker = heapq.heappop(on_their_way)
            tell(0, now, "enter MPI_Recv")
            now = max(now, arrival)
            tell(0, now, f"recv world {worker} 2 8")
            tell(0, now, "leave MPI_Recv")
            if not on_their_way and not any(queues.values()):
                return now
            if has_rounds:
                now += self.tail if on_their_way else self.before
                if not on_their_way:
                    send_round()
            elif queues[worker]:
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
    if len(sys.argv) > 4:
        with open(sys.argv[4], "w", encoding="ascii") as policy:
            policy.write(farm.change(sys.argv[1]))
    with open(sys.argv[3], "w", encoding="ascii") as lengths:
        for n_workers in range(1, 9):
            print(farm.run(n_workers), file=lengths)


main()
