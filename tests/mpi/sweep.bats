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
    run timeout -k 5 300 "$PAGODA" sweep --store runs.db "$@"
}

# trials: the names of the trials in the order of their storing, with their ranks.
trials() {
    "$PAGODA" store list --json runs.db | jq -r '.trials[] | "\(.trial) \(.ranks)"'
}

@test "all points are run, stored with their parameters, and not run again" {
    check() {
        local line=("mpirun.$1" -n "{n}" "$BUILD/programs/$1/ep" --size "{size}")
        sweep -n 1,2 -p size=10:12:2:problem -- "${line[@]}"
        [ "$status" = 0 ]
        [[ $output == *"4 of 4 points stored in runs.db, 4 of them now"* ]]
        [ "$(trials | tr '\n' ';')" = "n=1,size=10 1;n=1,size=12 1;n=2,size=10 2;n=2,size=12 2;" ]
        "$PAGODA" store show --json runs.db n=2,size=12 |
            jq -e '[.attributes[] | select(.kind == "parameter")] | length == 2 and
                any(.name == "n" and .value == "2" and .role == "machine") and
                any(.name == "size" and .value == "12" and .role == "problem")'
        grep -q . runs.sweep/sweep/n=2,size=12/stdout
        # one more value: only what is new is run
        run -0 timeout -k 5 300 "$PAGODA" sweep --store runs.db -n 1,2 -p size=10:14:2 -- "${line[@]}"
        [[ $output == *"6 of 6 points stored in runs.db, 2 of them now"* ]]
        [ "$(trials | wc -l)" = 6 ]
    }
    if has_mpi openmpi; then check openmpi; elif has_mpi mpich; then check mpich; else skip "there is no MPI"; fi
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
    [ ! -e runs.db ]
    [ ! -e runs.sweep ]
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
        [ ! -e runs.db ]
        [ ! -e runs.sweep ]
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
    sweep -n 1 --timeout 1s -- mpirun.mpich -n "{n}" "$BUILD/programs/mpich/ep" --size 36
    [ "$status" = 3 ]
    [[ $output == *"1/1 n=1: ended after "*", its limit"* ]]
    [ -z "$(trials)" ]
}

@test "a launcher that does not end when asked is killed, with all it has started" {
    printf '%s\n' '#!/bin/sh' 'trap "" TERM' 'setsid sleep 1000 &' 'echo $! >daemon' 'sleep 1000' >launch
    chmod +x launch
    local limit
    for limit in 1s 10s 50s; do # a busy machine may not get far in the first one
        sweep -n 1 --retry --timeout "$limit" -- ./launch "{n}"
        [ "$status" = 3 ]
        [[ $output == *"1/1 n=1: ended after "*", its limit"* ]]
        [ ! -s daemon ] || break
    done
    [ -s daemon ]
    run kill -0 "$(cat daemon)"
    [ "$status" != 0 ]
}

@test "killed at any moment, the same command goes on" {
    has_mpi mpich || skip "no mpich"
    local line=(mpirun.mpich -n "{n}" "$BUILD/programs/mpich/ep" --size "{size}") pid n=0
    local point=runs.sweep/sweep/n=2,size=20 moment
    # Killed when a certain file is there: before the run, in it, when its result is left.
    for moment in $point $point/trace/spool $point/result.new $point/result runs.db; do
        "$PAGODA" sweep --store runs.db -n 2 -p size=20,21 -- "${line[@]}" >out 2>&1 &
        pid=$!
        while [ ! -e "$moment" ] && kill -0 $pid 2>/dev/null; do sleep 0.002; done
        kill -KILL $pid || true
        wait $pid || true
        [ ! -e runs.db ] || n=$(trials | wc -l)
    done
    sweep -n 2 -p size=20,21 -- "${line[@]}"
    [ "$status" = 0 ]
    [[ $output == *"2 of 2 points stored in runs.db, $((2 - n)) of them now"* ]]
    [ "$(trials | sort | tr '\n' ';')" = "n=2,size=20 2;n=2,size=21 2;" ]
}

