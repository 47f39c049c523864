# SPDX-License-Identifier: BSD-3-Clause
# What programs do to their environment: files, folders, users, limits.
# The rows and what holds for each: tests/ends.
load ../helper

@test "a script that becomes the program" { ends_row wrapper; }
@test "a program with LD_PRELOAD of its own" { ends_row preload mpich; }
@test "closes all files it did not open" { ends_row close-fds; }
@test "changes its folder" { ends_row chdir mpich; }

@test "changes its root folder" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    ends_row chroot mpich
}

@test "becomes another user" {
    [ "$(id -u)" = 0 ] || skip "needs root"
    ends_row setuid mpich
}

@test "RLIMIT_NOFILE too low" { ends_row few-fds mpich; }
@test "RLIMIT_AS of 1 GB" { ends_row little-memory mpich; }
