# SPDX-License-Identifier: BSD-3-Clause
# The study of causes itself, with one run of each kind: its figures are not looked at, only that a repaired
# program has the same result, and that what is kept can be judged.
load ../helper

setup() {
    has_mpi openmpi || skip "no Open MPI"
    cd "$BATS_TEST_TMPDIR" || return
}

# study OPTIONS...: what other tests take of the machine meanwhile makes no run worth repeating.
study() {
    timeout -k 5 300 "$ROOT/tests/causes/study" --work "$PWD/work" --runs 1 --tries 1 --busy 1000 "$@"
}

@test "programs in three languages are recorded, and judged without a run" {
    command -v gfortran || skip "no Fortran compiler"
    study --record static_imbalance templates fortran
    [ -e work/templates/regions/traces.otf2 ]
    [ -e work/templates/plain-repaired/traces.otf2 ]
    PATH=/usr/bin study --judge static_imbalance templates fortran >table
    cat table
    [ "$(grep -cE '^(static_imbalance|templates|fortran) +(plain|regions) +(ok|NO) ' table)" = 6 ]
    grep -q '^kind, ranks, place, remedy: [0-9]* of 24, ' table
}

@test "each program of a table is there, and its source marks the cause" {
    for table in truth holdout; do
        sed -n 's/^\[\(.*\)\]$/\1/p' "$ROOT/tests/causes/$table" | grep -vx -e kinds -e DEFAULT >programs
        [ -s programs ]
        while read -r program; do
            grep -Eq '(//|!|#) cause$' "$ROOT/tests/causes/$program".*
        done <programs
    done
}

@test "a program whose repaired variant has another result is refused" {
    mkdir -p build/causes/plain
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho 1 2 >>"$STUDY_WINDOW"\necho result $#\n' >build/causes/plain/sleeping
    chmod +x build/causes/plain/sleeping
    BUILD=$PWD/build run study --record sleeping
    [ "$status" = 1 ]
    [[ $output == *"study: sleeping: result 2 instead of 0"* ]]
}
