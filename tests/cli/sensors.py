# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive of 2 ranks on one node, 10 s long, with metrics of devices, the node and ranks that belong to
no call path, and with kernels and copies of a GPU: sensors.py FOLDER."""
import sys

import otf2
from otf2.enums import (LocationGroupType, LocationType, MetricMode, MetricOccurrence, Paradigm, RecorderKind,
                        RegionRole, Type)

TIMES_S = (0, 1, 3, 6, 10)
POINT, NEXT, LAST = MetricMode.ABSOLUTE_POINT, MetricMode.ABSOLUTE_NEXT, MetricMode.ABSOLUTE_LAST
SUM, GROWTH = MetricMode.ACCUMULATED_START, MetricMode.RELATIVE_LAST
SENSORS = [  # name, mode, unit, values
    ("power", POINT, "W", (100, 200, 200, 100, 300)),
    ("held", NEXT, "mW", (1000, 2000, 3000, 4000, 5000)),
    ("before", LAST, "", (1, 2, 3, 4, 5)),
    ("rocm_smi:::power_average:device=0", SUM, "#", (50_000_000,) * 5),
    ("rocm_smi:::power_average:device=1", SUM, "#", (70_000_000,) * 5),
    ("energy", SUM, "uJ", (5_000_000, 6_000_000, 8_000_000, 1000, 2_001_000)),  # begins anew once
    ("grown", GROWTH, "", (1, 2, 3, 4, 5)),
    ("falls", SUM, "#", (10, 20, 15, 30, 25)),  # what its definition says is wrong
]


def metric_class(definitions, name, mode, unit):
    member = definitions.metric_member(name, metric_mode=mode, value_type=Type.UINT64, unit=unit)
    return definitions.metric_class([member], MetricOccurrence.ASYNCHRONOUS, RecorderKind.ABSTRACT)


def write_rank(archive, process, rank, main, wait):
    definitions = archive.definitions
    memory = metric_class(definitions, "memory", NEXT, "bytes")
    callsite = definitions.parameter("callsite id", otf2.enums.ParameterType.UINT64)
    writer = archive.event_writer("Master thread", group=process)
    writer.enter(0, main)
    writer.metric(0, memory, 1024 * (rank + 1))
    writer.parameter_unsigned_int(1, callsite, 1718134583)
    writer.enter(1000, wait)
    writer.leave(5000, wait)
    writer.metric(5000, memory, 3072)
    writer.leave(10000, main)


def write_gpu(archive, node, process):
    definitions = archive.definitions
    device = definitions.system_tree_node("0", class_name="ROCm Device", parent=node)
    context = definitions.location_group("HIP Context 0", location_group_type=LocationGroupType.ACCELERATOR,
                                         system_tree_parent=device, creating_location_group=process)
    kernel = definitions.region("solve_kernel", paradigm=Paradigm.HIP, region_role=RegionRole.FUNCTION)
    copy = definitions.region("copy_in", paradigm=Paradigm.HIP, region_role=RegionRole.DATA_TRANSFER)
    for stream, work in enumerate((((1000, 4000, kernel), (4000, 4500, copy)), ((2000, 3000, kernel),))):
        writer = archive.event_writer(f"HIP[0:{stream}]", group=context, type=LocationType.ACCELERATOR_STREAM)
        for begin, end, region in work:
            writer.enter(begin, region)
            writer.leave(end, region)


with otf2.writer.open(sys.argv[1], timer_resolution=1000) as archive_file:
    known = archive_file.definitions
    node_n1 = known.system_tree_node("n1", class_name="node")
    processes = [known.location_group(f"Process {rank}", system_tree_parent=node_n1) for rank in range(2)]
    regions = (known.region("main"), known.region("hipStreamSynchronize", paradigm=Paradigm.HIP))
    for number, group in enumerate(processes):
        write_rank(archive_file, group, number, *regions)
    for name, mode, unit, values in SENSORS:
        location = known.location(f"recorder of {name}", type=LocationType.METRIC, group=processes[0])
        metric = known.metric_instance(metric_class(known, name, mode, unit), recorder=location, scope=node_n1)
        for time_s, value in zip(TIMES_S, values):
            archive_file.event_writer_from_location(location).metric(1000 * time_s, metric, value)
    if len(sys.argv) > 2:
        write_gpu(archive_file, node_n1, processes[0])
