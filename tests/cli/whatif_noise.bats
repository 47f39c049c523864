# SPDX-License-Identifier: BSD-3-Clause
# Noise of machines: what --draws predicts against a computation of its own (noise.py) and what is
# printed of Quadrics' barriers; where their time depends on the nodes.
load ../whatif

# barriers RANKS [STEP]: the trace `barrier` of a barrier of every STEP-th of so many ranks, a node each.
barriers() {
    local n=$1 step=${2:-1} rank
    {
        echo "nodes$(printf ' n%s' $(seq "$n"))"
        echo "comm p ranks $(seq -s ' ' 0 "$step" $((n - 1)))"
        for ((rank = 0; rank < n; rank++)); do
            echo "$rank 0 enter main"
            ((rank % step)) || printf "$rank %s\n" '0 enter MPI_Barrier' '9000 coll-end barrier p - 0 0' \
                '9000 leave MPI_Barrier'
            echo "$rank 9000 leave main"
        done
    } >barrier.txt
    rm -rf barrier
    "$BUILD/tools/mktrace" barrier.txt barrier
}

@test "draws are those of a computation of its own, whatever the threads" {
    /usr/bin/python3 "$ROOT/tests/cli/noise.py" 7 57 >expected
    rm -rf trace
    "$BUILD/tools/mktrace" noise.txt trace
    PAGODA_THREADS=1 "$PAGODA" replay trace --machine noise.xml --draws 57:7 --json >alone
    jq .whatif.draws alone | diff - <(jq . expected)
    PAGODA_THREADS=3 "$PAGODA" replay trace --machine noise.xml --draws 57:7 --json | diff - alone
    # Without the option nothing is by chance: 25 ms, 20 us, 5 ms, 100 us.
    jq -e '.whatif.predicted_ns == 30100000' alone
    # In lists: of each prediction its own.
    "$PAGODA" replay trace --machine noise.xml --draws 20 --cpu-speed 1,2 --json |
        jq -e '.whatif.points | map(.draws) | .[0].seed == 1 and .[0].count == 20 and
            .[0].median_ns > 1.8 * .[1].median_ns'
}

@test "the report says what 95 % of the runs stay below" {
    /usr/bin/python3 "$ROOT/tests/cli/noise.py" 1 20 >/dev/null
    rm -rf trace
    "$BUILD/tools/mktrace" noise.txt trace
    "$PAGODA" replay trace --machine noise.xml --draws 20 | tr -s ' \n' ' ' >text
    grep -qE ' With noise 95 % of 20 runs take at most [0-9.]+ ms, half of them at most [0-9.]+ ms; from ' text
    "$PAGODA" replay trace --machine noise.xml --draws 20 --cpu-speed 1,2 >text
    grep -q 'predicted *change *50 % below *95 % below' text
    "$PAGODA" explain noise.xml >text
    grep -q 'barrier: 100e-6; 50 % at most x 2' text
    grep -q '2 x noise of computing' text
}

@test "barriers of a loaded Quadrics network as printed: 8.5 us, 95 % of them below 16 us" {
    barriers 32
    "$PAGODA" replay barrier --machine quadrics-loaded --draws 400 --json >report
    jq -e '.whatif | .predicted_ns == 8500 and .draws.below_95_ns > 15000 and
        .draws.below_95_ns < 17000 and .draws.least_ns >= 4199 and .draws.most_ns <= 21250' report
}

@test "barriers of Quadrics by hardware and, where nodes are not in a row, by software: 4.2 and 9.1 us" {
    barriers 32
    "$PAGODA" replay barrier --machine quadrics --json | jq -e '.whatif.ranks[0].finish_ns == 4200'
    sed 's/scattered-time/missing-nodes="7" scattered-time/' "$ROOT/patterns/machines/quadrics.xml" >one-down.xml
    "$PAGODA" replay barrier --machine one-down.xml --json | jq -e '.whatif.ranks[0].finish_ns == 9100'
    barriers 63 2
    "$PAGODA" replay barrier --machine quadrics --json | jq -e '.whatif.ranks[0].finish_ns == 9100'
}

@test "draws and noise that are none" {
    quiet='<machine><message scope="network"><point bytes="0" time="1us"/></message></machine>'
    echo "$quiet" >quiet.xml
    sed 's|</message>|<quantile percent="50" factor="2"/></message>|' quiet.xml >noisy.xml
    refused '--draws: quiet.xml has no <quantile>' --machine quiet.xml --draws 20
    refused '--draws draws from the noise of --machine, which is missing' --draws 20
    refused '--draws 19: from 20 to 10000 draws' --machine noisy.xml --draws 19
    refused '--draws 20:x: not a whole number' --machine noisy.xml --draws 20:x
    refused '--draws and --workers: only simulated runs' --machine noisy.xml --draws 20 --workers 2
    # wrong SENTENCE CONTENTS: of the machine.
    wrong() {
        echo "<machine><message scope='network'><point bytes='0' time='1us'/>$3</message>$2</machine>" >wrong.xml
        refused "$1" --machine wrong.xml
    }
    wrong 'wrong.xml:1: <quantile percent="50"> after 60 %: they must grow' '' \
        '<quantile percent="60" factor="1"/><quantile percent="50" factor="2"/>'
    wrong '<quantile percent="70">: factor and more must not be less than those of 60 %' '' \
        '<quantile percent="60" factor="1"/><quantile percent="70" factor=".5"/>'
    wrong 'percent="101": a number from 0 to 100' '' '<quantile percent="101" factor="1"/>'
    wrong 'factor="-1": ' '' '<quantile percent="1" factor="-1"/>'
    wrong '<quantile> needs percent="..."' '' '<quantile factor="1"/>'
    wrong 'more="..." in <noise>: it is for messages and collectives' \
        '<noise><quantile percent="1" more="1us"/></noise>'
    wrong '<noise> without a <quantile>' '<noise every="1ms"/>'
    wrong 'every="999us": less than 1ms' '<noise every="999us"><quantile percent="1" factor="1"/></noise>'
    wrong 'nodes="": without it all nodes' '<noise nodes=""><quantile percent="1" factor="1"/></noise>'
    wrong 'no rank runs on a node' '<noise nodes="none"><quantile percent="1" factor="1"/></noise>'
    wrong '<point> in <noise>: only <quantile' '<noise><point bytes="0" time="1us"/></noise>'
    wrong '<quantile> in <collective algorithm="ring">' \
        '<collective op="barrier" algorithm="ring"><quantile percent="1" factor="1"/></collective>'
    wrong 'scattered-time="..." is for time="..."' '<collective op="barrier" algorithm="ring" scattered-time="1"/>'
    wrong 'missing-nodes="..." is for algorithm="hardware-multicast" or scattered-time' \
        '<collective op="barrier" time="1" missing-nodes="1"/>'
}
