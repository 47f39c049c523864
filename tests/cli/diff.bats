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
            "$ROOT/tests/traces/replay/pipeline.txt" | "$BUILD/tools/mktrace" - "run$delay"
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
    sed 's/solve/compute/g' "$ROOT/tests/traces/replay/pipeline.txt" | "$BUILD/tools/mktrace" - run-renamed
    keep -renamed renamed other
    cat >map.txt <<'MAP'
# One file and its function have other names.
/Code/solve.c -> /Code/compute.c
/Code/solve.c/solve -> /Code/compute.c/compute
MAP
}

keep() {
    "$PAGODA" replay "run$1" --store runs.db --as "ring//$2" \
        --parameter "branch=$3" >/dev/null
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

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
    run -0 "$PAGODA" diff runs.db old1 new1
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"run time 9.040 ms -> 10.04 ms: +1.000 ms (+11.1 %); beyond the thresholds, but one measurement on each side cannot tell a change from noise"* ]]
    [[ $output =~ " "+"2.000 ms"\ +"2.500 ms"\ +"+500.0 us"\ +"+50.0 %"\ +"-  late-sender  "\ +main/solve/MPI_Recv ]]
    run "$PAGODA" diff runs.db old1 new1 --top 1
    [[ $output =~ "+500.0 us"\ +"... 10 rows more" ]]
}

# Three runs each, 0.1 ms apart: the standard error of the difference is sqrt(2 x 0.01 / 3) ms with
# 4 degrees of freedom, so 0.05 ms is t = 0.612, p = 0.573, and 1 ms is t = 12.25, p = 0.000255.
@test "noise of repeated runs is not a change" {
    run -0 "$PAGODA" diff runs.db 'old*' 'same*' --json --absolute 1ns --relative 0
    [ "$(jq '.differences[0].time | [(.p * 1000 | round), .change_ns]' -c <<<"$output")" = "[573,50000]" ]
    [ "$(jq '[.. | .is_change? | select(. == true)] | length' <<<"$output")" = 0 ]
    run "$PAGODA" diff runs.db 'old*' 'new*' --json
    [ "$(jq '.differences[0].time | [(.p * 1e6 | round), .is_change]' -c <<<"$output")" = "[255,true]" ]
    run jq '.differences[0].by_path | map(.change_ns) | add' <<<"$output"
    [ "$output" = 1000000 ]
}

@test "a single run is tested as one more of the repeated ones" {
    says "as a whole no change beyond the thresholds" "$PAGODA" diff runs.db 'old*' same3 --relative 0 --absolute 0
    says "; changed" "$PAGODA" diff runs.db 'old*' new3 --relative 0 --absolute 0
}

@test "the gate has one line for each thing that got worse" {
    run -1 "$PAGODA" diff --regressions runs.db branch=main branch=new
    [ "${#lines[@]}" = 3 ]
    [ "${lines[0]}" = "run time: 9.140 ms -> 10.14 ms (+10.9 %, p 0.00026)" ]
    [[ $output == *"late-sender: main/solve/MPI_Recv: 2.050 ms -> 2.550 ms (+24.4 %, p "* ]]
    [[ $output == *"no wait: main/solve: 4.048 ms -> 4.548 ms (+12.4 %, p "* ]]
    run -0 "$PAGODA" diff --regressions runs.db branch=main branch=same
    [ -z "$output" ]
    run -0 "$PAGODA" diff --regressions runs.db branch=new branch=main # faster is not a violation
    run -0 "$PAGODA" diff --regressions --relative 20 --absolute 2ms runs.db old1 new1
    run -1 "$PAGODA" diff --regressions runs.db old1 same1 new1 # each against the first
    [ "${#lines[@]}" = 3 ]
}

@test "what cannot be compared is said in one sentence" {
    run -1 "$PAGODA" diff runs.db old1 new
    [[ $output == 'pagoda: runs.db has no trial "new"; did you mean "new1"?' ]]
    run -1 "$PAGODA" diff runs.db old1 'none*'
    [[ $output == 'pagoda: runs.db has no trial "none*"'* ]]
    run -1 "$PAGODA" diff missing.db old1 new1
    [ "${#lines[@]}" = 1 ]
    run -2 "$PAGODA" diff runs.db old1
    local options
    for options in "--alpha 2" "--structure --regressions" "--common"; do
        # shellcheck disable=SC2086 # words
        run -2 "$PAGODA" diff $options runs.db old1 new1
        [ "${#lines[@]}" = 1 ]
    done
}

