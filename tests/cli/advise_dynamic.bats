# SPDX-License-Identifier: BSD-3-Clause
# Work that is dealt while the program runs: workers of a task farm, load balancing; as what-if options
# and as candidates of pagoda advise. The traces, with the times computed by hand, are in
# tests/traces/advise.
load ../helper

@test "a task farm with other numbers of workers" {
    archive advise/farm
    "$PAGODA" replay farm --workers 1,2,3,4,5 --json >report
    # The phase takes 491 us of 510; the times are those of the trace's comment.
    jq -e '[.whatif.points[].farm.predicted_ns] == [930000, 491000, 369000, 320000, 320000]' report
    jq -e '[.whatif.points[].predicted_ns] == [949000, 510000, 388000, 339000, 339000]' report
    jq -e '.whatif.points[0].farm | .recorded_ns == 491000 and .modelled_ns == 491000 and
        .model_error == 0 and .tasks == 6 and .phases == 1 and .recorded_workers == 2 and
        .master == 0 and .cores == 8' report
    "$PAGODA" replay farm --workers 4 >text
    grep -q 'rank 0 hands out 6 tasks to 2 workers, 491.0 us' text
    grep -q 'Model error  *+0.00 %' text
    # On two cores more workers gain nothing: 800 us of work and the master's 70.
    "$PAGODA" replay farm --cores 2 --workers 4 --json | jq -e '.whatif.farm.predicted_ns >= 400000'
}

@test "workers go with other options" {
    archive advise/farm
    "$PAGODA" replay farm --workers 4 --cpu-speed 2 --json >report
    # The longest task takes 150 us, and today's two workers take half of their time.
    jq -e '.whatif.farm | .predicted_ns >= 150000 and .predicted_ns < .recorded_ns and
        .recorded_ns < 250000 and .model_error == 0' report
}

@test "tasks dealt anew to as many workers as there were" {
    archive advise/farm
    # Rank 1 did 2 tasks, rank 2 did 4: perhaps whoever was free got the next one.
    note='if rank 0 hands tasks to free workers, --workers 2 deals them anew'
    "$PAGODA" replay farm --cpu-speed 2 --json | jq -e --arg note "$note" \
        '.whatif.assumptions | any(contains($note))'
    "$PAGODA" replay farm --workers 2 --json | jq -e --arg note "$note" \
        '.whatif.assumptions // [] | any(contains($note)) | not'
    # Rank 1 is slower with the master on its core; dealt anew it does less.
    "$PAGODA" replay farm --place a=0,1 --place b=2 --workers 2 --json >report
    jq -e '.whatif.farm | .predicted_ns > 491000 and .predicted_ns < .recorded_ns and
        .measured_ns == 491000 and .model_error == 0' report
    # Nothing changed is the recorded run.
    "$PAGODA" replay farm --workers 2 --json | jq -e '.whatif.predicted_ns == 510000'
}

@test "workers have the cores of their ranks" {
    archive advise/farm
    predict() {
        "$PAGODA" replay farm --workers 2 --json "$@" | jq .whatif.farm.predicted_ns
    }
    # Both workers on one core have 800 us of work there.
    [ "$(predict --place a=0 --place b=1,2)" -eq 820000 ]
    [ "$(predict --place a=0 --place b=1 --place c=2)" -eq 491000 ]
    # In slices longer than a task the master, on a worker's core, has it between tasks only.
    shared=$(predict --place a=0,1 --place b=2 --slice 0)
    sliced=$(predict --place a=0,1 --place b=2 --slice 1ms)
    [ "$sliced" -gt "$shared" ]
}

