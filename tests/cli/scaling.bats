# SPDX-License-Identifier: BSD-3-Clause
# pagoda scaling: what stored runs tell about scaling, in all its forms, and bad input.
load ../helper
load amdahl

# keep RANKS WORK EXPERIMENT [PARAMETER...]
keep() {
    local ranks=$1 work=$2 experiment=$3 options=()
    shift 3
    for parameter; do options+=(--parameter "$parameter"); done
    "$PAGODA" replay "run-$ranks-$work" --store runs.db --as "app/$experiment/" "${options[@]}" >/dev/null
}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    local p
    for p in 1 2 4; do
        program "$p" 8
        program "$p" "$((8 * p))"
        keep "$p" 8 strong "n=$p" size=8
        keep "$p" "$((8 * p))" weak "n=$p" "size=$((8 * p))"
    done
    program 4 16; program 4 64
    for p in 8 16 32 64; do keep 4 "$p" size "size=$p" kind=cube; done
    keep 4 8 size size=8 kind=ball
}

setup() { cd "$BATS_FILE_TMPDIR" || return; }

@test "strong scaling: where it breaks, why, and what is next, in the first ten lines" {
    run -0 "$PAGODA" scaling runs.db --as strong
    head=$(printf '%s ' "${lines[@]:0:10}" | tr -s ' ')
    [[ $head == *"Scaling breaks at ranks = 4: the efficiency is 75.0 %, after 90.0 % at 2."* ]]
    [[ $head == *"The main loss is in load balance: 100.0 % -> 75.0 %, 100.0 % of all losses."* ]]
    [[ $head == *"Summed over the ranks, the time of wait-at-nxn waits grew most since ranks = 1: 100.0 % of all growth."* ]]
    [[ $head == *"The forecast from these 3 points for ranks = 8 is 2.000 ms (95 %: 2.000 ms to 2.000 ms), an efficiency of 56.2 %."* ]]
    [[ $head == *"The share of wait-at-nxn waits rises most, to 43.8 % (1-ranks^(-1)); it exceeds that of work from about ranks = 9 on."* ]]
    [[ $output =~ "8.000 ms"\ +"2.000 ms"\ +"66.7 %"\ +"1.000 ms"\ +"ranks^(-1)"\ +"0.0 %"\ +region\ +work ]]
}

@test "the database's views of judged time and speed-up say what scaling says" {
    "$PAGODA" scaling runs.db --as strong --json >strong.json
    jq -r '.series[0].points[] | [.n_ranks // .x, .speedup, .efficiency] | map(. * 1e6 | round) | @tsv' \
        strong.json >said
    sqlite3 -separator $'\t' runs.db "SELECT n_ranks * 1000000, CAST(round(speedup * 1e6) AS INTEGER),
        CAST(round(efficiency * 1e6) AS INTEGER) FROM speedups WHERE experiment = 'strong' ORDER BY 1" |
        diff said -
    [ "$(wc -l <said)" = 3 ]
    # By hand: 8 / p + 1 ms are judged, of a run that takes 1.5 ms more.
    [ "$(sqlite3 runs.db "SELECT n_ranks, judged_ns, time_ns FROM trials WHERE experiment = 'strong'
        ORDER BY n_ranks" | tr '\n' ' ')" = \
        "1|9000000|10500000 2|5000000|6500000 4|3000000|4500000 " ]
}

