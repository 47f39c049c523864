# SPDX-License-Identifier: BSD-3-Clause
# Threads of OpenMP in what the tracer records, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

export OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive # eight threads may have two cores
export OMPI_MCA_hwloc_base_binding_policy=none

# hybrid MPI PROGRAM [MODE]: the program's output is what it is without the tracer; two ranks of four
# threads are in the archive, which is in $printed, its report in $report.
hybrid() {
    untraced "$1" 2 "hybrid/$2" ${3:+"$3"}
    traced "$1" 2 "hybrid/$2" ${3:+"$3"}
    [ "$status" = 0 ]
    [ "$plain_status" = 0 ]
    diff "$plain_out" "$out"
    check_archive "$dir"
    report=$BATS_TEST_TMPDIR/report
    "$PAGODA" replay --json --all "$dir" >"$report"
}

# n_locations: of the archive that hybrid() looked at.
n_locations() {
    count '^LOCATION ' "$printed"
}

# teams FORKS: so many teams of four were forked and joined.
teams() {
    [ "$(count '^THREAD_FORK ' "$printed")" = "$1" ]
    [ "$(count '^THREAD_JOIN ' "$printed")" = "$1" ]
    [ "$(count '^THREAD_TEAM_BEGIN ' "$printed")" = $((4 * $1)) ]
    [ "$(count '^THREAD_TEAM_END ' "$printed")" = $((4 * $1)) ]
}

# entered CONSTRUCT N: threads entered it so often, wherever it is.
entered() {
    [ "$(count "^ENTER .*\"!\\\$omp $1 @" "$printed")" = "$2" ]
}

# Each thread's time of the judged part is in one of the kinds, none is missing.
sums() {
    jq -e '.threads | .threads == 8 and .unrecorded_ns == 0 and
        ([to_entries[] | select(.key | endswith("_ns")) |
          select(.key != "total_ns" and .key != "unrecorded_ns") | .value] | add) == .total_ns' "$report"
    jq -e '.threads.total_ns == 4 * ([.ranks[] | .useful_ns + .mpi_ns] | add) or
        .threads.total_ns == 8 * (.window.end_ns - .window.begin_ns)' "$report"
}

# Work of one thread is found, that of rank 0 as the largest. On a busy machine other code of one thread may
# take long, too.
lone_work() {
    jq -e '[.findings[] | select(.kind == "idle-threads")] | max_by(.share) | .place == "alone" and .ranks == [0]' "$report"
}

c() {
    hybrid "$1" gcc
    [ "$(n_locations)" = 8 ]
    teams 42
    entered barrier 96
    entered critical 24
    entered 'critical sblock' 24
    entered ordered 240
    entered 'set lock' 24
    entered task 48
    entered taskwait 6
    sums
    # Sleeping takes as long as asked for at least; a thread that wakes late is idle for less of it.
    jq -e '.threads.ranks[0].idle_serial_ns >= 3 * 3 * 50e6 and .threads.lock_ns > 0 and
        .threads.barrier_ns > 50e6' "$report"
    # The line of the region, which the call of the runtime does not have.
    local line
    line=$(grep -n 'pragma omp parallel$' "$ROOT/tests/programs/hybrid/hybrid.c" | head -1 | cut -d: -f1)
    grep -q "\"!\$omp parallel @hybrid.c:$line\"" "$printed"
    run ! grep -q 'gomp\.c' "$printed"
    lone_work
    # Threads of the runtime and of MPI are none of the program's own.
    [ "$(count '^THREAD_CREATE ' "$printed")" = 0 ]
    [ "$(count '^THREAD_ACQUIRE_LOCK ' "$printed")" = 0 ]
}

@test "teams, constructs and tasks of a C program" { for_each_mpi c; }

fortran() {
    [ -x "$BUILD/programs/$1/hybrid/gfortran" ] || skip "there is no gfortran"
    hybrid "$1" gfortran
    [ "$(n_locations)" = 8 ]
    teams 18
    entered critical 24
    entered 'set lock' 24
    entered task 24
    sums
    grep -q '"!$omp parallel @hybrid_f.F90:' "$printed"
}

@test "a Fortran program" { one_mpi fortran; }

early() {
    hybrid "$1" gcc early
    [ "$(n_locations)" = 8 ]
    teams 46
}

@test "regions before MPI_Init" { for_each_mpi early; }

modes() {
    hybrid "$1" gcc off
    teams 28
    hybrid "$1" gcc nested
    [ "$(count '^THREAD_FORK ' "$printed")" = 48 ]
    messages | grep -q '^pagoda: 12 parallel regions within others: '
    messages | grep -q '^pagoda: 6 times tasks were created that cannot be recorded'
    OMP_CANCELLATION=true hybrid "$1" gcc
    teams 42
    [ "$(count '^ENTER .*implicit barrier' "$printed")" -lt 100 ]
    # Where there is one thread only, none is idle.
    hybrid "$1" gcc alone
    jq -e '.threads == null and ([.findings[] | select(.kind == "idle-threads")] == [])' "$report"
}

@test "regions within others, while recording is off, with cancellation, of one thread" { one_mpi modes; }

loaded() {
    hybrid "$1" local
    [ "$(n_locations)" = 8 ]
    teams 42
}

@test "a runtime that only the library knows which calls it" { one_mpi loaded; }

clang() {
    [ -x "$BUILD/programs/$1/hybrid/clang" ] || skip "there is no clang with libomp"
    hybrid "$1" clang
    [ "$(n_locations)" = 8 ]
    teams 42
    entered barrier 24
    entered critical 24
    entered 'critical sblock' 24
    entered ordered 240
    entered 'set lock' 24
    entered for 96
    entered sections 48
    entered single 12
    entered task 48
    entered taskwait 6
    sums
    # Threads hear of the end of a region when the next one begins, but it has ended before. The first of three
    # times alone may begin before the other rank has left MPI_Init, and so before the judged part.
    jq -e '.threads.ranks[0].idle_serial_ns >= 2 * 3 * 100e6' "$report"
    lone_work
    run ! grep -q 'gomp\.c' "$printed"
}

clang_modes() {
    [ -x "$BUILD/programs/$1/hybrid/clang" ] || skip "there is no clang with libomp"
    hybrid "$1" clang nested
    messages | grep -q '^pagoda: 12 parallel regions within others: '
    hybrid "$1" clang off
    teams 28
    OMP_TOOL_LIBRARIES=/nonexistent.so hybrid "$1" clang
    [ "$(n_locations)" = 2 ]
}

@test "a program compiled by clang, by way of LLVM's runtime" { for_each_mpi clang; }

@test "clang: regions within others, while recording is off, another tool" { one_mpi clang_modes; }

llvm() {
    [ -e /usr/lib/llvm-14/lib/libomp.so.5 ] || skip "there is no libomp"
    mkdir -p "$BATS_TEST_TMPDIR/libomp"
    ln -sf /usr/lib/llvm-14/lib/libomp.so.5 "$BATS_TEST_TMPDIR/libomp/libgomp.so.1"
    LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/libomp hybrid "$1" gcc
    [ "$(n_locations)" = 8 ]
    teams 42
    entered task 48
    sums
}

@test "a program compiled by gcc on LLVM's runtime" { one_mpi llvm; }
