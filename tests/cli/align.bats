# SPDX-License-Identifier: BSD-3-Clause
# pagoda align: shifts computed by hand from the text traces in tests/traces/align, what the copy
# holds, clocks whose errors are known (clocks.py), clocks that jump, refused operands; several traces
# that become one.
load ../helper

# align NAME: makes it, and NAME-aligned out of it.
align() {
    archive "align/$1"
    run --separate-stderr "$PAGODA" align "$1" -o "$1-aligned"
}

# fact TRACE FILTER: what the JSON of its replay says.
fact() {
    "$PAGODA" replay --json "$1" | jq -c "$2"
}

@test "messages both ways: the middle between the bounds, threads go along" {
    align both
    [ "$status" = 0 ]
    [ -z "$stderr" ]
    [ "$output" = $'rank 1 1.950 us later\n1 clock violation before, 0 now' ]
    # The first event is rank 0's at 10000; the thread of rank 1 ends last, at 16000 + 1950.
    [ "$(fact both-aligned '[.trace.clock_violations, .time_ns]')" = '[0,7950]' ]
    # Of 1950 + 8600 to 1950 + 9300 rank 1 waited until 11000.
    [ "$(fact both-aligned '[.patterns[] | select(.id == "late-sender") | .by_rank[]]')" = \
        '[{"rank":0,"ns":2650},{"rank":1,"ns":450}]' ]
}

@test "what was predicted of it with nothing changed is the run" {
    align both
    [ "$("$PAGODA" replay both-aligned --cpu-speed 1 --json | jq -c '[.whatif.replay_error, .whatif.predicted_ns]')" = '[0,7950]' ]
}

