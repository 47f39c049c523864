# SPDX-License-Identifier: BSD-3-Clause
# The accuracy study itself, with a table of its own and one run of each kind: its figures are not
# looked at, only that they are there, and that what goes wrong is told.
load ../helper

setup() {
    has_mpi openmpi || skip "no Open MPI"
    cd "$BATS_TEST_TMPDIR" || return
    # What other tests take of the machine meanwhile makes no run worth repeating.
    export CASES=$PWD/cases WORK=$PWD/work RESULT=$PWD/result RUNS=1 BUSY=1000 SLOW=1000
}

study() {
    timeout -k 5 300 "$ROOT/tests/accuracy/study"
}

# column NAME: of each row of the result.
column() {
    grep -v '^#' result | awk -F '\t' -v name="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        NR > 1 { print $column }'
}

@test "each side is predicted from the other one; what was run is not run again" {
    echo 'placement | openmpi | ep --size 12 | 2/2 | 2/1 | | --cpu-speed 1 | quick' >cases
    study
    [ "$(column from | paste -s -d ' ')" = "2/2 2/1" ]
    [ "$(column options | tail -n 1)" = "--nodes 1 --cores 2 --sharing sticky --cpu-speed 1" ]
    [ -z "$(column floor_% | tr -d '\n')" ] # of one run there is none
    for name in measured_s predicted_s error_% replay_error_%; do
        [ "$(column "$name" | grep -Ec '^[-+]?[0-9]+\.[0-9]+$')" = 2 ]
    done
    grep -q '^# date: ' result
    cp work/*/runs before
    [ "$(wc -l <before)" = 5 ]
    study
    cmp before work/*/runs
    mv result first
    PREDICT=1 study
    diff <(grep -v '^#' first) <(grep -v '^#' result)
}

@test "runs that fail, and options to come, are rows" {
    printf '%s\n' '# comment' 'a | openmpi | nosuch | 2/2 | 2/1 | | |' \
        'b | openmpi | ep --size 99 | 2/2 | 2/1 | | - |' \
        'c | openmpi | ep | 2/2 | 2/1 | --no-such-option 1 | - |' >cases
    run -1 study
    column note >notes
    [[ $(sed -n 1p notes) == "failed: "*"/nosuch is missing: make programs" ]]
    [[ $(sed -n 3p notes) == "failed: exit status 2: "* ]]
    [ "$(sed -n 4p notes)" = "waits: pagoda has no --no-such-option yet" ]
    [[ $output == *"FAILED: 3 predictions"* ]]
}

@test "ranks on cores of a map, advice, and predictions by a machine file" {
    echo 'a | openmpi | ep --size 14 --skew 300 | 4/2=0011 | 4/2=0110 | | --workers 2 |' >cases
    mkdir work
    cp "$ROOT/tests/traces/advise/network.xml" work/calibrated-openmpi.xml
    run env CALIBRATE=1 "$ROOT/tests/accuracy/study"
    column options >asked
    [[ $(sed -n 1p asked) == '--place core0=0,3 --place core1=1,2 --cores 1' ]]
    [[ $(column calibrated_s | head -n 1) =~ ^[0-9]+\.[0-9]+$ ]]
    [[ $(column note | tail -n 1) == 'failed: replay: exit status 1: '*'the run has no task farm'* ]]
}

@test "a bad table or name is refused" {
    echo 'a | openmpi | ep | 2/2 | 2/1' >cases
    run -1 study
    [[ $output == "study: "*"8 fields wanted, not 5: a | openmpi"* ]]
    echo 'a | openmpi | ep | 4/2=001 | 2/1 | | |' >cases
    run -1 study
    [[ $output == "study: "*"RANKS/CORES[=MAP] or RANKS@RATE wanted"* ]]
    echo 'a | openmpi | ep | two | 2/1 | | |' >cases
    run -1 study
    [[ $output == "study: "*"RANKS/CORES[=MAP] or RANKS@RATE wanted"* ]]
    echo 'a | openmpi | ep | 2/2 | 2/1 | | |' >cases
    run -2 "$ROOT/tests/accuracy/study" nosuch
    [[ $output == *"no case of "*" has such a name" ]]
}
