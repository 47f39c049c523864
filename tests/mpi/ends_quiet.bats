# SPDX-License-Identifier: BSD-3-Clause
# What the tracer does not do while the program runs: communicate, grow, lose records.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# PMPI functions that send, receive, synchronise or wait. The others look at what is in this process.
communicating='Send|Recv|send|recv|Barrier|Bcast|[Rr]educe|[Gg]ather|[Ss]catter|[Aa]lltoall|[Ss]can'
communicating+='|Comm_(i?dup|create|split|free|accept|connect|spawn|join)|Intercomm|[Pp]robe|Wait|Test(all|any|some)?$'
communicating+='|Win_|File_|Start|Put|Accumulate|Cart_create|Graph_create|Finalize|Init'

own_calls() {
    local counts=$BATS_TEST_TMPDIR/$1-counts library=$BATS_TEST_TMPDIR/$1.so
    mkdir -p "$BATS_TEST_TMPDIR/$1-spool"
    cc -shared -fPIC -O1 -DENTRIES="\"$BUILD/tracer/entries.h\"" -I. -o "$library" \
        "$ROOT/tests/mpi/count_pmpi.c" -ldl
    cp "$ROOT/tests/programs/trace_phases.c" "$BATS_TEST_TMPDIR/phases.c"
    "mpicc.$1" -O1 -o "$BATS_TEST_TMPDIR/$1-phases" "$BATS_TEST_TMPDIR/phases.c" -ldl
    run_mpi "$1" 2 env COUNT_PMPI="$counts" PAGODA_SPOOL="$BATS_TEST_TMPDIR/$1-spool" \
        LD_PRELOAD="$BUILD/libpagoda-trace.so:$library" "$BATS_TEST_TMPDIR/$1-phases"
    cat "$counts"
    # The counting works: there is communication in MPI_Init, and look-ups while the program runs.
    grep -qE '^0 PMPI_(Bcast|Allreduce)' "$counts"
    grep -qE '^1 PMPI_(Type_size|Get_count)' "$counts"
    ! grep '^1 ' "$counts" | grep -E "PMPI_.*($communicating)" || false
}

@test "no communication of the tracer's own between MPI_Init and MPI_Finalize" {
    [ "$(uname -m)" = x86_64 ] || skip "the counting library is for x86-64 only"
    for_each_mpi own_calls
}

# As many windows as fit into $ENDS_MEGABYTES of records (by day 24, by night any number).
long_run() {
    local megabytes=${ENDS_MEGABYTES:-24} spool=$BATS_TEST_TMPDIR/$1-spool out
    mkdir -p "$spool"
    out=$(PAGODA_SPOOL=$spool LD_PRELOAD="$BUILD/libpagoda-trace.so" \
        run_mpi "$1" 1 "$BUILD/programs/$1/trace_calls" fill $((megabytes << 20)))
    echo "growth of resident memory, its peak, heap; resident before: $out KiB"
    read -r resident peak heap before <<<"$out"
    [ "$before" -ge 1024 ]
    recorded=$(du -sm "$spool" | cut -f 1)
    # A window may be there or not at either moment: 1 MiB, and a little for the C library.
    [ "$recorded" -ge $((megabytes * 3 / 4)) ]
    [ "$resident" -le 1536 ]
    [ "$peak" -le 6144 ] # which the kernel does not know as exactly
    [ "$heap" -le 64 ]
    mkdir "$BATS_TEST_TMPDIR/$1"
    mv "$spool" "$BATS_TEST_TMPDIR/$1/spool"
    "$PAGODA" trace --finish "$BATS_TEST_TMPDIR/$1"
    # 20000 steps before, half of them of three calls, then four calls for each 300 bytes.
    calls=$(otf2-print "$BATS_TEST_TMPDIR/$1/traces.otf2" | grep -cE '^ENTER .*"MPI_(Isend|Irecv|Waitall)"')
    steps=$(((megabytes << 20) / 300))
    [ "$calls" = $((30000 + 3 * steps + 1)) ] # and one request that is cancelled
}

@test "memory does not grow with the length of the run, and no call is lost" { for_each_mpi long_run; }
