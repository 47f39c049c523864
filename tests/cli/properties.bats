# SPDX-License-Identifier: BSD-3-Clause
# Properties of runs and their hierarchies: what they say of traces computed by hand, files of the
# user's, what is refused. Each trace in tests/traces/properties names all critical properties, in
# lines `#! PROPERTY WHERE PER-CENT`.
# shellcheck disable=SC2016 # backticks are quoted
load ../checked_files

# archive FILE: makes the archive `run` here out of the text trace FILE below tests/traces.
archive() {
    rm -rf run
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/$1" run
}

# critical OPTION...: a line for each critical property of `run`, sorted.
critical() {
    "$PAGODA" replay --json "$@" run | jq -r '.properties[] | [.property,
        (.focus | .region // .path // .rank // .first // "program" | tostring),
        (.severity * 100000 | round / 1000 | tostring)] | join(" ")' | LC_ALL=C sort
}

# property FILE CONDITION [PARAMETERS]: a file with one property of regions.
property() {
    printf 'property p(%s) {\n  condition: %s;\n  confidence: 1;\n  severity: 1;\n}\n' \
        "${3:-Region r, Experiment e, Region basis}" "$2" >"$1"
}

@test "shipped properties find what was computed by hand, and nothing else" {
    for trace in "$ROOT"/tests/traces/properties/*.txt; do
        archive "properties/$(basename "$trace")"
        hierarchy=message-passing
        [[ $trace == */threads.txt ]] && hierarchy=threads
        diff <(sed -n 's/^#! //p' "$trace" | LC_ALL=C sort) <(critical --properties $hierarchy) || {
            echo "$trace"
            return 1
        }
    done
}

@test "one nanosecond below the threshold is not critical" {
    sed '/^1 361/s/361/362/' "$ROOT/tests/traces/properties/boundaries.txt" >text
    "$BUILD/tools/mktrace" text run
    run critical --properties message-passing
    [[ $output == *point_to_point* ]]
    [[ $output != *waiting_for_messages* ]]
}

@test "messages in wrong order, time without CPU time, small teams" {
    archive patterns/wrong-order-same-source.txt
    wait_ns=$("$PAGODA" replay --json run |
        jq '[.patterns[] | select(.id == "late-sender-wrong-order")][0].total_ns')
    [ "$wait_ns" -gt 0 ]
    # The wait is a share of the ranks' run time, all of which is judged.
    "$PAGODA" replay --json --properties message-passing run | jq -e --argjson wait "$wait_ns" \
        --argjson whole "$("$PAGODA" replay --json run | jq '.time_ns * .trace.ranks')" \
        '[.properties[] | select(.property == "messages_in_wrong_order" and
            .focus.region == "main")][0].severity - $wait / $whole | fabs < 1e-9'
    archive replay/without-cpu.txt
    [[ $(critical --properties message-passing) == *time_without_cpu* ]]
    archive threads/small-teams.txt
    # 20 of 225, and 6 for the runtime.
    [[ $(critical --properties threads) == *'control_of_parallelism program 2.667'*'limited_parallelism program 8.889'* ]]
}

@test "a mixed program has both hierarchies" {
    archive threads/hybrid.txt
    run critical --properties mixed
    [ "$output" = "$(LC_ALL=C sort <(critical --properties message-passing) <(critical --properties threads))" ]
    [[ $output == *thread_synchronisation* && $output == *start_and_end* ]]
}

@test "the text: the most severe first, what pruning saved, what cannot be evaluated" {
    archive properties/messages.txt
    run -0 "$PAGODA" replay --properties message-passing --top 1 run
    [ "${lines[2]}" = '    25.0 %  100 %  inefficiency  the program' ]
    [[ $output == *'14 more: --top N or --json shows them'* ]]
    [[ $output == *'evaluations were made; pruning saved '* ]]
    [[ $output == *'small_io_requests cannot be evaluated: needs num_reads, bytes_read'* ]]
    [[ $output == *'slow_iteration cannot be evaluated: needs iterations'* ]]
}

@test "without pruning everything is evaluated, and no critical property is lost" {
    archive properties/collectives.txt
    run "$PAGODA" replay --properties message-passing --no-prune run
    [[ $output == *'60 of 60 evaluations were made'* ]]
    [[ $output != *pruning* ]]
    run comm -23 <(critical --properties message-passing) \
        <(critical --properties message-passing --no-prune)
    [ -z "$output" ]
}

# keep TRACE NAME: stores the text trace TRACE of properties/ as a trial, with its properties.
keep() {
    archive "properties/$1.txt"
    run -0 "$PAGODA" replay --properties message-passing --store runs.db --as "app/strong/$2" \
        "${@:3}" run
}