@test "a replay corrects the clocks itself: it finds what it finds in the copy, in any way" {
    /usr/bin/python3 "$ROOT/tests/cli/clocks.py" write own >own.txt
    "$BUILD/tools/mktrace" own.txt own
    "$PAGODA" align own -o copy >out
    for trace in own copy; do
        ln -sfn "$trace" run
        "$PAGODA" replay run --json --cpu-speed 2 --output "$trace-twice" |
            jq 'del(.trace, .warnings)' >"$trace.json"
        otf2-print "$trace-twice"/*.otf2 >"$trace.twice"
        "$PAGODA" replay run --interval 1s:2s --interval 'MPI_Recv#3-9' --json >"$trace.parts"
        "$PAGODA" export run --format prv -o "$trace.prv"
        "$PAGODA" replay run --timeline run >"$trace.timeline"
    done
    for kind in json twice parts prv timeline; do
        cmp "own.$kind" "copy.$kind"
    done
    [ "$(wc -l <own.prv)" -gt 1000 ]
    [ "$("$PAGODA" replay own --json | jq -c '.trace | [.clock_violations, .max_clock_violation_ns,
        .clock_moved_ns > 35170000, .clock_moved_ns < 35180000, .clock_violations_left]')" = \
        '[1200,35173697,true,true,0]' ]
    "$PAGODA" replay own | tr -s ' \n' ' ' | grep -q '^.* 1200 clock violations (data received up to 35.17 ms before it was sent): the clocks of ranks disagree. They are corrected here: events come later by up to 35.18 ms, and 0 violations remain.'
}

@test "records and global definitions stay as they are" {
    align both
    for file in traces.otf2 traces.def traces/{0,1}.evt; do
        cmp "both/$file" "both-aligned/$file"
    done
    [ "$(find both-aligned -type f | wc -l)" = "$(find both -type f | wc -l)" ]
}

@test "clock offsets that the trace has are added to" {
    align offsets
    [ "$status" = 0 ]
    [ "$output" = $'rank 1 1.950 us later\n1 clock violation before, 0 now' ]
    [ "$(fact offsets-aligned '[.trace.clock_violations, .time_ns]')" = '[0,7950]' ]
    # Nothing is left to do, so a copy of that is the same.
    run --separate-stderr "$PAGODA" align offsets-aligned -o again
    [ "$output" = $'no clock is off: the copy is what the trace is\n0 clock violations before, 0 now' ]
    diff -r offsets-aligned again
}

@test "a clock of microseconds" {
    (echo 'clock 1000000' && cat "$ROOT/tests/traces/align/both.txt") | "$BUILD/tools/mktrace" - slow
    run --separate-stderr "$PAGODA" align slow/traces.otf2 -o slow-aligned
    [ "$output" = $'rank 1 1.950 ms later\n1 clock violation before, 0 now' ]
    [ "$(fact slow-aligned .time_ns)" = 7950000 ]
}

@test "messages one way, barriers, broadcasts and reductions: the least that will do" {
    align one-way
    [ "$output" = $'rank 1 1.700 us later\n1 clock violation before, 0 now' ]
    align barrier
    [ "$output" = $'rank 0 750 ns later\nrank 1 750 ns later\n2 clock violations before, 0 now' ]
    align rooted
    [ "$output" = $'rank 1 300 ns later\nrank 2 500 ns later\n2 clock violations before, 0 now' ]
}

@test "to and fro takes less than nothing, so soon that no drift explains it" {
    align drift
    [ "$status" = 1 ]
    [ -z "$output" ]
    [[ $stderr == *'clocks of the ranks jump'* ]]
    [ "$(find . -mindepth 1 -maxdepth 1 -type d)" = ./drift ]
}

# The true times of these runs are known, so what is wrong after the correction is, too. It cannot be
# told better than the fastest messages, and what bends between two of them is up to twice as far off.
@test "injected offsets, drifts and bends are recovered to what the fastest messages tell" {
    while read -r case limit_ns pieces; do
        /usr/bin/python3 "$ROOT/tests/cli/clocks.py" write "$case" >"$case.txt"
        "$BUILD/tools/mktrace" "$case.txt" "$case"
        "$PAGODA" align "$case" -o "$case-aligned" >"$case.out"
        grep -q ' 0 now$' "$case.out"
        [ "$(grep -c 'parts of the run' "$case.out" || true)" = "$pieces" ]
        otf2-print "$case-aligned/traces.otf2" >"$case.print"
        error_ns=$(/usr/bin/python3 "$ROOT/tests/cli/clocks.py" check "$case" "$case.print")
        [ "$error_ns" -le "$limit_ns" ] || { echo "$case: $error_ns ns" >&2 && return 1; }
    done <<'CASES'
offset 100 0
drift 100 0
hours 100 0
own 100 0
one-way 2100 0
jitter 1900 0
bend 4000 1
CASES
    # A second correction finds nothing to do.
    "$PAGODA" align bend-aligned -o again | grep -q 'no clock is off'
}

@test "what is wrong is said with its size" {
    /usr/bin/python3 "$ROOT/tests/cli/clocks.py" write offset >offset.txt
    "$BUILD/tools/mktrace" offset.txt offset
    # 70 ms less what the fastest of 300 messages took, 2 us or a bit more.
    [ "$(fact offset '.trace.max_clock_violation_ns | . > 69997500 and . <= 69998000')" = true ]
    "$PAGODA" replay offset | tr -s ' \n' ' ' | grep -q 'received up to 70.00 ms before it was sent'
    "$PAGODA" check offset | tr -s ' \n' ' ' | grep -q '1200 clock violations'
}

@test "a clock that jumps is named, with time and amount, and all others are aligned" {
    for case in jump jump-first; do
        rank=$([ "$case" = jump ] && echo 2 || echo 0)
        /usr/bin/python3 "$ROOT/tests/cli/clocks.py" write "$case" | "$BUILD/tools/mktrace" - $case
        run -0 --separate-stderr "$PAGODA" align $case -o $case-aligned
        [[ $stderr =~ "clock of rank $rank jumps by about "(39\.[89]|40\.[012])[0-9]*" ms back, between 4.4"[0-9]*" s and 4.5" ]]
        [[ $stderr == *'not aligned, all others are' ]]
        [ "$(wc -l <<<"$stderr")" = 1 ]
        [[ $output == *$'\n1200 clock violations before, '*' now' ]]
        otf2-print $case-aligned/traces.otf2 >print
        [ "$(/usr/bin/python3 "$ROOT/tests/cli/clocks.py" check "$case" print)" -le 100 ]
        # A replay aligns them too, and all others lose no time to clocks.
        "$PAGODA" replay $case --json | jq -e --arg rank "$rank" '.trace.clock_moved_ns > 6e7 and
            (.warnings[] | select(.code == "clock-violation").text
                | test("They are corrected here.*But the clock of rank \($rank) jumps by about.*cut at the end of their call"))'
        "$PAGODA" replay $case-aligned --json | jq -e '.trace.clock_violations <= 600'
    done
}

@test "clocks that cannot be corrected: said, with rank and amount, and nothing is left behind" {
    # Of two ranks it is not known which clock jumps.
    /usr/bin/python3 "$ROOT/tests/cli/clocks.py" write jump-pair | "$BUILD/tools/mktrace" - jump
    run -1 --separate-stderr "$PAGODA" align jump -o jump-aligned
    [ -z "$output" ]
    [[ $stderr =~ 'clocks of the ranks jump'.*' rank 1 by about '(39\.9|40\.)[0-9]+' ms back, between 4.4'.*' and 4.5' ]]
    # A replay says so and goes on. Where sends are missing, messages may be the wrong ones.
    "$PAGODA" replay jump --json | jq -e '.trace.clock_moved_ns == null and
        (.warnings[] | select(.code == "clock-violation").text
            | test("clocks of the ranks jump.*that of rank 1 by about.*cut at the end of their call"))'
    sed '/^1 12500/i 1 12000 enter MPI_Recv\n1 12100 recv world 0 9 8\n1 12100 leave MPI_Recv' \
        "$ROOT/tests/traces/align/both.txt" | "$BUILD/tools/mktrace" - lost
    "$PAGODA" replay lost --json | jq -e '.trace.clock_moved_ns == null and
        (.warnings[] | select(.code == "clock-violation").text | test("lacks some that were sent"))'
    rm -r lost
    [ "$(find . -mindepth 1 -maxdepth 1 -type d)" = ./jump ]
}

@test "damaged traces are not copied" {
    archive align/both
    truncate -s 40 both/traces/1.evt
    run -1 --separate-stderr "$PAGODA" align both -o copy
    [[ $stderr == *"nothing was written to 'copy'"* ]]
    [ "$(find . -mindepth 1 -maxdepth 1 -type d)" = ./both ]
}

@test "operands that are refused" {
    archive align/both
    says -2 '-o DIR' "$PAGODA" align both
    run -2 "$PAGODA" align -o copy
    run -1 "$PAGODA" align nowhere -o copy
    [[ $output == *nowhere* ]]
    says -1 'not empty' "$PAGODA" align both -o both
}

# events TRACE: "ENTER "main"" and the like of each location, without its number and those of definitions.
events() {
    otf2-print "$1" | sed -n 's/^\([A-Z_]* \) *[0-9]* */\1/p' | sed 's/<[0-9]*>//g' | sort
}

