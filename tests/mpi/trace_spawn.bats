# SPDX-License-Identifier: BSD-3-Clause
# Several MPI_COMM_WORLDs: processes started by MPI_Comm_spawn, or met through a port. Debian's MPICH
# can do neither (its network layer, UCX, does not support them), so all of it is with Open MPI.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

needs_openmpi() {
    has_mpi openmpi || skip "openmpi is not installed"
}

# codes DIR: of the warnings of a replay, without the one that depends on the machine.
codes() {
    "$PAGODA" replay --json "$1" |
        jq -r '.warnings[] | select(.code | IN("more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time") | not) | "\(.code) \(.count)"'
}

@test "spawned processes are further ranks, and nothing of what they do with their parents is missing" {
    needs_openmpi
    traced openmpi 2 trace_spawn twice
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "spawn ok" ]
    [ ! -e "$dir/run-2" ]
    [ -z "$(codes "$dir")" ]
    otf2-print -G "$dir/traces.otf2" >"$BATS_TEST_TMPDIR/definitions"
    grep -q '^GROUP .* COMM_LOCATIONS, .* 6 Members' "$BATS_TEST_TMPDIR/definitions"
    grep -q '"MPI_COMM_WORLD of ranks 4 to 5"' "$BATS_TEST_TMPDIR/definitions"
    [ "$(count '^INTER_COMM ' "$BATS_TEST_TMPDIR/definitions")" = 2 ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    local events=$BATS_TEST_TMPDIR/events
    # Parent i and child i; the first pair of children is ranks 2 and 3, the second 4 and 5.
    has "1 MpiSend inter to 1 tag 1 bytes 4" "$events"
    has "5 MpiRecv inter from 1 tag 1 bytes 4" "$events"
    has "2 MpiCollectiveEnd BCAST inter root 0 sent 0 received 4" "$events"
    has "4 MpiCollectiveEnd ALLREDUCE comm(0,1,4,5) sent 16 received 16" "$events"
    has "1 MpiSend comm(1,3) to 1 tag 3 bytes 4" "$events"
    has "3 MpiRecv comm(1,3) from 0 tag 3 bytes 4" "$events"
    has "3 MpiCollectiveEnd CREATE_HANDLE MPI_COMM_WORLD of ranks 2 to 3 sent 0 received 0" "$events"
}

@test "processes that come later do not move what is judged, and end for themselves" {
    needs_openmpi
    traced openmpi 2 trace_spawn
    "$PAGODA" replay --json "$dir" >"$BATS_TEST_TMPDIR/replay"
    # It begins when ranks 0 and 1 have left MPI_Init, though ranks 2 and 3 do so later.
    otf2-print "$dir/traces.otf2" | awk '
        $1 == "LEAVE" && /"MPI_Init"/ && $2 < 2 && $3 + 0 > last + 0 { last = $3 }
        $1 == "LEAVE" && /"MPI_Init"/ && $2 >= 2 { n++ }
        END { if (n == 2) print last }' >"$BATS_TEST_TMPDIR/last"
    otf2-print -G "$dir/traces.otf2" | sed -n 's/.*Global Offset: \([0-9]*\).*/\1/p' \
        >"$BATS_TEST_TMPDIR/zero"
    jq -r .window.begin_ns "$BATS_TEST_TMPDIR/replay" >"$BATS_TEST_TMPDIR/begin"
    local last zero begin
    last=$(cat "$BATS_TEST_TMPDIR/last") zero=$(cat "$BATS_TEST_TMPDIR/zero")
    begin=$(cat "$BATS_TEST_TMPDIR/begin")
    echo "begin $begin, last MPI_Init left $last, first event $zero"
    [ "$begin" -gt 0 ]
    # The archive's clock may begin a little before its first event.
    [ "$begin" -le $((last - zero)) ]
    [ "$begin" -ge $((last - zero - 1000000)) ]
    # One wait at most in each world.
    jq -e '[.patterns[] | select(.id == "wait-at-finalize") | .count] | add <= 2' \
        "$BATS_TEST_TMPDIR/replay"
}

