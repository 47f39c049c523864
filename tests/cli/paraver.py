#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of `pagoda export --format prv` as Paraver does: the records of each thread in the order of the file,
with the names of the .pcf and the .row.

    paraver.py list FILE.prv              every state, function and message
    paraver.py archive ARCHIVE FILE.prv   against the events of the archive, read by the OTF2 library"""
import collections
import re
import sys

NOT_CREATED, RUNNING, DISABLED = "Not created", "Running", "Tracing Disabled"
FUNCTIONS, FIRST_COUNTER = 60000019, 42000000
OPERATIONS = range(50100001, 50100005)  # what is said of collective operations
CALLS = 50000001, 50000002, 50000003, 50000004, 50000005


def names_of(path):
    """Names of states, of types of events, and of the values of a type."""
    states, types, values = {}, {}, collections.defaultdict(dict)
    section, latest = None, None
    for line in open(path, encoding="utf-8"):
        words = line.rstrip("\n").split(None, 1)
        if not words:
            continue
        if len(words) == 1:
            section = words[0] if words[0].isupper() else section
        elif section == "STATES":
            states[int(words[0])] = words[1]
        elif section == "EVENT_TYPE":
            number, name = words[1].split(None, 1)
            assert int(number) not in types, "a type is described twice"
            types[latest := int(number)] = re.sub(r" \[[^]]*\]$", "", name)
        elif section == "VALUES":
            assert int(words[0]) not in values[latest], "a value is named twice"
            values[latest][int(words[0])] = words[1]
    return states, types, values


def rows_of(path):
    """The names of each level."""
    levels, left = {}, 0
    for line in open(path, encoding="utf-8").read().split("\n"):
        if left > 0:
            levels[level].append(line)
            left -= 1
        elif line:
            level, n = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", line).groups()
            levels[level], left = [], int(n)
    assert left == 0
    return levels


class Trace:
    def __init__(self, path):
        stem = re.sub(r"\.prv$", "", path)
        self.state_names, self.types, self.values = names_of(stem + ".pcf")
        self.slices, self.states, self.messages, self.counts = [], [], [], []
        self.stacks, self.sums = collections.defaultdict(list), collections.Counter()
        with open(path, encoding="ascii") as file:
            self.read_header(file.readline().rstrip("\n"), rows_of(stem + ".row"))
            latest = 0, 0
            for line in file:
                if line.startswith("c:"):
                    self.communicator(*map(int, line[2:].split(":")))
                    continue
                numbers = [int(number) for number in line.split(":")]
                time = numbers[5], numbers[0]
                assert time >= latest, "records are not in the order of time"
                latest = time
                {1: self.state, 2: self.event, 3: self.message}[numbers[0]](numbers)
        assert not any(self.stacks.values()), "a function has no end"
        assert len(self.communicators) == self.n_communicators

    def read_header(self, line, rows):
        form = r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\(([\d:,]+)\),(\d+)"
        time, n_nodes, cpus, n_tasks, tasks, n_communicators = re.fullmatch(form, line).groups()
        cpus = [int(n) for n in cpus.split(",")]
        tasks = [[int(n) for n in task.split(":")] for task in tasks.split(",")]
        assert len(cpus) == int(n_nodes) == len(rows["NODE"]) and len(tasks) == int(n_tasks)
        assert sum(cpus) == sum(n for n, _ in tasks) == len(rows["THREAD"])
        self.time, self.tracks, self.n_communicators, self.communicators = int(time), {}, int(n_communicators), set()
        first_cpu = [sum(cpus[:node]) + 1 for node in range(len(cpus))]
        used, names = [0] * len(cpus), iter(rows["THREAD"])
        for task, (n_threads, node) in enumerate(tasks, 1):
            for thread in range(1, n_threads + 1):
                rank, _, name = next(names).partition(": ")
                track = "%s / %s" % (rows["NODE"][node - 1], rank) + (" / " + name if thread > 1 else "")
                self.tracks[first_cpu[node - 1] + used[node - 1], 1, task, thread] = track
                used[node - 1] += 1
        assert used == cpus

    def communicator(self, application, number, n, *tasks):
        assert application == 1 and n == len(tasks) == len(set(tasks)) and number not in self.communicators
        self.communicators.add(number)

    def state(self, numbers):
        _, *row, begin, end, state = numbers
        assert begin < end <= self.time
        self.states.append((self.tracks[tuple(row)], begin, end, self.state_names[state]))

    def event(self, numbers):
        _, *row, time, kind, value = numbers
        track = self.tracks[tuple(row)]
        assert kind in self.types
        if kind in OPERATIONS:
            assert self.stacks[track][-1][2] == time and (kind != OPERATIONS[-1] or value in self.communicators)
        elif kind >= FIRST_COUNTER and kind < CALLS[0]:
            self.sums[track, kind] += value
            self.counts.append((track + " / " + self.types[kind], time, float(self.sums[track, kind])))
        elif value > 0:
            self.stacks[track].append((kind, value, time))
        else:
            assert self.values[kind][0]
            opened, value, begin = self.stacks[track].pop()
            assert opened == kind, "the end of another type of function"
            self.slices.append((track, begin, len(self.stacks[track]), time, self.values[kind][value]))

    def message(self, numbers):
        sender, receiver = tuple(numbers[1:5]), tuple(numbers[7:11])
        begin, sent, posted, end, size, tag = *numbers[5:7], *numbers[11:]
        assert begin == sent and posted <= end
        self.messages.append((self.tracks[sender], begin, self.tracks[receiver], end, size, tag))


def show(trace):
    for track, begin, end, state in sorted(trace.states):
        print("%s: %d-%d %s" % (track, begin, end, state))
    for track, begin, depth, end, name in sorted(trace.slices):
        print("%s: %s%d-%d %s" % (track, "  " * depth, begin, end, name))
    for message in sorted(trace.messages):
        print("message: %s %d -> %s %d, %d bytes, tag %d" % message)


def check_states(trace, slices):
    """The states of a thread follow each other; it is in a call where the archive says so."""
    calls, latest = [], {}
    for track, begin, end, state in trace.states:
        assert latest.get(track, (0,))[0] == begin, "a gap between states"
        latest[track] = end, state
        if state not in (NOT_CREATED, RUNNING, DISABLED):
            calls.append((track, begin, end))
    expected, until = [], {}
    for track, begin, _, end, name in sorted(slices):
        if name.startswith("MPI_") and begin >= until.get(track, 0) and begin < end:
            until[track] = end
            expected.append((track, begin, end))
    return calls, expected


def check_counts(ours, others):
    """The sums of the file are the whole parts of those of the archive; of several between two events the last one is
    there. Both add in their own order: 1e-9 is rounding."""
    at = collections.defaultdict(list)
    for track, time, value in others:
        at[track, time].append(value)
    for track, time, value in ours:
        assert any(-1e-9 * value <= other - value < 1 + 1e-9 * value for other in at[track, time]), (track, time, value)
    assert {track for track, _, _ in ours} == {track for track, _, _ in others}
    print("%d values of %d counters" % (len(ours), len({track for track, _, _ in ours})))


def main():
    if sys.argv[1] == "list":
        show(Trace(sys.argv[2]))
        return
    from archive_events import OFF, equal, read
    trace = Trace(sys.argv[3])
    locations, messages = read(sys.argv[2])
    slices = [piece for location in locations for piece in location.slices if piece[4] != OFF]
    equal(trace.slices, slices, "functions")
    equal(*check_states(trace, slices), "states in calls")
    equal(trace.messages, messages, "messages")
    check_counts(trace.counts, [count for location in locations for count in location.counts])


main()