@test "the database's views by rank add up, and the manual page's queries run" {
    [ "$(sqlite3 runs.db "SELECT count(*) FROM (SELECT trial_id, region, sum(exclusive_ns) AS by_rank FROM
        profile_by_region_and_rank GROUP BY trial_id, region) JOIN profile_by_region USING (trial_id, region)
        WHERE by_rank <> exclusive_ns")" = 0 ]
    [ "$(sqlite3 runs.db "SELECT region, rank, visits, exclusive_ns FROM profile_by_region_and_rank
        JOIN trials USING (trial_id) WHERE experiment = 'strong' AND n_ranks = 2 AND file = 'main.c'
        ORDER BY 1, 2" | tr '\n' ' ')" = "serial|0|1|1000000 work|0|1|4000000 work|1|1|4000000 " ]
    # Rank 0 comes last: of 4 ranks the others wait 1 ms each.
    [ "$(sqlite3 runs.db "SELECT rank, property, count, wait_ns FROM wait_states_by_rank JOIN trials
        USING (trial_id) WHERE experiment = 'strong' AND n_ranks = 4 AND is_top AND wait_ns > 0
        ORDER BY rank" | tr '\n' ' ')" = \
        "1|wait-at-nxn|1|1000000 2|wait-at-nxn|1|1000000 3|wait-at-nxn|1|1000000 " ]
    local view
    for view in wait_states_by_rank property_instances; do
        [ "$(sqlite3 runs.db "SELECT count(*), sum(n) = (SELECT sum(wait_ns) FROM wait_states) FROM
            (SELECT s.trial_id, property, s.wait_ns AS n, sum(v.wait_ns) AS m FROM wait_states s
            JOIN $view v USING (trial_id, property) GROUP BY s.trial_id, property) WHERE n = m")" = \
            "$(sqlite3 runs.db "SELECT count(*) FROM wait_states")|1" ]
    done
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$ROOT/man/pagoda-store.5" | grep -v '^\.' |
        sed -n '/^SELECT/,/;$/p' >queries.sql
    [ "$(grep -c '^SELECT' queries.sql)" -ge 9 ]
    sed "s/'default'/'strong'/" queries.sql | sqlite3 -bail runs.db >answers
    grep -q '^4|0.003|3.0|0.75$' answers
}

@test "ranks without a core are said first, before causes and forecasts" {
    # Work of 8 ms of CPU time on two cores: four ranks take twice as long as their CPU time.
    local p
    for p in 1 2 4; do
        awk -v p="$p" 'BEGIN {
            printf "nodes"; for (r = 0; r < p; r++) printf " n"; print "\ncores n 2"
            cpu = 8000000 / p; end = 1000000 + (p > 2 ? cpu * p / 2 : cpu)
            for (r = 0; r < p; r++) {
                print r, 0, "enter MPI_Init"; print r, 1000000, "leave MPI_Init"
                print r, 1000000, "cpu", 0; print r, 1000000, "enter work"
                print r, end, "leave work"; print r, end, "cpu", cpu
                print r, end, "enter MPI_Finalize"; print r, end + 500000, "leave MPI_Finalize"
            } }' | "$BUILD/tools/mktrace" - "few-$p"
    done
    "$PAGODA" scaling few-1 few-2 few-4 --json >few.json
    jq -e '.series[0] | (.conclusion
        | startswith("At ranks = 4 ranks had no CPU time for 50.0 % of their time: the nodes were oversubscribed. All numbers here include that time, so they do not hold for a machine with a core for each rank. Scaling breaks at ranks = 4")
        and contains("The main loss is in CPU time outside MPI: 100.0 % -> 50.0 %, 100.0 % of all losses.")
        and contains("Summed over the ranks, the time of (without CPU time) grew most since ranks = 1: 100.0 % of all growth."))
        and [.points[] | .cpu_efficiency, .no_cpu_share] == [1, 0, 1, 0, 0.5, 0.5]
        and [.points[].computation_scaling] == [1, 1, 1]' few.json
    run "$PAGODA" scaling few-1 few-2 few-4
    [[ $output == *'load bal.'*'CPU'*'communic.'* ]]
    run "$PAGODA" scaling few-1 few-2
    [[ $output != *CPU* ]]
}

@test "JSON has the same numbers" {
    run -0 "$PAGODA" scaling runs.db --as strong --json
    [ "$(jq -c '[.schema, .by, .threshold, (.series | length)]' <<<"$output")" = '[1,"ranks",0.8,1]' ] ||
        [ "$(jq -c '[.schema, .by, .threshold, (.series | length)]' <<<"$output")" = '[1,"ranks",0.80,1]' ]
    [ "$(jq -c '.series[0].points | map(.time_ns)' <<<"$output" | sed 's/\.0//g')" = '[9000000,5000000,3000000]' ]
    [ "$(jq -c '.series[0].points | map(.efficiency * 1000 | round)' <<<"$output")" = '[1000,900,750]' ]
    [ "$(jq -c '.series[0].points | map(.computation_scaling * 1000 | round)' <<<"$output")" = '[1000,1000,1000]' ]
    [ "$(jq -c '.series[0] | [.kind, .breaks.factor, .growth[.breaks.part].name]' <<<"$output")" = '["strong","load_balance","wait-at-nxn"]' ]
    [ "$(jq -c '.series[0].growth[] | select(.name == "MPI_Init") | .is_start_or_end' <<<"$output")" = true ]
    # With parallel x computation the loss is explained without a rest.
    [ "$(jq '.series[0].points[2] | (.efficiency - .global_efficiency) * 1e9 | round' <<<"$output")" = 0 ]
}

