# SPDX-License-Identifier: BSD-3-Clause
# Recording may stop at any record (limit of size, full disk): the program does not notice.
# shellcheck disable=SC2154,SC2317 # variables that trace.bash sets; functions it calls
load trace

# stops N COMMAND...: traces COMMAND of build/programs/$mpi, with files of one window of 64 KiB, into
# $dir; it must print "stops ok" and nothing else may have gone wrong.
stops() {
    local options=()
    while [[ $1 == --* ]]; do
        options+=("$1" "$2")
        shift 2
    done
    launch "$mpi" "$1"
    shift
    dir=$BATS_TEST_TMPDIR/$mpi
    err=$BATS_TEST_TMPDIR/err
    rm -rf "$dir"
    status=0
    timeout -k 5 300 "$PAGODA" trace --buffer-bytes 64KiB "${options[@]}" -o "$dir" -- \
        "${line[@]}" "$BUILD/programs/$mpi/$1" "${@:2}" >"$BATS_TEST_TMPDIR/out" 2>"$err" ||
        status=$?
    cat "$BATS_TEST_TMPDIR/out" "$err"
    [ "$status" = 0 ]
}

# untaken MPI SETTINGS ARGUMENT...: the same of trace_stops without a launcher and without making an
# archive; the records stay in $spool.
untaken() {
    local mpi=$1
    spool=$BATS_TEST_TMPDIR/spool-$mpi
    mkdir "$spool"
    printf 'buffer_bytes=65536\nmax_bytes=131072\n%b' "$2" >"$spool/settings"
    shift 2
    run -0 env LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$spool" \
        timeout -k 5 300 "$BUILD/programs/$mpi/trace_stops" "$@"
    [ "${lines[-1]}" = "stops ok" ]
}

@test "at each record of a thread" {
    threads() {
        mpi=$1
        stops --max-bytes 128KiB 1 trace_stops threads 0 700 2
        grep -qx 'stops ok' "$BATS_TEST_TMPDIR/out"
        # No record is shorter than the 16 bytes from one stop to the next.
        otf2-print -G "$dir/traces.otf2" >"$BATS_TEST_TMPDIR/definitions"
        [ "$(grep -c 'PAGODA::STOPPED' "$BATS_TEST_TMPDIR/definitions")" -ge 350 ]
        [ "$(sed -n 's/^LOCATION .*# Events: \([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/definitions" |
            sort -u | wc -l)" -ge 100 ]
    }
    for_each_mpi threads
}

@test "at each record of a thread, with short calls dropped and with call stacks" {
    threads() {
        mpi=$1
        untaken "$1" 'min_duration=1000000\ncall_stack=8\n' threads 0 700 2
    }
    for_each_mpi threads
}

# Without a launcher each filling has an MPI_Init of its own. Of Open MPI's that is slow.
@test "from before MPI_Init to MPI_Finalize" {
    start() {
        local step=11
        [ "$1" = mpich ] || step=83
        untaken "$1" '' start -20 1650 $step
        [ "$(find "$spool" -name '*.spool' | wc -l)" = $((1670 / step + 1)) ]
    }
    for_each_mpi start
}

@test "long programs, all ranks within a second" {
    long() {
        mpi=$1
        for size in 2 3; do
            export PAGODA_COUNTERS=
            [ $size = 2 ] || PAGODA_COUNTERS=minor-faults,max-rss
            stops --max-bytes ${size}MiB 3 trace_end poll 8
            grep -q 'stopped recording.*max_bytes' "$err"
            stops --max-bytes ${size}MiB 3 trace_end fill 8
            grep -q 'stopped recording.*max_bytes' "$err"
        done
    }
    for_each_mpi long
}

teardown() { ! mountpoint -q "${BATS_TEST_TMPDIR:?}/small" || umount "$BATS_TEST_TMPDIR/small"; }

@test "a disk that fills up while many threads record" {
    local small=$BATS_TEST_TMPDIR/small
    mkdir -p "$small"
    mount -t tmpfs -o size=20m none "$small" 2>/dev/null || skip "cannot mount (needs root)"
    full() {
        launch "$1" 2
        run -0 "$PAGODA" trace --buffer-bytes 64KiB -o "$small/t" -- "${line[@]}" \
            "$BUILD/programs/$1/trace_stops" threads 0 700 2
        [ "$(grep -o 'stops ok' <<<"$output" | wc -l)" = 2 ] # launchers mix lines
        [[ $output == *"No space left"* ]]
        rm -rf "$small/t"
    }
    one_mpi full
}
