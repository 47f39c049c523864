# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay with what-if options: why the predicted run takes another time, and what changed.
load ../whatif

@test "the first lines say how much, why, and how sure" {
    run -0 "$PAGODA" replay --scale P2=0.5 trace
    [[ ${lines[2]} == "  What if       --scale P2=0.5" ]]
    [[ ${lines[3]} == "  Measured      7.000 us" ]]
    [[ ${lines[4]} == "  Predicted     3.500 us (-50.0 %), 2.00 times as fast" ]]
    # P2 works 3.5 less, rank 0 waits 3.5 less: each 16.7 % of 3 x 7.
    [[ ${lines[5]} == "  Why           on the critical path 3.500 us less of P2; of all ranks' time" ]]
    [[ ${lines[6]} == *'outside MPI -16.7 %, waiting in MPI -16.7 %'* ]]
    [[ ${lines[7]} == "  Replay error  +0.00 %"* ]]
}

@test "changes sum to the change of the run time, and of the ranks' time" {
    "$PAGODA" replay --json --place a=0,1 --place b=2 trace | jq '.whatif.changes' >changes
    jq -e '.against == "measured" and
        .critical_path == [{region: "P2", before_ns: 7000, predicted_ns: 8000}]' changes
    jq -e '[.time[] | [.where, .before_ns, .predicted_ns]] == [["outside MPI", 9000, 11000],
        ["waiting in MPI", 6000, 6000], ["other MPI", 0, 0], ["before start or after end", 6000, 7000]]' changes
    jq -e '[.time[].before_ns] | add == 21000' changes
    jq -e '[.time[].predicted_ns] | add == 24000' changes
    # P1 works from 0 to 2, P2 from 0 to 8; P3, alone, as before.
    jq -e '[.call_paths[] | [.path, .before_ns, .predicted_ns]] ==
        [["P1", 1000, 2000], ["P2", 7000, 8000]] or
        [.call_paths[] | [.path, .before_ns, .predicted_ns]] == [["P2", 7000, 8000], ["P1", 1000, 2000]]' changes
}

@test "a large replay error: compared with the run predicted with nothing changed" {
    # Rank 0 had its core for 1000 of 3000 ns, though each rank has one: that is not predicted.
    cat >lost.txt <<'END'
nodes a
cores a 2
0 0         enter main
0 0         cpu 0
0 3000      cpu 1000
0 3000-3000 MPI_Send ; 3000 send world 0 1 8
0 3000      leave main
END
    "$BUILD/tools/mktrace" lost.txt lost
    "$PAGODA" replay --json --cores 2 --scale main=0.5 lost | jq -e '.whatif |
        .replayed_ns == 1000 and .predicted_ns == 500 and .changes.against == "unchanged" and
        .changes.critical_path == [{region: "main", before_ns: 1000, predicted_ns: 500}]'
    run "$PAGODA" replay --cores 2 --scale main=0.5 lost
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output == *"500 ns (-83.3 %); -50.0 % by what is changed, 2.00 times as fast"* ]]
    run "$PAGODA" replay --cores 2 --scale main=1,0.5 lost
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output == *"predicted change by what is changed 1 1.000 -66.7 % 0.0 % 0.5 0.500 -83.3 % -50.0 % "* ]]
    # Without recorded times there is no such error: the measured run is what to compare with.
    echo '<machine><message scope="network"><point bytes="0" time="0"/></message>
        <compute region="main" time="2e-6"/></machine>' >machine.xml
    "$PAGODA" replay --json --cores 2 --timeless --machine machine.xml lost | jq -e '.whatif |
        .predicted_ns == 2000 and .changes.against == "measured"'
    run "$PAGODA" replay --cores 2 --timeless --machine machine.xml lost
    [[ $output != *"replay error"* && $output != *"unchanged"* ]]
    run "$PAGODA" replay --cores 2 --timeless --machine machine.xml --scale main=1,2 lost
    [[ $output != *"by what is changed"* ]]
}

@test "lists: what is of one prediction alone stands in its row" {
    # A message that is not sent has no time that could be interpolated.
    cat >two.txt <<'END'
nodes a b
0 0         enter main
0 1000-1000 MPI_Send ; 1000 send world 1 0 100
0 1000      leave main
1 0      enter main
1 0-2000 MPI_Recv ; 2000 recv world 0 0 100
1 2000   leave main
END
    "$BUILD/tools/mktrace" two.txt two
    run "$PAGODA" replay --cut-messages 'size>0=0,1' two
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output == *"predicted change interpolated 0 1.000 -50.0 % - 1 2.000 0.0 % 0.0 % "* ]]
    [[ $output == *"1 message not sent, 0 with another size; 0 collective operations (the first prediction)"* ]]
    [[ $output != *"Interpolated"* ]]
    run "$PAGODA" replay --scale main=1,2 two
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output == *"Interpolated 0.0 % of 1 message time "* ]]
    [[ $output == *"predicted change 1 2.000 0.0 % "* ]]
}

