# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay with what-if options: placements, cores and their sharing, processors, regions; what
# is printed; bad input. Traces of tests/traces/whatif are small enough to compute by hand.
load ../whatif

@test "spinning in slices of time: the report says whether it has them" {
    "$PAGODA" replay --nodes 1 --wait spin trace | tr -s ' \n' ' ' |
        grep -q 'keeps its core for a whole slice.*: --slice 4ms models'
    lacks() { "$PAGODA" replay --json --wait spin "$@" | jq '.whatif.assumptions | any(test("--slice 4ms"))'; }
    [ "$(lacks --nodes 1 trace)" = true ]
    [ "$(lacks --nodes 1 --slice 4ms trace)" = false ]
    [ "$(lacks trace)" = false ] # a core for each
    "$PAGODA" replay --nodes 1 --wait spin --slice 500us trace | tr -s ' \n' ' ' | grep -q 'a waiting rank spins; time slices of 0.5 ms'
    "$PAGODA" replay --nodes 1 --slice 500us trace | tr -s ' \n' ' ' | grep -q 'a waiting rank blocks; time slices of 0.5 ms'
    ! "$PAGODA" replay --nodes 1 --wait spin --slice 500us trace | grep -q 'whole slice' || false
}

@test "slices of a machine file: --slice overrides them, also by none" {
    echo '<machine name="m" slice="500us"/>' >m.xml
    "$PAGODA" replay --nodes 1 --wait spin --machine m.xml trace | grep -q 'spins; time slices of 0.5 ms'
    "$PAGODA" replay --nodes 1 --wait spin --machine m.xml --slice 2ms trace | grep -q 'spins; time slices of 2 ms'
    "$PAGODA" replay --nodes 1 --wait spin --machine m.xml --slice 0 trace | tr -s ' \n' ' ' | grep -q 'keeps its core for a whole slice'
    [ "$(predict --nodes 1 --wait spin --machine m.xml --slice 0)" = "$(predict --nodes 1 --wait spin)" ]
}

@test "slices of a machine file: the run with nothing changed has them, too" {
    # One core, recorded so: rank 0 computes for 1.5 ms and sends, rank 1 waits and spins.
    printf '%s\n' 'nodes a a' 'cores a 1' '0 0 enter main' '0 1500000 enter MPI_Send' \
        '0 1500000 send world 1 0 8' '0 1500000 leave MPI_Send' '0 2500000 leave main' '1 0 enter main' \
        '1 0 enter MPI_Recv' '1 1500000 recv world 0 0 8' '1 1500000 leave MPI_Recv' \
        '1 2500000 leave main' | "$BUILD/tools/mktrace" - spinning
    echo '<machine name="m" slice="700us"/>' >m.xml
    error() { "$PAGODA" replay --json --wait spin "$@" spinning | jq .whatif.replay_error; }
    [ "$(error --machine m.xml)" = "$(error --slice 700us)" ]
    [ "$(error --machine m.xml)" != "$(error)" ]
    [ "$(error --machine m.xml --slice 0)" = "$(error)" ]
    # On other nodes slices matter for the replay error only.
    apart() { "$PAGODA" replay --json --wait spin --nodes 2 "$@" spinning | jq '.whatif.assumptions | any(test("--slice 4ms"))'; }
    [ "$(apart)" = true ]
    [ "$(apart --slice 700us)" = false ]
}

@test "handing a core over costs time where ranks share one" {
    "$PAGODA" replay --json --nodes 1 --hand-over 100ns trace | jq -e '.whatif.hand_over_ns == 200'
    refused '--hand-over 5parsec: unknown unit' --hand-over 5parsec
}

@test "what a context switch took in the recording is saved on a core of one's own, and said" {
    use shared-hand-over
    assumed() { "$PAGODA" replay --json "$@" trace | jq -r '.whatif.assumptions[]'; }
    [[ $(assumed --cores 2) == *'waits for its core'*'3.072 us shorter'*'--hand-over 0 ignores it'* ]]
    [[ $(assumed --cores 2 --hand-over 1us) == *'1.000 us shorter'* ]]
    [[ $(assumed --cores 2 --hand-over 0; assumed --cores 1) != *shorter* ]]
}

