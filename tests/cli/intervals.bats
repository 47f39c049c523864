# SPDX-License-Identifier: BSD-3-Clause
# Parts of a run as trials: times, visits of a region, what lies between markers.
load ../helper

# Two steps on two ranks. In the first rank 0 waits from 150 to 199 in the barrier for rank 1, in the
# second rank 1 from 230 to 300 for rank 0. Rank 0 is in them from 100 to 210 and from 210 to 310,
# rank 1 from 110 to 210 and from 212 to 330.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    archive replay/steps run
    archive replay/pipeline pipe
    "$PAGODA" replay run --store runs.db --as whole >/dev/null
    "$PAGODA" replay run --store runs.db --as one --interval 'step#1' --parameter size=4 >/dev/null
    "$PAGODA" replay run --store runs.db --as all --interval 'step#*' --interval 50ns:150ns >/dev/null
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

ask() {
    sqlite3 -separator ' ' runs.db "$1"
}

@test "a call of MPI, in which no rank computes, has no efficiencies" {
    run "$PAGODA" replay pipe --interval 'MPI_Recv#1'
    [[ $output == *"computing 0.0 %, waiting 50.0 %"* && $output != *Efficiency* ]]
    run "$PAGODA" replay pipe --interval 'solve#1'
    [[ $output == *"  Efficiency "* ]]
}

@test "time without CPU time is that within the interval" {
    archive replay/without-cpu lost
    # Rank 0 from 5 to 12 ms: 6.1 of the 8 ms of its segment of solve, 0.9 of the 3 ms of its send.
    "$PAGODA" replay lost --interval 5ms:12ms --json | jq -e '.ranks[0]
        | [.useful_ns, .no_cpu_ns, .mpi_ns, .no_cpu_mpi_ns] == [2440000, 3660000, 900000, 750000]'
    # Intervals that follow each other sum to the run.
    "$PAGODA" replay lost --interval 0:5ms --interval 5ms:12ms --interval 12ms:21500us --json |
        jq -e '[.intervals[].no_cpu_ns] | add == 10100000'
    [[ $("$PAGODA" replay lost --interval 0:5ms --interval 5ms:12ms) == *'no CPU time'* ]]
}

