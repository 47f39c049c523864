# SPDX-License-Identifier: BSD-3-Clause
# `pagoda explain`: what holds for all kinds of things; patterns.bats, machines.bats, policies.bats and
# task_models.bats have what holds for one.
load ../helper

@test "everything that is bundled is listed, and each name in a list is explained" {
    "$PAGODA" explain >all
    [ "$(grep -c '^[A-Z].*(.*)$' all)" = 6 ]
    grep -qx 'Kinds of findings that a report begins with' all
    find "$ROOT"/patterns{,/findings,/tuning,/properties,/machines,/policies,/models} -maxdepth 1 -name '*.xml' \
        -printf '%f\n' | sed 's/\.xml$//' >names
    sed -n 's/^\(property\|metric\) \([a-z_]*\).*/\2/p' "$ROOT"/patterns/properties/*.asl >>names
    [ -z "$(sort names | uniq -d)" ]
    while read -r name; do
        grep -qE "^ *$name( |$)" all || { echo "$name is not listed"; return 1; }
        "$PAGODA" explain "$name" | grep -q . || return 1
    done <names
    # A list of a kind is a part of the whole list.
    local kind
    for kind in patterns findings tuning properties machines policies models; do
        "$PAGODA" explain "$kind" >one
        [ "$(grep -cvxFf all one)" = 0 ]
        [ "$(wc -l <one)" -lt "$(wc -l <all)" ]
    done
}

@test "JSON has a key for each kind that is shown" {
    keys() { "$PAGODA" explain --json "$@" | jq -r '[.schema, (keys - ["schema", "pagoda"])] | flatten | join(" ")'; }
    [ "$(keys)" = "1 findings hierarchies machines models patterns policies properties tuning" ]
    [ "$(keys machines)" = "1 machines" ]
    [ "$(keys late-sender)" = "1 patterns" ]
    [ "$(keys magda)" = "1 policies" ]
    [ "$(keys irk)" = "1 models" ]
    [ "$(keys uneven-work)" = "1 findings" ]
    [ "$(keys eager-messages)" = "1 tuning" ]
    [ "$(keys inefficiency)" = "1 properties" ]
    [ "$(keys mixed)" = "1 hierarchies" ]
    "$PAGODA" explain --json | jq -e '(.patterns | length) > 15 and (.machines | length) > 5 and
        (.findings | length) > 20 and (.policies | length) > 3'
}

@test "a file is explained by what it holds" {
    sed 's/id="late-sender"/id="mine"/; s/<name>[^<]*/<name>Mine/' "$ROOT/patterns/late-sender.xml" >mine.xml
    grep -q 'id="mine"' mine.xml
    run -0 --separate-stderr "$PAGODA" explain mine.xml
    [ "${lines[0]}" = Mine ]
    [[ $output == *'read from    mine.xml' ]]
    [ "$("$PAGODA" explain --json mine.xml | jq -r '.patterns[].id')" = mine ]
    { echo '<patterns>'; grep -v '^<?xml' mine.xml; sed 's/"mine"/"other"/' mine.xml | grep -v '^<?xml'; echo '</patterns>'; } >two.xml
    [ "$("$PAGODA" explain --json two.xml | jq -r '.patterns[].id' | xargs)" = "mine other" ]
    cp "$ROOT/patterns/machines/clic.xml" here.xml
    diff <("$PAGODA" explain --json here.xml | jq '.machines[0] | del(.file)') \
        <("$PAGODA" explain --json clic | jq '.machines[0] | del(.file)')
    "$PAGODA" explain "$ROOT/patterns/policies/magda.xml" | grep -q '^Rule 1'
}

@test "what reports call a wait state or a finding is explained, too" {
    local title
    for title in late-sender='Late Sender' wait-at-nxn='wait at n x n' polling='Waiting by polls'; do
        "$PAGODA" explain "${title%%=*}" >by_id
        "$PAGODA" explain "${title#*=}" | diff by_id - || return 1
    done
    run -1 --separate-stderr "$PAGODA" explain 'Late receiver'
    [ "$stderr" = 'pagoda: `Late receiver` is what several are called: explain one of late-receiver, receiver-late' ]
}

@test "nothing of that name: the nearest of any kind, or where to look" {
    check() {
        run -1 --separate-stderr "$PAGODA" explain "$1"
        [ -z "$output" ]
        [ "$stderr" = "pagoda: nothing is called \`$1\`$2" ] || { echo "$stderr"; return 1; }
    }
    check late-sendr '; did you mean `late-sender`?'
    check uneven-wrk '; did you mean `uneven-work`?'
    check quadrix '; did you mean `quadrics`?'
    check procesor-farm '; did you mean `processor-farm`?'
    check machnes '; did you mean `machines`?'
    check zzz ' (`pagoda explain` lists all names)'
    run -1 --separate-stderr "$PAGODA" explain gone.xml
    [[ $stderr == "pagoda: "*gone.xml*"No such file"* ]]
    echo '<sweep/>' >sweep.xml
    run -1 --separate-stderr "$PAGODA" explain sweep.xml
    [ "$stderr" = "pagoda: sweep.xml:1: <sweep> is neither <pattern>, <patterns>, <finding>, <tuning>, <hierarchy>, <machine>, <model> nor <policy>" ]
}

