# SPDX-License-Identifier: BSD-3-Clause
# pagoda advise on recorded runs of the example programs: what it leaves out would not have come to the
# top, as tests/cli/advise_all.bats has it for traces made by hand.
load ../helper
load ../advice

# Sizes at which computing is a part of the run that is worth advice.
size_of() {
    case $1 in
    coast) echo --size 128 --steps 12 ;;
    ep) echo --size 18 --iterations 3 --skew 100 ;;
    irk) echo --size 4000 --steps 2 --stages 2 --iterations 3 --reach 20 ;;
    is) echo --size 17 --iterations 2 ;;
    joinserver) echo --tuples 4000 --work 20 ;;
    kth) echo --size 300 --k 20 --rounds 5 ;;
    masterworker) echo --tasks 40 --work 300 ;;
    mg) echo --size 32 --iterations 2 ;;
    pingpong) echo --max-size 3000 --iterations 4 ;;
    spa) echo --requests 30 --busy1 53 --busy2 73 --dispatch 36 --think 10 ;;
    sweep) echo --size 24 --iterations 3 --block 4 ;;
    tsp) echo --size 10 ;;
    workers) echo --steps 2 --heavy 2000 --light 500 ;;
    *) echo "no size for $1" >&2 && false ;;
    esac
}

# agree_on MPI PROGRAM...: with their functions as regions, so that there is much to choose from.
agree_on() {
    local mpi=$1 program options n
    has_mpi "$mpi" || skip "no $mpi"
    shift
    for program; do
        read -ra options < <(size_of "$program")
        rm -rf trace
        "$PAGODA" trace -o trace -- "mpirun.$mpi" -n 2 "$BUILD/programs/$mpi-regions/$program" \
            "${options[@]}" >trace.out 2>trace.err </dev/null || { cat trace.err && false; }
        for n in 2 10; do
            agree $n trace
            [ ! -e differs ] || { echo "$program, the first $n" && cat pruned && false; }
        done
    done
}

@test "pruned lists are those of --exhaustive: Open MPI, servers and farms" {
    agree_on openmpi joinserver masterworker pingpong spa tsp
}

@test "pruned lists are those of --exhaustive: Open MPI, solvers" { agree_on openmpi coast irk mg sweep workers; }

@test "pruned lists are those of --exhaustive: Open MPI, collective operations" {
    agree_on openmpi ep is kth
}

@test "pruned lists are those of --exhaustive: MPICH" {
    agree_on mpich coast ep irk masterworker mg spa sweep
}

@test "each example program is here" {
    local file
    for file in "$ROOT"/tests/programs/*.c; do
        [[ $(basename "$file" .c) == @(trace_*|ends) ]] || size_of "$(basename "$file" .c)"
    done
}
