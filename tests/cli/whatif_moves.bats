# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --move, --move-data, --overlap, --aggregate: traces of tests/traces/whatif computed by
# hand; what is printed; bad input.
load ../whatif
TRACE=client-server

@test "move: a procedure of the server is done by its clients" {
    [ "$(predict --move 'servBusy*=0:1,2')" = "$(predict --move servBusy1=0:1 --move servBusy2=0:2)" ]
}

@test "move: work is done in a path of its region at the receiver, outside MPI" {
    "$PAGODA" replay --json --move servBusy1=0:1 trace >out.json
    # 1300 and 900 of work before; 600 change sides.
    jq -e '[.whatif.ranks[].busy_ns] == [1000, 900, 300]' out.json
    jq -e '.whatif.moves == [{move: "servBusy1=0:1", moved_ns: 600, messages: 2, stayed_ns: 0}]' out.json
    # servBusy2 moved is part of the critical path: on rank 2, 500 twice.
    "$PAGODA" replay --json --move servBusy2=0:2 trace |
        jq -e '.whatif.critical_path.regions[] | select(.region == "servBusy2") | .time_ns == 1000'
}

@test "move: work for others than TO stays, and nothing changes" {
    [ "$(predict --move servBusy1=0:2)" = "$(predict --cores 9)" ]
    "$PAGODA" replay --json --move servBusy1=0:2 trace |
        jq -e '.whatif.moves[0] | .moved_ns == 0 and .messages == 0 and .stayed_ns == 600'
    [ "$(predict --move servBusy1=1:0)" = "$(predict --cores 9)" ]
}

@test "move: what a client does goes back to the server, and time for time with the next request" {
    # The last 100 of each client come after its last message: they stay. The first 100 go with the
    # first request, which is sent at once.
    "$PAGODA" replay --json --move think=1,2:0 trace >out.json
    jq -e '.whatif.moves[0] | .moved_ns == 400 and .messages == 4 and .stayed_ns == 200' out.json
    jq -e '[.whatif.ranks[].busy_ns] == [2000, 100, 100]' out.json
}

@test "move: the client/server algorithm agrees where its assumptions hold" {
    # Its longest path: rank 2's with servBusy1 moved, and no rank waits for a message with work.
    "$PAGODA" replay --json --move servBusy1=0:1 trace |
        jq -e '.whatif | .algorithm == "general" and .client_server ==
            {path_ns: 1300, in_turn_path_ns: 1300, unchanged_path_ns: 1800, predicted_ns: .predicted_ns}'
    # servBusy2 is done by rank 2 while it waits, by that algorithm.
    "$PAGODA" replay --json --move servBusy2=0:2 trace |
        jq -e '.whatif | .predicted_ns == 1600 and .client_server ==
            {path_ns: 1300, in_turn_path_ns: 1600, unchanged_path_ns: 1800, predicted_ns: 1300}'
    run "$PAGODA" replay --move servBusy2=0:2 trace
    [[ $output == *"servBusy2=0:2: 1.000 us of process time, with 2"* ]]
    [[ $output == *"differs by 300 ns because moved work"* ]]
}

@test "move: data that comes along" {
    cat >machine.xml <<'END'
<machine><message scope="network"><point bytes="0" time="0"/><point bytes="1000" time="100ns"/></message></machine>
END
    "$PAGODA" replay --json --machine machine.xml --move servBusy1=0:1 --move-data 0,1000,4000 trace |
        jq -e '[.whatif.points[] | .set["move-data"], .moves[0].moved_ns] == ["0", 600, "1000", 600, "4000", 600]'
    # The published algorithm beside each: it knows no data.
    run "$PAGODA" replay --machine machine.xml --move servBusy1=0:1 --move-data 0,1000 trace
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output =~ 'move-data predicted change client/server 0 1.300 '[^%]*' % '([0-9.]+)' 1000 1.300 '[^%]*' % '([0-9.]+) ]]
    [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
}

@test "move: with other changes" {
    # Half the work moved; all ranks on one core: the sum of all work.
    [ "$(predict --move servBusy1=0:1 --scale servBusy1=0.5 | jq .[2])" -lt 1000 ]
    [ "$(predict --move servBusy1=0:1 --nodes 1 | jq .[0])" = "$(predict --nodes 1 | jq .[0])" ]
    [ "$(predict --move servBusy1=0:1 --scale servBusy1=0)" = "$(predict --scale servBusy1=0)" ]
}

@test "move: across messages of the region itself, not across collective operations" {
    use move-nested
    "$PAGODA" replay --json --move serve=0:1 trace |
        jq -e '.whatif.moves[0] | .moved_ns == 200 and .messages == 1 and .stayed_ns == 100'
}

