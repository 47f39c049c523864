# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive as APEX does: thread 0, the one of MPI, has no events, and tasks are renamed while they run:
tasks.py FOLDER [CREATOR]."""
import sys

import otf2
from otf2.enums import GroupFlag, GroupType, Paradigm

with otf2.writer.open(sys.argv[1], timer_resolution=1000) as archive:
    archive.creator = sys.argv[2] if len(sys.argv) > 2 else "APEX version 1.2.0"
    definitions = archive.definitions
    process = definitions.location_group("process 1", system_tree_parent=definitions.system_tree_node("n1"))
    threads = [definitions.location(f"thread {i}", group=process) for i in range(3)]
    writers = [archive.event_writer_from_location(thread) for thread in threads]
    action, evaluate = definitions.region("action"), definitions.region("evaluate")
    definitions.group("MPI_COMM_WORLD_LOCATIONS", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI,
                      group_flags=GroupFlag.NONE, members=[threads[0]])
    for thread, tasks in enumerate(((), ((0, 100), (300, 500), (900, 1000)), ((100, 300),))):
        for i, (begin, end) in enumerate(tasks):
            writers[thread].enter(begin, evaluate if i % 2 else action)
            writers[thread].leave(end, action)  # as it was called when it was made
