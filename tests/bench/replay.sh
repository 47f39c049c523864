#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Speed and memory of `pagoda replay` (design: at most 2 x the bare read of the same archive on one
# core, peak memory of a 10 x longer run at most 1.1 x), on archives written here. Prints ratios; the
# best of three warm readings counts. STEPS sets the length of the short ring.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
STEPS=${STEPS:-40000}
place=$BUILD/bench/archives
mkdir -p "$place"

one_core=()
command -v taskset >/dev/null && one_core=(taskset -c 0)

# best COMMAND...: "SECONDS PEAK_KB" of the fastest of three runs.
best() {
    for _ in 1 2 3; do "$BUILD/bench/measure" "$@" || exit 1; done | LC_ALL=C sort -n | head -n 1
}

# compare NAME KIND RANKS STEPS: one row of the table; leaves the peak memory in peak_kb.
compare() {
    local archive=$place/$1 events seconds_bare seconds_one seconds_all _
    rm -rf "$archive"
    "$BUILD/bench/write_archive" "$2" "$3" "$4" "$archive"
    events=$("$BUILD/bench/bare_read" "$archive/traces.otf2")
    read -r seconds_bare _ < <(best ${one_core[@]+"${one_core[@]}"} "$BUILD/bench/bare_read" \
        "$archive/traces.otf2")
    read -r seconds_one peak_kb < <(best ${one_core[@]+"${one_core[@]}"} "$BUILD/pagoda" replay --json \
        "$archive/traces.otf2")
    read -r seconds_all _ < <(best "$BUILD/pagoda" replay --json "$archive/traces.otf2")
    awk -v name="$1" -v events="$events" -v bare="$seconds_bare" -v one="$seconds_one" \
        -v all="$seconds_all" -v kb="$peak_kb" 'BEGIN {
            printf "%-14s %6.1f M %8.1f M/s %8.1f M/s %7.2f %10.2f %9.1f MB\n", name, events / 1e6,
                events / bare / 1e6, events / one / 1e6, one / bare, one / all, kb / 1024 }'
    rm -rf "$archive"
}

echo 'archive          events    bare read      replay   ratio  all cores  peak memory'
for row in "ring ring 4 $STEPS" "ring-64 ring 64 $((STEPS / 2))" "sites sites 4 $STEPS" "fan-in fan-in 4 $STEPS"; do
    read -r name kind ranks steps <<<"$row"
    compare "$name" "$kind" "$ranks" "$steps"
    short_kb=$peak_kb
    compare "$name-x10" "$kind" "$ranks" $((steps * 10))
    awk -v short="$short_kb" -v long="$peak_kb" -v name="$name" 'BEGIN {
        printf "%-14s 10 times as long: %.2f times the memory\n", name, long / short }'
done
