#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `pagoda explain`, catalogues of users in a replay, and the manual that is made from the catalogue.

load ../helper

setup() {
    cd "$ROOT" || return
    kappa=tests/traces/patterns/late-sender.kappa-pi.xml
}

# pattern ID EXTRA...: a file with a pattern on stdout; EXTRA goes in front of its <trigger>.
pattern() {
    echo "<pattern id='$1' parent='late-sender'><name>N</name><summary>Mine</summary>" \
        "<description>D</description><formula>F</formula><unit>ns</unit>" \
        "<diagnosis>G</diagnosis>${*:2}<trigger>receive</trigger><wait>send_enter - enter</wait>" \
        "</pattern>"
}

# late_sender JSON: total, count, ranks and worst instance of late-sender.
late_sender() {
    jq -c '.patterns[] | select(.id == "late-sender") |
        [.total_ns, .count, .by_rank, .worst, .confidence]' "$1"
}

@test "the list has every pattern below its parent" {
    run -0 --separate-stderr "$PAGODA" explain patterns
    [ "${lines[0]%% *}" = time ]
    [[ $output == *$'\n        late-sender       '* ]]
    [[ $output == *$'\n          late-sender-wrong-order\n'* ]]
    [ -z "$stderr" ]
    for file in patterns/*.xml; do
        id=${file##*/}
        grep -qE "^ *${id%.xml}( |$)" <<<"$output"
    done
}

@test "no line of the list or of an explanation is wider than 80 columns" {
    run -0 "$PAGODA" explain patterns
    [ -z "$(awk 'length > 80' <<<"$output")" ]
    run -0 "$PAGODA" explain late-sender-wrong-order
    [ -z "$(grep -v '^read from' <<<"$output" | awk 'length > 88')" ]
}

@test "one pattern is explained" {
    run -0 --separate-stderr "$PAGODA" explain late-sender-wrong-order
    [ "${lines[0]}" = "Late Sender, messages in wrong order" ]
    [[ $output == *"time > mpi > communication > point-to-point > late-sender > late-sender-wrong"* ]]
    [[ $output == *"within       late-sender"* ]]
    [[ $output == *"wait         min(send_enter, leave) - max(enter, queued_send)"* ]]
    [[ $output == *MPI_Waitany* ]]
}

