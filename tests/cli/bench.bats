# SPDX-License-Identifier: BSD-3-Clause
# The benchmarks' generator: a replay finds in its archive what it computed from the definitions while it
# wrote that.
load ../helper

# answers_agree OPTION...: what the generator says, and what a replay of its archive finds.
answers_agree() {
    local run=$BATS_TEST_TMPDIR/run
    rm -rf "$run"
    "$BUILD/bench/generate" "$@" "$run" | sort >"$BATS_TEST_TMPDIR/expected"
    "$PAGODA" replay --json "$run" >"$BATS_TEST_TMPDIR/report"
    jq -r '(.trace | "events \(.events)", "messages \(.messages)", "collectives \(.collectives)"),
        ([.profile[] | select(.region | test("compute-|level-"))] |
            "computing \(map(.visits) | add + 0) \(map(.exclusive_ns) | add + 0)"),
        (.patterns[] | select(.count > 0 and .id != "nxn-completion") |
            "\(.id) \(.count) \(.total_ns)")' "$BATS_TEST_TMPDIR/report" | sort >"$BATS_TEST_TMPDIR/found"
    echo "generate $*"
    diff "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/found"
}

@test "a replay finds in the generator's archives what it says" {
    local events
    events=$(cases 1e4 2e3)
    for pattern in ring random halo all-to-one collective; do
        answers_agree --pattern "$pattern" --ranks 12 --events "$(cases 2e4 4e3)"
        answers_agree --pattern "$pattern" --ranks 7 --events "$events" --user-events 0 --sites
        answers_agree --pattern "$pattern" --ranks 2 --events "$events" --user-events 33 --depth 5 \
            --functions 3 --nodes 2
    done
    answers_agree --pattern ring --ranks 3 --events "$(cases 1e5 2e4)" --user-events 1000 --depth 40
    answers_agree --pattern halo --ranks 300 --events "$(cases 5e4 2e4)"
}

@test "any number of threads finds the same, byte for byte" {
    "$BUILD/bench/generate" --pattern random --ranks 12 --events "$(cases 4e5 4e4)" --user-events 15 --sites \
        "$BATS_TEST_TMPDIR/run"
    for n in 1 2 3 9; do
        "$PAGODA" replay --threads $n --json "$BATS_TEST_TMPDIR/run" >"$BATS_TEST_TMPDIR/by-$n"
        cmp "$BATS_TEST_TMPDIR/by-1" "$BATS_TEST_TMPDIR/by-$n"
    done
}
