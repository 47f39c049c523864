# SPDX-License-Identifier: BSD-3-Clause
# What many ranks, functions and members of communicators cost. Instructions, counted by valgrind,
# must grow in proportion. One MPI suffices: the records do not depend on it.
# Unsanitized: valgrind does not run the address sanitizer.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

setup() {
    command -v valgrind >/dev/null || skip "valgrind is not installed"
    for mpi in mpich openmpi; do
        has_mpi $mpi && break
    done
}

# recorded SPOOL N COMMAND...: the records of a run, in folder SPOOL.
recorded() {
    mkdir -p "$1"
    launch "$mpi" "$2"
    timeout 300 "${line[@]}" env LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$1" "${@:3}"
}

# instructions SPOOL: in millions, of making the archive.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-fd=3 "$BUILD/pagoda-trace-finish" \
        "$1" "$1.archive" 3>&1 >"$1.out" | sed -n 's/.*Collected *: *\(.*\)......$/\1/p'
}

# in_proportion N COMMAND...: COMMAND N counts millions of instructions with N of something, or fails;
# with four times as many they are at most five times as many.
in_proportion() {
    local few many
    few=$("${@:2}" "$1") && many=$("${@:2}" $((4 * $1)))
    echo "$few million instructions, four times as many: $many"
    [ "$many" -lt $((5 * few)) ]
}

# with_ranks SPOOL N: instructions with the records in SPOOL repeated for N ranks.
with_ranks() {
    local many=$1-$2
    /usr/bin/python3 "$ROOT/tests/mpi/spools.py" "$1" "$many" "$2"
    [ ! -e "$1/settings" ] || cp "$1/settings" "$many"
    instructions "$many" && grep -q "^ranks $2 locations $2 events" "$many.out" &&
        rm -rf "$many" "$many.archive"
}

@test "many ranks" {
    local spool=$BATS_TEST_TMPDIR/spool
    recorded "$spool" 2 "$BUILD/programs/$mpi/trace_handles" 1
    in_proportion 128 with_ranks "$spool"
}

@test "many ranks that switched recording off for a while" {
    local spool=$BATS_TEST_TMPDIR/spool
    mkdir "$spool"
    printf 'window=0-1000000\nwindow=2000000-600000000000\n' >"$spool/settings"
    recorded "$spool" 2 "$BUILD/programs/$mpi/trace_handles" 200
    in_proportion 32 with_ranks "$spool"
}

# with_functions OPTION N: instructions with a program that calls N functions, compiled with OPTION.
with_functions() {
    local program=$BATS_TEST_TMPDIR/functions$2$1
    awk -v n="$2" 'BEGIN {
        print "#include <mpi.h>"
        for (i = 0; i < n; i++) print "static void function" i "(void) {}"
        print "int main(void) {\nMPI_Init(0, 0);"
        for (i = 0; i < n; i++) print "function" i "();"
        print "MPI_Finalize();\n}" }' >"$program.c"
    "mpicc.$mpi" -O0 "$1" -finstrument-functions -o "$program" "$program.c"
    recorded "$program.spool" 1 "$program"
    instructions "$program.spool" &&
        [ "$(otf2-print -G "$program.spool.archive/traces.otf2" | grep -c '^REGION .*"function[0-9]*"')" = "$2" ]
}

@test "many functions, named by the debug information or by the symbol table" {
    in_proportion 1000 with_functions -g
    in_proportion 1000 with_functions -g0
}

# members ARCHIVE: of all communicators with a list of members, a line each.
members() {
    otf2-print -G "$1/traces.otf2" | grep 'Type: COMM_GROUP' |
        sed -E 's/.*Members: //; s/ \("[^"]*" <[0-9]*>\)//g' | LC_ALL=C sort
}

# comm_bytes SPOOL: the sizes of the records of communicators, from large to small.
comm_bytes() {
    /usr/bin/python3 - "$1" <<'END'
import os, struct, sys
sizes = set()
for name in os.listdir(sys.argv[1]):
    records = open(os.path.join(sys.argv[1], name), "rb").read()
    at = 65536
    while True:
        kind, words = struct.unpack_from("=HH", records, at)
        if kind < 2:
            break
        if kind == 4:
            sizes.add(words * 8)
        at += words * 8
print(*sorted(sizes, reverse=True))
END
}

@test "a communicator takes no more room the more members it has, if they are regular" {
    local program=$BATS_TEST_TMPDIR/split spool=$BATS_TEST_TMPDIR/spool
    cat >"$program.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm comm;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    if (argc > 1)
        MPI_Comm_split(comm, rank == 1 || rank == 2 || rank == 5, rank, &comm);
    MPI_Finalize();
}
END
    "mpicc.$mpi" -o "$program" "$program.c"
    recorded "$spool" 6 "$program"
    [ "$(comm_bytes "$spool")" = "40 32" ]
    "$BUILD/pagoda-trace-finish" "$spool" "$spool.archive"
    [ "$(members "$spool.archive" | tr '\n' ';')" = "0, 1, 2, 3, 4, 5;5, 4, 3, 2, 1, 0;" ]
    recorded "$spool" 6 "$program" irregular
    [ "$(comm_bytes "$spool")" = "48 40 32" ]
    rm -rf "$spool.archive"
    "$BUILD/pagoda-trace-finish" "$spool" "$spool.archive"
    [ "$(members "$spool.archive" | tr '\n' ';')" = "0, 1, 2, 3, 4, 5;0, 3, 4;1, 2, 5;5, 4, 3, 2, 1, 0;" ]
}