@test "children that are not traced: no harm, and a warning that says what is missing" {
    needs_openmpi
    local child=$BATS_TEST_TMPDIR/untraced
    printf '#!/bin/sh\nunset LD_PRELOAD\nexec "%s" "$@"\n' \
        "$BUILD/programs/openmpi/trace_spawn" >"$child"
    chmod +x "$child"
    traced openmpi 2 trace_spawn "$child"
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "spawn ok" ]
    check_archive "$dir" messages collectives
    [ "$(codes "$dir")" = "outside-partner 17" ]
    [ "$("$PAGODA" replay --json "$dir" | jq .trace.ranks)" = 2 ]
}

@test "ranks of one world that meet through a port" {
    needs_openmpi
    traced openmpi 2 trace_connect
    [ "$(cat "$out")" = "connect ok" ]
    [ -z "$(codes "$dir")" ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    has "1 MpiSend inter to 0 tag 1 bytes 4" "$BATS_TEST_TMPDIR/events"
    has "0 MpiRecv inter from 0 tag 1 bytes 4" "$BATS_TEST_TMPDIR/events"
}

# Two launch lines that find each other through Open MPI's name server.
two_launches() {
    local program=$BUILD/programs/openmpi/trace_connect scratch=$1
    ompi-server --no-daemonize -r "$scratch/server" &
    local server=$! first second status=0
    until [ -s "$scratch/server" ]; do read -r -t 0.05 <> <(:) || true; done
    mpirun.openmpi --mca pmix_server_uri "file:$scratch/server" -n 1 "$program" accept "$scratch/port" &
    first=$!
    cp "$program" "$scratch/client"
    mpirun.openmpi --mca pmix_server_uri "file:$scratch/server" -n 1 "$scratch/client" connect "$scratch/port" &
    second=$!
    wait $first || status=1
    wait $second || status=1
    kill $server
    return $status
}

# events_of's lines of an archive, but for how it calls communicators and those outside.
events_of_all() {
    otf2-print "$1/traces.otf2" | sed -n 's/^\([A-Z_]* \) *[0-9]* */\1/p' |
        sed "s/<[0-9]*>//g; s/Communicator: \"[^\"]*\"//; s/ender: [^,]*//; s/eceiver: [^,]*//" | sort
}

@test "two launches that meet through a port have an archive each, which can be joined" {
    needs_openmpi
    command -v ompi-server >/dev/null || skip "ompi-server is not installed"
    export -f two_launches
    dir=$BATS_TEST_TMPDIR/trace
    run -0 timeout -k 5 300 "$PAGODA" trace -o "$dir" -- bash -c "two_launches '$BATS_TEST_TMPDIR'"
    [[ $output == *"connect ok"* ]]
    for archive in "$dir" "$dir/run-2"; do
        check_archive "$archive" messages collectives
        [ "$(codes "$archive")" = "outside-partner 19" ]
    done
    local joined=$BATS_TEST_TMPDIR/joined
    "$PAGODA" align "$dir" "$dir/run-2" -o "$joined" >"$BATS_TEST_TMPDIR/said"
    grep -q '^3 connections of worlds matched$' "$BATS_TEST_TMPDIR/said"
    check_archive "$joined"
    [ -z "$(codes "$joined")" ]
    diff <(events_of_all "$joined") <( (events_of_all "$dir" && events_of_all "$dir/run-2") | sort)
    # Two messages by each connection (two of a port, one of a socket), one by a duplicate, one by what was
    # merged of that, which came late.
    "$PAGODA" replay --json "$joined" >"$BATS_TEST_TMPDIR/replay"
    # Which launch came first, and so has rank 0, is chance.
    jq -e '([.ranks[].program] | sort) == ["client", "trace_connect"] and .trace.messages == 8 and (.patterns[] | select(.id == "late-sender")
        | .worst.wait_ns > 10000000 and .worst.rank != .worst.cause_rank)' "$BATS_TEST_TMPDIR/replay"
    # What each rank did in its own replay. Where it had no core is told by what it waited for.
    local is_call='select(.region | startswith("(") | not)'
    jq -c ".profile[] | $is_call | [.region, .visits, .inclusive_ns]" "$BATS_TEST_TMPDIR/replay" |
        sort >"$BATS_TEST_TMPDIR/regions"
    for archive in "$dir" "$dir/run-2"; do "$PAGODA" replay --json "$archive"; done |
        jq -cs "[.[].profile[] | $is_call"'] | group_by(.path)[]
            | [.[0].region, (map(.visits) | add), (map(.inclusive_ns) | add)]' | sort | diff - "$BATS_TEST_TMPDIR/regions"
}
