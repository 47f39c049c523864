# SPDX-License-Identifier: BSD-3-Clause
# pagoda calibrate --slowdown and what pagoda replay --slowdown makes of it, on runs that are small
# enough to compute by hand: two ranks, each with a core or both on one. Ten times solve, a barrier,
# rest and a barrier; CPU times are given.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset SCATTER SKIPPED
}

# part RANK NS NAME: RANK computes NS in NAME once it has its core, then waits at a barrier for the
# other one. On one core rank 1 has it after rank 0.
part() {
    local rank=$1 ns=$2 start=$now
    if ((cores == 1 && rank == 1)); then start=$((now + ns)); fi
    echo "$rank $now cpu $cpu"
    echo "$rank $now enter $3"
    echo "$rank $((start + ns)) leave $3"
    cpu=$((cpu + ns))
    echo "$rank $((start + ns)) cpu $cpu"
    echo "$rank $((start + ns)) enter MPI_Barrier"
    now=$((now + (3 - cores) * ns))
    echo "$rank $now coll-end barrier world - 0 0"
    echo "$rank $now leave MPI_Barrier"
}

# record NAME CORES SOLVE [REST [VISITS]]: a run in which solve takes SOLVE ns of CPU time and rest
# REST (500). With SCATTER every second visit of solve takes so much more, the others so much less.
record() {
    local name=$1 cores=$2 solve=$3 rest=${4:-500} n=${5:-10} rank i cpu now
    {
        printf '%s\n' 'nodes a a' "cores a $cores"
        for rank in 0 1; do
            cpu=0 now=0
            echo "$rank 0 enter main"
            for ((i = 0; i < n; i++)); do
                part "$rank" $((solve + (i % 2 == 0 ? 1 : -1) * ${SCATTER:-0})) "${SOLVE:-solve}"
                part "$rank" "$rest" rest
            done
            echo "$rank $now leave main"
        done
    } >"$name.txt"
    rm -rf "$name"
    "$BUILD/tools/mktrace" "$name.txt" "$name"
}

learn() {
    "$PAGODA" calibrate --slowdown --force --json -o slowdown.xml "$@"
}

# predicted TRACE OPTIONS...: run time, and without the file, in ns.
predicted() {
    "$PAGODA" replay --json --slowdown slowdown.xml "$@" |
        jq -c '.whatif | [.predicted_ns, .slowdown.predicted_without_ns]'
}

# fails PATTERN COMMAND...: exit status 1 or 2, one sentence.
fails() {
    local pattern=$1
    shift
    run "$PAGODA" "$@"
    # shellcheck disable=SC2154 # set by run
    ((status == 1 || status == 2))
    # shellcheck disable=SC2154 # set by run
    [[ ${lines[0]} =~ $pattern ]]
}

