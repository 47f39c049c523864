# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay with what-if options that change regions: what REGION may be, and each option, on
# traces of tests/traces/whatif that are small enough to compute by hand.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/whatif/${TRACE:-regions}.txt" trace
}

# use NAME: another trace.
use() {
    rm -r trace
    TRACE=$1 setup
}

# predict OPTIONS...: `run time` and finish of each rank, in ns.
predict() {
    "$PAGODA" replay --json "$@" trace | jq -c '.whatif | [.predicted_ns] + [.ranks[].finish_ns]'
}

# refused PATTERN OPTIONS...: exit status 1 or 2 and one sentence (status 2: and where help is).
refused() {
    local pattern=$1
    shift
    run "$PAGODA" replay "$@" trace
    echo "$output"
    ((status == 1 || status == 2))
    [[ ${lines[0]} == "pagoda: "* || ${lines[0]} == "pagoda replay: "* ]]
    [[ ${lines[0]} =~ $pattern ]]
}

@test "regions by name, glob and call path" {
    # Nothing is left but 3000 before the barrier and 500 behind it.
    [ "$(predict --scale kernel=0)" = '[4000,4000,4000]' ]
    [ "$(predict --scale 'k*l=0')" = '[4000,4000,4000]' ]
    [ "$(predict --scale solve/kernel=0)" = '[4500,4500,4500]' ]
    [ "$(predict --scale main/output/kernel=0)" = '[6000,6000,6000]' ]
    [ "$(predict --scale /main/solve/kernel=0)" = '[4500,4500,4500]' ]
    [ "$(predict --scale 'main/*/kernel=0')" = '[4000,4000,4000]' ]
    [ "$(predict --scale 'main/**/kernel=0')" = '[4000,4000,4000]' ]
    [ "$(predict --scale '/main/s*=0')" = '[500,500,500]' ]
    # main is one name, so that main/* is all it calls, directly or not.
    [ "$(predict --scale 'main/*=2')" = '[13000,13000,13000]' ]
    [ "$(predict --scale '(program)=2')" = '[13000,13000,13000]' ]
}

@test "regions: lists of values, a row each" {
    "$PAGODA" replay --json --scale solve=1,0.5,0 trace |
        jq -e '.whatif.points | map([.set["scale solve"], .predicted_ns]) ==
            [["1", 6500], ["0.5", 4000], ["0", 1500]]'
}

@test "regions of a program without recorded functions: places, functions around calls, all of it" {
    use sites
    [ "$(predict --scale farm.c:12=0)" = '[3000,3000,3000]' ]
    [ "$(predict --scale 'farm.c:*=0')" = '[0,0,0]' ]
    [ "$(predict --scale produce=0.5)" = '[2000,2000,2000]' ]
    [ "$(predict --scale '(program)=2')" = '[8000,8000,8000]' ]
    # As the report writes it.
    [ "$(predict --scale 'before produce/MPI_Send at farm.c:14=0')" = '[1500,1000,1500]' ]
    [ "$(predict --scale 'before MPI_Send=0.5')" = '[2000,2000,2000]' ]
    [ "$(predict --scale 'MPI_Recv at farm.c:62=8')" = '[5000,4000,5000]' ]
}

@test "bad input: regions" {
    refused '--scale slove: there is no such region; is it solve\?' --scale slove=2
    refused '--scale main/slove: there is no region slove; is it solve\?' --scale main/slove=2
    refused '--scale setup/kernel: the run has no such call path; is it main/' --scale setup/kernel=2
    refused '--scale /kernel: the run has no such call path; is it main/solve/kernel\?' --scale /kernel=2
    refused '--scale main//kernel: a name is missing beside a /' --scale main//kernel=2
    refused '`before MPI_Barrier. names the computing' --scale MPI_Barrier=0
    refused 'does not tell where MPI calls are made' --scale 'regions.c:12=0'
    use sites
    refused '--scale farm.c:13: no MPI call is made there; is it farm.c:12\?' --scale farm.c:13=0
    refused '--scale frm.c:12: no MPI call is made there; is it farm.c\?' --scale frm.c:12=0
    refused 'there is no region MPI_Snd; is it MPI_Send|there is no such region; is it MPI_Send' \
        --scale 'before MPI_Snd=0'
}

