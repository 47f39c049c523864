# SPDX-License-Identifier: BSD-3-Clause
# What the tracer records of a program, under Open MPI and MPICH.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

brackets() {
    traced "$1" 2 trace_end exit 0
    events_of "$dir" | grep '^1 ' | sed '/Metric\|ProgramBegin/d' >"$BATS_TEST_TMPDIR/events"
    diff - "$BATS_TEST_TMPDIR/events" <<'EOF'
1 Enter MPI_Init
1 MpiCollectiveBegin
1 MpiCollectiveEnd CREATE_HANDLE MPI_COMM_WORLD sent 0 received 0
1 Leave MPI_Init
1 Enter MPI_Comm_rank
1 Leave MPI_Comm_rank
1 Enter MPI_Barrier
1 MpiCollectiveBegin
1 MpiCollectiveEnd BARRIER MPI_COMM_WORLD sent 0 received 0
1 Leave MPI_Barrier
1 Enter MPI_Finalize
1 MpiCollectiveBegin
1 MpiCollectiveEnd DESTROY_HANDLE MPI_COMM_WORLD sent 0 received 0
1 Leave MPI_Finalize
EOF
}

@test "start and end of MPI are collective operations" { for_each_mpi brackets; }

# cores MPI N CORES: traces N ranks that may use these cores only; prints what the archive and the
# replay make of it.
cores() {
    launch "$1" "$2"
    dir=$BATS_TEST_TMPDIR/cores-$1-$2-$3
    timeout -k 5 300 taskset -c "$3" "$PAGODA" trace -o "$dir" -- "${line[@]}" \
        "$BUILD/programs/$1/trace_end" >/dev/null
    otf2-print -G "$dir/traces.otf2" | sed -n 's/.*"PAGODA::CORES".*UINT32, Value: \([0-9]*\).*/\1/p'
    "$PAGODA" replay --json "$dir" |
        jq -c '[.nodes[0].cores, .nodes[0].ranks, (.warnings[] | select(.code | IN("recording-cost", "disturbed-recording", "without-cpu-time") | not) | .code, .count)]'
}

cores_of_node() {
    local first
    first=$(first_cores 1)
    [ "$(cores "$1" 3 "$first")" = $'1\n[1,3,"more-ranks-than-cores",2]' ]
    [ "$(cores "$1" 1 "$first")" = $'1\n[1,1]' ]
    "$PAGODA" replay "$BATS_TEST_TMPDIR/cores-$1-3-$first" | grep -q '3 ranks on 1 node with 1 core,'
}

@test "the cores that the ranks of a node may use" { for_each_mpi cores_of_node; }

bound_ranks() {
    local two
    two=$(first_cores 2)
    launch "$1" 3
    dir=$BATS_TEST_TMPDIR/bound-$1
    # shellcheck disable=SC2016 # for the shell of each rank
    timeout -k 5 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" sh -c '
        [ $((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} % 2)) = 0 ] || shift; exec taskset -c "$1" "$0"' \
        "$BUILD/programs/$1/trace_end" "${two%,*}" "${two#*,}" >/dev/null
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c 'PAGODA::BOUND_TO.*Value: "'"${two%,*}"'"')" = 2 ]
    [ "$(otf2-print -G "$dir/traces.otf2" | grep -c 'PAGODA::BOUND_TO.*Value: "'"${two#*,}"'"')" = 1 ]
    "$PAGODA" replay --hand-over 0 "$dir" | grep -q 'shared by the ranks bound to them'
}

@test "ranks that are bound to cores share these" {
    [ "$(nproc)" -ge 2 ] || skip "one core only"
    for_each_mpi bound_ranks
}