@test "a factor is learned by region, and predictions scale that region both ways" {
    record own 2 1000
    record shared 1 1200
    learn own shared >learned
    jq -e '.scatter == "within" and .comparable == 1 and
        (.levels | map([.ranks_per_core, .factor])) == [[1, 1], [2, 1.13333333]] and
        (.regions | map([.region, .verdict, (.levels // [] | map(.learned))])) ==
            [["/main/solve", "learned", [1, 1.2]], ["/main/rest", "no-change", [1, 1]]]' learned
    "$PAGODA" check slowdown.xml
    # By hand: on one core both ranks compute one after the other, so 1200 + 1200 + 500 + 500 in each round
    # where own has 1000 + 500. Without the file 1000 + 1000 + 500 + 500.
    [ "$(predicted own --cores 1)" = '[34000,30000]' ]
    # Back: a core each, and 1000 again instead of 1200.
    [ "$(predicted shared --cores 2)" = '[15000,17000]' ]
    # As recorded nothing changes, whatever is learned.
    [ "$(predicted own --cores 2)" = '[15000,15000]' ]
    [ "$(predicted shared --cores 1)" = '[34000,34000]' ]
    # Sharing by each rank's core: one node a core.
    [ "$(predicted own --nodes 1 --cores 1 --sharing sticky)" = '[34000,30000]' ]
    [ "$(predicted own --place x=0 --place y=1)" = '[15000,15000]' ]
    # The predicted run as an archive.
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml --output out >/dev/null
    "$PAGODA" replay out --json | jq -e '.time_ns == 34000'
}

@test "ranks that change their cores have the factor of where they are" {
    record own 2 1000
    cat >slowdown.xml <<END
<slowdown><region name="rest"><point ranks-per-core="1" factor="1"/><point ranks-per-core="2" factor="1.2"/></region></slowdown>
END
    # A core each in solve, one in rest: ten times 1000 + 2 * 600, without the file 1000 + 2 * 500.
    [ "$(predicted own --place x=0 --place y=1 --place rest:x=0,1 --place solve:x=0 --place solve:y=1)" = \
        '[22000,20000]' ]
}

@test "the report says how much of a prediction was learned" {
    record own 2 1000
    record shared 1 1200
    learn own shared >/dev/null
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml | tr -s ' \n' ' ' >text
    grep -q 'Predicted 34.00 us (+126.7 %)' text
    grep -q 'without slowdown.xml 30.00 us would be predicted (+100.0 %): ranks compute for 34.00 us instead of 30.00 us' text
    grep -q 'of the 1 region in slowdown.xml this run has 1;' text
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml --json | jq -e '.whatif.slowdown ==
        {file: "slowdown.xml", regions: 1, regions_in_run: 1, beyond_points: false,
         predicted_without_ns: 30000, work_ns: 34000, work_without_ns: 30000}'
    "$PAGODA" replay own --cores 1,2 --slowdown slowdown.xml | tail -2 | tr -s ' ' >rows
    diff rows - <<END
 1 34.000 +126.7 % 30.000
 2 15.000 0.0 % 15.000
END
    "$PAGODA" replay own --cores 1,2 --slowdown slowdown.xml --json |
        jq -e '.whatif.points | map(.slowdown.predicted_without_ns) == [30000, 15000]'
    # An estimate over the predicted run has the learned work, but no run without it.
    "$PAGODA" replay shared --cores 2 --slowdown slowdown.xml --rebalance magda --json |
        jq -e '.whatif.slowdown.predicted_without_ns == null'
}

@test "what is no more than scatter is not learned" {
    # 1000 +- 300 against 1050 +- 300, in turns: the same parts of both runs are slow.
    SCATTER=300
    record own 2 1000
    record shared 1 1050
    learn own shared | jq -e '.regions[0] | .verdict == "learned" and .levels[1].learned == 1.05'
    # Against a run without these turns each part differs by up to 30 %: 1.05 is within that.
    SCATTER=0 record steady 1 1050
    learn own steady | jq -e '.regions[0] | .levels[1].from < 1.05 and .levels[1].to > 1.05'
    # Fewer than eight visits say nothing.
    SCATTER=0 record short 2 1000 500 7
    SCATTER=0 record short-shared 1 1200 500 7
    learn short short-shared | jq -e '.regions | map(.verdict) == ["too-few", "too-few"]'
    [ "$(predicted short --cores 1)" = '[21000,21000]' ]
}

@test "of repeated runs the scatter between them counts" {
    local i=0 ns
    for ns in 980 1000 1020; do record "own$((i++))" 2 "$ns"; done
    i=0
    for ns in 1180 1200 1220; do record "shared$((i++))" 1 "$ns"; done
    # Pooled relative variance: (2 0.02^2 + 2 (20/1200)^2) / 4; t(4) = 2.776; half width of 1.2:
    # 2.776 * 1.2 * 0.018409 / sqrt(2) * sqrt(2 * 2 / 3)... = 0.0501
    learn own? shared? | jq -e '.scatter == "between" and (.regions[0] |
        .verdict == "learned" and .levels[1].factor == 1.2 and
        (.levels[1].to - 1.2 - 0.0501 | fabs) < 0.0001)'
    # Runs that differ by 20 % among themselves do not prove 10 %.
    i=0
    for ns in 900 1000 1100; do record "own$((i++))" 2 "$ns"; done
    i=0
    for ns in 1000 1100 1200; do record "shared$((i++))" 1 "$ns"; done
    learn own? shared? | jq -e '.regions[0] | .verdict == "no-change" and .levels[1].learned == 1'
}

@test "points: linear between, the nearest one beyond; the innermost region counts" {
    record own 2 1000
    cat >slowdown.xml <<END
<slowdown><region name="solve"><point ranks-per-core="1" factor="1"/><point ranks-per-core="3" factor="1.4"/></region></slowdown>
END
    # With 2 ranks per core 1.2.
    [ "$(predicted own --cores 1)" = '[34000,30000]' ]
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml --json |
        jq -e '.whatif.slowdown.beyond_points == false'
    cat >slowdown.xml <<END
<slowdown><region name="main"><point ranks-per-core="1.2" factor="2"/><point ranks-per-core="1.5" factor="2.4"/></region>
<region name="rest"><point ranks-per-core="1" factor="0.5"/><point ranks-per-core="4" factor="0.5"/></region></slowdown>
END
    [ "$(predicted own --cores 1)" = '[34000,30000]' ]
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml --json |
        jq -e '.whatif.slowdown.beyond_points'
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml | tr -s ' \n' ' ' |
        grep -q 'fewer or more others than it was learned with'
    # --scale multiplies as well.
    [ "$(predicted own --cores 1 --scale solve=0)" = '[10000,10000]' ]
}

@test "regions that are not in the run are left out; none at all is an error" {
    record own 2 1000
    cat >slowdown.xml <<END
<slowdown><region name="solve"><point ranks-per-core="1" factor="1"/><point ranks-per-core="2" factor="1.2"/></region>
<region name="before main/MPI_Send at gone.c:7"><point ranks-per-core="1" factor="1"/><point ranks-per-core="2" factor="9"/></region></slowdown>
END
    [ "$(predicted own --cores 1)" = '[34000,30000]' ]
    "$PAGODA" replay own --cores 1 --slowdown slowdown.xml --json |
        jq -e '.whatif.slowdown | .regions == 2 and .regions_in_run == 1'
    sed -i 's/"solve"/"sulve"/' slowdown.xml
    fails 'slowdown.xml: none of its regions, such as sulve, is in this run' \
        replay own --cores 1 --slowdown slowdown.xml
}

@test "the same file and report again, whatever the threads" {
    record own 2 1000
    record shared 1 1200
    learn own shared >one
    mv slowdown.xml first.xml
    PAGODA_THREADS=1 learn own shared | diff - one
    cmp slowdown.xml first.xml
}

@test "recordings that tell nothing are refused" {
    record own 2 1000
    record shared 1 1200
    fails 'two recordings at least' calibrate --slowdown own
    fails '--slowdown measures nothing' calibrate --slowdown --points own shared
    fails 'options come before the recordings' calibrate --slowdown own shared --json
    fails 'all recordings have 1 ranks per core' calibrate --slowdown own own
    # Other functions; another number of visits; another number of ranks.
    SOLVE=assemble record other 1 1200
    fails 'only 31.2 % of the CPU time is in regions that all recordings visit equally often' \
        calibrate --slowdown own other
    record longer 1 1200 500 15
    fails 'only 0.0 % of the CPU time' calibrate --slowdown own longer
    "$BUILD/tools/mktrace" - three <<'END'
nodes a a a
cores a 3
0 0 enter main
0 9 leave main
1 0 enter main
1 9 leave main
2 0 enter main
2 9 leave main
END
    fails 'own has 2 ranks and three 3' calibrate --slowdown own three
    # No CPU times, no cores, cores with different numbers of ranks.
    grep -v ' cpu ' shared.txt | "$BUILD/tools/mktrace" - without
    fails 'without: it has no CPU times' calibrate --slowdown own without
    grep -v '^cores' shared.txt | "$BUILD/tools/mktrace" - coreless
    fails 'coreless: the trace does not record cores' calibrate --slowdown own coreless
    sed 's/^nodes.*/nodes a a b/; s/^cores.*/cores a 1\ncores b 1/' shared.txt >uneven.txt
    printf '%s\n' '2 0 enter main' '2 9 leave main' >>uneven.txt
    "$BUILD/tools/mktrace" uneven.txt uneven
    fails 'some cores have 1 ranks and others 2' calibrate --slowdown uneven own
    fails "cannot|no such|No such" calibrate --slowdown own nowhere
    touch slowdown.xml
    fails 'slowdown.xml exists: choose another name with -o, or --force' calibrate --slowdown own shared
    [ ! -s slowdown.xml ]
}

@test "bad slowdown files" {
    record own 2 1000
    while IFS='|' read -r pattern text; do
        echo "$text" >bad.xml
        fails "bad.xml(:[0-9]+)?: $pattern" replay own --cores 1 --slowdown bad.xml
        fails "bad.xml(:[0-9]+)?: $pattern" check bad.xml
    done <<'END'
<region name="a">: two points at least|<slowdown><region name="a"><point ranks-per-core="1" factor="1"/></region></slowdown>
ranks-per-core="1": it must grow|<slowdown><region name="a"><point ranks-per-core="1" factor="1"/><point ranks-per-core="1" factor="1"/></region></slowdown>
ranks-per-core="0.5": a number from 1|<slowdown><region name="a"><point ranks-per-core="0.5" factor="1"/></region></slowdown>
factor="0": a number from 0.01|<slowdown><region name="a"><point ranks-per-core="1" factor="0"/></region></slowdown>
a second <region name="a">|<slowdown><region name="a"><point ranks-per-core="1" factor="1"/><point ranks-per-core="2" factor="1"/></region><region name="a"/></slowdown>
<pint> in <region>|<slowdown><region name="a"><pint/></region></slowdown>
.*<slowdown> has no element 'regin'|<slowdown><regin/></slowdown>
.*attribute .*fctor|<slowdown><region name="a"><point ranks-per-core="1" fctor="1"/></region></slowdown>
END
    echo '<machine/>' >bad.xml
    fails 'bad.xml: no slowdown file: its outermost element is not <slowdown>' replay own --slowdown bad.xml
    fails 'nowhere.xml: cannot be opened' replay own --slowdown nowhere.xml
    fails 'slowdown and --timeless exclude each other' replay own --slowdown bad.xml --timeless --machine bad.xml
}

@test "advice for a target with a slowdown file is by the predictions of replay" {
    record own 2 1000
    record shared 1 1200
    learn own shared >learned
    "$PAGODA" advise own --cores 1 --slowdown slowdown.xml --json >advice
    jq -e '.target == "--cores 1 --slowdown slowdown.xml" and .target_ns == 34000' advice
    [ "$("$PAGODA" advise own --cores 1 --json | jq .target_ns)" = 30000 ]
    # A core for each rank takes what replay predicts with the file.
    "$PAGODA" advise shared --slowdown slowdown.xml --json >advice
    jq -e --argjson ns "$(predicted shared --cores 2 | jq '.[0]')" 'any(.candidates[];
        .options == "--slowdown slowdown.xml --cores 2" and .predicted_ns == $ns)' advice
    fails 'missing.xml' advise own --slowdown missing.xml
}
