# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Loaded by tests of what-if options: the traces of tests/traces/whatif, small enough to compute by
# hand, and what `pagoda replay` predicts from them or refuses. How ranks end is said by the lines `#!`
# of those traces (tests/unit/test_hand_predictions.c).
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    use "${TRACE:-worked-example}"
}

# use NAME: its trace as the archive `trace`.
use() {
    rm -rf trace
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/whatif/$1.txt" trace
}

# predict OPTIONS...: run time and end of each rank, in ns.
predict() {
    "$PAGODA" replay --json "$@" trace | jq -c '.whatif | [.predicted_ns] + [.ranks[].finish_ns]'
}

# refused PATTERN OPTIONS...: exit status 1 or 2 and one sentence (status 2: and where help is).
refused() {
    local pattern=$1
    shift
    run "$PAGODA" replay "$@" trace
    # shellcheck disable=SC2154 # set by run
    ((status == 1 || status == 2))
    # shellcheck disable=SC2154 # set by run
    [[ ${lines[0]} == "pagoda: "* || ${lines[0]} == "pagoda replay: "* ]]
    [[ ${lines[0]} =~ $pattern ]]
}
