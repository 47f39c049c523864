# SPDX-License-Identifier: BSD-3-Clause
# Policies: the bundled ones, files of one's own, what is refused, and random ones against simulations that
# share nothing with pagoda (balancing.py, task_farm.py).
load ../checked_files

valid() {
    xmllint --nonet --noout --relaxng "$ROOT/patterns/policies/policies.rng" "$@"
}

@test "bundled policies are sound and say where they are from" {
    local file name
    for file in "$ROOT"/patterns/policies/*.xml; do
        name=$(basename "$file" .xml)
        "$PAGODA" check "$file"
        valid "$file"
        "$PAGODA" explain --json "$name" | jq -e --arg name "$name" '.policies[0] |
            .name == $name and .summary != "" and .source != "" and .missing != ""'
    done
}

@test "the list, and one of them" {
    "$PAGODA" explain policies >list
    (cd "$ROOT/patterns/policies" && printf '%s\n' *.xml) | sed 's/\.xml$//' | LC_ALL=C sort >names
    awk '/^[a-z]/ { print $1 }' list | diff names -
    grep -q '^magda  *--rebalance' list
    "$PAGODA" explain magda >page
    grep -q 'Rule 3  *at polls, if the fastest is more than 10 % ahead of the slowest' page
    grep -q '^Missing there *the threshold' page
    "$PAGODA" explain --json magda >json
    jq -e '.schema == 1 and (.policies[0] | .option == "rebalance" and .poll_ns == 1000000 and
        .transfer_ns == null and [.rules[] | [.at, .from, .to, .lead]] ==
        [["idle", "slowest", "idle", null], ["poll", "slowest", "free-host", 10],
         ["poll", "slowest", "fastest", 10]])' json
    "$PAGODA" explain processor-farm --json | jq -e '.policies[0].tasks | .to == "in-turn" and .work_ns == null'
}

@test "a policy of one's own" {
    archive advise/uneven
    run -1 --separate-stderr "$PAGODA" replay uneven --rebalance magdaa
    [[ $stderr == *'magdaa: neither a file nor a bundled policy; did you mean magda?'* ]]
    # At 50 us 100 of the 350 left go; the taker has them at 60, then its own 50 are not done. So rank
    # 0 is ready at 300, rank 1 at 200; its results are back at 320.
    cat >mine.xml <<'END'
<policy name="mine" poll="50us" transfer="10us" least="100us" return="120us">
  <origin source="here" missing="nothing"/>
  <rule lead="20" from="slowest" to="fastest" share="28.5715"/>
</policy>
END
    valid mine.xml
    # Times as the command reads them.
    sed 's/poll="50us"/poll="5e-5"/; s/transfer="10us"/transfer=".01ms"/' mine.xml >written-otherwise.xml
    valid written-otherwise.xml
    "$PAGODA" explain written-otherwise.xml | grep -q '^Poll  *50.00 us'
    "$PAGODA" check mine.xml >text
    grep -q 'mine.xml: policy: 1 rule' text
    "$PAGODA" check --json mine.xml | jq -e '.files[0] | .kind == "policy" and .status == 0'
    "$PAGODA" replay uneven --rebalance mine.xml --json >report
    jq -e '.whatif.rebalancing | .policy == "mine" and .migrations == 1 and .moved_ns == 100000 and
        .after_ns == 420000' report
    # A lead that nobody has; and as the options say.
    "$PAGODA" replay uneven --rebalance mine.xml:threshold=90 --json |
        jq -e '.whatif.rebalancing | .migrations == 0 and .after_ns == .before_ns'
    "$PAGODA" replay uneven --rebalance mine.xml:poll=100us --json | jq -e '.whatif.rebalancing.migrations == 0'
    # A file of a bundled one's name comes first.
    sed 's/name="mine"/name="here"/' mine.xml >magda
    "$PAGODA" replay uneven --rebalance magda --json | jq -e '.whatif.rebalancing.policy == "here"'
}

@test "tasks handed out otherwise" {
    archive advise/farm
    # Of tests/traces/advise/farm.txt: as recorded by whoever is free, which is what --workers does.
    "$PAGODA" replay farm --workers 1,2,3,4 --json | jq '[.whatif.points[].farm.predicted_ns]' >free
    "$PAGODA" replay farm --workers 1,2,3,4 --dealing anycast --json | jq '[.whatif.points[].farm.predicted_ns]' | diff free -
    # The longest task is the first one anyway. Without flights, but with what the master does itself: 300, then
    # 302 to 402; the others 5 to 105, 107 to 207, 209 to 309, 311 to 411.
    [ "$("$PAGODA" replay farm --dealing longest-first --json | jq .whatif.farm.predicted_ns)" = 491000 ]
    [ "$("$PAGODA" replay farm --dealing batches --json | jq .whatif.farm.predicted_ns)" = 411000 ]
    "$PAGODA" replay farm --dealing processor-farm --json >report
    jq -e '.whatif.farm | .policy == "processor-farm" and .workers == 2 and .recorded_ns == 491000 and
        .predicted_ns > 491000' report
    "$PAGODA" replay farm --dealing processor-farm >text
    grep -q 'policy processor-farm: Each worker gets its share' text
    # In rounds: 300 until 320; from 322 on 100 and 100 until 447, from 449 on again until 574.
    # In halves: 150 and five of 50, in each round two flights, a gap, and five times 2 between.
    # With 100 ms before each task: worker 2 does tasks 2, 3 and 5, worker 1 the others until 300564.
    # With weights 2 1: worker 1 has 300 and three of 100, between them 22, until 686.
    echo '<policy name="w"><tasks to="in-turn" weights="2 1"/></policy>' >weights.xml
    local policy
    for policy in barrier multicast launched weights.xml; do
        "$PAGODA" replay farm --dealing "$policy" --json | jq .whatif.farm.predicted_ns
    done | paste -sd ' ' | diff - <(echo 574000 560000 300564000 686000)
    "$PAGODA" explain weights.xml | grep -q '^Weight 1 *2'
}

@test "policies that are refused: file, line, what is meant" {
    archive advise/uneven
    refused() {
        printf '%s\n' "$2" >bad.xml
        wrong_file bad.xml "$1"
    }
    local rule='<rule from="slowest" to="idle"/>'
    refused 'bad.xml:1: <policy> needs name' "<policy>$rule</policy>"
    refused 'bad.xml:1: a policy has <rule> elements, or <tasks>' '<policy name="a"/>'
    refused 'not both' "<policy name=\"a\">$rule<tasks/></policy>"
    refused '<tasks> is there twice' '<policy name="a"><tasks/><tasks/></policy>'
    refused 'poll="..." is about rules' '<policy name="a" poll="1ms"><tasks/></policy>'
    refused "bad.xml:2: <policy> has no element 'roule', did you mean 'rule'?" $'<policy name="a">\n<roule/></policy>'
    refused "bad.xml:1: <policy> has no attribute 'pol', did you mean 'poll'?" "<policy name=\"a\" pol=\"1ms\">$rule</policy>"
    refused 'bad.xml:2: unknown from slowst; is it slowest?' $'<policy name="a">\n<rule from="slowst" to="idle"/></policy>'
    refused 'unknown to zzz; there are slowest, fastest, most-left, least-left, idle, free-host' \
        '<policy name="a"><rule from="slowest" to="zzz"/></policy>'
    refused 'unknown at idel; is it idle?' '<policy name="a"><rule at="idel" from="slowest" to="idle"/></policy>'
    refused 'from="idle": it has no work to give' '<policy name="a"><rule from="idle" to="slowest"/></policy>'
    refused 'no rank gives work to itself' '<policy name="a"><rule from="slowest" to="slowest"/></policy>'
    refused '<rule> needs from=' '<policy name="a"><rule to="idle"/></policy>'
    refused 'lead="101": a number from 0 to 100, in percent' '<policy name="a"><rule lead="101" from="slowest" to="idle"/></policy>'
    refused 'share="0": a number above 0' '<policy name="a"><rule share="0" from="slowest" to="idle"/></policy>'
    refused 'transfer="-1ms"' '<policy name="a"><rule transfer="-1ms" from="slowest" to="idle"/></policy>'
    refused 'poll="0": more than no time at all' "<policy name=\"a\" poll=\"0\">$rule</policy>"
    refused 'free-hosts="many": a whole number from 0' "<policy name=\"a\" free-hosts=\"many\">$rule</policy>"
    refused 'unknown order longest; is it longest-first?' '<policy name="a"><tasks order="longest"/></policy>'
    refused 'weights="2" are for to="in-turn"' '<policy name="a"><tasks weights="2"/></policy>'
    refused 'weights="2 0": whole numbers from 1 to 1000' '<policy name="a"><tasks to="in-turn" weights="2 0"/></policy>'
    refused 'weights="x": whole numbers' '<policy name="a"><tasks to="in-turn" weights="x"/></policy>'
    refused 'weights="": without it' '<policy name="a"><tasks to="in-turn" weights=""/></policy>'
    refused '<rule> holds the text `x`: values are attributes' '<policy name="a"><rule from="slowest" to="idle">x</rule></policy>'
    refused 'more than 32 rules' "<policy name=\"a\">$(printf "%.0s$rule" {1..33})</policy>"
    wrong_files_refused
    run -1 --separate-stderr "$PAGODA" explain bad.xml
    [[ $stderr == *'bad.xml:1: more than 32 rules'* ]]
    run -1 --separate-stderr "$PAGODA" replay uneven --rebalance bad.xml
    [[ $stderr == *'bad.xml:1: more than 32 rules'* ]]
    run -1 --separate-stderr "$PAGODA" replay uneven --rebalance "$ROOT/patterns/machines/t3e.xml"
    [[ $stderr == *'t3e.xml: no policy: its outermost element is not <policy>'* ]]
}

@test "random policies balance as a simulation of its own does" {
    local seed n moved=0
    n=$(cases 16 4)
    for ((seed = 1; seed <= n; seed++)); do
        /usr/bin/python3 "$ROOT/tests/cli/balancing.py" "$seed" work.txt policy.xml expected
        rm -rf work
        "$BUILD/tools/mktrace" work.txt work
        "$PAGODA" replay work --rebalance policy.xml --json >report
        jq -r '.whatif.rebalancing | "\(.before_ns) \(.after_ns) \(.migrations) \(.moved_ns)"' report >found
        diff expected found || { echo "seed $seed"; return 1; }
        grep -q ' 0 0$' expected || moved=$((moved + 1))
    done
    [ "$moved" -gt $((n * 3 / 8)) ]
    valid policy.xml
}

@test "random task farms are dealt by random policies as by a simulation of its own" {
    local seed
    for ((seed = $(cases 8 3); seed > 0; seed--)); do
        /usr/bin/python3 "$ROOT/tests/cli/task_farm.py" "$seed" farm.txt lengths policy.xml
        rm -rf farm
        "$BUILD/tools/mktrace" farm.txt farm
        "$PAGODA" replay farm --dealing policy.xml --workers 1,2,3,4,5,6,7,8 --json >report
        diff <(jq '.whatif.points[].farm.predicted_ns' report) lengths || { echo "seed $seed"; return 1; }
    done
}
