# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive of 2 ranks whose definitions have names of 200 kB, some with blanks, and functions with names of
5 kB that differ only in their middles: long_names.py FOLDER."""
import sys

import otf2
from otf2.enums import (CommFlag, GroupFlag, GroupType, MetricMode, MetricOccurrence, Paradigm, ParameterType,
                        RecorderKind, RegionRole, Type)

BYTES = 200_000


def long_name(what, between="_"):
    return (what + between + (what[0] * 30 + between) * (BYTES // 31 + 1))[:BYTES] + "_end_of_" + what


with otf2.writer.open(sys.argv[1], timer_resolution=1_000_000_000) as archive:
    definitions = archive.definitions
    node = definitions.system_tree_node(long_name("host"), class_name="node")
    locations = []
    for rank in range(2):
        process = definitions.location_group(long_name(f"process{rank}"), system_tree_parent=node)
        locations.append(definitions.location(long_name(f"master{rank}", " "), group=process))
    members = definitions.group("world", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI,
                                group_flags=GroupFlag.NONE, members=locations)
    ranks = definitions.group("ranks", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI,
                              group_flags=GroupFlag.NONE, members=[0, 1])
    world = definitions.comm(long_name("communicator", " "), group=ranks, flags=CommFlag.NONE)
    twins = [definitions.region("solve_" + "a" * 2500 + letter + "b" * 2500) for letter in "xy"]
    template = definitions.region("void " + "ns::" * 50 + "run<" + "std::pair<int, double>, " * 250 + "int>(int)")
    main = definitions.region(long_name("main", " "), source_file=long_name("file"), begin_line_number=7)
    send, receive = (definitions.region(name, paradigm=Paradigm.MPI, region_role=RegionRole.POINT2POINT)
                     for name in ("MPI_Send", "MPI_Recv"))
    counters = definitions.metric_class(
        [definitions.metric_member(long_name("counter", " "), metric_mode=mode, value_type=Type.UINT64,
                                   unit=long_name("unit")) for mode in (MetricMode.ACCUMULATED_START,
                                                                        MetricMode.ABSOLUTE_POINT)],
        MetricOccurrence.SYNCHRONOUS, RecorderKind.CPU)
    text = definitions.parameter(long_name("text", " "), ParameterType.STRING)
    for rank, location in enumerate(locations):
        writer = archive.event_writer_from_location(location)
        writer.enter(0, main)
        for i, region in enumerate([*twins, template]):
            writer.enter(1000 + 1000 * i, region)
            writer.metric(1500 + 1000 * i, counters, [1000 * i, i])
            writer.parameter_string(1600 + 1000 * i, text, long_name("value"))
            writer.leave(1900 + 1000 * i, region)
        if rank == 0:
            writer.enter(9000, send)
            writer.mpi_send(9001, 1, world, 7, 8)
            writer.leave(9100, send)
        else:
            writer.enter(5000, receive)
            writer.mpi_recv(9200, 0, world, 7, 8)
            writer.leave(9200, receive)
        writer.leave(10000, main)
