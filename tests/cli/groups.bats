# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --group: tables by node, by machine, by so many ranks.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    {
        echo "nodes a b a b"
        for rank in 0 1 2 3; do
            echo "$rank 0 enter main"
            echo "$rank $((1000 * (rank + 1))) enter MPI_Barrier"
            echo "$rank $((1000 * (rank + 1))) coll-begin"
            echo "$rank 4100 coll-end barrier world - 0 0"
            echo "$rank 4100 leave MPI_Barrier"
            for to in $(((rank + 1) % 4)) $(((rank + 2) % 4)); do
                echo "$rank 4200 enter MPI_Send"
                echo "$rank 4200 send world $to 0 $((100 + rank))"
                echo "$rank 4200 leave MPI_Send"
            done
            for from in $(((rank + 3) % 4)) $(((rank + 2) % 4)); do
                echo "$rank 4300 enter MPI_Recv"
                echo "$rank 4300 recv world $from 0 $((100 + from))"
                echo "$rank 4300 leave MPI_Recv"
            done
            echo "$rank 4400 leave main"
        done
    } | "$BUILD/tools/mktrace" - run
}

# json GROUP FILTER: what --group GROUP says.
json() {
    "$PAGODA" replay --json --group "$1" run | /usr/bin/python3 -c "import json,sys
groups = json.load(sys.stdin)['groups']
print($2)"
}

@test "by node: times and messages, computed by hand" {
    run json node "[(g['name'], g['ranks'], g['useful_ns'], g['wait_ns'], g['other_mpi_ns'])
        for g in groups['items']]"
    [ "$output" = "[('a', 2, 4600, 4000, 200), ('b', 2, 6600, 2000, 200)]" ]
    run json node "[(m['from'], m['to'], m['messages'], m['bytes']) for m in groups['messages']]"
    [ "$output" = "[('a', 'a', 2, 202), ('a', 'b', 2, 202), ('b', 'a', 2, 204), ('b', 'b', 2, 204)]" ]
    run json node "sum(g['critical_path_ns'] for g in groups['items'])"
    [ "$output" = 4400 ]
}

@test "by program: one where the archive does not tell them apart" {
    run json program "[(g['name'], g['ranks']) for g in groups['items']], groups['limiting']"
    [ "$output" = "[('unnamed program', 4)] None" ]
}

@test "so many ranks each, the last group with the rest" {
    run json 3 "[(g['name'], g['ranks'], g['wait_ns']) for g in groups['items']]"
    [ "$output" = "[('ranks 0-2', 3, 6000), ('rank 3', 1, 0)]" ]
    run "$PAGODA" replay --group 3 run
    [[ $output == *"ranks       ranks 0-2 100.0 %"* ]]
    [[ $output == *"waiting for rank 3 100.0 %"* ]]
}

@test "ranges: which group limits the rate, how long the others wait, ranks to spare, by hand" {
    # Rank 3 is busy for 4300 and in calls for 100 without waiting. The 1300, 2300 and 3300 of the others are less than
    # twice the 4300 that it leaves, but more than once.
    run json 0-2,3 "groups['limiting'], groups['others_wait_ns'], [(g['name'], g['ranks'], g['busiest_ns'],
        g['spare_ranks']) for g in groups['items']]"
    [ "$output" = "rank 3 6000 [('ranks 0-2', 3, 3400, 1), ('rank 3', 1, 4400, 0)]" ]
    # Two of the nodes' groups have 4600 to do in 4300.
    run json node "groups['limiting'], groups['others_wait_ns'], [g['spare_ranks'] for g in groups['items']]"
    [ "$output" = "b 4000 [0, 0]" ]
    run json 1-2 "[g['name'] for g in groups['items']]"
    [ "$output" = "['other ranks', 'ranks 1-2']" ]
    run json 0-9 "groups['limiting'], groups['others_wait_ns'], [g['name'] for g in groups['items']]"
    [ "$output" = "None 0 ['ranks 0-3']" ]
    run "$PAGODA" replay --group 0-2,3 run
    [[ $output == *'  rank 3: its busiest rank sets the pace; ranks of other groups wait 6.000'* ]]
    # From 0 to 2000 all but rank 0 are always busy; then rank 3 is for 2300, and in calls for 100.
    run "$PAGODA" replay --group 0-2,3 --interval 0s:2us --interval 2us: run
    [[ ${lines[1]} == *' others wait  to spare  limited by '* ]]
    "$PAGODA" replay --json --group 0-2,3 --interval 0s:2us --interval 2us: run |
        jq -e '[.intervals[] | [.limiting, .others_wait_ns, .spare_ranks]] ==
            [["ranks 0-2", 0, 0], ["rank 3", 5000, 2]]'
}

@test "messages by size: a class ends before the next power of two" {
    {
        for size in 0 1 2 3 4; do
            echo "0 $((10 + size)) enter MPI_Send"
            echo "0 $((10 + size)) send world 1 0 $size"
            echo "0 $((10 + size)) leave MPI_Send"
            echo "1 $((20 + size)) enter MPI_Recv"
            echo "1 $((20 + size)) recv world 0 0 $size"
            echo "1 $((20 + size)) leave MPI_Recv"
        done
    } | "$BUILD/tools/mktrace" - sizes
    run jq -c '[.message_sizes[] | [.least_bytes, .messages, .bytes]]' <("$PAGODA" replay --json sizes)
    [ "$output" = '[[0,1,0],[1,1,1],[2,2,5],[4,1,4]]' ]
    run "$PAGODA" replay --group 1 sizes
    [[ $output =~ "    2 B "+2\ +40.0\ %\ +"5 B" ]]
}

@test "bad input" {
    for group in 0 nodes -1 1.5 '0,' 1-0 0-2,2 2,1 0-x 0--1 0-4294967295; do
        says -2 "is not a group: node, machine, program, a number of ranks from 1 on, or ranges" \
            "$PAGODA" replay --group "$group" run
    done
    says -2 "--group: it goes without what-if options, --explain, --paths and --list-waits" \
        "$PAGODA" replay --group node --paths main run
}