user_regions() {
    traced "$1" 2 trace_user
    untraced "$1" 2 trace_user
    cmp "$out" "$plain_out"
    events_of "$dir" >"$BATS_TEST_TMPDIR/all"
    grep '^1 ' "$BATS_TEST_TMPDIR/all" | grep -v -e Metric -e ProgramBegin -e MPI_ -e Mpi >"$BATS_TEST_TMPDIR/events"
    has "1 Enter before" "$BATS_TEST_TMPDIR/events"
    has "1 Enter step begins step=2 unknowns=1000" "$BATS_TEST_TMPDIR/events"
    has "1 Enter phase 2" "$BATS_TEST_TMPDIR/events"
    has "1 Leave after" "$BATS_TEST_TMPDIR/events"
    [ "$(count 'Enter iterate' "$BATS_TEST_TMPDIR/events")" = 3 ]
    [ "$(count hidden "$BATS_TEST_TMPDIR/events")" = 0 ]
}

@test "regions and markers of pagoda.h" { one_mpi user_regions; }

instrumented() {
    has_mpi "$1"
    launch "$1" 2
    "$PAGODA" trace -o "$BATS_TEST_TMPDIR/$1" -- "${line[@]}" "$BUILD/programs/$1-regions/trace_handles" 1
    events_of "$BATS_TEST_TMPDIR/$1" >"$BATS_TEST_TMPDIR/events"
    [ "$(count '^1 Enter main$' "$BATS_TEST_TMPDIR/events")" = 1 ]
    [ "$(count '^1 Leave make$' "$BATS_TEST_TMPDIR/events")" = 1 ]
    grep '^REGION .*"make"' "$printed" | grep -q 'trace_handles.c'
}

@test "functions compiled with -finstrument-functions, with names and source lines" {
    one_mpi instrumented
}

threads() {
    traced "$1" 2 trace_threads
    [ "$status" = 0 ]
    check_archive "$dir"
    [ "$(count '^LOCATION ' "$printed")" = 10 ]
    # 4 threads of 200 messages each; then 500 that one thread starts and another one completes.
    [ "$(count '^MPI_ISEND_COMPLETE ' "$printed")" = 2600 ]
    [ "$(count '^MPI_IRECV ' "$printed")" = 2600 ]
    [ "$(count '^MPI_IRECV .*Tag: 100,' "$printed")" = 1000 ]
    [ "$(count '^MPI_IRECV  *[01] .*Tag: 100,' "$printed")" = 0 ]
    "$PAGODA" replay --json "$dir" | jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []'
}

@test "threads that call MPI have locations of their own" { for_each_mpi threads; }

