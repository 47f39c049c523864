# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of a program, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
load trace

p2p() {
    traced "$1" 4 trace_p2p
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "p2p ok" ]
    check_archive "$dir"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    local events=$BATS_TEST_TMPDIR/events
    has "0 MpiSend MPI_COMM_WORLD to 1 tag 1 bytes 4" "$events"
    has "1 MpiRecv MPI_COMM_WORLD from 0 tag 2 bytes 4" "$events"
    has "2 MpiSend MPI_COMM_WORLD to 3 tag 3 bytes 4" "$events"
    has "2 MpiRecv MPI_COMM_WORLD from 1 tag 4 bytes 4" "$events"
    has "3 MpiIsend MPI_COMM_WORLD to 0 tag 199 bytes 4" "$events"
    has "0 MpiIrecv MPI_COMM_WORLD from 3 tag 100 bytes 4" "$events"
    # What the receive asked for; even ones come from anywhere.
    has "0 MpiIrecvRequest pagoda::communicator=MPI_COMM_WORLD pagoda::source=3 pagoda::tag=101" "$events"
    has "0 MpiIrecvRequest pagoda::communicator=MPI_COMM_WORLD pagoda::source=-1 pagoda::tag=102" "$events"
    # Each of 4 ranks: 100 nonblocking, 3 from a persistent request, 1 cancelled, 1 by a matched probe;
    # rank 0 one more.
    [ "$(count 'MpiIrecvRequest' "$events")" = 421 ]
    [ "$(count 'MpiIrecv ' "$events")" = 417 ]
    [ "$(count 'MpiRequestCancelled' "$events")" = 4 ]
    [ "$(count 'MpiIsend ' "$events")" = 420 ]
    [ "$(count 'MpiIsendComplete' "$events")" = 420 ]
    # Nothing goes to or comes from MPI_PROC_NULL.
    [ "$(count 'tag [567] ' "$events")" = 0 ]
}

@test "point-to-point messages, blocking, nonblocking, persistent" {
    for_each_mpi p2p
}

errors() {
    traced "$1" 2 trace_p2p with-errors
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "p2p ok" ]
    check_archive "$dir" messages
}

@test "errors that the program handles stay its own" {
    for_each_mpi errors
}

# requests_of MPI ARGUMENTS...: 4 ranks; their events, after a replay that misses nothing.
requests_of() {
    traced "$1" 4 trace_requests "${@:2}"
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "requests ok" ]
    events_of "$dir" messages >"$BATS_TEST_TMPDIR/events"
    "$PAGODA" replay --json "$dir" |
        jq -e '[.warnings[].code] - ["more-ranks-than-cores"] == []'
}

# 10000 of them, one after the other: the process does not grow, nor does the archive much.
short_lived() {
    traced "$1" 2 trace_handles 10000
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "handles ok" ]
    [ "$(sed -n 's/growth \(.*\) KiB/\1/p' "$err")" -lt 500 ]
    [ "$(du -sk "$dir" | cut -f 1)" -lt 5000 ]
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c '^COMM ')" = 10002 ]
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '.trace.messages == 10000 and .trace.collectives == 20002 and .warnings == []' \
        "$BATS_TEST_TMPDIR/replay"
}

@test "10000 short-lived communicators" {
    for_each_mpi short_lived
}

# Each of 4 ranks: 2 x 4 persistent messages in every mode, 2 nonblocking (one freed) and 2
# blocking; 2 receives cancelled. With MPI 4 also 2 in both directions at once, and half a one.
requests() {
    local both=0
    [ "$1" = openmpi ] || both=2
    requests_of "$1"
    local events=$BATS_TEST_TMPDIR/events
    check_archive "$dir"
    [ "$(count 'MpiIsend ' "$events")" = $((4 * (10 + both) + both)) ]
    [ "$(count 'MpiIsendComplete' "$events")" = $((4 * (10 + both) + both)) ]
    [ "$(count 'MpiIrecv ' "$events")" = $((4 * (9 + both) + both)) ]
    [ "$(count 'MpiIrecvRequest' "$events")" = $((4 * (11 + both) + both)) ]
    [ "$(count 'MpiRequestCancelled' "$events")" = 8 ]
    [ "$(count 'MpiSend ' "$events")" = 4 ]
    [ "$(count 'MpiRecv ' "$events")" = 8 ]
    has "0 MpiIsend MPI_COMM_WORLD to 1 tag 21 bytes 4" "$events"
    # Nothing of generalized and partitioned requests, nothing from MPI_PROC_NULL.
    [ "$(count 'tag (5|6|40|50) ' "$events")" = 0 ]
    # Loops that ask in vain become one call, or a few where the process was interrupted.
    [ "$(count '^0 Enter MPI_(Request_get_status|Parrived)' "$events")" -lt 30 ]
}