@test "a sweep file: files and builds by point, impossible points" {
    has_mpi mpich || skip "no mpich"
    mkdir in
    printf 'SIZE=10\nexec %s --size $SIZE\n' "$BUILD/programs/mpich/ep" >in/run.sh
    cp in/run.sh before
    cat >spec.xml <<'END'
<sweep name="spec" database="runs.db">
  <parameter name="n" values="{1, 2:4:2}"/>
  <parameter name="size" replaces="SIZE=10" role="problem"><undefined/><value>SIZE=12</value>
  </parameter>
  <file path="in/run.sh"/>
  <build>echo {n} &gt; {dir}/built</build>
  <skip when="n &gt; 2" reason="too many"/>
  <run>mpirun.mpich -n {n} sh {dir}/in/run.sh 'a b'</run>
</sweep>
END
    run -0 "$PAGODA" sweep spec.xml --dry-run --json
    jq -e '[.points[].trial] == ["n=1", "n=1,size=SIZE=12", "n=2", "n=2,size=SIZE=12", "n=4",
        "n=4,size=SIZE=12"] and [.points[].state] == ["to run", "to run", "to run", "to run",
        "skipped", "skipped"] and .points[5].reason == "too many" and .experiment == "spec" and
        .points[0].command == "mpirun.mpich -n 1 sh runs.sweep/spec/n=1/in/run.sh '"'a b'"'"' \
        <<<"$output"
    run -0 timeout -k 5 300 "$PAGODA" sweep spec.xml
    [[ $output == *"4 of 6 points stored in runs.db, 4 of them now; 2 skipped as impossible"* ]]
    [ "$(trials | tr '\n' ';')" = "n=1 1;n=1,size=SIZE=12 1;n=2 2;n=2,size=SIZE=12 2;" ]
    "$PAGODA" store show --json runs.db n=2 |
        jq -e '[.attributes[] | select(.kind == "parameter") | .name, .role] == ["n", null]'
    "$PAGODA" store show --json runs.db n=2,size=SIZE=12 |
        jq -e 'any(.attributes[]; .name == "size" and .value == "SIZE=12" and .role == "problem")'
    [ "$(cat runs.sweep/spec/n=2/built)" = 2 ]
    [ "$(head -n 1 runs.sweep/spec/n=2/in/run.sh)" = SIZE=10 ]
    [ "$(head -n 1 runs.sweep/spec/n=2,size=SIZE=12/in/run.sh)" = SIZE=12 ]
    cmp in/run.sh before
    # values of a parameter from the command line; a build that fails
    sed -i 's/<build>.*</<build>echo no compiler; exit 5</' spec.xml
    run -0 "$PAGODA" sweep spec.xml -n 3 --as other
    [[ $output == *"0 of 2 points stored"*"2 skipped"* ]]
    run -3 "$PAGODA" sweep spec.xml -n 1 -p size=x --as other
    [[ $output == *"n=1,size=x: its build failed with exit status 5"* ]]
    [ "$("$PAGODA" store list --json runs.db | jq '.trials | length')" = 4 ]
}