@test "slices are assumed where a task farm shares cores, unless something else is said" {
    archive advise/farm
    # predict OPTION...: the time of the farm, and whether slices were assumed.
    predict() {
        "$PAGODA" replay farm --json "$@" | jq -c '[.whatif.farm.predicted_ns,
            (.whatif.assumptions // [] | any(contains("--slice 4ms, because a master")))]'
    }
    "$PAGODA" replay farm --json --workers 2 --place a=0,1 --place b=2 --slice 4ms >said
    sliced=$(jq .whatif.farm.predicted_ns said)
    [ "$(predict --workers 2 --place a=0,1 --place b=2)" = "[$sliced,true]" ]
    unsliced=$(predict --workers 2 --place a=0,1 --place b=2 --slice 0)
    [ "$unsliced" != "[$sliced,false]" ]
    [ "$(predict --workers 2 --place a=0,1 --place b=2 --hand-over 0)" = "$unsliced" ]
    # Two workers and the master have three cores; a third worker shares one.
    [ "$(predict --cores 3 --workers 2)" = "[491000,false]" ]
    [[ "$(predict --cores 3 --workers 3)" == *",true]" ]]
    [[ "$(predict --cores 3)" == "[null,false]" ]]
    # The advice goes by them, too.
    "$PAGODA" advise farm --only workers --cores 3 --json >advice
    command=$(jq -r '.candidates[0] | .options' advice)
    # shellcheck disable=SC2086 # the options are words
    "$PAGODA" replay farm --cores 3 $command --json |
        jq -e --argjson predicted "$(jq '.candidates[0].predicted_ns' advice)" '.whatif.predicted_ns == $predicted'
}

@test "the best number of workers is advised" {
    archive advise/farm
    "$PAGODA" advise farm --json >advice
    jq -e '.candidates[0] | .kind == "workers" and .options == "--workers 4" and
        .gain_ns == 171000 and .group == "change"' advice
    "$PAGODA" advise farm --only workers --top 1 >text
    grep -q 'Use 4 workers instead of 2, on 8 cores' text
    command=$(grep -m 1 -o 'pagoda replay .*' text)
    ${command/#pagoda/$PAGODA} --json | jq -e '.whatif.predicted_ns == 339000'
    # On a single core nobody helps.
    "$PAGODA" advise farm --only workers --cores 1 --json |
        jq -e '[.candidates[] | select(.gain_ns > 50000)] == []'
}

@test "advice says that tasks stay with the ranks that did them" {
    archive advise/farm
    archive advise/pairs
    "$PAGODA" advise farm --nodes 1 --cores 2 | tr -s ' \n' ' ' | grep -q -- 'Add --workers 2 to a command'
    "$PAGODA" advise farm --json | jq -e '.kept_tasks == {"master": 0, "workers": 2}'
    "$PAGODA" advise pairs --json | jq -e 'has("kept_tasks") | not'
}

@test "who does not deal tasks is advised no workers" {
    archive advise/late
    archive advise/pairs
    for trace in late pairs; do
        "$PAGODA" advise "$trace" --only workers --json | jq -e '.candidates == []'
    done
}

# rounds OWN WORK: rank 0 computes for OWN us, sends, and rank 1 answers after WORK us, 12 times.
rounds() {
    awk -v own="$1" -v work="$2" 'BEGIN {
        print "nodes n n\ncores n 8\n0 0 enter main\n1 0 enter main"
        for (i = t = 0; i < 12; i++) {
            s = t + 1000 * own; a = s + 1000 + 1000 * work; e = a + 1000
            print "0", s, "enter MPI_Send\n0", s, "send world 1 1 8\n0", s, "leave MPI_Send"
            print "1", t, "enter MPI_Recv\n1", s + 1000, "recv world 0 1 8\n1", s + 1000, "leave MPI_Recv"
            print "1", a, "enter MPI_Send\n1", a, "send world 0 2 8\n1", a, "leave MPI_Send"
            print "0", s, "enter MPI_Recv\n0", e, "recv world 1 2 8\n0", e, "leave MPI_Recv"
            t = e
        }
        print "0", t, "leave main\n1", t, "leave main" }' >rounds.txt
    rm -rf rounds
    "$BUILD/tools/mktrace" rounds.txt rounds
}

@test "a single worker is one if the master does little else; else the two exchange what both do" {
    rounds 2 100
    "$PAGODA" advise rounds --only workers --json |
        jq -e '.candidates[0] | .group == "limit" and (.text | endswith(", if no task needs another one"))'
    for own in 1 100; do # a ping-pong, and neighbours
        rounds $own $own
        "$PAGODA" advise rounds --only workers --json | jq -e '.candidates == []'
    done
}

@test "load balancing while it runs" {
    archive advise/uneven
    "$PAGODA" replay uneven --rebalance magda:threshold=100,poll=50us,transfer=10us --json >report
    jq -e '.whatif.predicted_ns == 357000 and (.whatif.rebalancing | .before_ns == 500000 and
        .after_ns == 355000 and .migrations == 1 and .moved_ns == 145000 and .spans == 2)' report
    "$PAGODA" replay uneven --rebalance magda:poll=50us,transfer=10us,free-hosts=1 --json >report
    jq -e '.whatif.predicted_ns == 332000 and (.whatif.rebalancing | .migrations == 2 and .policy == "magda")' report
    # Nobody is idle for as long as a poll.
    "$PAGODA" replay uneven --rebalance magda:poll=1ms --json | jq -e '.whatif.predicted_ns == 502000'
    # Lists, of policies as well.
    "$PAGODA" replay uneven --rebalance magda-idle:poll=20us,transfer=10us,magda,magda-idle:poll=100us >text
    grep -q '145.0 us of work handed over in 1 migration' text
    "$PAGODA" replay uneven --rebalance magda-idle:poll=20us,transfer=10us,magda,magda-idle:poll=100us --json |
        jq -e '[.whatif.points[].set.rebalance] ==
            ["magda-idle:poll=20us,transfer=10us", "magda", "magda-idle:poll=100us"]'
    # A colon in a file's name is part of it.
    mkdir a:b
    cp "$ROOT/patterns/policies/magda.xml" a:b/mine.xml
    "$PAGODA" replay uneven --rebalance a:b/mine.xml:threshold=100,poll=50us,transfer=10us --json |
        jq -e '.whatif.predicted_ns == 357000'
}

