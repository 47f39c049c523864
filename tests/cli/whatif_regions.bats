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
