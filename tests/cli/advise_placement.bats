# SPDX-License-Identifier: BSD-3-Clause
# The placements that pagoda advise finds: the best of all where all can be tried here, too; on more ranks
# no worse than block and cyclic, and the best where that is known by construction. The runs are
# those of exchange_graph.py; nodes have one link out and one in, where not said otherwise.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    sed 's/cores="4"/cores="4" out-links="1" in-links="1"/' "$ROOT/tests/traces/advise/network.xml" >links.xml
    cp "$ROOT/tests/traces/advise/network.xml" .
}

# graph NAME RANKS NODES [SEED]: the archive `run`, and the options `ordered`.
graph() {
    rm -rf run
    /usr/bin/python3 "$ROOT/tests/cli/exchange_graph.py" "$1" "$2" "$3" "${4-1}" run.txt ordered
    "$BUILD/tools/mktrace" run.txt run
}

predicted() {
    "$PAGODA" replay run --json "$@" | jq .whatif.predicted_ns
}

# search NODES CORES MACHINE: sets $found, $block, $cyclic; the one found must not be worse, and its command says the same.
search() {
    local target=(--cores "$2" --machine "$3") options=()
    "$PAGODA" advise run --only placement --nodes "$1" "${target[@]}" --json >advice
    found=$(jq .candidates[0].predicted_ns advice)
    read -ra options < <(jq -r .candidates[0].options advice)
    [ "$(predicted "${options[@]}")" = "$found" ]
    block=$(predicted --nodes "$1" "${target[@]}")
    cyclic=$(predicted --nodes "$1" --map cyclic "${target[@]}")
    echo "found $found, block $block, cyclic $cyclic"
    [ "$found" -le "$block" ]
    [ "$found" -le "$cyclic" ]
}

# is_best_of_all RANKS NODES CORES MACHINE: is the one found the shortest predicted run of all placements? With
# sanitizers, of some.
is_best_of_all() {
    local options best
    /usr/bin/python3 "$ROOT/tests/cli/exchange_graph.py" all "$1" "$2" |
        awk -v step="$(cases 1 10)" 'NR % step == 0' >placements
    while read -ra options; do
        "$PAGODA" replay run --json --cores "$3" --machine "$4" "${options[@]}"
    done <placements >predictions
    best=$(jq -s 'map(.whatif.predicted_ns) | min' predictions)
    [ "$found" -le "$best" ]
    [ "$(cases "$found" "$best")" -eq "$best" ]
}

@test "the best of all placements: unequal work, two nodes with two cores" {
    for name in uneven-none uneven-ring; do
        graph $name 6 2
        search 2 2 links.xml
        is_best_of_all 6 2 2 links.xml
    done
}

@test "the best of all placements: three nodes" {
    # Too many to try them all in the search.
    graph random 7 3
    search 3 3 links.xml
    is_best_of_all 7 3 3 links.xml
}

@test "cores to spare: on as few nodes as have a core for each rank, if that is better" {
    graph ring 16 4
    search 4 16 network.xml
    [ "$found" = "$(predicted --nodes 1 --cores 16 --machine network.xml)" ]
    # Six pairs in blocks of three ranks are torn, on two nodes they are not.
    graph pairs 12 4
    search 4 8 links.xml
    [ "$found" = "$(predicted --nodes 1 --cores 12 --machine network.xml)" ]
}

@test "pairs and cliques that fit a node are found in 16, 32 and 64 shuffled ranks" {
    while read -r name n n_nodes n_cores; do
        graph "$name" "$n" "$n_nodes"
        search "$n_nodes" "$n_cores" links.xml
        # Nothing goes through the network, whose links would take their time.
        [ "$found" = "$(predicted --nodes 1 --cores "$n" --machine network.xml)" ]
        read -ra options <ordered
        [ "$found" = "$(predicted --cores "$n_cores" --machine links.xml "${options[@]}")" ]
        [ "$found" -lt "$block" ]
    done <<'END'
pairs 16 4 4
uneven-cliques 16 4 4
cliques 32 4 8
pairs 64 8 8
END
}

