# SPDX-License-Identifier: BSD-3-Clause
# Predictions from recordings with more ranks than cores: the three worked examples of
# analyzer/simulation/README.md, computed by hand there.
load ../helper

# predict TRACE OPTIONS...: `run time` and finish of each rank, in us.
predict() {
    local trace=$BATS_TEST_TMPDIR/$1
    [ -d "$trace" ] || "$BUILD/tools/mktrace" "$ROOT/tests/traces/whatif/$1.txt" "$trace"
    "$PAGODA" replay --json "${@:2}" "$trace" |
        jq -c '.whatif | [.predicted_ns / 1000] + [.ranks[].finish_ns / 1000]'
}

@test "a call's own time begins when its core is free" {
    [ "$(predict shared-own-time --cores 2)" = '[8000,8000,6000]' ]
    [ "$(predict shared-own-time --cores 1 | jq '.[0]')" = 10000 ]
}

@test "a receive of a large message without its sender on a core is no work" {
    [ "$(predict shared-sender --nodes 1 --cores 4)" = '[8000,5000,6000,8000,0]' ]
    [ "$(predict shared-sender --place a=0,2 --place b=1,3 --cores 1 | jq '.[0]')" = 10000 ]
}

@test "a rank alone on its core computed, whatever its CPU clock says" {
    [ "$(predict shared-cpu-clock --cores 1)" = '[9000,9000,9000]' ]
    [ "$(predict shared-cpu-clock --cores 2)" = '[7000,7000,7000]' ]
}