@test "CSV has a line for each number" {
    run -0 "$PAGODA" scaling runs.db --as strong --csv
    [ "${lines[0]}" = "series,parameter,x,ranks,kind,name,value,stddev,trials" ]
    [[ $output == *$'\n"app/strong","ranks",4,4,run,"time_ns",3000000,,1\n'* ]]
    [[ $output == *$'\n"app/strong","ranks",4,4,wait-state,"wait-at-nxn",750000,,1\n'* ]]
}

@test "a size that rises with the ranks makes weak scaling" {
    run -0 "$PAGODA" scaling runs.db --as weak --by n
    [[ $output == *"weak scaling (size rises with n; --strong for the other)"* ]]
    [[ $output == *"Scaling holds up to n = 4: the efficiency is 100.0 %."* ]]
    run "$PAGODA" scaling runs.db --as weak --strong
    [[ $output == *"Scaling breaks at the first step: the efficiency is 50.0 % at ranks = 2."* ]]
}

@test "another parameter, and series of what else differs" {
    run -0 --separate-stderr "$PAGODA" scaling runs.db --as size --by size --json
    [ "$(jq -c '.series | map([.name, .kind, (.points | length)])' <<<"$output")" = '[["app/size, kind=cube","parameter",4]]' ]
    [ "$stderr" = "pagoda: warning: 1 trial left out, with no other that differs in size only" ]
    run --separate-stderr "$PAGODA" scaling runs.db --as size --by size --ignore kind --json
    [ "$(jq -c '.series[0].points | map(.n_trials)' <<<"$output")" = '[2,1,1,1]' ]
    [ "$(jq -c '.series[0].points[0].time_stddev_ns' <<<"$output" | sed 's/\.0//')" = 0 ]
    [ "$(jq '.series[0].points[1].time_stddev_ns' <<<"$output")" = null ]
    [ "$(jq '.series[0].points[3].efficiency' <<<"$output")" = null ]
    run --separate-stderr "$PAGODA" scaling runs.db --json # each experiment for itself
    [ "$(jq -c '.series | map(.name)' <<<"$output")" = '["app/strong","app/weak"]' ]
}

# 2 ranks, 9 ms with one thread each and 5 ms with two.
@test "with the same ranks the parameter itself can be the size of the machine" {
    local threads role wish
    for role in '' :machine :problem; do
        for threads in 1 2; do
            "$PAGODA" replay "run-2-$((16 / threads))" --store "$BATS_TEST_TMPDIR/h.db" \
                --as "app/hybrid$role/" --parameter "threads=$threads$role" >/dev/null
        done
    done
    facts() {
        "$PAGODA" scaling "$BATS_TEST_TMPDIR/h.db" --by threads --json "$@" |
            jq -c '.series[0] | [.kind, 
            (.points[1] | .speedup, .efficiency, .computation_scaling | if . then . * 1000 | round else . end)]'
    }
    [ "$(facts --as hybrid)" = '["parameter",1800,null,null]' ]
    [ "$(facts --as hybrid --strong)" = '["strong",1800,900,944]' ]
    [ "$(facts --as hybrid --weak)" = '["weak",3600,1800,1889]' ]
    [ "$(facts --as hybrid:machine)" = '["strong",1800,900,944]' ]
    for wish in --strong --weak; do
        run -1 "$PAGODA" scaling "$BATS_TEST_TMPDIR/h.db" --by threads --as hybrid:problem "$wish"
        [ "$output" = "pagoda: threads is the size of the problem, and all of the trials have the same ranks: there is no machine that grows; leave --strong and --weak away" ]
    done
}

@test "trials may be chosen, and traces compared without a database" {
    run "$PAGODA" scaling runs.db 'strong/*' --json
    [ "$(jq '.series[0].trials | length' <<<"$output")" = 3 ]
    run -0 "$PAGODA" scaling run-1-8 run-2-8 run-4-8 --json
    [ "$(jq -c '[.database, (.series[0].points[2].efficiency * 1000 | round)]' <<<"$output")" = '[null,750]' ]
}

@test "no forecast from points that no formula fits" {
    program 2 32
    run -0 "$PAGODA" scaling run-1-8 run-2-32 run-4-32 # 8, 16, 8 ms of work a rank
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"There is no forecast: no formula fits the time."* ]]
    [[ $output =~ "none fits"\ +"27.2 %"\ +region\ +work ]]
    [[ $output != *"The forecast"* && $output != *"next: 8"* ]]
    [ "$("$PAGODA" scaling run-1-8 run-2-32 run-4-32 --json | jq '.series[0].next')" = null ]
}

