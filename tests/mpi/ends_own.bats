# SPDX-License-Identifier: BSD-3-Clause
# What the program does to end itself: its calls are in the archive but at most the one it ended in.
# The rows and what holds for each: tests/ends.
load ../helper

row() {
    run "$ROOT/tests/ends" "$1"
    echo "$output"
    [ "$status" != 77 ] || skip "there is no MPI"
    [ "$status" = 0 ]
}

@test "MPI_Finalize and return" {
    row well
}

@test "MPI_Abort on one rank" {
    row mpi-abort
}

@test "segmentation fault" {
    row crash
}

@test "abort()" {
    row abort
}

@test "one rank kills itself, SIGKILL" {
    row kill
}

@test "exit() without MPI_Finalize" {
    row exit
}

@test "_exit()" {
    row _exit
}

@test "quick_exit()" {
    row quick_exit
}

@test "becomes another program" {
    row exec
}

@test "_exit() while threads call MPI" {
    row exit-threads
}

@test "calls after MPI_Finalize" {
    row after
}

@test "a wrong call after MPI_Finalize" {
    row after-error
}
