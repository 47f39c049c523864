#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Speed of the analyzer's reader (decoding into cursors, nothing more) next to the bare read of the
# same archive, on one core; the best of three warm readings counts. STEPS sets the length.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
archive=$BUILD/bench/archives/reader
one_core=()
command -v taskset >/dev/null && one_core=(taskset -c 0)

# best COMMAND...: "SECONDS PEAK_KB" of the fastest of three runs.
best() {
    for _ in 1 2 3; do
        "$BUILD/bench/measure" ${one_core[@]+"${one_core[@]}"} "$@" || exit 1
    done | LC_ALL=C sort -n | head -n 1
}

echo 'ranks    events    bare read       reader   ratio  peak memory'
for ranks in 4 64; do
    rm -rf "$archive"
    mkdir -p "$(dirname "$archive")"
    "$BUILD/bench/write_archive" ring "$ranks" $((${STEPS:-400000} / ranks)) "$archive"
    events=$("$BUILD/bench/bare_read" "$archive/traces.otf2")
    read -r bare _ < <(best "$BUILD/bench/bare_read" "$archive/traces.otf2")
    read -r ours kb < <(best "$BUILD/bench/read_events" "$archive")
    awk -v ranks="$ranks" -v events="$events" -v bare="$bare" -v ours="$ours" -v kb="$kb" 'BEGIN {
        printf "%5d %7.1f M %8.1f M/s %8.1f M/s %7.2f %9.1f MB\n", ranks, events / 1e6,
            events / bare / 1e6, events / ours / 1e6, ours / bare, kb / 1024 }'
    rm -rf "$archive"
done
