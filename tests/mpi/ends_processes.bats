# SPDX-License-Identifier: BSD-3-Clause
# Children, other programs, threads, constructors: only the rank itself is recorded, whole.
# The rows and what holds for each: tests/ends.
load ../helper

row() {
    run "$ROOT/tests/ends" "$1"
    echo "$output"
    [ "$status" != 77 ] || skip "there is no MPI"
    [ "$status" = 0 ]
}

@test "a child runs on and exits" {
    row fork
}

@test "a child without the C library" {
    row fork-raw
}

@test "a child of a callback of MPI" {
    row fork-in-call
}

@test "children while threads call MPI" {
    row fork-threads
}

@test "a child becomes the rank" {
    row fork-before
}

@test "popen, system, fork and exec" {
    row programs
}

@test "a child that is an MPI program" {
    row mpi-program
}

@test "MPI_Init in another thread" {
    row thread
}

@test "MPI_Init in a library constructor" {
    row constructor
}

@test "MPI_Init in that of a plug-in" {
    row plugin
}

@test "two programs in one launch line" {
    row mpmd
}
