#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of `pagoda export --format perfetto` by the wire format of protobuf alone, as the viewer does: events
sorted by time, ends paired with begins on each track, flows by their numbers.

    perfetto.py list FILE...              every track, slice, flow and value of a counter, but not what all ranks do
    perfetto.py archive ARCHIVE FILE...   against the events of the archive, read by the OTF2 library
    perfetto.py strips FILE...            what all ranks do, and phases: the time of each, of all ranks together
    perfetto.py report REPORT FILE...     against a replay's JSON and the names of `pagoda explain --json`, on stdin"""
import collections
import json
import struct
import sys


# --- the wire format

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        else:
            assert kind == 2, "wire type %d" % kind
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field is cut"
        yield key >> 3, value


def message(data, repeated=()):
    """A message as a dictionary; fields in REPEATED are lists."""
    result = {number: [] for number in repeated}
    for number, value in fields(data):
        if number in repeated:
            result[number].append(value)
        else:
            result[number] = value
    return result


def text(data):
    return data.decode("utf-8")  # fails for what is none


# --- a trace as the viewer understands it

class Slice:
    def __init__(self, track, depth, name, category, begin):
        self.track, self.depth, self.name, self.category, self.begin = track, depth, name, category, begin
        self.end, self.parent, self.source, self.facts = None, None, None, {}

    def key(self):
        return self.track, self.begin, self.depth, self.end, self.name


class File:
    """One file, which needs no other one."""

    def __init__(self, name):
        self.tracks, self.parents, self.units = {}, {}, {}
        self.slices, self.counts, self.starts, self.ends = [], [], {}, {}
        events = list(self.events_of(open(name, "rb").read()))
        events.sort(key=lambda event: event[0])  # stable
        stacks = collections.defaultdict(list)
        for time, event, names in events:
            self.take(time, event, names, stacks[event[11]])
        assert not any(stacks.values()), "a slice has no end"

    def events_of(self, data):
        """(time, event, names of its sequence) in the order of the file."""
        sequences = {}
        for number, packet in fields(data):
            assert number == 1
            packet = message(packet)
            assert packet[10] > 0
            if packet.get(13, 0) & 1:
                sequences[packet[10]] = {1: {}, 2: {}, 3: {}, 4: {}}
            if 12 in packet:
                for kind, entry in fields(packet[12]):
                    entry = message(entry)
                    names = sequences[packet[10]][kind]
                    assert entry[1] > 0 and entry[1] not in names, "a name is written twice"
                    names[entry[1]] = (text(entry[2]), text(entry[3]), entry[4]) if kind == 4 else text(entry[2])
            if 60 in packet:
                self.describe(message(packet[60]))
            if 11 in packet:
                assert packet[13] & 2 and packet[10] in sequences
                event = message(packet[11], repeated=(3, 4, 47, 48))
                assert event[11] in self.tracks, "a track is described after its events"
                yield packet[8], event, sequences[packet[10]]

    def describe(self, track):
        assert track[1] > 0 and track[1] not in self.tracks, "a track is described twice"
        self.tracks[track[1]] = text(track[2])
        if 5 in track:
            assert track[5] in self.tracks, "a track is described before its parent"
            self.parents[track[1]] = track[5]
        if 8 in track:
            self.units[track[1]] = text(message(track[8]).get(6, b""))

    def path(self, track):
        name = self.tracks[track]
        return self.path(self.parents[track]) + " / " + name if track in self.parents else name

    def take(self, time, event, names, stack):
        track = event[11]
        if event[9] == 4:
            assert track in self.units
            self.counts.append((self.path(track), time, struct.unpack("<d", event[44])[0]))
            return
        assert track not in self.units
        if event[9] == 1:
            category, = event[3]
            piece = Slice(self.path(track), len(stack), names[2][event[10]], names[1][category], time)
            piece.parent = stack[-1] if stack else None
            if 34 in event:
                piece.source = names[4][event[34]]
            stack.append(piece)
            self.slices.append(piece)
            for flow in event[47]:
                assert flow not in self.starts
                self.starts[flow] = piece
        else:
            assert event[9] == 2 and stack, "an end without a begin"
            piece = stack.pop()
            piece.end = time
            for flow in event[48]:
                assert flow not in self.ends
                self.ends[flow] = piece
        for fact in map(message, event[4]):
            assert names[3][fact[1]] not in piece.facts
            piece.facts[names[3][fact[1]]] = fact[3]


CONTINUED = "began at ns, in the file before"
ALL_RANKS = "all ranks / "


class Trace:
    """All files of a run: slices that go on in the next file are joined."""

    def __init__(self, names):
        self.slices, self.counts, self.starts, self.ends = [], [], {}, {}
        self.strips, self.phases = [], []
        broken, joined = {}, {}
        for name in names:
            file = File(name)
            before, broken = broken, {}
            for piece in file.slices:
                if piece.category == "phase":
                    assert piece.track == ALL_RANKS + "phases"
                    self.phases.append(piece)
                    continue
                if CONTINUED in piece.facts and name != names[0]:
                    piece.begin = piece.facts.pop(CONTINUED)
                    first = before.pop((piece.track, piece.depth, piece.name, piece.begin))
                    first.end = piece.end
                    first.facts.update(piece.facts)
                    joined[piece] = first
                    piece = first
                else:
                    self.slices.append(piece)
                broken[piece.track, piece.depth, piece.name, piece.begin] = piece
            self.counts += [count for count in file.counts if not count[0].startswith(ALL_RANKS)]
            self.strips += [count for count in file.counts if count[0].startswith(ALL_RANKS)]
            for ours, others in (self.starts, file.starts), (self.ends, file.ends):
                assert not ours.keys() & others.keys()
                ours.update((flow, joined.get(piece, piece)) for flow, piece in others.items())
        for piece in self.slices:
            piece.parent = joined.get(piece.parent, piece.parent)
        self.slices.sort(key=lambda piece: (piece.track, piece.begin, piece.depth, piece.end))
        self.flows = [(self.starts[flow], self.ends[flow]) for flow in sorted(self.starts.keys() & self.ends.keys())]

    def of(self, *categories):
        return [piece for piece in self.slices if piece.category in categories]


