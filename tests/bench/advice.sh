#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What `pagoda advise` takes for its default list, on one core, as a multiple of a plain replay of the
# same trace (design: at most 30 on 10 million events). The traces are written here; the second one
# has more changes to try than a long trace allows. Instructions are counted where the machine does
# that, else CPU time, the median of RUNS rounds in which both take turns. EVENTS sets the length.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
EVENTS=${EVENTS:-10000000}
place=$BUILD/bench/archives
mkdir -p "$place"

one_core=()
command -v taskset >/dev/null && one_core=(taskset -c 0)
if "$BUILD/bench/measure" -i true >/dev/null 2>&1; then
    unit=-i rounds=${RUNS:-1}
else
    unit=-c rounds=${RUNS:-3}
fi

# amount COMMAND OPTION...: of `pagoda COMMAND` on $archive.
amount() {
    "$BUILD/bench/measure" "$unit" ${one_core[@]+"${one_core[@]}"} "$BUILD/pagoda" "$@" --json \
        "$archive/traces.otf2" | cut -d ' ' -f 1
}

echo 'trace     events   plain replay    advise   replays'
for kind in ring phases; do
    archive=$place/advice-$kind
    rm -rf "$archive"
    "$BUILD/bench/write_archive" "$kind" 8 "$((EVENTS / 67))" "$archive"
    events=$("$BUILD/bench/bare_read" "$archive/traces.otf2")
    for ((i = 0; i < rounds; i++)); do
        echo "$(amount replay) $(amount advise --threads 1)"
    done | awk '{ print $2 / $1, $0 }' | LC_ALL=C sort -n | awk -v kind="$kind" -v events="$events" '
        { line[NR] = $0 }
        END {
            split(line[int((NR + 1) / 2)], median, " ")
            printf "%-7s %6.1f M %12.2f %10.2f %9.1f\n", kind, events / 1e6, median[2], median[3],
                median[1]
        }'
    rm -rf "$archive"
done