@test "16 shuffled ranks: grids, hypercubes, farms" {
    for name in halo-2d hypercube random; do
        graph $name 16 4
        search 4 4 links.xml
        # Neighbours are far away both ways.
        [ "$found" -lt "$block" ]
        [ "$found" -lt "$cyclic" ]
    done
    graph star 16 4
    search 4 2 links.xml
}

@test "32 and 64 shuffled ranks" {
    graph hypercube 32 4
    search 4 8 links.xml
    [ "$found" -lt "$block" ]
    [ "$found" -lt "$cyclic" ]
    graph halo-2d 64 8
    search 8 8 links.xml
    [ "$found" -lt "$block" ]
    [ "$found" -lt "$cyclic" ]
}

@test "shared cores: unequal work is evened out" {
    graph uneven-none 16 4
    search 4 2 network.xml
    # The mean of the eight cores is the least there could be, were work divisible.
    total=$(awk '/^[0-9]+ [0-9]+ leave main/ { sum += $2 } END { print sum }' run.txt)
    [ "$found" -ge $((total / 8)) ]
    [ "$((100 * found))" -le $((110 * total / 8)) ]
    [ "$found" -lt "$block" ]
    [ "$found" -lt "$cyclic" ]
}

@test "nodes that differ: work goes to those with more and faster cores" {
    cat >fat.xml <<'END'
<machine name="fat" cores="1">
  <node name="node1" cores="4" cpu-speed="2"/>
  <message scope="node"><point bytes="0" time="1us"/><point bytes="1MB" time="100us"/></message>
  <message scope="network"><point bytes="0" time="20us"/><point bytes="1MB" time="10ms"/></message>
</machine>
END
    graph uneven-none 4 2
    "$PAGODA" advise run --only placement --nodes 2 --machine fat.xml --json >advice
    jq -e '.candidates[0].options | startswith("--place node1=0-3 ")' advice
}

@test "places that change by phase: proposed where the moves cost less than they save" {
    # In each phase two of the ranks 0 to 2 compute for 1 ms, then all meet: on two cores two of the three phases
    # take 1 ms at best, the third one 2 ms. There a rank goes to the other core first, with 8000 bytes in
    # 20 us + 8000 / 1 MB * 9.98 ms, and back while it has nothing to do. 1 MB takes longer than that saves.
    awk 'BEGIN {
        split("0 1 0 2 1 2", heavy)
        for (rank = 0; rank < 4; rank++) {
            print rank, 0, "enter main"
            for (p = 0; p < 3; p++) {
                begin = p * 1000000; end = begin + 1000000
                done = rank == heavy[2 * p + 1] || rank == heavy[2 * p + 2] ? end : begin
                print rank, begin, "enter phase" p; print rank, done, "leave phase" p
                print rank, done, "enter MPI_Barrier"; print rank, done, "coll-begin"
                print rank, end, "coll-end barrier world - 0 0"; print rank, end, "leave MPI_Barrier"
            }
            print rank, end, "leave main"
        }
    }' >run.txt
    "$BUILD/tools/mktrace" run.txt run
    local target=(--only placement --nodes 2 --cores 1 --machine network.xml)
    local phases=(--phase phase0 --phase phase1 --phase phase2)
    "$PAGODA" advise run "${target[@]}" "${phases[@]}" --state 8000 --json >advice
    jq -e '.candidates[0].predicted_ns == 3099840 and .target_ns == 4000000' advice
    read -ra options < <(jq -r .candidates[0].options advice)
    [ "$(predicted "${options[@]}")" = 3099840 ]
    "$PAGODA" advise run "${target[@]}" "${phases[@]}" --state 1MB --json |
        jq -e 'all(.candidates[]; .options | contains("phase") | not)'
    run "$PAGODA" advise run "${target[@]}" --phase phase9 --state 1
    [[ $status == 1 && $output == *'--place phase9: there is no such region; is it phase'* ]]
    run "$PAGODA" advise run "${target[@]}" --state 1
    [[ $status == 2 && $output == *'--state is what ranks take along where a --phase begins, which is missing'* ]]
}
