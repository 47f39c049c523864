# SPDX-License-Identifier: BSD-3-Clause
# How far predictions can be relied on, judged by the replay error, and how ranks wait where no
# option says so. The traces are small enough to compute by hand.
load ../helper

# shared MPI END: two ranks on one core. Rank 0 computes for 1.5 ms, sends, and computes until END;
# rank 1 waits for that message in MPI, and computes from 1.5 to 2.5 ms.
shared() {
    printf '%s\n' 'nodes a a' 'cores a 1' "mpi $1" '0 0 enter main' '0 1500000 enter MPI_Send' \
        '0 1500000 send world 1 0 8' '0 1500000 leave MPI_Send' "0 $2 leave main" '1 0 enter main' \
        '1 0 enter MPI_Recv' '1 1500000 recv world 0 0 8' '1 1500000 leave MPI_Recv' \
        '1 2500000 leave main' >shared.txt
    rm -rf trace
    "$BUILD/tools/mktrace" shared.txt trace
}

whatif() {
    "$PAGODA" replay --json "$@" trace | jq -c .whatif
}

@test "ranks of MPICH that shared cores spin in slices, unless an option says otherwise" {
    shared mpich 1600000
    [ "$(whatif --nodes 2 | jq 'del(.assumptions)')" = \
        "$(whatif --nodes 2 --wait spin --slice 4ms | jq 'del(.assumptions)')" ]
    whatif --nodes 2 | jq -e '.assumptions | any(test("no --wait is given"))'
    whatif --nodes 2 --wait block | jq -e '.change == "--nodes 2 --wait block" and .assumptions == []'
    whatif --nodes 2 --slice 1ms | jq -e '.change == "--nodes 2 --wait spin --slice 1ms"'
    whatif --nodes 2 --hand-over 1us | jq -e '.change == "--nodes 2 --wait spin --hand-over 1us"'
    [ "$("$PAGODA" advise --json trace | jq .replayed_ns)" = "$(whatif --cpu-speed 2 | jq .replayed_ns)" ]
    "$PAGODA" advise trace | grep -q '^  Assumed .*--wait spin'
    "$PAGODA" advise --wait block --json trace | jq -e '.assumption == null'
    shared openmpi 1600000
    whatif --nodes 2 | jq -e '.change == "--nodes 2" and .assumptions == []'
    shared mpich 1600000
    sed -i 's/cores a 1/cores a 2/' shared.txt
    rm -r trace
    "$BUILD/tools/mktrace" shared.txt trace
    whatif --nodes 2 | jq -e '.change == "--nodes 2" and .assumptions == []'
    whatif --nodes 1,2 --cores 1 | jq -e '.change == "--nodes 1,2 --cores 1 --wait spin --slice 4ms"'
}

@test "ranks of Open MPI spin if it was not told of more ranks than slots, unless it was told to yield" {
    local said wait
    for said in mpi_oversubscribe=0:spin mpi_oversubscribe=1:block mpi_yield_when_idle=1:block \
        mpi_yield_when_idle=0:spin; do
        wait=${said#*:}
        shared "openmpi OMPI_MCA_${said%:*}" 1600000
        [ "$(whatif --nodes 2 | jq '.change | test("--wait spin --slice 4ms")')" = \
            "$([ "$wait" = spin ] && echo true || echo false)" ]
    done
}

# held MPI BYTES: slice-held-send.txt with such a message, recorded with such an MPI.
held() {
    { printf '%s\n' 'nodes a b' "mpi $1"; grep '^[01]' "$ROOT/tests/traces/whatif/slice-held-send.txt"; } |
        sed "s/ 1000$/ $2/" >held.txt
    rm -rf trace
    "$BUILD/tools/mktrace" held.txt trace
    whatif --nodes 1 --cores 1 --wait spin --slice 1us
}

@test "which messages keep a spinning sender until its receiver has a core follows from the MPI" {
    held openmpi 257 | jq -e '.ranks[0].finish_ns == 1710'
    held openmpi 256 | jq -e '.ranks[0].finish_ns == 810'
    held mpich 8193 | jq -e '.ranks[0].finish_ns == 1710'
    held mpich 8192 | jq -e '.ranks[0].finish_ns == 810'
    held mpich 8192 | jq -e '.cores | endswith("messages above 8.0 KiB wait until their receiver runs")'
}

@test "advice for ranks that spin counts gains from a run in which they spin" {
    shared openmpi 1600000
    for wait in block spin; do
        [ "$("$PAGODA" advise --json --wait "$wait" trace | jq .replayed_ns)" = \
            "$(whatif --cpu-speed 2 --wait "$wait" | jq .replayed_ns)" ]
    done
    whatif --cpu-speed 2 --wait spin | jq -e '.replayed_ns == 4100000' # rank 0 has half a core until 3 ms
}

@test "a change that does no more than the replay error is called uncertain" {
    # On one core 1.5 + 0.1 + 1 ms, 4 % more than the recording.
    shared openmpi 1600000
    whatif --cpu-speed 1.02 | jq -e '.replayed_ns == 2600000 and .reliability == "uncertain"'
    whatif --cpu-speed 2 | jq -e '.reliability == "good"'
    "$PAGODA" replay --cpu-speed 1.02 trace | tr -s ' \n' ' ' | grep -q 'no more than the replay error: uncertain'
    "$PAGODA" replay --cpu-speed 1.02,2 trace >list
    grep -q '^Predictions .*?: no more than the replay error' list
    [ "$(grep -c '%?' list)" = 1 ]
    whatif --cpu-speed 1.02,2 | jq -e '[.points[].reliability] == ["uncertain", "good"]'
}

@test "where the run with nothing changed is missed by far, the report gives no answer" {
    # On one core 3.5 ms, 40 % more than the recording.
    shared openmpi 2500000
    whatif --cpu-speed 2 | jq -e '.replay_error == 0.4 and .reliability == "none"'
    "$PAGODA" replay --cpu-speed 2 trace >report
    grep -q '^  Predicted *not known: ' report
    run ! grep -q -e 'times as fast' -e '^  Why' report
    "$PAGODA" replay --cpu-speed 2,4 trace >list
    grep -q '^Predictions .*?: they say nothing' list
    [ "$(grep -c '%?' list)" = 2 ]
    "$PAGODA" advise trace >advice
    tr -s ' \n' ' ' <advice | grep -q 'the gains below say nothing (?)'
    run ! grep -q -e '^  Lost time' -e 'Even the best' advice
    run ! grep -E '^ *[0-9]+\. +[0-9.]+ [mun]?s  ' advice
    "$PAGODA" advise --json trace | jq -e '[.candidates[] | select(.gain_ns) | .is_uncertain] | length > 0 and all'
}

@test "time without a core that explains the replay error does not make an answer unreliable" {
    # By its CPU time rank 0 worked for 1 ms of 6, and no other rank was on its core.
    printf '%s\n' 'nodes a' 'cores a 1' '0 0 enter main' '0 0 cpu 0' '0 6000000 cpu 1000000' \
        '0 6000000 enter MPI_Comm_rank' '0 6000000 leave MPI_Comm_rank' '0 6000000 leave main' >lost.txt
    "$BUILD/tools/mktrace" lost.txt trace
    whatif --cpu-speed 2 | jq -e '.replayed_ns == 1000000 and .lost_ns == 5000000 and .reliability == "good"'
}
