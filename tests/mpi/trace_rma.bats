# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of one-sided communication, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# contended: for how long ranks 2 and 3 are in the calls of their last locks of one window, until rank 1 gives its
# lock back, and in all; and rank 1 in its own ones. In ns.
contended() {
    awk "$since"'
        /"MPI_Win_lock"|"MPI_Accumulate"|"MPI_Win_unlock"/ {
            if ($1 == "ENTER" && /"MPI_Win_lock"/) n[$2] = 0
            if ($1 == "ENTER") enter[$2, ++n[$2]] = $3
            if ($1 == "LEAVE") leave[$2, n[$2]] = $3
        }
        END {
            for (rank = 1; rank <= 3; rank++)
                for (i = 1; i <= n[rank]; i++) {
                    ns = since(leave[rank, i], enter[rank, i])
                    upto = since(enter[1, n[1]], enter[rank, i])
                    if (rank == 1) own += ns
                    else { most += ns; least += upto < 0 ? 0 : upto < ns ? upto : ns }
                }
            printf "{\"least\": %.0f, \"most\": %.0f, \"own\": %.0f}\n", least, most, own
        }' "$printed"
}

windows() {
    traced "$1" 4 trace_rma
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "rma ok" ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    local events=$BATS_TEST_TMPDIR/events
    # Each window is the same for all its members, and one of its own.
    has "2 RmaCollectiveEnd CREATE_HANDLE first of MPI_COMM_WORLD" "$events"
    has "2 RmaWinCreate first" "$events"
    has "0 RmaCollectiveEnd BARRIER second of MPI_COMM_WORLD" "$events"
    has "3 RmaCollectiveEnd BARRIER odd of comm(1,3)" "$events"
    has "1 RmaCollectiveEnd DESTROY_HANDLE odd of comm(1,3)" "$events"
    has "0 RmaCollectiveEnd BARRIER own of MPI_COMM_SELF" "$events"
    has "0 RmaCollectiveEnd CREATE_HANDLE own of MPI_COMM_SELF" "$events"
    has "0 RmaWinDestroy own" "$events"
    [ "$(grep -c 'RmaCollectiveEnd BARRIER first' "$events")" = 8 ]
    has "1 RmaRequestLock second of 0 EXCLUSIVE" "$events"
    [ "$(grep -c '^1 RmaReleaseLock second of 0$' "$events")" = 3 ]
    has "3 RmaRequestLock second of 0 SHARED" "$events"
    has "3 RmaReleaseLock second of 4294967295" "$events"
    has "1 RmaGroupSync PROCESS unnamed with 0,2" "$events"
    has "1 RmaGroupSync PROCESS|MEMORY unnamed with 0,2" "$events"
    has "0 RmaGroupSync PROCESS|MEMORY unnamed with 1,2,3" "$events"
    # As many as the program's own calls: each rank's two in each of 5 rounds of the ring, before that
    # two for each epoch.
    [ "$(grep -c '^0 RmaGroupSync PROCESS unnamed' "$events")" = 12 ]
    [ "$(grep -c '^1 RmaGroupSync PROCESS|MEMORY unnamed' "$events")" = 12 ]
    [ "$(grep -c '^3 RmaGroupSync PROCESS|MEMORY unnamed' "$events")" = 11 ]
    # Numbers of communicators and windows have no gaps.
    awk '/^COMM / { print $2 }' "$printed" | sort -n | diff - <(seq 0 3)
    awk '/^RMA_WIN / { print $2 }' "$printed" | sort -n | diff - <(seq 0 4)
    # The replay names who was late, where and for how long.
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    jq -e '.warnings | map(.code) | index("no-rma-records") == null' "$BATS_TEST_TMPDIR/replay"
    jq -e '.patterns[] | select(.id == "wait-at-fence") |
        (.by_path[] | select(.path | endswith("fences/MPI_Win_fence")) | .ns > 150e6) and
        (.by_cause[] | select(.rank == 2) | .ns > 150e6) and
        .origins.explained_ns > 150e6' "$BATS_TEST_TMPDIR/replay"
    jq -e '.patterns[] | select(.id == "wait-at-window") |
        (.by_cause[] | select(.rank == 3) | .ns > 50e6)' "$BATS_TEST_TMPDIR/replay"
    # Ranks 2 and 3 wait in whatever call the lock is granted in, because of what rank 1 does meanwhile. If
    # rank 1 loses its core in its own unlock, others may leave theirs before it, and the trace does not
    # tell that from a wait.
    jq -e --argjson time "$(contended)" '.patterns[] | select(.id == "lock-contention") |
        all(.by_path[]; .path | test("contention/MPI_(Win_lock|Accumulate|Win_unlock)$")) and
        ([.by_rank[] | select(.rank == 2 or .rank == 3).ns] | add | . > 0.9 * $time.least and . <= $time.most) and
        all(.by_rank[]; .rank > 1 or (.rank == 1 and .ns <= $time.own)) and
        (.origins.region_ranks | map(select(.rank == 1).time_ns) | add > 0.5 * $time.least)' "$BATS_TEST_TMPDIR/replay"
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
    # Each access is counted: one a rank, by each of two origins one, three, and one a rank and round.
    jq -e '.counters | map({(.name): .total}) | add | .num_puts == 29 and .bytes_put == 116' \
        "$BATS_TEST_TMPDIR/replay"
    [ "$(count '^RMA_PUT ' "$printed")" = 29 ]
}

# gaps MPI FUNCTION: recorded from its first call on.
gaps() {
    launch "$1" 4
    dir=$BATS_TEST_TMPDIR/gaps-$1
    rm -rf "$dir"
    "$PAGODA" trace --start-at "$2" -o "$dir" -- "${line[@]}" \
        "$BUILD/programs/$1-regions/trace_rma" 2>"$BATS_TEST_TMPDIR/err"
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
}

# A call or epoch that some members did not record is left out of the archive for all.
late_start() {
    gaps "$1" parts
    run ! grep -q 'RmaCollectiveEnd BARRIER first' "$BATS_TEST_TMPDIR/events"
    has "0 RmaCollectiveEnd BARRIER second of MPI_COMM_WORLD" "$BATS_TEST_TMPDIR/events"
    gaps "$1" early_wait
    run ! grep -q RmaGroupSync "$BATS_TEST_TMPDIR/events"
}

@test "windows, and who is late at their fences, locks and epochs" { for_each_mpi windows; }

@test "windows made while recording is off" { one_mpi late_start; }
