# SPDX-License-Identifier: BSD-3-Clause
"""Random models of tasks: `pagoda model` against all sizes of groups, tried one by one.

task_structures.py PAGODA N SEED: writes N models here, asks for each of them, and compares times.
"""
import itertools
import json
import random
import subprocess
import sys

pagoda, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)


def formula():
    """One that may rise and fall, as text and as a function of p, groups and smallest."""
    a, b, c = rng.randint(1, 20), rng.randint(0, 9), rng.randint(1, 6)
    text = rng.choice(["{a}/p + {b}", "{a}*abs(p - {c}) + {b}", "{b}*p + {a}/p", "{a} + {b}*(groups - 1)/p"])
    text = text.format(a=a, b=b, c=c)
    return text, eval("lambda p, groups, smallest: " + text)


def limits():
    least, most = rng.choice([(1, 99), (1, 99), (2, 99), (1, 2)])
    text = (f' least="{least}"' if least > 1 else "") + (f' most="{most}"' if most < 99 else "")
    return least, most, text


class Task:
    def __init__(self, depth, kind=None):
        self.kind = kind or rng.choice(["task"] if depth == 0 else ["task", "sequence", "groups"])
        self.repeat, self.copies = rng.choice([1, 1, 3]), 1
        self.least, self.most, self.limits = 1, 99, ""
        self.run = rng.choice(["either", "groups", "consecutive"])
        self.exchange = None
        self.tasks = []
        if self.kind == "task":
            self.text, self.cost = formula()
        else:
            self.tasks = [Task(depth - 1) for _ in range(rng.randint(1, 3))]
        if self.kind == "groups":
            for task in self.tasks:
                task.copies = rng.choice([1, 1, 2])
                task.least, task.most, task.limits = limits()
            if rng.random() < 0.5:
                self.exchange = rng.choice(["{}/smallest", "{}*smallest", "{}*groups"]).format(rng.randint(1, 30))

    def xml(self):
        head = f'<{self.kind} name="t"{self.limits}'
        head += f' repeat="{self.repeat}"' if self.repeat > 1 else ""
        head += f' copies="{self.copies}"' if self.copies > 1 else ""
        if self.kind == "task":
            return head + f' compute="{self.text}"/>'
        head += f' run="{self.run}">' if self.kind == "groups" else ">"
        head += "".join(task.xml() for task in self.tasks)
        return head + (f'<exchange name="x" latency="{self.exchange}"/>' if self.exchange else "") + f"</{self.kind}>"

    def members(self):
        return [task for task in self.tasks for _ in range(task.copies)]

    def as_groups(self, p, groups, sizes):
        """Seconds with these sizes, or None."""
        members = self.members()
        if sum(sizes) > p or any(not m.least <= s <= m.most for m, s in zip(members, sizes)):
            return None
        times = [m.time(s, groups * len(members)) for m, s in zip(members, sizes)]
        if None in times:
            return None
        after = eval(self.exchange, {"p": p, "groups": groups * len(members), "smallest": min(sizes)}) if self.exchange else 0
        return max(times) + after

    def time(self, p, groups=1):
        """The least seconds on p processes, None if it is impossible."""
        if self.kind == "task":
            once = self.cost(p, groups, p)
        elif self.kind == "sequence":
            parts = [task.time(p, groups) for task in self.tasks]
            once = None if None in parts else sum(parts)
        else:
            tried = []
            if self.run != "consecutive":
                tried += [self.as_groups(p, groups, sizes)
                          for sizes in itertools.product(range(1, p + 1), repeat=len(self.members()))]
            if self.run != "groups":
                parts = [task.time(p, groups) for task in self.members()]
                tried.append(None if None in parts else sum(parts))
            tried = [t for t in tried if t is not None]
            once = min(tried) if tried else None
        return None if once is None else self.repeat * once


class Phases:
    """Groups of the same tasks, whose sizes may change between them, for a price."""

    def __init__(self):
        n = rng.randint(1, 3)
        self.change = rng.choice([0, 1, 5, 100])
        self.phases = []
        for _ in range(rng.randint(1, 4)):
            phase = Task(1, "groups")
            phase.run = "groups"
            phase.tasks = [Task(0) for _ in range(n)]
            for i, task in enumerate(phase.tasks):
                task.least, task.most, task.limits = limits()
                task.copies = 1
            self.phases.append(phase)

    def xml(self):
        return f'<phases name="t" change="{self.change}">' + "".join(p.xml() for p in self.phases) + "</phases>"

    def time(self, p):
        n = len(self.phases[0].tasks)
        until = {}
        for phase in self.phases:
            now = {}
            for sizes in itertools.product(range(1, p + 1), repeat=n):
                time = phase.as_groups(p, 1, sizes)
                before = [t + (self.change if s != sizes else 0) for s, t in until.items()] or [0]
                if time is not None and (until or phase is self.phases[0]):
                    now[sizes] = min(before) + phase.repeat * time
            until = now
            if not until:
                return None
        return min(until.values())


bad = 0
n_refused = 0
for number in range(count):
    model = Phases() if number % 3 == 0 else Task(2, "groups" if number % 3 == 1 else None)
    p = rng.randint(1, 6)
    name = f"random{number}.xml"
    with open(name, "w") as file:
        file.write(f'<model name="random">{model.xml()}</model>')
    expected = model.time(p)
    run = subprocess.run([pagoda, "model", "--json", name, "--at", f"p={p}"], capture_output=True, text=True)
    n_refused += run.returncode != 0
    if run.returncode != 0:
        found = None if "too few" in run.stderr else run.stderr
    else:
        answer = json.loads(run.stdout)["points"][0]
        found = answer["time"]
        if abs(sum(share["time"] for share in answer["ranked"]) - found) > 1e-9 * found and number % 3:
            print(f"{name}: the shares do not sum to the time")
            bad += 1
    if (found is None) != (expected is None) or found is not None and abs(found - expected) > 1e-9 * expected:
        print(f"{name}, p={p}: {found}, by hand {expected}")
        bad += 1
print(f"{count} models, {n_refused} refused, {bad} wrong")
sys.exit(bad > 0 or not 0 < n_refused < count / 2)