@test "wrong sweep files: one sentence with file and line, nothing is run" {
    wrong() {
        printf '<sweep>\n%s\n</sweep>\n' "$2" >wrong.xml
        run -1 "$PAGODA" sweep --store runs.db wrong.xml
        [[ $output == "pagoda: wrong.xml:"*"$1"* ]]
        [ "$(wc -l <<<"$output")" = 1 ]
        [ ! -e runs.db ]
        [ ! -e runs.sweep ]
    }
    local n='<parameter name="n" values="1,2"/>' run='<run>./app {n}</run>'
    wrong "2: <sweep> has no element 'paramter', did you mean 'parameter'?" '<paramter name="n"/>'
    wrong "2: <parameter> has no attribute 'value', did you mean 'values'?" '<parameter value="1"/>'
    wrong '2: <parameter> needs name="..."' '<parameter values="1"/>'
    wrong '2: values="4:1": the range 4:1 is empty' '<parameter name="n" values="4:1"/>'
    wrong '2: `size` is not a role of a parameter: machine, problem or free' \
        '<parameter name="n" role="size"/>'
    wrong "1: parameter n has no value" "<parameter name=\"n\"/>$run"
    wrong "1: there is no <run>" "$n"
    wrong "1: ./app {m} in the launch line: there is no parameter m" "$n<run>'./app {m}'</run>"
    wrong "2: a quotation mark has no second one" "$n<run>'./app {n}</run>"
    wrong "2: there are two <run>" "$n$run$run"
    wrong "1: parameter m changes nothing" "$n<parameter name=\"m\" values=\"1\"/>$run"
    wrong "2: cannot read none.in" "$n$run<file path=\"none.in\"/>"
    wrong "2: the file ../x is not below" "$n$run<file path=\"../x\"/>"
    wrong "2: formula \`k > 1\`: unknown name k" "$n$run<skip when=\"k &gt; 1\"/>"
    wrong "did you mean avg?" "$n$run<checkpoint when=\"avgg(inefficiency) &gt; 1\"/>"
    wrong "a number of points" "$n$run<checkpoint when=\"avg(x, main, 0) &gt; 1\"/>"
    wrong "a region or" "$n$run<checkpoint when=\"avg(x, ) &gt; 1\"/>"
    wrong "a second quotation mark" "$n$run<checkpoint when='avg(x, \"main) &gt; 1'/>"
    run -1 "$PAGODA" sweep none.xml
    run -2 "$PAGODA" sweep ./app "{n}" -n 1
    [[ $output == *"the launch line comes after --"* ]]
}

# what-if DB OPTIONS...: a sweep of predictions from a trace of two ranks.
predictions() {
    [ -e late ] || "$BUILD/tools/mktrace" "$ROOT/tests/traces/advise/late.txt" late
    sweep -p cpu=1,2,4:machine "$@" -- pagoda replay late --cpu-speed "{cpu}"
}

@test "predictions at all points of a sweep, without a run" {
    predictions
    [ "$status" = 0 ]
    [[ $output == *"3 of 3 points stored in runs.db, 3 of them now"* ]]
    local cpu
    for cpu in 1 2 4; do
        "$PAGODA" store show --json runs.db "cpu=$cpu" | jq -e --argjson time "$("$PAGODA" replay \
            --json late --cpu-speed $cpu | jq .whatif.predicted_ns)" '.origin == "predicted" and
            .time_ns == $time and any(.attributes[]; .name == "cpu" and .role == "machine")'
    done
    [ "$("$PAGODA" store list --json runs.db | jq '[.trials[] | .origin] | length')" = 4 ]
    predictions
    [[ $output == *"3 of 3 points stored in runs.db, 0 of them now"* ]]
    # The measured run is at no point of the sweep, and by default not among those studied.
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM parameters WHERE trial_id = 1')" = 0 ]
    "$PAGODA" scaling runs.db --by cpu --json | jq -e '.series[0].points | map(.x) == [1, 2, 4]'
    # A parameter may be called like the option it is a value of, and have a unit.
    sweep -p latency=1us,10us --as latency -- \
        pagoda replay late --machine ethernet10 --latency "{latency}"
    [ "$status" = 0 ]
    [ "$(sqlite3 runs.db "SELECT group_concat(value) FROM (SELECT value FROM parameters
        WHERE parameter = 'latency' ORDER BY trial_id)")" = 1us,10us ]
    "$PAGODA" scaling runs.db --by latency --json |
        jq -e '.series[0].points | map(.x) == [1e-6, 1e-5]'
}

