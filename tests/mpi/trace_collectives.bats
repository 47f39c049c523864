# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of collective operations, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# expected: the records that trace_collectives.expected wants. A line without a kind of record stands for three
# forms: blocking, nonblocking and persistent operations, one after the other.
expected() {
    local kind file=$ROOT/tests/mpi/trace_collectives.expected
    {
        for kind in MpiCollectiveEnd NonBlockingCollectiveComplete NonBlockingCollectiveComplete; do
            sed -nE "s/^([0-9-]+) ([A-Z_]+ )/\1 $kind \2/p" "$file"
        done
        grep -vE '^[0-9-]+ [A-Z_]+ ' "$file"
    } | by_rank
}

collectives() {
    traced "$1" 4 every collectives
    [ "$status" = 0 ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/all"
    grep -E 'Collective(End|Complete)' "$BATS_TEST_TMPDIR/all" | grep -v HANDLE | diff <(expected) -
    has "3 MpiIsend MPI_COMM_WORLD to 0 tag 1 bytes 4" "$BATS_TEST_TMPDIR/all"
    # A nonblocking one says its communicator when it is posted.
    sed -n 's/^\([0-9]*\) NonBlockingCollectiveRequest pagoda::communicator=/\1 /p' \
        "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/posted"
    sed -n 's/ root [0-9]*//; s/^\([0-9]*\) NonBlockingCollectiveComplete [A-Z_]* \(.*\) sent .*/\1 \2/p' \
        "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/completed"
    diff <(sort "$BATS_TEST_TMPDIR/posted") <(sort "$BATS_TEST_TMPDIR/completed")
    # Counts of zero let ranks go before others come: no clock is wrong there.
    replays_well
    # b of formulas is the count of the call, 16, in place as elsewhere: each of 31 takes 1000 s, whatever else
    # the run takes.
    cat >"$BATS_TEST_TMPDIR/machine.xml" <<'END'
<machine><message scope="network"><point bytes="0" time="0s"/></message>
<collective op="allreduce" time="b == 16 ? 1e3 : 0"/>
<collective op="allgather" time="b == 16 ? 1e3 : 0"/>
<collective op="gather" time="b == 16 ? 1e3 : 0"/>
<collective op="scatter" time="b == 16 ? 1e3 : 0"/></machine>
END
    "$PAGODA" replay --json --machine "$BATS_TEST_TMPDIR/machine.xml" "$dir" |
        jq -e '.whatif.predicted_ns / 1e12 | floor == 31'
}

@test "collectives with operation, root and bytes: each form, in place, with counts of zero" {
    for_each_mpi collectives
}

# exchanged EVENTS: of each rank the messages of neighbourhood collectives, sent and received, as the
# program prints them.
exchanged() {
    awk '$2 ~ /^Mpi(Send|Isend|Recv|Irecv)$/ && /pagoda neighbourhood collectives/ && $(NF - 2) == 0 {
             to = $2 ~ /nd$/; n[$1, to]++; bytes[$1, to] += $NF }
         END { for (i = 0; i < 4; i++) printf "  %d: sent %d %d received %d %d\n", i,
                   n[i, 1], bytes[i, 1], n[i, 0], bytes[i, 0] }' "$1"
}

neighbours() {
    traced "$1" 4 every neighbours
    [ "$status" = 0 ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    diff <(grep ': sent ' "$out") <(exchanged "$BATS_TEST_TMPDIR/events")
    # Late senders, if any, but no order that could be changed, and no collective to wait for.
    replays_well
    jq -e '.trace.messages == 796 and
        ([.patterns[] | select(.id | startswith("late-sender-wrong-order")) | .count] | add == 0)' "$replay"
}

@test "neighbourhood collectives are messages between neighbours" { for_each_mpi neighbours; }
