# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of messages and requests: started, polled, given up, failed, under Open MPI and
# MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# Rank 0 polls twice for 20 ms: as one record, or a few where the process was interrupted, which is
# often on a busy machine.
polling() {
    local try calls polls
    for try in 1 2 3 4 5; do # rank 0 may get the core when the message is there
        traced "$1" 2 trace_requests
        events_of "$dir" >"$BATS_TEST_TMPDIR/events"
        count_polls MPI_Test
        [ "$polls" -le 10 ] || break
    done
    [ "$polls" -gt 10 ]
    [ "$calls" -lt $((10 + polls / 10)) ]
}

# count_polls PATTERN: $calls of these functions on rank 0, and $polls that they stand for.
count_polls() {
    calls=$(count "^0 Enter ($1)( |\$)" "$BATS_TEST_TMPDIR/events")
    polls=$(sed -nE "s/^0 Enter ($1) .*poll_count=([0-9]*).*/\2/p" "$BATS_TEST_TMPDIR/events" |
        awk '{ n += $1 } END { print n + 0 }')
    echo "$calls calls for $polls polls"
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

# requests_of MPI ARGUMENTS...: 4 ranks; their events, after a replay that misses nothing.
requests_of() {
    traced "$1" 4 trace_requests "${@:2}"
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "requests ok" ]
    events_of "$dir" messages >"$BATS_TEST_TMPDIR/events"
    "$PAGODA" replay --json "$dir" |
        jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []'
}

# Each of 4 ranks: 100 messages nonblocking, 3 persistent, 2 by matched probes, one receive cancelled; rank
# 0 polls for two more. Then 2 x 4 persistent ones in every mode, 2 nonblocking (one freed) and 2 blocking;
# 2 receives cancelled. With MPI 4 also 2 in both directions at once, and half a one, and one in two parts.
requests() {
    local both=0 parted=0
    [ "$1" = openmpi ] || both=2 parted=4
    requests_of "$1"
    local events=$BATS_TEST_TMPDIR/events
    check_archive "$dir"
    [ "$(count 'MpiIsend ' "$events")" = $((420 + 4 * (10 + both) + both + parted)) ]
    [ "$(count 'MpiIsendComplete' "$events")" = $((420 + 4 * (10 + both) + both + parted)) ]
    [ "$(count 'MpiIrecv ' "$events")" = $((417 + 4 * (9 + both) + both + parted)) ]
    [ "$(count 'MpiIrecvRequest' "$events")" = $((421 + 4 * (11 + both) + both + parted)) ]
    [ "$(count 'MpiRequestCancelled' "$events")" = 12 ]
    [ "$(count 'MpiSend ' "$events")" = 18 ]
    [ "$(count 'MpiRecv ' "$events")" = 25 ]
    has "0 MpiSend MPI_COMM_WORLD to 1 tag 1 bytes 4" "$events"
    has "1 MpiRecv MPI_COMM_WORLD from 0 tag 2 bytes 4" "$events"
    has "2 MpiSend MPI_COMM_WORLD to 3 tag 3 bytes 4" "$events"
    has "2 MpiRecv MPI_COMM_WORLD from 1 tag 4 bytes 4" "$events"
    has "3 MpiIsend MPI_COMM_WORLD to 0 tag 199 bytes 4" "$events"
    has "0 MpiIrecv MPI_COMM_WORLD from 3 tag 100 bytes 4" "$events"
    # What the receive asked for; even ones come from anywhere.
    has "0 MpiIrecvRequest pagoda::communicator=MPI_COMM_WORLD pagoda::source=3 pagoda::tag=101" "$events"
    has "0 MpiIrecvRequest pagoda::communicator=MPI_COMM_WORLD pagoda::source=-1 pagoda::tag=102" "$events"
    # What is sent in parts is one message.
    [ "$(count 'MpiIsend .* tag 40 bytes 8' "$events")" = $parted ]
    [ "$(count 'MpiIrecv .* tag 40 bytes 8' "$events")" = $parted ]
    # Nothing of generalized requests, nothing to or from MPI_PROC_NULL.
    [ "$(count 'tag (5|6|7|50) ' "$events")" = 0 ]
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
    traced "$1" 2 trace_parts
    [ "$status" = 0 ]
    check_archive "$dir" messages
    [ "$1" = openmpi ] && return # version 4 has none
    [ "$(cat "$out")" = "sum 30" ]
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/report"
    jq -e '.patterns[] | select(.id == "late-sender") | .count == 3 and .total_ns > 3 * 15e6' \
        "$BATS_TEST_TMPDIR/report"
}

@test "the last part of a partitioned message is what its receiver waits for" { for_each_mpi parts; }

errors() {
    traced "$1" 2 trace_requests short
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "requests ok" ]
    check_archive "$dir" messages
}

@test "errors that the program handles stay its own" { for_each_mpi errors; }

# Beyond that: 10 messages with one tag, 8 of them too long for their receive; each has been
# received, and so the last one is the one it is.
too_long() {
    requests_of "$1" errors
    local events=$BATS_TEST_TMPDIR/events
    [ "$(count 'Send .* tag 60 |Isend .* tag 60 ' "$events")" = 40 ]
    [ "$(count 'cv .* tag 60 ' "$events")" = 40 ]
    [ "$(grep 'cv .* tag 60 ' "$events" | grep -c '^3 .* bytes 8$')" -ge 1 ]
}

@test "messages that are too long for their receive are received" { for_each_mpi too_long; }