@test "who goes on after a call in which it did not wait has its core: no hand-over" {
    use no-waits
    "$PAGODA" replay --json --nodes 1 --hand-over 100ns trace | jq -e '.whatif.hand_over_ns == 100'
}

@test "a call for a file waits for the device: not for a core, and no processor makes it faster" {
    use file
    "$PAGODA" replay --json --nodes 2 trace | jq -e '.whatif | .replayed_ns == 6000000 and .lost_ns == 0'
}

@test "a call without a core, in which there is nothing to wait for: said like computing without one" {
    sed 's/MPI_File_sync/MPI_Win_flush/' "$ROOT/tests/traces/whatif/file.txt" >flush.txt
    rm -r trace
    "$BUILD/tools/mktrace" flush.txt trace
    "$PAGODA" replay --json --nodes 2 trace | jq -e '.whatif | .replayed_ns == 2200000 and .lost_ns == 3800000'
    "$PAGODA" replay --nodes 2 trace | tr -s ' \n' ' ' | grep -q 'had no CPU time for 31.7 % of their time.*other programs used it, or ranks slept'
}

@test "a thread that waits for more to do until the process ends is no limit" {
    rm -r trace
    "$BUILD/tools/mktrace" - trace <<'END'
location 0.1
region pthread_cond_wait - pthread
0 0         enter main
0 0-1000    MPI_Init
0 5000-5000 MPI_Finalize
0 6000      leave main
0.1 500-6000 pthread_cond_wait
END
    "$PAGODA" replay --json trace | jq -e '[.critical_path.regions[] | .region, .time_ns] == ["main", 5000, "MPI_Init", 1000]'
    "$PAGODA" replay --json --cpu-speed 2 trace | jq -e '.whatif.predicted_ns == 3500'
    "$PAGODA" replay --json --scale main=0 trace | jq -e '.whatif.predicted_ns == 1000'
}

@test "a thread that outlasts all ranks ends the run, and in a prediction when that has it end" {
    use threads-created-alone
    "$PAGODA" replay --json --cpu-speed 1 trace | jq -e '.whatif | .baseline_ns == 190 and .predicted_ns == 190'
    "$PAGODA" replay --json --scale late=2 trace | jq -e '.whatif.predicted_ns == 335'
    # One that ended before does not.
    "$PAGODA" replay --json --scale early=20 trace | jq -e '.whatif.predicted_ns == 190'
}

@test "threads of which it is not known when they can begin: the report says that they keep their times" {
    use threads-created-unknown
    "$PAGODA" replay --scale solve=0.5 trace | tr -s ' \n' ' ' |
        grep -q 'Not modelled .*threads that are not known to have been made, or to be over when they were awaited, keep their recorded times'
    use threads-created
    "$PAGODA" replay --scale solve=0.5 trace | tr -s ' \n' ' ' >text
    grep -q ' Cores 2 a node, one for each thread ' text
    run ! grep -q 'keep their recorded times' text
    # Which thread a join was for was once mistaken: then it is not known either.
    sed 's/thread-wait threads 1/thread-wait threads 2/' "$ROOT/tests/traces/whatif/threads-created.txt" >other.txt
    rm -r trace
    "$BUILD/tools/mktrace" other.txt trace
    "$PAGODA" replay --json --cpu-speed 1 trace | jq -e '.whatif | .predicted_ns == .baseline_ns'
    "$PAGODA" replay --cpu-speed 1 trace | tr -s ' \n' ' ' | grep -q 'keep their recorded times'
}

@test "lists: one prediction for each combination" {
    "$PAGODA" replay --json --nodes 1,3 --cores 1,2 trace >out.json
    jq -e '.whatif.baseline_ns == 7000 and (.whatif.points | map([.set.nodes, .set.cores, .predicted_ns])) ==
        [["1", "1", 9000], ["1", "2", 7500], ["3", "1", 7000], ["3", "2", 7000]]' out.json
    run -0 "$PAGODA" replay --nodes 1,3 --cores 1,2 trace
    [[ $output =~ nodes\ +cores\ +predicted\ +change ]]
    [[ $output =~ 1\ +2\ +7\.500\ +\+7\.1\ % ]]
}

