#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --timeline: what ranks do over time, as rows of letters.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive replay/pipeline
}

# refused STATUS MESSAGE OPTION...: the replay with these options ends so.
refused() {
    local expected=$1 message=$2
    shift 2
    run "$PAGODA" replay pipeline "$@"
    [ "$status" = "$expected" ]
    [[ $output == *"$message"* ]]
}

@test "each column is what most of its time is" {
    # Seventy columns of 100 us: rank 0 sends at 7 ms (what takes 1 us is not seen) and waits from 7.002 on;
    # rank 1 waits from 3 ms to 7 ms.
    run -0 "$PAGODA" replay pipeline --timeline 2ms:9ms
    computing=$(printf '#%.0s' {1..50}) waiting=$(printf '.%.0s' {1..20})
    [ "${lines[0]}" = "Timeline from 2.000 ms to 9.000 ms, 100.0 us a column" ]
    [ "${lines[1]}" = "  rank 0  $computing$waiting" ]
    [ "${lines[2]}" = "  rank 1  ##########$waiting$waiting####################" ]
    [ "${lines[3]}" = "  # outside MPI, . waiting, m messages, c collective operations, o other MPI" ]
    [ "${#lines[@]}" = 4 ]
}

@test "what is outside the run is blank" {
    run "$PAGODA" replay pipeline --timeline 8.960ms:9.100ms
    # 70 columns of 2 us: rank 1 ends at 9.035 ms, rank 0 at 9.040.
    [[ ${lines[1]} =~ ^'  rank 0  '.{40}' '{30}$ ]]
    [[ ${lines[2]} =~ ^'  rank 1  '.{37}[^\ ]?' '+$ ]]
}

@test "the predicted run follows, in its own time" {
    run -0 "$PAGODA" replay pipeline --timeline judged --scale solve=0.5
    [[ ${lines[0]} == "Timeline from 2.000 ms to 9.020 ms, "* ]]
    [[ $output == *$'\n\nPredicted from 2.000 ms to 5.522 ms, '* ]]
}

@test "JSON has the shares of each rank in parts of the time" {
    # 100 parts of 70 us: rank 0 computes to 7 ms, sends for 1 us, computes for 1 us and waits until 9 ms.
    "$PAGODA" replay pipeline --timeline 2ms:9ms --json --scale solve=0.5 >timeline.json
    run jq -c '.timeline | .begin_ns, .end_ns, (.ranks[0] | map_values(if type == "array" then add * 70 | round else . end)),
        .ranks[1].waiting[13:17], (.ranks[1].waiting | length)' timeline.json
    [ "$output" = $'2000000\n9000000\n{"rank":0,"computing":5001,"waiting":1998,"point_to_point":1,"collective":0,"other_mpi":0,"no_cpu":0}
[0,0.714286,1,1]\n100' ]
    [ "$(jq '.predicted.ranks | length' timeline.json)" = 2 ]
}

@test "time without CPU time has a letter of its own" {
    # Rank 0 is in main for 10 ms with 2 ms of CPU time, then in MPI.
    cat >asleep.txt <<'END'
0-1 0 enter main
0 0 cpu 0
1 0 cpu 0
0 10000000 cpu 2000000
1 10000000 cpu 10000000
0-1 10000000-10001000 MPI_Barrier ; 10000000 coll-begin ; 10001000 coll-end barrier world - 0 0
0-1 10001000 leave main
END
    "$BUILD/tools/mktrace" asleep.txt asleep
    run -0 "$PAGODA" replay asleep --timeline 0:10ms
    [[ ${lines[1]} =~ ^'  rank 0  '-+$ ]]
    [[ ${lines[2]} =~ ^'  rank 1  '#+$ ]]
    [[ $output == *"- outside MPI without CPU time"* || $output == *$'-\n  outside MPI without CPU time'* ]]
    "$PAGODA" replay asleep --timeline 0:10ms --json |
        jq -e '.timeline.ranks[0] | (.no_cpu | add / 100 - 0.8 | fabs < 0.001) and (.computing | add / 100 - 0.2 | fabs < 0.001)'
}

@test "many ranks share rows" {
    { echo "region main main.c:1"; for rank in {0..69}; do
        printf '%d 0 enter main\n%d 10000 leave main\n' "$rank" "$rank"
    done; } >wide.txt
    "$BUILD/tools/mktrace" wide.txt wide
    run "$PAGODA" replay wide --timeline run
    [ "${#lines[@]}" = 34 ]
    [[ ${lines[1]} =~ ^'  ranks 0-1    #'+'#'$ ]]
    [[ ${lines[32]} == "  ranks 67-69  #"* ]]
}

@test "what is not a window, or goes with something else, is refused" {
    refused 2 '`judgd` is not run, judged or FROM:TO, such as 1s:1.5s' --timeline judgd
    refused 2 'is not run, judged or FROM:TO' --timeline 2ms:1ms
    refused 2 'is not run, judged or FROM:TO' --timeline 1ms:
    refused 1 'the run ends at 9.040 ms' --timeline 1s:2s
    refused 2 'it goes without --ideal' --timeline run --ideal
    refused 2 'neither a list of values nor an estimate' --timeline run --cpu-speed 1,2
}
