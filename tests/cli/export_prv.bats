# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format prv: what the files hold, read as Paraver reads them (paraver.py), against the text or archive
# they were made of.
load ../helper

# archive TRACE [SED]: makes the archive "run" here out of a text trace, changed by SED.
archive() {
    rm -rf run run.*
    sed "${2:-}" "$ROOT/tests/traces/$1.txt" | "$BUILD/tools/mktrace" - run
}

prv() {
    "$PAGODA" export run -o run.prv --format prv
}

viewer() { "$ROOT/tests/cli/paraver.py" "$@"; }

@test "states, functions, calls and messages of each rank" {
    archive replay/pipeline
    run -0 --separate-stderr prv
    [ -z "$output$stderr" ]
    run viewer list run.prv
    [ "$output" = 'node0 / rank 0: 0-1000 Running
node0 / rank 0: 1000-2000000 Others
node0 / rank 0: 2000000-7000000 Running
node0 / rank 0: 7000000-7001000 Blocking Send
node0 / rank 0: 7001000-7002000 Running
node0 / rank 0: 7002000-9010000 Group Communication
node0 / rank 0: 9010000-9020000 Running
node0 / rank 0: 9020000-9030000 Others
node0 / rank 0: 9030000-9040000 Running
node0 / rank 1: 0-1500 Running
node0 / rank 1: 1500-2000000 Others
node0 / rank 1: 2000000-3000000 Running
node0 / rank 1: 3000000-7004000 Waiting a message
node0 / rank 1: 7004000-9001000 Running
node0 / rank 1: 9001000-9010000 Group Communication
node0 / rank 1: 9010000-9015000 Running
node0 / rank 1: 9015000-9030000 Others
node0 / rank 1: 9030000-9035000 Running
node0 / rank 0: 0-9040000 main
node0 / rank 0:   1000-2000000 MPI_Init
node0 / rank 0:   2000000-7001000 solve
node0 / rank 0:     7000000-7001000 MPI_Send
node0 / rank 0:   7002000-9010000 MPI_Allreduce
node0 / rank 0:   9020000-9030000 MPI_Finalize
node0 / rank 1: 0-9035000 main
node0 / rank 1:   1500-2000000 MPI_Init
node0 / rank 1:   2000000-9000000 solve
node0 / rank 1:     3000000-7004000 MPI_Recv
node0 / rank 1:   9001000-9010000 MPI_Allreduce
node0 / rank 1:   9015000-9030000 MPI_Finalize
message: node0 / rank 0 7000000 -> node0 / rank 1 7004000, 1024 bytes, tag 7' ]
    # As Extrae numbers them: MPI_Send is the value 1 of the type 50000001, its state is 4.
    grep -q '^1:1:1:1:1:7000000:7001000:4$' run.prv
    grep -q '^2:1:1:1:1:7000000:50000001:1$' run.prv
    grep -q '^2:1:1:1:1:7001000:50000001:0$' run.prv
    local threads file
    for threads in 1 2; do
        "$PAGODA" export run -o "$threads.prv" --format prv --threads $threads
        for file in prv pcf row; do
            cmp run.$file "$threads.$file"
        done
    done
}

# Threads, nested calls, clocks that are wrong, runs that are cut, messages that nobody receives.
@test "what the archive holds is in the trace" {
    local name
    for name in engine/{before-start,broadcast-path,chain,clock-repair,communicators,foreign-waitall,nested-mpi} \
        engine/{threads-and-messages,tie-join,waitall-both,window-spawned,zero-length} \
        threads/{hybrid,nested,tasks}; do
        archive "$name"
        prv
        case $name in *clock*) "$PAGODA" align run -o right && rm -r run && mv right run ;; esac
        run viewer archive run/traces.otf2 run.prv
        echo "$name: $output"
        [ "$status" = 0 ]
    done
}

@test "counters are events of what they grew by" {
    local seed
    for seed in 1 2; do
        rm -rf run
        /usr/bin/python3 "$ROOT/tests/cli/counters.py" run $seed 300 >expected
        prv
        run -0 viewer archive run/traces.otf2 run.prv
        [[ $output == *" counters" && $output != *" 0 counters" ]]
    done
}

@test "files are replaced when all are whole, and left alone otherwise" {
    archive replay/pipeline
    echo old | tee run.prv run.pcf run.row >/dev/null
    run -1 "$PAGODA" export missing -o run.prv --format prv
    run -1 "$PAGODA" export run -o nowhere/run.prv --format prv
    [ "$output" = "pagoda: cannot write nowhere/run.prv: No such file or directory" ]
    mkdir -p other.pcf.part/full
    run -1 "$PAGODA" export run -o other.prv --format prv
    [ "$output" = "pagoda: cannot write other.pcf: Is a directory" ]
    rm -r other.pcf.part
    run -1 bash -c 'trap "" XFSZ; ulimit -f 1; "$PAGODA" export run -o run.prv --format prv'
    [[ $output == *": File too large" ]]
    [ "$(cat run.prv run.pcf run.row)" = $'old\nold\nold' ]
    [ -z "$(ls -d -- *.part other.* 2>/dev/null)" ]
    run -1 "$PAGODA" export run -o /dev/null --format prv
    [ "$output" = "pagoda: cannot write /dev/null: it is no file, and others are to be beside it" ]
    prv
    viewer list run.prv | grep -q '^message: '
    "$PAGODA" export run -o named --format prv
    cmp named run.prv
    cmp named.pcf run.pcf
    cmp named.row run.row
}

@test "of a damaged archive what was readable is written" {
    archive advise/pairs
    truncate -s -30 run/traces/1.evt
    run -3 --separate-stderr prv
    [[ $stderr == *"1.evt"*"[location-cut]"* ]]
    viewer list run.prv | grep -q '^message: '
}

@test "names with quotes and control characters are text on one line" {
    archive replay/pipeline $'s/solve/a"b<c>\x01\x1b[31m\\\\d\xff/g'
    prv
    says $'2000000-7001000 a"b<c>??[31m\\d\xef\xbf\xbd' viewer list run.prv
}

@test "calls that Extrae does not number have numbers of their own" {
    archive replay/pipeline 's/MPI_Allreduce/MPI_Iallreduce_init/g'
    prv
    grep -qE '^[1-9][0-9]{3}   MPI_Iallreduce_init$' run.pcf
    viewer list run.prv | grep -q ' MPI_Iallreduce_init$'
}
