# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Loaded by the .bats files (`load ../helper`): sets what tests/run sets, so that a file can be run
# by `bats tests/cli/x.bats` too. Scratch files go to $BATS_TEST_TMPDIR.

bats_require_minimum_version 1.5.0
export ROOT="${BATS_TEST_DIRNAME%/*/*}"
export BUILD="${BUILD:-$ROOT/build}"
export PAGODA="$BUILD/pagoda"
export PATH="$BUILD:$PATH"
export LC_ALL="${LC_ALL:-C.UTF-8}" NO_COLOR=1
# shellcheck source=tests/environment.bash
. "$ROOT/tests/environment.bash"

# Each test begins in its scratch folder, unless its file says otherwise.
setup() { cd "$BATS_TEST_TMPDIR" || return; }

# cases N FEW: how many cases of many alike are tried: N, in a build with sanitizers FEW. There a process
# takes ten times as long, and what the cases are compared with finds nothing that it does not find without.
cases() {
    if grep -q -e -fsanitize "$BUILD/flags"; then echo "$2"; else echo "$1"; fi
}

# jq whose -e fails, too, where there is no result at all, as that of a command that failed: before jq 1.7 it
# did not.
jq() {
    local option result status=0
    for option; do
        case $option in
        --*) ;;
        -*e*)
            result=$(command jq "$@") || status=$?
            [ -n "$result" ] || [ $status != 0 ] || status=4
            [ -z "$result" ] || printf '%s\n' "$result"
            return $status
            ;;
        -*) ;;
        *) break ;;
        esac
    done
    command jq "$@"
}

# archive FOLDER/NAME [AS]: makes the archive AS, or NAME, here out of that text trace of tests/traces.
archive() { "$BUILD/tools/mktrace" "$ROOT/tests/traces/$1.txt" "${2:-${1##*/}}"; }

# says [-STATUS] TEXT COMMAND...: what the command prints, on both streams, has TEXT in it; and it ends with STATUS.
says() {
    local wanted=()
    [[ $1 != -[0-9]* ]] || { wanted=("$1") && shift; }
    run "${wanted[@]}" "${@:2}"
    [[ $output == *"$1"* ]]
}

