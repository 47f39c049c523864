# SPDX-License-Identifier: BSD-3-Clause
# What comes from outside: signals to ranks, launcher, terminal group and pagoda itself.
# The rows and what holds for each: tests/ends.
load ../helper

@test "SIGTERM to a busy rank" {
    ends_row term-rank
}

@test "SIGKILL to a busy rank" {
    ends_row kill-rank
}

@test "SIGTERM to the launcher" {
    ends_row term-launcher
}

@test "SIGKILL to the launcher" {
    ends_row kill-launcher
}

@test "SIGINT to all, as a terminal does" {
    ends_row ctrl-c
}

@test "SIGHUP to all, as a terminal does" {
    ends_row hang-up
}

@test "SIGTERM to pagoda trace" {
    ends_row term-pagoda
}

@test "SIGKILL to pagoda trace; --finish" {
    ends_row kill-pagoda
}

@test "SIGKILL to everything; --finish" {
    ends_row kill-all
}
