#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the records of a run of N ranks from those of a run of few, whose files are repeated.

    spools.py FROM TO N    - from folder FROM into the new folder TO
"""
import os
import struct
import sys

RUN, RANK, SIZE = 16, 24, 28  # places in struct spool_header


def main(source, target, n_ranks):
    os.makedirs(target)
    originals = []
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name), "rb") as file:
            originals.append(file.read())
    originals = [original for original in originals if original.startswith(b"PGDSPOOL")]
    for rank in range(n_ranks):
        records = bytearray(originals[rank % len(originals)])
        struct.pack_into("=I", records, RANK, rank)
        struct.pack_into("=I", records, SIZE, n_ranks)
        (run,) = struct.unpack_from("=Q", records, RUN)
        with open(f"{target}/{run:016x}-{rank:06d}-000.spool", "wb") as file:
            file.write(records.rstrip(b"\0"))
            file.truncate(len(records))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