# Server and client of tests/traces/align meet at a port. By hand: rank 0 waits from 13000 for the client's
# message of 17000, the client from 17200 for that of 18000, rank 0 at the end from 19000 for rank 1.
@test "launches that meet at a port become one trace, with waits of one for the other" {
    archive align/server
    archive align/client
    "$PAGODA" align server client -o both >out
    diff out - <<'END'
world 1 is server: ranks 0 to 1
world 2 is client: rank 2; it begins 0 ns after world 1, by the same clock
1 connection of worlds matched
no message corrects a clock
0 clock violations before, 0 now
END
    "$PAGODA" replay both --json >both.json
    # Two ranks are bound to core 0, and one to core 1.
    jq -e '[.trace.ranks, .trace.messages, [.warnings[] | [.code, .count]]] ==
        [3, 2, [["missing-init", 3], ["more-ranks-than-cores", 1]]]' both.json
    [ "$(jq -c '[.patterns[] | select(.count > 0) | [.id, .by_rank]]' both.json)" = \
        '[["late-sender",[{"rank":0,"ns":4000},{"rank":2,"ns":800}]],["wait-at-finalize",[{"rank":0,"ns":900}]]]' ]
    jq -e '.hints[0].text | startswith("Rank 0 waited 4.000 us in main/MPI_Recv for a message that rank 2 had not")' both.json
    diff <(events both/traces.otf2) <((events server/traces.otf2 && events client/traces.otf2) | sort)
    otf2-print -G both/traces.otf2 >definitions
    # What both define is there once, but for communicators; who was not traced is traced now.
    [ "$(grep -c '^REGION .*"MPI_Finalize"' definitions)" = 1 ]
    grep -q '^LOCATION_GROUP .*(world 2)"' definitions
    run ! grep -q 'PROPERTY.*UNTRACED' definitions
    # Cores 0 and 1, of one host.
    grep -q '^SYSTEM_TREE_NODE_PROPERTY .*PAGODA::CORES.*: 2$' definitions
    [ "$(otf2-print -I both/traces.otf2 2>&1 | grep -c 'server; client')" -gt 0 ]
}

