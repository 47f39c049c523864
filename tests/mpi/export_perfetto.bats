# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format perfetto of real runs, event by event against what the OTF2 library reads from the archive.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
load trace

viewer() {
    "$ROOT/tests/cli/perfetto.py" "$@"
}

# shown MPI PROGRAM: 3 ranks of the program, with recorded functions, in one file and in several.
shown() {
    cd "$BATS_TEST_TMPDIR" || return
    traced "$1" 3 "../$1-regions/$2"
    [ "$status" = 0 ]
    rm -f run*.pftrace part*.pftrace
    "$PAGODA" export "$dir" -o run.pftrace --format perfetto
    viewer archive "$dir/traces.otf2" run.pftrace
    "$PAGODA" explain --json >names.json
    "$PAGODA" replay --json "$dir" >report.json
    viewer report report.json run.pftrace <names.json
    "$PAGODA" export "$dir" -o part.pftrace --format perfetto --perfetto-bytes 40000
    [ -e part.2.pftrace ]
    viewer list run.pftrace >whole.list
    mapfile -t parts < <(printf '%s\n' part.*.pftrace | sort -V)
    viewer list part.pftrace "${parts[@]}" | cmp - whole.list
}

phases() { shown "$1" trace_phases; }
farm() { shown "$1" masterworker; }

@test "phases of computation and messages, under each MPI" {
    for_each_mpi phases
}

@test "a master with workers, under each MPI" {
    for_each_mpi farm
}

# peak FILE: the memory that the export of an archive needs, in KiB.
peak() {
    /usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PAGODA" export "$1" -o "$1.pftrace" --format perfetto
}

@test "memory does not grow with the length of a run" {
    cd "$BATS_TEST_TMPDIR" || return
    local length
    for length in 4000 40000; do
        awk -v n=$length 'BEGIN {
            for (rank = 0; rank < 2; rank++)
                for (i = 0; i < n; i++) {
                    print rank, 100 * i + (rank ? 10 : 40), "enter", rank ? "MPI_Recv" : "MPI_Send"
                    print rank, 100 * i + 50, rank ? "recv world 0 1 8" : "send world 1 1 8"
                    print rank, 100 * i + 60, "leave", rank ? "MPI_Recv" : "MPI_Send"
                }
        }' >"$length.txt"
        "$BUILD/tools/mktrace" "$length.txt" "run$length"
    done
    local short long
    short=$(peak run4000)
    long=$(peak run40000)
    echo "$short KiB, 10 times longer $long KiB"
    [ $((10 * long)) -le $((11 * short)) ]
}