@test "lists: of words, and of a region's factors" {
    "$PAGODA" replay --json --nodes 2 --map block,cyclic --scale P2=1,0.5 --scale P1=1,3 trace >out.json
    jq -e '.whatif.change == "--nodes 2 --map block,cyclic --scale P2=1,0.5 --scale P1=1,3" and
        (.whatif.points | length) == 8 and
        .whatif.points[0].set == {map: "block", "scale P2": "1", "scale P1": "1"} and
        (.whatif.points | map(.predicted_ns))[0:5] == [8000, 10000, 4500, 6500, 7000]' out.json
    refused '--scale P2=1,: a value of the list is empty' --scale P2=1,
}

# Each prediction has a machine, formulas and a trace of its own.
@test "lists: any number of threads predicts what each value does alone" {
    cat >machine.xml <<'END'
<machine name="m" cores="1"><message scope="network"><point bytes="0" time="300ns"/></message>
<collective op="barrier" time="1e-7*log2(p)"/></machine>
END
    for options in "--machine machine.xml" "--balance P1 --wait spin"; do
        # shellcheck disable=SC2086 # options are words
        for n in 1 2 7; do
            "$PAGODA" replay --json --threads $n $options --nodes 1,2,3 --cpu-speed 1,2 trace >"by-$n"
            "$PAGODA" replay --threads $n $options --nodes 1,2,3 --cpu-speed 1,2 trace >"text-$n"
        done
        cmp by-1 by-2
        cmp by-1 by-7
        cmp text-1 text-2
        cmp text-1 text-7
        for nodes in 1 2 3; do
            for speed in 1 2; do
                # shellcheck disable=SC2086
                "$PAGODA" replay --json $options --nodes $nodes --cpu-speed $speed trace |
                    jq '.whatif.predicted_ns'
            done
        done >alone
        jq '.whatif.points[].predicted_ns' by-7 | cmp - alone
    done
}

@test "lists: the first value that cannot be predicted is refused, whatever the number of threads" {
    for n in 1 2 5; do
        refused '^pagoda: --rebalance: ranks share cores' --threads $n --cores 3,1,2 --nodes 1 --rebalance magda
    done
}

@test "the predicted run beside the measured one" {
    run -0 "$PAGODA" replay --place a=0,1 --place b=2 trace
    [[ $output =~ Measured\ +7\.000\ us ]]
    [[ $output =~ Predicted\ +8\.000\ us\ \(\+14\.3\ %\) ]]
    [[ $output == *"Replay error  +0.00 %"* ]]
    [[ $output == *"Not modelled "*"memory contention inside a node"* ]]
    # The wait begins later and ends later; all of the critical path is P2.
    [[ $output =~ 6\.000\ +6\.000\ +0\.000\ +Late\ Sender ]]
    [[ $output =~ 7\.000\ +8\.000\ +1\.000\ +P2 ]]
    "$PAGODA" replay --json --place a=0,1 --place b=2 trace >out.json
    jq -e '.time_ns == 7000 and .whatif.replay_error == 0 and .whatif.cores != "" and
        .whatif.ranks[0] == {rank: 0, node: "a", finish_ns: 8000, busy_ns: 1000, shared_ns: 1000,
                             wait_ns: 6000, overhead_ns: 0} and
        .whatif.critical_path == {length_ns: 8000, regions: [{region: "P2", time_ns: 8000, share: 1}]} and
        (.whatif.patterns[] | select(.id == "late-sender") | .count == 1 and .total_ns == 6000)' out.json
    "$PAGODA" replay --json trace | jq -e 'has("whatif") | not'
}

# A machine with two kinds of messages; what stands in braces in `machine.xml` is replaced by $1.
machine() {
    cat >machine.xml <<END
<machine name="test" ${1:-}>
  <message scope="node"><point bytes="0" time="500ns"/></message>
  <message scope="network" eager="1000" send-overhead="100ns" recv-overhead="0.2us">
    <point bytes="0" time="1us"/> <point bytes="1000B" time="2us"/>
  </message>
  <collective op="barrier" time="1e-6*log2(p)"/>
  <collective op="bcast" time="1e-9*b*p"/>
  <collective op="reduce" time="2e-6"/>
</machine>
END
}

