# SPDX-License-Identifier: BSD-3-Clause
# pagoda convert: traces of Paraver and of Chrome's format as archives.
load ../helper

# facts TRACE: what a replay finds.
facts() {
    "$PAGODA" replay --json --all "$1" | jq -S '{time_ns, trace: .trace | {messages, collectives, ranks, locations},
        waits: [.patterns[] | select(.count > 0) | {id, count, total_ns, by_rank}],
        profile: [.profile[] | {path, visits, inclusive_ns, exclusive_ns}] | sort_by(.path), critical_path}'
}

# exported TRACE: makes the archive "run" of a text trace, and run.prv of it.
exported() {
    rm -rf run back
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/$1.txt" run
    "$PAGODA" export run -o run.prv --format prv
}

@test "a Paraver trace of ours comes back: waits, profile and critical path are the same" {
    local name
    for name in replay/pipeline replay/steps engine/foreign-waitall engine/chain engine/sendrecv \
        engine/nested-mpi; do
        exported "$name"
        run -0 --separate-stderr "$PAGODA" convert run.prv -o back
        [ -z "$stderr" ]
        diff <(facts run) <(facts back)
    done
    otf2-print back/traces.otf2 >/dev/null
}

@test "a Paraver trace of two applications: their communicators have the same number" {
    exported replay/steps
    awk -F: -v OFS=: 'NR == 1 { sub(/:1:2\(1:1,1:1\),1$/, ":2:2(1:1,1:1),1:2(1:1,1:1),1"); print; next }
        { print }
        /^c/ { $2 = 2; print }
        /^[123]/ { $3 = 2; if ($1 == 3) $9 = 2; print }' run.prv >two.prv
    cp run.pcf two.pcf
    "$PAGODA" convert two.prv -o two
    waits() { "$PAGODA" replay --json "$1" | jq -c "[.patterns[] | select(.count > 0) | [.id, .count, .total_ns]]"; }
    [ "$(waits two)" = "$(waits run | jq -c 'map([.[0], 2 * .[1], 2 * .[2]])')" ]
}

@test "counters of a Paraver trace" {
    /usr/bin/python3 "$ROOT/tests/cli/counters.py" run 1 300 >expected
    "$PAGODA" export run -o run.prv --format prv
    "$PAGODA" convert run.prv -o back
    "$PAGODA" export back -o back.prv --format prv
    sums() {
        awk -F: '$1 == 2 && $7 >= 42000000 && $7 < 50000000 { sum[$4 ":" $5 ":" $7] += $8 }
            END { for (i in sum) if (sum[i] > 0) { split(i, at, ":"); printf "%s:%s %.0f\n", at[1], at[2], sum[i] } }' "$1" | sort
    }
    sums run.prv >ours
    [ "$(wc -l <ours)" -ge 3 ]
    diff ours <(sums back.prv)
}

# refused SED LINE TEXT: run.prv changed by SED is refused at LINE, with TEXT.
refused() {
    sed "$1" run.prv >bad.prv
    cp run.pcf bad.pcf
    run -1 "$PAGODA" convert bad.prv -o bad
    [[ $output == "pagoda: bad.prv:$2: "*"$3"* ]] || { echo "$1: $output" >&2 && return 1; }
    [ ! -e bad ]
}

@test "Paraver traces that are malformed: the line, and why" {
    exported replay/pipeline
    refused '1s/#P/#p/' 1 'no Paraver trace'
    refused '1s/:1:2(/:1:3(/' 1 'which tasks and threads'
    refused '2s/:2$/:5/' 2 'its tasks'
    refused '4s/^./7/' 4 'begins with 1:, 2:, 3: or c:'
    refused '5s/:[0-9]*$/:x/' 5 'pairs of a type and a value'
    refused '5s/:0:/:9000:/' 6 'sort the lines by time'
    refused '/^3/s/:7$//' "$(grep -n '^3' run.prv | cut -d: -f1)" 'a size and a tag'
    refused '/^3/s/^3:1:1:1/3:1:1:9/' "$(grep -n '^3' run.prv | cut -d: -f1)" 'threads of the header'
    mv run.pcf away
    says -1 "cannot read 'run.pcf': No such file or directory; it names the functions" "$PAGODA" convert run.prv -o back
    [ ! -e back ]
}