@test "persistent, freed, cancelled, generalized requests and looks at them" {
    for_each_mpi requests
}

# Beyond that: 10 messages with one tag, 8 of them too long for their receive; each has been
# received, and so the last one is the one it is.
too_long() {
    requests_of "$1" errors
    local events=$BATS_TEST_TMPDIR/events
    [ "$(count 'Send .* tag 60 |Isend .* tag 60 ' "$events")" = 40 ]
    [ "$(count 'cv .* tag 60 ' "$events")" = 40 ]
    [ "$(grep 'cv .* tag 60 ' "$events" | grep -c '^3 .* bytes 8$')" -ge 1 ]
}

@test "messages that are too long for their receive are received" {
    for_each_mpi too_long
}

# Rank 0 polls twice for 20 ms: as one record, or a few where the process was interrupted.
polling() {
    traced "$1" 2 trace_p2p
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    local calls polls
    calls=$(count '^0 Enter MPI_Test' "$BATS_TEST_TMPDIR/events")
    polls=$(sed -n 's/^0 Enter MPI_Test .*poll_count=\([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/events" |
        sort -n | tail -1)
    echo "$calls calls, the longest of $polls polls"
    [ "$calls" -lt 30 ]
    [ "$polls" -gt 10 ]
}

@test "polling loops are folded" {
    for_each_mpi polling
}

# Records of polls at every place of the windows through which they are written.
many_polls() {
    traced "$1" 2 trace_end poll 60
    [ "$status" = 0 ]
    otf2-print -G "$dir/traces.otf2" | awk '$1 == "LOCATION" { n++
        if ($0 !~ /Events: 22[0-9][0-9][0-9][0-9][0-9],/) { print; exit 1 } } END { exit n != 2 }'
}

@test "polls that cannot be folded, through many windows" {
    for_each_mpi many_polls
}

communicators() {
    traced "$1" 4 trace_comm
    [ "$status" = 0 ]
    check_archive "$dir"
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
        jq -e '[.warnings[].code] - ["more-ranks-than-cores"] == []'
    # World, self; by split 2 halves, 1 reversed, 1 of three; 2 duplicates and 4 of self; 1 by
    # create, 1 by create_group, 1 grid, 2 rows; 2 halves, 1 merged; 2 by idup, 4 in other ways;
    # 100 short-lived ones. With MPI 4 also 1 by create_from_group.
    local n=126
    [ "$1" = openmpi ] || n=127
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c '^COMM ')" = "$n" ]
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c '^INTER_COMM ')" = 1 ]
}

@test "communicators of every origin, the same for all their members" {
    for_each_mpi communicators
}

collectives() {
    traced "$1" 4 trace_coll
    [ "$status" = 0 ]
    check_archive "$dir"
    events_of "$dir" | grep CollectiveEnd | grep -v HANDLE >"$BATS_TEST_TMPDIR/events"
    diff "$ROOT/tests/mpi/trace_coll.expected" "$BATS_TEST_TMPDIR/events"
    # A nonblocking one says its communicator when it is posted.
    events_of "$dir" >"$BATS_TEST_TMPDIR/all"
    local n_posted
    n_posted=$(count NonBlockingCollectiveRequest "$BATS_TEST_TMPDIR/all")
    [ "$n_posted" -gt 0 ]
    [ "$n_posted" = "$(count NonBlockingCollectiveComplete "$BATS_TEST_TMPDIR/all")" ]
    sed -n 's/^\([0-9]*\) NonBlockingCollectiveRequest pagoda::communicator=/\1 /p' \
        "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/posted"
    sed -n 's/ root [0-9]*//; s/^\([0-9]*\) NonBlockingCollectiveComplete [A-Z_]* \(.*\) sent .*/\1 \2/p' \
        "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/completed"
    diff <(sort "$BATS_TEST_TMPDIR/posted") <(sort "$BATS_TEST_TMPDIR/completed")
}

@test "collectives with operation, root and bytes" {
    for_each_mpi collectives
}

