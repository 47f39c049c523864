# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format perfetto, prv and ti of real runs, event by event against what the OTF2 library reads from the
# archive.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

viewer() { "$ROOT/tests/cli/perfetto.py" "$@"; }

# shown MPI PROGRAM: 3 ranks of the program, with recorded functions, in one file and in several.
shown() {
    cd "$BATS_TEST_TMPDIR" || return
    traced "$1" 3 "../$1-regions/$2"
    [ "$status" = 0 ]
    rm -f run*.pftrace part*.pftrace
    "$PAGODA" export "$dir" -o run.pftrace --format perfetto
    viewer archive "$dir/traces.otf2" run.pftrace
    "$PAGODA" export "$dir" -o run.prv --format prv
    "$ROOT/tests/cli/paraver.py" archive "$dir/traces.otf2" run.prv
    "$PAGODA" export "$dir" -o run.ti --format ti
    "$ROOT/tests/cli/simgrid.py" run.ti "$dir/traces.otf2"
    "$PAGODA" explain --json >names.json
    "$PAGODA" replay --json "$dir" >report.json
    viewer report report.json run.pftrace <names.json
    "$PAGODA" export "$dir" -o part.pftrace --format perfetto --split 40000
    [ -e part.2.pftrace ]
    viewer list run.pftrace >whole.list
    mapfile -t parts < <(printf '%s\n' part.*.pftrace | sort -V)
    viewer list part.pftrace "${parts[@]}" | cmp - whole.list
}

# threads MPI: of a hybrid program, whose threads have rows in the page as well.
threads() {
    cd "$BATS_TEST_TMPDIR" || return
    OMP_NUM_THREADS=3 traced "$1" 2 hybrid/gcc
    [ "$status" = 0 ]
    rm -f run.*
    "$PAGODA" export "$dir" -o run.prv --format prv
    "$ROOT/tests/cli/paraver.py" archive "$dir/traces.otf2" run.prv
    "$PAGODA" export "$dir" -o run.html
    # What their rows show of each kind is what the spans of the threads are.
    "$ROOT/tests/cli/run_page.py" run.html - measured >threads
    [ "$(grep -c ': computing' threads)" = 6 ]
    run ! grep ' idle 0$' <(grep -v 'Master' threads)
}

phases() { shown "$1" trace_phases; }
farm() { shown "$1" masterworker; }

# opened MPI: the pages of two real runs, of one with a prediction, in a browser.
opened() {
    cd "$BATS_TEST_TMPDIR" || return
    command -v chromium-headless-shell >/dev/null || skip "there is no chromium-headless-shell"
    mkdir -p runs/phases runs/hybrid
    traced "$1" 3 "../$1-regions/trace_phases"
    mv "$dir"/* runs/phases
    OMP_NUM_THREADS=2 traced "$1" 2 hybrid/gcc
    mv "$dir"/* runs/hybrid
    PAGES=$PWD/pages PICTURES=no "$ROOT/tests/check-pages" runs
    PAGES=$PWD/pages PICTURES=no "$ROOT/tests/check-pages" runs/phases --cpu-speed 2
}

@test "pages of real runs and of a prediction, in a browser" { one_mpi opened; }

@test "phases of computation and messages, under each MPI" { for_each_mpi phases; }

@test "threads of a hybrid program" { one_mpi threads; }

@test "a master with workers" { one_mpi farm; }

# peak FILE FORMAT: the memory that the export of an archive needs, in KiB.
peak() {
    /usr/bin/python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$PAGODA" export "$1" -o "$1.out" --format "$2"
}

@test "memory does not grow with the length of a run" {
    cd "$BATS_TEST_TMPDIR" || return
    local length format
    for length in 8000 80000; do
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
    for format in perfetto prv ti; do
        short=$(peak run8000 "$format")
        long=$(peak run80000 "$format")
        echo "$format: $short KiB, 10 times longer $long KiB"
        [ $((10 * long)) -le $((11 * short)) ]
    done
}
