#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
balancing.py SEED TRACE.txt POLICY.xml EXPECTED: random works between barriers as a text trace, a random
policy for them, and what comes of it: before, after, migrations and moved, by a simulation of its own that
goes ns by ns, from pagoda-policy(5). Nothing of pagoda is in it.
"""
import random
import sys

GIVERS = ["slowest", "fastest", "most-left", "least-left"]
TAKERS = GIVERS + ["idle", "free-host"]
WHOLE = 1000000


class Worker:
    def __init__(self, work):
        self.here, self.coming, self.comes_at = work, 0, 0
        self.done, self.ended, self.back, self.has_told = 0, 0, 0, False

    def left(self):
        return self.here + self.coming

    def progress(self):
        return self.done * WHOLE // (self.done + self.left()) if self.left() else WHOLE


class Policy:
    def __init__(self, draw):
        def maybe(text, value, chance=0.5):
            return {text: value} if draw.random() < chance else {}

        self.poll = draw.randint(5, 80)
        self.free_hosts = draw.choice([0, 0, 1, 2])
        self.all = {"poll": self.poll, "transfer": draw.randint(0, 30), "free-hosts": self.free_hosts}
        self.all |= maybe("return", draw.randint(0, 40), 0.3) | maybe("least", draw.randint(0, 40), 0.3)
        self.rules = []
        for _ in range(draw.randint(1, 4)):
            giver = draw.choice(GIVERS[:1] * 3 + GIVERS)
            taker = draw.choice([name for name in TAKERS + ["idle"] * 3 if name != giver])
            rule = {"from": giver, "to": taker, "at": draw.choice(["poll", "idle"])}
            rule |= maybe("lead", draw.choice([0, 2.5, 10, 40])) | maybe("share", draw.choice([20, 50, 33.3]), 0.3)
            rule |= maybe("transfer", draw.randint(0, 40), 0.2) | maybe("return", draw.randint(0, 40), 0.2)
            self.rules.append(rule)

    def text(self):
        times = ("poll", "transfer", "return", "least")

        def attributes(of):
            return " ".join(f'{name}="{value}{"ns" if name in times else ""}"' for name, value in of.items())

        rules = "\n".join(f"  <rule {attributes(rule | {'at': rule['at']})}/>" for rule in self.rules)
        rules = rules.replace(' at="pollns"', ' at="poll"')
        return f'<policy name="random" {attributes(self.all)}>\n{rules}\n</policy>\n'


class Span:
    def __init__(self, works, policy):
        self.n_ranks, self.policy = len(works), policy
        self.workers = [Worker(work) for work in works] + [Worker(0) for _ in range(policy.free_hosts)]
        self.migrations = self.moved = 0

    def role(self, name):
        at_work = [w for w in self.workers if w.left() and not w.coming]
        ways = {"slowest": lambda w: (w.progress(), -w.left()), "fastest": lambda w: (-w.progress(), w.left()),
                "most-left": lambda w: -w.left(), "least-left": lambda w: w.left()}
        if name in ways:
            return min(at_work, key=ways[name], default=None)
        among = self.workers[:self.n_ranks] if name == "idle" else self.workers[self.n_ranks:]
        return next((w for w in among if not w.left()), None)

    def follow(self, rule, now):
        slowest, fastest = self.role("slowest"), self.role("fastest")
        if "lead" in rule and not (slowest and fastest.progress() - slowest.progress() > rule["lead"] * 10000):
            return False
        giver, taker = self.role(rule["from"]), self.role(rule["to"])
        if giver is None or taker is None or giver is taker:
            return False
        transfer = rule.get("transfer", self.policy.all["transfer"])
        least = self.policy.all.get("least", max(self.policy.poll, transfer))
        if "share" in rule:
            given = giver.left() * round(rule["share"] * 10000) // WHOLE
        else:
            given = max(0, (giver.left() - taker.left() - transfer)) // 2
        if given == 0 or given < least:
            return False
        giver.here -= given
        taker.coming, taker.comes_at = given, now + transfer
        self.arrive(now)
        taker.back = max(taker.back, rule.get("return", self.policy.all.get("return", 0)))
        taker.has_told = False
        self.migrations += 1
        self.moved += given
        return True

    def arrive(self, now):
        for worker in self.workers:
            if worker.coming and worker.comes_at <= now:
                worker.here += worker.coming
                worker.coming = 0

    def length(self):
        now = 0
        asked = any(rule["at"] == "idle" for rule in self.policy.rules)
        while True:
            self.arrive(now)
            if not any(w.left() for w in self.workers):
                return max(w.ended + w.back for w in self.workers)
            is_poll = now > 0 and now % self.policy.poll == 0
            idle = [w for w in self.workers[:self.n_ranks] if not w.left()]
            is_told = asked and not all(w.has_told for w in idle)
            if is_poll or is_told:
                for worker in idle:
                    worker.has_told = True
                rules = [rule for rule in self.policy.rules if is_poll or rule["at"] == "idle"]
                for _ in self.workers:
                    if not any(self.follow(rule, now) for rule in rules):
                        break
            now += 1
            for worker in self.workers:
                if worker.here:
                    worker.here -= 1
                    worker.done += 1
                    worker.ended = now


def trace(spans):
    n_ranks = len(spans[0])
    lines = ["nodes" + " n" * n_ranks, f"cores n {n_ranks}"]
    lines += [f"{rank} 0 enter main" for rank in range(n_ranks)]
    begin = 0
    for span in spans:
        end = begin + max(span) + 1
        for rank, work in enumerate(span):
            lines += [f"{rank} {begin + work} enter MPI_Barrier", f"{rank} {begin + work} coll-begin",
                      f"{rank} {end} coll-end barrier world - 0 0", f"{rank} {end} leave MPI_Barrier"]
        begin = end
    return "\n".join(lines + [f"{rank} {begin} leave main" for rank in range(n_ranks)]) + "\n"


def main():
    seed, trace_path, policy_path, expected_path = sys.argv[1:]
    draw = random.Random(int(seed))
    policy = Policy(draw)
    n_ranks = draw.randint(2, 6)
    spans = [[draw.choice([0, draw.randint(1, 100), draw.randint(1, 900)]) for _ in range(n_ranks)]
             for _ in range(draw.randint(1, 4))]
    with open(trace_path, "w") as out:
        out.write(trace(spans))
    with open(policy_path, "w") as out:
        out.write(policy.text())
    done = [Span(works, policy) for works in spans]
    after = sum(span.length() for span in done)
    with open(expected_path, "w") as out:
        print(sum(max(works) for works in spans), after, sum(span.migrations for span in done),
              sum(span.moved for span in done), file=out)


main()
