# SPDX-License-Identifier: BSD-3-Clause
# Selective recording: recording switched off and on, short regions, limits.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# selected ARGUMENTS...: trace_select on 2 ranks, instrumented, under the MPI $mpi; its events go to
# $events. It must end well and leave a sound archive.
selected() {
    traced "$mpi-regions" 2 trace_select "$@"
    [ "$status" = 0 ] || { cat "$err"; return 1; }
    [ "$(cat "$out")" = "done 725" ]
    events=$BATS_TEST_TMPDIR/events
    events_of "$dir" >"$events"
}

# warned CODE: the text of that warning of pagoda replay.
warned() {
    "$PAGODA" replay --json "$dir" | jq -r ".warnings[] | select(.code == \"$1\") | .text"
}

# entered NAME NUMBER: so many enters of the region, over all ranks.
entered() {
    local n
    n=$(count "Enter $1( |\$)" "$events")
    [ "$n" = "$2" ] || { echo "$1 was entered $n times, not $2"; return 1; }
}

@test "ranks that switch at different places: what is recorded goes in pairs" {
    apart() {
        traced "$1-regions" 4 trace_select apart
        [ "$status" = 0 ]
        check_archive "$dir"
        "$PAGODA" replay "$dir" | grep -q 'recording-off'
    }
    for_each_mpi apart
}

# Off in step 4, in the middle of exchange; on at the same place of step 8.
@test "pagoda_trace_off and pagoda_trace_on" {
    together() {
        mpi=$1
        selected together
        entered exchange 18 # steps 0 to 4, 8 to 11 of 2 ranks; that of step 8 is entered late
        entered MPI_Sendrecv 16
        entered MPI_Allreduce 16
        entered 'step [0-9]+' 16
        entered tiny 320 # 20 in each of steps 0 to 4 and 9 to 11
        [ "$(count '^0 MeasurementOnOff' "$events")" = 2 ]
        [[ $(warned recording-off) == "2 ranks with recording switched off for "* ]]
    }
    for_each_mpi together
}

@test "recording begins and ends at markers" {
    between() {
        mpi=$1
        PAGODA_START_AT='step 3' PAGODA_STOP_AT='step 6' selected
        [ "$(grep -E '^0 Enter step [0-9]' "$events" | cut -d ' ' -f 3-4 | tr '\n' ' ')" = \
            'step 3 step 4 step 5 step 6 ' ]
        entered exchange 6
        entered MPI_Sendrecv 6
        entered MPI_Init 2
        entered MPI_Finalize 2
        entered MPI_Comm_rank 0
    }
    one_mpi between
}

@test "recording begins and ends at a function or an annotation" {
    within() {
        mpi=$1
        PAGODA_START_AT=exchange PAGODA_STOP_AT=exchange selected
        entered exchange 24
        entered MPI_Sendrecv 24
        entered 'MPI_(Allreduce|Wtime|Comm_dup)' 0
        entered 'reduction|tiny|compute' 0
        PAGODA_START_AT=reduction PAGODA_STOP_AT=reduction selected
        entered reduction 24
        entered MPI_Allreduce 24
        entered 'exchange|MPI_Sendrecv' 0
    }
    one_mpi within
}

# How much falls into a window is a matter of time; what the archive must fulfil is not.
@test "windows of time" {
    windows() {
        mpi=$1
        PAGODA_WINDOW=1000s- selected
        [ "$(grep -c ' Enter MPI_' "$events")" = 4 ]
        entered 'MPI_(Init|Finalize)' 4
        PAGODA_WINDOW=0s-1000s selected
        entered MPI_Sendrecv 24
        entered tiny 480
        [ -z "$(warned short-region)" ]
        PAGODA_WINDOW=0s-1ms,2ms-3ms,4ms-4500us,5ms- selected
        entered 'MPI_(Init|Finalize)' 4
        # The program computes for 3.6 ms, with calls in between.
        PAGODA_WINDOW=0s-500us,1ms-2ms,1000s- selected
        entered 'MPI_(Init|Finalize)' 4
        [ -n "$(warned recording-off)" ]
    }
    one_mpi windows
}

# What is shorter than 1000 s and has nothing recorded inside: all small functions and cheap calls
# (with their callers recorded or not), however long a busy machine makes them.
@test "short regions are dropped and counted" {
    short() {
        local n_kept
        mpi=$1
        PAGODA_MIN_DURATION=1000s PAGODA_CALL_STACK=$2 selected
        entered 'tiny|small_caller|maybe_switch' 0
        entered 'MPI_(Wtime|Comm_rank|Comm_size)' 0
        entered exchange 24
        entered MPI_Sendrecv 24
        entered reduction 24
        # A region in which process time was read has something inside.
        n_kept=$(count 'Enter (compute|fail)' "$events")
        # Of each rank, in each of 12 steps: 20 tiny, 10 small_caller, 4 maybe_switch, compute and
        # MPI_Wtime; MPI_Comm_rank and MPI_Comm_size.
        [[ $(warned short-region) == "$((2 * (12 * 36 + 2) - n_kept)) region visits shorter than 1000 s not recorded"* ]] ||
            { warned short-region; return 1; }
    }
    each() {
        short "$1" 0
        short "$1" 3
    }
    one_mpi each
}

# 3 MiB of records in files of 192 KiB: the header and two buffers.
@test "a thread stops at max_bytes, the program does not" {
    limited() {
        export PAGODA_MAX_BYTES=192KiB PAGODA_BUFFER_BYTES=64KiB
        traced "$1" 2 trace_end fill 3
        [ "$status" = 0 ]
        [ "$(cat "$out")" = running ]
        [ "$(grep -c 'stopped recording .* s after its start (max_bytes is reached): the trace is incomplete' "$err")" = 1 ]
        events_of "$dir" collectives >"$BATS_TEST_TMPDIR/events"
        # A call and its place take 32 bytes, so 128 KiB hold 4096 of them less what else there is.
        [ "$(count '^0 Enter MPI_Comm_rank' "$BATS_TEST_TMPDIR/events")" -gt 3500 ]
        [ "$(count '^0 Enter MPI_Comm_rank' "$BATS_TEST_TMPDIR/events")" -lt 4096 ]
        [[ $(warned recording-stopped) == "2 locations that the tracer did not record to the end: rank "*"(max_bytes is reached)"* ]]
    }
    one_mpi limited
}

@test "MPI_Abort while recording is off" {
    aborted() {
        export PAGODA_START_AT=nothing
        traced "$1" 2 trace_end abort 7
        [ "$status" != 0 ]
        otf2-print "$dir/traces.otf2" >"$BATS_TEST_TMPDIR/printed"
        [ "$(count 'ENTER .*MPI_Init"' "$BATS_TEST_TMPDIR/printed")" = 2 ]
        [ "$(count 'ENTER .*MPI_(Barrier|Send)"' "$BATS_TEST_TMPDIR/printed")" = 0 ]
        [[ $(warned missing-finalize) == "2 ranks "* ]]
        [[ $(warned recording-off) == "2 ranks "* ]]
    }
    for_each_mpi aborted
}