@test "a run that does not fit the others is left out of formulas and named" {
    local p
    for p in 1 2 8 16 32; do program "$p" 32; done
    program 4 128 # 33 ms instead of 9
    run -0 "$PAGODA" scaling run-1-32 run-2-32 run-4-128 run-8-32 run-16-32 run-32-32
    [[ $(tr -s ' \n' ' ' <<<"$output") == *" The forecast from 5 points for ranks = 64 is 1.500 ms "*" note: run time: the value at ranks=4 does not fit: 3.7 times what the others say; it is left out note: work: the value at ranks=4 does not fit: 4.0 times"* ]]
    [[ $output =~ "ranks^(-1)"\ +"< 0.1 %"\ +region\ +work || $output =~ "ranks^(-1)"\ +"0.0 %"\ +region\ +work ]]
    "$PAGODA" scaling run-1-32 run-2-32 run-4-128 run-8-32 run-16-32 run-32-32 --json >out.json
    jq -e '.series[0] | .time_fit.outlier_x == 4 and .time_fit.n_points == 5 and (.next.time_ns - 1.5e6 | fabs) < 1 and
        (.growth[] | select(.name == "wait-at-nxn").fit.outlier_x) == null' out.json
}

@test "two points are compared, but nothing is foretold" {
    run -0 "$PAGODA" scaling run-1-8 run-2-8
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"There is no forecast: 2 different points are too few for a model; it needs 3, better 5."* ]]
    [[ $output =~ "? "\ +-\ +region\ +work ]]
}

@test "the picture is XML with a panel for each question" {
    run -0 "$PAGODA" scaling runs.db --as strong --svg "$BATS_TEST_TMPDIR/a.svg"
    /usr/bin/python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$BATS_TEST_TMPDIR/a.svg"
    [ "$(grep -c 'font-weight="bold"' "$BATS_TEST_TMPDIR/a.svg")" = 3 ]
    run ! grep -q nan "$BATS_TEST_TMPDIR/a.svg"
    run -1 "$PAGODA" scaling runs.db --as strong --svg /nowhere/a.svg
    [ "$output" = "pagoda: cannot write /nowhere/a.svg: No such file or directory" ]
}

# Waiting takes 0, 0.1 and 0.25 of the part between Init and Finalize, and of the run, 1.5 ms longer,
# 0, 0.5 / 6.5 and 0.75 / 4.5.
@test "properties of all runs together" {
    run -0 "$PAGODA" scaling runs.db --as strong --properties --json
    run jq -c '.series[0].properties | map(select(.holds) | [.id, .of, (.severity * 1000 | round),
        .confidence, .is_critical])[]' <<<"$output"
    [ "${output//1.0,/1,}" = '["inefficiency-grows","program",250,1,true]
["load-imbalance-grows","program",250,1,true]
["wait-state-grows","wait-at-nxn",167,1,true]' ]
    cat >own.xml <<'XML'
<properties>
  <property id="always-good">
    <name>Good</name> <summary>No run loses much.</summary> <diagnosis>None.</diagnosis>
    <condition>max(inefficiency) &lt;= 0.25 &amp;&amp; max(waiting, program) > 0.1</condition>
    <severity>avg(inefficiency, last 2)</severity>
  </property>
  <property id="never">
    <name>Bad</name> <summary>Late senders.</summary> <diagnosis>None.</diagnosis>
    <condition>max(late-sender) > 0</condition>
    <severity>max(late-sender)</severity>
  </property>
</properties>
XML
    run -0 "$PAGODA" check own.xml
    [ "${lines[0]}" = "own.xml: properties over experiments: 2 declarations" ]
    run -0 "$PAGODA" scaling runs.db --as strong --property-file own.xml
    [[ $output == *"Properties of all runs together: 4 of "*" hold"* ]]
    [[ $output =~ "0.175"\ +"1.00"\ +always-good\ +program ]] # (0.1 + 0.25) / 2
    [[ $output != *never* ]]
}

