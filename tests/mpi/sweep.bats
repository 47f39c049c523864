# SPDX-License-Identifier: BSD-3-Clause
# pagoda sweep with real mpirun: what is stored, what a failure and an interruption leave.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset "${!PAGODA_@}"
    PAGODA=$BUILD/pagoda
}

# sweep OPTIONS...: its exit status in $status, its messages in $output.
sweep() {
    run timeout -k 5 120 "$PAGODA" sweep --db runs.db "$@"
    echo "$output"
}

# trials: the names of the trials in the order of their storing, with their ranks.
trials() {
    "$PAGODA" store list --json runs.db | jq -r '.trials[] | "\(.trial) \(.ranks)"'
}

@test "all points are run, stored with their parameters, and not run again" {
    check() {
        has_mpi "$1" || return 0
        rm -rf runs.*
        local line=("mpirun.$1" -n "{n}" "$BUILD/programs/$1/ep" --size "{size}")
        sweep -n 1,2 -p size=10:12:2 -- "${line[@]}"
        [ "$status" = 0 ]
        [[ $output == *"4 of 4 points stored in runs.db, 4 of them now"* ]]
        [ "$(trials | tr '\n' ';')" = "n=1,size=10 1;n=1,size=12 1;n=2,size=10 2;n=2,size=12 2;" ]
        "$PAGODA" store show --json runs.db n=2,size=12 |
            jq -e '[.attributes[] | select(.kind == "parameter")] | length == 2 and
                any(.name == "n" and .value == "2") and any(.name == "size" and .value == "12")'
        grep -q . runs.sweep/sweep/n=2,size=12/stdout
        # one more value: only what is new is run
        sweep -n 1,2 -p size=10:14:2 -- "${line[@]}"
        [ "$status" = 0 ]
        [[ $output == *"6 of 6 points stored in runs.db, 2 of them now"* ]]
        [ "$(trials | wc -l)" = 6 ]
    }
    has_mpi openmpi || has_mpi mpich || skip "there is no MPI"
    check openmpi
    check mpich
}

@test "a dry run prints the points in order and runs nothing" {
    sweep -n "{1, 2:4:2}" -p s=a,b --dry-run -- ./launch "{n}" "{s} {{s}"
    [ "$status" = 0 ]
    [ "$output" = "1/6 n=1,s=a (to run): ./launch 1 'a {s}'
2/6 n=1,s=b (to run): ./launch 1 'b {s}'
3/6 n=2,s=a (to run): ./launch 2 'a {s}'
4/6 n=2,s=b (to run): ./launch 2 'b {s}'
5/6 n=4,s=a (to run): ./launch 4 'a {s}'
6/6 n=4,s=b (to run): ./launch 4 'b {s}'" ]
    [ ! -e runs.db ] && [ ! -e runs.sweep ]
    sweep -n 1,2 -p s=a,b --line-by-line --repeat 2 --dry-run -- ./launch "{n}" "{s}"
    [ "$output" = "1/4 n=1,s=a (to run): ./launch 1 a
2/4 n=2,s=b (to run): ./launch 2 b
3/4 n=1,s=a#2 (to run): ./launch 1 a
4/4 n=2,s=b#2 (to run): ./launch 2 b" ]
}

@test "what is wrong with a sweep is said before anything runs" {
    wrong() {
        local text=$1
        shift
        sweep "$@"
        [ "$status" = 2 ]
        [[ $output == *"$text"* ]]
        [ ! -e runs.db ] && [ ! -e runs.sweep ]
    }
    wrong "did you mean {size}?" -p size=1 -- ./app "{sise}"
    wrong "parameter t changes nothing" -n 1 -p t=2 -- ./app "{n}"
    wrong "the range 8:2:2 is empty" -n 8:2:2 -- ./app "{n}"
    wrong "the range 1:2:0 has a step of 0" -n 1:2:0 -- ./app "{n}"
    wrong "a value is empty" -n 1,,2 -- ./app "{n}"
    wrong "there is no parameter to change" -- ./app
    wrong "two parameters n" -n 1 -p n=2 -- ./app "{n}"
    wrong "not of the form" -p n -- ./app "{n}"
    wrong "n has 2, m 1" -n 1,2 -p m=1 --line-by-line -- ./app "{n}" "{m}"
    wrong "more than 1000000 points" -n 1:10000 -p m=1:10000 -- ./app "{n}" "{m}"
    wrong "at least once" -n 1 --repeat 0 -- ./app "{n}"
}

@test "failed points are told, not stored, and run again when asked" {
    has_mpi mpich || skip "no mpich"
    printf '%s\n' '#!/bin/sh' 'echo "cannot do $1" >&2' '[ -e good ] || [ "$1" = 1 ] || exit 7' \
        'exec mpirun.mpich -n "$@"' >launch
    chmod +x launch
    local line=(./launch "{n}" "$BUILD/programs/mpich/ep" --size 10)
    sweep -n 1,2 -- "${line[@]}"
    [ "$status" = 3 ]
    [[ $output == *"2/2 n=2: failed with exit status 7: "*"n=2/stderr"* ]]
    [[ $output == *"1 of 2 points stored in runs.db, 1 of them now; 1 failed"* ]]
    [ "$(trials)" = "n=1 1" ]
    touch good
    sweep -n 1,2 -- "${line[@]}"
    [ "$status" = 3 ]
    sweep -n 1,2 --retry -- "${line[@]}"
    [ "$status" = 0 ]
    [ "$(trials | tail -n 1)" = "n=2 2" ]
}

@test "a run over its limit is ended, all of it" {
    has_mpi mpich || skip "no mpich"
    sweep -n 1 --point-limit 1s -- mpirun.mpich -n "{n}" "$BUILD/programs/mpich/ep" --size 36
    [ "$status" = 3 ]
    [[ $output == *"1/1 n=1: ended after "*", its limit"* ]]
    [ -z "$(trials)" ]
}

@test "killed at any moment, the same command goes on" {
    has_mpi mpich || skip "no mpich"
    local line=(mpirun.mpich -n "{n}" "$BUILD/programs/mpich/ep" --size "{size}") pid n=0
    local point=runs.sweep/sweep/n=2,size=20 moment
    # Killed when a certain file is there: before the run, in it, when its result is left.
    for moment in $point $point/trace/spool $point/result.new $point/result runs.db; do
        "$PAGODA" sweep --db runs.db -n 2 -p size=20,21 -- "${line[@]}" >out 2>&1 &
        pid=$!
        while [ ! -e "$moment" ] && kill -0 $pid 2>/dev/null; do :; done
        kill -KILL $pid || true
        wait $pid || true
        [ ! -e runs.db ] || n=$(trials | wc -l)
    done
    sweep -n 2 -p size=20,21 -- "${line[@]}"
    [ "$status" = 0 ]
    [[ $output == *"2 of 2 points stored in runs.db, $((2 - n)) of them now"* ]]
    [ "$(trials | sort | tr '\n' ';')" = "n=2,size=20 2;n=2,size=21 2;" ]
}
