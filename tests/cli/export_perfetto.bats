# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format perfetto: what the files hold, read by their wire format (perfetto.py), against the text or
# archive they were made of and against what a replay reports.
load ../helper

# archive NAME [SED]: makes the archive NAME here out of the text trace NAME of the reports, changed by SED.
archive() {
    sed "${2:-}" "$ROOT/tests/traces/replay/$1.txt" >"$1.txt"
    "$BUILD/tools/mktrace" "$1.txt" "$1"
}

# tracks ARCHIVE OPTION...: exports it to ARCHIVE.pftrace.
tracks() {
    "$PAGODA" export "$1" -o "$1.pftrace" --format perfetto "${@:2}"
}

viewer() { "$ROOT/tests/cli/perfetto.py" "$@"; }

# as_reported ARCHIVE FILE...: the tracks are what a replay of ARCHIVE reports.
as_reported() {
    [ -e names.json ] || "$PAGODA" explain --json >names.json
    "$PAGODA" replay --json "$1" >report.json 2>/dev/null || [ $? = 3 ]
    viewer report report.json "${@:2}" <names.json
}

# A text trace of $1 messages from rank 0 to rank 1, each of which is waited for.
ping() {
    awk -v n="$1" 'BEGIN {
        for (rank = 0; rank < 2; rank++) {
            print rank, 0, "enter main"
            for (i = 0; i < n; i++) {
                print rank, 100 * i + (rank ? 10 : 40), "enter", rank ? "MPI_Recv" : "MPI_Send"
                print rank, 100 * i + 50, rank ? "recv world 0 1 8" : "send world 1 1 8"
                print rank, 100 * i + 60, "leave", rank ? "MPI_Recv" : "MPI_Send"
            }
            print rank, 100 * n, "leave main"
        }
    }' >"$2.txt"
    "$BUILD/tools/mktrace" "$2.txt" "$2"
}

@test "calls, messages, wait states and the critical path are events on the tracks of their ranks" {
    archive pipeline
    run -0 --separate-stderr tracks pipeline
    [ -z "$output$stderr" ]
    run viewer list pipeline.pftrace
    # As the text has it: rank 1 waits for the message of 7000000, rank 0 for rank 1 at 9001000.
    [ "$output" = 'critical path: 0-7000000 rank 0 [critical path]
critical path: 7000000-9001000 rank 1 [critical path]
critical path: 9001000-9040000 rank 0 [critical path]
node0 / rank 0: 0-9040000 main [function]
node0 / rank 0:   1000-2000000 MPI_Init [MPI]
node0 / rank 0:   2000000-7001000 solve [function]
node0 / rank 0:     7000000-7001000 MPI_Send [MPI; bytes sent 1024, sent to rank 1]
node0 / rank 0:   7002000-9010000 MPI_Allreduce [MPI; collective bytes sent 8, collective bytes received 8]
node0 / rank 0:   9020000-9030000 MPI_Finalize [MPI]
node0 / rank 0 / wait states: 7002000-9001000 Wait at N x N [wait state; waits for rank 1]
node0 / rank 1: 0-9035000 main [function]
node0 / rank 1:   1500-2000000 MPI_Init [MPI]
node0 / rank 1:   2000000-9000000 solve [function]
node0 / rank 1:     3000000-7004000 MPI_Recv [MPI; bytes received 1024, received from rank 0]
node0 / rank 1:   9001000-9010000 MPI_Allreduce [MPI; collective bytes sent 8, collective bytes received 8]
node0 / rank 1:   9015000-9030000 MPI_Finalize [MPI]
node0 / rank 1 / wait states: 3000000-7000000 Late Sender [wait state; waits for rank 0]
node0 / rank 1 / wait states: 9015000-9020000 Wait at Finalize [wait state; waits for rank 0]
flow: node0 / rank 0 7000000 MPI_Send -> node0 / rank 1 7004000 MPI_Recv' ]
    viewer archive pipeline/traces.otf2 pipeline.pftrace
    for threads in 1 2; do
        "$PAGODA" export pipeline -o "$threads.pftrace" --format perfetto --threads $threads
        cmp pipeline.pftrace "$threads.pftrace"
    done
}

# Where ranks and threads wait for each other in all ways, with clocks that are wrong and runs that are cut.
@test "what a replay reports is what the tracks add up to" {
    local names=(engine/{before-start,broadcast-path,cancelled,chain,clock-circle,clock-repair,communicators,cut}
        engine/{foreign-waitall,gather-origins,handle-path,incomplete-collective,intercommunicator,issend-wildcard}
        engine/{nested-mpi,nonblocking-collective-order,scan-path,threads-and-messages,threads-master-last,tie-join}
        engine/{unmatched,waitall-both,wildcard-cut,window-spawned,zero-length}
        patterns/{late-receiver,wait-at-nx1,wrong-order-different-source})
    for name in "${names[@]}"; do
        rm -rf run run.pftrace
        "$BUILD/tools/mktrace" "$ROOT/tests/traces/$name.txt" run
        tracks run
        run as_reported run run.pftrace
        echo "$name: $output"
        [ "$status" = 0 ]
    done
}

@test "records outside of calls are slices of no length, places in the source are those of the calls" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/engine/outside-calls.txt" run
    tracks run
    run viewer list run.pftrace
    [ "$(grep -cE ' ([0-9]+)-\1 message record \[MPI; ' <<<"$output")" = 2 ]
    rm -r run
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/engine/call-sites.txt" run
    tracks run
    run viewer list run.pftrace
    [[ $output == *"0-10 MPI_Send [MPI; run.c:20 in work]"*"40-41 MPI_Wait [MPI]"* ]]
}

