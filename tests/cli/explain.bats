# SPDX-License-Identifier: BSD-3-Clause
# `pagoda explain`: what holds for all kinds of things; patterns.bats, machines.bats and policies.bats
# have what holds for one.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

@test "everything that is bundled is listed, and each name in a list is explained" {
    "$PAGODA" explain >all
    [ "$(grep -c '^[A-Z].*(.*)$' all)" = 3 ]
    find "$ROOT/patterns" "$ROOT/patterns/machines" "$ROOT/patterns/policies" -maxdepth 1 -name '*.xml' \
        -printf '%f\n' | sed 's/\.xml$//' >names
    while read -r name; do
        grep -qE "^ *$name( |$)" all || { echo "$name is not listed"; return 1; }
        "$PAGODA" explain "$name" | grep -q . || return 1
    done <names
    # A list of a kind is a part of the whole list.
    local kind
    for kind in patterns machines policies; do
        "$PAGODA" explain "$kind" >one
        [ "$(grep -cvxFf all one)" = 0 ]
        [ "$(wc -l <one)" -lt "$(wc -l <all)" ]
    done
}

@test "JSON has a key for each kind that is shown" {
    keys() { "$PAGODA" explain --json "$@" | jq -r '[.schema, (keys - ["schema", "pagoda"])] | flatten | join(" ")'; }
    [ "$(keys)" = "1 machines patterns policies" ]
    [ "$(keys machines)" = "1 machines" ]
    [ "$(keys late-sender)" = "1 patterns" ]
    [ "$(keys magda)" = "1 policies" ]
    "$PAGODA" explain --json | jq -e '(.patterns | length) > 15 and (.machines | length) > 5 and
        (.policies | length) > 3'
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

@test "nothing of that name: the nearest of any kind, or where to look" {
    check() {
        run -1 --separate-stderr "$PAGODA" explain "$1"
        [ -z "$output" ]
        [ "$stderr" = "pagoda: nothing is called \`$1\`$2" ] || { echo "$stderr"; return 1; }
    }
    check late-sendr '; did you mean `late-sender`?'
    check quadrix '; did you mean `quadrics`?'
    check procesor-farm '; did you mean `processor-farm`?'
    check machnes '; did you mean `machines`?'
    check zzz ' (`pagoda explain` lists all names)'
    run -1 --separate-stderr "$PAGODA" explain gone.xml
    [[ $stderr == "pagoda: "*gone.xml*"No such file"* ]]
    echo '<sweep/>' >sweep.xml
    run -1 --separate-stderr "$PAGODA" explain sweep.xml
    [ "$stderr" = "pagoda: sweep.xml:1: <sweep> is neither <pattern>, <patterns>, <machine> nor <policy>" ]
}