# finishes OPTIONS...: end of each rank.
finishes() {
    "$PAGODA" replay --json "$@" trace | jq -c '[.whatif.ranks[].finish_ns]'
}

@test "a loop of MPI_Iprobe or MPI_Test ends when what it waits for is there" {
    use polling
    [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
    [ "$(finishes --scale f=0)" = '[60,5]' ]
    # Sent at 110, 3 + 2 later; received by 117.
    [ "$(finishes --scale f=2)" = '[155,115]' ]
    [ "$(finishes --cut-messages 'size>=0')" = '[56,58]' ]
    # Other tools do not fold polls, nor say which of them found something; MPI_Wtime does not matter.
    rm -r trace
    sed '/^0 10  enter/,/^0 58  leave/d' "$ROOT/tests/traces/whatif/polling.txt" |
        sed '/^0 58  enter/i 0 10 enter MPI_Iprobe\n0 30 leave MPI_Iprobe\n0 34 enter MPI_Wtime\n0 34 leave MPI_Wtime\n0 38 enter MPI_Iprobe\n0 58 leave MPI_Iprobe' >foreign.txt
    "$BUILD/tools/mktrace" foreign.txt trace
    [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
    [ "$(finishes --scale f=0)" = '[60,5]' ]
    # A receive that is posted then, whatever for, and waited for: what it gets is what was seen.
    rm -r trace
    sed -e 's/^0 60  enter MPI_Recv/0 60 enter MPI_Irecv\n0 60 irecv-request 3\n0 60 leave MPI_Irecv\n0 60 enter MPI_Wait/' \
        -e 's/^0 61  recv world 1 4 8/& 3/; s/^0 61  recv/0 61 irecv/; s/leave MPI_Recv/leave MPI_Wait/' \
        "$ROOT/tests/traces/whatif/polling.txt" >posted.txt
    "$BUILD/tools/mktrace" posted.txt trace
    [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
    [ "$(finishes --scale f=0)" = '[60,5]' ]
    [ "$(finishes --scale f=2)" = '[155,115]' ]
    # A poll that may have found nothing, as it is not said of any, tells nothing of what is posted.
    rm -r trace
    sed '/^0 10  enter/,/^0 58  leave/d' posted.txt | "$BUILD/tools/mktrace" - trace
    [ "$(finishes --scale f=0)" = '[100,5]' ]
    # Polls that lead to nothing, since something else is sent before, last as long as they did.
    rm -r trace
    sed '/^0 58  enter/i 0 58 enter MPI_Isend\n0 58 isend world 1 9 8 3\n0 58 leave MPI_Isend' \
        "$ROOT/tests/traces/whatif/polling.txt" | "$BUILD/tools/mktrace" - trace
    [ "$(finishes --scale f=0)" = '[100,5]' ]
    # A receive that was posted: MPI_Test that completes it ends the loop.
    rm -r trace
    sed -e '/^0 10  enter/i 0 10 enter MPI_Irecv\n0 10 irecv-request 3 world 1 4\n0 10 leave MPI_Irecv' \
        -e '/Recv/d' -e 's/^0 61  recv world 1 4 8/0 60 irecv world 1 4 8 3\n0 60 leave MPI_Test/' \
        -e '/^0 60  leave MPI_Iprobe/d' -e 's/MPI_Iprobe/MPI_Test/' \
        "$ROOT/tests/traces/whatif/polling.txt" | "$BUILD/tools/mktrace" - trace
    [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
    [ "$(finishes --scale f=0)" = '[58,5]' ]
    [ "$(finishes --scale f=2)" = '[155,115]' ]
}

@test "two MPI_Probe one after the other see the same message, unless the second one waits longer" {
    rm -r trace
    sed '/^0 60  enter/i 0 60 enter MPI_Probe\n0 60 leave MPI_Probe' "$ROOT/tests/traces/whatif/probe.txt" >twice.txt
    "$BUILD/tools/mktrace" twice.txt trace
    [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
    [ "$(finishes --scale f=0)" = '[52,5]' ]
    rm -r trace
    sed 's/^0 60  leave MPI_Probe/0 11 leave MPI_Probe\n0 11 enter MPI_Probe\n0 60 leave MPI_Probe/' \
        "$ROOT/tests/traces/whatif/probe.txt" | "$BUILD/tools/mktrace" - trace
    [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
    [ "$(finishes --scale f=0)" = '[53,5]' ]
}

@test "MPI_Probe lasts as long as it did where the trace does not tell what it saw" {
    # Something else is received, sent or posted before the receive.
    for between in 'isend world 1 9 8 3' 'irecv-request 3 world 1 9'; do
        rm -r trace
        sed "/^0 60  enter MPI_Recv/i 0 60 enter MPI_Start\n0 60 $between\n0 60 leave MPI_Start" \
            "$ROOT/tests/traces/whatif/probe.txt" | "$BUILD/tools/mktrace" - trace
        [ "$(finishes --cpu-speed 1)" = '[100,60]' ]
        [ "$(finishes --scale f=0)" = '[100,5]' ]
    done
    # A receive of the same kind was posted before: it takes the message.
    rm -r trace
    sed '/^0 10  enter MPI_Probe/i 0 5 enter MPI_Irecv\n0 5 irecv-request 3 world 1 4\n0 5 leave MPI_Irecv' \
        "$ROOT/tests/traces/whatif/probe.txt" | "$BUILD/tools/mktrace" - trace
    [ "$(finishes --scale f=0)" = '[100,5]' ]
}

# recording PS: a recording whose enters and leaves took so much each; by hand in tests/traces/whatif/untraced.txt.
recording() {
    sed "s/RECORD_PS 20000/RECORD_PS $1/" "$ROOT/tests/traces/whatif/untraced.txt" >recording.txt
    rm -rf recording
    "$BUILD/tools/mktrace" recording.txt recording
}

# times OPTIONS...: measured, with nothing changed, the same untraced, predicted; what that is compared with.
times() {
    "$PAGODA" replay --json "$@" recording | jq -c '.whatif |
        [.baseline_ns, .replayed_ns, .untraced_ns, .predicted_ns, .changes.against]'
}

@test "what recording cost is left out of predictions, and of the run they are compared with" {
    recording 20000
    [ "$(times --scale kernel=0)" = '[6500,6500,6260,3887,"untraced"]' ]
    [ "$(times --scale kernel=0 --untraced)" = '[6500,6500,6260,3887,"untraced"]' ]
    [ "$(times --scale kernel=0 --traced)" = '[6500,6500,null,4000,"measured"]' ]
    [ "$(times --untraced)" = '[6500,6500,null,6260,"measured"]' ]
    run -0 "$PAGODA" replay --scale kernel=0 recording
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output == *"Untraced 6.260 us (-3.7 %), predicted without the recording's cost. Changes are relative"* ]]
    [[ $output == *"Predicted 3.887 us (-37.9 %), 1.61 times as fast"* ]]
    [[ $output == *"Recording took 480 ns of the ranks' computing, "*"the prediction leaves it out, --traced keeps it"* ]]
    run -0 "$PAGODA" replay --scale kernel=1,0 recording
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"predicted change 1 6.260 0.0 % 0 3.887 -37.9 %"* ]]
    says -2 'exclude each other' "$PAGODA" replay --traced --untraced recording
    says -2 'exclude each other' "$PAGODA" replay --timeless --machine m.xml --untraced recording
}

@test "recording that cost less than a thousandth of the ranks' time stays in predictions" {
    # 12 visits of 2 x 13 ns of a thousandth.
    recording 541
    [ "$(times --scale kernel=0)" = '[6500,6500,null,4000,"measured"]' ]
    recording 584
    times --scale kernel=0 | jq -e '.[2] < 6500 and .[4] == "untraced"'
}

@test "gains of advice and findings are those of the run without recording" {
    recording 20000
    "$PAGODA" advise --json recording | jq -e '.replayed_ns == 6500 and .untraced_ns == 6260 and .target_ns == 6260 and
        any(.candidates[]; .options == "--scale kernel=0" and .gain_ns == 6260 - 3887)'
    "$PAGODA" advise --traced --json recording | jq -e '.target == "--traced" and .target_ns == 6500 and
        .untraced_ns == null and any(.candidates[]; .options == "--scale kernel=0" and .gain_ns == 2500)'
    "$PAGODA" replay --json recording | jq -e '.replayed_ns == 6500 and .untraced_ns == 6260 and
        ([.findings[].remedies[] | .predicted_ns + .gain_ns] | unique == [6260])'
}
