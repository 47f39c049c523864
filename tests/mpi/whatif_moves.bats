# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --move, --overlap, --aggregate on traces of real client/server programs: how many
# exchanges take work along follows from the program; no work gets lost; nobody waits for ever.
load ../helper

# record MPI PROGRAM OPTIONS...: a trace of 4 ranks of a program with its functions as regions.
record() {
    local mpi=$1 program=$2
    shift 2
    rm -rf trace
    "$PAGODA" trace -o trace -- "mpirun.$mpi" -n 4 "$BUILD/programs/$mpi-regions/$program" "$@" \
        >trace.out 2>trace.err </dev/null || {
        cat trace.err
        return 1
    }
}

# predict OPTIONS...: the object whatif, checked for what always holds.
predict() {
    "$PAGODA" replay --json --cores 4 "$@" trace | jq -e '.whatif | select(.forced_calls == 0 and
        .predicted_ns == ([.ranks[].finish_ns] | max) and
        .critical_path.length_ns == .predicted_ns)'
}

# moves N OPTION: N messages take work along, none of it stays, and all of it is done elsewhere.
moves() {
    predict >same.json
    predict --move "$2" | jq -e --argjson n "$1" --slurpfile same same.json '
        .moves[0].messages == $n and .moves[0].moved_ns > 0 and .moves[0].stayed_ns == 0 and
        (([.ranks[].busy_ns] | add) - ([$same[0].ranks[].busy_ns] | add) | fabs) <= 4 and
        (.client_server.path_ns <= .client_server.in_turn_path_ns)'
}

check() {
    local mpi=$1
    has_mpi "$mpi" || skip "no $mpi"
    record "$mpi" spa --requests 5 --busy1 53 --busy2 73 --dispatch 36 --think 10
    moves 5 servBusy1=0:1
    moves 10 servBusy2=0:2-3
    moves 15 'servBusy*=0:1,2,3'
    predict --overlap main --aggregate all |
        jq -e '.is_upper_bound and .overlapped_calls > 0 and has("aggregated_messages")'
    # After the last answer comes the message that the client stops.
    record "$mpi" spa --requests 5 --busy1 53 --busy2 73 --dispatch 36 --think 10 --client-busy1
    moves 5 servBusy1=1:0
    # 200 tuples in pages of 19, twice for each of three clients. On its way back a join goes with the
    # message that asks for the next page, or closes the query.
    record "$mpi" joinserver --tuples 2000
    moves 66 process_query=0:1-3
    record "$mpi" joinserver --tuples 2000 --data-shipping
    moves 66 'main/**/process_query=1-3:0'
}

@test "Open MPI" { check openmpi; }

@test "MPICH" { check mpich; }
