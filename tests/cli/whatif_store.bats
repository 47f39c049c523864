# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --store with what-if options: predicted trials, linked to the measured one.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive whatif/worked-example trace
}


# trials: origin, time and name of each trial.
trials() {
    "$PAGODA" store list --json runs.db | jq -c '[.trials[] | [.origin, .time_ns, .trial]]'
}

@test "a prediction is kept beside its measured run, which is stored once" {
    "$PAGODA" replay --store runs.db --place a=0,1 --place b=2 trace >/dev/null
    [ "$(trials)" = '[["measured",7000,"trace"],["predicted",8000,"trace: --place a=0,1 --place b=2"]]' ]
    "$PAGODA" replay --store runs.db --scale P2=0.5 trace >/dev/null
    [ "$(trials | jq -c '.[2]')" = '["predicted",3500,"trace: --scale P2=0.5"]' ]
    [ "$(trials | jq length)" = 3 ]
    "$PAGODA" store show --json runs.db 3 | jq -e '.prediction ==
        {change: "--scale P2=0.5", measured_id: 1, measured_trial: "trace", measured_ns: 7000, replay_error: 0}'
    "$PAGODA" store show --json runs.db 1 | jq -e '.prediction == null'
    run "$PAGODA" store show runs.db 2
    [[ $output == *"(predicted)"*"predicted by pagoda replay --place a=0,1 --place b=2"* ]]
    [[ $output == *"from trace, measured: 7.000 us (+14.3 %); replay error +0.00 %"* ]]
}

@test "the settings are parameters, waits and profile those of the predicted run" {
    "$PAGODA" replay --store runs.db --parameter size=5 --place a=0,1 --place b=2 trace >/dev/null
    "$PAGODA" store show --json runs.db 2 >shown
    jq -e '[.attributes[] | select(.kind == "parameter") | [.name, .value]] ==
        [["place", "a=0,1 b=2"], ["size", "5"]]' shown
    jq -e '.nodes == 2 and (.wait_states[] | select(.property == "late-sender") | .wait_ns == 6000)' shown
    jq -e '.regions[] | select(.region == "P2") | .exclusive_ns == 8000' shown
}

@test "a list on several threads keeps the same trials" {
    for n in 1 4; do
        "$PAGODA" replay --store "$n.db" --threads $n --cores 1,2 --cpu-speed 1,2 trace >/dev/null
        "$PAGODA" replay --store "$n.db" --threads $n --rebalance magda,magda-idle --cores 3 trace >/dev/null
        stored "$n.db" >"stored-$n"
    done
    [ "$(wc -l <stored-1)" -gt 20 ]
    cmp stored-1 stored-4
}

@test "a list keeps one trial a point" {
    "$PAGODA" replay --store runs.db --as plan --nodes 1,3 --scale P2=1,0.5 trace >/dev/null
    [ "$(trials)" = "[[\"measured\",7000,\"trace\"],\
[\"predicted\",9000,\"plan: --nodes 1 --scale P2=1\"],\
[\"predicted\",5500,\"plan: --nodes 1 --scale P2=0.5\"],\
[\"predicted\",7000,\"plan: --nodes 3 --scale P2=1\"],\
[\"predicted\",3500,\"plan: --nodes 3 --scale P2=0.5\"]]" ]
}

@test "a measured run that is there is found, in its experiment" {
    "$PAGODA" replay --store runs.db --as first trace >/dev/null
    "$PAGODA" replay --store runs.db --as half --cpu-speed 0.5 trace >/dev/null
    "$PAGODA" replay --store runs.db --as other/ --cpu-speed 0.5 trace >/dev/null
    [ "$(trials)" = '[["measured",7000,"first"],["predicted",14000,"half"],["measured",7000,"trace"],["predicted",14000,"trace: --cpu-speed 0.5"]]' ]
    "$PAGODA" store remove runs.db first
    "$PAGODA" store show runs.db half | grep 'measured trial that is not in this database'
}

@test "predictions from a predicted archive" {
    "$PAGODA" replay --place a=0,1 --place b=2 --output out trace >/dev/null
    "$PAGODA" replay --store runs.db --scale P2=0.5 out >/dev/null
    "$PAGODA" replay --store runs.db --scale P2=0.25 out >/dev/null
    [ "$(trials | jq -c 'map(.[0])')" = '["predicted","predicted","predicted"]' ]
    "$PAGODA" store show --json runs.db 3 | jq -e '.prediction.measured_id == 1'
}

@test "a name is that of the prediction, as the manual page has it" {
    "$PAGODA" replay trace --scale P2=0.5 --store runs.db --as fast >/dev/null
    [ "$(trials)" = '[["measured",7000,"trace"],["predicted",3500,"fast"]]' ]
    "$PAGODA" replay --help | grep -A2 -e --as | tr -s ' \n' ' ' |
        grep -q 'of the run or prediction'
    tr '\n' ' ' <"$ROOT/man/pagoda-replay.1" |
        grep -q 'With what-if options it names the prediction'
    # The example of the manual page, with names of both.
    local line
    rm runs.db
    ln -s trace run1
    sed -n '/^pagoda replay run1 --store runs.db --as base$/,/^\.Ed/p' "$ROOT/man/pagoda-replay.1" |
        grep '^pagoda' | sed "s/^pagoda/\"\$PAGODA\"/; s/solve=0.5/P2=0.5/" >lines
    [ "$(wc -l <lines)" = 3 ]
    while read -r line; do eval "$line" >out; done <lines
    [ "$(trials)" = '[["measured",7000,"base"],["predicted",3500,"fast"]]' ]
    grep -q base out
}

@test "all or nothing: a name that is taken" {
    "$PAGODA" replay --store runs.db --as half --cpu-speed 0.5 trace >/dev/null
    run -0 "$PAGODA" replay --store runs.db --as half --cpu-speed 0.5,0.25 trace
    says -1 'has a trial "half" already' "$PAGODA" replay --store runs.db --as half --cpu-speed 0.5 trace
    [ "$(trials | jq length)" = 4 ]
}
