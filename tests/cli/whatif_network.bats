# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --machine: scopes of messages, links and buses, speeds of nodes and regions; what is
# wrong with machine files. Traces of tests/traces/whatif are small enough to compute by hand.
load ../whatif

# predict OPTIONS...: finish of each rank on the machine of machine.xml, in ns.
predict() {
    "$PAGODA" replay --json --machine machine.xml "$@" trace |
        jq -c '[.whatif.ranks[].finish_ns]'
}

# network MACHINE-ATTRIBUTES MESSAGE-ATTRIBUTES ELEMENTS: a message of b bytes takes 100 + b ns.
network() {
    cat >machine.xml <<END
<machine name="links" ${1:-}>
  <message scope="network" ${2:-}>
    <point bytes="0" time="100ns"/> <point bytes="1000" time="1100ns"/>
  </message>
  ${3:-}
</machine>
END
}

@test "messages of collectives wait for links, too, and others for them" {
    # Four ranks on two nodes, allreduce of 100 bytes by recursive doubling: 200 ns a message, of
    # which it is transferred for 100. With the other one of the node: there at 200. Then to the other
    # node: those of ranks 0 and 2 begin at 200, there at 400; those of 1 and 3 at 300, there at 500.
    {
        echo nodes a a b b
        for r in 0 1 2 3; do
            printf '%d 0 enter main\n%d 0 enter MPI_Allreduce\n' $r $r
            printf '%d 50 coll-end allreduce world - 400 400\n' $r
            printf '%d 50 leave MPI_Allreduce\n%d 50 leave main\n' $r $r
        done
    } >allreduce.txt
    rm -r trace
    "$BUILD/tools/mktrace" allreduce.txt trace
    local by='<collective op="allreduce" algorithm="recursive-doubling"/>'
    network '' '' "$by"
    [ "$(predict)" = '[400,400,400,400]' ]
    network 'out-links="1"' '' "$by"
    [ "$(predict)" = '[400,500,400,500]' ]
    network 'out-links="2"' '' "$by"
    [ "$(predict)" = '[400,400,400,400]' ]
    # The same by a bus: the message of rank 0 to 2 begins at 200, of 1 to 3 at 300, of 2 to 0 at 400,
    # of 3 to 1 at 500, each there 200 later.
    network '' 'buses="1"' "$by"
    [ "$(predict)" = '[600,700,400,500]' ]
    "$PAGODA" replay --json --machine machine.xml trace |
        jq -e '.whatif | [.transfers, .delayed_transfers, .transfer_wait_ns] == [8, 3, 600]'
    # Before that rank 0 sends 1000 bytes to rank 2: its node's link is free at 1000; then rank 0 is
    # first, there at 1200, and rank 1, at 1300. The other way all is as before.
    rm -r trace
    sed -i '/^0 0 enter MPI_A/i 0 0 enter MPI_Isend\n0 0 isend world 2 1 1000 7\n0 0 leave MPI_Isend
        /^0 50 leave main/i 0 50 enter MPI_Wait\n0 50 isend-complete 7\n0 50 leave MPI_Wait
        /^2 0 enter MPI_A/i 2 0 enter MPI_Irecv\n2 0 irecv-request 9 world 0 1\n2 0 leave MPI_Irecv
        /^2 50 leave main/i 2 50 enter MPI_Wait\n2 50 irecv world 0 1 1000 9\n2 50 leave MPI_Wait' allreduce.txt
    "$BUILD/tools/mktrace" allreduce.txt trace
    network 'out-links="1"' '' "$by"
    [ "$(predict)" = '[400,500,1200,1300]' ]
    # The root of a flat broadcast sends to 1 at 0, to 2 at 100, to 3 at 200; into b is one link.
    sed 's/-links="1"/-links="1"/; s/allreduce" algorithm="recursive-doubling/bcast" algorithm="flat/' \
        -i machine.xml
    sed -n 1p allreduce.txt >bcast.txt
    grep -v 'world [02] 1\|nodes\|Isend\|Irecv\|Wait\|complete\|request' allreduce.txt |
        sed 's/Allreduce/Bcast/; s/allreduce world -/bcast world 0/' >>bcast.txt
    sed -i 's/^0 50 coll-end.*/0 50 coll-end bcast world 0 400 100/; s/^\([123]\) 50 coll-end.*/\1 50 coll-end bcast world 0 0 100/' bcast.txt
    rm -r trace
    "$BUILD/tools/mktrace" bcast.txt trace
    [ "$(predict)" = '[200,200,300,400]' ]
}

