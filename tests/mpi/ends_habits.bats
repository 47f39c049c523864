# SPDX-License-Identifier: BSD-3-Clause
# What programs do to their environment: files, folders, users, limits.
# The rows and what holds for each: tests/ends.
load ../helper

row() {
    run "$ROOT/tests/ends" "$1"
    echo "$output"
    [ "$status" != 77 ] || skip "there is no MPI"
    [ "$status" = 0 ]
}

@test "a script that becomes the program" {
    row wrapper
}

@test "a program with LD_PRELOAD of its own" {
    row preload
}

@test "closes all files it did not open" {
    row close-fds
}

@test "changes its folder" {
    row chdir
}

@test "changes its root folder" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    row chroot
}

@test "becomes another user" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    row setuid
}

@test "RLIMIT_NOFILE too low" {
    row few-fds
}

@test "RLIMIT_AS of 1 GB" {
    row little-memory
}