@test "a property that cannot be used is named with its place" {
    wrong() {
        printf '<property id="a">\n<name>A</name><summary>B</summary><diagnosis>C</diagnosis>\n%s\n</property>\n' "$1" >wrong.xml
        run -1 "$PAGODA" scaling runs.db --as strong --property-file wrong.xml
        [ "${#lines[@]}" = 1 ]
        [[ $output == "pagoda: "*"$2"* ]]
    }
    local severity='<severity>max(inefficiency)</severity>'
    wrong "$severity" "wrong.xml:1: property 'a' needs an element <condition>"
    wrong "<condition>most(inefficiency) > 1</condition>$severity" \
        "wrong.xml:1: property 'a': checkpoint \`most(inefficiency) > 1\`: avg, min, max, stddev or trend wanted"
    wrong "<condition>max(inefficiensy) > 0</condition>$severity" \
        "a asks for inefficiensy, which is not a wait state; did you mean inefficiency?"
    local loss
    for loss in efficiency-loss computation-loss load-imbalance waiting; do
        wrong "<condition>max($loss, main) > 0</condition>$severity" \
            "a asks for $loss of main; of a region only inefficiency and wait states are known"
    done
    wrong "<condition>max(waiting) > 0</condition><severity>waiting</severity>" \
        'avg, min, max, stddev or trend wanted, not `waiting`'
    wrong "<conditon>x</conditon>" "wrong.xml:3: <property> has no element 'conditon', did you mean 'condition'?"
    wrong "$severity<threshold>2</threshold>" "wrong.xml:3: the threshold must be a number from 0 to 1, not '2'"
    run -1 "$PAGODA" scaling runs.db --as strong --property-file none.xml
    [[ $output == *none.xml* ]]
}

@test "what cannot be studied is said in one sentence" {
    run -1 "$PAGODA" scaling missing.db
    [ "${#lines[@]}" = 1 ]
    run -1 "$PAGODA" scaling runs.db --by sise
    [ "$output" = 'pagoda: no trial has a parameter "sise"; did you mean "size"?' ]
    run -1 "$PAGODA" scaling runs.db --as size --by kind
    [[ $output == *'is "cube", which is not a number' ]]
    run -1 "$PAGODA" scaling runs.db --as size
    [ "$output" = "pagoda: 5 trials: nothing to compare, no two of them differ in ranks only" ]
    run -1 "$PAGODA" scaling runs.db --as none
    [[ $output == "pagoda: runs.db has no trial in the experiment none"* ]]
    run -1 "$PAGODA" scaling runs.db 'x*'
    run -2 "$PAGODA" scaling --strong --weak runs.db
    run -2 "$PAGODA" scaling --threshold 0 runs.db
    run -2 "$PAGODA" scaling
}

@test "a wait while the rank has no CPU time counts once by region, too, and nothing is below 0" {
    # Rank 0 waits in its sends for 2.9 ms of 3.05 ms, 2.5 ms of them without CPU time.
    local trace=$ROOT/tests/traces/replay/without-cpu.txt size
    sed 's/^1 11100000\([ -]\)/1 14000000\1/; s/cpu 11100000/cpu 14000000/' "$trace" | "$BUILD/tools/mktrace" - late
    for size in 1 2 4; do "$PAGODA" replay late --store late.db --as a/e/ --parameter size=$size >/dev/null; done
    "$PAGODA" scaling late.db --by size --json |
        jq -e '[.series[0].growth[].per_rank_ns[]] | all(. >= 0)'
    "$PAGODA" scaling late.db --by size --json |
        jq -e '.series[0].growth[] | select(.name == "MPI_Send") | .per_rank_ns | all(round == 0)'
}

# The same fit, of the same values: what `pagoda model` predicts at the end of the curves, and within the data.
@test "curves are the models of pagoda model, with their confidence intervals" {
    "$PAGODA" scaling runs.db --as strong --json >strong.json
    jq -e '[.series[0] | (.time_fit, .growth[].fit) | select(.curve) | .curve | length] == [33, 33, 33, 33, 33]' strong.json
    jq -r '.series[0] | (.growth[] | select(.fit.curve) | [.name, .fit.curve]), ["time", .time_fit.curve] |
        .[0] as $name | .[1] | (first, last) | [$name, .x, .ns, .low_ns, .high_ns] | map(if type == "number" then . * 1e3 | round else . end) | @tsv' strong.json | sort >curves
    "$PAGODA" model runs.db --as strong --by ranks --at ranks=1 --at ranks=8 --json |
        jq -r '.series[] | .name as $name | .predictions[]? | [$name, .at.ranks, 1e9 * .value, 1e9 * .low, 1e9 * .high] |
            map(if type == "number" then . * 1e3 | round else . end) | @tsv' | sort >models
    [ "$(wc -l <curves)" = 10 ]
    grep -Fxf models curves | diff - curves
}
