# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034 # it sets variables for the tests
# For the tests of the tracer: running programs under `pagoda trace` with each MPI, and looking at
# the archives.
[ -z "${BATS_TEST_DIRNAME-}" ] || load ../helper # not for tests/binding-counts

# Not in the repository, whose revision would be asked for with each recording.
cd "${BATS_TEST_TMPDIR:-.}" || return

# for_each_mpi FUNCTION: calls it with the name of each MPI; without one of the first two the test is
# skipped. The third is any library with the binary interface of MPI 5 (tests/mpi-abi).
for_each_mpi() {
    local mpi
    for mpi in openmpi mpich mpi_abi; do
        has_mpi "$mpi" || { [ "$mpi" = mpi_abi ] && return; } || skip "$mpi is not installed"
        echo "# with $mpi"
        "$1" "$mpi"
    done
}

# one_mpi FUNCTION: with one of them, where it has no part in what is tested: the one that starts sooner.
one_mpi() {
    local mpi
    for mpi in mpich openmpi; do
        has_mpi "$mpi" || continue
        echo "# with $mpi"
        "$1" "$mpi"
        return
    done
    skip "neither Open MPI nor MPICH is installed"
}

# launch MPI N: the launcher's part of a launch line, in the array `line`. MPI-regions are the programs with
# instrumented functions.
launch() {
    line=("mpirun.${1%-regions}" -n "$2")
}

# traced MPI N PROGRAM...: runs build/programs/MPI/PROGRAM under the tracer into $dir. Standard
# output goes to $out, standard error to $err, the exit status to $status.
traced() {
    local mpi=$1 n=$2 program=$3
    shift 3
    launch "$mpi" "$n"
    dir=$BATS_TEST_TMPDIR/trace-$mpi
    out=$BATS_TEST_TMPDIR/out
    err=$BATS_TEST_TMPDIR/err
    rm -rf "$dir"
    status=0
    timeout -k 5 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" \
        "$BUILD/programs/$mpi/$program" "$@" >"$out" 2>"$err" || status=$?
}

# untraced MPI N PROGRAM...: the same without the tracer, into $plain_out and $plain_status.
untraced() {
    local mpi=$1 n=$2 program=$3
    shift 3
    launch "$mpi" "$n"
    plain_out=$BATS_TEST_TMPDIR/plain-out
    plain_status=0
    timeout -k 5 300 "${line[@]}" "$BUILD/programs/$mpi/$program" "$@" >"$plain_out" 2>/dev/null ||
        plain_status=$?
}

# read_archive WHAT DIR [WHAT MAY BE WRONG...]: the library's own tool reads it without a word on stderr, into
# the file $printed, and it fulfils what archive.awk knows, which prints WHAT.
printed=${BATS_TEST_TMPDIR-}/printed
read_archive() {
    if ! otf2-print --show-all "$2/traces.otf2" >"$printed" 2>"$printed-errors" || [ -s "$printed-errors" ]; then
        cat "$printed-errors" >&2
        return 1
    fi
    LC_ALL=C awk -v what="$1" -v allowed="${*:3}" -f "$ROOT/tests/mpi/archive.awk" "$printed"
}

# Each checks the archive first: events are "RANK EVENT DETAILS" lines, sites
# "RANK CALL: FUNCTION FILE:LINE, CALLER..." lines.
check_archive() { read_archive check "$@"; }
events_of() { read_archive events "$@"; }
sites_of() { read_archive sites "$@"; }

# For awk: a - b for times in ns of any size, which are more than a double holds after 104 days of a machine.
since='function since(a, b) {
    return (substr(a, 1, length(a) - 9) - substr(b, 1, length(b) - 9)) * 1e9 + substr(a, length(a) - 8) - substr(b, length(b) - 8) }'

# late_sends: lines `RANK NS` of $printed: how long calls in which messages came began before those that sent them,
# of each rank. Messages between two ranks have the order in which they were sent.
late_sends() {
    awk "$since"'
        $1 == "ENTER" { entered[$2] = $3 }
        $1 ~ /^MPI_I?SEND$/ { pair = $2 " " $5; begin[pair, n_sent[pair]++] = entered[$2] }
        $1 ~ /^MPI_I?RECV$/ { pair = $5 " " $2; ns = since(begin[pair, n_received[pair]++], entered[$2])
            if (ns > 0) late[$2] += ns }
        END { for (rank in late) printf "%d %.0f\n", rank, late[rank] }' "$printed" | sort -n
}

# waits_for_sends RANK: the file $replay has these waits of each rank, and of RANK some are.
waits_for_sends() {
    late_sends >"$BATS_TEST_TMPDIR/late"
    cat "$BATS_TEST_TMPDIR/late"
    grep -q "^$1 " "$BATS_TEST_TMPDIR/late"
    jq -r '.patterns[] | select(.id == "late-sender").by_rank[] | "\(.rank) \(.ns)"' "$replay" | sort -n |
        diff "$BATS_TEST_TMPDIR/late" -
}

# messages: what pagoda itself said on stderr in the last traced run, perhaps after a launcher's words
# without an end of line.
messages() {
    grep -o 'pagoda: .*' "$err"
}

# by_rank: the lines `RANKS X` of stdin, one a rank: `0-2 X` there is X of ranks 0 to 2.
by_rank() {
    awk '{ n = split($1, rank, "-"); for (i = rank[1]; i <= rank[n]; i++) { $1 = i; print } }' | sort -s -n -k 1,1
}

# replays_well: a replay of the last traced run warns of nothing, except what depends on the machine. It goes to
# the file $replay.
replay=${BATS_TEST_TMPDIR-}/replay
replays_well() {
    "$PAGODA" replay --json "$dir" >"$replay"
    jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []' "$replay"
}

# has LINE FILE: the line stands in it, as a whole.
has() {
    grep -qxF -- "$1" "$2" || { echo "missing: $1"; return 1; }
}

# count PATTERN FILE: how many lines match.
count() {
    grep -cE -- "$1" "$2" || true
}
