# SPDX-License-Identifier: BSD-3-Clause
# The benchmarks' table: it has a row for all that is measured, of archives as large as asked for. No time is
# looked at.
# Unsanitized: it measures the command, which with sanitizers is another one.
load ../helper

@test "the generator writes as many events as it is told to, and the bare read finds them" {
    for pattern in ring random halo all-to-one collective; do
        "$BUILD/bench/generate" --pattern "$pattern" --events 1e5 --user-events 3 \
            "$BATS_TEST_TMPDIR/$pattern"
        n=$("$BUILD/bench/bare_read" "$BATS_TEST_TMPDIR/$pattern/traces.otf2")
        echo "$pattern: $n events"
        [ "$n" -gt 98000 ]
        [ "$n" -lt 102000 ]
    done
}

@test "make bench prints the rows that are asked for" {
    mkdir "$BATS_TEST_TMPDIR/build"
    ln -s "$BUILD"/* "$BATS_TEST_TMPDIR/build"
    rm "$BATS_TEST_TMPDIR/build/bench"
    mkdir "$BATS_TEST_TMPDIR/build/bench"
    ln -s "$BUILD"/bench/{bare_read,engine_stages,generate,measure} "$BATS_TEST_TMPDIR/build/bench"
    cd "$ROOT"
    ROWS='read causes figures' ARCHIVES=collective EVENTS=1e4 ROUNDS=1 \
        BUILD=$BATS_TEST_TMPDIR/build run --separate-stderr tests/bench/bench
    echo "$output" "$stderr"
    [ "$status" = 0 ]
    [[ $output == *" UTC"*" cores of "*" GiB, Linux "*"collective: "*"bare read"*"decode"*"+ causes"* ]]
    [[ $output != *"+ patterns"* ]]
    [ "$(grep -c '^  figure .*_ns ' <<<"$output")" = 11 ]
    [ "$(cat "$BATS_TEST_TMPDIR/build/bench/table.txt")" = "$output" ]

    ARCHIVES=none run tests/bench/bench
    [ "$status" = 1 ]
    [[ $output == *"bench: no archive is called none; there are calls, "* ]]
}

@test "what replays of larger sizes take follows from the figures" {
    printf '  figure %s %s\n' start_ms 5 location_ms 0.05 base_mib 10 location_kib 25 \
        user_event_8_ns 10 user_event_2048_ns 20 halo_event_8_ns 50 halo_event_256_ns 100 \
        halo_event_2048_ns 400 user_event_bytes 12 mpi_event_bytes 13 definition_bytes 50 \
        all_cores_factor 1 >"$BATS_TEST_TMPDIR/figures"
    scale() { "$ROOT/tests/bench/scale" --figures "$BATS_TEST_TMPDIR/figures" "$@"; }
    # One process: 8 * 1000 steps of 34.4 MPI events at 50 ns; nothing crosses, nobody waits.
    run scale --ranks 8 --events 275200 --user-events 0 --nodes 1 --processes 1 --window-spread 0 \
        --process-spread 0
    [[ $output == *"(1000 steps), 1 nodes with 1 processes, 8.0 ranks each"* ]]
    [[ $output == *"0.00 GB in 16 files"*"digests sent by a process "*" 0 to 0 others"* ]]
    [[ $output == *"efficiency 1.00"* ]]
    # A torus of 4 x 4 in 4 processes: each row sends half of its messages to the next and the last one.
    run scale --ranks 16 --events 5.504e5 --user-events 0 --nodes 2 --processes 2 --windows 10
    [[ $output == *"1.6e+04 to 2 others, 50 % of its messages, and 100 collectives"* ]]
    # Uneven work makes processes wait, a longer lead less so.
    efficiency() { scale --ranks 2000 --events 1e10 --nodes 100 --processes 4 "$@" |
        sed -n 's/.*efficiency //p'; }
    short=$(efficiency --lead 1) long=$(efficiency --lead 8)
    echo "efficiency $short and $long"
    [[ $short < $long ]]
    [[ $long == 0.* ]]

    run -1 scale --figures /dev/null
    [ "$output" = 'scale: no figures in /dev/null: run `make bench ROWS=figures`' ]
}