# tasks MPI NUMBER [ARGUMENT]: so many of the 600 are recorded.
tasks() {
    traced "$1" 2 trace_tasks ${3:+"$3"}
    [ "$status" = 0 ]
    check_archive "$dir"
    [ "$(count '^LOCATION ' "$printed")" = 4 ]
    # Each thread ended inside its region.
    "$PAGODA" replay --json "$dir" | jq -e --argjson n "$2" '(.trace.messages == $n) and
        ([.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time", "recording-off"] == []) and
        ([.profile[] | select(.path == "task") | .visits] - [$n] == [])'
}

@test "threads that follow one another share a location" {
    all_tasks() {
        tasks "$1" 600
    }
    one_mpi all_tasks
}

@test "threads that end while recording is off leave their location too" {
    some_tasks() {
        tasks "$1" 400 off
        PAGODA_WINDOW=1000s- tasks "$1" 0
    }
    one_mpi some_tasks
}

@test "sends that fail or go to MPI_PROC_NULL are no messages, and none is missed" {
    failing() {
        traced "$1" 2 trace_end fail 20
        [ "$status" = 0 ]
        check_archive "$dir"
        "$PAGODA" replay --json "$dir" | jq -e '(.trace.messages == 0) and
            ([.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []) and
            ([.profile[] | select(.region == "MPI_Send") | .visits] | add == 80) and
            (.patterns[] | select(.id == "late-sender") | .evaluated)'
    }
    for_each_mpi failing
}

# Rank 1 has its clock 5000 s ahead, in a time namespace of its own. On a busy machine the measured
# offset is as uncertain as its own deviation says.
clocks() {
    launch "$1" 1
    dir=$BATS_TEST_TMPDIR/$1
    "$PAGODA" trace -o "$dir" -- "${line[@]}" "$BUILD/programs/$1/trace_end" : \
        -n 1 unshare -T --monotonic 5000 "$BUILD/programs/$1/trace_end"
    check_archive "$dir"
    otf2-print -C "$dir/traces.otf2" | awk '$1 == "CLOCK_OFFSET" { n++
        error = $6 + 5000e9; if (error < 0) error = -error
        if ($2 != 1 || error > 1e6 + 5 * $8 || $8 > 1e8) { print; exit 1 } } END { exit n != 2 }'
}

@test "clocks of different nodes are measured at both ends of the run" {
    unshare -T true 2>/dev/null || skip "no time namespaces here (needs root)"
    for_each_mpi clocks
}

# tests/programs/spa: the process time outside MPI is there, and no larger than the time. A thread of MPI itself
# may run beside, which is seen where it gets a core that the program does not get, but not in each run.
process_time() {
    for _ in {1..10}; do
        traced "$1" 2 spa
        [ "$status" = 0 ]
        read_archive exact "$dir"
        grep '^METRIC_MEMBER .*process_cpu_time' "$printed" | grep -q ACCUMULATED
        no_more_than_time && return
        [ $? = 1 ] || return 1
    done
    return 1
}

# The two values of an interval between calls: of the leave, of the next enter. Status 1 if they say more than the
# time, 2 if they are wrong.
no_more_than_time() {
    awk '
        $1 == "METRIC" { value = $0; sub(/.*UINT64; /, "", value); sub(/\).*/, "", value)
            value += 0
            if (value < cpu[$2]) { print; is_wrong = 1 }
            cpu[$2] = value; is_new[$2] = 1; next }
        $1 == "ENTER" && is_new[$2] && has_begin[$2] {
            n++; used[$2] += cpu[$2] - begin[$2]; passed[$2] += $3 - time[$2] }
        $1 == "ENTER" || $1 == "LEAVE" {
            has_begin[$2] = $1 == "LEAVE" && is_new[$2]
            begin[$2] = cpu[$2]; time[$2] = $3; is_new[$2] = 0 }
        END { for (i in used) if (used[i] > passed[i] * 1.1 + 1e7) { print i, used[i], passed[i]; is_more = 1 }
              exit is_wrong || n < 10 ? 2 : is_more }' "$printed"
}

@test "process time is sampled" { for_each_mpi process_time; }

# tests/programs/ep: the first long interval ends with a function that was never called before.
first_interval() {
    traced "$1" 2 ep --size 20 --iterations 1
    [ "$status" = 0 ]
    otf2-print "$dir/traces.otf2" | awk '
        $1 == "METRIC" { is_new[$2] = 1; next }
        $1 == "ENTER" && is_new[$2] && has_begin[$2] { n[$2]++ }
        $1 == "ENTER" || $1 == "LEAVE" {
            has_begin[$2] = $1 == "LEAVE" && is_new[$2] && /MPI_Wtime/
            is_new[$2] = 0 }
        END { exit n[0] < 1 || n[1] < 1 }'
}

@test "process time is sampled before the first call of a function too" { one_mpi first_interval; }

@test "a signal handler that runs in the middle of a record: every call is there once" {
    alarmed() {
        local program="$BUILD/programs/$1-regions/trace_alarm"
        launch "$1" 1
        run -0 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/$1" -- "${line[@]}" "$program"
        [ "${lines[0]}" = ok ]
        [ "$(otf2-print "$BATS_TEST_TMPDIR/$1/traces.otf2" |
            grep '^ENTER' | grep -c 'Region: "MPI_Comm_rank"')" = 300000 ]
    }
    one_mpi alarmed
}

@test "a signal handler that switches recording, even in the middle of a switch" {
    switching() {
        local program="$BUILD/programs/$1/trace_alarm" dir=$BATS_TEST_TMPDIR/$1
        launch "$1" 1
        run -0 timeout 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" "$program" switch
        [ "${lines[0]}" = ok ]
        check_archive "$dir"
    }
    one_mpi switching
}