@test "from the top down, down to where the change is" {
    run "$PAGODA" diff runs.db old1 new1 --json
    [ "$(jq -c '.differences[0].top_down[] | select(.is_change) | [.path, .change_ns]' <<<"$output")" = \
        '["main",1000000]
["main/solve",1000000]
["main/solve/MPI_Recv",500000]' ]
    run "$PAGODA" diff runs.db old1 old1 --json # no change: nothing below the top
    [ "$(jq -c '[.differences[0].top_down[].path]' <<<"$output")" = '["main"]' ]
}

@test "time without CPU time is not part of the structure of a run" {
    local lost=$ROOT/tests/traces/replay/without-cpu.txt
    "$BUILD/tools/mktrace" "$lost" lost
    sed '/ cpu /d' "$lost" >kept.txt
    "$BUILD/tools/mktrace" kept.txt kept
    "$PAGODA" replay lost --json | jq -e '[.profile[].region] | index("(without CPU time)")'
    "$PAGODA" diff --structure --common lost kept >structure
    grep -q '^/CallPath: \([0-9]*\) resources, \1 in all runs$' structure
    grep -q '^/Code: \([0-9]*\) resources, \1 in all runs$' structure
    run ! grep -q 'without CPU' structure
}

@test "the structure of runs: sums of run ids, and what is only where" {
    run -0 "$PAGODA" diff --structure runs.db old1 renamed
    [[ ${lines[1]} =~ ^" "+"1  ring/default/old1"$ ]]
    [[ ${lines[2]} =~ ^" "+"2  ring/default/renamed"$ ]]
    [[ $output == *"/Code: 12 resources, 8 in all runs"* ]]
    [[ $output =~ " 2  only in 2  compute.c"$'\n'" "+"2  only in 2    compute"$'\n' ]]
    [[ $output =~ " 1  only in 1  solve.c"$'\n'" "+"1  only in 1    solve"$'\n' ]]
    [[ $output =~ " 3  in all     main"$'\n'" "+"2  only in 2    compute"$'\n'" "+"2  only in 2      MPI_Recv" ]]
    [[ $output == *"/Process: 2 resources, 2 in all runs"* ]]
    run "$PAGODA" diff --structure --json runs.db old1 renamed old2
    [ "$(jq -c '.runs | map(.id)' <<<"$output")" = "[1,2,4]" ]
    [ "$(jq '.resources[] | select(.path == "/Code/solve.c/solve") | .run_ids' <<<"$output")" = 5 ]
    [ "$(jq '.resources[] | select(.path == "/Code/compute.c") | .run_ids' <<<"$output")" = 2 ]
    [ "$(jq '.resources[] | select(.path == "/CallPath/main") | .run_ids' <<<"$output")" = 7 ]
}

@test "a mapping file makes renamed resources equal" {
    run -0 "$PAGODA" diff --structure --renamed map.txt --json runs.db old1 renamed
    [ "$(jq '[.resources[] | select(.run_ids != 3)] | length' <<<"$output")" = 0 ]
    [ "$(jq '[.resources[] | select(.path | test("solve"))] | length' <<<"$output")" = 0 ]
    run "$PAGODA" diff --renamed map.txt --json runs.db old1 renamed
    [ "$(jq '[.differences[0].by_path[] | select(.change_ns != 0)] | length' <<<"$output")" = 0 ]
    run "$PAGODA" diff --json runs.db old1 renamed
    [ "$(jq '[.differences[0].by_path[] | select(.a_ns == null)] | length' <<<"$output")" = 4 ]
    [ "$(jq '.differences[0].by_path | map(.change_ns) | add' <<<"$output")" = 0 ]
}

@test "a wrong mapping file is refused with its line" {
    cd "$BATS_TEST_TMPDIR" || return
    local line message
    while IFS='|' read -r line message; do
        printf '# a comment\n%s\n' "$line" >wrong.txt
        run -1 "$PAGODA" diff --structure --renamed wrong.txt "$BATS_FILE_TMPDIR/runs.db" old1 new1
        [ "${#lines[@]}" = 1 ]
        [[ $output == "pagoda: wrong.txt:2: "*"$message"* ]]
    done <<'END'
/Code/a.c /Code/b.c|expected /RESOURCE -> /RESOURCE
/Code/a.c -> |a resource begins with /
/Code/a.c -> /Process/1|are of different hierarchies
/Code -> /Code/b.c|is a whole hierarchy
/Code/(a,b) -> /Code/b.c|is more than one resource
END
    run -1 "$PAGODA" diff --renamed none.txt "$BATS_FILE_TMPDIR/runs.db" old1 new1
    [[ $output == "pagoda: cannot read the renamings none.txt: "* ]]
}

@test "traces are compared without a database" {
    mkdir -p "$BATS_TEST_TMPDIR/scratch"
    TMPDIR=$BATS_TEST_TMPDIR/scratch run --separate-stderr "$PAGODA" diff run0 run1000000 --json
    [ "$status" = 0 ]
    [ "$(jq -c '[.database, .differences[0].time.change_ns, .differences[0].a[0].trial]' \
        <<<"$output")" = '[null,1000000,"run0/traces/run0"]' ]
    [ -z "$(ls "$BATS_TEST_TMPDIR/scratch")" ]
    run -1 --separate-stderr "$PAGODA" diff --regressions run0 run1000000 run0
    [ "${#lines[@]}" = 3 ]
    run -1 --separate-stderr "$PAGODA" diff run0 missing.otf2
    [ "$(wc -l <<<"${stderr-}")" = 1 ]
}

@test "a predicted run compares with the measured one, and its causes sum too" {
    "$PAGODA" replay run0 --store "$BATS_TEST_TMPDIR/p.db" --as half --cpu-speed 2 >/dev/null
    run -0 "$PAGODA" diff "$BATS_TEST_TMPDIR/p.db" 1 2 --json
    [ "$(jq -c '.differences[0] | [.a[0].origin, .b[0].origin]' <<<"$output")" = \
        '["measured","predicted"]' ]
    [ "$(jq '.differences[0] | .time.change_ns < 0' <<<"$output")" = true ]
    [ "$(jq '.differences[0] | (.by_path | map(.change_ns) | add) == .time.change_ns' \
        <<<"$output")" = true ]
    [ "$(jq '.differences[0] | (.by_rank | map(.change_ns) | add) == .time.change_ns' \
        <<<"$output")" = true ]
}

@test "names of regions are written as in a replay's report" {
    cd "$BATS_TEST_TMPDIR" || return
    sed 's/solve/f(a\/b,<c>)/' "$ROOT/tests/traces/replay/pipeline.txt" | "$BUILD/tools/mktrace" - odd
    run --separate-stderr "$PAGODA" diff odd odd --json
    [ "$(jq '[.differences[0].by_path[] | select(.path == "main/f(a/b,<c>)")] | length' \
        <<<"$output")" = 1 ]
    run --separate-stderr "$PAGODA" diff odd "$BATS_FILE_TMPDIR/run1000000"
    [[ $output == *"  main/f(a/b,<c>)"$'\n'* ]]
    run --separate-stderr "$PAGODA" diff --regressions "$BATS_FILE_TMPDIR/run1000000" odd
    [[ $output == *"no wait: main/f(a/b,<c>): 0 ns -> "*" (new)"* ]]
}

@test "the baseline can be a git revision" {
    cp runs.db "$BATS_TEST_TMPDIR/r.db"
    cd "$BATS_TEST_TMPDIR" || return
    sqlite3 r.db "INSERT INTO trial_attribute (trial_id, kind, name, value) SELECT trial_id, 'version', 'PAGODA::REVISION',
        CASE WHEN trial LIKE 'old%' THEN '48aecbcc45fe' ELSE '48ae00000000' END FROM trials
        WHERE trial LIKE 'old%' OR trial LIKE 'new%'"
    run "$PAGODA" diff --json r.db revision=48aecb revision=48ae00000000
    [ "$(jq -c '.differences[0] | [(.a, .b | length), .time.change_ns]' <<<"$output")" = "[3,3,1000000]" ]
    run -1 "$PAGODA" diff r.db revision=48a new1 # too short to mean something
    [[ $output == 'pagoda: r.db has no trial "revision=48a"'* ]]
}

# new1 is of a revision of its own, the latest one of the branch; same1 has a branch as a parameter.
@test "the baseline is the latest revision of a branch or tag" {
    cp runs.db "$BATS_TEST_TMPDIR/r.db"
    cd "$BATS_TEST_TMPDIR" || return
    sqlite3 r.db "INSERT INTO trial_attribute (trial_id, kind, name, value)
            SELECT trial_id, 'version', 'PAGODA::REVISION', substr(trial, 1, 3) FROM trials;
        INSERT INTO trial_attribute (trial_id, kind, name, value)
            SELECT trial_id, 'version', 'PAGODA::BRANCH', 'trunk' FROM trials WHERE trial LIKE 'old%'
            OR trial LIKE 'new%';
        INSERT INTO trial_attribute (trial_id, kind, name, value)
            SELECT trial_id, 'version', 'PAGODA::TAG', 'v1' FROM trials WHERE trial LIKE 'old%';
        UPDATE trial SET started_at = '2026-01-0' || id || 'T00:00:00Z'"
    run "$PAGODA" diff --json --baseline branch=trunk r.db old1
    [ "$(jq -c '.differences[0].a | map(.trial)' <<<"$output")" = \
        '["ring/default/new1","ring/default/new2","ring/default/new3"]' ]
    run "$PAGODA" diff --json r.db branch=trunk old1 # named as A it is all of them
    [ "$(jq -c '.differences[0].a | length' <<<"$output")" = 6 ]
    run -1 "$PAGODA" diff --regressions --baseline tag=v1 r.db branch=same branch=new
    [ "${#lines[@]}" = 3 ]
    run -1 "$PAGODA" diff --regressions --baseline branch=trunc r.db old1
    [[ $output == 'pagoda: r.db has no trial "branch=trunc"'* ]]
    run -2 "$PAGODA" diff --baseline branch=main r.db
    run -2 "$PAGODA" diff --baseline branch=main run0
}

@test "a set of limits" {
    cat >"$BATS_TEST_TMPDIR/limits.txt" <<'LIMITS'
# metric             limit      focus
time_ns              <= 9.5ms
parallel_efficiency  >= 40 %
late-sender.wait_ns  <= 2.2ms   < /CallPath/main/solve/MPI_Recv, /Process/1 >
late-receiver.count  <= 0
visits               <= 2       /Code/solve.c
LIMITS
    run -0 "$PAGODA" diff runs.db --limits "$BATS_TEST_TMPDIR/limits.txt" old1
    [[ $output == *": 1 of 5 limits not kept (*)"* ]]
    [[ $output == *"*  4.000 ms  <= 2.200 ms     1  old1   late-sender.wait_ns  < /CallPath/"* ]]
    run -1 "$PAGODA" diff --regressions runs.db --limits "$BATS_TEST_TMPDIR/limits.txt" old1 branch=new
    [ "${#lines[@]}" = 3 ]
    [ "${lines[1]}" = "branch=new: time_ns of program: 10.14 ms is not <= 9.500 ms" ]
    run "$PAGODA" diff --json --limits "$BATS_TEST_TMPDIR/limits.txt" run0 # a trace
    [ "$(jq -c '[.database, (.limits | map(.is_kept))]' <<<"$output")" = '[null,[true,true,false,true,true]]' ]
    echo 'time_ns <= 10ms' >"$BATS_TEST_TMPDIR/kept.txt"
    run -0 "$PAGODA" diff --regressions runs.db --limits "$BATS_TEST_TMPDIR/kept.txt" old1
    [ -z "$output" ]
}

@test "limits that are stored" {
    cp runs.db "$BATS_TEST_TMPDIR/r.db"
    cd "$BATS_TEST_TMPDIR" || return
    cat >limits.csv <<'CSV'
metric,unit,adds_up_over,focus,value
time_ns,ns,nothing,,9500000
parallel_efficiency,share,nothing,,0.4
exclusive_ns,ns,everything,"< /CallPath/main/solve, /Process/1 >",1000000
CSV
    "$PAGODA" store import r.db limits.csv --origin threshold --as goals >/dev/null
    run -0 "$PAGODA" diff r.db --limits goals old1 new1 --json
    [ "$(jq -c '.limits | map([.metric, .relation, .is_kept])' <<<"$output" | sort)" = \
        '[["time_ns","<=",true],["parallel_efficiency",">=",true],["exclusive_ns","<=",false],["time_ns","<=",false],["parallel_efficiency",">=",true],["exclusive_ns","<=",false]]' ]
}

@test "a limit on a metric whose name looks like a pattern" {
    cd "$BATS_TEST_TMPDIR" || return
    printf 'trial,metric,value\nt1,m[1],3.5\n' >values.csv
    "$PAGODA" store import r.db values.csv >/dev/null
    echo 'm[1] <= 1' >limits.txt
    run "$PAGODA" diff --json r.db --limits limits.txt t1
    [ "$(jq -c '.limits | map([.value, .is_kept])' <<<"$output")" = '[[3.5,false]]' ]
    [ "$("$PAGODA" query r.db -m 'm[1]' --json | jq -c '[.. | numbers | select(. == 3.5)]')" = '[3.5]' ]
}

@test "limits that cannot be understood are named with their line" {
    wrong() {
        printf '# limits\n%s\n' "$1" >"$BATS_TEST_TMPDIR/wrong.txt"
        run -1 "$PAGODA" diff runs.db --limits "$BATS_TEST_TMPDIR/wrong.txt" old1
        [ "${#lines[@]}" = 1 ]
        [[ $output == *"wrong.txt"*"$2"* ]]
    }
    wrong 'time_ns < 3s' ':2: wanted is METRIC <= LIMIT [FOCUS], or >='
    wrong 'time_ns <= fast' ':2: `fast` is not a limit of time_ns, which is in ns'
    wrong 'time_ns <= 9500000' ':2: 9500000 has no unit: write 9500000ns, or us, ms, s'
    wrong 'parallel_efficiency >= 40' ':2: 40 is not a share: write 40 %, or a number up to 1'
    wrong 'tme_ns <= 1s' ':2: runs.db has no metric "tme_ns"; did you mean "time_ns"?'
    wrong 'visits <= 1 /CallPath/main/slove' 'slove'
    wrong 'visits <= 1 /CallPath/(a' ':2: '
    wrong '#' 'holds no limits'
    wrong 'transfer_efficiency >= 50%' 'not every trial of old1 has a transfer_efficiency'
    run -1 "$PAGODA" diff runs.db --limits none.txt old1
    [ "$output" = "pagoda: cannot read the limits none.txt: No such file or directory, and no trial is called so" ]
    run -1 "$PAGODA" diff runs.db --limits old2 old1
    [ "$output" = 'pagoda: the trial old2 is no set of limits: its origin is not "threshold"' ]
    run -2 "$PAGODA" diff runs.db --limits none.txt
    run -2 "$PAGODA" diff runs.db --limits none.txt --structure old1
}

# From 2 to 5 ms rank 1 waits 2 of 3 ms; from 5 to 9 ms it waits until 7.0001 ms, and rank 0 for it
# from 7.002 ms on.
@test "two intervals of one run" {
    run -0 "$PAGODA" diff run0 --intervals 2ms:5ms,5ms:9ms --json
    [ "$(jq -c '.differences[0] | [.a[0].origin, .a[0].time_ns, .b[0].time_ns, .time.change_ns]' <<<"$output")" = \
        '["interval",3000000,4000000,1000000]' ]
    [ "$(jq -c '.differences[0].by_path[] | select(.kind == "late-sender") | [.a_ns, .b_ns] | map(round)' <<<"$output")" = '[1000000,1000000]' ]
    [ "$(jq -c '.differences[0].by_path[] | select(.kind == "wait-at-nxn") | [.a_ns, (.b_ns | round)]' <<<"$output")" = '[null,999000]' ]
    [ "$(jq -c '.differences[0] | [.by_path, .by_rank | map(.change_ns) | add]' <<<"$output")" = "[1000000,1000000]" ]
    run -1 "$PAGODA" diff run0 --regressions --intervals 2ms:5ms,5ms:9ms
    [ "${lines[0]}" = "run time: 3.000 ms -> 4.000 ms (+33.3 %)" ]
}

# Wherever a run is cut, the two parts have together what the whole has: of each call path, rank and
# wait state.
@test "the parts of a run sum to the whole" {
    cd "$BATS_TEST_TMPDIR" || return
    local trace at n=0
    for trace in replay/pipeline replay/unmodified engine/{threads,waitall,call-sites,nested-mpi,cut}; do
        n=$((n + 1))
        "$BUILD/tools/mktrace" "$ROOT/tests/traces/$trace.txt" "t$n"
        "$PAGODA" diff "t$n" "t$n" --json >whole.json 2>err
        for at in 17ns 60ns 2500us; do
            "$PAGODA" diff "t$n" --intervals ":$at,$at:" --json >parts.json 2>err || {
                grep -q 'beyond the run' err && continue
                cat err
                return 1
            }
            sums() { jq -c --argjson n "$1" '.differences[0] | [(.by_path, .by_rank)[] |
                [.kind, .path, .rank, ((.a_ns // 0) + (.b_ns // 0)) / $n | . * 1000 | round]] |
                map(select(.[3] != 0)) | sort' "$2"; }
            [ "$(sums 2 whole.json)" = "$(sums 1 parts.json)" ] || {
                echo "$trace at $at"
                diff <(sums 2 whole.json) <(sums 1 parts.json)
                return 1
            }
        done
    done
}

@test "intervals that cannot be" {
    wrong() {
        run "$PAGODA" diff run0 --intervals "$1"
        [ "$status" = "${3-2}" ]
        [[ $output == "pagoda: "*"$2"* ]]
    }
    wrong 1ms:2ms 'there must be two intervals at least, not only 1ms:2ms'
    wrong 'operator==' 'there must be two intervals at least, not only operator=='
    wrong 1ms:2ms,3ms:3ms 'the interval 3ms:3ms is empty'
    wrong 1ms:2ms,3ms 'is not an interval: FIRST:LAST wanted, such as 1.5s:2s'
    wrong 1ms:2ms,1:2x 'is not an interval: FIRST:LAST wanted'
    wrong 1ms:2ms,a:b 'the run has no region or marker `a:b`' 1
    wrong 1ms:2ms,2ms:3s 'goes beyond the run' 1
    wrong 1ms:2ms,2s: 'goes beyond the run' 1
    run -2 "$PAGODA" diff run0 run50000 --intervals 1ms:2ms,2ms:3ms
    run -2 "$PAGODA" diff runs.db --intervals 1ms:2ms,2ms:3ms old1
}

# Thread 1 records from 12 to 60 while the master's 100 ns pass.
@test "what threads did at the same time is taken off again, and sums still fit" {
    cd "$BATS_TEST_TMPDIR" || return
    archive engine/threads
    run --separate-stderr "$PAGODA" diff threads "$BATS_FILE_TMPDIR/run0" --json
    [ "$(jq '.differences[0].by_wait_state[] | select(.kind == "parallel threads") | .a_ns | round' \
        <<<"$output")" = -48 ]
    [ "$(jq '.differences[0] | (.by_path | map(.change_ns) | add) == .time.change_ns' \
        <<<"$output")" = true ]
}

@test "names of C++ are short, and on a terminal no row is wider than it" {
    cd "$BATS_TEST_TMPDIR"
    archive advise/names
    "$PAGODA" diff names names >piped
    [ "$(awk 'length > 120' piped)" = '' ]
    grep -q '  main/ns::operator==$' piped
    grep -q '  main/a/b=c\*/Halo<>::exchange_all/MPI_Recv$' piped
    grep -q '  main/solve(double, char const\*)$' piped
    "$PAGODA" diff names names --json |
        jq -e '[.. | strings] | any(contains("exchange_all(std::vector<double>&, int)/MPI_Recv"))'
    script -qc 'stty cols 80; "$PAGODA" diff names names' typescript </dev/null >/dev/null
    [ "$(tr -d '\r' <typescript | awk '!/^Script/ && length > 80')" = '' ]
    grep -q 'no wait  *main/[^ ]*\.\.\.[^ ]*MPI_Recv' typescript
}

# places METRIC A B: what changed, hierarchy by hierarchy: resource and change.
places() {
    "$PAGODA" diff --metric "$1" runs.db "$2" "$3" --json |
        jq -c '.differences[0].hierarchies[].resources[] | select(.is_change) | [.resource, (.change | tostring | tonumber)]'
}

@test "any metric: from the whole down to the functions, ranks, nodes and messages where it differs" {
    run places late-sender.wait_ns old1 new1
    [ "$output" = '["/Code/MPI",1000000]
["/Code/MPI/MPI_Recv",1000000]
["/CallPath/main",1000000]
["/CallPath/main/solve",1000000]
["/CallPath/main/solve/MPI_Recv",1000000]
["/Machine/node0",1000000]
["/Process/1",1000000]' ]
    # What did not change is there, and nothing below it.
    run -0 "$PAGODA" diff --metric messages runs.db old1 new1
    grep -qE '^messages: 1 -> 1: \+0 ' <<<"$output"
    [ "$(sed -n '/^Message/,$p' <<<"$output" | tail -1 | tr -s ' ')" = ' 1 1 +0 - pair' ]
    # Messages of tags, and waits for them, are in a hierarchy of their own.
    [ "$(places late-sender.object_wait_ns old1 new1)" = '["/SyncObject/Message",1000000]
["/SyncObject/Message/world",1000000]
["/SyncObject/Message/world/7",1000000]' ]
    "$PAGODA" diff --metric tag_bytes runs.db old1 new1 | grep -qE '^ +1.0 KiB +1.0 KiB +\+0 B +- +Message$'
    # The parts sum to the whole on each level of a hierarchy without cuts.
    "$PAGODA" diff --metric exclusive_ns --relative 0 --absolute 0s runs.db old1 new1 --json |
        jq -e '.differences[0] | (.total.change == 2000000) and .total.change as $all |
            all(.hierarchies[]; [.resources[] | select(.resource | split("/") | length == 3) |
                .change] | add == $all)'
}

@test "any metric: what one side lacks is 0, repeated runs are tested, renamed functions compared" {
    # The new program waits in a barrier of its own.
    sed -e '/^0 9.* leave main/d; /^1 9.* leave main/d' "$ROOT/tests/traces/replay/pipeline.txt" >none.txt
    sed '/MPI_Recv/d; /MPI_Send/d; / send /d; / receive /d' none.txt >lacks.txt
    "$BUILD/tools/mktrace" none.txt with
    "$BUILD/tools/mktrace" lacks.txt without
    "$PAGODA" diff --metric late-sender.wait_ns without with --json >lacking.json
    jq -e '.differences[0] | .total.a == 0 and .total.b == 4000000 and
        ([.hierarchies[] | select(.hierarchy == "CallPath").resources[]] |
            any(.resource == "/CallPath/main/solve/MPI_Recv" and .a == null and .change == 4000000
                and .is_change))' lacking.json
    run places late-sender.wait_ns 'old*' 'same*'
    [ -z "$output" ]
    run places late-sender.wait_ns 'old*' 'new*'
    [ "${#lines[@]}" = 7 ]
    "$PAGODA" diff --metric exclusive_ns --renamed map.txt runs.db old1 renamed --json |
        jq -e 'all(.differences[0].hierarchies[].resources[]; .is_change | not)'
}

@test "any metric: what cannot be compared" {
    not_compared() {
        run -1 "$PAGODA" diff --metric "${@:2}" runs.db old1 new1
        [ "${#lines[@]}" = 1 ]
        [[ $output == *"$1"* ]]
    }
    not_compared 'values of inclusive_ns do not add up to that of the whole run' inclusive_ns
    not_compared 'did you mean "late-sender.wait_ns"?' late-sender.wait
    not_compared 'm* means 3 metrics: name one of them' 'm*'
    not_compared '--absolute is a time, message_bytes is in bytes: use --relative' \
        message_bytes --absolute 1ms
    run -2 "$PAGODA" diff --metric messages --structure runs.db old1 new1
    [[ $output == *"--metric goes without --limits, --structure and --regressions"* ]]
}

@test "a wait while the rank has no CPU time counts once, and no call path has less than no time" {
    # Rank 0 is in its sends for 3.05 ms, 2.5 ms of them without CPU time, and waits for 2.9 ms.
    sed 's/^1 11100000\([ -]\)/1 14000000\1/; s/cpu 11100000/cpu 14000000/' \
        "$ROOT/tests/traces/replay/without-cpu.txt" | "$BUILD/tools/mktrace" - late
    "$PAGODA" diff --json late run0 >late.json
    jq -e '[.differences[0].by_path[] | select(.path | startswith("main/solve/MPI_Send")) | .a_ns * 3 | round]
        | sort == [0, 150000, 2900000]' late.json
    jq -e '[.differences[0].by_path[].a_ns // 0] | (add | round) == 21500000 and all(. >= 0)' late.json
}

@test "a signal that ends it leaves no folder behind" {
    mkdir -p scratch
    archive replay/pipeline waiting
    rm waiting/traces.def
    mkfifo waiting/traces.def # opening the second trace waits for ever
    TMPDIR=$PWD/scratch "$PAGODA" diff run0 waiting 3>&- &
    local pid=$!
    until compgen -G 'scratch/pagoda-diff-*/runs.db'; do
        kill -0 $pid
        sleep 0.05
    done
    kill -TERM $pid
    wait $pid && return 1
    [ -z "$(ls scratch)" ]
}

@test "from the top down, of neighbours the largest change comes first, and all changes are shown" {
    "$PAGODA" diff runs.db old1 new1 --json | jq -e '.differences[0].top_down as $rows
        | [$rows[] | .path | split("/") | length] as $depths
        | all(range(1; $rows | length); $depths[.] <= $depths[. - 1] + 1)
        and all(range(1; $rows | length);
            $depths[.] != $depths[. - 1] or ($rows[.].change_ns | fabs) <= ($rows[. - 1].change_ns | fabs))'
    "$PAGODA" diff runs.db old1 new1 --top 0 >few
    sed -n '/^From the top/,$p' few | grep -q '^  \.\.\. [0-9]* call paths\? more without a change (--top)$'
    [ "$(sed -n '/^From the top/,$p' few | grep -c '^  \* ')" = 3 ]
}

# In uneven.txt rank 2 computes from 1 to 20.999 ms, ranks 0 and 1 to 6 ms, and wait for it in MPI_Finalize: 2 x 14.999 ms,
# a third of that for each rank.
@test "findings: which ones are new, gone or changed" {
    local uneven=$ROOT/tests/traces/replay/uneven.txt
    "$BUILD/tools/mktrace" "$uneven" a
    states() { # B: the state of each finding, its times in ns, place and ranks on both sides
        run -0 "$PAGODA" diff --json a "$1"
        jq -c '.differences[0].findings[] | [.kind, .state, (.a_ns | round), (.b_ns | round),
            .a.place, .a.ranks, .b.place, .b.ranks]' <<<"$output"
    }
    # The same in another line of the source.
    sed 's/solve.c:56/solve.c:60/' "$uneven" | "$BUILD/tools/mktrace" - moved
    [ "$(states moved)" = '["uneven-work","same",9999333,9999333,"solve (solve.c:56)","2","solve (solve.c:60)","2"]' ]
    # It ends at 15.999 ms: 2 x 9.999 ms.
    sed 's/20999000/15999000/g; s/21000000/16000000/' "$uneven" | "$BUILD/tools/mktrace" - faster
    [ "$(states faster)" = '["uneven-work","changed",9999333,6666000,"solve (solve.c:56)","2","solve (solve.c:56)","2"]' ]
    # Rank 1 and rank 2 change places.
    sed 's/^1 /x /; s/^2 /1 /; s/^x /2 /' "$uneven" | "$BUILD/tools/mktrace" - swapped
    [ "$(states swapped)" = '["uneven-work","changed",9999333,9999333,"solve (solve.c:56)","2","solve (solve.c:56)","1"]' ]
    # Another function, which is another place; and nothing to find.
    sed 's/solve/work/g' "$uneven" | "$BUILD/tools/mktrace" - renamed
    [ "$(states renamed)" = '["uneven-work","gone",9999333,0,"solve (solve.c:56)","2",null,null]
["uneven-work","new",0,9999333,null,null,"work (work.c:56)","2"]' ]
    run -0 "$PAGODA" diff a faster
    [[ $output == *"
Findings: what they cost per rank (*: beyond the thresholds)
            A         B     change  finding
  *  9.999 ms  6.666 ms  -3.333 ms  Uneven work in solve (solve.c:56), rank 2

"* ]]
    run -0 "$PAGODA" diff a swapped
    [[ $output == *"  *  9.999 ms  9.999 ms   +0 ns  Uneven work in solve (solve.c:56), rank 1 (A: 2)"* ]]
    run -0 "$PAGODA" diff a renamed
    [[ $output == *"  *         -  9.999 ms     new  Uneven work in work (work.c:56), rank 2"* ]]
    [[ $output == *"  *  9.999 ms         -    gone  Uneven work in solve (solve.c:56), rank 2"* ]]
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/replay/balanced.txt" balanced
    run -0 "$PAGODA" diff balanced balanced
    [[ $output != *Findings:* ]]
}

# A change within the scatter of repetitions is none: p counts, too.
@test "findings of repeated runs are tested" {
    run -0 "$PAGODA" diff runs.db branch=main branch=new --json
    jq -e '.differences[0].findings | length == 1 and (.[0] | .kind == "dependent-work" and .state == "changed" and
        .a.runs == 3 and .b.runs == 3 and .p < 0.05)' <<<"$output"
    run -0 "$PAGODA" diff runs.db branch=main branch=same --absolute 1us --relative 0 --json
    jq -e '.differences[0].findings[0] | .state == "same" and .p > 0.05 and .b_ns - .a_ns > 10000' <<<"$output"
}