@test "balancing is advised where work between synchronisations is uneven" {
    { echo 'clock 1000000'; cat "$ROOT/tests/traces/advise/uneven.txt"; } | "$BUILD/tools/mktrace" - long
    "$PAGODA" advise long --only dynamic --json >advice
    # Both policies do the same here: the first one is listed.
    jq -e '.candidates | length == 2 and (.[0] | .gain_ns > 140000000 and .options == "--rebalance magda" and
        (.text | test("by policy magda "))) and (.[1] | .options == "--rebalance magda-idle" and has("same_as"))' advice
    for policy in magda magda-idle; do
        jq -e ".candidates[0].predicted_ns == $("$PAGODA" replay long --rebalance $policy --json |
            jq .whatif.predicted_ns)" advice
    done
    # Without the barriers there is no meeting, and nothing to balance: the pair is worse than its better half.
    "$PAGODA" advise long >text
    grep -q '2.000 ms    0.4 %  1 and 2: the better one alone saves more$' text
    grep -q '^Even the best of these changes, or pair of them, leaves 2.000 ms of the lost time.$' text
    # One rank talks with all the others: messages decide when it works.
    archive advise/farm
    "$PAGODA" advise farm --only dynamic --json | jq -e '.candidates == []'
}

@test "what is refused" {
    archive advise/farm
    archive advise/uneven
    refused() {
        run --separate-stderr "$PAGODA" replay "${@:3}"
        [ "$status" = "$1" ]
        [[ $stderr == *"$2"* ]] || { echo "$stderr"; return 1; }
    }
    refused 2 '--workers 0: from 1' farm --workers 0
    refused 2 '--workers some' farm --workers some
    refused 2 '--rebalance magda:threshold=101: a number from 0 to 100, in percent' farm --rebalance magda:threshold=101
    refused 2 'magda:threshold=-1' farm --rebalance magda:threshold=-1
    refused 2 'magda:poll=0: more than no time at all' farm --rebalance magda:poll=0
    refused 2 'magda:transfer=x' farm --rebalance magda:poll=1ms,transfer=x
    refused 2 'magda:free-hosts=65537: a whole number from 0 to 65536' farm --rebalance magda:free-hosts=65537
    refused 2 'magda:free-hosts=some' farm --rebalance magda:free-hosts=some
    refused 2 'no such setting (threshold, poll, transfer, free-hosts); did you mean poll?' farm --rebalance magda:pol=1ms
    refused 2 '--rebalance :poll=1ms: a policy is missing' farm --rebalance :poll=1ms
    refused 2 'a value of the list is empty' farm --rebalance magda,
    refused 2 'give one of them' farm --rebalance magda --workers 3
    refused 2 'give one of them' farm --rebalance magda --dealing anycast
    refused 1 'magdb: neither a file nor a bundled policy; did you mean magda?' uneven --rebalance magdb
    refused 1 'one of the bundled policies (anycast, barrier, batches, launched, longest-first, ' uneven --rebalance 10
    refused 1 '--rebalance anycast: a policy for the tasks of a farm (--dealing)' uneven --rebalance anycast
    refused 1 '--dealing magda: a policy of rules for --rebalance' farm --dealing magda
    refused 2 '--output DIR cannot write what --workers' farm --workers 3 --output there
    refused 1 '--workers 3: the run has no task farm' uneven --workers 3
    refused 1 '--dealing anycast: the run has no task farm' uneven --dealing anycast
    refused 1 'ranks share cores' uneven --rebalance magda --cores 1
}

