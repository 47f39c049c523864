#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The experiment database: a run of a million tuples stored (design: at most 5 s), one focus over a
# thousand runs found (at most 1 s), by our query and through the views.
set -eu
cd "$(dirname "$0")/../.."

place=$(mktemp -d "${TMPDIR:-/tmp}/pagoda-bench.XXXXXX")
trap 'rm -rf "$place"' EXIT
"${BUILD:-build}/bench/store_speed" "$place/runs.db"

# view NAME SQL: how long another program waits for a view.
view() {
    local begin=$EPOCHREALTIME answer
    answer=$(sqlite3 "$place/runs.db" "$2")
    printf '%-60s %6d ms  %s\n' "view $1" \
        $(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 1000)) "$answer"
}
view 'measurements: a function in all runs' "SELECT count(*) FROM measurements WHERE
    metric = 'exclusive_ns' AND code = '/Code/file_3.c/function_3'"
view 'measurements: a call path on a rank in all runs' "SELECT count(*) FROM measurements WHERE
    metric = 'exclusive_ns' AND call_path = '/CallPath/function_0/function_50' AND
    process = '/Process/7'"
view 'profile_by_region of a run' "SELECT count(*) FROM profile_by_region WHERE trial_id = 700"
printf 'file size %d MB\n' $(($(stat -c %s "$place/runs.db") / 1000000))

# Many processes at once: 8 that store and 4 that read, next to one that stores as much alone. With N
# cores at best 1/N of its time; what they wait for each other's transactions comes on top.
BUILD=${BUILD:-build}
"$BUILD/tools/mktrace" tests/traces/replay/pipeline.txt "$place/run"
n_each=25
# store FILE NAME: a trial after the other.
store() {
    local i
    for ((i = 0; i < n_each; i++)); do
        "$BUILD/pagoda" replay "$place/run" --store "$1" --as "$2-$i" >/dev/null
    done
}
read_until() {
    while [ ! -e "$place/done" ]; do
        "$BUILD/pagoda" store list --json "$1" >/dev/null
        echo >>"$place/reads"
    done
}
# timed COMMAND...: its wall time in ms, and its CPU time with that of all it starts.
timed() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >/dev/null; } 2>&1 | awk '{ printf "%d %d\n", 1000 * $1, 1000 * ($2 + $3) }'
}
alone() {
    local i
    for ((i = 0; i < 8; i++)); do store "$place/alone.db" "$i"; done
}
together() {
    local i pids=()
    "$BUILD/pagoda" replay "$place/run" --store "$place/together.db" --as first >/dev/null
    for ((i = 0; i < 4; i++)); do read_until "$place/together.db" & done
    for ((i = 0; i < 8; i++)); do
        store "$place/together.db" "$i" &
        pids+=($!)
    done
    wait "${pids[@]}"
    touch "$place/done"
    wait
}
read -r alone_ms alone_cpu_ms < <(timed alone)
read -r together_ms together_cpu_ms < <(timed together)
stored=$(sqlite3 "$place/together.db" 'SELECT count(*) FROM trial')
[ "$stored" = $((8 * n_each + 1)) ] || { echo "only $stored trials are there" >&2; exit 1; }
printf '%-60s %6d ms  (%d ms of the processor)\n' "$((8 * n_each)) runs stored by one process after the other" \
    "$alone_ms" "$alone_cpu_ms"
printf '%-60s %6d ms  (%d ms of the processor, %d reads)  ratio %s\n' \
    'the same by 8 at once, while 4 read' "$together_ms" "$together_cpu_ms" "$(wc -l <"$place/reads")" \
    "$(awk "BEGIN { printf \"%.2f\", $together_ms / $alone_ms }")"
