# SPDX-License-Identifier: BSD-3-Clause
# A program with a serial part, of any size on any number of ranks.
# shellcheck shell=bash

# program RANKS WORK: a trace of WORK ms shared by all ranks, 1 ms on rank 0 alone, and an allreduce
# in which the others wait for it. So strong scaling from 8 ms on takes 8 / p + 1 ms.
program() {
    [ ! -e "run-$1-$2" ] || return 0
    awk -v p="$1" -v work="$2" 'BEGIN {
        print "region work main.c:1"; print "region serial main.c:9"
        begin = 1000000; worked = begin + 1000000 * work / p; end = worked + 1000000
        for (r = 0; r < p; r++) {
            print r, 0, "enter MPI_Init"; print r, begin, "leave MPI_Init"
            print r, begin, "enter work"; print r, worked, "leave work"
            if (r == 0) { print r, worked, "enter serial"; print r, end, "leave serial" }
            enter = r == 0 ? end : worked
            print r, enter, "enter MPI_Allreduce"; print r, enter, "coll-begin"
            print r, end, "coll-end allreduce world - 8 8"; print r, end, "leave MPI_Allreduce"
            print r, end, "enter MPI_Finalize"; print r, end + 500000, "leave MPI_Finalize"
        } }' >program.txt
    "$BUILD/tools/mktrace" program.txt "run-$1-$2"
}