@test "an interval is stored with its bounds, and refers to its run" {
    [ "$(ask 'SELECT trial, interval, is_phase, begin_ns, end_ns, time_ns, run FROM intervals')" = \
        'one step#1 1 100 210 110 whole
all: step#1 step#1 1 100 210 110 whole
all: step#2 step#2 1 210 330 120 whole
all: 50ns:150ns 50ns:150ns 0 50 150 100 whole' ]
    [ "$(ask "SELECT round(share_of_run, 4) FROM intervals WHERE trial = 'one'")" = 0.2619 ]
    [ "$(ask "SELECT DISTINCT origin FROM trials WHERE trial <> 'whole'")" = interval ]
    [ "$(ask "SELECT name, begin_ns, end_ns FROM time_interval WHERE trial_id = 2")" = $'run 100 210\nwindow 100 210' ]
    [ "$(ask 'SELECT first_ns, last_ns FROM trial_rank WHERE trial_id = 4')" = $'210 310\n212 330' ]
    [ "$(ask "SELECT parameter, value FROM parameters WHERE trial_id = 2")" = $'interval step#1\nsize 4\nvisit 1' ]
}

# Step 2: rank 0 computes 210 to 300 and 305 to 310, rank 1 212 to 230 and 305 to 330, in all 138 of
# 218 ns; the busiest rank 95 ns, the mean 69 ns.
@test "what is stored of a phase is what lies in it" {
    values() {
        ask "SELECT code, sum(value) FROM measurements WHERE trial_id = 4 AND metric = '$1'
            GROUP BY code HAVING sum(value) > 0"
    }
    [ "$(values exclusive_ns)" = $'/Code/MPI/MPI_Barrier 80\n/Code/it.c/step 138' ]
    [ "$(values visits | sed '/done/d')" = $'/Code/MPI/MPI_Barrier 2\n/Code/it.c/step 2' ]
    [ "$(ask 'SELECT property, count, wait_ns FROM wait_states WHERE trial_id = 4')" = 'wait-at-barrier 1 70' ]
    [ "$(ask 'SELECT useful_ns, mpi_ns, wait_ns FROM profile_by_process WHERE trial_id = 4')" = $'95 5 0\n43 75 70' ]
    [ "$(ask "SELECT round(parallel_efficiency * 218) FROM trials WHERE trial_id = 4")" = 138.0 ]
    [ "$(ask "SELECT metric, round(value, 4) FROM measurements WHERE trial_id = 4 AND metric LIKE '%_balance'")" = \
        'load_balance 0.7263' ]
    [ "$(ask 'SELECT count(*) FROM critical_path_by_region WHERE trial_id = 4')" = 0 ]
    # What the phase has not, is not among its resources.
    [ "$(ask "SELECT count(*) FROM trial_resource JOIN resource r ON r.id = resource_id
        WHERE trial_id = 4 AND path LIKE '%setup%'")" = 0 ]
}

@test "show tells which part of which run" {
    run -0 "$PAGODA" store show runs.db 'all: step#2'
    [[ $output == *"interval step#2: from 210 ns to 330 ns of the run whole, 28.6 % of it"* ]]
    run "$PAGODA" store show --json runs.db one
    [ "$(jq -c '.interval' <<<"$output")" = \
        '{"name":"step#1","is_phase":true,"begin_ns":100,"end_ns":210,"run_id":1,"run":"whole","share_of_run":0.261904761904762}' ]
    run "$PAGODA" store show --json runs.db whole
    [ "$(jq -c '.interval' <<<"$output")" = null ]
}

@test "where an interval has no MPI calls, it is not the trace that has none" {
    run "$PAGODA" replay run --interval setup
    [[ $output == *'  The phase holds no MPI calls.'* ]]
    [[ $output == *'phase setup: from '* ]]
    run "$PAGODA" replay run --interval 20ns:40ns --json
    [ "$(jq -r .headline <<<"$output")" = 'The interval holds no MPI calls' ]
}

@test "query, diff and scaling take intervals like other trials" {
    run -0 "$PAGODA" query runs.db --origin interval --metric time_ns --column interval --csv
    [ "${#lines[@]}" = 5 ]
    [[ $output == *'step#2'*120* ]]
    run "$PAGODA" diff runs.db one 'all: step#2' --json
    [ "$(jq -c '.differences[0] | [.a[0].origin, .time.change_ns, (.by_path, .by_rank | map(.change_ns) | add)]' <<<"$output")" = \
        '["interval",10,10,10]' ]
    run "$PAGODA" diff --structure runs.db whole one
    [[ $output == *"only in 1"*"setup"* ]]
    run -0 --separate-stderr "$PAGODA" scaling runs.db 'all: step#*' --by visit --json
    [ "$(jq -c '[.. | .time_ns? | numbers] | unique' <<<"$output")" = '[110,120]' ]
    # The whole runs alone where nothing else is said.
    run "$PAGODA" scaling runs.db
    [ "$output" = "pagoda: 1 trial: nothing to compare, no two of them differ in ranks only" ]
}

@test "what a run is predicted from is not an interval of it" {
    cp runs.db "$BATS_TEST_TMPDIR/r.db"
    "$PAGODA" replay run --cpu-speed 2 --store "$BATS_TEST_TMPDIR/r.db" >/dev/null
    [ "$(sqlite3 "$BATS_TEST_TMPDIR/r.db" 'SELECT measured_trial FROM predictions')" = whole ]
}

@test "phases: what a text means" {
    bounds() {
        "$PAGODA" replay run --json --interval "$1" | jq -r '.interval | "\(.begin_ns) \(.end_ns)"'
    }
    [ "$(bounds step)" = '100 330' ]
    [ "$(bounds 'step#1-2')" = '100 330' ]
    [ "$(bounds 'st*#2')" = '210 330' ]
    [ "$(bounds 'tick#1')" = '100 212' ] # until the marker is set again
    [ "$(bounds 'tick#2')" = '210 420' ] # or the rank ends
    [ "$(bounds 'tick#1..done')" = '100 330' ]
    [ "$(bounds 'setup..step')" = '20 210' ]
    [ "$(bounds 'setup..MPI_Barrier')" = '20 200' ]
    [ "$(bounds 'MPI_Init..MPI_Finalize')" = '10 410' ]
    [ "$(bounds io:write)" = '330 400' ]
    [ "$(bounds :1e-7)" = '0 100' ]
    [ "$(bounds 400ns:)" = '400 420' ]
}

@test "reports of intervals" {
    run "$PAGODA" replay run --interval 'step#2'
    [[ $output == *"phase step#2: from 210 ns to 330 ns of the run, first rank in to last rank out"* ]]
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"not in the phase 9.2 %"* ]]
    [[ $output != *"Critical path"* ]]
    run -0 "$PAGODA" replay run --interval 'step#*' --interval 400ns:
    [[ $output == *"3 intervals"* ]]
    [[ $output =~ "210 ns"\ +"120 ns"\ +"63.3 %"\ +"72.6 %"\ +"29.2 %"\ +"step#2"\ +"Wait at Barrier: 70 ns" ]]
    run "$PAGODA" replay run --interval 'step#*' --json
    [ "$(jq -c '.intervals | map([.name, .begin_ns, .time_ns, .wait_ns])' <<<"$output")" = \
        '[["step#1",100,110,49],["step#2",210,120,70]]' ]
    run "$PAGODA" replay run --interval 'tick#*..done' --json # each up to the next one
    [ "$(jq -c '.intervals | map([.begin_ns, .end_ns])' <<<"$output")" = '[[100,330],[210,330]]' ]
    run --separate-stderr "$PAGODA" replay run --interval '[bs]?[it]*#*' --json # setup, brief
    [ "$(jq -c '.interval.name' <<<"$output")" = '"[bs]?[it]*#1"' ]
    [[ $stderr == *"1 visit without any time left out"* ]]
}

