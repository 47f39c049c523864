# SPDX-License-Identifier: BSD-3-Clause
# Counters of an archive, by call path and rank, against a walk through what was written.
load ../helper

# grown FILE.json: the counters as counters.py has them.
grown() {
    jq -c '[.counters[] | .name as $name | .values[] | [$name, .rank, .path, .value]] | sort' "$1"
}

# same A B: the same places, and values but for rounding.
same() {
    jq -en --slurpfile a "$1" --slurpfile b "$2" '($a[0] | length) > 20 and
        ($a[0] | map(.[:3])) == ($b[0] | map(.[:3])) and
        all(range($a[0] | length); ($a[0][.][3] - $b[0][.][3] | fabs) <= 1e-9 * $b[0][.][3])'
}

@test "each call path has what the counters grew by there" {
    local seed
    for seed in 1 2 3; do
        rm -rf counted
        # Few events in one batch, and many in several.
        /usr/bin/python3 "$ROOT/tests/cli/counters.py" counted $seed $((seed == 3 ? 30000 : 100 * seed)) >expected
        "$PAGODA" replay --json counted >out.json
        grown out.json >found
        same found expected
        jq -e '([.counters[].name] | index("watts", "idle") | not) and
            all(.counters[]; (.total - ([.values[].value] | add) | fabs) <= 1e-9 * .total)' out.json
        for threads in 1 4; do
            "$PAGODA" replay --json --threads $threads counted | cmp - out.json
        done
    done
}

@test "counters are a table, and metrics of stored runs" {
    /usr/bin/python3 "$ROOT/tests/cli/counters.py" counted 7 400 >expected
    run -0 "$PAGODA" replay counted --store runs.db
    [[ $output == *$'\nCounters (sums over ranks, whole run)\n'* ]]
    grep -qE '^ +[0-9.e+]+  PAPI_TOT_INS  +[a-z/]+ [0-9.]+ %, [a-z/]+ [0-9.]+ %, ' <<<"$output"
    "$PAGODA" query runs.db -m PAPI_TOT_INS --csv >all
    [ "$(tail -1 all | cut -d, -f5)" = "$(jq '[.[] | select(.[0] == "PAPI_TOT_INS") | .[3]] | add' expected)" ]
    # A counter does not hide a metric of ours.
    "$PAGODA" query runs.db -m counter.time_ns --by code --csv >named
    [ "$(wc -l <named)" = 5 ]
    "$PAGODA" query runs.db -m counter.counter.time_ns --by code --csv | grep -c . | grep -qx 5
    "$PAGODA" diff --metric PAPI_TOT_INS counted counted --json |
        jq -e '[.differences[0].hierarchies[].hierarchy] == ["Code", "CallPath", "Machine", "Process"]'
}

@test "counters of a part of a run are said to be left out" {
    /usr/bin/python3 "$ROOT/tests/cli/counters.py" counted 7 400 >expected
    "$PAGODA" replay --json --interval 0s:1us counted | jq -e '.counters == null and
        any(.warnings[]; .code == "unused-counter" and (.text | contains("PAPI_TOT_INS")))'
    "$PAGODA" replay --json counted | jq -e '([.warnings[].code] | index("unused-counter") | not) and
        [.sensors[].name] == ["watts"]'
    # A prediction is about the measured run, whose counters are there.
    "$PAGODA" replay --json --cpu-speed 2 counted | jq -e '.. | objects | select(has("counters")) | .counters | length == 5'
}

@test "values of any size: those without a sum are left out, fractions and great ones are compared" {
    for factor in 1 2; do
        /usr/bin/python3 "$ROOT/tests/cli/counter_sizes.py" sizes$factor $factor
    done
    "$PAGODA" replay --json sizes1 | jq -e '[.counters[].name] == ["joules", "huge"] and
        all(.counters[]; .total > 0)'
    for counter in joules huge; do
        "$PAGODA" diff --metric $counter sizes1 sizes2 --json | jq -e '.differences[0] |
            (.total.b / .total.a - 2 | fabs) < 1e-9 and .total.is_change and
            all(.hierarchies[].resources[]; (.b / .a - 2 | fabs) < 1e-9)'
    done
    "$PAGODA" diff --metric joules sizes1 sizes2 | grep -q '^joules: 0.6 -> 1.2: +0.6 (+100.0 %)$'
}
