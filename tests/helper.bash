# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Loaded by the .bats files (`load ../helper`): sets what tests/run sets, so that a file can be run
# by `bats tests/cli/x.bats` too. Scratch files go to $BATS_TEST_TMPDIR.

ROOT=$(cd "${BATS_TEST_DIRNAME:?}/../.." && pwd)
export ROOT
export BUILD="${BUILD:-$ROOT/build}"
export PAGODA="$BUILD/pagoda"
export PATH="$BUILD:$PATH"
export LC_ALL="${LC_ALL:-C.UTF-8}" NO_COLOR=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none

# has_mpi openmpi|mpich: is it there, and its example programs built?
has_mpi() {
    command -v "mpirun.$1" >/dev/null && [ -d "$BUILD/programs/$1" ]
}

# first_core: the number of one that may be used; a container need not have core 0.
first_core() {
    taskset -pc $$ | sed 's/.*: //; s/[^0-9].*//'
}

# run_mpi openmpi|mpich N PROGRAM...: as mpirun -n N, with a time limit.
run_mpi() {
    local mpi=$1 n=$2
    shift 2
    if [ "$mpi" = openmpi ]; then
        timeout -k 5 300 mpirun.openmpi --oversubscribe -n "$n" "$@"
    else
        timeout -k 5 300 mpirun.mpich -n "$n" "$@"
    fi
}

# ends_row NAME: one row of the table of ends, under each MPI.
ends_row() {
    run "$ROOT/tests/ends" "$1"
    echo "$output"
    [ "$status" != 77 ] || skip "there is no MPI"
    [ "$status" = 0 ]
}