@test "Chrome's format: nested visits in any order, processes and threads with names" {
    cat >run.json <<'JSON'
{"schemaVersion": 1, "deviceProperties": [{"id": 0}], "n": 12,
 "traceEvents": [
  {"ph": "X", "name": "inner", "pid": 10, "tid": 11, "ts": 100, "dur": 20.5},
  {"ph": "X", "name": "outer", "pid": 10, "tid": 11, "ts": 100, "dur": 50, "args": {"a": [1, {"b": 2}]}},
  {"ph": "B", "name": "begun", "pid": "gpu", "tid": "stream 7", "ts": 130},
  {"ph": "X", "name": "first", "pid": 10, "tid": 11, "ts": 90, "dur": 5},
  {"ph": "E", "pid": "gpu", "tid": "stream 7", "ts": 145.25},
  {"ph": "X", "name": "longer", "pid": 10, "tid": 11, "ts": 140, "dur": 40},
  {"ph": "i", "name": "mark", "pid": 10, "tid": 11, "ts": 95, "s": "g"},
  {"ph": "M", "name": "process_name", "pid": 10, "tid": 0, "args": {"name": "python"}},
  {"ph": "M", "name": "thread_name", "pid": 10, "tid": 11, "args": {"name": "main thread"}}
 ], "traceName": "x"}
JSON
    run -0 --separate-stderr "$PAGODA" convert run.json -o run
    [[ $stderr == *'cut at its end: 1'*'left out: 1' ]]
    otf2-print run/traces.otf2 | awk '$1 == "ENTER" || $1 == "LEAVE" { print $1, $2, $3, $5 }' >events
    [ "$(cat events)" = 'ENTER 0 90000 "first"
LEAVE 0 95000 "first"
ENTER 0 100000 "outer"
ENTER 0 100000 "inner"
LEAVE 0 120500 "inner"
ENTER 1 130000 "begun"
ENTER 0 140000 "longer"
LEAVE 1 145250 "begun"
LEAVE 0 150000 "longer"
LEAVE 0 150000 "outer"' ]
    otf2-print -G run/traces.otf2 | grep -q '^LOCATION .*"main thread".*Group: "python"'
    "$PAGODA" replay --json run | jq -e '.time_ns == 60000 and ([.profile[] | select(.path == "outer/inner")][0].inclusive_ns) == 20500'
}

@test "Chrome's format: operations that overlap have locations of their own, counters are metrics" {
    cat >run.json <<'JSON'
[{"ph": "b", "cat": "net", "id": 1, "name": "load", "pid": 7, "tid": 5, "ts": 100},
 {"ph": "b", "cat": "net", "id": "0x2", "name": "load", "pid": 7, "tid": 6, "ts": 110},
 {"ph": "b", "cat": "net", "id": 1, "name": "parse", "pid": 7, "ts": 120},
 {"ph": "n", "cat": "net", "id": 1, "name": "half", "pid": 7, "ts": 125},
 {"ph": "e", "cat": "net", "id": 1, "name": "parse", "pid": 7, "ts": 130},
 {"ph": "e", "cat": "net", "id": 1, "name": "load", "pid": 8, "ts": 140},
 {"ph": "b", "cat": "net", "id": 3, "name": "save", "pid": 7, "ts": 150},
 {"ph": "b", "cat": "net", "id2": {"local": "0x2"}, "name": "own", "pid": 7, "ts": 151},
 {"ph": "e", "cat": "net", "id": "0x2", "pid": 7, "ts": 160},
 {"ph": "e", "cat": "net", "id": 3, "pid": 7, "ts": 170},
 {"ph": "e", "cat": "net", "id": 3, "pid": 7, "ts": 171},
 {"ph": "C", "name": "memory", "pid": 7, "ts": 145, "args": {"used": 7.5, "free": 2.5}},
 {"ph": "C", "name": "memory", "pid": 7, "ts": 105, "args": {"used": 4, "free": 6}},
 {"ph": "C", "name": "sent", "id": 9, "pid": 7, "tid": 5, "ts": 150, "args": {"value": 8, "unit": "B"}},
 {"ph": "C", "name": "sent", "id": 9, "pid": 7, "tid": 5, "ts": 115, "args": {"value": 3}},
 {"ph": "C", "name": "sent", "id": 9, "pid": 7, "tid": 6, "ts": 118, "args": {"value": 5}},
 {"ph": "X", "name": "work", "pid": 7, "tid": 5, "ts": 116, "dur": 20},
 {"ph": "s", "name": "flow", "cat": "net", "id": 1, "pid": 7, "tid": 5, "ts": 100},
 {"ph": "f", "name": "flow", "cat": "net", "id": 1, "pid": 7, "tid": 6, "ts": 110}]
JSON
    run -0 --separate-stderr "$PAGODA" convert run.json -o run
    [[ $stderr == *'without a begin'*': 1'*'left out: 3' ]]
    otf2-print run/traces.otf2 | awk '$1 == "ENTER" || $1 == "LEAVE" { print $1, $2, $3, $5 }' >events
    [ "$(cat events)" = 'ENTER 0 100000 "load"
ENTER 3 110000 "load"
ENTER 2 116000 "work"
ENTER 0 120000 "parse"
LEAVE 0 130000 "parse"
LEAVE 2 136000 "work"
LEAVE 0 140000 "load"
ENTER 0 150000 "save"
ENTER 4 151000 "own"
LEAVE 3 160000 "load"
LEAVE 0 170000 "save"
LEAVE 4 170000 "own"' ]
    [ "$(otf2-print -G run/traces.otf2 | sed -n 's/^LOCATION .*Name: "\([^"]*\)".*Type: \([A-Z_]*\).*# Events: \([0-9]*\).*/\1 \2 \3/p')" = \
        'async net CPU_THREAD 6
counters METRIC 4
5 CPU_THREAD 5
async net 2 CPU_THREAD 2
async net 3 CPU_THREAD 2' ]
    # What grows is summed where there is a call path, from the first value on. What is free falls: a state.
    "$PAGODA" replay --json run | jq -e '.counters == [{name: "sent 9", unit: "", description: "", total: 2, values: [{path: "work", rank: 0, value: 2}]}]'
}

@test "Chrome's format that is malformed, or cut" {
    # refused TEXT LINE WHY
    refused() {
        printf '%s' "$1" >bad.json
        run -1 "$PAGODA" convert bad.json -o bad
        [[ $output == "pagoda: bad.json:$2: $3"* ]] || { echo "$1: $output" >&2 && return 1; }
        [ ! -e bad ]
    }
    refused 'hello' 1 "this is no trace in Chrome's format"
    refused '{"a": 1}' 1 'there is no key "traceEvents"'
    refused $'[\n{"ph": "X" "ts": 1}]' 2 "'}' expected near"
    refused $'[\n{"ph": "X", "name": "a", "ts": 1, "dur": 1},\n{"ph": "X", "name": "a", "ts": -1, "dur": 1}]' 3 \
        '"ts" and "dur" are microseconds'
    refused $'[\n\n{"ph": "B", "ts": 1}]' 3 'an event that begins needs a "name"'
    echo '{"traceEvents": []}' >bad.json
    says -1 "'bad.json' holds no events" "$PAGODA" convert bad.json -o bad
    echo '[{"ph": "B", "name": "a", "ts": 1}, {"ph": "X", "name": "b", "ts": 2, "dur": 3},' >cut.json
    "$PAGODA" convert cut.json -o cut
    "$PAGODA" replay --json cut | jq -e '[.profile[] | select(.path | startswith("a")) | .inclusive_ns] == [1000, 3000] or
        [.profile[] | select(.path | startswith("a")) | .inclusive_ns] == [4000, 3000]'
}

@test "Chrome's format, packed; names with numbers are one region" {
    echo '[{"ph": "X", "name": "Step#9", "ts": 1, "dur": 1}, {"ph": "X", "name": "Step#10", "ts": 2, "dur": 1},
        {"ph": "X", "name": "C#", "ts": 3, "dur": 1}, {"ph": "X", "name": "a#1b", "ts": 4, "dur": 1}]' | gzip >run.json.gz
    "$PAGODA" convert run.json.gz -o run
    "$PAGODA" replay --json run | jq -e '[.profile[] | [.path, .visits]] | sort == [["C#", 1], ["Step", 2], ["a#1b", 1]]'
    head -c 60 run.json.gz >cut.json.gz
    run -1 "$PAGODA" convert cut.json.gz -o cut
    [ "$output" = "pagoda: cut.json.gz: unexpected end of file" ]
}

@test "what the command line lacks" {
    says -2 '-o DIR' "$PAGODA" convert run.prv
    run -2 "$PAGODA" convert -o back
    says -1 "cannot read 'nowhere.prv': No such file" "$PAGODA" convert nowhere.prv -o back
    says -1 "cannot read 'nowhere.json': No such file" "$PAGODA" convert nowhere.json -o back
    [ -z "$(ls -A)" ]
}
