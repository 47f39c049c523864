# SPDX-License-Identifier: BSD-3-Clause
# POSIX threads, C11's and C++'s in archives, with waits of known length, and what recording them does
# to the program: nothing.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

export OMPI_MCA_hwloc_base_binding_policy=none

source=$ROOT/tests/programs/trace_pthreads.c

# threads MPI PROGRAM [ARGUMENT...]: the program's output and exit status are what they are without the tracer;
# the archive is in $printed, its report in $report.
threads() {
    untraced "$1" 2 "${@:2}"
    traced "$1" 2 "${@:2}"
    cat "$err"
    [ "$status" = 0 ]
    [ "$plain_status" = 0 ]
    diff "$plain_out" "$out"
    check_archive "$dir"
    report=$BATS_TEST_TMPDIR/report
    "$PAGODA" replay --json --all "$dir" >"$report"
}

# line TEXT: the number of the line of the program's source that has it.
line() {
    grep -nF "$1" "$source" | head -1 | cut -d: -f1
}

# begun N: N threads were made, began and ended, on both ranks together.
begun() {
    [ "$(count '^THREAD_CREATE ' "$printed")" = "$1" ]
    [ "$(count '^THREAD_BEGIN ' "$printed")" = "$1" ]
    [ "$(count '^THREAD_END ' "$printed")" = "$1" ]
}

# sums: each thread's time of the judged part is in one of the kinds, but for what was not recorded.
sums() {
    jq -e '.threads | ([to_entries[] | select(.key | endswith("_ns")) |
        select(.key != "total_ns") | .value] | add) == .total_ns' "$report"
}

waits() {
    threads "$1" trace_pthreads wait
    begun 2
    [ "$(count '^THREAD_WAIT ' "$printed")" = 2 ]
    [ "$(count '^LOCATION ' "$printed")" = 4 ]
    sums
    # What each of two ranks waits is in the program; it may take the lock later than meant.
    jq -e '.threads | .threads == 4 and .unrecorded_ns == 0 and .lock_ns > 150e6 and
        .condition_ns > 120e6 and .barrier_ns > 80e6 and .task_ns > 120e6' "$report"
    jq -e --arg wait "pthread_mutex_lock @trace_pthreads.c:$(line '/* 60 ms */')" \
        --arg held "pthread_mutex_unlock @trace_pthreads.c:$(line '/* held until here */')" '
        .threads.lock_waits | map(select(.region == $wait and .released_region == $held)) |
        length == 2 and all(.count == 1 and .ns > 40e6)' "$report"
    jq -e '.threads | ([.lock_waits[].ns] | add) <= .lock_ns' "$report"
    grep -q "Name: \"pthread_cond_wait @trace_pthreads.c:.*Role: WRAPPER, Paradigm: \"Pthread\"" "$printed"
    # The lock that the program gives back while nobody waits leaves no record.
    run ! grep -q "pthread_mutex_unlock @trace_pthreads.c:$(($(line '/* 60 ms */') + 1))" "$printed"
    "$PAGODA" replay "$dir" >"$BATS_TEST_TMPDIR/text"
    grep -q '^Locks of threads in ' "$BATS_TEST_TMPDIR/text"
}

@test "waits of known length for locks, conditions, barriers and threads" { for_each_mpi waits; }

c11() {
    threads "$1" trace_pthreads c11
    begun 2
    grep -q '"thrd_join @trace_pthreads.c' "$printed"
    jq -e '.threads | .condition_ns > 100e6' "$report"
    sums
}

@test "threads of C11" { one_mpi c11; }

cxx() {
    threads "$1" hybrid/cxx
    begun 8
    sums
    jq -e '.threads | .threads == 10 and .lock_ns > 100e6 and .condition_ns > 0 and
        ([.lock_waits[] | select(.file | test("threads.cc$")) | .ns] | add) * 2 > .lock_ns' "$report"
    # The line is the program's, and not that of the C++ library that is inlined there.
    jq -e --arg line "$(grep -nF 'held by each' "$ROOT/tests/programs/hybrid/threads.cc" | cut -d: -f1)" '
        .threads.lock_waits[0].region == "pthread_mutex_lock @threads.cc:" + $line' "$report"
}

@test "threads of C++" { one_mpi cxx; }

ends() {
    threads "$1" trace_pthreads ends
    begun 32
    # A cancelled wait has ended, as the thread has.
    [ "$(count '^ENTER ' "$printed")" = "$(count '^LEAVE ' "$printed")" ]
    sums
}

@test "threads that exit, are cancelled, detached, or still running at the end" { for_each_mpi ends; }

errors() {
    threads "$1" trace_pthreads errors
    sums
}

@test "kinds of locks, and what goes wrong with them, are the program's" { one_mpi errors; }

handles() {
    # On one core a thread is joined before it has begun; the next one has its handle.
    taskset -cp "$(first_cores 1)" $BASHPID
    threads "$1" workers --steps 20 --heavy 10 --light 10
    begun 80
    [ "$(sed -n 's/^THREAD_WAIT .*Sequence Count: //p' "$printed" | sort -n | uniq -c | grep -c '^ *2 ')" = 40 ]
}

@test "threads with the handles of earlier ones, joined before they begin" { one_mpi handles; }

many() {
    PAGODA_BUFFER_BYTES=65536 threads "$1" trace_pthreads many
    # Threads that come at the same time may be some more, but not all 300 of each rank and its first.
    [ "$(count '^LOCATION ' "$printed")" -ge 512 ]
    [ "$(count '^LOCATION ' "$printed")" -lt 602 ]
    messages | grep -q 'threads were not recorded from their begin: '
    sums
}

@test "hundreds of threads, more at a time than are recorded" { one_mpi many; }

early() {
    threads "$1" trace_pthreads early
    [ "$(count '^LOCATION ' "$printed")" = 4 ]
    [ "$(count '^THREAD_BEGIN ' "$printed")" = 0 ]
    sums
}

@test "a thread that lives before MPI_Init and after MPI_Finalize" { for_each_mpi early; }

children() {
    threads "$1" trace_pthreads fork
    begun 2
    sums
}

@test "a child of a process whose threads wait" { for_each_mpi children; }

excluded() {
    printf '%s\n' SCOREP_REGION_NAMES_BEGIN 'EXCLUDE pthread_mutex_*' SCOREP_REGION_NAMES_END \
        >"$BATS_TEST_TMPDIR/filter"
    launch "$1" 2
    "$PAGODA" trace --filter "$BATS_TEST_TMPDIR/filter" -o "$BATS_TEST_TMPDIR/excluded-$1" -- "${line[@]}" \
        "$BUILD/programs/$1/trace_pthreads" wait
    otf2-print -G "$BATS_TEST_TMPDIR/excluded-$1/traces.otf2" >"$BATS_TEST_TMPDIR/definitions"
    run ! grep -q '"pthread_mutex' "$BATS_TEST_TMPDIR/definitions"
    grep -q '"pthread_rwlock_rdlock @' "$BATS_TEST_TMPDIR/definitions"
}

@test "a filter leaves out functions by name" { one_mpi excluded; }
