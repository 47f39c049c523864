# SPDX-License-Identifier: BSD-3-Clause
# Unsanitized: sanitizers want more memory than is left, and no tracing.
# System calls that fail, kills at system calls, little memory. `tests/faults` alone tries every one.
load ../helper

@test "whatever call fails, a command says so and leaves all or nothing" {
    run -0 "$ROOT/tests/faults" --every 97
    [[ $output == *" faults, 0 wrong" ]]
}

@test "a file that cannot be read on is not called damaged" {
    cd "$BATS_TEST_TMPDIR"
    "$BUILD/bench/generate" --pattern halo --ranks 2 --events 100000 big >/dev/null
    run -3 strace -f -qq -o /dev/null -P "$PWD/big/traces/1.evt" -e inject=pread64:error=EIO:when=2+ "$PAGODA" check big
    [[ $output == *"cannot read its event file (1.evt) after event "*": Input/output error"* ]]
    run -3 strace -f -qq -o /dev/null -P "$PWD/big/traces/1.evt" -e inject=pread64:error=EIO:when=1+ "$PAGODA" check big
    [[ $output == *"cannot read its event file (1.evt): Input/output error"* ]]
}