@test "machine: another latency, another bandwidth" {
    use messages
    machine
    "$PAGODA" replay --json --machine machine.xml --latency 0s,1us --eager 1000,5000 trace |
        jq -e '.whatif.points | map([.set.latency, .set.eager, .predicted_ns]) ==
            [["0s", "1000", 12400], ["0s", "5000", 7900],
             ["1us", "1000", 14400], ["1us", "5000", 8900]]'
}

@test "machine: options about a network that no message crosses are told" {
    use messages
    machine
    unused() { "$PAGODA" replay --json --machine machine.xml "$@" trace | jq -e '.whatif.assumptions | any(test("change nothing"))'; }
    unused --nodes 1 --latency 5us
    unused --nodes 1 --cores 1,2 --eager 0
    ! unused --nodes 2 --latency 5us || false
    ! unused --nodes 1,2 --latency 5us || false
    ! unused --nodes 1 || false
}

@test "machine: cores and processors" {
    machine 'cores="1" cpu-speed="2"'
    # One core, twice as fast; messages on the node take 500 ns: rank 2 waits for its own until 500.
    [ "$(predict --machine machine.xml --nodes 1)" = "$(predict --machine machine.xml)" ]
    [ "$(predict --machine machine.xml | jq .[0])" -lt 6000 ]
    [ "$(predict --machine machine.xml --cpu-speed 1 | jq .[0])" -gt 8000 ]
}

# bad_machine PATTERN TEXT: a machine file with TEXT in it is refused with its place.
bad_machine() {
    printf '<machine name="m">\n%s\n</machine>\n' "$2" >bad.xml
    refused "bad.xml:[0-9]+: .*$1" --machine bad.xml
}

@test "bad input: machine files" {
    bad_machine "<machine> has no element 'mesage', did you mean 'message'" '<mesage/>'
    bad_machine 'needs scope' '<message><point bytes="0" time="1us"/></message>'
    bad_machine 'unknown scope netwrok; is it network' '<message scope="netwrok"/>'
    bad_machine 'without a <point>' '<message scope="node"/>'
    bad_machine '<point bytes="8"> after <point bytes="9">: the sizes of the points must grow' \
        '<message scope="node"><point bytes="9" time="1us"/><point bytes="8" time="2us"/></message>'
    bad_machine 'time="-1us": not a value such as' '<message scope="node"><point bytes="0" time="-1us"/></message>'
    bad_machine 'unknown unit .ux.' '<message scope="node"><point bytes="0" time="1ux"/></message>'
    bad_machine 'needs time=' '<message scope="node"><point bytes="0"/></message>'
    bad_machine "<message> has no attribute 'eagr', did you mean 'eager'" '<message scope="node" eagr="1"/>'
    bad_machine "<point> has no attribute 'xyz'; there are bytes, time$" '<message scope="node"><point xyz="1"/></message>'
    bad_machine 'unknown operation xyz; there are barrier, bcast, .*exscan' '<collective op="xyz" time="1"/>'
    bad_machine 'a second <message scope="node">' '<message scope="node"><point bytes="0" time="1us"/></message>
        <message scope="node"><point bytes="0" time="1us"/></message>'
    bad_machine 'unknown operation allreduc; is it allreduce' '<collective op="allreduc" time="1"/>'
    bad_machine 'unknown name logg at 1; is it log' '<collective op="barrier" time="logg(p)"/>'
    bad_machine 'unknown name q at 3; is it p' '<collective op="barrier" time="p*q"/>'
    bad_machine 'ends too early|cannot be understood' '<collective op="barrier" time="2*(p"/>'
    bad_machine 'without any <message>' '<collective op="barrier" time="2*p"/>'
    echo '<machine cores="0"/>' >bad.xml
    refused 'bad.xml:1: cores="0": from 1 to' --machine bad.xml
    echo '<machine cpu-speed="fast"/>' >bad.xml
    refused 'bad.xml:1: cpu-speed="fast": a number' --machine bad.xml
    echo '<patterns/>' >bad.xml
    refused 'no machine file' --machine bad.xml
    refused 'nowhere.xml' --machine nowhere.xml
    echo '<machine><message scope="node"><point bytes="0" time="1us"/></message></machine>' >node.xml
    refused 'node.xml has no <message scope="network">.*add one.*--add-latency' --machine node.xml --latency 1us
    "$PAGODA" replay trace --machine node.xml --add-latency 1us >/dev/null
    refused 'network of --machine, which is missing' --latency 1us
    refused '--bandwidth 0: more than 0' --machine node.xml --bandwidth 0
    refused '--latency 5lightyears: unknown unit' --machine node.xml --latency 5lightyears
}

