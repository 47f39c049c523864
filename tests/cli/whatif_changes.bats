# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay with what-if options: why the predicted run takes another time, and what changed.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/whatif/worked-example.txt" trace
}

@test "the first lines say how much, why, and how sure" {
    run "$PAGODA" replay --scale P2=0.5 trace
    [ "$status" = 0 ]
    [[ ${lines[2]} == "  What if             --scale P2=0.5" ]]
    [[ ${lines[3]} == "  Measured            7.000 us" ]]
    [[ ${lines[4]} == "  Predicted           3.500 us (-50.0 %), 2.00 times as fast" ]]
    # P2 works 3.5 less, rank 0 waits 3.5 less: each 16.7 % of 3 x 7.
    [[ ${lines[5]} == "  Why                 on the critical path 3.500 us less of P2; of all ranks'" ]]
    [[ ${lines[6]} == *'time outside MPI -16.7 %, waiting in MPI -16.7 %'* ]]
    [[ ${lines[7]} == "  Replay error        +0.00 %"* ]]
}

@test "changes sum to the change of the run time, and of the ranks' time" {
    "$PAGODA" replay --json --place a=0,1 --place b=2 trace | jq '.whatif.changes' >changes
    jq -e '.against == "measured" and
        .critical_path == [{region: "P2", before_ns: 7000, predicted_ns: 8000}]' changes
    jq -e '[.time[] | [.where, .before_ns, .predicted_ns]] == [["outside MPI", 9000, 11000],
        ["waiting in MPI", 6000, 6000], ["other MPI", 0, 0], ["not begun or ended", 6000, 7000]]' changes
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
0 0    enter main
0 0    cpu 0
0 3000 cpu 1000
0 3000 enter MPI_Send
0 3000 send world 0 1 8
0 3000 leave MPI_Send
0 3000 leave main
END
    "$BUILD/tools/mktrace" lost.txt lost
    "$PAGODA" replay --json --cores 2 --scale main=0.5 lost | jq -e '.whatif |
        .replayed_ns == 1000 and .predicted_ns == 500 and .changes.against == "unchanged" and
        .changes.critical_path == [{region: "main", before_ns: 1000, predicted_ns: 500}]'
    run "$PAGODA" replay --cores 2 --scale main=0.5 lost
    output=$(tr -s ' \n' ' ' <<<"$output")
    echo "$output"
    [[ $output == *"500 ns (-83.3 %); -50.0 % by what is changed, 2.00 times as fast"* ]]
}
