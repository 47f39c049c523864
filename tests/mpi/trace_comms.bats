# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of communicators, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

communicators() {
    traced "$1" 4 trace_comm
    [ "$status" = 0 ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    local events=$BATS_TEST_TMPDIR/events
    has "0 MpiSend even to 1 tag 1 bytes 4" "$events"
    has "3 MpiRecv odd from 0 tag 1 bytes 4" "$events"
    has "3 MpiSend comm(3,2,1,0) to 3 tag 2 bytes 4" "$events"
    has "3 MpiRecv comm(1,2,3) from 0 tag 3 bytes 4" "$events"
    has "3 MpiSend comm(3,1) to 1 tag 6 bytes 4" "$events"
    has "0 MpiSend inter to 1 tag 9 bytes 4" "$events"
    has "3 MpiRecv inter from 0 tag 9 bytes 4" "$events"
    has "0 MpiCollectiveEnd BARRIER MPI_COMM_SELF sent 0 received 0" "$events"
    # Duplicates keep the order in which they were started, whenever they are complete.
    has "0 MpiSend idup-first to 3 tag 20 bytes 4" "$events"
    has "3 MpiRecv idup-first from 0 tag 20 bytes 4" "$events"
    has "3 MpiRecv idup-second from 0 tag 21 bytes 4" "$events"
    has "2 NonBlockingCollectiveComplete CREATE_HANDLE MPI_COMM_WORLD sent 0 received 0" "$events"
    has "3 MpiRecv dist-graph from 0 tag 25 bytes 4" "$events"
    [ "$1" = openmpi ] || has "2 MpiSend from-group to 1 tag 26 bytes 4" "$events"
    "$PAGODA" replay --json "$dir" |
        jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []'
    # World, self; by split 2 halves, 1 reversed, 1 of three; 2 duplicates and 4 of self; 1 by
    # create, 1 by create_group, 1 grid, 2 rows; 2 halves, 1 merged; 2 by idup, 4 in other ways;
    # 10 short-lived ones. With MPI 4 also 1 by create_from_group.
    local n=36
    [ "$1" = openmpi ] || n=37
    [ "$(count '^COMM ' "$printed")" = "$n" ]
    [ "$(count '^INTER_COMM ' "$printed")" = 1 ]
}

@test "communicators of every origin, the same for all their members" { for_each_mpi communicators; }

# 10000 of them, one after the other: the process does not grow, nor does the archive much.
short_lived() {
    traced "$1" 2 trace_handles 10000
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "handles ok" ]
    [ "$(sed -n 's/growth \(.*\) KiB/\1/p' "$err")" -lt 500 ]
    [ "$(du -sk "$dir" | cut -f 1)" -lt 5000 ]
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c '^COMM ')" = 10002 ]
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '.trace.messages == 10000 and .trace.collectives == 20002' "$BATS_TEST_TMPDIR/replay"
    jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []' "$BATS_TEST_TMPDIR/replay"
}

@test "10000 short-lived communicators" { for_each_mpi short_lived; }

# Open MPI 4.1 has no sessions.
@test "a program of sessions only" {
    traced mpich 3 trace_sessions
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "sessions ok" ]
    check_archive "$dir"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    has "2 MpiRecv comm(0,1,2) from 0 tag 5 bytes 4" "$BATS_TEST_TMPDIR/events"
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '.trace | .ranks == 3 and .messages == 2' "$BATS_TEST_TMPDIR/replay"
    jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []' "$BATS_TEST_TMPDIR/replay"
    # The last rank waits twice for what rank 0 sends after 50 ms.
    jq -e '.patterns[] | select(.id == "late-sender") | .count >= 2 and .total_ns > 60e6 and
        (.by_rank | max_by(.ns) | .rank == 2)' "$BATS_TEST_TMPDIR/replay"
    "$PAGODA" replay "$dir" | grep -q 'after MPI_Session_init'
}