@test "JSON holds the texts of the files" {
    "$PAGODA" explain patterns --json >"$BATS_TEST_TMPDIR/all.json"
    run -0 jq -r '.schema, (.patterns | length), ([.patterns[] | select(.abstract)] | length)' \
        "$BATS_TEST_TMPDIR/all.json"
    n_files=$(find patterns -maxdepth 1 -name '*.xml' | wc -l)
    [ "${lines[0]}" = 1 ]
    [ "${lines[1]}" = "$n_files" ]
    [ "${lines[2]}" = "$(grep -L '<wait>' patterns/*.xml | wc -l)" ]
    "$PAGODA" explain --json late-receiver >"$BATS_TEST_TMPDIR/one.json"
    run -0 jq -r '.patterns[] | .id, .parent, .trigger, .condition, .threshold, .confidence' \
        "$BATS_TEST_TMPDIR/one.json"
    [ "$output" = "late-receiver
point-to-point
send
post_enter < leave
0.01
is_certain ? 1 : 0.5" ]
}

@test "an unknown pattern, wrong usage" {
    run -1 --separate-stderr "$PAGODA" explain late-sendr
    [ -z "$output" ]
    [ "$stderr" = "pagoda: nothing is called \`late-sendr\`; did you mean \`late-sender\`?" ]
    run -2 --separate-stderr "$PAGODA" explain a b
    run -2 --separate-stderr "$PAGODA" explain --man late-sender
    run -2 --separate-stderr "$PAGODA" explain --man --json
}

@test "a user's file adds to the list or replaces" {
    pattern mine >"$BATS_TEST_TMPDIR/mine.xml"
    run -0 "$PAGODA" explain patterns --patterns "$BATS_TEST_TMPDIR/mine.xml"
    [[ $output == *$'\n          mine '*Mine* ]]
    pattern late-receiver >"$BATS_TEST_TMPDIR/mine.xml"
    run -0 "$PAGODA" explain --patterns "$BATS_TEST_TMPDIR/mine.xml" late-receiver
    [ "${lines[1]}" = "time > mpi > communication > point-to-point > late-sender > late-receiver" ]
}

@test "a bad file is one sentence with its place, from patterns and from replay" {
    bad=$BATS_TEST_TMPDIR/bad.xml
    pattern mine '<cuase>sender</cuase>' >"$bad"
    sentence="pagoda: $bad:1: <pattern> has no element 'cuase', did you mean 'cause'?"
    run -1 --separate-stderr "$PAGODA" explain patterns --patterns "$bad"
    [ -z "$output" ]
    [ "$stderr" = "$sentence" ]
    "$BUILD/tools/mktrace" tests/traces/patterns/late-sender-kinds.txt "$BATS_TEST_TMPDIR/trace"
    run -1 --separate-stderr "$PAGODA" replay --patterns "$bad" "$BATS_TEST_TMPDIR/trace"
    [ -z "$output" ]
    [ "$stderr" = "$sentence" ]
}

@test "what is wrong in an element is told with the line of the element" {
    bad=$BATS_TEST_TMPDIR/bad.xml
    pattern mine '<condition>sendr == 0</condition>' | sed 's/></>\n</g' >"$bad"
    line=$(grep -n '<condition>' "$bad" | cut -d: -f1)
    [ "$line" -gt 5 ]
    run -1 --separate-stderr "$PAGODA" explain patterns --patterns "$bad"
    [[ $stderr == "pagoda: $bad:$line: <condition> of pattern 'mine': "* ]]
}

@test "hostile XML ends at once" {
    {
        echo "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e0 'ha'>"
        for i in $(seq 20); do
            echo "<!ENTITY e$i '&e$((i - 1));&e$((i - 1));&e$((i - 1));&e$((i - 1));'>"
        done
        echo "]><pattern id='a'><name>&e20;</name></pattern>"
    } >"$BATS_TEST_TMPDIR/laughs.xml"
    run -1 --separate-stderr timeout 60 "$PAGODA" explain patterns --patterns "$BATS_TEST_TMPDIR/laughs.xml"
    [[ $stderr == *"laughs.xml:1: a document type declaration (<!DOCTYPE) is not allowed here" ]]
    echo secret >"$BATS_TEST_TMPDIR/secret"
    cat >"$BATS_TEST_TMPDIR/outside.xml" <<EOF
<!DOCTYPE a [<!ENTITY e SYSTEM "file://$BATS_TEST_TMPDIR/secret">]>
<pattern id="a"><name>&e;</name><summary>&e;</summary><description>&e;</description></pattern>
EOF
    run -1 "$PAGODA" explain patterns --patterns "$BATS_TEST_TMPDIR/outside.xml"
    [[ $output != *secret$'\n'* ]]
    cat >"$BATS_TEST_TMPDIR/include.xml" <<EOF
<pattern id="a" xmlns:xi="http://www.w3.org/2001/XInclude"><name>N</name>
<summary><xi:include parse="text" href="file://$BATS_TEST_TMPDIR/secret"/></summary></pattern>
EOF
    run -1 "$PAGODA" explain patterns --patterns "$BATS_TEST_TMPDIR/include.xml"
    [[ $output == *"<summary> holds text only, no element 'include'" ]]
}

@test "Kappa-Pi's Late Sender finds the waits of blocking receives, as ours does" {
    trace=$BATS_TEST_TMPDIR/trace
    "$BUILD/tools/mktrace" tests/traces/patterns/late-sender-kinds.txt "$trace"
    "$PAGODA" replay --json "$trace" >"$BATS_TEST_TMPDIR/ours.json"
    "$PAGODA" replay --json --patterns "$kappa" "$trace" >"$BATS_TEST_TMPDIR/theirs.json"
    run -0 jq -c '.patterns[] | select(.id == "late-sender") | [.total_ns, .count]' \
        "$BATS_TEST_TMPDIR/ours.json" "$BATS_TEST_TMPDIR/theirs.json"
    [ "$output" = "[500,2]
[300,1]" ]
    # The same trace without the nonblocking receive: no difference at all.
    sed -e '/^1 [0-9]* *\(enter\|leave\) MPI_\(Irecv\|Wait\)/d' -e '/irecv/d' \
        -e '/^0 15/d' tests/traces/patterns/late-sender-kinds.txt >"$BATS_TEST_TMPDIR/blocking.txt"
    "$BUILD/tools/mktrace" "$BATS_TEST_TMPDIR/blocking.txt" "$trace.blocking"
    "$PAGODA" replay --json "$trace.blocking" >"$BATS_TEST_TMPDIR/ours.json"
    "$PAGODA" replay --json --patterns "$kappa" "$trace.blocking" >"$BATS_TEST_TMPDIR/theirs.json"
    [ "$(late_sender "$BATS_TEST_TMPDIR/ours.json")" = "$(late_sender "$BATS_TEST_TMPDIR/theirs.json")" ]
    [ "$(jq '[.patterns[].total_ns] | add' "$BATS_TEST_TMPDIR/ours.json")" = 300 ]
}

@test "a pattern a user adds is in the report and leaves the others as they are" {
    trace=$BATS_TEST_TMPDIR/trace
    pattern only-large '<condition>bytes &gt; 64</condition>' >"$BATS_TEST_TMPDIR/large.xml"
    pattern all-of-it '<condition>bytes &gt;= 64</condition>' >"$BATS_TEST_TMPDIR/all.xml"
    "$BUILD/tools/mktrace" tests/traces/patterns/late-sender-kinds.txt "$trace"
    "$PAGODA" replay --json "$trace" >"$BATS_TEST_TMPDIR/without.json"
    "$PAGODA" replay --json --patterns "$BATS_TEST_TMPDIR/large.xml" \
        --patterns "$BATS_TEST_TMPDIR/all.xml" "$trace" >"$BATS_TEST_TMPDIR/with.json"
    run -0 jq -c '.patterns[] | select(.id == "only-large" or .id == "all-of-it") |
        [.id, .total_ns]' "$BATS_TEST_TMPDIR/with.json"
    [ "$output" = '["all-of-it",500]
["only-large",0]' ]
    others='del(.patterns[] | select(.id == "only-large" or .id == "all-of-it")) | .patterns'
    diff <(jq "$others" "$BATS_TEST_TMPDIR/without.json") <(jq "$others" "$BATS_TEST_TMPDIR/with.json")
}

@test "the shipped files hold to their schema, and the schema refuses what the command refuses" {
    command -v xmllint >/dev/null || skip "xmllint is not installed"
    xmllint --nonet --noout --relaxng patterns/patterns.rng patterns/*.xml
    for edit in 's/<wait>.*//' 's/<trigger>.*//' 's/<unit>ns/<unit>s/' 's/threshold>0.01/threshold>1.5/' \
        's/<trigger>receive/<trigger>recv/' 's/formula>/formulae>/' 's/ id=/ name=/' 's/<name>.*//' \
        's/<cause>.*/&&/' 's/<hint>/<hint>a<b\/>/' 's/"late-sender"/"Late Sender"/' \
        's/<trigger>/<within>late-receiver<\/within>&/'; do
        sed "$edit" patterns/late-sender.xml >"$BATS_TEST_TMPDIR/edited.xml"
        run ! cmp -s patterns/late-sender.xml "$BATS_TEST_TMPDIR/edited.xml"
        run ! xmllint --nonet --noout --relaxng patterns/patterns.rng "$BATS_TEST_TMPDIR/edited.xml"
        run -1 "$PAGODA" explain patterns --patterns "$BATS_TEST_TMPDIR/edited.xml"
    done
}

@test "the examples of the manual load, and it names every field" {
    awk '/^\.EX/ { n++; next } /^\.EE/ { n++ } n % 2 { print >("'"$BATS_TEST_TMPDIR"'/example" n ".xml") }' \
        man/pagoda-patterns.5
    sed -i 's/\\-/-/g' "$BATS_TEST_TMPDIR"/example[135].xml
    run -0 "$PAGODA" explain --patterns "$BATS_TEST_TMPDIR/example1.xml" big-late-sender
    says -0 "send_enter - enter" "$PAGODA" explain --patterns "$BATS_TEST_TMPDIR/example5.xml" late-sender
    says -0 "write_*" "$PAGODA" explain --patterns "$BATS_TEST_TMPDIR/example3.xml" slow-write
    # Field names are the third argument of the lists in trigger.h; elements those of pattern.h.
    for name in $(sed -n 's/^ *X([A-Z]*, [A-Z_]*, \([a-z_]*\)).*/\1/p' analyzer/pag/trigger.h) \
        $(sed -n 's/^ *X(\([a-z]*\), \(ALWAYS\|WAIT\|MAYBE\)).*/\1/p' analyzer/pattern/pattern.h) \
        $(sed -n 's/^ *X(\([a-z_]*\)) .*/{\1}/p' analyzer/pattern/hint.h); do
        grep -qE "^\.(BR?|RB) .*$name" man/pagoda-patterns.5 || {
            echo "pagoda-patterns.5 does not explain $name"
            false
        }
    done
}

@test "the manual's kind of findings is accepted, and its tables name every subject, number and text" {
    awk '/^<finding/, /^<\/finding/' man/pagoda-patterns.5 | sed 's/\\-/-/g' >"$BATS_TEST_TMPDIR/kind.xml"
    run -0 "$PAGODA" check "$BATS_TEST_TMPDIR/kind.xml"
    # section TITLE, list MACRO: names in the order of the page, and of the list in the source.
    section() { awk -v title="$1" '/^\.S[SH]/ { inside = index($0, title) } inside && /^\.B [a-z_]+$/ { print $2 }' man/pagoda-patterns.5; }
    list() { sed -n "/^#define $1(X)/,/[^\\]$/s/^ *X(\([a-z_]*\)).*/\1/p" analyzer/pattern/finding_kind.h; }
    [ "$(list FINDING_NUMBERS | wc -l)" -gt 20 ]
    diff <(list FINDING_SUBJECTS) <(section 'What a finding is about')
    diff <(list FINDING_NUMBERS) <(section 'Numbers in conditions')
    diff <(list FINDING_TEXTS) <(section 'Texts in sentences')
}

@test "the built manual has the whole catalogue and is sound" {
    page=$BUILD/man/pagoda-patterns.5
    [ "$(grep -c '^\.SH CATALOGUE' "$page")" = 1 ]
    [ "$(grep -c '^\.SH SEE ALSO' "$page")" = 1 ]
    for file in patterns/*.xml; do
        id=${file##*/}
        id=${id%.xml}
        grep -qxF ".SS ${id//-/\\-}" "$page"
    done
    command -v mandoc >/dev/null || skip "mandoc is not installed"
    mandoc -T lint -W warning "$page"
}

@test "the waits of each pattern are computed by hand in a trace of test_hand_traces.c" {
    for file in patterns/*.xml; do
        id=${file##*/}
        ! grep -q '<wait>' "$file" || grep -q "^#! ${id%.xml} " tests/traces/patterns/*.txt || {
            echo "no trace has $id"
            false
        }
    done
}

# visits REGION WAIT [CONDITION]: a file with the pattern `mine` of visits of REGION on stdout.
visits() {
    pattern mine "<region>$1</region>${3:+<condition>$3</condition>}" |
        sed "s|<trigger>.*</wait>|<trigger>region</trigger><wait>$2</wait>|; s| parent='late-sender'||"
}

# own_times REPORT.json: by call path, the time outside of further regions: of the profile, where time without
# CPU is that of the path it was in, or of the pattern `mine`.
own_times() {
    jq -S '[.profile[] | select(.path | test("^\\((program|thread)\\)$") | not) |
            {key: (.path | sub("/\\((without CPU time|blocked)\\)$"; "")), value: .exclusive_ns}] |
        group_by(.key) | map({key: .[0].key, value: (map(.value) | add)} | select(.value > 0)) |
        from_entries' "$1" >profile.json
    jq -S '[.patterns[] | select(.id == "mine") | .by_path[] | {key: .path, value: .ns}] | from_entries' \
        "$1" | cmp profile.json -
}

@test "visits of all regions without the time in other regions sum to the profile, in any thread" {
    visits '*' 'leave - enter - inside' >"$BATS_TEST_TMPDIR/mine.xml"
    cd "$BATS_TEST_TMPDIR" || return
    n_traces=0
    for text in "$ROOT"/tests/traces/{engine,patterns,replay,threads}/*.txt; do
        echo "# $text"
        rm -rf trace
        "$BUILD/tools/mktrace" "$text" trace 2>err || continue
        "$PAGODA" replay trace --patterns mine.xml --json --threads 2 >replay.json 2>err || continue
        own_times replay.json
        n_traces=$((n_traces + 1))
    done
    [ $n_traces -gt 60 ]
}

@test "visits: a region by its name, which visit, which construct, in predictions and intervals" {
    cd "$BATS_TEST_TMPDIR" || return
    cat >visits.txt <<EOF
0-1 0     enter main
0-1 0-5   MPI_Init
0 10-20 write_step
0 30-60 write_step ; 35 enter inner ; 55 leave inner
0 70-90 write_step
1 10-11 write_step
1 40-44 read_step
0-1 95-100 MPI_Finalize
0-1 100   leave main
EOF
    "$BUILD/tools/mktrace" visits.txt trace
    # sums REGION WAIT CONDITION [OPTIONS]: number and time of such visits, rank and begin of the longest.
    sums() {
        visits "$1" "$2" "$3" >mine.xml
        "$PAGODA" replay trace --patterns mine.xml --json "${@:4}" |
            jq -c '.patterns[] | select(.id == "mine") | [.count, .total_ns, .worst.rank, .worst.time_ns]'
    }
    [ "$(sums 'write_*' 'leave - enter' 1)" = "[4,61,0,30]" ]
    [ "$(sums 'write_step' 'leave - enter - inside' 1)" = "[4,41,0,70]" ]
    [ "$(sums '*_step' 'leave - enter - 15' 'visit &gt; 1')" = "[2,20,0,30]" ]
    [ "$(sums 'MPI_*' 'leave - enter' 'is_mpi &amp;&amp; enter &gt; 0')" = "[2,10,0,95]" ]
    [ "$(sums nothing 'leave - enter' 1)" = "[0,0,null,null]" ]
    [ "$(sums 'write_*' 'leave - enter' 1 --interval 20ns:80ns)" = "[2,40,0,30]" ]
    "$PAGODA" replay trace --patterns mine.xml --json --cpu-speed 0.5 |
        jq -e '.whatif.patterns[] | select(.id == "mine") | .count == null and .total_ns == null'
    archive threads/nested threads
    visits '*' 'leave - enter' 'construct == barrier' >mine.xml
    [ "$("$PAGODA" replay threads --patterns mine.xml --json |
        jq -c '.patterns[] | select(.id == "mine") | [.count, .total_ns]')" = "$(barriers)" ]
}

# barriers: number and time of the visits of barriers in tests/traces/threads/nested.txt.
barriers() {
    awk '$3 == "barrier" && $2 ~ /-/ {split($2, t, "-"); n += t[2] > t[1]; ns += t[2] - t[1]} END {printf "[%d,%d]", n, ns}' \
        "$ROOT/tests/traces/threads/nested.txt"
}

@test "visits are no waiting time, and only their trigger has a region" {
    cd "$BATS_TEST_TMPDIR" || return
    archive patterns/barrier
    visits '*' 'leave - enter' | sed "s/id='mine'/id='wait-at-barrier' parent='synchronisation'/" >mine.xml
    "$PAGODA" replay barrier --json --patterns mine.xml >after.json
    [ "$(jq '.patterns[] | select(.id == "wait-at-barrier") | .count' after.json)" -gt 5 ]
    [ "$(jq -c '[.ranks[].wait_ns]' after.json)" = "[0,3]" ] # of barrier-completion; [30,3] before
    pattern mine '<region>main</region>' >mine.xml
    says -1 "mine.xml:1: pattern 'mine' has a <region>, which only the trigger region can have" \
        "$PAGODA" explain patterns --patterns mine.xml
    visits main 'leave - enter' | sed 's|<region>.*</region>||' >mine.xml
    says -1 "mine.xml:1: pattern 'mine' needs an element <region>: of which regions (* for all)" \
        "$PAGODA" explain patterns --patterns mine.xml
    visits main 'send_enter - enter' >mine.xml
    says -1 "<wait> of pattern 'mine'" "$PAGODA" explain patterns --patterns mine.xml
}
