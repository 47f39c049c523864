#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The settings that findings propose do with the installed MPI libraries what they say.
# shellcheck disable=SC2154 # `traced` sets dir and out
load trace

# early: how many of 16 sends were over before their receive began, in the output OUT.
early() { sed -n 's/^early \([0-9]*\) of 16.*/\1/p' "$1"; }

eager() {
    traced "$1" 2 trace_eager 50
    [ "$status" = 0 ]
    [ "$(early "$out")" = 0 ]
    "$PAGODA" replay --json "$dir" >found
    jq -r '[.findings[].remedies[] | select(.words | startswith("--eager "))][0].setting' found >setting
    grep -q 17408 setting
    read -ra line < <(sed "s/mpirun/mpirun.$1/; s/mpiexec/mpirun.$1/" setting)
    [[ ${line[0]} != *=* ]] || line=(env "${line[@]}")
    run -0 timeout -k 5 300 "${line[@]}" -n 2 "$BUILD/programs/$1/trace_eager" 10000
    [ "$(early <(echo "$output"))" = 16 ]
}

@test "larger messages leave their senders at once with the proposed setting, and not without" {
    for_each_mpi eager
}