collective_forms() {
    traced "$1" 4 trace_collforms
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "collforms ok" ]
    check_archive "$dir"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    diff "$ROOT/tests/mpi/trace_collforms.expected" \
        <(grep -E 'Collective(End|Complete)' "$BATS_TEST_TMPDIR/events")
    [ "$(count NonBlockingCollectiveRequest "$BATS_TEST_TMPDIR/events")" = $((4 * (17 + 4 + 1))) ]
    has "3 MpiIsend MPI_COMM_WORLD to 0 tag 1 bytes 4" "$BATS_TEST_TMPDIR/events"
    # Counts of zero and two groups let ranks go before others come: no clock is wrong there.
    "$PAGODA" replay --json "$dir" |
        jq -e '[.warnings[].code] - ["more-ranks-than-cores"] == []'
}

@test "collectives that are persistent, in place, between groups, with counts of zero" {
    for_each_mpi collective_forms
}

# exchanged EVENTS: of each rank the messages of neighbourhood collectives, sent and received, as the
# program prints them.
exchanged() {
    awk '$2 ~ /^Mpi(Send|Isend|Recv|Irecv)$/ && $(NF - 2) == 2147483648 {
             to = $2 ~ /nd$/; n[$1, to]++; bytes[$1, to] += $NF }
         END { for (i = 0; i < 4; i++) printf "rank %d sent %d %d received %d %d\n", i,
                   n[i, 1], bytes[i, 1], n[i, 0], bytes[i, 0] }' "$1"
}

neighbors() {
    traced "$1" 4 trace_neighbor
    [ "$status" = 0 ]
    has "neighbor ok" "$out"
    check_archive "$dir"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    diff <(grep '^rank ' "$err" | sort) <(exchanged "$BATS_TEST_TMPDIR/events")
    # Late senders, if any, but no order that could be changed, and no collective to wait for.
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '[.warnings[].code] - ["more-ranks-than-cores"] == []' "$BATS_TEST_TMPDIR/replay"
    jq -e '[.patterns[] | select(.id | startswith("late-sender-wrong-order")) | .count] | add == 0' \
        "$BATS_TEST_TMPDIR/replay"
    [ "$(jq .trace.messages "$BATS_TEST_TMPDIR/replay")" = 796 ]
}

@test "neighbourhood collectives are messages between neighbours" {
    for_each_mpi neighbors
}

brackets() {
    traced "$1" 2 trace_end exit 0
    events_of "$dir" | grep '^1 ' | sed '/Metric/d' >"$BATS_TEST_TMPDIR/events"
    diff - "$BATS_TEST_TMPDIR/events" <<'EOF'
1 Enter MPI_Init
1 MpiCollectiveBegin
1 MpiCollectiveEnd CREATE_HANDLE MPI_COMM_WORLD sent 0 received 0
1 Leave MPI_Init
1 Enter MPI_Comm_rank
1 Leave MPI_Comm_rank
1 Enter MPI_Barrier
1 MpiCollectiveBegin
1 MpiCollectiveEnd BARRIER MPI_COMM_WORLD sent 0 received 0
1 Leave MPI_Barrier
1 Enter MPI_Finalize
1 MpiCollectiveBegin
1 MpiCollectiveEnd DESTROY_HANDLE MPI_COMM_WORLD sent 0 received 0
1 Leave MPI_Finalize
EOF
}

@test "start and end of MPI are collective operations" {
    for_each_mpi brackets
}

# cores MPI N CORES: traces N ranks that may use these cores only; prints what the archive and the
# replay make of it.
cores() {
    launch "$1" "$2"
    dir=$BATS_TEST_TMPDIR/cores-$1-$2-$3
    timeout -k 5 60 taskset -c "$3" "$PAGODA" trace -o "$dir" -- "${line[@]}" \
        "$BUILD/programs/$1/trace_end" >/dev/null
    otf2-print -G "$dir/traces.otf2" | sed -n 's/.*"PAGODA::CORES".*UINT32, Value: \([0-9]*\).*/\1/p'
    "$PAGODA" replay --json "$dir" |
        jq -c '[.nodes[0].cores, .nodes[0].ranks, (.warnings[] | .code, .count)]'
}

cores_of_node() {
    local first
    first=$(taskset -pc $$ | sed 's/.*: //; s/[^0-9].*//')
    [ "$(cores "$1" 3 "$first")" = $'1\n[1,3,"more-ranks-than-cores",2]' ]
    [ "$(cores "$1" 1 "$first")" = $'1\n[1,1]' ]
    "$PAGODA" replay "$BATS_TEST_TMPDIR/cores-$1-3-$first" | grep -q '3 ranks on 1 node with 1 core,'
}

