# SPDX-License-Identifier: BSD-3-Clause
# tests/programs/every calls every function of mpi.h; here it gives the same exit status, the same
# output and the same messages with and without the tracer, and all of those calls are in the
# archives.
# shellcheck disable=SC2154,SC2030,SC2031 # variables that trace.bash sets
load trace

setup() {
    # Open MPI 4.1's one-sided communication over RDMA needs what helper.bash has switched off.
    export OMPI_MCA_osc=^rdma,ucx OMPI_MCA_btl_tcp_if_include=lo
    export EVERY_FILE=$BATS_TEST_TMPDIR/data
}

# normalised FILE: without what differs from run to run, and without the order of the ranks.
normalised() {
    sed -E -e '/^pagoda: /d' -e '/\[0x[0-9a-f]+\]$/d' -e 's/0x[0-9a-f]+/0x/g' \
        -e 's/^\[[^]:]+:[0-9]+\]/[HOST:PID]/' -e 's/PID [0-9]+ RUNNING AT .*/PID RUNNING AT HOST/' \
        -e 's/\[\[[0-9]+,([0-9]+)\],/[[JOB,\1],/' -e 's/by process \[[0-9]+,/by process [JOB,/' \
        -e 's/Abort\([0-9]{4,}\)/Abort(CODE)/' -e "s/$HOSTNAME/HOST/g" "$1" | sort
}

# remember MPI: the MPI functions that were entered in the last traced run, for the last test.
remember() {
    local archive
    for archive in "$dir"/traces.otf2 "$dir"/run-*/traces.otf2; do
        [ ! -e "$archive" ] || otf2-print "$archive" || return 1
    done | awk '$1 == "ENTER" && match($0, /"MPIX?_[A-Za-z0-9_]+"/) {
        print substr($0, RSTART + 1, RLENGTH - 2) }' | sort -u >>"$BATS_FILE_TMPDIR/called-$1"
}

# compare MPI N ARGUMENTS...: `every` with and without the tracer.
compare() {
    local mpi=$1 n=$2
    shift 2
    launch "$mpi" "$n"
    plain_status=0
    timeout -k 5 300 "${line[@]}" "$BUILD/programs/$mpi/every" "$@" \
        >"$BATS_TEST_TMPDIR/plain-out" 2>"$BATS_TEST_TMPDIR/plain-err" || plain_status=$?
    traced "$mpi" "$n" every "$@"
    echo "$mpi $*: $plain_status untraced, $status traced"
    normalised "$BATS_TEST_TMPDIR/plain-err" >"$BATS_TEST_TMPDIR/plain-err.normalised"
    normalised "$err" >"$err.normalised"
    [ "$status" = "$plain_status" ] && diff "$BATS_TEST_TMPDIR/plain-out" "$out" &&
        diff "$BATS_TEST_TMPDIR/plain-err.normalised" "$err.normalised"
}

# works MPI N CHAPTERS...: the results are right, and the archive is complete and can be read.
works() {
    local mpi=$1
    compare "$@"
    grep -v FAILED "$out" | diff - "$out"
    [ "$status" = 0 ]
    [ "$(tail -n 1 "$out")" = "every: ok" ]
    [ "$(messages | wc -l)" = 1 ]
    check_archive "$dir" messages # MPICH gives a message that was cut off another size
    "$PAGODA" replay "$dir" >/dev/null 2>"$BATS_TEST_TMPDIR/replay"
    remember "$mpi"
}

chapters() {
    works "$1" 2 all
    works "$1" 3 communicators topologies
    works "$1" 4 neighbours neighbours_large
    works "$1" 2 --thread environment p2p requests
}

@test "every function: the same results, output and messages" { for_each_mpi chapters; }

# ends MPI N CALL: the run ends the same way. Which rank's end a launcher takes for the whole is a
# race when it kills the others, and either MPI's last words may be lost then, so the traced run has
# to end in one of the ways in which untraced ones do, and one of the traced runs has to say why.
ends() {
    local mpi=$1 n=$2 call=$3 plain_end traced_end traced plain_seen=" " traced_seen=()
    local alike="" said=""
    for _ in {1..30}; do
        ! compare "$mpi" "$n" --fatal "$call" || alike=yes
        [ ! -s "$err.normalised" ] || said=yes
        plain_end=$(cat "$BATS_TEST_TMPDIR"/plain-{out,err.normalised} | md5sum)
        traced_end=$(cat "$out" "$err.normalised" | md5sum)
        plain_seen+="$plain_status $plain_end "
        traced_seen+=("$status $traced_end")
        for traced in "${traced_seen[@]}"; do
            [[ $plain_seen != *" $traced "* ]] || alike=yes
        done
        [ "$alike$said" != yesyes ] || break
    done
    [ "$alike$said" = yesyes ]
    [ "$status" != 0 ]
    check_archive "$dir" messages collectives open-requests
    remember "$mpi"
}

endings() {
    local call
    for call in abort invalid-rank truncated truncated-waitall null-communicator null-message \
        abort-in-handler; do
        ends "$1" 2 "$call"
    done
    [ "$1" = mpich ] || return 0
    for call in comm-agree comm-shrink comm-revoke comm-failure-ack comm-failure-get-acked; do
        ends "$1" 1 "$call"
    done
}

@test "errors that end the run: the same exit status and messages" { for_each_mpi endings; }

jumps() {
    traced "$1" 2 trace_jump
    [ "$status" = 0 ]
    [ "$(cat "$out")" = "3 errors" ]
    events_of "$dir" >"$BATS_TEST_TMPDIR/events"
    [ "$(count '^1 Enter MPI_Send$' "$BATS_TEST_TMPDIR/events")" = 3 ]
    [ "$(count '^1 Enter MPI_Barrier$' "$BATS_TEST_TMPDIR/events")" = 1 ]
    [ "$(count '^1 Leave MPI_Finalize$' "$BATS_TEST_TMPDIR/events")" = 1 ]
}

@test "an error handler that jumps out of the call: what follows is recorded" { for_each_mpi jumps; }

# tests/mpi/not-called lists the functions of mpi.h that are not called, and why. No name in it may
# be called all the same.
covered() {
    [ "$1" != mpi_abi ] || return 0 # some chapters have functions that not every library has
    local names=$BUILD/tracer/$1/names
    sort -u "$BATS_FILE_TMPDIR/called-$1" | comm -13 - <(LC_ALL=C sort "$names") \
        >"$BATS_TEST_TMPDIR/missing"
    awk -v mpi="$1" '$1 == mpi { print $2 }' "$ROOT/tests/mpi/not-called" | sort |
        diff - "$BATS_TEST_TMPDIR/missing"
}

# Memory that is freed goes back to the system at once, so that using it ends the program.
many_places() {
    GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4096 traced "$1" 2 every all
    [ "$status" = 0 ]
    check_archive "$dir" messages
}

@test "hundreds of places that call MPI" { one_mpi many_places; }

@test "every function of mpi.h was called and recorded, but for the listed ones" {
    [ -e "$BATS_FILE_TMPDIR/called-mpich" ] || skip "needs the tests before it"
    export LC_ALL=C
    for_each_mpi covered
}
