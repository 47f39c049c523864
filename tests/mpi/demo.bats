# SPDX-License-Identifier: BSD-3-Clause
# What `make demo` shows, and the commands it ends with, pasted.
load ../helper

@test "the demo runs, and the three commands it ends with do" {
    has_mpi openmpi || skip "no Open MPI"
    cd "$ROOT"
    run -0 tests/demo
    [[ $output == *"Findings"* ]]
    [[ $output == *"Late Sender"* ]]
    [[ $(tr -s '\n ' ' ' <<<"$output") == *"waiting for rank 0"* ]] # however the lines break
    mapfile -t commands < <(printf '%s\n' "$output" | sed -n '/Try next:$/,$s/^  //p')
    [ ${#commands[@]} = 3 ]
    for command in "${commands[@]}"; do
        run bash -c "$command"
        echo "$command: $status: $output"
        [ "$status" = 0 ]
        [ -n "$output" ]
    done
}