# changes: those of the JSON in `output`, a line each.
changes() {
    jq -r '.earlier.changes[] | [.state, .property, (.where // .focus.region // .focus.rank //
        "program" | tostring), (.before, .now | . // "-" | if type == "number" then . * 1e5 | round / 1e3
        else . end | tostring)] | join(" ")' <<<"$output"
}

@test "a database says what changed since the last trial" {
    keep messages first
    first=$output
    [[ $output != *'since the trial'* && $output != *'earlier trial'* ]]
    diff <(echo "$first") <("$PAGODA" replay --properties message-passing run)
    keep boundaries second --json
    [ "$(changes)" = 'new slow_rank 0 - 15.05
changed waiting_for_messages main 15 2
changed waiting_for_messages MPI_Recv 15 2
changed frequent_calls main 10 22.95
gone small_messages program 10 0' ]
    jq -e '.earlier | .trials == 1 and .last == "first" and .ranks == 2' <<<"$output"
    # What this run does not have at all; what could not be evaluated is neither new nor gone.
    keep iterations third --json
    [[ $(changes) == *'gone point_to_point /Code/MPI/MPI_Recv 20 -'* ]]
    keep iterations fourth --top 3
    [[ $output == *'since the trial third ('*') no property is new, holds no longer or has a severity 1 % larger'* ]]
    # Messages have no iterations, so nothing is said of a slow one.
    keep messages fifth
    [[ $output == *'slow_iteration cannot be evaluated'* && $output != *'no longer '*slow_iteration*evaluations* ]]
    # A search of another kind has its own past, and so has another application.
    keep messages all --no-prune
    [[ $output != *'since the trial'* ]]
    run "$PAGODA" replay --properties message-passing --store runs.db --as other//one run
    [[ $output != *'since the trial'* ]]
}

@test "the last trial is that of the same experiment" {
    keep messages first
    run -0 "$PAGODA" replay --properties message-passing --store runs.db --as app/weak/second run
    [[ $output == *'since the trial first (2 ranks) no property'* ]]
    run -0 "$PAGODA" replay --properties message-passing --store runs.db --as app/strong/third run
    [[ $output == *'since the trial first (2 ranks) no property'* ]]
}

@test "what earlier trials had is evaluated first: the same is found, by fewer evaluations" {
    # 30 functions that do not communicate, and one that does.
    {
        echo '0-1 0 enter main'
        for i in {1..30}; do echo "0-1 $((10 * i)) enter f$i"; echo "0-1 $((10 * i + 5)) leave f$i"; done
        printf '%s\n' '0-1 310 enter g' '0 400-500 MPI_Send ; 410 send world 1 1 4095' \
            '1 320-500 MPI_Recv ; 490 recv world 0 1 4095' '0-1 510 leave g' '0-1 600 leave main'
    } >text
    "$BUILD/tools/mktrace" text run
    alone=$("$PAGODA" replay --json --properties message-passing run)
    first=$("$PAGODA" replay --json --properties message-passing --store runs.db --as app//1 run)
    diff <(echo "$alone") <(echo "$first")
    cp runs.db again.db
    second=$("$PAGODA" replay --json --properties message-passing --store runs.db --as app//2 run)
    diff <(echo "$second") <("$PAGODA" replay --json --properties message-passing --store again.db \
        --as app//2 run)
    figures='[.properties[] | [.property, .focus, .severity, .n_without_past]], .evaluated, .saved'
    diff <(jq "$figures" <<<"$first") <(jq "$figures" <<<"$second")
    jq -e '([.properties[].n_evaluations] | max) == (.properties | length) and
        ([.properties[].n_without_past] | max) > 2 * (.properties | length) and
        all(.properties[]; .severity_before == .severity)' <<<"$second"
    n=$(jq '.properties | length' <<<"$second")
    run "$PAGODA" replay --properties message-passing --top 99 --store runs.db --as app//3 run
    [[ $output == *"with 2 earlier trials the first $n were found by $n evaluations, without by "* ]]
}

@test "properties of a trial are in its database, and go along with it" {
    keep messages first
    keep iterations second
    critical='SELECT trial, n_ranks, hierarchy, number, property, round(severity, 6), confidence, region,
        call_path, rank, node, iteration FROM critical_properties ORDER BY trial, number'
    sqlite3 runs.db "$critical" >all
    grep -qx 'first|2|message-passing|0|inefficiency|0.25|1.0|||||' all
    grep -q '|waiting_for_messages|0.15|1.0|MPI_Recv||||$' all
    grep -q '|slow_iteration|.*|7$' all
    grep -q '|small_io_requests|||' all
    "$PAGODA" store export runs.db -o copy.db
    sqlite3 copy.db "$critical" | diff all -
    [ "$(sqlite3 copy.db 'PRAGMA foreign_key_check')" = '' ]
    "$PAGODA" store remove runs.db app/strong/first >/dev/null
    [ "$(sqlite3 runs.db 'SELECT count(DISTINCT trial_id) FROM critical_property;
        SELECT count(*) FROM property_search')" = $'1\n1' ]
    # With the properties the trial has all that it has without them.
    rm runs.db
    keep iterations second
    "$PAGODA" replay --store plain.db --as app/strong/second run >/dev/null
    diff <(stored plain.db) <(stored runs.db)
}

@test "sets over ranks, iterations and call paths" {
    archive properties/iterations.txt
    cat >sets.asl <<'ASL'
property over_ranks(Experiment e) {
  let
    float least = min(profile(e, p).mpi_time where p in ranks);
    float most = max(profile(e, p).mpi_time where p in ranks);
    float whole = sum(profile(e, p).mpi_time where p in ranks);
  in
  condition: least == 100 and most == 100 and whole == profile(e).mpi_time
    and all(profile(e, p).mpi_time == 100 where p in ranks)
    and not any(profile(e, p).mpi_time > 100 where p in ranks);
  confidence: 0.5; severity: most / 1000;
}
property over_paths(Experiment e) {
  condition: any(profile(c, e).mpi_calls == 20 where c in call_paths);
  confidence: 1; severity: max(profile(c, e).mpi_time where c in call_paths) / 1000;
}
property over_iterations(Experiment e) {
  condition: 1;
  confidence: 1; severity: mean(profile(i, e).time where i in iterations) / 1000;
}
property of_paths(CallPath c, Experiment e) {
  condition: profile(c, e).mpi_calls > 0;
  confidence: 1; severity: profile(c, e).mpi_calls / 40;
}
ASL
    run critical --properties threads --patterns sets.asl
    [ "${#lines[@]}" = 5 ]
    [ "${lines[0]}" = 'of_paths main 50' ]
    [ "${lines[1]}" = 'of_paths main/MPI_Barrier 50' ]
    [ "${lines[2]}" = 'over_iterations program 26.667' ]
    [ "${lines[3]}" = 'over_paths program 20' ]
    [ "${lines[4]}" = 'over_ranks program 10' ]
    "$PAGODA" replay --json --properties threads --patterns sets.asl run |
        jq -e '.properties[] | select(.property == "over_ranks").confidence == 0.5'
}

@test "hierarchies of the user's: threshold, basis, parameters; thresholds of his own" {
    archive properties/boundaries.txt
    cat >mine.xml <<'XML'
<hierarchy id="mine">
  <name>Mine</name>
  <summary>A short one.</summary>
  <node property="point_to_point" threshold="0.2" basis="enclosing">
    <node property="share"><parameter name="least" value="0.05"/></node>
  </node>
</hierarchy>
XML
    cat >mine.asl <<'ASL'
// More than a share of the time.
property share(Region r, Experiment e, Region basis, float least = 0.9) {
  condition: profile(r, e).mpi_time / duration(basis, e) > least;
  confidence: 1; severity: profile(r, e).mpi_time / duration(basis, e);
}
const float SMALL_MESSAGE_THRESHOLD = 4097;
ASL
    # Of main the basis is the program; of MPI_Recv it is main, which takes as long; MPI_Send is below.
    run critical --properties mine --patterns mine.xml --patterns mine.asl
    [ "$output" = $'point_to_point MPI_Recv 20\npoint_to_point main 24.95\nshare MPI_Recv 20\nshare main 24.95' ]
    [[ $(critical --properties message-passing --patterns mine.asl) == *'small_messages program 22.95'* ]]
    run "$PAGODA" check mine.xml
    [ "$status" = 1 ] # its property is in another file
    run "$PAGODA" check mine.asl
    [ "${lines[0]}" = 'mine.asl: properties of runs: 1 declaration' ]
    run "$PAGODA" explain share --patterns mine.asl
    [ "${lines[1]}" = 'More than a share of the time.' ]
}

@test "the example of the APART working group loads as it was printed" {
    cat >small.asl <<'ASL'
property small_io_requests(Region r, Experiment e, Region basis) {
 let float cost = profile(r,e).io_time; int num_reads = profile(r,e).num_reads;
     int bytes_read = profile(r,e).bytes_read;
 in condition: cost > 0 and bytes_read/num_reads < SMALL_IO_THRESHOLD;
 confidence: 1; severity: cost/duration(basis,e); }
ASL
    run -0 "$PAGODA" check small.asl
    [ "$output" = $'small.asl: properties of runs: 1 declaration\n  nothing wrong' ]
    grep -v '^//' "$ROOT/patterns/properties/small_io_requests.asl" | cmp small.asl -
}

@test "what is wrong with a property" {
    property bad.asl 'profile(r, e).visit > 0'
    wrong_file bad.asl "bad.asl:2: property 'p': condition: there is no metric 'visit'; did you mean 'visits'?"
    property bad.asl 'profile(r, e).late_sendr > 0'
    wrong_file bad.asl "there is no metric 'late_sendr'; did you mean 'late-sender'?"
    property bad.asl 'profile(r, e).messages > 0'
    wrong_file bad.asl 'messages is not known of a region or call path'
    property bad.asl 'profile(c, e).thread_lock > 0' 'CallPath c, Experiment e'
    wrong_file bad.asl 'thread_lock is not known of a call path'
    property bad.asl 'profile(q, e).time > 0'
    wrong_file bad.asl "there is no parameter 'q'"
    property bad.asl 'profile(basis, e).visits > 0'
    wrong_file bad.asl 'of the basis only duration(basis, e) is known'
    property bad.asl 'profile(r, e).time > TRESHOLD'
    wrong_file bad.asl "there is no value 'TRESHOLD' here (at character 22 of \"profile(r, e).time > TRESHOLD\")"
    property bad.asl 'mean(profile(r, e).time) > 0'
    wrong_file bad.asl "mean(...) needs a set: 'where NAME in ranks'"
    property bad.asl 'max(profile(r, e).time where p in hosts) > 0'
    wrong_file bad.asl "there is no set 'hosts'"
    property bad.asl '1' 'Regoin r, Experiment e'
    wrong_file bad.asl "bad.asl:1: a parameter cannot be a 'Regoin'; its type is float, int or one of Experiment, \
Region, CallPath, Process, Node, Iteration; did you mean Region?"
    property bad.asl '1' 'Region r'
    wrong_file bad.asl "property 'p' needs a parameter Experiment"
    property bad.asl '1' 'Experiment e, float limit = 1, float limit = 2'
    wrong_file bad.asl "bad.asl:1: there are two values 'limit'"
    property bad.asl 'profile(r, e).time >'
    wrong_file bad.asl 'a value is missing at the end'
    printf 'property p(Experiment e) { confidence: 1; severity: 1; }\n' >bad.asl
    wrong_file bad.asl "'condition' of property 'p' is missing before 'confidence'"
    printf 'property p(Experiment e) { condition: 1; confidence: 1; severity: 1 }\n' >bad.asl
    wrong_file bad.asl "severity of property 'p' does not end in ';'"
    printf 'propertie p\n' >bad.asl
    wrong_file bad.asl "bad.asl:1: 'property', 'metric' or 'const' is missing before 'propertie'"
    printf 'const LIMIT = 3;\n' >bad.asl
    wrong_file bad.asl "float or int is missing before 'LIMIT'"
    wrong_files_refused
    says -1 'nothing.asl: cannot be read' "$PAGODA" check nothing.asl
    # As published ASL is written.
    printf 'PROPERTY p(Experiment e) { CONDITION: 1 AND NOT 0; CONFIDENCE: 1; SEVERITY: 1; };\n' >good.asl
    printf 'property q(Experiment e) { condition: 1; confidence: 1; severity: 1; } ;\n' >>good.asl
    "$PAGODA" check --json good.asl | jq -e '.files[0] | .status == 0 and .entries == 2'
}

@test "one name for two things, words that would be passed over, more than can be read" {
    property bad.asl 'sum(profile(r, e).time where r in ranks) > 0'
    wrong_file bad.asl "bad.asl:2: property 'p': condition: an element of a set cannot be called as the parameter 'r'"
    property bad.asl 'sum(profile(p, e).time where p in ranks and more) > 0'
    wrong_file bad.asl "an operation on a set ends in 'where NAME in ranks'"
    property bad.asl 'profile(r, r).time > 0' 'Region r, Experiment r'
    wrong_file bad.asl "bad.asl:1: there are two parameters 'r'"
    property bad.asl 'profile(r, e).time > 0 and _0 > 1'
    wrong_file bad.asl "there is no value '_0'"
    printf '// well\n/* property p\n' >bad.asl
    wrong_file bad.asl 'bad.asl:1: the comment that begins in line 2 has no end'
    property bad.asl "$(printf 'max(%.0s' {1..50000})"
    wrong_file bad.asl 'it is longer than 4000 characters'
    (ulimit -t 10 && wrong_files_refused) # seconds of CPU time
}

# hierarchy FILE ID NODES
hierarchy() {
    printf '<hierarchy id="%s">\n<name>N</name>\n<summary>S</summary>\n%s\n</hierarchy>\n' \
        "$2" "$3" >"$1"
}

@test "what is wrong with a hierarchy" {
    hierarchy bad.xml h '<node property="point_to_pint"/>'
    wrong_file bad.xml "bad.xml:4: there is no property 'point_to_pint'; did you mean 'point_to_point'?"
    hierarchy bad.xml h '<use hierarchy="thread"/>'
    wrong_file bad.xml "there is no hierarchy 'thread'; did you mean 'threads'?"
    hierarchy bad.xml h '<node property="inefficiency"><use hierarchy="h"/></node>'
    wrong_file bad.xml "bad.xml:4: the hierarchy 'h' would be part of itself"
    hierarchy bad.xml threads '<use hierarchy="mixed"/>'
    wrong_file bad.xml 'would be part of itself'
    hierarchy bad.xml h '<node property="inefficiency" threshold="2"/>'
    wrong_file bad.xml 'threshold="2" is not a number from 0 to 1'
    hierarchy bad.xml h '<node property="inefficiency" basis="loop"/>'
    wrong_file bad.xml 'bad.xml:4: unknown basis loop; there are program, '
    hierarchy bad.xml h '<node property="inefficiency"><parameter name="x" value="1"/></node>'
    wrong_file bad.xml "property 'inefficiency' has no parameter 'x'"
    hierarchy bad.xml h '<nod property="inefficiency"/>'
    wrong_file bad.xml "bad.xml:4: <hierarchy> has no element 'nod', did you mean 'node'?"
    hierarchy bad.xml late-sender '<node property="inefficiency"/>'
    wrong_file bad.xml "'late-sender' is the name of a pattern"
    wrong_files_refused
    # Each uses the next one twenty times: 20^12 nodes, were there any.
    local letters=({a..m}) i use files=()
    for i in {0..12}; do
        use=$(printf "<use hierarchy=\"many-${letters[i + 1]}\"/>%.0s" {1..20})
        ((i < 12)) || use=
        hierarchy "$i.xml" "many-${letters[i]}" "$use"
        files+=(--patterns "$i.xml")
    done
    run -1 bash -c 'ulimit -t 10 && exec "$@"' - "$PAGODA" explain properties "${files[@]}"
    [[ $output == *'hierarchies are used more than 1000 times' ]]
    for file in "$ROOT"/patterns/properties/*.xml; do
        xmllint --nonet --noout --relaxng "$ROOT/patterns/properties/hierarchies.rng" "$file"
    done
    hierarchy bad.xml h '<node property="inefficiency" basis="loop"/>'
    run ! xmllint --nonet --noout --relaxng "$ROOT/patterns/properties/hierarchies.rng" bad.xml
}

@test "wrong usage" {
    archive properties/messages.txt
    run -1 --separate-stderr "$PAGODA" replay --properties message run
    [[ $stderr == *'there is no hierarchy `message`; there are message-passing, mixed, threads'* ]]
    run -2 --separate-stderr "$PAGODA" replay --no-prune run
    [[ $stderr == *'--no-prune goes with --properties'* ]]
    run -2 --separate-stderr "$PAGODA" replay --properties threads --cores 2 run
    [[ $stderr == *'--properties is of the measured run'* ]]
}

@test "explain lists properties, and shows one or a hierarchy" {
    run -0 "$PAGODA" explain properties
    [[ $output == *'waiting_for_messages'*'region'*'Receivers wait'* ]]
    [[ $output == *'message-passing '*'mixed '*'threads '* ]]
    run "$PAGODA" explain waiting_for_messages
    [ "${lines[1]}" = 'Receivers wait for messages that were sent too late.' ]
    [[ $output == *'property waiting_for_messages(Region r'*'hierarchies     message-passing, mixed'* ]]
    says $'\n  serial_part ' "$PAGODA" explain threads
    "$PAGODA" explain properties --json | jq -e '(.properties | length > 20) and
        (.hierarchies | map(.id) == ["message-passing", "mixed", "threads"])'
    run -1 --separate-stderr "$PAGODA" explain "$ROOT/patterns/properties/thresholds.asl"
    [[ $stderr == *'it has constants only, no property or metric' ]]
    run -1 --separate-stderr "$PAGODA" explain waiting_for_mesages
    [[ $stderr == *'did you mean `waiting_for_messages`?'* ]]
}