@test "the cores that the ranks of a node may use" {
    for_each_mpi cores_of_node
}

user_regions() {
    traced "$1" 2 trace_user
    untraced "$1" 2 trace_user
    cmp "$out" "$plain_out"
    events_of "$dir" | grep '^1 ' | grep -v -e Metric -e MPI_ -e Mpi >"$BATS_TEST_TMPDIR/events"
    check_archive "$dir"
    has "1 Enter before" "$BATS_TEST_TMPDIR/events"
    has "1 Enter step begins step=2.0 unknowns=1000.0" "$BATS_TEST_TMPDIR/events"
    has "1 Enter phase 2" "$BATS_TEST_TMPDIR/events"
    has "1 Leave after" "$BATS_TEST_TMPDIR/events"
    [ "$(count 'Enter iterate' "$BATS_TEST_TMPDIR/events")" = 3 ]
    [ "$(count hidden "$BATS_TEST_TMPDIR/events")" = 0 ]
}

@test "regions and markers of pagoda.h" {
    for_each_mpi user_regions
}

instrumented() {
    has_mpi "$1"
    launch "$1" 2
    "$PAGODA" trace -o "$BATS_TEST_TMPDIR/$1" -- "${line[@]}" "$BUILD/programs/$1-regions/trace_p2p"
    check_archive "$BATS_TEST_TMPDIR/$1"
    events_of "$BATS_TEST_TMPDIR/$1" >"$BATS_TEST_TMPDIR/events"
    [ "$(count '^1 Enter main$' "$BATS_TEST_TMPDIR/events")" = 1 ]
    [ "$(count '^1 Leave nonblocking$' "$BATS_TEST_TMPDIR/events")" = 1 ]
    otf2-print -G "$BATS_TEST_TMPDIR/$1/traces.otf2" | grep '"nonblocking"' | grep -q 'trace_p2p.c'
}

@test "functions compiled with -finstrument-functions, with names and source lines" {
    for_each_mpi instrumented
}

threads() {
    traced "$1" 2 trace_threads
    [ "$status" = 0 ]
    check_archive "$dir"
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c '^LOCATION ')" = 10 ]
}

@test "threads that call MPI have locations of their own" {
    for_each_mpi threads
}

# Rank 1 has its clock 5000 s ahead, in a time namespace of its own. On a busy machine the measured
# offset is as uncertain as its own deviation says.
clocks() {
    launch "$1" 1
    dir=$BATS_TEST_TMPDIR/$1
    "$PAGODA" trace -o "$dir" -- "${line[@]}" "$BUILD/programs/$1/trace_end" : \
        -n 1 unshare -T --monotonic 5000 "$BUILD/programs/$1/trace_end"
    check_archive "$dir"
    otf2-print -C "$dir/traces.otf2" | awk '$1 == "CLOCK_OFFSET" { n++
        error = $6 + 5000e9; if (error < 0) error = -error
        if ($2 != 1 || error > 1e6 + 5 * $8 || $8 > 1e8) { print; exit 1 } } END { exit n != 2 }'
}

@test "clocks of different nodes are measured at both ends of the run" {
    unshare -T true 2>/dev/null || skip "no time namespaces here (needs root)"
    for_each_mpi clocks
}

# tests/programs/spa: the process time outside MPI is there, and no larger than the time.
process_time() {
    traced "$1" 2 spa
    [ "$status" = 0 ]
    check_archive "$dir"
    otf2-print -G "$dir/traces.otf2" | grep METRIC_MEMBER | grep process_cpu_time | grep -q ACCUMULATED
    # The two values of an interval between calls: right after the leave, right before the enter.
    otf2-print "$dir/traces.otf2" | awk '
        $1 == "LEAVE" { state[$2] = 1 }
        $1 == "ENTER" { state[$2] = 0 }
        $1 == "METRIC" { value = $0; sub(/.*UINT64; /, "", value); sub(/\).*/, "", value)
            value += 0
            if (value < cpu[$2]) { print; n_bad++ }
            if (state[$2] == 2) { n++; used[$2] += value - cpu[$2]; passed[$2] += $3 - time[$2] }
            cpu[$2] = value; time[$2] = $3; state[$2]++ }
        # A thread of MPI itself may run beside: the bound holds for the sum, not each interval.
        END { for (i in used) if (used[i] > passed[i] * 1.1 + 1e7) { print i, used[i], passed[i]; n_bad++ }
              exit n < 10 || n_bad }'
}

@test "process time is sampled" {
    for_each_mpi process_time
}
