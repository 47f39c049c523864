# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of collective operations, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# expected NAME: the lines of the file NAME.expected, one a rank: `0-2 X` there is X of ranks 0 to 2.
expected() {
    awk '{ n = split($1, rank, "-"); for (i = rank[1]; i <= rank[n]; i++) { $1 = i; print } }' \
        "$ROOT/tests/mpi/$1.expected" | sort -s -n -k 1,1
}

collectives() {
    traced "$1" 4 trace_coll
    [ "$status" = 0 ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/all"
    grep CollectiveEnd "$BATS_TEST_TMPDIR/all" | grep -v HANDLE | diff <(expected trace_coll) -
    # A nonblocking one says its communicator when it is posted.
    local n_posted
    n_posted=$(count NonBlockingCollectiveRequest "$BATS_TEST_TMPDIR/all")
    [ "$n_posted" -gt 0 ]
    [ "$n_posted" = "$(count NonBlockingCollectiveComplete "$BATS_TEST_TMPDIR/all")" ]
    sed -n 's/^\([0-9]*\) NonBlockingCollectiveRequest pagoda::communicator=/\1 /p' \
        "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/posted"
    sed -n 's/ root [0-9]*//; s/^\([0-9]*\) NonBlockingCollectiveComplete [A-Z_]* \(.*\) sent .*/\1 \2/p' \
        "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/completed"
    diff <(sort "$BATS_TEST_TMPDIR/posted") <(sort "$BATS_TEST_TMPDIR/completed")
    # b of formulas is the count of the call, 16, in place (allreduce, allgather, gather, scatter) as
    # elsewhere: each of the nine takes 1000 s, whatever else the run takes.
    cat >"$BATS_TEST_TMPDIR/machine.xml" <<'END'
<machine><message scope="network"><point bytes="0" time="0s"/></message>
<collective op="allreduce" time="b == 16 ? 1e3 : 0"/>
<collective op="allgather" time="b == 16 ? 1e3 : 0"/>
<collective op="gather" time="b == 16 ? 1e3 : 0"/>
<collective op="scatter" time="b == 16 ? 1e3 : 0"/></machine>
END
    "$PAGODA" replay --json --machine "$BATS_TEST_TMPDIR/machine.xml" "$dir" |
        jq -e '.whatif.predicted_ns / 1e12 | floor == 9'
}

@test "collectives with operation, root and bytes" { for_each_mpi collectives; }

collective_forms() {
    traced "$1" 4 trace_collforms
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "collforms ok" ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    diff <(expected trace_collforms) <(grep -E 'Collective(End|Complete)' "$BATS_TEST_TMPDIR/events")
    [ "$(count NonBlockingCollectiveRequest "$BATS_TEST_TMPDIR/events")" = $((4 * (17 + 4 + 1))) ]
    has "3 MpiIsend MPI_COMM_WORLD to 0 tag 1 bytes 4" "$BATS_TEST_TMPDIR/events"
    # Counts of zero and two groups let ranks go before others come: no clock is wrong there.
    "$PAGODA" replay --json "$dir" |
        jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []'
}

@test "collectives that are persistent, in place, between groups, with counts of zero" {
    for_each_mpi collective_forms
}

# exchanged EVENTS: of each rank the messages of neighbourhood collectives, sent and received, as the
# program prints them.
exchanged() {
    awk '$2 ~ /^Mpi(Send|Isend|Recv|Irecv)$/ && /pagoda neighbourhood collectives/ && $(NF - 2) == 0 {
             to = $2 ~ /nd$/; n[$1, to]++; bytes[$1, to] += $NF }
         END { for (i = 0; i < 4; i++) printf "rank %d sent %d %d received %d %d\n", i,
                   n[i, 1], bytes[i, 1], n[i, 0], bytes[i, 0] }' "$1"
}

neighbors() {
    traced "$1" 4 trace_neighbor
    [ "$status" = 0 ]
    has "neighbor ok" "$out"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    diff <(grep '^rank ' "$out") <(exchanged "$BATS_TEST_TMPDIR/events")
    # Late senders, if any, but no order that could be changed, and no collective to wait for.
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []' "$BATS_TEST_TMPDIR/replay"
    jq -e '[.patterns[] | select(.id | startswith("late-sender-wrong-order")) | .count] | add == 0' \
        "$BATS_TEST_TMPDIR/replay"
    [ "$(jq .trace.messages "$BATS_TEST_TMPDIR/replay")" = 796 ]
}

@test "neighbourhood collectives are messages between neighbours" { for_each_mpi neighbors; }
