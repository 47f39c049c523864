# SPDX-License-Identifier: BSD-3-Clause
# Model files: bundled ones against the numbers printed in their sources, the language, random ones
# against all sizes of groups, and what is refused. Printed fixtures name where they are printed.
load ../checked_files

# asks MODEL JQ-CONDITION [OPTIONS]: of the first point
asks() {
    local model=$1 condition=$2
    shift 2
    "$PAGODA" model --json "$model" "$@" >answer.json
    jq -e "def near(v; e): (. / v - 1 | fabs) < e; .points[0] | $condition" answer.json ||
        { echo "$condition:"; cat answer.json; return 1; }
}

valid() {
    xmllint --nonet --noout --relaxng "$ROOT/patterns/models/models.rng" "$@"
}

@test "bundled models are sound and say where they are from" {
    local file name
    for file in "$ROOT"/patterns/models/*.xml; do
        name=$(basename "$file" .xml)
        "$PAGODA" check "$file"
        valid "$file"
        "$PAGODA" explain --json "$name" | jq -e --arg name "$name" '.models[0] |
            .name == $name and .summary != null and .source != null and .missing != null and .tasks > 0'
        "$PAGODA" explain "$name" >page
        grep -q '^Tasks ' page
        [ -z "$(grep -v '^Read from' page | awk 'length > 80')" ]
    done
    "$PAGODA" check --json "$ROOT/patterns/models/irk.xml" | jq -e '.files[0] | .kind == "model" and .entries == 7'
}

# The mesh Nneut of table 2 on 4 x 4 x 4 processes, with an assumed number of angles.
@test "Tycho's general model: steps, sizes and times worked out by hand" {
    asks tycho-gm '(.values.Ep | near(672.0625; 1e-9)) and (.values.Wp | near(16129.5; 1e-9)) and
        .values.pipeline == 9 and (.values.steps | near(48.379; 1e-4)) and .values.bytes == 2560 and
        (.parts.compute | near(0.091649; 1e-4)) and
        (.parts.latency + .parts.bandwidth | near(0.016392; 1e-4)) and (.time | near(0.108041; 1e-4))' \
        --machine es40 --at p=64,cells=43012,angles=24,MCPS=512,PCE=0.8,px=4,py=4,pz=4
    # Tcomm: 56.472 us, six times a step.
    jq -e '.points[0] | (.parts.latency + .parts.bandwidth) / .values.steps / 6 * 1e6 | . > 56.47 and . < 56.474' \
        answer.json
    # A share of communication of 15.2 % with 512, 21.6 % with 256.
    jq -e '.points[0] | .parts.compute / .time | 1 - . | . > 0.1515 and . < 0.1525' answer.json
    asks tycho-gm '.parts.compute / .time | 1 - . | . > 0.2155 and . < 0.2165' \
        --machine es40 --at p=64,cells=43012,MCPS=256
    # Contention: so many messages leave a node at a time.
    asks tycho-gm '.parts.contention | near(3 * 0.016392; 1e-4)' --machine es40 --at p=64,cells=43012,crowd=4
    jq -e '.bias | startswith("predicts too little")' answer.json
    # One process sends nothing.
    asks tycho-gm '.time == .parts.compute and (.values.steps | near(43012 * 24 / 512 / 0.8; 1e-9))' \
        --machine es40 --at cells=43012
}

@test "the printed times of a cell, tables 1 and 4" {
    local machine p us
    # With E cells of one process and one angle and PCE 1, all E of them take E * Telem.
    while read -r machine cells us; do
        asks tycho-gm ".time / $cells * 1e6 | near($us; 2e-3)" --machine "$machine" \
            --at "cells=$cells,angles=1,PCE=1,MCPS=1" || { echo "$machine $cells"; return 1; }
    done <<'END'
es40 20000 9.2
es40 16384 9.07
es40 800 3.63
es40 799 3.7
es40-1000 20000 7.0
es40-1000 8000 5.408
es40-1000 799 3.0
es40-1250 33000 6.6
es40-1250 1600 3.207
es40-1250 1599 2.4
es40-itanium 9000 22.2
es40-itanium 400 12.868
es40-itanium 399 11.4
END
}

# Figures 7 and 8, of the mesh Reac with MCPS 64, say in words: the program remains compute bound, latency
# dominates bandwidth; 1 GHz is about 20 % faster for large subgrids, about 10 % on many processes.
@test "what is printed of figures 7 and 8: components and other processors" {
    local p
    at() { "$PAGODA" model --json tycho-gm --machine "$2" --at "p=$1,cells=165530,MCPS=64"; }
    for p in 2 16 64 256; do
        at "$p" es40 | jq -e '.points[0] | .parts.compute > 0.5 * .time and .parts.latency > .parts.bandwidth'
        jq -n -e "$(at "$p" es40-itanium | jq '.points[0].time') > 1.5 * $(at "$p" es40 | jq '.points[0].time')"
    done
    faster() { jq -n "1 - $(at "$1" es40-1000 | jq '.points[0].time') / $(at "$1" es40 | jq '.points[0].time')"; }
    jq -n -e "$(faster 2) | . > 0.17 and . < 0.21"
    jq -n -e "$(faster 256) | . > 0.09 and . < 0.12"
}

@test "the inverse question: found where the answer is monotone, refused elsewhere" {
    asks tycho-gm '.solution == {"parameter": "MCPS", "condition": "communication <= 0.2", "from": 298, "to": null}' \
        --machine es40 --at p=64,cells=43012 --solve MCPS=64:16384 --where 'communication <= 0.2'
    share() { "$PAGODA" model --json tycho-gm --machine es40 --at "p=64,cells=43012,MCPS=$1" |
        jq '.points[0] | 1 - .parts.compute / .time'; }
    jq -n -e "$(share 297) > 0.2 and $(share 298) <= 0.2"
    asks tycho-gm '.solution.from == null and .solution.to > 0.1 and .solution.to < 1' --machine es40 --at p=64,cells=43012 \
        --solve PCE=0.1:1 --where 'time >= 0.2s'
    # Where latency jumps with the size of a message the share turns.
    run -1 --separate-stderr "$PAGODA" model tycho-gm --machine es40 --at p=64,cells=43012 --solve MCPS=1:16384 \
        --where 'communication <= 0.2'
    [[ $stderr == *"communication <= 0.2 neither rises nor falls all the way: it turns at MCPS="*"; narrow the range" ]]
    run -0 "$PAGODA" model tycho-gm --machine es40 --at p=64,cells=43012 --solve MCPS=1000:2000 --where 'communication < 1'
    [[ $output == *"communication < 1 holds everywhere from MCPS=1000 to 2000"* ]]
    run -0 "$PAGODA" model tycho-gm --machine es40 --at p=64,cells=43012 --solve MCPS=1000:2000 --where 'communication > 1'
    [[ $output == *"communication > 1 holds nowhere from MCPS=1000 to 2000"* ]]
    refused() { # refused MESSAGE RANGE CONDITION
        run -1 --separate-stderr "$PAGODA" model tycho-gm --machine es40 --at p=64,cells=43012 --solve "$2" --where "$3"
        [[ $stderr == *"$1"* ]] || { echo "$stderr"; return 1; }
    }
    refused '"MCPS" is not NAME=LOW:HIGH' MCPS 'time < 1'
    refused 'has no parameter "mcps"; it has p, cells, ' mcps=1:2 'time < 1'
    refused 'LOW must be above 0 and below HIGH' MCPS=2:1 'time < 1'
    refused 'it must compare by <, <=, > or >=' MCPS=1:2 'time == 1'
    refused 'is it communication?' MCPS=1:2 'comunication < 1'
    refused 'processes are whole numbers' p=1:2.5 'time < 1'
}

@test "what is printed of figure 10: the least MCPS rises, then falls with the mesh; more processes shift it" {
    local p cells
    for p in 256 1024; do
        for cells in 20000 50000 100000 200000 500000 1000000 5000000; do
            "$PAGODA" model --json tycho-gm --machine es40 --at "p=$p,cells=$cells" --solve MCPS=46:100000 \
                --where 'communication <= 0.2' | jq '.points[0].solution.from'
        done | jq -s .
    done | jq -s -e 'def peak: index(max); (map(peak) | .[0] > 0 and .[1] > .[0]) and
        all(.[]; . as $c | peak as $p | .[:$p + 1] == (.[:$p + 1] | sort) and .[$p:] == (.[$p:] | sort | reverse))'
}

# Step 1: processes compute 100 and 50, send 2 of 1000 and 1 of 100000. Step 2: 10 and nothing.
@test "Tycho's mesh-specific model: the longest computing and communication of each step" {
    printf '%s\n' step,process,work,messages,bytes 1,0,100,2,1000 1,1,50,1,100000 2,0,10,0,0 >steps.csv
    # 110 * 3.7 us; 21.4 us + 13.7 ns * 100000 is more than two of 35.1 us.
    asks tycho-msm '(.parts.compute | near(407e-6; 1e-6)) and (.parts.latency | near(21.4e-6; 1e-4)) and
        (.parts.bandwidth | near(1370e-6; 1e-4)) and .parts.contention == 0' \
        --machine es40 --rows steps.csv --at p=2,cells=1000
    run -1 --separate-stderr "$PAGODA" model tycho-msm --machine es40 --at cells=1000
    [[ $stderr == *'task "steps" sums over rows: --rows FILE' ]]
    echo step,work >short.csv
    run -1 --separate-stderr "$PAGODA" model tycho-msm --machine es40 --at cells=1000 --rows short.csv
    [[ $stderr == *'short.csv:1: there is no column "messages", which '*tycho-msm.xml' asks for' ]]
    printf '%s\n' step,work,messages,bytes 1,2,x,4 >word.csv
    run -1 --separate-stderr "$PAGODA" model tycho-msm --machine es40 --at cells=1000 --rows word.csv
    [[ $stderr == *'word.csv:2: '* ]]
}

# Kuehnemann, Rauber, Ruenger: tables 2 and 3 and the contention factors.
@test "task-parallel formulas: contention and operations on T3E and CLiC" {
    cat >printed.xml <<'END'
<model name="printed">
  <parameter name="b"/>
  <value name="C_T3E" formula="0.04*p*log2(log2(p))*log2(b)" least="1"/>
  <value name="C_CLiC" formula="0.0045*p*log2(p)*(log2(b) + log2(p))" least="1"/>
  <value name="clic_bcast_p" formula="564.125*log2(p) + 0.0939*log2(p)*b"/>
  <value name="t3e_bcast" formula="1e6*bcast(p, b)"/>
  <value name="clic_allgather_p" formula="-669.9 + 543.3*p + 2.806*p*b"/>
  <task name="bcast" latency="(-3420.688e-6 + 0.3409e-6*b)*log2(p)"/>
</model>
END
    valid printed.xml
    # "T3E MPI_Bcast same = 1,317 us", "Bcast_P CLiC(32, 65536 B) = 33,590 us"
    asks printed.xml '(.values.t3e_bcast | near(1317; 1e-3)) and (.values.clic_bcast_p | near(33590; 1e-4))' \
        --machine t3e --at p=32,b=65536
    asks printed.xml '(.values.C_T3E | near(15.73; 1e-3)) and (.values.C_CLiC | near(4.69; 1e-3))' --at p=16,b=5000
    asks printed.xml '(.values.C_CLiC | near(12.45; 1e-3))' --at p=32,b=5000
    asks printed.xml '(.values.clic_allgather_p | near(106508; 1e-4))' --at p=32,b=1000
    asks printed.xml '.values.C_CLiC == 1 and .values.C_T3E == 1' --at p=4,b=1 # 0.07 and 0
    asks printed.xml '(.values.C_CLiC | near(78; 1e-2))' --at p=128,b=5000
    # A negative start-up: 0 below 10,034 bytes, and the report says so.
    asks printed.xml '.time > 0' --at p=8,b=10035
    run -0 "$PAGODA" model printed.xml --at p=8,b=10034
    [[ $output == *": 0 ns"*"note: latency of bcast is below 0 and counts as 0"* ]]
}

# s = 2, m = 3, g = p/s: as section 5 has it, with the costs of the machine file below.
@test "the iterated Runge-Kutta method: both versions by hand, group sizes, what is left over" {
    cat >here.xml <<'END'
<machine name="here"><message scope="network"><point bytes="0" time="1us"/></message>
<collective op="allgather" time="1e-6*p + 1e-9*p*b"/></machine>
END
    asks irk "def t(p; n): 1e-6 * p + 8e-9 * p * n; 1e-6 as \$tf |
        (.consecutive | near(125 * \$tf + 3 * 2 * (125 * \$tf + t(8; 125)) + t(8; 125); 1e-9)) and
        (.groups | near(250 * \$tf + 3 * (250 * \$tf + t(4; 250) + t(2; 250)) + t(8; 125); 1e-9)) and
        .time == ([.groups, .consecutive] | min)" --machine here.xml \
        --at p=8,n=1000,stages=2,iterations=3,steps=1,tf=1us
    # 10 processes make four groups of two; two are left.
    asks irk '.tree.tasks[0] | .run == "groups" and .released == 2 and
        [.tasks[] | select(.kind == "sequence") | .processes] == [2, 2, 2, 2]' --machine clic --at p=10,tf=1us
    # Contention counts for groups only.
    asks irk '.groups < .consecutive and .parts.contention > 0' --machine clic --at p=10,tf=1us,C=1.1
    asks irk '.groups > .consecutive and .parts.contention == 0' --machine clic --at p=10,tf=1us,C=9
    run -0 "$PAGODA" model irk --machine clic --at p=3,tf=1us
    [[ $output == *"running groups at the same time is impossible: "*"3 processes are too few for 4 groups"* ]]
}

@test "allocation: a split for each phase, net of what a change costs" {
    # Of 10 processes the ocean needs most in the first phase, the air in the others.
    cat >coupled.xml <<'END'
<model name="coupled">
  <parameter name="restart" value="1s"/>
  <phases name="run" change="restart">
    <groups name="spin-up" run="groups"><task name="ocean" compute="90/p"/><task name="air" compute="10/p" least="1"/></groups>
    <groups name="forecast" run="groups" repeat="2"><task name="ocean" compute="20/p"/><task name="air" compute="80/p" most="7"/></groups>
  </phases>
</model>
END
    valid coupled.xml
    # 9 + 1: 10 s; 3 + 7, of which the ocean needs 2: twice 11.43 s.
    asks coupled.xml '(.time | near(10 + 1 + 160 / 7; 1e-9)) and .tree.optimal and
        [.tree.tasks[] | [.tasks[].processes]] == [[9, 1], [2, 7]] and
        [.tree.tasks[].limiting] == ["ocean", "air"] and [.tree.tasks[].released] == [0, 1] and
        (.tree.bound | near(10 + 160 / 7; 1e-9)) and .tree.kept > .time' --at p=10
    # With 4 + 6: 22.5 s and twice 13.3 s.
    asks coupled.xml '(.time | near(22.5 + 160 / 6; 1e-9)) and .tree.kept == .time and
        [.tree.tasks[] | [.tasks[].processes]] == [[4, 6], [4, 6]]' --at p=10,restart=1h
    # Too many splits to try: the report says how much faster any could be.
    asks coupled.xml '.tree.optimal == false and .time >= .tree.bound' --at p=1000
    says -0 "the best of any is not below " "$PAGODA" model coupled.xml --at p=1000
    run -1 --separate-stderr "$PAGODA" model coupled.xml --at p=1
    [[ $stderr == *'coupled.xml:3: "run": 1 processes are too few for 2 groups' ]]
}

@test "values fitted to a table: contention from concurrent against isolated runs" {
    LC_ALL=C awk 'BEGIN { print "series,p,n,value"; for (p = 2; p <= 32; p *= 2) for (n = 1000; n <= 16000; n *= 2) {
        printf "C,%d,%d,%.9g\n", p, n, 1 + 0.01 * p * log(n) / log(2); printf "other,%d,%d,1\n", p, n } }' >contention.csv
    mkdir models
    mv contention.csv models
    cat >models/mine.xml <<'END'
<model name="mine"><parameter name="n"/><value name="C" table="contention.csv" series="C" least="1"/>
<task name="exchange" bandwidth="n*1e-9" contention="(C - 1)*bandwidth"/></model>
END
    valid models/mine.xml
    asks models/mine.xml '(.values.C | near(1 + 0.01 * 64 * 15; 1e-3)) and
        (.parts.contention / .parts.bandwidth | near(9.6; 1e-2))' --at p=64,n=32768
    sed 's/series="C"/series="c"/' models/mine.xml >models/wrong.xml
    run -1 --separate-stderr "$PAGODA" model models/wrong.xml --at n=1
    [[ $stderr == *'models/wrong.xml:1: contention.csv has no series "c"' ]]
    LC_ALL=C awk -F, '/^C,8,4000,/ { print "C,8,4000,5"; next } { print }' models/contention.csv >models/bad.csv
    sed 's/contention.csv/bad.csv/' models/mine.xml >models/noted.xml
    run -0 --separate-stderr "$PAGODA" model models/noted.xml --at p=64,n=32768 --json
    jq -e '.points[0].values.C - (1 + 0.01 * 64 * 15) | fabs < 1e-2' <<<"$output"
    [[ $stderr == *'models/noted.xml:1: bad.csv, series "C": the value at p=8,n=4000 does not fit: '*' times what the others say; it is left out' ]]
    sed 's/contention.csv/gone.csv/' models/mine.xml >models/wrong.xml
    run -1 --separate-stderr "$PAGODA" model models/wrong.xml --at n=1
    [[ $stderr == *'models/wrong.xml:1: cannot open models/gone.csv'* ]]
}

@test "random models against all sizes of groups" {
    /usr/bin/python3 "$ROOT/tests/cli/task_structures.py" "$PAGODA" "$(cases 300 40)" 1
}

@test "the report: points, shares, what groups do" {
    cat >mine.xml <<'END'
<model name="mine">
  <groups name="both"><task name="a" compute="8/p"/><task name="b" compute="4/p + 1"/><exchange name="x" latency="0.5"/></groups>
</model>
END
    run -0 --separate-stderr "$PAGODA" model mine.xml --at p=4 --at p=1
    diff - <(echo "$output") <<'END'
mine at p=4: 4.000 s
  compute 100.0 %, latency 0.0 %, bandwidth 0.0 %, contention 0.0 %
  all groups at the same time 4.500 s, consecutive 4.000 s
  both: one task after the other, as groups would take 4.500 s instead of 4.000 s
   share     time  processes  task
  50.0 %  2.000 s          4  a
  50.0 %  2.000 s          4  b

mine at p=1: 13.00 s
  compute 100.0 %, latency 0.0 %, bandwidth 0.0 %, contention 0.0 %
  running groups at the same time is impossible: mine.xml:2: "both": 1 processes are too few for 2 groups
  both: one task after the other
   share     time  processes  task
  61.5 %  8.000 s          1  a
  38.5 %  5.000 s          1  b
END
}

@test "model files that are refused: file, line, what is meant" {
    bad() { # bad MESSAGE BODY
        printf '<model name="bad">\n%s\n</model>\n' "$2" >bad.xml
        wrong_file bad.xml "bad.xml:$1"
    }
    bad '1: <model> holds no task' ''
    bad '2: <task> needs compute, latency, bandwidth or contention: its time' '<task name="a"/>'
    bad '2: <task> needs name="..."' '<task compute="1"/>'
    bad "2: <model> has no element 'tasks', did you mean 'task'?" '<tasks/>'
    bad '2: a second task: put both into <sequence>' '<task name="a" compute="1"/><task name="b" compute="1"/>'
    bad '2: compute: formula `n/p`: unknown name n' '<task name="a" compute="n/p"/>'
    bad '2: compute: formula `al(p, 1)`' '<task name="a" compute="al(p, 1)"/>'
    bad '2: compute="latency": only contention may use latency' '<task name="a" compute="latency"/>'
    bad "2: <task> has no attribute 'computes', did you mean 'compute'?" '<task name="a" computes="1"/>'
    bad '2: <sequence> holds no task' '<sequence name="a"/>'
    bad '2: compute="..." is for <task> and <exchange>' '<sequence name="a" compute="1"><task name="b" compute="1"/></sequence>'
    bad '2: <task> in <task>, which holds nothing' '<task name="a" compute="1"><task name="b" compute="1"/></task>'
    bad '2: copies, least and most are for tasks of <groups>' '<sequence name="a"><task name="b" compute="1" copies="2"/></sequence>'
    bad '2: <groups> holds one <exchange>' '<sequence name="a"><exchange name="b" compute="1"/></sequence>'
    bad '2: <phases> holds <groups> only' '<phases name="a"><task name="b" compute="1"/></phases>'
    bad '2: the <groups> of <phases> need run="groups"' '<phases name="a"><groups name="b"><task name="b" compute="1"/></groups></phases>'
    bad '2: change="..." is for <phases>' '<sequence name="a" change="1"><task name="b" compute="1"/></sequence>'
    bad '2: rows="yes" is for <task>' '<sequence name="a" rows="yes"><task name="b" compute="1"/></sequence>'
    bad '2: unknown run maybe' '<groups name="a" run="maybe"><task name="b" compute="1"/></groups>'
    bad '2: name="p": there is one already' '<parameter name="p"/><task name="b" compute="1"/>'
    bad '2: name="a b": names have letters, digits and _, and are no functions' '<parameter name="a b"/>'
    bad '2: name="message": names have' '<parameter name="message"/>'
    bad '2: value="x": ' '<parameter name="n" value="x"/>'
    bad '2: <value> needs formula="..." or table="..."' '<value name="n"/>'
    bad '2: formula: formula `n+1`: unknown name n' '<value name="n" formula="n+1"/>'
    wrong_files_refused
    # Values that are none are refused when they are asked for.
    wrong() { # wrong MESSAGE BODY [OPTIONS]
        local message=$1
        printf '<model name="bad">\n<parameter name="n"/>%s\n</model>\n' "$2" >bad.xml
        shift 2
        run -1 --separate-stderr "$PAGODA" model bad.xml "$@"
        [[ $stderr == *"$message"* ]] || { echo "$stderr"; return 1; }
    }
    wrong 'the parameter n of bad.xml has no value: add --at n=...' '<task name="a" compute="n"/>'
    wrong 'bad.xml has no parameter "m"; it has p, n' '<task name="a" compute="n"/>' --at m=1
    wrong 'the parameter n is there twice' '<task name="a" compute="n"/>' --at n=1,n=2
    wrong 'p=0: a whole number of processes' '<task name="a" compute="n"/>' --at p=0,n=2
    wrong 'bad.xml:2: task "a": compute="1/n" is inf for p = 1' '<task name="a" compute="1/n"/>' --at n=0
    wrong 'bad.xml:2: task "a": repeat="n" is -1 for p = 1' '<task name="a" compute="1" repeat="n"/>' --at n=-1
    wrong 'bad.xml:2: task "a": latency="message(n)" asks the machine for <message scope="network">: name one by --machine' \
        '<task name="a" latency="message(n)"/>' --at n=1
    wrong 'quadrics.xml does not say what <compute> costs' '<task name="a" compute="compute(n, 1)"/>' --at n=1 --machine quadrics
    run -1 --separate-stderr "$PAGODA" model nowhere
    [[ $stderr == *'nowhere: neither a file nor one of the bundled models (irk, '* ]]
    run -2 --separate-stderr "$PAGODA" model irk --by ranks
    [[ $stderr == *'a MODEL takes neither trials, --as, --by, --call-paths nor --metric'* ]]
    run -2 --separate-stderr "$PAGODA" model irk --solve n=1:2
    [[ $stderr == *'--solve and --where need each other'* ]]
    run -2 --separate-stderr "$PAGODA" model table.csv --machine t3e
    [[ $stderr == *'--machine, --rows, --solve and --where are for a MODEL'* ]]
}
