# SPDX-License-Identifier: BSD-3-Clause
# Selective recording: filters, short regions, recording switched off and on.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
load trace

@test "ranks that switch at different places: what is recorded goes in pairs" {
    apart() {
        traced "$1-regions" 4 trace_select apart
        [ "$status" = 0 ]
        check_archive "$dir"
        "$PAGODA" replay "$dir" | grep -q 'recording-off'
    }
    launch() { line=("mpirun.${1%-regions}" -n "$2"); }
    for_each_mpi apart
}

@test "a filter leaves out functions, MPI functions and annotations" {
    filtered() {
        printf '%s\n' SCOREP_REGION_NAMES_BEGIN 'EXCLUDE tiny small_* reduction MPI_Wtime MPI_Send*' \
            SCOREP_REGION_NAMES_END >"$BATS_TEST_TMPDIR/filter"
        export PAGODA_FILTER=$BATS_TEST_TMPDIR/filter
        traced "$1-regions" 2 trace_select
        [ "$status" = 0 ]
        check_archive "$dir"
        events_of "$dir" >"$BATS_TEST_TMPDIR/events"
        [ "$(count 'Enter (tiny|small_caller|reduction|MPI_Wtime)' "$BATS_TEST_TMPDIR/events")" = 0 ]
        [ "$(count 'Enter exchange' "$BATS_TEST_TMPDIR/events")" = 24 ]
        [ "$(count 'Enter MPI_Sendrecv' "$BATS_TEST_TMPDIR/events")" = 24 ]
    }
    launch() { line=("mpirun.${1%-regions}" -n "$2"); }
    for_each_mpi filtered
}
