# SPDX-License-Identifier: BSD-3-Clause
"""What the events of an archive say, read by the OTF2 library: regions, messages and counters of each location. For the
tests of formats that `pagoda export` writes, which name locations as here: node / rank / thread."""
import collections
import sys

import otf2
from otf2 import events as kinds


def equal(ours, others, what):
    ours, others = sorted(ours), sorted(others)
    if ours != others:
        surplus = collections.Counter(map(str, ours)) - collections.Counter(map(str, others))
        missing = collections.Counter(map(str, others)) - collections.Counter(map(str, ours))
        sys.exit("%s differ: only in the file %s, only in the other %s" % (what, list(surplus.items())[:5],
                                                                           list(missing.items())[:5]))
    print("%d %s" % (len(ours), what))


OFF = "(recording off)"
OWN_METRICS = "process_cpu_time", "thread_core_wait"  # which a replay takes for more than counters


class Location:
    """What the events of a location say."""

    def __init__(self, track, rank):
        self.track, self.rank = track, rank
        self.stack, self.slices, self.last, self.received = [], [], 0, []
        self.counts, self.sums, self.latest = [], {}, {}

    def is_in_call(self):
        return any(region.startswith("MPI_") for region, _ in self.stack)

    def call_begin(self):
        return next(begin for region, begin in self.stack if region.startswith("MPI_"))

    def leave(self, time):
        name, begin = self.stack.pop()
        self.slices.append((self.track, begin, len(self.stack), time, name))

    def leave_region(self, region, time):
        """What was left open inside it ends with it; where recording is off, that goes on around it."""
        is_off = self.stack and self.stack[-1][0] == OFF
        if is_off:
            self.leave(time)
        if any(name == region for name, _ in self.stack):
            while self.stack[-1][0] != region:
                self.leave(time)
            self.leave(time)
        if is_off:
            self.stack.append((OFF, time))

    def count(self, counter, is_growth, value, time):
        """Sums that become smaller began anew."""
        growth = value if is_growth else max(value - self.latest.get(counter, value), 0)
        self.latest[counter] = value
        if growth > 0:
            self.sums[counter] = self.sums.get(counter, 0) + growth
            self.counts.append((self.track + " / " + counter, time, float(self.sums[counter])))


def read(name):
    """The locations of the archive NAME, and its messages: track and call's begin of the sender, track and call's end of
    the receiver, bytes, tag."""
    sends, receives = collections.defaultdict(list), collections.defaultdict(list)
    growing = {otf2.MetricMode.ACCUMULATED_START: False, otf2.MetricMode.ACCUMULATED_POINT: False,
               otf2.MetricMode.ACCUMULATED_LAST: False, otf2.MetricMode.ACCUMULATED_NEXT: False,
               otf2.MetricMode.RELATIVE_LAST: True, otf2.MetricMode.RELATIVE_POINT: True}
    with otf2.reader.open(name) as reader:
        events = list(reader.events)
        first = min(event.time for _, event in events if not isinstance(event, kinds.ProgramBegin))
        masters = [list(group.members) for group in reader.definitions.groups if
                   group.group_type == otf2.GroupType.COMM_LOCATIONS and group.paradigm == otf2.Paradigm.MPI]
        masters = masters[0] if masters else list(reader.definitions.locations)
        ranks = {location.group: rank for rank, location in enumerate(masters)}
        locations = {}
        for location in reader.definitions.locations:
            track = "%s / rank %d" % (location.group.system_tree_parent.name, ranks[location.group])
            if location not in masters:
                track += " / " + location.name
            locations[location] = Location(track, ranks[location.group])

        def channel(event, sender, receiver):
            members = [ranks[member.group] for member in event.communicator.group.members]
            world = lambda rank: members[rank] if members else ranks[location.group]
            return (event.communicator, event.msg_tag, sender if sender is not None else world(event.sender),
                    receiver if receiver is not None else world(event.receiver))

        for location, event in events:
            state = locations[location]
            time = state.last = (event.time - first) * 10**9 // reader.timer_resolution
            if isinstance(event, kinds.Enter):
                state.stack.append((event.region.name, time))
            elif isinstance(event, kinds.Leave):
                state.leave_region(event.region.name, time)
                if not state.is_in_call():
                    for key in state.received:
                        receives[key].append((state.track, time))
                    state.received = []
            elif isinstance(event, kinds.MeasurementOnOff):
                if event.measurement_mode == otf2.MeasurementMode.OFF:
                    state.stack.append((OFF, time))
                elif state.stack[-1][0] == OFF:
                    state.leave(time)
            elif isinstance(event, (kinds.MpiSend, kinds.MpiIsend)):
                sends[channel(event, state.rank, None)].append((state.track, state.call_begin(), event.msg_length))
            elif isinstance(event, (kinds.MpiRecv, kinds.MpiIrecv)):
                state.received.append(channel(event, None, state.rank))
            elif isinstance(event, kinds.Metric):
                for member, value in zip(event.metric.members, event.values):
                    if member.metric_mode in growing and member.name not in OWN_METRICS:
                        scale = (2 if member.base == otf2.Base.BINARY else 10) ** member.exponent
                        state.count(member.name, growing[member.metric_mode], value * scale, time)
        for state in locations.values():
            while state.stack:
                state.leave(state.last)
    messages = [(track, begin, *end, size, key[1]) for key in sends for (track, begin, size), end in zip(sends[key], receives[key])]
    return list(locations.values()), messages


def compare_counts(ours, others):
    """Of several values between two events only the last one is in the file; sums differ by rounding."""
    at, greatest = collections.defaultdict(list), {}
    for track, time, value in others:
        at[track, time].append(value)
        greatest[track] = max(value, greatest.get(track, 0))
    for track, time, value in ours:
        assert any(abs(other - value) <= 1e-9 * value for other in at[track, time]), (track, time, value)
    found = {}
    for track, _, value in ours:
        found[track] = max(value, found.get(track, 0))
    assert found.keys() == greatest.keys()
    assert all(abs(found[track] - value) <= 1e-9 * value for track, value in greatest.items())
    print("%d values of %d counters" % (len(ours), len(found)))
