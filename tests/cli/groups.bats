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

@test "so many ranks each, the last group with the rest" {
    run json 3 "[(g['name'], g['ranks'], g['wait_ns']) for g in groups['items']]"
    [ "$output" = "[('ranks 0-2', 3, 6000), ('rank 3', 1, 0)]" ]
    run "$PAGODA" replay --group 3 run
    [[ $output == *"ranks       ranks 0-2 100.0 %"* ]]
    [[ $output == *"waiting for rank 3 100.0 %"* ]]
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
    for group in 0 nodes -1 1.5; do
        says -2 "is not a group: node, machine or a number of ranks from 1 on" "$PAGODA" replay --group "$group" run
    done
    run -2 "$PAGODA" replay --group node --interval main run
    [[ $output == *"--group: it goes without what-if options, --explain, --paths, --list-waits and --interval"* ]]
}
