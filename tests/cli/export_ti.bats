# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format ti: the actions as they are to be, and run as SimGrid runs them (simgrid.py). Whether SimGrid
# itself does is what tests/check-simgrid tells.
load ../helper

# archive TRACE [SED]: makes the archive "run" here out of a text trace, changed by SED.
archive() {
    rm -rf run run.*
    sed "${2:-}" "$ROOT/tests/traces/$1.txt" >run.txt
    "$BUILD/tools/mktrace" run.txt run
}

ti() {
    "$PAGODA" export run -o run.ti --format ti
}

# actions RANK: what it does, without the padding of receives.
actions() {
    sed -n "s/^$1 //; T; s/ *$//; p" run.ti.actions
}

@test "a list names the actions of all ranks: computing, messages, collective operations" {
    archive replay/pipeline
    run -0 --separate-stderr ti
    [ -z "$output$stderr" ]
    [ "$(cat run.ti)" = run.ti.actions ]
    run actions 0
    [ "$output" = 'init
compute 5001000
send 1 7 1024
compute 1000
allreduce 4 0
compute 20000
finalize' ]
    run actions 1
    [ "$output" = 'init
compute 1001500
recv 0 7 1024
compute 1997000
allreduce 4 0
compute 10000
finalize' ]
    "$PAGODA" export run -o two.ti --format ti --threads 2
    cmp two.ti.actions run.ti.actions
}

@test "a receive whose sender becomes known later has its place, and sends beside it do not hold it up" {
    archive engine/wildcard-open
    ti
    run actions 0
    [ "$output" = 'init
compute 1
irecv 2 6 3
irecv 1 0 1
compute 27
recv 1 0 2
compute 5
wait 2 0 6
wait 1 0 0
compute 8
finalize' ]
    archive engine/sendrecv
    ti
    run actions 0
    [ "$output" = 'init
compute 10
isend 2 0 100000
recv 1 0 8
wait 0 2 0
compute 30
finalize' ]
    archive engine/cancelled
    ti
    run ! grep -q 'irecv\|wait' run.ti.actions
    grep -q '^0 recv 1 5 8$' run.ti.actions
}

# Beyond the buffer of the file, lines are written over on the disk.
@test "a receive that completes much later" {
    awk 'BEGIN {
        print "0 10 enter MPI_Irecv\n0 10 irecv-request 5 world any any\n0 11 leave MPI_Irecv"
        for (i = 1; i <= 60000; i++)
            print 0, 100 * i, "enter MPI_Send\n0", 100 * i, "send world 1 9 800\n0", 100 * i, "leave MPI_Send\n1", 100 * i + 9,
                "enter MPI_Recv\n1", 100 * i + 9, "recv world 0 9 800\n1", 100 * i + 9, "leave MPI_Recv"
        print "1 6000020 enter MPI_Send\n1 6000020 send world 0 3 77\n1 6000020 leave MPI_Send"
        print "0 6000030 enter MPI_Wait\n0 6000030 irecv world 1 3 77 5\n0 6000030 leave MPI_Wait"
    }' >run.txt
    "$BUILD/tools/mktrace" run.txt run
    ti
    [ "$(stat -c %s run.ti.actions)" -gt 1100000 ]
    [ "$(actions 0 | sed -n 2p)" = "irecv 1 3 77" ]
    "$ROOT/tests/cli/simgrid.py" run.ti
}

@test "operations of some ranks, or of different sizes, are messages" {
    cat >run.txt <<'EOF'
comm pair ranks 0 2
0 100-110 MPI_Bcast ; 110 coll-end bcast pair 1 0 64
2 200-210 MPI_Bcast ; 210 coll-end bcast pair 1 64 64
0 300-310 MPI_Gatherv ; 310 coll-end gatherv world 2 10 0
1 300-310 MPI_Gatherv ; 310 coll-end gatherv world 2 20 0
2 300-310 MPI_Gatherv ; 310 coll-end gatherv world 2 30 60
EOF
    "$BUILD/tools/mktrace" run.txt run
    ti
    # Root 2 sends to 0 in the tag of the communicator; it receives from 0 and 1 in that of the world.
    run eval "actions 0; actions 1; actions 2"
    [ "$output" = 'init
recv 2 2147418114 2147483647
compute 190
isend 2 2147418112 10
wait 0 2 2147418112
finalize
init
isend 2 2147418112 20
wait 1 2 2147418112
finalize
init
isend 0 2147418114 64
wait 2 0 2147418114
compute 90
recv 0 2147418112 2147483647
recv 1 2147418112 2147483647
finalize' ]
}

@test "clocks that disagree are corrected before anything is written" {
    archive replay/clocks
    ti
    mv run.ti.actions corrected
    "$PAGODA" align run -o right && rm -r run && mv right run
    ti
    cmp run.ti.actions corrected
    "$ROOT/tests/cli/simgrid.py" run.ti run/traces.otf2
}

@test "time without a core is no computing, and time asleep is sleep" {
    archive replay/without-cpu
    ti
    run actions 0
    [ "$(grep compute <<<"$output" | head -3)" = 'compute 4100000
compute 5900000
compute 950000' ]
}

@test "what runs of the engine's traces exchange and compute is in the actions" {
    local name
    for name in before-start foreign-order gather-origins nested-mpi persistent posting-order self; do
        archive "engine/$name"
        ti 2>/dev/null
        run "$ROOT/tests/cli/simgrid.py" run.ti run/traces.otf2
        echo "$name: $output"
        [ "$status" = 0 ]
        awk '/^rank/ && $3 != $6 { exit 1 }' <<<"$output"
    done
}

@test "what the format cannot hold is said once, or refused" {
    archive engine/nonblocking-collective
    run -0 ti
    [ "$output" = "pagoda: warning: 2 calls of nonblocking collective operations are written as blocking ones, where they \
complete: SimGrid's format has no others" ]
    archive engine/intercommunicator
    run ti
    [ "$output" = "pagoda: warning: 4 calls of collective operations on intercommunicators are left out: SimGrid's format has \
none" ]
    archive engine/epoch-path
    run ti
    [ "$output" = "pagoda: warning: accesses to RMA windows and their locks are left out: SimGrid's format has none" ]
    "$ROOT/tests/cli/simgrid.py" run.ti # ends
    archive engine/unmatched
    run ti
    [[ $output == *"1 message sent but not received"*"[unmatched-send]"*"1 receive without"*"[unmatched-receive]" ]]
    rm -rf run run.*
    printf '%s\n' 'location 1.1' '0 0 enter main' '1 0 enter main' '1.1 20 enter MPI_Send' \
        '1.1 20 send world 0 1 8' '1.1 21 leave MPI_Send' '0 30 enter MPI_Recv' '0 30 recv world 1 1 8' \
        '0 31 leave MPI_Recv' '0 40 leave main' '1 40 leave main' >run.txt
    "$BUILD/tools/mktrace" run.txt run
    run -1 ti
    [[ $output == "pagoda: rank 1 sends or receives in "*" as well as in its first thread; SimGrid has one thread a rank" ]]
    [ -z "$(ls run.ti* 2>/dev/null)" ]
}

@test "counters that the format has no place for are left out" {
    archive metrics/interaction
    run -0 ti
    [ "$(actions 0)" = 'init
compute 87
finalize' ]
    run -0 --separate-stderr "$PAGODA" export run -o run.dot --format dot --interval 0s:1s
    [ -z "$output$stderr" ]
    grep -q "MPI_Put" run.dot
}

@test "files are replaced when both are whole, and left alone otherwise" {
    archive replay/pipeline
    echo old | tee run.ti run.ti.actions >/dev/null
    run -1 bash -c 'trap "" XFSZ; ulimit -f 0; "$PAGODA" export run -o run.ti --format ti'
    [[ $output == *": File too large" ]]
    [ "$(cat run.ti run.ti.actions)" = $'old\nold' ]
    [ -z "$(ls -d -- *.part 2>/dev/null)" ]
    run -1 "$PAGODA" export run -o /dev/null --format ti
    [ "$output" = "pagoda: cannot write /dev/null: it is no file, and others are to be beside it" ]
    ti
    [ "$(cat run.ti)" = run.ti.actions ]
    archive advise/pairs
    truncate -s -30 run/traces/1.evt
    run -3 ti
    [[ $output == *"1.evt"*"[location-cut]"* ]]
    grep -q '^1 finalize$' run.ti.actions
}
