# SPDX-License-Identifier: BSD-3-Clause
# Unsanitized: sanitizers take memory of their own.
# What a replay takes of memory for each of many locations. The bounds are a tenth above what it is, so a
# change that takes more has to say so here.
load ../helper

# at_most KIB THREADS OPTION...: for each location of the generator's archive with these options.
at_most() {
    local kib=$1 threads=$2 run=$BATS_TEST_TMPDIR/run ranks peak
    shift 2
    rm -rf "$run"
    "$BUILD/bench/generate" "$@" "$run" >"$BATS_TEST_TMPDIR/facts"
    ranks=$(sed -n 's/.*--ranks \([0-9]*\).*/\1/p' <<<"$*")
    peak=$(peak_kib "$PAGODA" replay --json --threads "$threads" "$run")
    echo "$*, $threads threads: $peak KiB, $((peak / ranks)) of a location"
    ((peak <= kib * ranks))
}

@test "a replay of many locations takes 50 KiB for each, and with two threads 75" {
    at_most 50 1 --ranks 2048 --pattern halo --events 7e5
    at_most 75 2 --ranks 2048 --pattern halo --events 7e5
}

@test "400 call paths of each of many locations take 184 KiB for each" {
    at_most 184 1 --ranks 1024 --pattern collective --functions 400 --user-events 2 --events 2.5e6
}