@test "a checkpoint ends the sweep, at the same point when it is called again" {
    predictions --stop-when "min(inefficiency, program, last 2) >= 0 && max < 1.01"
    [ "$status" = 0 ]
    [[ $output == *"2 of 3 points stored in runs.db, 2 of them now; 1 not run"*"stopped by"* ]]
    predictions --stop-when "min(inefficiency, program, last 2) >= 0 && max < 1.01"
    [[ $output == *"2 of 3 points stored in runs.db, 0 of them now; 1 not run"* ]]
    # one that does not hold, or not yet
    predictions --stop-when "avg(late-sender, last 4) >= 0" --skip "cpu == 2"
    [[ $output == *"3 of 3 points stored in runs.db, 1 of them now"* ]]
    predictions --stop-when "avg(late-sendr) > 1"
    [ "$status" = 1 ]
    [[ $output == *"late-sendr, which is not a wait state; did you mean late-sender?"* ]]
}

# In the trace, and so at cpu=1: main has 805 and 910 us, 715 us of it in MPI, and 700 us of MPI_Recv's
# 710 us wait for a late sender.
@test "checkpoints about regions" {
    # stops CONDITION: does the sweep end at its first point?
    stops() {
        rm -rf runs.*
        predictions --stop-when "$1"
        [ "$status" = 0 ]
        [[ $output == *"1 of 3 points stored in runs.db, 1 of them now; 2 not run"* ]]
    }
    stops "avg(inefficiency, main, last 1) > 0.4168 && avg < 0.4170"
    stops "avg(late-sender, main) > 0.4081 && avg < 0.4082"
    stops 'avg(late-sender, "ma*/MPI_Recv", 1) > 0.9859 && avg < 0.9860'
    stops "max(late-sender, store) == 0 && max(inefficiency, main/MPI_Send) == 1"
    stops "avg(inefficiency, /CallPath/main) > 0.4168 && avg < 0.4170"
    stops "avg(inefficiency, </CallPath/main, /Process/0>) > 0.0062 && avg < 0.0063"
    stops "avg(wait-at-barrier, main) == 0"
    # A region that is not there: said once, and nothing holds.
    rm -rf runs.*
    predictions --stop-when "avg(inefficiency, prepar) >= 0"
    [[ $output == *"3 of 3 points stored"* ]]
    [ "$(grep -c "it has no region prepar; did you mean prepare?" <<<"$output")" = 1 ]
    predictions --stop-when "avg(inefficiency, /CallPath/mein) >= 0"
    [[ $output == *"3 of 3 points stored"* ]]
    [ "$(grep -c "a checkpoint cannot be checked: " <<<"$output")" = 1 ]
    predictions --stop-when 'avg(inefficiency, "</CallPath/main") >= 0'
    [ "$status" = 1 ]
    [[ $output == *"a checkpoint asks for </CallPath/main: "* ]]
}

@test "points without a trial are noted in the database until they have one" {
    noted() {
        "$PAGODA" store list --json runs.db |
            jq -r '.points_not_run[] | "\(.experiment) \(.point) \(.state): \(.reason)"'
    }
    predictions --skip "cpu == 2" --dry-run
    [ ! -e runs.db ]
    predictions --skip "cpu == 2" --skip "cpu > 3"
    [ "$status" = 0 ]
    [ "$(noted)" = "sweep cpu=2 skipped: cpu == 2
sweep cpu=4 skipped: cpu > 3" ]
    "$PAGODA" store list runs.db | grep -qE '^  late +sweep +skipped  cpu=4  cpu > 3$'
    [ "$(sqlite3 runs.db 'SELECT parameters FROM points_not_run' | tr '\n' ' ')" = "cpu=2 cpu=4 " ]
    # Possible now: one of them is run, the other one is not impossible any more, but not run either.
    predictions --skip "cpu == 1" --stop-when "min(inefficiency, last 2) >= 0"
    [ -z "$(noted)" ]
    # What fails is noted, too, with all of a sweep's own name if that is given.
    sweep -n 1 --as none/bad -- sh -c "exit 5 # {n}"
    [ "$status" = 3 ]
    [ "$(noted)" = "bad n=1 failed: with exit status 5" ]
    "$PAGODA" store list --as sweep --json runs.db | jq -e '.points_not_run == []'
    # Removing a trial of another experiment does not touch it.
    "$PAGODA" store remove runs.db sweep/cpu=1 >/dev/null
    [ "$(noted)" = "bad n=1 failed: with exit status 5" ]
}