# assumed PATTERN OPTIONS...: what the prediction says it assumes.
assumed() {
    local pattern=$1
    shift
    run "$PAGODA" replay --json "$@" trace
    jq -r '.whatif.assumptions[]' <<<"$output" | grep -E -- "$pattern"
}

@test "duration: of visits between two MPI calls" {
    # kernel 1000 everywhere: rank 1 comes to the barrier at 5000.
    [ "$(predict --duration kernel=1us)" = '[6000,6000,6000]' ]
    # solve 3000, its kernel in it: both at the barrier at 4000.
    [ "$(predict --duration solve=3us)" = '[4500,4500,4500]' ]
    [ "$(predict --duration solve=0s)" = '[1500,1500,1500]' ]
    # A fixed duration is not scaled, what is around it is.
    [ "$(predict --duration kernel=1us --scale '(program)=2')" = '[10000,10000,10000]' ]
    "$PAGODA" replay --json --duration solve=3us,1us trace | jq -e '.whatif.points |
        map([.set["duration solve"], .predicted_ns]) == [["3us", 4500], ["1us", 2500]]'
    # The profile of the predicted run: kernel has its share of solve.
    "$PAGODA" replay --json --duration solve=3us trace | jq -e '.whatif.critical_path.length_ns == 4500'
}

@test "duration: of visits that contain MPI calls" {
    use visits
    # step 1000: rank 0 500 | 500, 1000 | 0; rank 1 750 | 250, 500 | 500.
    # Barriers at 750 and at 750 + 500 + 1000 = 2250; rank 0: 400 of task, rank 1 500 and 800.
    [ "$(predict --duration step=1us)" = '[3550,2650,3550]' ]
    assumed '^--duration step: the process time of each of 4 visits is set' --duration step=1us
    # task 50: 6100 and 7050.
    [ "$(predict --duration task=50ns)" = '[7050,6100,7050]' ]
}

@test "balance: visit by visit, by totals, over some ranks" {
    # solve: 3000 and 5000 become 4000.
    [ "$(predict --balance solve)" = '[5500,5500,5500]' ]
    [ "$(predict --balance solve=1)" = '[6500,6500,6500]' ]
    [ "$(predict --balance output)" = '[6500,6500,6500]' ]
    [ "$(predict --balance solve --scale solve=0.5)" = '[3500,3500,3500]' ]
    use visits
    # step: 2000 and 4000 become 3000 each, 2000 and 2000 stay. Rank 0 1500 | 1500, 2000 | 0; rank 1
    # 2250 | 750, 1000 | 1000. Barriers at 2250 and 2250 + 1500 + 2000 = 5750.
    [ "$(predict --balance step)" = '[7550,6150,7550]' ]
    assumed 'step: visit by visit, the n-th of each of 2 ranks' --balance step
    # task: 400 in two visits and 800 in one become 600.
    [ "$(predict --balance task)" = '[7600,6600,7600]' ]
    assumed 'task: by the totals of 2 ranks, because they visit it unequally often' --balance task
}

@test "duration and balance without recorded functions" {
    use sites
    # Rank 0 sends at 100, 200 and 3200; at 100, 200 and 300, and rank 1 needs 500 after its second.
    [ "$(predict --duration farm.c:12=100ns)" = '[3200,3200,3200]' ]
    [ "$(predict --duration produce=100ns)" = '[700,300,700]' ]
    assumed 'produce: not recorded as a region' --duration produce=100ns
    # All of both ranks: 4000 and 500 become 2250; rank 0: 562 before the second send.
    [ "$(predict --balance '(program)' | jq .[0])" -lt 4000 ]
}

@test "bad input: duration and balance" {
    refused '--duration solve: not of the form REGION=T' --duration solve
    refused '--duration solve=3parsec: unknown unit' --duration solve=3parsec
    refused '--duration solve=2h: more than an hour' --duration solve=2h
    refused '--duration slove: there is no such region; is it solve' --duration slove=1s
    refused '--balance slove: there is no such region; is it solve' --balance slove
    refused '--balance solve=0-7: there is no rank 7, the last one is 1' --balance solve=0-7
    refused '--balance solve=x: .*no list of ranks' --balance solve=x
    refused '--balance =1: not of the form' --balance =1
    refused 'inside one another: the work of only one' --balance solve --duration kernel=1us
}
