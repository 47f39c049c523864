# SPDX-License-Identifier: BSD-3-Clause
# Collectives of real programs carried out by algorithms: whatever programs do (nonblocking and
# persistent ones, in place, on communicators of all kinds), no call is left waiting.
load ../helper

# machine ALGORITHM: a machine that carries out by it what can be; the first word of a line of
# algorithms is an operation.
machine() {
    local operation algorithms
    echo '<machine><message scope="network" send-overhead="1us" recv-overhead="1us">'
    echo '<point bytes="0" time="5us"/><point bytes="1MB" time="1ms"/></message>'
    while read -r operation algorithms; do
        [[ " $algorithms " != *" $1 "* ]] || echo "<collective op=\"$operation\" algorithm=\"$1\"/>"
    done <<'END'
barrier flat binomial quaternary recursive-doubling ring hardware-multicast
bcast flat binomial quaternary recursive-doubling ring hardware-multicast
gather flat binomial
gatherv flat binomial
scatter flat binomial
scatterv flat binomial
allgather flat binomial recursive-doubling ring
allgatherv flat binomial recursive-doubling ring
alltoall flat recursive-doubling ring
alltoallv flat recursive-doubling ring
alltoallw flat recursive-doubling ring
allreduce flat binomial quaternary recursive-doubling ring hardware-multicast
reduce flat binomial quaternary recursive-doubling ring
reduce_scatter flat binomial recursive-doubling ring
scan flat recursive-doubling ring
exscan flat recursive-doubling ring
reduce_scatter_block flat binomial recursive-doubling ring
END
    echo '</machine>'
}

# carries_out MPI: predictions of collectives of all ranks and between groups by each algorithm.
carries_out() {
    local mpi=$1 chapter algorithm options=(-n 4)
    has_mpi "$mpi" || skip "no $mpi"
    [ "$mpi" != openmpi ] || options+=(--oversubscribe)
    for chapter in collectives communicators; do
        rm -rf trace
        "$PAGODA" trace -o trace -- "mpirun.$mpi" "${options[@]}" \
            "$BUILD/programs/$mpi/every" "$chapter" >trace.out 2>trace.err </dev/null || {
            cat trace.err
            return 1
        }
        for algorithm in flat binomial quaternary recursive-doubling ring hardware-multicast; do
            machine "$algorithm" >machine.xml
            "$PAGODA" replay --json --nodes 4 --machine machine.xml trace >predicted.json
            echo "$chapter $algorithm $(jq -c '.whatif | [.forced_calls, .collectives]' predicted.json)"
            jq -e '.whatif | .forced_calls == 0 and .collectives.by_algorithm > 0 and
                .critical_path.length_ns == .predicted_ns' predicted.json
        done
    done
}

@test "Open MPI: collectives by each algorithm" { carries_out openmpi; }

@test "MPICH: collectives by each algorithm" { carries_out mpich; }
