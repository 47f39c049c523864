# SPDX-License-Identifier: BSD-3-Clause
# The bundled machines: each is sound, says its source, and is found by its name; the list of them, and
# one of them; the schema of such files against what `pagoda check` says.
load ../checked_files

valid() {
    xmllint --nonet --noout --relaxng "$ROOT/patterns/machines/machines.rng" "$@" 2>/dev/null
}

@test "bundled machines are sound and say where their numbers are from" {
    cd "$ROOT/patterns/machines"
    "$PAGODA" check ./*.xml
    valid ./*.xml
    for attribute in summary source missing; do
        grep -l " $attribute=\"[^\"]" ./*.xml | diff - <(printf '%s\n' ./*.xml)
    done
    sed -n 's/^<machine name="\([^"]*\)".*/\1.xml/p' ./*.xml | diff - <(printf '%s\n' *.xml)
}

@test "bundled machines say what is printed" {
    /usr/bin/python3 "$ROOT/tests/cli/printed_machines.py" "$ROOT/patterns/machines"
    # The comparison is one: with other numbers it fails.
    cp "$ROOT"/patterns/machines/*.xml .
    sed -i 's/0.3409e-6/0.3408e-6/' clic.xml
    says -1 'clic: bcast 2 65536' /usr/bin/python3 "$ROOT/tests/cli/printed_machines.py" .
}

@test "a bundled machine by its name" {
    archive check/sound trace
    run -0 --separate-stderr "$PAGODA" replay trace --machine t3e --json
    "$PAGODA" replay trace --machine "$ROOT/patterns/machines/t3e.xml" --json >by-path
    diff <(jq .whatif.predicted_ns <<<"$output") <(jq .whatif.predicted_ns by-path)
    # A file of this name here comes first.
    cp "$ROOT/patterns/machines/clic.xml" t3e
    "$PAGODA" replay trace --machine t3e --json | jq .whatif.predicted_ns >here
    "$PAGODA" replay trace --machine clic --json | jq .whatif.predicted_ns | diff - here
}

@test "a machine that does not exist" {
    archive check/sound trace
    run --separate-stderr "$PAGODA" replay trace --machine quadrix
    [ "$status" != 0 ]
    [[ $stderr == *'quadrix: neither a file nor a bundled machine; did you mean quadrics?'* ]]
    run --separate-stderr "$PAGODA" replay trace --machine zzz
    [[ $stderr == *'zzz: neither a file nor one of the bundled machines (clic, es40, '* ]]
}

@test "more ranks than collectives were calibrated for" {
    cat >few.xml <<'END'
<machine name="few">
  <calibration collective-members="2" compute="1ms"/>
  <message scope="network"><point bytes="0" time="1us"/></message>
  <collective op="barrier" time="1e-6*log2(p)"/>
</machine>
END
    archive whatif/worked-example three
    "$PAGODA" check few.xml
    "$PAGODA" replay three --machine few.xml --json |
        jq -e '[.whatif.assumptions[] | select(test("up to 2 ranks were calibrated for few.xml"))] | length == 1'
    sed 's/members="2"/members="3"/' few.xml >enough.xml
    "$PAGODA" replay three --machine enough.xml --json | jq -e '.whatif.assumptions == []'
    sed 's/members="2"/members="none"/' few.xml >bad.xml
    says -1 'collective-members' "$PAGODA" check bad.xml
}

@test "the list, and one of them" {
    "$PAGODA" explain machines >list
    (cd "$ROOT/patterns/machines" && printf '%s\n' *.xml) | sed 's/\.xml$//' | LC_ALL=C sort >names
    awk '/^[a-z]/ { print $1 }' list | diff names -
    tr -s ' \n' ' ' <list | grep -q 'es40 Compaq [^;]*; 4 cores a node; messages: node, network; 0 collectives'
    "$PAGODA" explain machines --json | jq -r '.machines[].name' | diff names -
    "$PAGODA" explain quadrics >page
    head -n 1 page | grep -q '^quadrics: Quadrics QsNet'
    grep -q '^In the network  2.400 us for 0 B, 3.089 ms for 977 KiB (5 points), 309 MiB/s' page
    grep -q '^ *bcast: hardware-multicast, max(8e-6, b/306e6)$' page
    grep -q '^Missing there   messages within a node' page
    grep -q '^Read from  *.*machines/quadrics.xml' page
    "$PAGODA" explain --json clic | jq -e '.schema == 1 and (.machines | length) == 1 and (.machines[0] |
        .cores == 1 and .cpu_speed == 1 and .slice_ns == null and (.source | test("Kuehnemann")) and
        [.scopes[] | [.scope, .eager_bytes, (.points | length), .points[2].time_ns]] ==
        [["network", null, 3, 106062474]] and
        (.collectives[] | select(.operation == "scatter") |
        [.from_bytes, .below_bytes, .algorithm, .time]) ==
        [0, null, null, "24.6e-6 + 1439.5e-6*p + 0.086e-6*c*p*b"])'
    run -2 "$PAGODA" explain t3e clic
}

@test "a machine of one's own" {
    cat >mine.xml <<'END'
<machine name="m&#155;ne" cores="2" cpu-speed="1.5" hand-over="3us" slice="4ms" buffered="256" out-links="2">
  <calibration date="today" host="h" mpi="M 1" node-error="2%" collective-members="8" compute="1ms"/>
  <node name="fat*" cores="8"/>
  <group name="here" nodes="a b"/>
  <message scope="network" eager="64KiB" send-overhead="2us" buses="3"><point bytes="0" time="9us"/></message>
  <message scope="site" within="here"><point bytes="0" time="1us"/><point bytes="1MB" time="1ms"/></message>
  <collective op="bcast" below="1KiB" algorithm="binomial"/>
  <collective op="bcast" from="1KiB" time="b*1e-9"/>
</machine>
END
    valid mine.xml
    "$PAGODA" explain mine.xml >page
    # A control character does not come to the terminal.
    head -n 1 page | grep -qx 'm?ne'
    grep -q '^Speed  *1.5$' page
    grep -q '^Hand-over  *3.000 us to give' page
    grep -q '^Links  *2 out of a node, 0 into it (0: any)$' page
    tr -s ' \n' ' ' <page | grep -q 'network 9.000 us for 0 B; send 2.000 us, receive 0 ns; eager up to 64.0 KiB; at most 3 at once'
    grep -q '^Messages  *site: 1.000 us for 0 B' page
    grep -q '^Collectives  *bcast below 1.0 KiB: binomial$' page
    grep -q '^ *bcast from 1.0 KiB: b\*1e-9$' page
    grep -q '^Of their own  *1 x node, 1 x group$' page
    grep -q '^MPI  *M 1$' page
    "$PAGODA" explain mine.xml --json | jq -e '.machines[0] | [.scopes[].scope] == ["network", "site"] and
        .collective_members == 8 and .node_error == "2%" and .compute_ns == 1000000 and
        .slice_ns == 4000000 and .source == null and .file == "mine.xml"'
    echo '<machine name="x"><message/></machine>' >bad.xml
    run -1 --separate-stderr "$PAGODA" explain bad.xml
    [ -z "$output" ]
    [[ $stderr == *'bad.xml:1: <message> needs scope='* ]]
}

# each_of VERDICTS: of each line, which is the inside of a <machine>, or all of it.
each_of() {
    case_files "<machine>$network" '</machine>' '<machine'
    verdicts "$ROOT/patterns/machines/machines.rng" "$1"
}

network='<message scope="network"><point bytes="0" time="1us"/></message>'

@test "the schema agrees with what is checked" {
    each_of "refused refused" <<'END'
<machines/>
<machine nam="x"/>
<machine cores="0"/>
<machine cores="two"/>
<machine cores="-1"/>
<machine cores="100000"/>
<machine cpu-speed="fast"/>
<machine cpu-speed="-1"/>
<machine hand-over="3 parsecs"/>
<machine hand-over="-3us"/>
<machine slice=""/>
<machine out-links="0"/>
<machine in-links="many"/>
<machine>words</machine>
<machine><machine/></machine>
<machine><collective op="barrier" time="0"/></machine>
<calibration/><calibration/>
<calibration dat="today"/>
<calibration compute="-1ns"/>
<calibration collective-members="none"/>
<calibration collective-members="0"/>
<calibration><point/></calibration>
<node cores="2"/>
<node name=""/>
<node name="a" cores="0"/>
<node name="a" hand-over="1us"/>
<node name="a" cpu-speed="x"/>
<node name="a">b</node>
<group name="g"/>
<group nodes="a"/>
<group name="g" nodes="a" buses="1"/>
<region name="r"/>
<region speed="2"/>
<region name="r" speed="x"/>
<compute region="r"/>
<compute time="1"/>
<compute region="r" time=""/>
<message><point bytes="0" time="1us"/></message>
<message scope="node"/>
<message scope="node" within="a"><point bytes="0" time="1us"/></message>
<message scope="core" buses="1"><point bytes="0" time="1us"/></message>
<message scope="far"><point bytes="0" time="1us"/></message>
<message scope="far" between="a"><point bytes="0" time="1us"/></message>
<message scope="far" within=" "><point bytes="0" time="1us"/></message>
<message scope="far" within="a" between="a b"><point bytes="0" time="1us"/></message>
<message scope="node" eager="some"><point bytes="0" time="1us"/></message>
<message scope="node" send-overhead="-1us"><point bytes="0" time="1us"/></message>
<message scope="node" receive-overhead="1us"><point bytes="0" time="1us"/></message>
<message scope="node"><point bytes="0"/></message>
<message scope="node"><point time="0"/></message>
<message scope="node"><point bytes="-1" time="1us"/></message>
<message scope="node"><point bytes="0" time="-1us"/></message>
<message scope="node"><point bytes="0" time="1us" spread="0"/></message>
<message scope="node"><point bytes="0" time="1us"><point bytes="1" time="1us"/></point></message>
<message scope="node"><points/></message>
<collective op="barrier"/>
<collective time="1"/>
<collective op="broadcast" time="1"/>
<collective op="barrier" time=""/>
<collective op="barrier" algorithm="tree"/>
<collective op="scatter" algorithm="ring"/>
<collective op="alltoall" algorithm="binomial"/>
<collective op="gather" algorithm="quaternary"/>
<collective op="scan" algorithm="hardware-multicast"/>
<collective op="barrier" algorithm="ring" time="1"/>
<collective op="bcast" algorithm="ring" tree="flat"/>
<collective op="bcast" algorithm="hardware-multicast" tree="ring"/>
<collective op="bcast" algorithm="hardware-multicast" missing-nodes="some"/>
<collective op="bcast" time="1" from="-1"/>
<collective op="bcast" time="1" below="x"/>
<switch/>
END
    each_of "accepted accepted" <<'END'
<machine/>
<machine name="" summary="" cores="65536" cpu-speed=".5" hand-over="1e-6" slice="4ms"/>
<machine><node name="a*" cores="3" cpu-speed="2e0"/><group name="g" nodes=" a b "/></machine>
<calibration/>
<calibration source="" missing="" date="" host="" processor="" mpi="" node-error="" network-error="" collective-error="" collective-members="4" unsteady="" compute="1.5ms"/>
<region name="r" speed="2"/><compute region="a/**/r" time="w*1e-6"/><region name="q" speed="0.5"/>
<message scope="core"><point bytes="0B" time="0"/><point bytes="1.5KiB" time="1h"/></message>
<message scope="node" eager="1KB" send-overhead="1ns" recv-overhead="1µs" buses="2"><point bytes="0" time="1us"/></message>
<message scope="far" between="a b" buses="1"><point bytes="0" time="1min"/></message>
<message scope="near" within="a"><point bytes="0" time="1us"/></message>
<collective op="barrier" time="log2(p)*1e-6"/><collective op="alltoallw" algorithm="flat"/>
<collective op="bcast" below="1KiB" algorithm="ring"/><collective op="bcast" from="1024" time="0"/>
<collective op="bcast" algorithm="hardware-multicast" time="1" tree="flat" missing-nodes="3,8-11"/>
END
    # Every algorithm of every operation, as pagoda-machine(5) has them.
    local op algorithm
    for op in barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw \
        allreduce reduce reduce_scatter scan exscan reduce_scatter_block; do
        for algorithm in flat binomial quaternary recursive-doubling recursive-halving ring hardware-multicast; do
            echo "<collective op=\"$op\" algorithm=\"$algorithm\"/>"
        done
    done >all
    each_of agree <all
    # What the schema cannot say.
    each_of "refused accepted" <<'END'
<message scope="network"><point bytes="0" time="1us"/></message>
<message scope="node"><point bytes="8" time="1us"/><point bytes="8" time="2us"/></message>
<machine out-links="1"/>
<collective op="bcast" time="b*q"/>
<collective op="bcast" time="1" below="8"/>
<collective op="bcast" time="1"/><collective op="bcast" time="2"/>
<group name="g" nodes="a"/><group name="g" nodes="b"/>
<compute region="r" time="nonsense("/>
<machine cpu-speed="2000"/>
<machine slice="999ns"/>
<machine slice="2h"/>
<machine hand-over="3601s"/>
<message scope="node"><point bytes="8" time="61min"/></message>
END
}