# on_host REALTIME: client.txt on another host, whose clock counts 2 ns and is 1000 ns behind; REALTIME is the
# time of day where it is 0.
on_host() {
    awk -v realtime="$1" '
        BEGIN { print "clock 500000000\nrealtime " realtime }
        /^nodes|^cores/ { gsub("node0", "node1") }
        /CONNECTION/ { $5 = ($5 - 1000) / 2; $6 = ($6 - 1000) / 2 }
        /^[0-9]/ { $2 = ($2 - 1000) / 2 }
        { print }' "$ROOT/tests/traces/align/client.txt" | "$BUILD/tools/mktrace" - "$2"
}

@test "clocks of two hosts are related by the time of day, then by messages" {
    (echo 'realtime 2000000000' && cat "$ROOT/tests/traces/align/server.txt") | "$BUILD/tools/mktrace" - server
    archive align/client
    archive align/server here
    "$PAGODA" align here client -o both >out
    on_host 2000001000 exact
    "$PAGODA" align server exact -o apart >out
    grep -q '^world 2 is exact: rank 2; it begins 1.000 us after world 1, by the time of day$' out
    grep -q '^0 clock violations before, 0 now$' out
    diff <(fact both '[.patterns, .critical_path, .time_ns]') <(fact apart '[.patterns, .critical_path, .time_ns]')
    # 3000 ns off: from the enter of MPI_Send on rank 0 to the leave of MPI_Recv on rank 2 takes -2700.
    on_host 1999998000 wrong
    "$PAGODA" align server wrong -o mended >out
    tail -2 out | diff - <(printf '%s\n' 'rank 2 2.700 us later' '1 clock violation before, 0 now')
    [ "$(fact mended '[.trace.clock_violations, .time_ns]')" = '[0,10500]' ]
}

@test "a trace that has mapping tables is joined like others" {
    archive align/server
    archive align/client
    archive align/both
    "$PAGODA" align server client -o two >/dev/null
    "$PAGODA" align server client both -o three >/dev/null
    "$PAGODA" align two both -o nested >/dev/null
    diff <(fact three 'del(.trace.path, .replayed_ns)') <(fact nested 'del(.trace.path, .replayed_ns)')
    [ "$(fact nested '[.trace.ranks, .trace.locations, .trace.messages]')" = '[5,6,4]' ]
    diff <(events three/traces.otf2) <(events nested/traces.otf2)
}

@test "traces that cannot be joined: one sentence, and nothing is left behind" {
    archive align/server
    archive align/client
    on_host 2000001000 elsewhere
    cp -r client damaged
    truncate -s 60 damaged/traces/0.evt
    while IFS='|' read -r operands message; do
        # shellcheck disable=SC2086 # several operands
        run -1 --separate-stderr "$PAGODA" align $operands -o copy
        [ -z "$output" ]
        [ "${#stderr_lines[@]}" = 1 ]
        [[ $stderr == *"$message"* ]] || { echo "$stderr" >&2 && return 1; }
        [ ! -e copy ]
        [ -z "$(find . -name '.pagoda*')" ]
    done <<'END'
server server|'server' and 'server' are the same archive
server elsewhere|nothing relates the clock of 'elsewhere' to that of 'server': they are not the same clock of one host
server damaged|of 'damaged/traces.otf2' a location (Master thread) cannot be read to its end
server nowhere|nowhere
END
}

@test "connections through one port are told apart by their order" {
    cat >serve.txt <<'END'
fact PAGODA::CONNECTION_1 "accept 2 100 200 p"
fact PAGODA::CONNECTION_2 "accept 3 300 500 p"
nodes h h
outsiders
intercomm one ranks 1 | 0
intercomm two ranks 1 | 0
0 600-700 MPI_Recv ; 700 recv two 0 2 8
0 700-800 MPI_Recv ; 800 recv one 0 1 8
END
    "$BUILD/tools/mktrace" serve.txt serve
    # The second client asks while the first is served.
    while read -r number leave; do
        printf '%s\n' "fact PAGODA::CONNECTION_1 \"connect 2 150 $leave p\"" 'nodes h h' outsiders \
            'intercomm c ranks 1 | 0' '0 650 enter MPI_Send' "0 650 send c 0 $number 8" '0 660 leave MPI_Send' |
            "$BUILD/tools/mktrace" - "client-$number"
    done <<<$'1 210\n2 510'
    "$PAGODA" align serve client-2 client-1 -o all | grep -q '^2 connections of worlds matched$'
    # By hand: rank 0 waits from 600 to 650 for rank 1, which is the second client.
    [ "$(fact all '[.trace.messages, ([.warnings[].code] | index("unmatched-send", "outside-partner")),
        (.patterns[] | select(.id == "late-sender") | .total_ns, .worst.cause_rank)]')" = '[2,null,null,50,1]' ]
}