# Wherever times are cut, the parts have the whole's times inside and outside of MPI.
@test "ranks' times of intervals sum to those of the run" {
    local at sums
    for at in 3ms 7000500ns 9ms; do
        sums=$("$PAGODA" replay pipe --json --interval ":$at" --interval "$at:" |
            jq -c '.intervals | [(map(.useful_ns) | add), (map(.wait_ns) | add),
                (map(.other_mpi_ns) | add)]')
        [ "$sums" = '[8030500,6004000,4040500]' ] || { echo "$at: $sums"; return 1; }
    done
}

@test "what cannot be stored is printed all the same" {
    run -1 --separate-stderr "$PAGODA" replay run --interval 'step#1' --as one --store runs.db --json
    [ "$(jq .time_ns <<<"$output")" = 110 ]
    [[ $stderr == *'has a trial "one" already'* ]]
    run -1 --separate-stderr "$PAGODA" replay run --interval 'step#*' --as all --store runs.db --json
    [ "$(jq '.intervals | length' <<<"$output")" = 1 ]
    [[ $stderr == *'has a trial "all: step#1" already'* ]]
    [ "$(ask 'SELECT count(*) FROM trials')" = 5 ]
}

@test "store add keeps intervals of several runs" {
    cd "$BATS_TEST_TMPDIR" || return
    cp -r "$BATS_FILE_TMPDIR/run" other
    run -0 "$PAGODA" store add a.db "$BATS_FILE_TMPDIR/run" other --interval 'step#2' --interval 'step#1'
    [ "$(sqlite3 a.db 'SELECT application, trial, time_ns, run FROM intervals JOIN trials USING (trial_id, trial, time_ns)')" = \
        'run|run: step#2|120|
run|run: step#1|110|
other|other: step#2|120|
other|other: step#1|110|' ]
    run "$PAGODA" diff a.db 'run: step#1' 'other: step#2' --json
    [ "$(jq '.differences[0].time.change_ns' <<<"$output")" = 10 ]
}

@test "intervals travel with their runs" {
    cd "$BATS_TEST_TMPDIR" || return
    "$PAGODA" store export "$BATS_FILE_TMPDIR/runs.db" -o a.db
    "$PAGODA" store import b.db a.db >/dev/null
    stored b.db | cmp - <(stored "$BATS_FILE_TMPDIR/runs.db")
    [ "$(sqlite3 b.db 'SELECT trial, interval, begin_ns, end_ns, run FROM intervals WHERE trial_id = 2')" = 'one|step#1|100|210|whole' ]
    "$PAGODA" store remove b.db one >/dev/null
    [ "$(sqlite3 b.db 'SELECT count(*) FROM run_interval')" = 3 ]
}

@test "phases of C++ functions: as they are shown, whole, and in short forms that mean one" {
    archive advise/names
    for name in 'ns::operator/' operator== relax 'ns::Grid<>::relax<>' 'solve(int, char const*)#1' \
        'void ns::Grid<double, std::vector<double> >::relax<3>(std::vector<double> const&)'; do
        "$PAGODA" replay names --interval "$name" --json | jq -e '.time_ns == 100000'
    done
    "$PAGODA" replay names --interval 'solve(double, char const*)..operator/' --json |
        jq -e '.time_ns == 400000'
    run ! "$PAGODA" replay names --interval 'solve#1'
    [ "$output" = 'pagoda: solve#1: solve is ambiguous: solve(int, char const*), solve(double, char const*)' ]
    # The three dots of arguments are in no FROM..TO.
    printf '%s\n' '0 0 enter "log(char const*, ...)"' '0 5 leave "log(char const*, ...)"' \
        '0 5 enter f' '0 9 leave f' | "$BUILD/tools/mktrace" - dots
    "$PAGODA" replay dots --interval 'log(char const*, ...)' --json | jq -e '.time_ns == 5'
}

@test "intervals that cannot be" {
    wrong() {
        run "$PAGODA" replay run --interval "$1" --store "$BATS_TEST_TMPDIR/wrong.db"
        [ "$status" = "$2" ]
        [ "${#lines[@]}" = 1 ]
        [[ $output == "pagoda: "*"$3"* ]] || { echo "$1: $output"; return 1; }
        [ ! -e "$BATS_TEST_TMPDIR/wrong.db" ]
    }
    wrong 'stp' 1 'stp: the run has no region or marker `stp`; did you mean `step`?'
    wrong 'step..don' 1 'did you mean `done`?'
    wrong 'nothing*' 1 'the run has no region or marker `nothing*`'
    wrong 'unused' 1 'unused: no rank visits `unused`'
    wrong 'step#3' 1 'no rank visits `step` 3 times; rank 0 does so most often, 2 times'
    wrong 'step#2-9' 1 'no rank visits `step` 9 times'
    wrong 'done..setup' 1 'on no rank `setup` follows'
    wrong 'brief' 1 'brief: takes no time on any rank'
    wrong '1ms:2ms' 1 'goes beyond the run'
    wrong '300ns:2ms' 1 'goes beyond the run'
    wrong 'step#0' 2 'visits are counted from 1 on'
    wrong 'step#2-1' 2 'the visits end before they begin'
    wrong 'step#1-' 2 'wanted is the number of a visit'
    wrong '2s:1s' 2 'the interval 2s:1s ends before it begins'
    wrong '2s:2s' 2 'the interval 2s:2s is empty'
    wrong '2x:3s' 2 'unknown unit'
    wrong '5s' 2 'is not an interval: FIRST:LAST wanted'
    wrong '' 2 '--interval: its value is empty'
    wrong '#2' 2 'is not an interval'
    wrong 'step..' 2 'is not an interval'
    local option
    for option in --ideal '--cpu-speed=2' '--output=there'; do
        says -2 "--interval is of the measured run" "$PAGODA" replay run --interval step "$option"
    done
    run -2 "$PAGODA" store add "$BATS_TEST_TMPDIR/wrong.db" run --interval 'step#0'
    run -2 "$PAGODA" diff run --intervals 'step#1'
    run -1 "$PAGODA" diff run --intervals 'setup#*'
    [[ $output == *"is one interval of run, there must be two at least"* ]]
}

@test "phases of one run compare" {
    run -0 "$PAGODA" diff run --intervals 'step#*' --json
    [ "$(jq -c '.differences[0] | [.a[0].time_ns, .b[0].time_ns, (.by_path | map(.change_ns) | add)]' <<<"$output")" = '[110,120,10]' ]
    run -1 "$PAGODA" diff run --regressions --intervals 'step#1,tick#2..done'
    [ "${lines[0]}" = "run time: 110 ns -> 120 ns (+9.1 %)" ]
}

@test "runs are not mixed up with their intervals" {
    cd "$BATS_TEST_TMPDIR" || return
    "$PAGODA" store add a.db "$BATS_FILE_TMPDIR/run" --as whole --parameter branch=main >/dev/null
    "$PAGODA" store add a.db "$BATS_FILE_TMPDIR/run" --as wholly --interval 'step#*' --parameter branch=main >/dev/null
    trials() {
        run "$PAGODA" diff a.db "$1" whole --json
        jq -c '.differences[0].a | map(.trial)' <<<"$output"
    }
    [ "$(trials branch=main)" = '["run/default/whole"]' ]
    [ "$(trials 'whol*')" = '["run/default/whole"]' ]
    [ "$(trials 'wholly*')" = '["run/default/wholly: step#1","run/default/wholly: step#2"]' ]
    [ "$(trials 'interval=step#2')" = '["run/default/wholly: step#2"]' ]
    echo 'time_ns <= 115ns' >limits.txt
    run -1 "$PAGODA" diff --regressions a.db --limits limits.txt 'interval=step#1' 'interval=step#2'
    [ "${#lines[@]}" = 1 ]
    [[ $output == "interval=step#2: time_ns of program: 120 ns is not <= 115 ns" ]]
}

@test "a phase scales" {
    cd "$BATS_TEST_TMPDIR" || return
    # A run with a third rank, which does what rank 1 does; without records of collectives.
    { cat "$ROOT/tests/traces/replay/steps.txt"; sed -n 's/^1 /2 /p' "$ROOT/tests/traces/replay/steps.txt"; } |
        sed 's/ *; [0-9]* coll-[^;]*//g' | "$BUILD/tools/mktrace" - three
    "$PAGODA" store add s.db "$BATS_FILE_TMPDIR/run" three --as steps// --interval 'step#2' >/dev/null
    run -0 --separate-stderr "$PAGODA" scaling s.db 'interval=step#2' --json
    [ "$(jq -c '[.series[].points[] | [.x, .time_ns]]' <<<"$output")" = '[[2,120],[3,120]]' ] ||
        { jq -c '.series[].points' <<<"$output"; return 1; }
}

# Rank 0 computes from 10 to 20 before its call at run.c:21.
@test "computing in front of a call is what lies in the interval" {
    archive engine/call-sites "$BATS_TEST_TMPDIR/sites"
    local at
    for at in 0:10 12:8 19:1; do
        run --separate-stderr "$PAGODA" replay "$BATS_TEST_TMPDIR/sites" --interval "${at%:*}ns:" --json
        [ "$(jq '[.. | objects | select(.source? == "run.c:21") | .before_ns // 0] | add' <<<"$output")" = "${at#*:}" ]
    done
}

# The master is in `loop` from 12 to 28, its thread from 12 to 58; in `parallel` from 5 to 70.
@test "threads are in the phase of their rank" {
    archive engine/threads "$BATS_TEST_TMPDIR/threads"
    times() {
        "$PAGODA" replay "$BATS_TEST_TMPDIR/threads" --interval "$1" --json |
            jq -c '[.time_ns, (.profile | map({(.path): .exclusive_ns}) | add | .["main/parallel/loop"], .loop)]'
    }
    [ "$(times parallel)" = '[65,16,46]' ]
    [ "$(times loop)" = '[16,16,16]' ]
}

# What is stored of 60 visits replayed together is what is stored of each replayed alone.
@test "many visits of a region have the results of each visit alone" {
    cd "$BATS_TEST_TMPDIR" || return
    local step rank
    for rank in 0 1 2; do
        for ((step = 0; step < 60; step++)); do
            printf "$rank %d %s\n" $((step * 1000 + rank * 7)) 'enter step' \
                $((step * 1000 + 50 + (step * 31 + rank * 17) % 90)) 'enter MPI_Barrier' \
                $((step * 1000 + 50 + (step * 31 + rank * 17) % 90)) coll-begin \
                $((step * 1000 + 200)) 'coll-end barrier world - 0 0' \
                $((step * 1000 + 200)) 'leave MPI_Barrier' \
                $((step * 1000 + 200 + rank * 3)) 'leave step'
        done
    done >many.txt
    "$BUILD/tools/mktrace" many.txt many
    "$PAGODA" replay many --store together.db --interval 'step#*' --interval 500ns:40us >/dev/null
    for ((step = 1; step <= 60; step++)); do
        "$PAGODA" replay many --store alone.db --interval "step#$step" >/dev/null
    done
    "$PAGODA" replay many --store alone.db --interval 500ns:40us >/dev/null
    stored together.db >together.txt
    [ "$(wc -l <together.txt)" -gt 60 ]
    cmp together.txt <(stored alone.db)
    run -0 "$PAGODA" diff many --intervals 'step#60,step#*' --json # a repetition is one trial
}

@test "findings say why the savings of their remedies are not predicted" {
    archive advise/bound
    "$PAGODA" replay --json bound | jq -e '(has("unpredicted") | not) and any(.findings[].remedies[]; .gain_ns > 0)'
    local end
    end=$("$PAGODA" replay --json bound | jq .time_ns)
    "$PAGODA" replay bound --interval "0s:${end}ns" --json | jq -e 'any(.findings[]; .remedies != []) and .unpredicted == "Predicted for whole runs only."'
    "$PAGODA" replay bound --interval "0s:${end}ns" | grep -q '^  Savings       Predicted for whole runs only.$'
    "$PAGODA" replay bound --cores 4 --json | jq -e '.unpredicted == "Predicted without what-if options only."'
}