def show(trace):
    for piece in trace.slices:
        facts = ", ".join("%s %d" % fact for fact in piece.facts.items())
        source = "%s:%d in %s" % (piece.source[0], piece.source[2], piece.source[1]) if piece.source else ""
        print("%s: %s%d-%d %s [%s]" % (piece.track, "  " * piece.depth, piece.begin, piece.end, piece.name,
                                       "; ".join(filter(None, (piece.category, facts, source)))))
    for start, end in trace.flows:
        print("flow: %s %d %s -> %s %d %s" % (start.track, start.begin, start.name, end.track, end.end, end.name))
    for count in trace.counts:
        print("%s: %d %.17g" % count)


def show_strips(trace):
    """Each value holds until the next one of its track, the last of which is 0."""
    times, last = collections.Counter(), {}
    for track, time, value in trace.strips:
        before, since = last.get(track, (0, 0))
        times[track] += before * (time - since)
        last[track] = value, time
    for piece in trace.phases:
        times["phase " + piece.name] += piece.end - piece.begin
    assert all(value == 0 for value, _ in last.values())
    for name, ns in sorted(times.items()):
        print("%s: %.3g" % (name.removeprefix(ALL_RANKS), ns))


# --- against the archive

def archive(name, trace):
    from archive_events import compare_counts, equal, read
    locations, messages = read(name)
    calls = [piece.key() for piece in trace.of("function", "MPI")]
    equal(calls, [piece for location in locations for piece in location.slices], "slices")
    equal([(start.track, start.begin, end.track, end.end) for start, end in trace.flows],
          [message[:4] for message in messages], "flows")
    compare_counts(trace.counts, [count for location in locations for count in location.counts])


# --- against a replay

def innermost(slices, begin, end):
    """The time of each name between BEGIN and END, without what is inside; SLICES of one track that overlap that."""
    times = collections.Counter()
    for piece in slices:
        inside = min(piece.end, end) - max(piece.begin, begin)
        if inside > 0:
            times[piece.name] += inside
            if piece.parent:
                times[piece.parent.name] -= inside
    return times


def path_times(trace):
    """The time of each region along the critical path, which is one piece."""
    tracks = collections.defaultdict(list)
    for piece in trace.of("function", "MPI"):
        tracks[piece.track.split(" / ")[-1]].append(piece)
    times, now = collections.Counter(), 0
    for part in trace.of("critical path"):
        assert part.track == "critical path" and part.begin == now and part.end > now
        now = part.end
        times.update(innermost(tracks[part.name], part.begin, part.end))
    return times, now


def report(name, trace):
    found, names = json.load(open(name)), {item["id"]: item["name"] for item in json.load(sys.stdin)["patterns"]}
    visits, inclusive = collections.Counter(), collections.Counter()
    for piece in trace.of("function", "MPI"):
        visits[piece.name] += 1
        inclusive[piece.name] += piece.end - piece.begin
    for path in found["profile"]:
        if path["visits"] > 0:
            visits[path["region"]] -= path["visits"]
            inclusive[path["region"]] -= path["inclusive_ns"]
    for what, counts in ("visits", visits), ("time", inclusive):
        wrong = {name: count for name, count in counts.items() if count and name[0] != "("}
        assert not wrong, "%s of regions differ: %s" % (what, wrong)
    waits = collections.Counter((piece.name, ns) for piece in trace.of("wait state") for ns in [piece.end - piece.begin])
    for pattern in found["patterns"]:
        own = {ns: n for (name, ns), n in waits.items() if name == names[pattern["id"]]}
        assert sum(own.values()) == pattern["count"], pattern["id"]
        assert sum(ns * n for ns, n in own.items()) == pattern["total_ns"], pattern["id"]
        waits = collections.Counter({key: n for key, n in waits.items() if key[0] != names[pattern["id"]]})
    assert not waits, "unknown wait states: %s" % waits
    times, length = path_times(trace)
    assert length == found["critical_path"]["length_ns"] == found["time_ns"]
    # Time without CPU time is taken off the call it was in, as the files do not.
    if not any(path["region"] in ("(without CPU time)", "(blocked)") for path in found["profile"]):
        for region in found["critical_path"]["regions"]:
            if region["region"].startswith("MPI_"):
                assert times[region["region"]] == region["time_ns"], (region, times[region["region"]])
    warnings = {item["code"]: item["count"] for item in found["warnings"]}
    n_messages = found["trace"]["messages"] - warnings.get("unmatched-send", 0)
    # Of a run that was cut some are matched, but the call that receives them is missing.
    assert len(trace.flows) == n_messages or "missing-finalize" in warnings and len(trace.flows) < n_messages
    print("%d regions, %d flows, %d wait states, critical path of %d ns in %d parts" % (
        len(inclusive), len(trace.flows), sum(pattern["count"] for pattern in found["patterns"]), length,
        len(trace.of("critical path"))))


def main():
    command = sys.argv[1]
    if command == "list":
        show(Trace(sys.argv[2:]))
    elif command == "strips":
        show_strips(Trace(sys.argv[2:]))
    elif command == "archive":
        archive(sys.argv[2], Trace(sys.argv[3:]))
    else:
        report(sys.argv[2], Trace(sys.argv[3:]))


main()