@test "machine: a formula that has no time for the run's collectives is refused with its place" {
    use collectives
    # no_time TIME FORMULA
    no_time() {
        printf '<machine>\n<message scope="network"><point bytes="0" time="1us"/></message>\n%s\n</machine>\n' \
            "<collective op=\"barrier\" time=\"$2\"/>" >bad.xml
        refused "bad.xml:3: <collective op=\"barrier\">: the time is $1 s for p = [0-9]+, b = 0, it should be at most 3600 s" \
            --machine bad.xml --output predicted
        [ "$status" = 1 ]
        [ ! -e predicted ]
    }
    no_time inf '1/(p-p)'
    no_time '-?nan' 'sqrt(0-p)'
    no_time 1e\\+300 '1e300'
    printf '<machine>%s</machine>\n' '<message scope="network"><point bytes="0" time="1us"/></message>
        <collective op="barrier" time="0-p"/>' >negative.xml
    printf '<machine>%s</machine>\n' '<message scope="network"><point bytes="0" time="1us"/></message>
        <collective op="barrier" time="0"/>' >none.xml
    [ "$(predict --machine negative.xml)" = "$(predict --machine none.xml)" ]
}

@test "more latency between nodes, and how much the run tolerates" {
    use two-nodes
    "$PAGODA" replay --json --add-latency 0s,500ns,1us trace |
        jq -e '.whatif.points | map(.predicted_ns) == [3024, 3524, 4024]'
    # 5 % of 3024 are 151; 1 % of an answer is tolerated. The message has 8 bytes.
    "$PAGODA" replay --json --tolerance 1,5 trace >out.json
    jq -e '.whatif.tolerance | .scope == "network" and (.levels | map(.percent)) == [1, 5]
        and .levels[1].latency_ns >= 149 and .levels[1].latency_ns <= 151
        and (.levels[1].byte_ns * 8 | . > 149 and . < 152)' out.json
    [ "$("$PAGODA" replay --json --tolerance 5 --nodes 1 --cores 3 trace |
        jq -r .whatif.tolerance.scope)" = all ]
    run "$PAGODA" replay --tolerance 5 trace
    [[ $output =~ \+5\ %\ +(149|150|151)\ ns ]]
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"Assumed each collective of p ranks gets the added latency log2(p) times"* ]]
    # The sender is at MPI_Finalize at once, the receiver at 1000: 10 % of that.
    printf '%s\n' 'nodes a b' '0 0 enter MPI_Send' '0 0 send world 1 0 8' '0 0 leave MPI_Send' \
        '0 0 enter MPI_Finalize' '0 1000 leave MPI_Finalize' '1 0 enter MPI_Recv' \
        '1 100 recv world 0 0 8' '1 100 leave MPI_Recv' '1 1000 enter MPI_Finalize' \
        '1 1000 leave MPI_Finalize' | "$BUILD/tools/mktrace" - early
    "$PAGODA" replay --json --tolerance 10 early | jq -e '.whatif.tolerance.levels[0].latency_ns | . >= 99 and . <= 100'
    # Nothing to wait for.
    printf '0 0 enter main\n0 100 leave main\n' | "$BUILD/tools/mktrace" - alone
    "$PAGODA" replay --json --tolerance 1 alone | jq -e '.whatif.tolerance.levels == [{percent: 1, latency_ns: null, byte_ns: null}]'
    # Where the run is just as long as tolerated, whatever more is added.
    archive engine/synchronous-send level
    timeout 300 "$PAGODA" replay --json --tolerance 5 level | jq -e '.whatif.tolerance.predictions < 50'
    refused '--tolerance 0: percent, more than 0' --tolerance 0
    refused '--tolerance 1,: not a number|--tolerance 1,: ' --tolerance 1,
    refused '--tolerance few: ' --tolerance few
    refused '--tolerance is found for one prediction' --tolerance 1 --cores 1,2
    refused '--add-latency 5lightyears: unknown unit' --add-latency 5lightyears
}

