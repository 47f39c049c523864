# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of epochs of RMA windows between groups of ranks, and who the replay says is
# late, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
load trace

epochs() {
    traced "$1" 4 trace_epochs
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "epochs ok" ]
    check_archive "$dir"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    local events=$BATS_TEST_TMPDIR/events
    has "1 RmaGroupSync PROCESS unnamed with 0,2" "$events"
    has "1 RmaGroupSync PROCESS|MEMORY unnamed with 0,2" "$events"
    has "0 RmaGroupSync PROCESS|MEMORY unnamed with 1,2,3" "$events"
    # As many as the program's own calls: each rank's two in each of 5 rounds of the ring, before that
    # two for each epoch.
    [ "$(grep -c '^0 RmaGroupSync PROCESS unnamed' "$events")" = 12 ]
    [ "$(grep -c '^1 RmaGroupSync PROCESS|MEMORY unnamed' "$events")" = 12 ]
    [ "$(grep -c '^3 RmaGroupSync PROCESS|MEMORY unnamed' "$events")" = 11 ]
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '.warnings | map(.code) | index("no-rma-records") == null' "$BATS_TEST_TMPDIR/replay"
    # Ranks 0 and 2 wait for rank 1 in whatever call the library chose, ranks 1 to 3 for rank 0.
    jq -e '.patterns[] | select(.id == "late-post") |
        all(.by_path[]; .path | test("MPI_Win_(start|complete)$")) and
        ([.by_path[] | select(.path | test("access_one")).ns] | add > 120e6) and
        (.by_cause[] | select(.rank == 1) | .ns > 120e6) and
        (.origins.region_ranks | map(select(.rank == 1).time_ns) | add > 60e6)' "$BATS_TEST_TMPDIR/replay"
    jq -e '.patterns[] | select(.id == "early-wait") |
        all(.by_path[]; .path | test("MPI_Win_wait$")) and
        (.by_cause[] | select(.rank == 0) | .ns > 150e6) and
        (.origins.region_ranks | map(select(.rank == 0).time_ns) | add > 60e6)' "$BATS_TEST_TMPDIR/replay"
    # It computes after its last access.
    jq -e '.patterns[] | select(.id == "late-complete") |
        (.by_cause[] | select(.rank == 0) | .ns > 120e6)' "$BATS_TEST_TMPDIR/replay"
    # Each access is counted: one by each of two origins, three, and one a rank and round.
    jq -e '.counters | map({(.name): .total}) | add | .num_puts == 25 and .bytes_put == 100' \
        "$BATS_TEST_TMPDIR/replay"
    [ "$(otf2-print "$dir/traces.otf2" | grep -c "^RMA_PUT ")" = 25 ]
}

# Epochs that some ranks did not record are left out of the archive for all.
gaps() {
    launch "$1" 4
    dir=$BATS_TEST_TMPDIR/gaps-$1
    "$PAGODA" trace --start-at early_wait -o "$dir" -- "${line[@]}" \
        "$BUILD/programs/$1-regions/trace_epochs" 2>"$BATS_TEST_TMPDIR/err"
    check_archive "$dir"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    ! grep -q RmaGroupSync "$BATS_TEST_TMPDIR/events"
}

@test "epochs of windows, and who begins or ends them late" { for_each_mpi epochs; }

@test "epochs while recording is off" { for_each_mpi gaps; }
