# SPDX-License-Identifier: BSD-3-Clause
# pagoda diff: what a change of run time consists of, noise told from change, and the gate.
load ../helper

# The pipeline of 9.04 ms; with a delay, rank 0 computes longer in `solve` and rank 1 waits longer
# in its MPI_Recv, both by the delay; so each has half of the change.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    local delay
    for delay in 0 100000 200000 50000 150000 250000 1000000 1100000 1200000; do
        awk -v delay=$delay '$1 ~ /^[01]$/ && $2 >= 7000000 { $2 += delay } { print }' \
            "$ROOT/tests/traces/replay/pipeline.txt" >delayed.txt
        "$BUILD/tools/mktrace" delayed.txt "run$delay"
    done
    keep 0 old1 main
    keep 100000 old2 main
    keep 200000 old3 main
    keep 50000 same1 same
    keep 150000 same2 same
    keep 250000 same3 same
    keep 1000000 new1 new
    keep 1100000 new2 new
    keep 1200000 new3 new
}

keep() {
    "$PAGODA" replay "run$1" --store runs.db --application ring --trial "$2" \
        --parameter "branch=$3" >/dev/null
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
}

@test "causes are where they are, and sum to the change" {
    "$PAGODA" diff runs.db old1 new1 --json >"$BATS_TEST_TMPDIR/diff.json"
    run jq -c '.differences[0].time | [.a_ns, .b_ns, .change_ns, .p, .is_change]' \
        "$BATS_TEST_TMPDIR/diff.json"
    [[ $output =~ ^"[9040000"(.0)?",10040000"(.0)?",1000000,null,true]"$ ]]
    run jq -c '.differences[0].by_path[] | select(.change_ns != 0) | [.kind, .path, .change_ns]' \
        "$BATS_TEST_TMPDIR/diff.json"
    [ "$(sort <<<"$output")" = '["late-sender","main/solve/MPI_Recv",500000]
["no wait","main/solve",500000]' ]
    run jq -c '.differences[0].by_rank[] | select(.change_ns != 0) | [.rank, .change_ns]' \
        "$BATS_TEST_TMPDIR/diff.json"
    [ "$(sort <<<"$output")" = $'["0",500000]\n["1",500000]' ]
    run jq -c '.differences[0] | [.by_path, .by_rank, .by_wait_state | map(.change_ns) | add]' \
        "$BATS_TEST_TMPDIR/diff.json"
    [ "$output" = "[1000000,1000000,1000000]" ]
}

@test "the text has the same, and tables that are cut still sum" {
    run "$PAGODA" diff runs.db old1 new1
    [ "$status" = 0 ]
    [[ $output == *"run time 9.040 ms -> 10.04 ms: +1.000 ms (+11.1 %); changed"* ]]
    [[ $output =~ " "+"2.000 ms"\ +"2.500 ms"\ +"+500.0 us"\ +"+50.0 %"\ +"-  late-sender  "\ +main/solve/MPI_Recv ]]
    run "$PAGODA" diff runs.db old1 new1 --top 1
    [[ $output =~ "+500.0 us"\ +"... 10 rows more" ]]
}

# Three runs each, 0.1 ms apart: the standard error of the difference is sqrt(2 x 0.01 / 3) ms with
# 4 degrees of freedom, so 0.05 ms is t = 0.612, p = 0.573, and 1 ms is t = 12.25, p = 0.000255.
@test "noise of repeated runs is no change" {
    run "$PAGODA" diff runs.db 'old*' 'same*' --json --absolute 1ns --relative 0
    [ "$status" = 0 ]
    [ "$(jq '.differences[0].time | [(.p * 1000 | round), .change_ns]' -c <<<"$output")" = "[573,50000]" ]
    [ "$(jq '[.. | .is_change? | select(. == true)] | length' <<<"$output")" = 0 ]
    run "$PAGODA" diff runs.db 'old*' 'new*' --json
    [ "$(jq '.differences[0].time | [(.p * 1e6 | round), .is_change]' -c <<<"$output")" = "[255,true]" ]
    run jq '.differences[0].by_path | map(.change_ns) | add' <<<"$output"
    [ "$output" = 1000000 ]
}

@test "a single run is tested as one more of the repeated ones" {
    run "$PAGODA" diff runs.db 'old*' same3 --relative 0 --absolute 0
    [[ $output == *"no change beyond the thresholds"* ]]
    run "$PAGODA" diff runs.db 'old*' new3 --relative 0 --absolute 0
    [[ $output == *"; changed"* ]]
}

@test "the gate has one line for each thing that got worse" {
    run "$PAGODA" diff --check runs.db branch=main branch=new
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 3 ]
    [ "${lines[0]}" = "run time: 9.140 ms -> 10.14 ms (+10.9 %, p 0.00026)" ]
    [[ $output == *"late-sender: main/solve/MPI_Recv: 2.050 ms -> 2.550 ms (+24.4 %, p "* ]]
    [[ $output == *"no wait: main/solve: 4.048 ms -> 4.548 ms (+12.4 %, p "* ]]
    run "$PAGODA" diff --check runs.db branch=main branch=same
    [ "$status" = 0 ]
    [ -z "$output" ]
    run "$PAGODA" diff --check runs.db branch=new branch=main # faster is no violation
    [ "$status" = 0 ]
    run "$PAGODA" diff --check --relative 20 --absolute 2ms runs.db old1 new1
    [ "$status" = 0 ]
    run "$PAGODA" diff --check runs.db old1 same1 new1 # each against the first
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 3 ]
}

@test "what cannot be compared is said in one sentence" {
    run "$PAGODA" diff runs.db old1 new
    [ "$status" = 1 ]
    [[ $output == 'pagoda: runs.db has no trial "new"; did you mean "new1"?' ]]
    run "$PAGODA" diff runs.db old1 'none*'
    [ "$status" = 1 ]
    [[ $output == 'pagoda: runs.db has no trial "none*"'* ]]
    run "$PAGODA" diff missing.db old1 new1
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 1 ]
    run "$PAGODA" diff runs.db old1
    [ "$status" = 2 ]
    run "$PAGODA" diff --alpha 2 runs.db old1 new1
    [ "$status" = 2 ]
}
