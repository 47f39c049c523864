# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of communicators, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

communicators() {
    local events=$BATS_TEST_TMPDIR/events chapters=(communicators topologies)
    [ "$1" = openmpi ] || chapters+=(sessions)
    traced "$1" 4 every "${chapters[@]}"
    [ "$status" = 0 ]
    events_of "$dir" >"$events"
    # In each communicator the first rank sends to the last one.
    has "2 MpiSend comm(2,0) to 1 tag 2 bytes 4" "$events"
    has "1 MpiRecv comm(3,1) from 0 tag 2 bytes 4" "$events"
    has "3 MpiRecv comm(1,2,3) from 0 tag 2 bytes 4" "$events"
    # Thrice: by MPI_Comm_split, MPI_Comm_create and MPI_Comm_create_group.
    [ "$(count '^1 MpiSend comm\(1,2,3\) to 2 tag 2 bytes 4$' "$events")" = 3 ]
    # By MPI_Comm_dup, MPI_Comm_dup_with_info, MPI_Comm_split_type, and twice by MPI_Intercomm_merge.
    [ "$(count '^3 MpiRecv comm\(0,1,2,3\) from 0 tag 2 bytes 4$' "$events")" = 5 ]
    has "0 MpiSend inter to 0 tag 3 bytes 4" "$events"
    has "1 MpiRecv inter from 0 tag 3 bytes 4" "$events"
    has "0 MpiCollectiveEnd BARRIER MPI_COMM_SELF sent 0 received 0" "$events"
    has "3 MpiCollectiveEnd BARRIER comm(3) sent 0 received 0" "$events"
    # Duplicates keep the order in which they were started, whenever they are complete.
    has "0 MpiSend idup-first to 3 tag 2 bytes 4" "$events"
    has "3 MpiRecv idup-first from 0 tag 2 bytes 4" "$events"
    has "3 MpiRecv idup-second from 0 tag 2 bytes 4" "$events"
    has "2 NonBlockingCollectiveComplete CREATE_HANDLE MPI_COMM_WORLD sent 0 received 0" "$events"
    # Each operation between groups, on a communicator and on its duplicate.
    grep -E 'MpiCollectiveEnd [A-Z_]* inter ' "$events" | grep -v HANDLE | sed 's/MpiCollectiveEnd //' |
        diff <(by_rank < <(cat "$ROOT/tests/mpi/trace_intercommunicators.expected"{,})) -
    replays_well
    # World, self, 2 duplicates and 4 of self, 2 by idup; by split 2 halves and 1 of three, 1 of the node; 1 by
    # create, 1 by create_group, 1 with a name; 2 sides, 2 merged. 1 grid, 1 row, 1 star, 2 rings, and 1 for
    # neighbourhoods. With MPI 4 also 1 by create_from_group, and another one between groups.
    local n=27 n_inter=2
    [ "$1" = openmpi ] || n=28 n_inter=3
    [ "$(count '^COMM ' "$printed")" = "$n" ]
    [ "$(count '^INTER_COMM ' "$printed")" = "$n_inter" ]
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
    replays_well
    jq -e '.trace.messages == 10000 and .trace.collectives == 20002' "$replay"
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
    replays_well
    # The last rank waits twice for what rank 0 sends after 50 ms: as long as its calls began before the sends.
    jq -e '.trace | .ranks == 3 and .messages == 4' "$replay"
    waits_for_sends 2
    # What is judged begins when all ranks have left their first call. It is named where it is a part of the run.
    local begin zero
    begin=$(awk '$1 == "LEAVE" && /"MPI_Session_init"/ && n[$2]++ == 0 { print $3 }' "$printed" | tail -n 1)
    zero=$(sed -n 's/^CLOCK_PROPERTIES .*Global Offset: \([0-9]*\).*/\1/p' "$printed")
    [ "$(jq .window.begin_ns "$replay")" = $((begin - zero)) ]
    printf '0-1 %s\n' '0-50 MPI_Session_init' '80-100 MPI_Session_finalize' >half.txt
    "$BUILD/tools/mktrace" half.txt half
    says 'judged: the 50 ns after MPI_Session_init, 50.0 % of the run' "$PAGODA" replay half
}
