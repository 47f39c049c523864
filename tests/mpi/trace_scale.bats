# SPDX-License-Identifier: BSD-3-Clause
# What making the archive costs with many ranks: instructions, counted by
# valgrind, must grow in proportion. One MPI suffices: the records do not depend on it.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
load trace

setup() {
    command -v valgrind >/dev/null || skip "valgrind is not installed"
}

# recorded SETTINGS N PROGRAM...: the records of a run, in $spool.
recorded() {
    spool=$BATS_TEST_TMPDIR/spool
    mkdir -p "$spool"
    printf '%b' "$1" >"$spool/settings"
    for mpi in mpich openmpi; do
        has_mpi $mpi && break
    done
    launch $mpi "$2"
    shift 2
    timeout 300 "${line[@]}" env LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$spool" \
        "$BUILD/programs/$mpi/$1" "${@:2}"
}

# instructions SPOOL: in millions, of making the archive.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-fd=3 "$BUILD/pagoda-trace-finish" \
        "$1" "$1.archive" 3>&1 >"$1.out" | sed -n 's/.*Collected *: *\(.*\)......$/\1/p'
}

# with_ranks N SETTINGS: the same with the records of N ranks.
with_ranks() {
    /usr/bin/python3 "$ROOT/tests/mpi/spools.py" "$spool" "$spool-$1" "$1"
    cp "$spool/settings" "$spool-$1"
    instructions "$spool-$1"
    grep -q "^ranks $1 locations $1 events" "$spool-$1.out"
    rm -rf "$spool-$1" "$spool-$1.archive"
}

# times4 FEW N: four times as many ranks cost four times as much.
times4() {
    local few many
    few=$(with_ranks "$1")
    many=$(with_ranks $((4 * $1)))
    echo "$1 ranks: $few million instructions, four times as many: $many"
    [ "$many" -lt $((5 * few)) ]
}

@test "many ranks" {
    recorded "" 2 trace_handles 1
    times4 128
}

@test "many ranks that switched recording off for a while" {
    recorded 'window=0-1000000\nwindow=2000000-600000000000\n' 2 trace_handles 200
    times4 32
}
