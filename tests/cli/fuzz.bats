# SPDX-License-Identifier: BSD-3-Clause
# A hundred spoiled inputs of each kind, always the same ones. `make fuzz` looks for more.
load ../helper

@test "what others write is read, or refused with a reason, 100 spoiled inputs of each kind" {
    cd "$ROOT"
    run -0 "$BUILD/fuzz/fuzz" -n 100
    [ "${#lines[@]}" = "$(grep -c '^    {.name = "' tests/fuzz/readers.c)" ]
    [[ $output != *': 0 seeds'* ]]
}
