# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of messages and requests: started, polled, given up, failed, under Open MPI and
# MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# Rank 0 polls twice for 20 ms: as one record, or a few where the process was interrupted, which is
# often on a busy machine. Between its polls it does nothing, so some loop of more than 10 is polling from
# begin to end.
polling() {
    local try calls polls
    for try in 1 2 3 4 5; do # rank 0 may get the core when the message is there
        traced "$1" 2 every polling
        events_of "$dir" >"$BATS_TEST_TMPDIR/events"
        count_polls MPI_Test
        [ "$polls" -le 10 ] || [ "$(nothing_else)" = 0 ] || break
    done
    [ "$polls" -gt 10 ]
    [ "$(nothing_else)" -gt 0 ]
    [ "$calls" -lt $((10 + polls / 10)) ]
}

# count_polls PATTERN: $calls of these functions on rank 0, and $polls that they stand for.
count_polls() {
    calls=$(count "^0 Enter ($1)( |\$)" "$BATS_TEST_TMPDIR/events")
    polls=$(sed -nE "s/^0 Enter ($1) .*poll_count=([0-9]*).*/\2/p" "$BATS_TEST_TMPDIR/events" |
        awk '{ n += $1 } END { print n + 0 }')
    echo "$calls calls for $polls polls"
}

# How many loops of rank 0 with more than 10 polls are polling all of their time.
nothing_else() {
    otf2-print "$dir/traces.otf2" | awk "$since"'
        $1 == "ENTER" && $2 == 0 { entered = $3 }
        /poll_count/ { match($0, /poll_count"[^;]*; UINT64; [0-9]*/); n = substr($0, RSTART, RLENGTH); sub(/.*; /, "", n)
            match($0, /poll_ns"[^;]*; UINT64; [0-9]*/); ns = substr($0, RSTART, RLENGTH); sub(/.*; /, "", ns) }
        $1 == "LEAVE" && $2 == 0 { n_loops += n > 10 && since($3, entered) == ns; n = 0 }
        END { print n_loops + 0 }'
}

@test "polling loops are folded" { for_each_mpi polling; }

# Records of polls at every place of the windows through which they are written.
many_polls() {
    traced "$1" 2 trace_end poll 60
    [ "$status" = 0 ]
    otf2-print -G "$dir/traces.otf2" | awk '$1 == "LOCATION" { n++
        if ($0 !~ /Events: 22[0-9][0-9][0-9][0-9][0-9],/) { print; exit 1 } } END { exit n != 2 }'
}

@test "polls that cannot be folded, through many windows" { for_each_mpi many_polls; }

# Each of 4 ranks sends 360 nonblocking messages, which are completed in all ways; in each of 4 modes a blocking
# and a nonblocking one, and two persistent ones; 4 that are probed for, 2 persistent ones beside a null request,
# one that is freed, 3 in both directions at once. It cancels 3 receives. With MPI 4 it sends 2 more in both
# directions, every second rank half a one, and 2 in parts.
requests() {
    local more=0 half=0 parts=0 chapters=(p2p requests)
    [ "$1" = openmpi ] || more=2 half=2 parts=8 chapters+=(partitioned)
    traced "$1" 4 every "${chapters[@]}"
    [ "$status" = 0 ]
    local events=$BATS_TEST_TMPDIR/events
    events_of "$dir" >"$events"
    replays_well
    [ "$(count 'MpiIsend ' "$events")" = $((4 * (360 + 4 + 8 + 4 + 2 + 1 + more) + half + parts)) ]
    [ "$(count 'MpiIsendComplete' "$events")" = $((4 * (360 + 4 + 8 + 4 + 2 + 1 + more) + half + parts)) ]
    [ "$(count 'MpiIrecv ' "$events")" = $((4 * (360 + 8 + 8 + 1 + 2 + more) + half + parts)) ]
    [ "$(count 'MpiIrecvRequest' "$events")" = $((4 * (360 + 8 + 8 + 1 + 2 + 3 + more) + half + parts)) ]
    [ "$(count 'MpiRequestCancelled' "$events")" = 12 ]
    [ "$(count 'MpiSend ' "$events")" = $((4 * (4 + 3))) ]
    [ "$(count 'MpiRecv ' "$events")" = $((4 * (3 + 3 + 1))) ]
    has "0 MpiSend MPI_COMM_WORLD to 1 tag 1 bytes 20" "$events"
    has "1 MpiRecv MPI_COMM_WORLD from 0 tag 40 bytes 20" "$events"
    has "2 MpiSend MPI_COMM_WORLD to 3 tag 30 bytes 20" "$events"
    has "2 MpiRecv MPI_COMM_WORLD from 1 tag 31 bytes 20" "$events"
    has "3 MpiIsend MPI_COMM_WORLD to 0 tag 39 bytes 4" "$events"
    has "0 MpiIrecv MPI_COMM_WORLD from 3 tag 13 bytes 20" "$events"
    # What the receive asked for; some come from anywhere.
    has "0 MpiIrecvRequest pagoda::communicator=MPI_COMM_WORLD pagoda::source=3 pagoda::tag=39" "$events"
    has "0 MpiIrecvRequest pagoda::communicator=MPI_COMM_WORLD pagoda::source=-1 pagoda::tag=-1" "$events"
    # What is sent in parts is one message.
    [ "$(count 'MpiIsend .* tag 1 bytes 24' "$events")" = $parts ]
    [ "$(count 'MpiIrecv .* tag 1 bytes 24' "$events")" = $parts ]
    # Nothing of generalized requests, nothing to or from MPI_PROC_NULL.
    [ "$(count 'tag 50 ' "$events")" = 0 ]
    # Loops that ask in vain become one call, or a few where the process was interrupted.
    local calls polls
    count_polls 'MPI_Request_get_status|MPI_Parrived'
    [ "$calls" -lt $((10 + polls / 10)) ]
}

@test "messages of every kind; requests that are persistent, freed, cancelled, generalized, and looks at them" {
    for_each_mpi requests
}

# Who waits for a message in parts waits for the last of them.
parts() {
    traced "$1" 2 every late_part
    [ "$status" = 0 ]
    check_archive "$dir" messages
    [ "$1" = openmpi ] && return # version 4 has none
    # Each is sent by the last of four.
    awk '$1 == "ENTER" && $2 == 0 && /"MPI_Pready"/ { n++ } $1 == "MPI_ISEND" && $2 == 0 { print n }' "$printed" |
        diff - <(printf '%s\n' 4 8 12)
    "$PAGODA" replay --json "$dir" >"$replay"
    waits_for_sends 1
}

@test "the last part of a partitioned message is what its receiver waits for" { for_each_mpi parts; }

# Messages that are too long for their receives, of each kind, have been received all the same.
too_long() {
    traced "$1" 4 every faults
    [ "$status" = 0 ]
    events_of "$dir" messages >"$BATS_TEST_TMPDIR/events" # MPICH gives a message that was cut off another size
    replays_well
    [ "$(count '(Send|Isend) ' "$BATS_TEST_TMPDIR/events")" = 216 ]
    [ "$(count '(Recv|Irecv) ' "$BATS_TEST_TMPDIR/events")" = 216 ]
}

@test "messages that are too long for their receive are received" { for_each_mpi too_long; }