# order: two ranks, all times 0.
order() {
    printf '%s\n' 'nodes a b' '0 0 enter main' '0 0 enter block work 100' '0 0 leave block' \
        '0 0 enter MPI_Send' '0 0 send world 1 0 1000' '0 0 leave MPI_Send' '0 0 leave main' \
        '1 0 enter main' '1 0 enter MPI_Recv' '1 0 recv world 0 0 1000' '1 0 leave MPI_Recv' \
        '1 0 enter block' '1 0 leave block' '1 0 enter block work 7' '1 0 leave block' '1 0 leave main'
}

# compute ELEMENT...: a machine file with messages of 2 us and these elements.
compute() {
    printf '<machine>\n<message scope="network"><point bytes="0" time="2us"/></message>\n%s\n</machine>\n' \
        "$*" >machine.xml
}

@test "timeless: order from the trace, all times from the machine" {
    rm -r trace
    order >order.txt
    "$BUILD/tools/mktrace" order.txt trace
    compute '<compute region="block" time="w*10e-9"/>'
    [ "$(predict --timeless --machine machine.xml)" = '[3070,1000,3070]' ]
    [ "$(predict --timeless --machine machine.xml --cpu-speed 2)" = '[2535,500,2535]' ]
    [ "$(predict --timeless --machine machine.xml --scale block=3)" = '[5210,3000,5210]' ]
    [ "$(predict --timeless --machine machine.xml --latency 0s)" = '[1070,1000,1070]' ]
    "$PAGODA" replay --json --timeless --machine machine.xml trace | jq -e '.whatif.timeless ==
        {visits: 5, without_cost: 2, without_work: 1, unused_rules: null,
         rules: [{region: "block", visits: 3, work: 107, time_ns: 1070}]}'
    compute '<compute region="blok" time="w"/> <compute region="main" time="visit*p*1e-6"/>'
    run -0 "$PAGODA" replay --timeless --machine machine.xml trace
    output=$(tr -s ' \n' ' ' <<<"$output")
    [[ $output == *"no region of the run fits the <compute> of blok (line 3; is it block?)"* ]]
    [[ $output == *"60.0 % of 5 region visits cost nothing"* ]]
    [[ $output != *"Replay error"* ]]
    compute '<compute region="main/blo*" time="w*10e-9"/> <compute region="block" time="1"/> <compute region="block/main" time="1"/>'
    "$PAGODA" replay --json --timeless --machine machine.xml trace | jq -e '.whatif.timeless |
        .unused_rules == "block/main (line 3)" and (.rules | map(.visits)) == [3, 0, 0]'
    [ "$(predict --timeless --machine machine.xml)" = '[3070,1000,3070]' ]
    [ "$(predict --timeless --machine machine.xml --scale block=3)" = '[5210,3000,5210]' ]
}

@test "timeless: visits that are balanced cost what the machine says, not CPU time" {
    rm -r trace
    printf '%s\n' 'nodes a' 'cores a 2' '0 0 enter main' '0 0 cpu 0' '0 0 enter block' \
        '0 1000 leave block' '0 1000 cpu 500' '0 1000 leave main' | "$BUILD/tools/mktrace" - trace
    compute '<compute region="block" time="5e-6"/>'
    [ "$(predict --timeless --machine machine.xml)" = '[5000,5000]' ]
    [ "$(predict --timeless --machine machine.xml --balance block)" = '[5000,5000]' ]
}

