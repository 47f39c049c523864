# SPDX-License-Identifier: BSD-3-Clause
# What making the archive costs with many ranks and functions: instructions, counted by valgrind,
# must grow in proportion. One MPI suffices: the records do not depend on it.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
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

# in_proportion FEW MANY: millions of instructions with something, and with four times as much of it.
in_proportion() {
    echo "$1 million instructions, four times as many: $2"
    [ "$2" -lt $((5 * $1)) ]
}

# with_ranks SPOOL N: instructions with the records in SPOOL repeated for N ranks.
with_ranks() {
    local many=$1-$2
    /usr/bin/python3 "$ROOT/tests/mpi/spools.py" "$1" "$many" "$2"
    [ ! -e "$1/settings" ] || cp "$1/settings" "$many"
    instructions "$many"
    grep -q "^ranks $2 locations $2 events" "$many.out"
    rm -rf "$many" "$many.archive"
}

@test "many ranks" {
    local spool=$BATS_TEST_TMPDIR/spool
    recorded "$spool" 2 "$BUILD/programs/$mpi/trace_handles" 1
    in_proportion "$(with_ranks "$spool" 128)" "$(with_ranks "$spool" 512)"
}

@test "many ranks that switched recording off for a while" {
    local spool=$BATS_TEST_TMPDIR/spool
    mkdir "$spool"
    printf 'window=0-1000000\nwindow=2000000-600000000000\n' >"$spool/settings"
    recorded "$spool" 2 "$BUILD/programs/$mpi/trace_handles" 200
    in_proportion "$(with_ranks "$spool" 32)" "$(with_ranks "$spool" 128)"
}

# with_functions N OPTION: instructions with a program that calls N functions, compiled with OPTION.
with_functions() {
    local program=$BATS_TEST_TMPDIR/functions$1$2
    awk -v n="$1" 'BEGIN {
        print "#include <mpi.h>"
        for (i = 0; i < n; i++) print "static void function" i "(void) {}"
        print "int main(void) {\nMPI_Init(0, 0);"
        for (i = 0; i < n; i++) print "function" i "();"
        print "MPI_Finalize();\n}" }' >"$program.c"
    "mpicc.$mpi" -O0 "$2" -finstrument-functions -o "$program" "$program.c"
    recorded "$program.spool" 1 "$program"
    instructions "$program.spool"
    [ "$(otf2-print -G "$program.spool.archive/traces.otf2" | grep -c '"function[0-9]*"')" = "$1" ]
}

@test "many functions, named by the debug information or by the symbol table" {
    in_proportion "$(with_functions 1000 -g)" "$(with_functions 4000 -g)"
    in_proportion "$(with_functions 1000 -g0)" "$(with_functions 4000 -g0)"
}