@test "counters are tracks of what they grew by" {
    local seed
    for seed in 1 2; do
        rm -rf counted
        /usr/bin/python3 "$ROOT/tests/cli/counters.py" counted $seed $((seed == 2 ? 3000 : 100)) >expected
        tracks counted
        run -0 viewer archive counted/traces.otf2 counted.pftrace
        [[ $output == *" counters" && $output != *" 0 counters" ]]
    done
}

# Sums over ranks of pipeline.txt: of rank 0 5.022 ms computing, 1.999 waiting; of rank 1 3.0085 ms and 4.005.
@test "what all ranks do over time, and phases" {
    archive pipeline
    tracks pipeline
    run viewer strips pipeline.pftrace
    echo "$output"
    [ "$output" = "collective operations: 1.8e+04
computing: 8.03e+06
messages: 5e+03
other MPI: 4.02e+06
waiting for other ranks: 6e+06" ]
    # Two phases, called from main; 5 us of CPU time from 0 on, then 1 us.
    for rank in 0 1; do
        printf "$rank %s\n" "0 enter main" "0 enter setup" "0 cpu 100" "40000 cpu 5100" "40000 enter MPI_Barrier" "40000 coll-begin" \
            "40000 coll-end barrier world - 0 0" "40000 leave MPI_Barrier" "40000 leave setup" "40000 enter solve" "96000 cpu 6100" \
            "96000 enter MPI_Barrier" "96000 coll-begin" "96000 coll-end barrier world - 0 0" "96000 leave MPI_Barrier" "96000 leave solve" "96000 leave main"
    done | "$BUILD/tools/mktrace" - phases
    tracks phases
    run viewer strips phases.pftrace
    echo "$output"
    [ "$output" = "computing: 1.92e+05
cores in use: 1.2e+04
phase setup: 4e+04
phase solve: 5.6e+04" ]
}

@test "a long run has several files, each of which is whole" {
    ping 200 long
    tracks long
    as_reported long long.pftrace
    "$PAGODA" export long -o part.pftrace --format perfetto --split 5000
    local parts=(part.pftrace part.?.pftrace)
    ls -l
    [ ${#parts[@]} -gt 3 ]
    for part in "${parts[@]}"; do
        # What is open at its end, and its part of the critical path, come on top.
        [ "$(stat -c %s "$part")" -lt 12000 ]
        viewer list "$part" >part.list
        grep -q '^critical path: ' part.list
    done
    viewer list long.pftrace >whole.list
    viewer list "${parts[@]}" | cmp - whole.list
    viewer strips long.pftrace >whole.strips
    grep -q '^computing: ' whole.strips
    viewer strips "${parts[@]}" | cmp - whole.strips
    viewer archive long/traces.otf2 "${parts[@]}"
    mkdir folder.d
    "$PAGODA" export long -o folder.d/part --format perfetto --split 20000
    [ "$(ls folder.d)" = $'part\npart.2' ]
}

@test "files are replaced when all are whole, and left alone otherwise" {
    ping 300 long
    echo old >part.pftrace
    run -1 "$PAGODA" export missing -o part.pftrace --format perfetto
    [[ $output == *missing* ]]
    run -1 "$PAGODA" export long -o nowhere/part.pftrace --format perfetto
    [ "$output" = "pagoda: cannot write nowhere/part.pftrace: No such file or directory" ]
    run -1 "$PAGODA" export long -o /dev/full --format perfetto
    [ "$output" = "pagoda: cannot write /dev/full: No space left on device" ]
    # A file that cannot grow beyond 8 KiB, and the second of two likewise.
    run -1 bash -c 'trap "" XFSZ; ulimit -f 8; "$PAGODA" export long -o part.pftrace --format perfetto'
    [ "$output" = "pagoda: cannot write part.pftrace: File too large" ]
    [ "$(cat part.pftrace)" = old ]
    mkdir part.2.pftrace
    run -1 "$PAGODA" export long -o part.pftrace --format perfetto --split 20000
    [ "$output" = "pagoda: cannot write part.2.pftrace: Is a directory" ]
    rmdir part.2.pftrace
    [ -z "$(ls -- *.part 2>/dev/null)" ]
    "$PAGODA" export long -o part.pftrace --format perfetto
    # A pipe gets all at once, however small the files are to be; so does what a link leads to.
    mkfifo pipe
    cat pipe >piped.pftrace &
    "$PAGODA" export long -o pipe --format perfetto --split 5000
    wait $!
    ln -s linked.pftrace link
    "$PAGODA" export long -o link --format perfetto --split 5000
    [ -L link ]
    cmp piped.pftrace linked.pftrace
    viewer list part.pftrace >whole.list
    viewer list piped.pftrace | cmp - whole.list
    [ -z "$(ls -- *.part 2>/dev/null)" ]
}

@test "a signal leaves no part of a file" {
    ping 40000 long
    "$PAGODA" export long -o long.pftrace --format perfetto --split 100000 &
    # Looked for without a break, for the export lasts less than a second.
    while [ ! -e long.2.pftrace.part ] && kill -0 $!; do :; done
    kill -TERM $!
    ! wait $! || false
    [ -z "$(ls -- *.part *.pftrace 2>/dev/null)" ]
}

@test "of a damaged archive what was readable is written" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/advise/pairs.txt" cut
    truncate -s -30 cut/traces/1.evt
    run -3 --separate-stderr tracks cut
    [[ $stderr == *"1.evt"*"[location-cut]"* ]]
    as_reported cut cut.pftrace
}

@test "names with quotes and control characters are text" {
    archive pipeline $'s/solve/a"b<c>\x01\x1b[31m\\\\d\xff/g'
    tracks pipeline
    says $'2000000-7001000 a"b<c>??[31m\\d\xef\xbf\xbd [function]' viewer list pipeline.pftrace
}

@test "only what it can show is accepted" {
    archive pipeline
    run -2 "$PAGODA" export pipeline -o run.pftrace --format chrome
    [[ $output == *"--format is html, perfetto, prv, ti, dot, otf2, svg, csv, json or badge, not chrome"* ]]
    says -2 "--format csv is of one picture: say which by --view" "$PAGODA" export pipeline -o run.csv --format csv
    echo >runs.db
    says -1 "'runs.db' is not an OTF2 archive: " "$PAGODA" export runs.db -o run.pftrace --format perfetto
    run -2 "$PAGODA" export pipeline -o run.pftrace --format perfetto --scale solve=0.5
    [[ $output == *"pagoda replay --output DIR, and export that"* ]]
    # Which works:
    "$PAGODA" replay pipeline --scale solve=0.5 --output faster >/dev/null
    tracks faster
    viewer list faster.pftrace >faster.list
    grep 'rank 0: .* solve' faster.list
    run ! grep 'rank 0: .* 2000000-7001000 solve' faster.list
}
