# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --explain RANK@TIME: what a rank does then, and why it waits.
load ../helper

# refused MOMENT MESSAGE: --explain MOMENT of chain is refused.
refused() {
    run "$PAGODA" replay --explain "$1" chain
    [ "$status" -ne 0 ]
    [[ $output == *"$2"* ]]
}

@test "a chain of two hops, computed by hand" {
    archive replay/chain
    run -0 "$PAGODA" replay --explain 2@50us chain
    [ "${lines[0]}" = "Rank 2 at 50.00 us waits in main/MPI_Recv, from 20.00 us to 118.0 us" ]
    [ "${lines[1]}" = "  It waits 95.00 us of that, for rank 1." ]
    [[ ${lines[4]} == *"1  100.0 us  115.0 us   10.00 us  5.000 us  pass_on     90.00 us for rank 0 in main/MPI_Recv" ]]
    [[ ${lines[5]} == *"0      0 ns  100.0 us   100.0 us      0 ns  solve"* ]]
    [ "${lines[6]}" = "Origin: rank 0 in solve, 95.00 us of the wait" ]
}

@test "a rank without CPU time does not compute" {
    archive replay/without-cpu
    run -0 "$PAGODA" replay --explain 0@5ms without-cpu
    [ "$output" = "Rank 0 at 5.000 ms is outside MPI, from 1.000 ms to 11.10 ms, longest without CPU time" ]
}

@test "where a rank does not wait" {
    archive replay/chain
    run "$PAGODA" replay --explain 1@110us chain
    [ "$output" = "Rank 1 at 110.0 us computes, from 105.0 us to 115.0 us, longest in pass_on" ]
    run "$PAGODA" replay --explain 0@100500ns chain
    [ "$output" = "Rank 0 at 100.5 us does not wait: it is in main/MPI_Send, from 100.0 us to 101.0 us" ]
    run "$PAGODA" replay --explain 2@129us chain
    [ "$output" = "Rank 2 at 129.0 us computes, from 118.0 us to 130.0 us" ]
    run "$PAGODA" replay --explain 2@130us chain
    [ "$output" = "Rank 2 at 130.0 us has ended: its last record is at 130.0 us" ]
}

@test "a call too short for four digits: how long it takes" {
    printf '0 %s\n' '0 enter main' '1000000000 enter MPI_Comm_size' '1000000250 leave MPI_Comm_size' \
        '1000001000 leave main' | "$BUILD/tools/mktrace" - short
    run "$PAGODA" replay --explain 0@1000000100ns short
    [[ $output == *"it is in main/MPI_Comm_size, from 1.000 s on, for 250 ns" ]]
}

@test "any moment of a loop: iterations.py knows" {
    "$ROOT/tests/cli/iterations.py" write even >even.txt
    "$BUILD/tools/mktrace" even.txt even
    for i in {1..24}; do
        time=$((7500 + i * 2593))
        "$PAGODA" replay --json --explain "$((i % 3))@${time}ns" even >moment.json
        "$ROOT/tests/cli/iterations.py" moment even "$((i % 3))" "$time" <moment.json
    done
}

@test "the same on any number of threads" {
    "$ROOT/tests/cli/iterations.py" write even >even.txt
    "$BUILD/tools/mktrace" even.txt even
    "$PAGODA" replay --threads 1 --explain 1@20us even >one
    "$PAGODA" replay --threads 4 --explain 1@20us even >four
    cmp one four
}

@test "bad input" {
    archive replay/chain
    refused 3@1us "--explain 3@1us: the run has no rank 3; its ranks are 0 to 2"
    refused 2@131us "--explain 2@131us: the run ends at 130.0 us"
    refused 2 "\`2\` is not a RANK@TIME, such as 3@1.5s"
    refused @1s "\`@1s\` is not a RANK@TIME"
    refused 1@ "\`1@\` is not a RANK@TIME"
    refused 1@3parsec "unknown unit \`parsec\`"
    says -2 "--explain is of the measured run" "$PAGODA" replay --explain 1@1us --ideal chain
}
