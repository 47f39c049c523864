# SPDX-License-Identifier: BSD-3-Clause
# Predictions of programs that make threads, from what the tracer records of them: with nothing changed the recorded
# run to the nanosecond, and bounds that hold whatever the machine did meanwhile.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

export OMPI_MCA_hwloc_base_binding_policy=none

# workers OPTIONS...: a run of two ranks with instrumented functions in $dir, predicted with nothing changed.
workers() {
    traced "$mpi-regions" 2 workers "$@"
    cat "$err"
    [ "$status" = 0 ]
    is_kept
    jq -e '.whatif.assumptions | map(select(test("keep their recorded times"))) == []' predicted
}

# With nothing changed it is as it was, unless a rank was without a core: then it takes that time anew.
is_kept() {
    predict --cpu-speed 1
    jq -e '.whatif | .predicted_ns == .replayed_ns and (.replayed_ns == .baseline_ns or .lost_ns > 0)' predicted
}

# predict OPTIONS...: its report is in the file predicted.
predict() {
    "$PAGODA" replay --json --all "$@" "$dir" >predicted
    jq -e '.whatif.forced_calls == 0' predicted
}

# saves PART LEAST: what is predicted saves at least LEAST, and no more than PART, of the time of the region
# compute_heavy on both ranks together.
saves() {
    local heavy_ns
    heavy_ns=$("$PAGODA" replay --json --all "$dir" |
        jq '[.profile[] | select(.region == "compute_heavy") | .exclusive_ns] | add')
    jq -e --argjson heavy "$heavy_ns" --argjson part "$1" --argjson least "$2" '.whatif |
        (.baseline_ns - .predicted_ns) as $saved |
        $saved <= $heavy * $part + 1000 and $saved >= $heavy * $least' predicted
}

joins() {
    mpi=$1
    # Both ranks wait for their only thread, and for each other after each step: half the work of both is half of one's.
    workers --steps 3 --threads 1 --heavy 20000
    predict --scale compute_heavy=0.5
    saves 0.5 0.1
    predict --scale compute_heavy=0
    saves 1 0.2
    # Other threads, with nothing to do, wait for the first one, or it for them.
    workers --steps 3 --threads 3 --heavy 10000 --light 10 --meetings 2
    predict --scale compute_heavy=0.5
    saves 0.5 0.1
    workers --steps 3 --threads 2 --heavy 20000 --light 10 --handed 10
    predict --scale compute_heavy=0.5
    saves 0.5 0.1
}

@test "threads that are made and awaited, meet, and wait for a condition" { for_each_mpi joins; }

locks() {
    mpi=$1
    # One after the other has the lock, whatever they do without it.
    workers --steps 3 --threads 2 --heavy 10 --light 10 --locked 10000
    predict --scale compute_heavy=0 --scale compute_light=0
    jq -e '.whatif | .predicted_ns > .baseline_ns * 0.5' predicted
    predict --scale compute_locked=0.5
    jq -e '.whatif | .predicted_ns < .baseline_ns' predicted
}

@test "threads with a lock" { one_mpi locks; }

other() {
    for mode in wait ends errors many early fork; do
        traced "$1" 2 trace_pthreads $mode
        [ "$status" = 0 ]
        is_kept
    done
    traced "$1" 2 hybrid/cxx
    is_kept
}

@test "threads that are cancelled, detached, or outlast MPI, and hundreds: as they were with nothing changed" { one_mpi other; }
