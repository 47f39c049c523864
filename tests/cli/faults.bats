# SPDX-License-Identifier: BSD-3-Clause
# Unsanitized: sanitizers want more memory than is left, and no tracing.
# System calls that fail, kills at system calls, little memory. `tests/faults` alone tries every one.
load ../helper

@test "whatever call fails, a command says so and leaves all or nothing" {
    run "$ROOT/tests/faults" --every 97
    echo "$output"
    [ "$status" = 0 ]
    [[ $output == *" faults, 0 wrong" ]]
}
