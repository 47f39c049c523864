# SPDX-License-Identifier: BSD-3-Clause
# Metrics of the user's: of a trace computed by hand, whose lines `#! METRIC WHERE RANK VALUE` are all
# that they have; in the report, of intervals, and of stored runs.
load ../checked_files

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp "$ROOT/tests/traces/metrics/interaction.asl" mine.asl
    archive metrics/interaction run
}

@test "each part of a run and each rank there has the value that was computed by hand" {
    "$PAGODA" replay --json --patterns mine.asl run >out.json
    diff <(sed -n 's/^#! //p' "$ROOT/tests/traces/metrics/interaction.txt" | LC_ALL=C sort) \
        <(jq -r '.metrics[] | .metric as $metric | .values[] | [$metric, .region // .path // .node // "-",
            .rank // "-", (.value * 10000 | round / 10000)] | join(" ")' out.json | LC_ALL=C sort)
    jq -e '.metrics | map(.needs) == [null, null, null, null, null, null, null, "PAPI_FP_OPS"] and
        .[1].unit == "ns" and .[1].text == "How long a visit takes." and .[3].focus == "call_path"' out.json
    "$PAGODA" replay --json --patterns mine.asl --threads 1 run | cmp - out.json
}

@test "the report has a table for each, what took longest first" {
    run "$PAGODA" replay --patterns mine.asl run --top 3
    [[ $output == *$'\nMetric volume in bytes
  Bytes put from the begins to the ends of the visits of a region.
  value   least  rank     most  rank  where
  1.4 KiB  50 B     1  1.4 KiB     0  whole run'* ]] || echo "$output"
    [[ $output == *$'\nMetric flops in GFLOP/s\n  cannot be evaluated: needs PAPI_FP_OPS\n'* ]]
}

@test "metrics of named regions: of the run, of a rank, of a set; a region that is not there" {
    cat >named.asl <<'EOF'
metric gain(Experiment e) { unit: ns; value: 250 - profile("interaction", e).time - profile(e, "main").rma_time; }
metric by_rank(Process p, Experiment e) { unit: ns; value: profile("interaction", p, e).time; }
metric most(Experiment e) { unit: ns; value: max(profile("interaction", q, e).time where q in ranks); }
metric none(Experiment e) { unit: ns; value: profile("rollback", e).time; }
EOF
    "$PAGODA" replay --json --patterns named.asl run | jq -c '.metrics[-4:][] | [.metric, .needs,
        [.values[] | [.rank, .value]]]' >out
    cat <<'EOF' | diff - out
["gain",null,[[null,132]]]
["by_rank",null,[[null,100],[0,70],[1,30]]]
["most",null,[[null,70]]]
["none","the region rollback",[]]
EOF
    while IFS='|' read -r value why; do
        echo "metric m(Region r, Experiment e) { unit: ns; value: $value; }" >bad.asl
        run -1 "$PAGODA" check bad.asl
        [[ $output == *"$why"* ]] || { echo "$output"; return 1; }
    done <<'EOF'
profile("main).time|the name of a region ends in '"'
profile("", e).time|the name of a region ends in '"'
profile("main", "solve", e).time|a metric is of one region, not of 'main' and another one
profile("main", r, e).time|a metric of 'main' is not known of another place or an iteration
profile("main", e).parallel_efficiency|parallel_efficiency is not known of a region or call path
EOF
}

@test "an interval has values of its own, and several are a table" {
    # Computing are 25 and 35 ns of rank 0's visits, 15 and 10 of rank 1's; they last 30 and 40 ns.
    "$PAGODA" replay --json --patterns mine.asl --interval 'interaction#*' run |
        jq -e '[.intervals[].metrics | map({(.metric): .value}) | add | [.own_share, .node_imbalance, .volume]] ==
            [[0.444444444444, 2, null], [0.375, 2, null]]'
    run "$PAGODA" replay --patterns mine.asl --interval 'interaction#*' run
    [[ ${lines[1]} == *'  own_share  node_time  node_imbalance  flops  interval       biggest loss' ]]
    [[ ${lines[2]} == *'  44.4 %      40 ns         200.0 %      -  interaction#1  '* ]]
    "$PAGODA" replay --json --patterns mine.asl --interval 'interaction#2' run |
        jq -e '[.metrics[] | select(.metric == "own_share").values[] | .rank, .value] == [null, 0.375, 0, 0.875, 1, 0.25]'
}

@test "stored runs have them as metrics, each at its place" {
    "$PAGODA" replay --patterns mine.asl run --store runs.db --as a >out
    sed 's/300$/1500/' "$ROOT/tests/traces/metrics/interaction.txt" >text
    "$BUILD/tools/mktrace" text other
    "$PAGODA" replay --patterns mine.asl other --store runs.db --as b >out
    ask() { "$PAGODA" query runs.db -t a "$@" --csv | tail -n +2 | cut -d, -f4- | LC_ALL=C sort | xargs; }
    [ "$(ask -m volume)" = volume,1450,bytes ]
    [ "$(ask -m volume --by code)" = '/Code/MPI/MPI_Put,volume,1450,bytes /Code/unknown/interaction,volume,450,bytes /Code/unknown/main,volume,1450,bytes' ]
    [ "$(ask -m volume -f /Code/unknown/interaction --by process)" = '/Process/0,volume,400,bytes /Process/1,volume,50,bytes' ]
    [ "$(ask -m path_share -f /CallPath/main/MPI_Put)" = path_share,0.01,share ]
    [ "$(ask -m own_share --by process)" = '/Process/0,own_share,0.87,share /Process/1,own_share,0.95,share /Process/2,own_share,1,share' ]
    "$PAGODA" diff --metric volume --json runs.db a b | jq -e '.differences[0] | [.total.a, .total.b, .total.is_change] ==
        [1450, 2650, true] and ([.hierarchies[] | .hierarchy, (.resources[] | .resource, .a, .b)] ==
        ["Code", "/Code/MPI/MPI_Put", 1450, 2650, "/Code/unknown/interaction", 450, 1650, "/Code/unknown/main", 1450, 2650,
         "Process", "/Process/0", 1400, 2600])'
    run -1 "$PAGODA" query runs.db -m own_share --by machine
    [ "$output" = 'pagoda: values of own_share do not add up over the ranks of a node' ]
    run "$PAGODA" diff --metric node_imbalance runs.db a b
    [[ ${lines[3]} == 'node_imbalance: 1.290780142 -> 1.290780142: '*'; as a whole no change beyond the thresholds' ]]
    [ "${#lines[@]}" = 4 ]
    printf '%s\n' 'volume <= 1500' 'volume <= 500 /Code/unknown/interaction' >limits
    run -1 "$PAGODA" diff --regressions --limits limits runs.db a b
}

@test "a metric is named like one of Pagoda's, or a counter" {
    printf 'metric %s(Process p, Experiment e) { unit: 1; value: profile(p, e).visits; }\n' visits bytes_put >taken.asl
    "$PAGODA" replay --patterns taken.asl run --store runs.db >out
    run "$PAGODA" query runs.db -m 'metric.*' --by process -f /Process/1 --csv
    [[ $output == *,/Process/1,metric.bytes_put,4,1* && $output == *,/Process/1,metric.visits,4,1* ]]
}

@test "values of iterations" {
    archive properties/iterations loop
    printf 'metric part(Iteration i, Experiment e) { unit: share; value: profile(i, e).mpi_time / profile(i, e).time; }\n' >part.asl
    "$PAGODA" replay --json --patterns part.asl loop | jq -e '.metrics[0].values | map([.first, .value]) ==
        [[null, 0.07692307692308], [2, 0.1], [3, 0.1], [4, 0.1], [5, 0.1], [6, 0.1], [7, 0.025], [8, 0.1], [9, 0.1], [10, 0.1]]' ||
        "$PAGODA" replay --json --patterns part.asl loop | jq -c '.metrics[0].values | map([.first, .value])'
}

@test "a property may name counters, and a metric is no property" {
    cat >far.asl <<'ASL'
property far_access(Region r, Experiment e) {
  let float volume = profile(r, e)."bytes_put"; in
  condition: volume > 1000; confidence: 1; severity: volume / 10000; }
property cached(Experiment e) { condition: profile(e)."PAPI_L2_TCM" > 0; confidence: 1; severity: 1; }
ASL
    "$PAGODA" replay --json --patterns far.asl --patterns mine.asl --properties threads run |
        jq -e '[.properties[] | .property, .focus.region, .severity] == ["far_access", "main", 0.145, "far_access", "MPI_Put", 0.145] and
            any(.not_evaluated[]; .property == "cached" and .needs == "PAPI_L2_TCM")'
    run "$PAGODA" explain --patterns mine.asl properties
    [[ $output == *$'\nMetrics that files define\n'*$'\nresponse   '* ]]
    [[ $("$PAGODA" explain instructions_per_cycle) == *$'\n  unit: instructions/cycle;\n'* ]]
}

@test "the operating region on a network that a file tells" {
    # Computing are 900 ns and 600; rank 0 sends 4095 bytes, which take 1000 ns.
    archive properties/messages link
    printf 'const float LINK_BANDWIDTH = 40.95e-1;\nconst float LINK_ROUND_TRIP = 5e2;\n' >link.asl
    "$PAGODA" replay --json --patterns link.asl link |
        jq -c '.metrics[] | [.metric, .unit, [.values[] | [.rank, (.value * 1e4 | round)]]]' >out
    cat <<'EOF' | diff - out
["link_demand","share",[[null,6667],[0,11111]]]
["pieces_to_hide_latency","pieces",[[null,20000],[0,26667]]]
["messages_to_fill_link","messages",[[null,5000],[0,5000]]]
EOF
    "$PAGODA" replay --patterns link.asl link | grep -qx 'Metric link_demand in %'
    [ "$("$PAGODA" replay --json link | jq -c .metrics)" = null ]
}

@test "the examples of the manual are files of properties" {
    awk '/^\.EX/ { text = ""; inside = 1; next } /^\.EE/ { inside = 0; if (text ~ /(property|metric) [a-z_]+\(/)
        printf "%s", text >("example-" ++n ".asl") } inside { text = text $0 "\n" }' "$ROOT/man/pagoda-patterns.5"
    sed -i 's/\\(dq/"/g; s/\\-/-/g' example-*.asl
    [ "$(echo example-*.asl | wc -w)" -ge 3 ]
    "$PAGODA" check example-*.asl
}

@test "parameters of markers are counters" {
    cat >text <<'TEXT'
region solve s.c:1
region cells - marker
0 0     enter solve
0 10-10 cells work 100
0 20-20 cells work 30.5 7
0 40    leave solve
1 0     enter solve
1 10-10 cells
1 30-30 cells work 2
1 50    leave solve
TEXT
    "$BUILD/tools/mktrace" text cells
    printf 'metric cost(Region r, Experiment e) { unit: ns; value: profile(r, e).time / profile(r, e)."work"; }\n' >cost.asl
    "$PAGODA" replay --json --patterns cost.asl cells >out.json
    jq -e '.counters | length == 1 and (.[0] | [.name, .total] == ["work", 132.5] and [.values[] | .rank, .path, .value] ==
        [0, "solve/cells", 130.5, 1, "solve/cells", 2])' out.json
    # 90, 40 and 50 ns for so many; times 132.5.
    jq -e '[.metrics[0].values[] | select(.region == "solve").value * 132.5 | round] == [90, 41, 3313]' out.json
}

# metric FILE VALUE [PARAMETERS]: a file with one metric.
metric() {
    printf 'metric m(%s) {\n  unit: 1;\n  value: %s;\n}\n' "${3:-Region r, Experiment e}" "$2" >"$1"
}

@test "what is wrong with a metric" {
    run "$PAGODA" check mine.asl
    [ "$output" = $'mine.asl: properties of runs: 9 declarations\n  nothing wrong' ] || [ "$output" = $'mine.asl: properties of runs: 8 declarations\n  nothing wrong' ]
    metric bad.asl 'profile(r, e).tme'
    wrong_file bad.asl "bad.asl:3: metric 'm': value: there is no metric 'tme'; did you mean 'time'?"
    metric bad.asl 'profile(r, e)."PAPI'
    wrong_file bad.asl 'profile(...) needs a metric, as profile(...).time, or a counter of the archive, as profile(...)."PAPI_TOT_INS"'
    metric bad.asl 'profile(i, e)."PAPI_TOT_INS"' 'Iteration i, Experiment e'
    wrong_file bad.asl 'PAPI_TOT_INS is not known of an iteration'
    metric bad.asl 1 'Region r, Experiment e, Region basis'
    wrong_file bad.asl "bad.asl:1: metric 'm' cannot have a basis, which is of severities"
    metric bad.asl 1 'Region r'
    wrong_file bad.asl "metric 'm' needs a parameter Experiment"
    printf 'metric m(Experiment e) { value: 1; }\n' >bad.asl
    wrong_file bad.asl "'unit' of metric 'm' is missing before 'value'"
    printf 'metric m(Experiment e) { unit: ; value: 1; }\n' >bad.asl
    wrong_file bad.asl "the unit of metric 'm' is empty"
    printf 'metric m(Experiment e) { unit: 1; severity: 1; }\n' >bad.asl
    wrong_file bad.asl "'value' of metric 'm' is missing before 'severity'"
    printf 'metric (Experiment e) { unit: 1; value: 1; }\n' >bad.asl
    wrong_file bad.asl "the name of a metric is missing before '('"
    cat >bad.xml <<'XML'
<hierarchy id="h"><name>H</name><summary>S.</summary><node property="instructions_per_cycle"/></hierarchy>
XML
    wrong_file bad.xml "'instructions_per_cycle' is a metric, which has a value but no severity; a <node> is a property"
    wrong_files_refused
}