@test "a master that hands out tasks ahead, and one that nobody answers" {
    # Both tasks go out before the first answer comes back; then the same without answers.
    cat >ahead.txt <<'END'
nodes n n
0 0-1 MPI_Send ; 1 send world 1 1 8
0 2-3 MPI_Send ; 3 send world 1 1 8
0 4-40 MPI_Recv ; 40 recv world 1 2 8
0 41-80 MPI_Recv ; 80 recv world 1 2 8
1 0-10 MPI_Recv ; 10 recv world 0 1 8
1 30-30 MPI_Send ; 30 send world 0 2 8
1 31-32 MPI_Recv ; 32 recv world 0 1 8
1 70-70 MPI_Send ; 70 send world 0 2 8
END
    "$BUILD/tools/mktrace" ahead.txt ahead
    run -1 --separate-stderr "$PAGODA" replay ahead --workers 2
    [[ $stderr == *'hands out tasks before the last ones are answered'* ]]
    grep -v -e '^0.*MPI_Recv' -e '^0.*recv' -e '^1.*send' -e '^1.*MPI_Send' ahead.txt | "$BUILD/tools/mktrace" - silent
    run -1 --separate-stderr "$PAGODA" replay silent --workers 2
    [[ $stderr == *'no rank answers what rank 0 sends it'* ]]
}

@test "advice as predicted trials beside the measured run" {
    archive advise/farm
    archive advise/late
    "$PAGODA" advise late --store runs.db --top 2 >report
    "$PAGODA" store list --json runs.db >trials.json
    # Two of the program, one machine, two limits.
    jq -e '[.trials[] | select(.origin == "measured")] | length == 1' trials.json
    jq -e '[.trials[] | select(.origin == "predicted")] | length == 5' trials.json
    jq -e '.trials[] | select(.trial == "late: --scale prepare=0.5") | .time_ns == 610000' trials.json
    id=$(jq '.trials[] | select(.trial == "late: --scale prepare=0.5") | .id' trials.json)
    "$PAGODA" store show --json runs.db "$id" >shown
    jq -e '[.attributes[] | select(.kind == "parameter") | [.name, .value]] | sort ==
        [["advice", "change 1"], ["scale prepare", "0.5"]]' shown
    jq -e '.prediction.measured_ns == 910000 and .prediction.replay_error == 0' shown
    jq -e '.regions[] | select(.region == "prepare") | .exclusive_ns == 300000' shown
    # The same advice again: no second measured run. Of an estimate there is the run time.
    "$PAGODA" advise late --store runs.db --only region --top 1 >again
    "$PAGODA" advise farm --store runs.db --only workers --as farms >report
    "$PAGODA" store list --json runs.db >trials.json
    jq -e '[.trials[] | select(.origin == "measured") | .trial] | sort == ["farm", "late"]' trials.json
    jq -e '.trials[] | select(.trial == "farm: --workers 4") | .time_ns == 339000 and
        .experiment == "farms"' trials.json
    # A single number of workers, by replay.
    "$PAGODA" replay farm --workers 3 --store other.db >report
    "$PAGODA" store list --json other.db | jq -e '[.trials[].time_ns] == [510000, 388000]'
}

@test "advice that cannot be stored" {
    archive advise/late
    run -2 --separate-stderr "$PAGODA" advise late --as some
    [[ $stderr == *'what --store DB keeps'* ]]
    echo 'no database' >text.db
    run -1 --separate-stderr "$PAGODA" advise late --store text.db --top 1
    [[ $stderr == *text.db* ]]
    [[ $output == *'--scale prepare=0.5'* ]]
}

@test "a progress bar on a terminal only" {
    archive advise/late
    "$PAGODA" advise late 2>errors >report
    [ ! -s errors ]
}

