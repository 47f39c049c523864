# SPDX-License-Identifier: BSD-3-Clause
# A few hundred spoiled archives and texts of each kind, always the same ones. To look for more:
# `build/fuzz/fuzz_reader -s SEED -n CASES -k DIRECTORY`, and `make fuzz`.
load ../helper

@test "the reader and the engine survive 300 spoiled archives" {
    run "$BUILD/fuzz/fuzz_reader" -n 300
    echo "$output"
    [ "$status" = 0 ]
    [ "${lines[-1]}" = '300 cases, 0 failed' ]
}

@test "what users and other tools write is read or refused with a reason, 100 spoiled texts of each kind" {
    cd "$ROOT"
    run "$BUILD/fuzz/fuzz_inputs" -n 100
    echo "$output"
    [ "$status" = 0 ]
    [ "${#lines[@]}" = "$(grep -c '^    {"[a-z-]*", read_' tests/fuzz/fuzz_inputs.c)" ]
    [[ $output != *': 0 seeds'* ]]
}
