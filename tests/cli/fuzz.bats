# SPDX-License-Identifier: BSD-3-Clause
# A few hundred spoiled archives, always the same ones. To look for more:
# `build/fuzz/fuzz_reader -s SEED -n CASES -k DIRECTORY`.
load ../helper

@test "the reader and the engine survive 300 spoiled archives" {
    run "$BUILD/fuzz/fuzz_reader" -n 300
    echo "$output"
    [ "$status" = 0 ]
    [ "${lines[-1]}" = '300 cases, 0 failed' ]
}
