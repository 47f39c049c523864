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
