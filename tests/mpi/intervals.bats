# SPDX-License-Identifier: BSD-3-Clause
# Phases of real programs: functions that they call again and again, and markers that they set.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

launch() { line=("mpirun.${1%-regions}" -n "$2"); }

# visited PATTERN JSON: visits of the call paths that end so.
visited() {
    jq "[.profile[] | select(.path | endswith(\"$1\")) | .visits] | add // 0" <<<"$2"
}

# 2 time steps of 3 iterations each of 2 stages on 4 ranks, one function call an iteration with an
# allgather for each stage.
iterations() {
    traced "$1-regions" 4 irk --size 400 --steps 2 --stages 2 --iterations 3
    [ "$status" = 0 ] || { cat "$err"; return 1; }
    local db=$BATS_TEST_TMPDIR/$1.db all one whole
    all=$("$PAGODA" replay "$dir" --interval 'iterate_consecutive#*' --store "$db" --json 2>/dev/null)
    [ "$(jq -c '.intervals | map(.name)' <<<"$all")" = \
        "[$(printf '"iterate_consecutive#%d",' 1 2 3 4 5)\"iterate_consecutive#6\"]" ]
    # On each rank the visits follow each other: so do their first begins, and last ends.
    [ "$(jq '.intervals | (map(.begin_ns) | . == sort), (map(.end_ns) | . == sort)' <<<"$all" | sort -u)" = true ]
    one=$("$PAGODA" replay "$dir" --interval 'iterate_consecutive#2' --json 2>/dev/null)
    [ "$(visited /iterate_consecutive "$one")" = 4 ]
    [ "$(visited /MPI_Allgatherv "$one")" = 8 ]
    # What is in the function is in one of its visits.
    whole=$("$PAGODA" replay "$dir" --json 2>/dev/null |
        jq '[.profile[] | select(.region == "iterate_consecutive") | .inclusive_ns] | add')
    [ "$(sqlite3 "$db" "SELECT sum(value) FROM measurements WHERE metric = 'exclusive_ns' AND
        (call_path LIKE '%/iterate_consecutive/%' OR call_path LIKE '%/iterate_consecutive')")" = "$whole" ]
    [ "$(sqlite3 "$db" "SELECT count(*), min(is_phase), sum(time_ns = end_ns - begin_ns) FROM intervals
        JOIN trials USING (trial_id, time_ns) WHERE origin = 'interval'")" = '6|1|6' ]
    [ "$(sqlite3 "$db" "SELECT max(ABS(spent - (last_ns - first_ns))) FROM (SELECT trial_id,
        process_id, sum(value) AS spent FROM tuple JOIN metric m ON m.id = metric_id JOIN focus f ON f.id
        = focus_id WHERE m.name IN ('useful_ns', 'no_cpu_ns', 'mpi_ns') GROUP BY trial_id, process_id)
        JOIN trial_rank USING (trial_id, process_id)")" = 0 ]
    run -0 "$PAGODA" diff "$db" '*: iterate_consecutive#1' '*: iterate_consecutive#6' --json
    [ "$(jq '.differences[0] | (.by_path | map(.change_ns) | add) == .time.change_ns' <<<"$output")" = true ]
}

@test "each visit of a function is a phase, stored with what lies in it" { for_each_mpi iterations; }

# Three steps begin with a marker that a loop sets, "done" follows the last one.
markers() {
    traced "$1" 2 trace_user
    [ "$status" = 0 ] || { cat "$err"; return 1; }
    local db=$BATS_TEST_TMPDIR/$1.db last
    run -0 --separate-stderr "$PAGODA" replay "$dir" --interval 'step begins#*..done' --json
    [ "$(jq -c '.intervals | [length, (map(.end_ns) | unique | length)]' <<<"$output")" = '[3,1]' ]
    "$PAGODA" store add "$db" "$dir" --interval 'step begins#1' --interval 'step begins#2' \
        --interval 'step begins#3..done' >/dev/null 2>&1
    # Between two markers of a rank is one reduction.
    [ "$(sqlite3 "$db" "SELECT group_concat(n) FROM (SELECT sum(value) AS n FROM measurements WHERE
        metric = 'visits' AND code LIKE '%/MPI_Allreduce' GROUP BY trial_id)")" = 2,2,2 ]
    last=$("$PAGODA" replay "$dir" --interval 'phase 2' --json 2>/dev/null)
    [ "$(visited 'phase 2' "$last")" = 2 ]
    run -1 "$PAGODA" replay "$dir" --interval 'step begns'
    [[ ${lines[-1]} == *'did you mean `step begins`?'* ]]
    run -1 "$PAGODA" replay "$dir" --interval 'step begins#4'
    [[ ${lines[-1]} == *'no rank visits `step begins` 4 times; rank 0 does so most often, 3 times'* ]]
}

@test "markers of a program tell its phases" { for_each_mpi markers; }
