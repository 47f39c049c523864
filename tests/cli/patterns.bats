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
    sed -i 's/\\-/-/g' "$BATS_TEST_TMPDIR"/example[13].xml
    run -0 "$PAGODA" explain --patterns "$BATS_TEST_TMPDIR/example1.xml" big-late-sender
    says -0 "send_enter - enter" "$PAGODA" explain --patterns "$BATS_TEST_TMPDIR/example3.xml" late-sender
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

# found TRACE.txt: what a replay of it finds, as the lines after `#!` say it.
found() {
    "$BUILD/tools/mktrace" "$1" "$BATS_TEST_TMPDIR/${1##*/}" &&
        "$PAGODA" replay --json "$BATS_TEST_TMPDIR/${1##*/}" | jq -r '.patterns[] |
            "\(.id) count \(.count)" as $pattern | .by_rank[] | $pattern + " rank \(.rank) ns \(.ns)"' |
        sort
}

@test "each pattern finds the waits computed by hand, and nothing else" {
    n_traces=0
    for trace in tests/traces/patterns/*.txt; do
        echo "# $trace"
        diff <(sed -n 's/^#! //p' "$trace" | sort) <(found "$trace")
        n_traces=$((n_traces + 1))
    done
    [ "$n_traces" -ge 13 ]
    for file in patterns/*.xml; do
        id=${file##*/}
        ! grep -q '<wait>' "$file" || grep -q "^#! ${id%.xml} " tests/traces/patterns/*.txt || {
            echo "no trace has $id"
            false
        }
    done
}