@test "random task farms are dealt as by a simulation of its own" {
    local seed
    for ((seed = $(cases 12 3); seed > 0; seed--)); do
        /usr/bin/python3 "$ROOT/tests/cli/task_farm.py" "$seed" farm.txt lengths
        rm -rf farm
        "$BUILD/tools/mktrace" farm.txt farm
        "$PAGODA" replay farm --workers 1,2,3,4,5,6,7,8 --json >report
        jq -e '.whatif.points[0].farm.model_error == 0' report
        diff <(jq '.whatif.points[].farm.predicted_ns' report) lengths || { echo "seed $seed"; return 1; }
    done
}

@test "in lists of several options each point is that of its own command" {
    archive advise/farm
    "$PAGODA" replay farm --workers 1,3,4 --cores 2,8 --json >list
    for workers in 1 3 4; do
        for cores in 2 8; do
            predicted=$("$PAGODA" replay farm --workers $workers --cores $cores --json | jq .whatif.predicted_ns)
            jq -e ".whatif.points[] | select(.set == {workers: \"$workers\", cores: \"$cores\"}) |
                .predicted_ns == $predicted" list
        done
    done
    [ "$(jq '.whatif.points | length' list)" = 6 ]
}

@test "the best number of workers is predicted as its command does" {
    archive advise/farm
    for target in '' '--cores 3' '--cores 2 --wait spin'; do
        # shellcheck disable=SC2086 # options are words
        "$PAGODA" advise farm $target --only workers --json >advice
        jq -r '.candidates[] | "\(.options) \(.predicted_ns)"' advice >found
        while read -r option workers predicted; do
            # shellcheck disable=SC2086
            [ "$("$PAGODA" replay farm "$option" "$workers" $target --json |
                jq .whatif.predicted_ns)" = "$predicted" ]
        done <found
        # The best number, and one worker more, as a master that works would be.
        [ -n "$target" ] || [ "$(awk '$1 == "--workers" { print $2 }' found | xargs)" = '4 3' ]
    done
}

@test "what ranks compute before MPI_Init cannot be handed over" {
    {
        printf 'nodes n n\ncores n 2\n'
        for rank in 0 1; do
            began=$((rank == 0 ? 900000 : 100000))
            printf '%s\n' "$rank 0 enter main" "$rank $began enter MPI_Init" \
                "$rank 1000000 leave MPI_Init" "$rank 1100000 enter MPI_Barrier" \
                "$rank 1100000 coll-begin" "$rank 1101000 coll-end barrier world - 0 0" \
                "$rank 1101000 leave MPI_Barrier" "$rank 1101000 enter MPI_Finalize" \
                "$rank 1102000 leave MPI_Finalize" "$rank 1102000 leave main"
        done
    } | "$BUILD/tools/mktrace" - early
    "$PAGODA" replay early --rebalance magda:poll=1us --json |
        jq -e '.whatif.predicted_ns == 1102000 and .whatif.rebalancing.before_ns == 100000'
}

@test "a call that answers takes its worker's core" {
    # 20 tasks of 10 us to one worker, whose answers are sent in calls of 10 us; two cores.
    {
        echo "nodes n n"
        echo "cores n 2"
        for ((i = 0, t = 0; i < 20; i++, t += 23000)); do
            printf '0 %d %s\n' $t "enter MPI_Send" $((t + 1000)) "send world 1 1 8" \
                $((t + 1000)) "leave MPI_Send" $((t + 1000)) "enter MPI_Recv" \
                $((t + 23000)) "recv world 1 2 8" $((t + 23000)) "leave MPI_Recv"
        done
        for ((i = 0, t = 0; i < 20; i++, t += 23000)); do
            printf '1 %d %s\n' $((t > 0 ? t - 1000 : 0)) "enter MPI_Recv" $((t + 2000)) "recv world 0 1 8" \
                $((t + 2000)) "leave MPI_Recv" $((t + 12000)) "enter MPI_Send" \
                $((t + 22000)) "send world 0 2 8" $((t + 22000)) "leave MPI_Send"
        done
    } | "$BUILD/tools/mktrace" - answers
    "$PAGODA" replay answers --workers 1,4 --json >out.json
    # Two cores cannot do 20 times 20 us in less than 200 us; the tasks alone take 100 us.
    jq -e '[.whatif.points[].farm.predicted_ns] | .[0] == 460000 and .[1] >= 200000 and .[1] < 230000' out.json
}