# parts OPTIONS...: computing and waiting, latency, bandwidth, contention; they sum to the predicted run.
parts() {
    "$PAGODA" replay --json --machine machine.xml --network-parts "$@" trace | jq -c '.whatif |
        .network_parts.total_ns = ([.network_parts[]] | add) |
        if .network_parts.total_ns == .predicted_ns then [.network_parts[]][:4] else . end'
}

@test "latency, bandwidth and contention of a predicted run" {
    # An allreduce by recursive doubling as above: with one link 500 ns, without links that wait 400, of
    # messages without bytes twice 100.
    {
        echo nodes a a b b
        echo "0-3 0 enter main"
        echo "0-3 0-50 MPI_Allreduce ; 50 coll-end allreduce world - 400 400"
        echo "0-3 50 leave main"
    } >allreduce.txt
    rm -r trace
    "$BUILD/tools/mktrace" allreduce.txt trace
    network 'out-links="1"' '' '<collective op="allreduce" algorithm="recursive-doubling"/>'
    [ "$(parts)" = '[0,200,200,100]' ]
    network '' 'buses="1"' '<collective op="allreduce" algorithm="recursive-doubling"/>'
    [ "$(parts)" = '[0,200,200,300]' ]
    network '' '' '<collective op="allreduce" algorithm="recursive-doubling"/>'
    [ "$(parts)" = '[0,200,200,0]' ]
    [ "$(parts --bandwidth 500MB)" = '[0,200,400,0]' ]
    [ "$(parts --latency 30ns)" = '[0,60,200,0]' ]
    network '' '' '<collective op="allreduce" time="1e-6 * log2(p) + b * 2e-9"/>'
    [ "$(parts)" = '[0,2000,200,0]' ]
    # Computing, overheads, messages; the machine is left as it is for what follows.
    use gaps
    network 'in-links="1" out-links="1"' 'send-overhead="7ns" recv-overhead="3ns"'
    parts >found
    jq -e 'type == "array" and .[0] > 0 and .[1] > 0 and .[2] > 0 and .[3] > 0' found
    "$PAGODA" replay --machine machine.xml --network-parts trace >out
    grep -A5 '^Parts of the predicted run' out
    refused '--network-parts takes apart the network of' --network-parts
    refused '--network-parts is of one prediction' --network-parts --machine machine.xml --cores 1,2
    echo '<machine name="speed" cpu-speed="2"/>' >machine.xml
    refused '--network-parts: machine.xml has no <message>' --network-parts --machine machine.xml
}

@test "a message that is ready later may use a gap, but delays none that was ready before" {
    use gaps
    network 'in-links="1" out-links="1"'
    # Rank 1's message into d: 1000 to 2000. Rank 0's into d: 2000 to 3000, there at 3100. Its 1000
    # bytes to c would take its link from 1200 to 2200: they go from 3000 to 4000, there at 4100.
    # The 500 bytes go from 1300 to 1800, there at 1900.
    "$PAGODA" replay --json --machine machine.xml trace |
        jq -e '.whatif | .transfers == 4 and .delayed_transfers == 2 and .transfer_wait_ns == 2700'
    says "2 of 4 messages waited for links or buses, 2.700 us" "$PAGODA" replay --machine machine.xml trace
}

@test "the machine file of the manual page" {
    sed -n '/^<machine name="two-sites"/,/^<\/machine>/p' "$ROOT/man/pagoda-machine.5" >machine.xml
    "$PAGODA" check machine.xml | grep 'machine file: 2 collectives'
    use scopes
    sed -i '/<region/d' machine.xml # the trace has no region fft
    # Rank 1 by the scope computer, rank 2 by wan. Rank 3 is on no named node: rank 0's overhead, then
    # computer1's link out is busy with the one before until 9200, then 50.895 us and the overhead.
    [ "$(predict --place n1s0=0 --place n1s1=1 --place fat2=2 --place fat9=3)" = \
        '[3000,2144,8009200,62238]' ]
}

@test "speeds of nodes: lists" {
    use scopes
    "$PAGODA" replay --json --cpu-speed a=1,2 --cpu-speed 4 trace |
        jq -e '.whatif.points | map(.set) == [{"cpu-speed a": "1"}, {"cpu-speed a": "2"}]'
}

@test "cores of single nodes" {
    use scopes
    network '' '' '<node name="node0" cores="1"/><node name="node1" cores="3"/>'
    says "1 to 3 a node" "$PAGODA" replay --machine machine.xml --nodes 2 trace
    says "2 a node" "$PAGODA" replay --machine machine.xml --nodes 2 --cores 2 trace
}

# wrong PATTERN ELEMENTS [ATTRIBUTES]: `pagoda check` and replay refuse a machine with these, with
# the line.
wrong() {
    network "${3:-}" '' "$2"
    run "$PAGODA" check machine.xml
    [ "$status" -eq 1 ]
    [[ $output =~ machine.xml:[0-9]+:\ .*$1 ]]
    refused "$1" --machine machine.xml
}