# peak_kib COMMAND...: the most memory that it takes, in KiB. It must succeed; its output goes nowhere.
peak_kib() {
    /usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

# has_mpi openmpi|mpich: is it there, and its example programs built?
has_mpi() {
    command -v "mpirun.$1" >/dev/null && [ -d "$BUILD/programs/$1" ]
}

# first_cores N: the numbers of N that may be used, with commas; a container need not have core 0, or 1.
first_cores() {
    taskset -pc $$ | sed 's/.*: //' | tr , '\n' | awk -F - '{ for (i = $1; i <= $NF; i++) print i }' |
        head -n "$1" | paste -s -d ,
}

# run_mpi openmpi|mpich N PROGRAM...: as mpirun -n N, with a time limit.
run_mpi() {
    local mpi=$1 n=$2
    shift 2
    if [ "$mpi" = openmpi ]; then
        timeout -k 5 300 mpirun.openmpi --oversubscribe -n "$n" "$@"
    else
        timeout -k 5 300 mpirun.mpich -n "$n" "$@"
    fi
}

# ends_row NAME [MPI]: one row of the table of ends, under each MPI, or that one where it has no part in it.
ends_row() {
    run "$ROOT/tests/ends" ${2:+-m "$2"} "$1"
    [ "$status" != 77 ] || skip "there is no MPI"
    [ "$status" = 0 ]
}

# released_database SCHEMA FILE: a database with stored trials, as released with that schema: the published steps
# up to it, each with what was stored after it (tests/databases).
released_database() {
    local schema file
    for ((schema = 1; schema <= $1; schema++)); do
        cat "$ROOT/db/schema/${schema}"_*.sql || return 1
        file=$ROOT/tests/databases/rows-$schema.sql
        [ ! -e "$file" ] || cat "$file"
    done | sqlite3 "$2"
    sqlite3 "$2" "PRAGMA application_id = 1346847809; PRAGMA user_version = $1"
}

# stored DB [PATTERN]: all of a database's trials (of those whose application/experiment/trial
# matches) without numbers and times of storing, in an order that two databases share.
stored() {
    sqlite3 -readonly "$1" "
CREATE TEMP TABLE n AS SELECT trial_id AS id, application || '/' || experiment || '/' || trial AS name
    FROM trials WHERE application || '/' || experiment || '/' || trial GLOB '${2:-*}';
SELECT n.name, t.origin, program, trace_path, started_at, n_ranks, n_nodes, n_locations, n_events,
    n_messages, n_collectives, n_clock_violations, has_unreadable_records, time_ns, headline,
    conclusion FROM trial t JOIN n USING (id) ORDER BY 1;
SELECT n.name, kind, a.name, value, role FROM trial_attribute a JOIN n ON id = trial_id ORDER BY 1, 2, 3;
SELECT n.name, w.* FROM n JOIN (SELECT number, code, count, text, trial_id FROM trial_warning) w
    ON id = trial_id ORDER BY 1, 2;
SELECT n.name, number, property, text, source FROM trial_hint JOIN n ON id = trial_id ORDER BY 1, 2;
SELECT n.name, number, kind, f.name, place, text, hint, loss_ns, share FROM trial_finding f
    JOIN n ON id = trial_id ORDER BY 1, 2;
SELECT n.name, finding, number, option, value, text, predicted_ns, gain_ns FROM trial_remedy
    JOIN n ON id = trial_id ORDER BY 1, 2, 3;
SELECT n.name, number, i.name, begin_ns, end_ns FROM time_interval i JOIN n ON id = trial_id ORDER BY 1, 2;
SELECT n.name, path FROM trial_resource JOIN n ON n.id = trial_id JOIN resource r ON r.id = resource_id
    ORDER BY 1, 2;
SELECT n.name, path, n_cores, n_ranks FROM trial_node JOIN n ON n.id = trial_id
    JOIN resource r ON r.id = machine_id ORDER BY 1, 2;
SELECT n.name, p.path, m.path, k.name, first_ns, last_ns, is_skipped FROM trial_rank k
    JOIN n ON n.id = trial_id JOIN resource p ON p.id = process_id
    JOIN resource m ON m.id = machine_id ORDER BY 1, 2;
SELECT n.name, m.name, m.unit, m.description, m.adds_up_over, focus, interval, value FROM tuple t
    JOIN n ON n.id = trial_id JOIN metric m ON m.id = metric_id JOIN foci USING (focus_id)
    ORDER BY 1, 2, 6, 7;
SELECT n.name, p.name, p.parent, p.title, p.summary, p.diagnosis, is_evaluated, is_top, focus, path,
    worst_begin_ns, worst_wait_ns FROM trial_property t JOIN n ON n.id = trial_id
    JOIN property p ON p.id = property_id LEFT JOIN foci ON focus_id = worst_focus_id
    LEFT JOIN resource r ON r.id = worst_cause_id ORDER BY 1, 2;
SELECT n.name, p.name, focus, interval, severity, confidence, count, wait_ns FROM property_instance i
    JOIN n ON n.id = trial_id JOIN property p ON p.id = property_id JOIN foci USING (focus_id)
    ORDER BY 1, 2, 3, 4;
SELECT n.name, change, replay_error, coalesce(measured_as, (SELECT application || '/' || experiment ||
    '/' || trial FROM trials m WHERE m.trial_id = measured_id)) FROM prediction
    JOIN n ON id = trial_id ORDER BY 1;
SELECT n.name, i.name, is_phase, begin_ns, end_ns FROM run_interval i JOIN n ON id = trial_id ORDER BY 1;
SELECT * FROM points_not_run ORDER BY 1, 2, 3;"
}
