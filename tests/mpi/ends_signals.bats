# SPDX-License-Identifier: BSD-3-Clause
# What comes from outside: signals to ranks, launcher, terminal group and pagoda itself.
# The rows and what holds for each: tests/ends.
load ../helper

row() {
    run "$ROOT/tests/ends" "$1"
    echo "$output"
    [ "$status" != 77 ] || skip "there is no MPI"
    [ "$status" = 0 ]
}

@test "SIGTERM to a busy rank" {
    row term-rank
}

@test "SIGKILL to a busy rank" {
    row kill-rank
}

@test "SIGTERM to the launcher" {
    row term-launcher
}

@test "SIGKILL to the launcher" {
    row kill-launcher
}

@test "SIGINT to all, as a terminal does" {
    row ctrl-c
}

@test "SIGHUP to all, as a terminal does" {
    row hang-up
}

@test "SIGTERM to pagoda trace" {
    row term-pagoda
}

@test "SIGKILL to pagoda trace; --finish" {
    row kill-pagoda
}

@test "SIGKILL to everything; --finish" {
    row kill-all
}
