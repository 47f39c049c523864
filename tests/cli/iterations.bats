# SPDX-License-Identifier: BSD-3-Clause
# The iterations of a run: their times, and which of them are odd. iterations.py knows both.
load ../helper

# replayed NAME: the trace of the loop NAME, and whether its replay finds what is in it.
replayed() {
    "$ROOT/tests/cli/iterations.py" write "$1" >"$1.txt"
    "$BUILD/tools/mktrace" "$1.txt" "$1"
    "$PAGODA" replay --json "$1" >"$1.json"
    "$ROOT/tests/cli/iterations.py" check "$1" <"$1.json"
}

@test "a single slow iteration" {
    replayed single
    run "$PAGODA" replay single
    [[ $output == *"Iterations: 60, usually 1.110 us (each is a visit of step, up to step/MPI_Allreduce)"* ]]
    [[ $output == *"3.70  3.000 us  17          rank 2 computes longer in solve"* ]]
    [[ $output == *"  █▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃█▃▃"* ]]
}

@test "slow iterations in the middle" { replayed range; }

@test "slower from one iteration on" { replayed shift; }

@test "slower from one iteration on, after a single very slow one, which is not part of that" { replayed outlier; }

@test "slower and slower" {
    replayed growth
    run "$PAGODA" replay growth
    [[ $output == *"from 32 on  rank 1 computes longer in solve; 3."*" at the end"* ]]
}

@test "all ranks compute longer from iteration to iteration: a finding, though no rank waits" {
    replayed swelling
    jq -e '.findings[0] | .kind == "growing-work" and .ranks == [0, 1, 2] and .region == "solve" and
        .remedies[0].words == "--duration solve=1us"' swelling.json
    jq -e '.findings[0].loss_ns == 3 * .iterations.odd[0].lost_ns' swelling.json
}

@test "each tenth iteration is slow, on all ranks" {
    replayed periodic
    says "10, 20, ... 60  all ranks compute longer in solve" "$PAGODA" replay periodic
}

@test "a loop without odd iterations" { replayed even; }

@test "without recorded functions: by the calls after the computing" { replayed sites; }

@test "many iterations: neighbours are one item, totals are exact" { replayed many; }

@test "three iterations are no loop" { replayed short; }

@test "calls that repeat in next to none of the run are no loop" { replayed apart; }

@test "the output depends neither on locale nor on threads" {
    replayed range
    LC_ALL=C "$PAGODA" replay --threads 1 range >one
    LC_ALL=C.UTF-8 "$PAGODA" replay --threads 4 range >four
    cmp one four
}

@test "an iteration that is longer because the first thread waits for another one" {
    {
        printf 'location 0.1\nregion parallel a.c:10 openmp "!$omp parallel @a.c:10"\n'
        printf 'region barrier a.c:20 openmp "!$omp implicit barrier @a.c:20"\n0 0 enter main\n'
        now=0
        for i in {1..40}; do
            end=$((now + 1000 + (i == 30) * 4000))
            printf '0 %s\n' "$now fork 2" "$now team-begin world" "$now enter parallel" \
                "$((now + 900)) enter barrier" "$end leave barrier" "$end leave parallel" "$end team-end world" \
                "$end join" "$end enter MPI_Comm_rank" "$((end + 10)) leave MPI_Comm_rank"
            printf '0.1 %s\n' "$now team-begin world" "$now enter parallel" "$end enter barrier" \
                "$end leave barrier" "$end leave parallel" "$end team-end world"
            now=$((end + 10))
        done
        echo "0 $now leave main"
    } >slow.txt
    "$BUILD/tools/mktrace" slow.txt slow
    run "$PAGODA" replay slow
    [[ $output == *"30          rank 0 waits longer for its other threads in !\$omp implicit barrier"* ]]
}
