# SPDX-License-Identifier: BSD-3-Clause
# pagoda advise leaves out what bounds say cannot come to the top: on every hand-made trace the list is
# that of --exhaustive, which replays everything. It has the remedies of the findings that replay prints.
load ../helper
load ../advice

# agree_on FOLDER: on all traces of tests/traces/FOLDER that are not refused; with sanitizers, on each third.
agree_on() {
    local file i n=0 step files=("$ROOT/tests/traces/$1"/*.txt)
    step=$(cases 1 3)
    for ((i = 0; i < ${#files[@]}; i += step)); do
        file=${files[i]}
        "$BUILD/tools/mktrace" "$file" trace 2>/dev/null || continue
        if agree 10 trace; then
            n=$((n + 1))
        fi
        rm -rf trace
        [ ! -e differs ] || echo "on $file"
        [ ! -e differs ]
    done
    [ "$n" -gt 0 ]
}

# remedies_of FOLDER LEAST: at least so many remedies of findings in its traces are lines of advice; with
# sanitizers each third trace.
remedies_of() {
    local file i n_remedies=0 step files=("$ROOT/tests/traces/$1"/*.txt)
    step=$(cases 1 3)
    for ((i = 0; i < ${#files[@]}; i += step)); do
        "$BUILD/tools/mktrace" "${files[i]}" trace 2>/dev/null || continue
        same_remedies trace || true
        rm -rf trace
        [ ! -e differs ] || { echo "on ${files[i]}" && false; }
    done
    echo "$n_remedies remedies" && [ $((n_remedies * step)) -ge "$2" ]
}

@test "each remedy of a finding is a line of advice with the same gain: examples of advice" { remedies_of advise 5; }

@test "each remedy of a finding is a line of advice with the same gain: examples of replay" { remedies_of replay 5; }

@test "each remedy of a finding is a line of advice with the same gain: wait states" { remedies_of patterns 5; }

@test "each remedy of a finding is a line of advice with the same gain: predictions" { remedies_of whatif 5; }

@test "pruned lists are those of --exhaustive: examples of advice" { agree_on advise; }

@test "pruned lists are those of --exhaustive: traces of the engine" { agree_on engine; }

@test "pruned lists are those of --exhaustive: traces of predictions" { agree_on whatif; }

@test "pruned lists are those of --exhaustive: other targets" {
    for trace in late pairs; do
        "$BUILD/tools/mktrace" "$ROOT/tests/traces/advise/$trace.txt" "$trace"
        agree 10 "$trace" --nodes 1 --cores 2 --wait spin
    done
    agree 10 late --nodes 2 --machine "$ROOT/tests/traces/advise/network.xml"
    agree 10 late --nodes 1 --cores 1
    [ ! -e differs ]
}

@test "what a look ahead moves in memory is not read after that, so threads change nothing" {
    # Longer than a batch: rank 0 receives, some steps behind the others.
    awk 'BEGIN {
        for (i = 0; i < 3000; i++) {
            t = 1000 + 4000 * i
            for (r = 1; r < 4; r++) {
                print r, t, "enter work"; print r, t + 500 + 10 * r, "leave work"
                print r, t + 600, "enter MPI_Send"; print r, t + 650, "send world 0 0 8"
                print r, t + 900, "leave MPI_Send"
                u = 80000 + t + 400 * r
                print 0, u, "enter MPI_Recv"; print 0, u + 200, "recv world " r " 0 8"
                print 0, u + 300, "leave MPI_Recv"
            }
        } }' | LC_ALL=C sort -s -k2,2n >long.txt
    { printf 'nodes n n n n\ncores n 4\n'; for r in 0 1 2 3; do echo "$r 0 enter main"; done; cat long.txt
      for r in 0 1 2 3; do echo "$r 99999999 leave main"; done; } >trace.txt
    "$BUILD/tools/mktrace" trace.txt trace
    "$PAGODA" replay trace --json --overlap main/MPI_Recv >any
    taskset -c "$(first_cores 1)" \
        "$PAGODA" replay trace --json --overlap main/MPI_Recv >one
    cmp any one
    jq -e '.whatif.overlapped_calls > 1000' one
}