@test "timeless: bad input" {
    rm -r trace
    order >order.txt
    "$BUILD/tools/mktrace" order.txt trace
    refused '--timeless takes all times from --machine, which is missing' --timeless
    echo '<machine/>' >machine.xml
    refused 'machine.xml has no <message>' --timeless --machine machine.xml
    compute '<compute region="block" time="w*1e-6 - 1e-5"/>'
    refused 'machine.xml:3: <compute region="block">: the time is -1e-05 s for w = 0, e = 0, p = 2, rank = 1, visit = 1' \
        --timeless --machine machine.xml
    refused 'the time is -1e-05 s' --timeless --machine machine.xml --output predicted
    [ ! -e predicted ]
    compute '<compute region="main//block" time="w"/>'
    refused 'machine.xml:3: <compute> main//block: a name is missing beside a /' \
        --timeless --machine machine.xml
    compute '<compute region="block" time="ln(w)"/>'
    refused 'machine.xml:3: .*the time is -inf s for w = 0' --timeless --machine machine.xml
    bad_machine 'unknown name work at 1; its variables are w, e, p, rank, visit' '<compute region="block" time="work"/>'
    bad_machine 'unknown name visits at 3; is it visit' '<compute region="block" time="2*visits"/>'
    bad_machine 'needs region=' '<compute time="w"/>'
    bad_machine 'a second <compute region="block">' '<compute region="block" time="w"/><compute region="block" time="1"/>'
    bad_machine "<compute> has no attribute 'regoin', did you mean 'region'" '<compute regoin="block" time="w"/>'
    bad_machine "<machine> has no element 'compote', did you mean 'compute'" '<compote region="block" time="w"/>'
}

# rounds: 5 rounds of 200 ms on rank 0, then 50 ms on each of 3 others; a barrier after each part.
rounds() {
    local round rank time
    for rank in 0 1 2 3; do
        echo "$rank 0 enter main"
        for ((round = 0, time = 0; round < 10; round++)); do
            local length=$((round % 2 ? 50 : 200)) enter=$time
            ((round % 2 == (rank > 0))) && enter=$((time + length))
            time=$((time + length))
            echo "$rank ${enter}000000 enter MPI_Barrier"
            echo "$rank ${enter}000000 coll-begin"
            echo "$rank ${time}000000 coll-end barrier world - 0 0"
            echo "$rank ${time}000000 leave MPI_Barrier"
        done
        echo "$rank ${time}000000 leave main"
    done | sed 's/ 0000000 / 0 /'
}

@test "a program whose real times are known: blocking, spinning, one core and two" {
    # Measured on a quiet machine: 1.25 s with a core for each; on one core 1.76 s by Open MPI, which
    # yields when it waits, 5.05 s when it does not and by MPICH; on two unpinned cores 1.51 s.
    rm -r trace
    rounds | "$BUILD/tools/mktrace" - trace
    [ "$(predict --cores 4 | jq .[0])" = 1250000000 ]
    [ "$(predict --nodes 1 | jq .[0])" = 1750000000 ]
    [ "$(predict --nodes 1 --wait spin | jq .[0])" = 5000000000 ]
    [ "$(predict --nodes 1 --cores 2 | jq .[0])" = 1375000000 ]
    [ "$(predict --nodes 1 --cores 2 --sharing sticky | jq .[0])" = 1500000000 ]
}

@test "the window of the predicted run, between MPI_Init and MPI_Finalize" {
    window_of() { jq -c '.window | [.begin_ns, .end_ns]'; }
    archive replay/balanced
    "$PAGODA" replay --json --cores 99 balanced >same
    [ "$(jq .whatif same | window_of)" = "$(window_of <same)" ]
    "$PAGODA" replay --json --cores 99 --cpu-speed 0.5,1 balanced | jq '.whatif.points[]' >points
    [ "$(jq 'select(.set["cpu-speed"] == "1")' points | window_of)" = "$(window_of <same)" ]
    [ "$(jq 'select(.set["cpu-speed"] == "0.5") | .window.end_ns' points)" -gt "$(jq .window.end_ns same)" ]
}