@test "a kind of findings: its sentences, condition and remedies, as text and JSON" {
    cat >mine.xml <<EOF
<finding id="mine" about="computing" order="3"><name>A {rank}</name>
<when>causing_ranks &gt; 1 &amp;&amp; !one_way</when><what>What
  {loss} is.</what><hint>Do it.</hint>
<remedy option="drop-sync" value="{wait_path}" when="barrier_share > 0.5" proof="yes">Drop it</remedy>
<remedy option="scale" value="{region}=0.5" fallback="yes">Halve it</remedy></finding>
EOF
    run -0 --separate-stderr "$PAGODA" explain mine.xml
    diff - <(paste -sd' ' <<<"$output" | tr -s ' ') <<EOF
A {rank} mine What {loss} is. What to do Do it. - Drop it: --drop-sync {wait_path}; where barrier_share > 0.5; \
a proof: if none saves time, the finding is of the next kind that applies \
- Halve it: --scale {region}=0.5; if no other remedy saves much time How it is found \
about computing order 3 when causing_ranks > 1 && !one_way read from mine.xml
EOF
    run -0 "$PAGODA" explain moving-work
    [ -z "$(grep -v '^read from' <<<"$output" | awk 'length > 80')" ]
    "$PAGODA" explain --json uneven-work | jq -e '.findings | length == 1 and (.[0] |
        .id == "uneven-work" and .about == "computing" and .order == 20 and
        .when == "uneven_share >= 0.5" and (.what | startswith("{heavy} more work")) and
        .ranks == "heavy" and
        (.remedies | map([.option, .value, .fallback, .proof])) ==
            [["balance", "{region}", false, false], ["balance", "{step}", false, false],
             ["scale", "{region}=0.5", true, false],
             ["drop-sync", "{wait_path}", false, false], ["drop-sync", "MPI_Barrier", false, false]])'
    "$PAGODA" explain --json split-collective | jq -e '.findings[0] | .calls == "MPI_Bcast" and
        .after == "MPI_Reduce MPI_Gather MPI_Gatherv" and .when == null'
}

# kind ID REMEDY: a kind of findings for any computing that others wait for, before all others.
kind() {
    echo "<finding id='$1' about='computing' order='0'><name>Mine</name>" \
        "<what>Look at {place}.</what>$2</finding>"
}

@test "a user's kind of findings: explained, listed, used by replay, refused when wrong" {
    kind mine "<remedy option='scale' value='{region}=0.5'>Halve {work}</remedy>" >mine.xml
    run -0 --separate-stderr "$PAGODA" explain mine.xml
    [ "${lines[0]}" = Mine ]
    [ "$("$PAGODA" explain --json mine.xml | jq -c '[.findings[].id]')" = '["mine"]' ]
    "$PAGODA" explain --patterns mine.xml findings | grep -qx 'mine  *computing  *Mine'
    archive patterns/late-sender trace
    "$PAGODA" replay --json trace | jq -e '[.findings[].kind] | length > 0 and index("mine") == null'
    "$PAGODA" replay --json --patterns mine.xml trace |
        jq -e '.findings[0] | .kind == "mine" and .name == "Mine" and (.text | startswith("Look at "))'
    # What is shown only if nothing else helps: not where another remedy saves a quarter of the loss each.
    # Rank 0 waits for 900 ns, f takes 1000; 2 of them or 900 are saved, where 225 are a quarter.
    printf '%s\n' '0 0 enter main' '0 100 enter MPI_Recv' '0 1001 recv world 1 4 8' '0 1002 leave MPI_Recv' \
        '0 1010 leave main' '1 0 enter main' '1 0 enter f' '1 1000 leave f' '1 1000 enter MPI_Send' \
        '1 1001 send world 0 4 8' '1 1002 leave MPI_Send' '1 1010 leave main' | "$BUILD/tools/mktrace" - awaited
    local factor
    for factor in 0.998 0.1; do
        kind mine "<remedy option='scale' value='{region}=$factor'>Less {work}</remedy>
            <remedy option='scale' value='{region}=0.5' fallback='yes'>Halve {work}</remedy>" >mine.xml
        "$PAGODA" replay --json --patterns mine.xml awaited |
            jq -c '[.findings[] | select(.kind == "mine") | .remedies[].text[:5]]'
    done >shown
    diff - shown <<<$'["Halve","Less "]\n["Less "]'
    # The same file as one of a shipped kind replaces that.
    kind uneven-work >mine.xml
    "$PAGODA" explain --patterns mine.xml --json findings |
        jq -e '[.findings[] | select(.id == "uneven-work") | .name] == ["Mine"]'
    kind mine "<remedy option='scal' value='1'>x</remedy>" >mine.xml
    for command in "replay trace" "explain" "store add x.db trace"; do
        # shellcheck disable=SC2086
        run -1 --separate-stderr "$PAGODA" $command --patterns mine.xml
        [ "$stderr" = 'pagoda: mine.xml:1: <remedy>: `scal` is not a what-if option of pagoda replay; did you mean `scale`?' ] ||
            { echo "$stderr"; return 1; }
    done
}
