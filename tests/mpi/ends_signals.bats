# SPDX-License-Identifier: BSD-3-Clause
# What comes from outside: signals to ranks, launcher, terminal group and pagoda itself.
# The rows and what holds for each: tests/ends.
load ../helper

@test "SIGTERM to a busy rank" { ends_row term-rank; }
@test "SIGKILL to a busy rank" { ends_row kill-rank; }
@test "SIGTERM to the launcher" { ends_row term-launcher; }
@test "SIGKILL to the launcher" { ends_row kill-launcher; }
@test "SIGINT to all, as a terminal does" { ends_row ctrl-c; }
@test "SIGHUP to all, as a terminal does" { ends_row hang-up; }
@test "SIGTERM to pagoda trace" { ends_row term-pagoda; }
@test "SIGKILL to pagoda trace; --finish" { ends_row kill-pagoda; }
@test "SIGKILL to everything; --finish" { ends_row kill-all; }

@test "a row whose processes cannot be found fails at once and leaves none" {
    printf '#!/bin/sh\nexit 127\n' >"$BATS_TEST_TMPDIR/pgrep"
    chmod +x "$BATS_TEST_TMPDIR/pgrep"
    export TMPDIR=$BATS_TEST_TMPDIR
    PATH=$BATS_TEST_TMPDIR:$PATH run timeout -k 5 100 "$ROOT/tests/ends" term-launcher
    [ "$status" = 1 ]
    [[ $output == *"launcher was not found"* ]]
    for process in /proc/[0-9]*; do
        ! grep -qzF "ENDS_COUNTS=$BATS_TEST_TMPDIR" "$process/environ" 2>/dev/null || return
    done
}
