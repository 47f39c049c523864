# SPDX-License-Identifier: BSD-3-Clause
# Fortran by mpif.h, `use mpi` and `use mpi_f08`: each MPI call is recorded once, and as in C.
# shellcheck disable=SC2154 # variables that bindings.bash sets
load trace
load bindings

setup() { command -v gfortran >/dev/null || skip "gfortran is not installed"; }

# Messages and collective operations of an archive, without an order; handles have no number there.
details() {
    events_of "$1" | grep -v -e Metric -e ProgramBegin -e ' Enter ' -e ' Leave ' | LC_ALL=C sort
}

fortran() {
    [ "$1" != mpi_abi ] || return 0 # it is an interface of C
    local binding=$2 c=$BATS_FILE_TMPDIR/$1 # once for all tests
    as_in_the_source "$1" "$binding"
    if [ ! -e "$c" ]; then
        mkdir "$c"
        run_traced "$1" c "$c"
        details "$c/trace" >"$c/details"
    fi
    details "$dir/trace" | diff "$c/details" -
    [ "$(wc -l <"$c/details")" -gt 500 ]
}

mpif_h() {
    fortran "$1" mpif_h
}

@test "mpif.h: the calls of the source, and the messages and collectives of C" { for_each_mpi mpif_h; }

use_mpi() {
    fortran "$1" mpi
}

@test "use mpi: the calls of the source, and the messages and collectives of C" { for_each_mpi use_mpi; }

use_mpi_f08() {
    fortran "$1" mpi_f08
}

@test "use mpi_f08: the calls of the source, and the messages and collectives of C" {
    for_each_mpi use_mpi_f08
}
