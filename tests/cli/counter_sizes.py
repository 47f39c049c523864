# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive of two ranks with counters that are less than 1, beyond 64 bits, and without a sum:
counter_sizes.py FOLDER FACTOR."""
import math
import sys

import otf2
from otf2.enums import MetricMode, MetricOccurrence, RecorderKind, Type

folder, factor = sys.argv[1], float(sys.argv[2])
with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
    definitions = archive.definitions
    node = definitions.system_tree_node("node")
    main = definitions.region("main")
    members = [definitions.metric_member(name, metric_mode=MetricMode.ACCUMULATED_START, value_type=Type.DOUBLE,
                                         exponent=exponent, unit="#")
               for name, exponent in (("joules", 0), ("huge", 0), ("infinite", 0), ("scaled", 2**62))]
    metric = definitions.metric_class(members, MetricOccurrence.SYNCHRONOUS, RecorderKind.CPU)
    for rank in range(2):
        writer = archive.event_writer(
            "Master thread", group=definitions.location_group(f"Process {rank}", system_tree_parent=node))
        writer.enter(10, main)
        for i in range(4):
            writer.metric(20 + i, metric, [0.1 * i * factor, 1e19 * i * factor, -1e308 if i % 2 else 1e308, i])
        writer.metric(30, metric, [math.nan, math.inf, math.nan, -math.inf])
        writer.leave(40, main)
