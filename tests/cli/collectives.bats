# SPDX-License-Identifier: BSD-3-Clause
# Collectives that the machine file carries out by an algorithm: what is printed, bad input. The
# times themselves: tests/traces/whatif/bcast.txt, tests/unit/test_collective_forms.c and
# test_prediction.c.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive whatif/bcast trace
}

# machine ELEMENTS: a machine with one kind of message and these elements.
machine() {
    printf '%s\n' '<machine>' \
        '<message scope="network" send-overhead="10ns" recv-overhead="20ns">' \
        '<point bytes="0" time="100ns"/></message>' "$1" '</machine>' >machine.xml
}

@test "the critical path goes through the late rank in the tree" {
    machine '<collective op="bcast" algorithm="binomial"/>'
    # Rank 2 in main until it comes, then the broadcast to rank 3: 10 + 20 + 100 + 20.
    "$PAGODA" replay --json --machine machine.xml trace |
        jq -e '.whatif.critical_path.regions | map([.region, .time_ns]) == [["main", 1000], ["MPI_Bcast", 150]]'
    # Rank 2 is the last one through: from the message that waits for it, 20.
    machine '<collective op="bcast" algorithm="flat"/>'
    "$PAGODA" replay --json --machine machine.xml trace |
        jq -e '.whatif.critical_path.regions | map([.region, .time_ns]) == [["main", 1000], ["MPI_Bcast", 20]]'
}

@test "what is said about it" {
    machine '<collective op="bcast" algorithm="hardware-multicast"/>'
    "$PAGODA" replay --json --machine machine.xml trace | jq -e '.whatif.collectives ==
        {by_algorithm: 1, multicasts: 1, without_multicast: 0, switch_wait_ns: 0}'
    run "$PAGODA" replay --machine machine.xml trace
    [[ $output == *'Collectives '*'1 operation carried out by an algorithm'* ]]
    [[ $output == *'1 multicast by the hardware'* ]]
    run "$PAGODA" replay --machine machine.xml --nodes 1 --cores 4 trace
    [[ $output == *'1 operation by messages, because'* ]]
    machine '<collective op="bcast" time="0"/>'
    "$PAGODA" replay --json --machine machine.xml trace | jq -e '.whatif | has("collectives") | not'
}

# refused PATTERN ELEMENTS: both commands refuse the machine with its place, in one sentence.
refused() {
    machine "$2"
    for command in "replay --machine machine.xml trace" "check machine.xml"; do
        # shellcheck disable=SC2086 # several words
        run "$PAGODA" $command
        ((status == 1))
        [[ ${lines[0]} =~ machine.xml:[0-9]+:\ .*$1 ]]
    done
}

@test "bad input: algorithms" {
    refused 'unknown algorithm binomal; is it binomial' '<collective op="bcast" algorithm="binomal"/>'
    refused 'algorithm="bruck" is none for gather; there are flat, binomial$' \
        '<collective op="gather" algorithm="bruck"/>'
    refused 'unknown operation bcst; is it bcast' '<collective op="bcst" algorithm="ring"/>'
    refused 'algorithm="ring" is none for scatter; there are flat, binomial$' \
        '<collective op="scatter" algorithm="ring"/>'
    refused 'algorithm="hardware-multicast" is none for scan; there are flat, recursive-doubling, ring$' \
        '<collective op="scan" algorithm="hardware-multicast"/>'
    refused 'needs op="..." and time="..." or algorithm="..."' '<collective op="bcast"/>'
    refused 'needs op="..."' '<collective algorithm="ring"/>'
    refused 'time="..." and algorithm="ring"' '<collective op="bcast" algorithm="ring" time="1"/>'
    refused 'tree="..." is for algorithm="hardware-multicast"' \
        '<collective op="bcast" algorithm="ring" tree="flat"/>'
    refused 'missing-nodes="..." is for algorithm="hardware-multicast"' \
        '<collective op="bcast" time="1" missing-nodes="2"/>'
    refused 'tree="ring" is none for bcast; there are flat, binomial, quaternary' \
        '<collective op="bcast" algorithm="hardware-multicast" tree="ring"/>'
    for nodes in "" a 3- -3 3,,4 5-3 "3,4," 99999999; do
        refused "missing-nodes=\"$nodes\": node numbers such as" \
            "<collective op=\"bcast\" algorithm=\"hardware-multicast\" missing-nodes=\"$nodes\"/>"
    done
}

@test "bad input: sizes" {
    local small='<collective op="bcast" below="4KiB" algorithm="binomial"/>'
    refused 'no <collective op="bcast"> for sizes from 4096 bytes on' "$small"
    refused 'no <collective op="bcast"> for sizes from 0 bytes on' \
        '<collective op="bcast" from="1" algorithm="ring"/>'
    refused 'no <collective op="bcast"> for sizes from 4096 bytes on' \
        "$small <collective op=\"bcast\" from=\"5000\" algorithm=\"ring\"/>"
    refused 'a second <collective op="bcast"> for sizes from 4000 bytes on' \
        "$small <collective op=\"bcast\" from=\"4000\" algorithm=\"ring\"/>"
    refused 'a second <collective op="bcast"> for sizes from 0 bytes on' \
        '<collective op="bcast" time="1"/> <collective op="bcast" algorithm="ring"/>'
    refused 'from="8" is not less than below="8"' '<collective op="bcast" from="8" below="8" time="1"/>'
    refused 'below="far"' '<collective op="bcast" below="far" time="1"/>'
    machine "$small <collective op=\"bcast\" from=\"4096\" algorithm=\"ring\"/>"
    run "$PAGODA" check machine.xml
    ((status == 0))
    [[ $output == *'2 collectives'* ]]
}
