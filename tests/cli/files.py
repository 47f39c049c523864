# SPDX-License-Identifier: BSD-3-Clause
"""Writes an archive with records of file I/O, as Score-P has them, and what was done to each file at each call path
on each rank, found while it was written: files.py FOLDER SEED OPERATIONS [BYTES OF EACH]."""
import collections
import json
import random
import sys

import otf2
from otf2.enums import (IoAccessMode, IoCreationFlag, IoOperationFlag, IoOperationMode, IoParadigmClass, IoParadigmFlag,
                        IoStatusFlag)

folder, seed, n_operations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
sizes = [int(size) for size in sys.argv[4:]] or [0, 1, 4096, 65535, 65536, 1 << 20, 1 << 33]
expected = collections.defaultdict(collections.Counter)
MODES = {"read": IoOperationMode.READ, "write": IoOperationMode.WRITE, "sync": IoOperationMode.FLUSH}


class Rank:
    """Writes the events of one rank."""

    def __init__(self, writer, rank, regions, handles):
        self.writer, self.rank, self.regions, self.handles = writer, rank, regions, handles
        self.now, self.stack, self.n_blocking, self.n_ids, self.pending = 0, [], 0, 0, []

    def step(self):
        self.now += chance.randrange(50)
        return self.now

    def enter(self, name):
        self.stack.append(name)
        self.writer.enter(self.step(), self.regions[name])

    def leave(self):
        self.writer.leave(self.step(), self.regions[self.stack.pop()])

    def sums(self, handle, is_inner):
        return expected[handle.file.name, handle.io_paradigm.name, "/".join(self.stack), self.rank, is_inner]

    def open(self, handle):
        self.writer.io_create_handle(self.step(), handle, IoAccessMode.READ_WRITE, IoCreationFlag.NONE,
                                     IoStatusFlag.NONE)
        self.sums(handle, False)["opens"] += 1

    def begin(self, handle, kind, flags):
        self.n_ids += 1
        self.writer.io_operation_begin(self.step(), handle, MODES[kind], flags, 1 << 40, self.n_ids)
        return self.n_ids, self.now, self.n_blocking > 0

    def end(self, handle, kind, begun, is_blocking):
        number, begin, is_inner = begun
        size = chance.choice(sizes)
        self.writer.io_operation_complete(self.step(), handle, size, number)
        sums = self.sums(handle, is_inner)
        sums[{"read": "reads", "write": "writes", "sync": "syncs"}[kind]] += 1
        if kind != "sync":
            sums["small"] += size < 65536
            sums["read_bytes" if kind == "read" else "written_bytes"] += size
        if is_blocking:
            sums["time_ns"] += self.now - begin

    def blocking(self, depth=0):
        handle, kind = chance.choice(self.handles), chance.choice(sorted(MODES))
        begun = self.begin(handle, kind, IoOperationFlag.NONE)
        self.n_blocking += 1
        if depth < 2 and chance.random() < 0.4: # as a pwrite() of an MPI_File_write()
            self.enter("pwrite")
            self.blocking(depth + 1)
            self.leave()
        self.n_blocking -= 1
        self.end(handle, kind, begun, True)

    def nonblocking(self):
        handle, kind = chance.choice(self.handles), chance.choice(sorted(MODES))
        self.pending.append((handle, kind, self.begin(handle, kind, IoOperationFlag.NON_BLOCKING)))
        self.writer.io_operation_issued(self.step(), handle, self.n_ids)

    def complete(self):
        if not self.pending:
            return
        handle, kind, begun = self.pending.pop(chance.randrange(len(self.pending)))
        if chance.random() < 0.2:
            self.writer.io_operation_cancelled(self.step(), handle, begun[0])
        else:
            self.end(handle, kind, begun, False)

    def run(self):
        self.enter("main")
        for handle in self.handles:
            self.open(handle)
        for _ in range(n_operations):
            name = chance.choice(("solve", "MPI_File_write_at", "save"))
            self.enter(name)
            chance.choice((self.blocking, self.nonblocking, self.complete))()
            self.leave()
        self.leave() # some operations stay open


with otf2.writer.open(folder, timer_resolution=1000000000) as archive:
    definitions = archive.definitions
    node = definitions.system_tree_node("node")
    regions = {name: definitions.region(name) for name in ("main", "solve", "MPI_File_write_at", "save", "pwrite")}
    posix = definitions.io_paradigm("POSIX", "POSIX I/O", IoParadigmClass.SERIAL, IoParadigmFlag.OS)
    mpi = definitions.io_paradigm("MPI-IO", "MPI-IO", IoParadigmClass.PARALLEL, IoParadigmFlag.NONE)
    files = [definitions.io_regular_file(name, scope=node) for name in ("out/a file", "b", "c")]
    handles = [definitions.io_handle(f"{paradigm.identification} {file.name} {i}", file=file, io_paradigm=paradigm)
               for paradigm in (posix, mpi) for file in files for i in range(2)]
    for rank in range(3):
        process = definitions.location_group(f"Process {rank}", system_tree_parent=node)
        Rank(archive.event_writer("Master thread", group=process), rank, regions, handles).run()
FIELDS = ("opens", "reads", "read_bytes", "writes", "written_bytes", "syncs", "small", "time_ns")
json.dump(sorted([*place, *(sums[field] for field in FIELDS)] for place, sums in expected.items()), sys.stdout)
