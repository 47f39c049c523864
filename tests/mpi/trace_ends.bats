# SPDX-License-Identifier: BSD-3-Clause
# The tracer does no harm: output and exit status are the program's own, however it ends and
# whatever is wrong with the place the records go to.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# same MPI WAY...: trace_end ends alike with and without the tracer. Which rank's end a launcher
# takes for the whole is a race when it kills the others, so a difference is looked at again.
same() {
    local mpi=$1 try
    shift
    for try in {1..20}; do
        untraced "$mpi" 2 trace_end "$@"
        traced "$mpi" 2 trace_end "$@"
        echo "$mpi $*: $plain_status untraced, $status traced (try $try)"
        # MPICH tells of crashes on stdout, with the process number and the status.
        if [ "$status" = "$plain_status" ] && diff <(sed '/PID/d' "$plain_out") <(sed '/PID/d' "$out")
        then
            return 0
        fi
    done
    return 1
}

statuses() {
    same "$1" exit 7 # 0: tests/mpi/ends_own.bats, programs.bats
    [ "$status" = 7 ]
    # The launcher ends a rank that is still in MPI_Finalize when the other one has failed.
    check_archive "$dir" collectives
}

@test "exit statuses" { for_each_mpi statuses; }

@test "a program that never starts MPI: one sentence, exit status 1" {
    never() {
        # MPICH's launcher is ended by SIGPIPE now and then where its ranks end at once.
        for _ in {1..20}; do
            traced "$1" 2 trace_end no-init 0
            [ "$status" = 141 ] || break
        done
        [ "$status" = 1 ]
        [[ $(messages) == *"called MPI_Init"* ]]
        [ ! -e "$dir" ]
        traced "$1" 2 trace_end no-init 4
        [ "$status" = 4 ]
    }
    for_each_mpi never
}

@test "an unwritable folder: one warning, the program runs on" {
    unwritable() {
        touch "$BATS_TEST_TMPDIR/file"
        launch "$1" 2
        status=0
        "$PAGODA" trace -o "$BATS_TEST_TMPDIR/file/x" -- "${line[@]}" \
            "$BUILD/programs/$1/trace_end" exit 6 >"$BATS_TEST_TMPDIR/out" \
            2>"$BATS_TEST_TMPDIR/err" || status=$?
        err=$BATS_TEST_TMPDIR/err
        [ "$status" = 6 ]
        [ "$(cat "$BATS_TEST_TMPDIR/out")" = running ]
        [ "$(messages | wc -l)" = 1 ]
        [[ $(messages) == *"Not a directory"*"tracing is off"* ]]
    }
    one_mpi unwritable
}

# small SIZE: an empty file system of that size at $small.
small() {
    small=$BATS_TEST_TMPDIR/small
    mkdir -p "$small"
    mount -t tmpfs -o "size=$1" none "$small" 2>/dev/null || skip "cannot mount (needs root)"
}

teardown() { ! mountpoint -q "${BATS_TEST_TMPDIR:?}/small" || umount "$BATS_TEST_TMPDIR/small"; }

# fills MPI: trace_end, which records 2 MiB a rank in chunks of 256 KiB, into $small.
fills() {
    launch "$1" 2
    err=$BATS_TEST_TMPDIR/err
    status=0
    "$PAGODA" trace --buffer-bytes 256KiB -o "$small/t" -- "${line[@]}" \
        "$BUILD/programs/$1/trace_end" fill 2 >"$BATS_TEST_TMPDIR/out" 2>"$err" || status=$?
    cat "$err"
    [ "$status" = 0 ]
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = running ]
    [ "$(messages | wc -l)" = 1 ]
}

@test "a disk that is full from the start: one warning, the program runs on" {
    small 256k
    full() {
        fills "$1"
        [[ $(messages) == *"No space left"*"tracing is off"* ]]
        [ ! -e "$small/t" ]
    }
    one_mpi full
}

@test "a disk that fills up while recording; --finish makes the archive once there is room" {
    small 2m
    fills_up() {
        fills "$1"
        [[ $(messages) == *"No space left"*"--finish"* ]]
        [ ! -e "$small/t/traces.otf2" ]
        cp -r "$small/t" "$BATS_TEST_TMPDIR/moved-$1"
        rm -rf "$small/t"
        run -0 "$PAGODA" trace --finish "$BATS_TEST_TMPDIR/moved-$1"
        [[ $output == *"stopped recording"*"No space left"* ]]
        check_archive "$BATS_TEST_TMPDIR/moved-$1" collectives
    }
    one_mpi fills_up
}

@test "a disk that fills up while the archive is written: it is said, and the records stay" {
    small 5m
    fills_late() {
        fills "$1"
        [[ $(messages) == *"cannot write the archive"*"The records are kept"* ]]
        [ "$(ls "$small/t")" = spool ] # nothing half-written
        mount -o remount,size=25m "$small"
        "$PAGODA" trace --finish "$small/t"
        check_archive "$small/t" collectives
        rm -rf "$small/t"
        mount -o remount,size=5m "$small"
    }
    one_mpi fills_late
}

