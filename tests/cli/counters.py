# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive with counters, recorded as different tools do, and what they grew by at each call path on
each rank, found by walking through what was written: counters.py FOLDER SEED EVENTS."""
import collections
import json
import random
import sys

import otf2
from otf2.enums import Base, MetricMode, MetricOccurrence, RecorderKind, Type

folder, seed, n_events = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
expected = collections.Counter()


class Counter:
    """A metric member: how its values are recorded."""

    def __init__(self, name, mode, kind, exponent=0, base=Base.DECIMAL):
        self.name, self.mode, self.kind = name, mode, kind
        self.scale = (2 if base == Base.BINARY else 10) ** exponent
        self.exponent, self.base = exponent, base
        self.is_growth = mode in (MetricMode.RELATIVE_LAST, MetricMode.RELATIVE_POINT)

    def define(self, definitions):
        return definitions.metric_member(self.name, metric_mode=self.mode, value_type=self.kind,
                                         base=self.base, exponent=self.exponent, unit="#")


counters = [Counter("PAPI_TOT_INS", MetricMode.ACCUMULATED_START, Type.UINT64),
            Counter("time_ns", MetricMode.ACCUMULATED_POINT, Type.INT64, 3),
            Counter("pages", MetricMode.RELATIVE_LAST, Type.UINT64, 10, Base.BINARY),
            Counter("counter.time_ns", MetricMode.ACCUMULATED_START, Type.UINT64),
            Counter("joules", MetricMode.ACCUMULATED_START, Type.DOUBLE, -3),
            Counter("watts", MetricMode.ABSOLUTE_POINT, Type.DOUBLE),
            Counter("idle", MetricMode.ACCUMULATED_START, Type.UINT64)]


def value_of(counter, value):
    return float(value) if counter.kind == Type.DOUBLE else int(value)


def write_rank(trace, classes, regions, process, rank):
    writer = trace.event_writer("Master thread", group=process)
    stack, last, now = [], {}, 0
    sums = {counter: 0 for counter in counters}

    def record():
        for metric, members in classes:
            if chance.random() < 0.3:
                continue
            values = []
            for counter in members:
                growth = 0 if counter.name == "idle" else chance.randrange(1000)
                if chance.random() < 0.01:
                    sums[counter] = 0  # it begins anew
                sums[counter] += growth
                values.append(value_of(counter, growth if counter.is_growth else sums[counter]))
                grown = values[-1] if counter.is_growth else values[-1] - last.get(counter, values[-1])
                last[counter] = values[-1]
                if grown > 0 and counter.name != "watts" and stack:
                    expected[counter.name, rank, "/".join(stack)] += grown * counter.scale
            writer.metric(now, metric, values)

    for i in range(n_events):
        now += 1 + chance.randrange(50)
        if chance.random() < 0.2:
            writer.metric(now, cpu_time, [now])  # as the tracer does
        if stack:
            for _ in range(chance.choice((0, 1, 1, 2))):
                record()
        if i == 0 or (len(stack) < 6 and i + len(stack) < n_events and chance.random() < 0.5) or len(stack) == 1:
            stack.append(chance.choice(sorted(regions)))
            writer.enter(now, regions[stack[-1]])
        else:
            writer.leave(now, regions[stack.pop()])
    while stack:
        now += 5
        record()
        writer.leave(now, regions[stack.pop()])


with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
    definitions = archive.definitions
    node = definitions.system_tree_node("node")
    members = {counter: counter.define(definitions) for counter in counters}
    classes = [(definitions.metric_class([members[counter] for counter in part], MetricOccurrence.SYNCHRONOUS,
                                         RecorderKind.CPU), part) for part in (counters[:3], counters[3:])]
    cpu_time = definitions.metric_class(
        [definitions.metric_member("process_cpu_time", metric_mode=MetricMode.ACCUMULATED_START,
                                   value_type=Type.UINT64, unit="ns")], MetricOccurrence.SYNCHRONOUS, RecorderKind.CPU)
    regions = {name: definitions.region(name) for name in ("solve", "exchange", "check", "write")}
    for rank in range(3):
        write_rank(archive, classes, regions,
                   definitions.location_group(f"Process {rank}", system_tree_parent=node), rank)
json.dump([[*place, value] for place, value in sorted(expected.items())], sys.stdout)
