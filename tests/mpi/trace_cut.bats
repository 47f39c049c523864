# SPDX-License-Identifier: BSD-3-Clause
# Files of records that are cut from outside, while they are written or read: the program does not
# notice, and a SIGBUS of its own is what it was.
# shellcheck disable=SC2154,SC2317 # variables that trace.bash sets; functions it calls
load trace

setup() { ulimit -c 0; }

@test "while they are written" {
    cut() {
        local n
        for n in 0 65536 70000; do
            traced "$1" 2 trace_cut $n
            cat "$err"
            [ "$status" = 0 ]
            [ "$(cat "$out")" = "cut ok" ]
        done
        # What was recorded before is there, and why it is no more.
        [[ $(cat "$err") == *"stopped recording"*"its file of records was cut"* ]]
        [ "$(otf2-print "$dir/traces.otf2" | grep -c '^ENTER .*"MPI_Comm_rank"')" -gt 10 ]
    }
    for_each_mpi cut
}

@test "other signals SIGBUS of the program stay as they are" {
    stays() {
        local way n
        for way in own fault raise; do
            untraced "$1" 1 trace_cut 0 $way
            for n in 0 65536 70000; do
                traced "$1" 1 trace_cut $n $way
                echo "$n $way: $plain_status untraced, $status traced"
                [ "$status" = "$plain_status" ]
                [ "$(sed '/PID/d' "$out")" = "$(sed '/PID/d' "$plain_out")" ]
            done
        done
    }
    one_mpi stays
}

@test "while they are read: no archive of a part of them, and --finish reads what is left" {
    local t=$BATS_TEST_TMPDIR/t spool=$BATS_TEST_TMPDIR/spool
    mkdir "$spool"
    LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$spool" \
        run_mpi openmpi 1 "$BUILD/programs/openmpi/trace_end" fill 60
    for _ in {1..20}; do # it may be over before the cut
        rm -rf "$t"
        mkdir "$t"
        cp -r "$spool" "$t"
        "$PAGODA" trace --finish "$t" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
        while [ ! -d "$t/traces" ] && kill -0 $!; do
            sleep 0.01
        done
        truncate -c -s 1M "$t/$(cd "$BATS_TEST_TMPDIR" && echo spool/*.spool)"
        status=0
        wait $! || status=$?
        cat "$BATS_TEST_TMPDIR/err"
        [ "$status" = 0 ] || break
    done
    [ "$status" = 1 ]
    [[ $(cat "$BATS_TEST_TMPDIR/err") == *"a file of records was cut while it was read"* ]]
    [ "$(ls "$t")" = spool ]
    "$PAGODA" trace --finish "$t"
    check_archive "$t" messages collectives
}