@test "bad input: scopes and groups" {
    use scopes
    local point='<point bytes="0" time="1us"/>'
    wrong 'scope="wan"> needs within="GROUPS" or between="GROUPS"' "<message scope='wan'>$point</message>"
    wrong 'unknown scope nod; is it node' "<message scope='nod'>$point</message>"
    wrong 'within=.* is for scopes with other names than node' "<message scope='node' within='a'>$point</message>"
    wrong 'exclude each other' "<message scope='wan' within='a' between='a b'>$point</message>"
    wrong 'two groups or nodes at least' "<message scope='wan' between='a'>$point</message>"
    wrong 'a second <message scope="wan">' \
        "<message scope='wan' within='a'>$point</message><message scope='wan' within='b'>$point</message>"
    wrong 'unknown group lefft; is it left' \
        "<group name='left' nodes='a b'/><message scope='wan' within='lefft'>$point</message>"
    wrong "<group> has no attribute 'node', did you mean 'nodes'" "<group name='left' node='a b'/>"
    wrong '<group> needs nodes=' "<group name='left' nodes=''/>"
    wrong '<group> needs name=' "<group nodes='a'/>"
    wrong 'a second <group name="left">' "<group name='left' nodes='a'/><group name='left' nodes='b'/>"
    wrong 'sizes of the points must grow' \
        "<message scope='core'><point bytes='9' time='1us'/><point bytes='9' time='2us'/></message>"
    wrong 'time="-1s": not a value such as' "<message scope='core'><point bytes='9' time='-1s'/></message>"
    wrong 'share a core share no bus' "<message scope='core' buses='1'>$point</message>"
    echo "<machine><message scope='wan' within='a b'>$point</message></machine>" >machine.xml
    refused 'needs one with scope="network" as well' --machine machine.xml
}

@test "bad input: links, nodes and regions" {
    use scopes
    wrong 'in-links="0": from 1 to' '' 'in-links="0"'
    wrong 'out-links="-1": not a whole number' '' 'out-links="-1"'
    wrong "<machine> has no attribute 'outlinks', did you mean 'out-links'" '' 'outlinks="1"'
    wrong 'buses="0": from 1 to' '<message scope="node" buses="0"><point bytes="0" time="1us"/></message>'
    wrong "<node> has no attribute 'cpu-sped', did you mean 'cpu-speed'" '<node name="a" cpu-sped="1"/>'
    wrong 'cpu-speed="0": a number from 0.001 to 1000' '<node name="a" cpu-speed="0"/>'
    wrong '<node> needs name=' '<node cpu-speed="1"/>'
    wrong 'a second <node name="a">' '<node name="a"/><node name="a"/>'
    wrong 'cores="0": from 1 to' '<node name="a" cores="0"/>'
    wrong '<region> needs speed=' '<region name="main"/>'
    wrong 'speed="fast": a number' '<region name="main" speed="fast"/>'
    wrong "<machine> has no element 'regoin', did you mean 'region'" '<regoin name="main" speed="2"/>'
    echo '<machine in-links="2"/>' >machine.xml
    refused 'links without any <message>' --machine machine.xml
}

@test "bad input: names that the run does not have" {
    use scopes
    network '' '' '<region name="mian" speed="2"/>'
    "$PAGODA" check machine.xml
    refused 'machine.xml:5: <region> .*mian.*main' --machine machine.xml
    # A node without ranks may be named, not one that looks like a slip, nor none but those.
    network '' '' '<node name="a" cores="1"/><node name="e" cores="1"/>'
    predict
    network '' '' '<node name="host" cores="1"/>'
    refused 'machine.xml:5: no rank runs on a node hosts?, or on any other of this file; they run on a and others' \
        --machine machine.xml
    network '' '' '<node name="nod1" cores="1"/><node name="node0" cores="1"/>'
    refused 'no rank runs on a node nod1; is it node1' --machine machine.xml --nodes 2
    network '' '' '<group name="left" nodes="nodeo node1"/>'
    refused 'no rank runs on a node nodeo; is it node0' --machine machine.xml --nodes 2
    refused 'cpu-speed .*e: there is no such node; is it' --cpu-speed e=2
    refused 'cpu-speed .*node3: there is no such node; is it node' --cpu-speed node3=2 --nodes 2
    refused 'cpu-speed =2: not of the form NODE=F' --cpu-speed =2
    refused 'cpu-speed a=0: from 0.001 to 1000' --cpu-speed a=0
    refused 'node a has a speed already' --cpu-speed a=1 --cpu-speed a=2
    refused 'all nodes have a speed already' --cpu-speed 1 --cpu-speed 2
}