@test "a limit on the size of files ends the recording, not the program" {
    limited() {
        launch "$1" 1
        err=$BATS_TEST_TMPDIR/err
        status=0
        (ulimit -f 5120 && exec "$PAGODA" trace --buffer-bytes 256KiB \
            -o "$BATS_TEST_TMPDIR/limited-$1" -- "${line[@]}" \
            "$BUILD/programs/$1/trace_end" fill 6 >"$BATS_TEST_TMPDIR/out" 2>"$err") || status=$?
        cat "$err"
        [ "$status" = 0 ]
        [ "$(cat "$BATS_TEST_TMPDIR/out")" = running ]
        [[ $(cat "$err") == *"stopped recording"*"File too large"* ]]
        check_archive "$BATS_TEST_TMPDIR/limited-$1" collectives
    }
    one_mpi limited
}

@test "a program that takes the recorder's descriptor for its own file keeps its file" {
    reopens() {
        launch "$1" 2
        mkdir -p "$BATS_TEST_TMPDIR/in-$1"
        cd "$BATS_TEST_TMPDIR/in-$1"
        run -0 "$PAGODA" trace --buffer-bytes 256KiB -o t -- "${line[@]}" "$BUILD/programs/$1/trace_end" \
            reopen 1
        [[ $output != *"stopped recording"* ]]
        [ -e reopened ]
        [ ! -s reopened ]
        check_archive t
        # A megabyte of calls at 24 bytes.
        [ "$(count '^ENTER  *0 .*"MPI_Comm_rank"' "$printed")" = 43691 ]
    }
    one_mpi reopens
}

@test "--finish where nothing was recorded" {
    mkdir -p "$BATS_TEST_TMPDIR/empty/spool"
    run -1 "$PAGODA" trace --finish "$BATS_TEST_TMPDIR/empty"
    [[ $output == *"holds no records"* ]]
    run -1 "$PAGODA" trace --finish "$BATS_TEST_TMPDIR/nowhere"
    [[ $output == *"No such file"* ]]
}

@test "damaged records: what can be read is in the archive, the rest is named" {
    mkdir -p "$BATS_TEST_TMPDIR/t/spool"
    LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$BATS_TEST_TMPDIR/t/spool" \
        run_mpi openmpi 2 "$BUILD/programs/openmpi/trace_end"
    echo garbage >"$BATS_TEST_TMPDIR/t/spool/x.spool"
    for file in "$BATS_TEST_TMPDIR"/t/spool/*-000001-000.spool; do
        truncate -s 65700 "$file" # the header and a few records
    done
    run -0 "$PAGODA" trace --finish "$BATS_TEST_TMPDIR/t"
    [[ $output == *"1 files in "*"are not records of this version"* ]]
    check_archive "$BATS_TEST_TMPDIR/t" messages collectives open-requests
    grep -q '^LOCATION  *1 ' "$printed"
}

@test "--finish waits for a process that goes on after its recording has stopped" {
    cat >"$BATS_TEST_TMPDIR/stopped.c" <<'END'
#include <mpi.h>
#include <unistd.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100000; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fclose(fopen("stopped", "w"));
    while (access("go", F_OK))
        usleep(10000);
    MPI_Finalize();
    return 0;
}
END
    goes_on() {
        cd "$BATS_TEST_TMPDIR"
        rm -rf t stopped go
        mkdir -p t/spool
        printf '%s\n' buffer_bytes=65536 max_bytes=327680 >t/spool/settings
        "mpicc.$1" -o stopped-"$1" stopped.c
        LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$PWD/t/spool" \
            run_mpi "$1" 1 ./stopped-"$1" 3>&- &
        while [ ! -e stopped ] && kill -0 $!; do
            sleep 0.01
        done
        run "$PAGODA" trace --finish t
        touch go
        wait $!
        [ "$status" = 1 ]
        [[ $output == *"no archive yet"*"still runs"* ]]
        # What a finisher left that was killed while it measured.
        mkdir t/spool/cost
        touch t/spool/cost/0000000000000000-000000-000.spool
        run -0 "$PAGODA" trace --finish t
        [[ $output == *"stopped recording"*"max_bytes is reached"* ]]
        [ ! -e t/spool ]
    }
    for_each_mpi goes_on
}

@test "control characters of a folder do not reach the terminal" {
    mkdir "$BATS_TEST_TMPDIR/spool"
    touch "$BATS_TEST_TMPDIR/spool/not.spool"
    mv "$BATS_TEST_TMPDIR/spool" "$BATS_TEST_TMPDIR/"$'sp\e[31mool\xc2\x9b'
    run "$BUILD/pagoda-trace-finish" "$BATS_TEST_TMPDIR/"$'sp\e[31mool\xc2\x9b' "$BATS_TEST_TMPDIR/out"
    [[ $output == *"sp?[31mool??"* ]]
    [[ $output != *$'\e'* && $output != *$'\x9b'* ]]
}