# from_to OPTION FROM TO: the run with the services FROM at the clients, predicted from it what it
# takes with TO there: less than 3 in a thousand off.
from_to() {
    local services
    IFS=, read -ra services <<<"$2"
    /usr/bin/python3 "$ROOT/tests/cli/ideal_spa.py" "${services[@]}" >spa.txt 2>/dev/null
    rm -rf trace
    "$BUILD/tools/mktrace" spa.txt trace
    IFS=, read -ra services <<<"$3"
    /usr/bin/python3 "$ROOT/tests/cli/ideal_spa.py" "${services[@]}" 2>true.ns >/dev/null
    "$PAGODA" replay --json --move "$1" trace |
        jq -e --argjson true "$(cat true.ns)" '.whatif | (.predicted_ns / $true - 1) | fabs < 0.003'
}

@test "move: the program spa on an ideal machine, either service on either side" {
    from_to servBusy1=0:1 '' servBusy1
    from_to servBusy2=0:2-3 '' servBusy2
    from_to 'servBusy*=0:1-3' '' servBusy1,servBusy2
    from_to servBusy1=1:0 servBusy1 ''
    from_to servBusy2=2-3:0 servBusy2 ''
}

@test "overlap: calls of a region are waited for when it is left" {
    use overlap
    echo '<machine><message scope="network"><point bytes="0" time="100ns"/></message></machine>' >m.xml
    "$PAGODA" replay --json --machine m.xml --overlap exchange trace |
        jq -e '.whatif | .overlapped_calls == 2 and .is_upper_bound and
            .critical_path.length_ns == .predicted_ns'
    run "$PAGODA" replay --machine m.xml --overlap exchange trace
    [[ $output == *"Upper bound "*"--overlap let 2 calls complete later"* ]]
    run "$PAGODA" replay --machine m.xml --overlap-progress exchange trace
    [[ $output == *"Upper bound "*"--overlap-progress let 2 calls complete later"* ]]
}

@test "overlap: messages that move only while their receiver is in MPI" {
    use overlap-held
    echo '<machine><message scope="node"><point bytes="0" time="10ns"/></message></machine>' >m.xml
    "$PAGODA" replay --json --machine m.xml --overlap main trace |
        jq -e '.whatif | .overlapped_calls == 2 and .held_calls == 2 and (.is_upper_bound | not)'
    "$PAGODA" replay --json --machine m.xml --overlap-progress main trace |
        jq -e '.whatif | .overlapped_calls == 2 and .held_calls == 1 and (.is_upper_bound | not)'
    run "$PAGODA" replay --machine m.xml --overlap main trace
    [[ $output == *"  Overlap "*"--overlap let 2 calls complete later, 2 of them"* ]]
}

@test "aggregate: messages without anything received in between" {
    use aggregate
    [ "$(predict --aggregate 199)" = "$(predict --cores 9)" ]
    "$PAGODA" replay --json --aggregate 1,200,1kB trace |
        jq -e '[.whatif.points[].aggregated_messages] == [0, 1, 2]'
    run "$PAGODA" replay --aggregate all trace
    [[ $output == *"Upper bound "*"--aggregate joined 2 messages"* ]]
}

@test "bad input" {
    refused '--move servBusy1: not of the form REGION=FROM:TO' --move servBusy1
    [ "$status" = 2 ]
    refused '--move servBusy1=0: not of the form' --move servBusy1=0
    refused '--move =0:1: not of the form' --move =0:1
    refused '--move servBusi1: there is no such region; is it servBusy1' --move servBusi1=0:1
    refused '--move servBusy1=0:7: there is no rank 7, the last one is 2' --move servBusy1=0:7
    refused '--move servBusy1=0:: .. is not a list of ranks' --move servBusy1=0:
    refused '--move servBusy1=0:2-1: 2-1 is not a range of ranks' --move servBusy1=0:2-1
    refused '--move servBusy1=0:1,: .1,. is not a list of ranks' --move servBusy1=0:1,
    refused '--move servBusy1=0:0: rank 0 cannot be on both sides' --move servBusy1=0:0
    refused '--move servBusy1=0-2:1: rank 1 cannot be on both sides' --move servBusy1=0-2:1
    refused '--move-data .*--move, which is missing' --move-data 10
    refused '--move-data 10pints: unknown unit' --move servBusy1=0:1 --move-data 10pints
    refused '--overlap exchagne: there is no such region' --overlap exchagne
    refused '--overlap-progress exchagne: there is no such region' --overlap-progress exchagne
    refused '--aggregate some: it is a size or all: not a value' --aggregate some
}
