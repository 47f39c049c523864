# SPDX-License-Identifier: BSD-3-Clause
# The bundled machines: each is sound, says its source, and is found by its name.
load ../helper

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

@test "bundled machines are sound and say where their numbers are from" {
    local file
    for file in "$ROOT"/patterns/machines/*.xml; do
        "$PAGODA" check "$file"
        [ "$(xmllint --xpath 'string(/machine/@name)' "$file")" = "$(basename "$file" .xml)" ]
        [ -n "$(xmllint --xpath 'string(/machine/calibration/@source)' "$file")" ]
        [ -n "$(xmllint --xpath 'string(/machine/calibration/@missing)' "$file")" ]
    done
}

@test "bundled machines say what is printed" {
    python3 "$ROOT/tests/cli/printed_machines.py" "$ROOT/patterns/machines"
    # The comparison is one: with other numbers it fails.
    cp "$ROOT"/patterns/machines/*.xml .
    sed -i 's/0.3409e-6/0.3408e-6/' clic.xml
    run python3 "$ROOT/tests/cli/printed_machines.py" .
    [ "$status" = 1 ]
    [[ $output == *'clic: bcast 2 65536'* ]]
}

@test "a bundled machine by its name" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/check/sound.txt" trace
    run --separate-stderr "$PAGODA" replay trace --machine t3e --json
    [ "$status" = 0 ]
    "$PAGODA" replay trace --machine "$ROOT/patterns/machines/t3e.xml" --json >by-path
    diff <(jq .whatif.predicted_ns <<<"$output") <(jq .whatif.predicted_ns by-path)
    # A file of this name here comes first.
    cp "$ROOT/patterns/machines/clic.xml" t3e
    "$PAGODA" replay trace --machine t3e --json | jq .whatif.predicted_ns >here
    "$PAGODA" replay trace --machine clic --json | jq .whatif.predicted_ns | diff - here
}

@test "a machine that does not exist" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/check/sound.txt" trace
    run --separate-stderr "$PAGODA" replay trace --machine quadrix
    [ "$status" != 0 ]
    [[ $stderr == *'quadrix: no such file, and no bundled machine; is it quadrics?'* ]]
    run --separate-stderr "$PAGODA" replay trace --machine zzz
    [[ $stderr == *'zzz: no such file, and none of the bundled machines (clic, es40, '* ]]
}

@test "more ranks than collectives were calibrated for" {
    cat >few.xml <<'END'
<machine name="few">
  <calibration collective-members="2" compute="1ms"/>
  <message scope="network"><point bytes="0" time="1us"/></message>
  <collective op="barrier" time="1e-6*log2(p)"/>
</machine>
END
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/whatif/worked-example.txt" three
    "$PAGODA" check few.xml
    "$PAGODA" replay three --machine few.xml --json |
        jq -e '[.whatif.assumptions[] | select(test("up to 2 ranks were calibrated for few.xml"))] | length == 1'
    sed 's/members="2"/members="3"/' few.xml >enough.xml
    "$PAGODA" replay three --machine enough.xml --json | jq -e '.whatif.assumptions == []'
    sed 's/members="2"/members="none"/' few.xml >bad.xml
    run "$PAGODA" check bad.xml
    [ "$status" = 1 ]
    [[ $output == *'collective-members'* ]]
}
