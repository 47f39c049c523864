# SPDX-License-Identifier: BSD-3-Clause
# A program nobody here wrote: HPC Challenge, as packaged.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

@test "HPC Challenge under the tracer: valid results, every message matched" {
    command -v hpcc >/dev/null || skip "hpcc is not installed"
    has_mpi openmpi || skip "openmpi is not installed"
    cd "$BATS_TEST_TMPDIR"
    # The packaged example input with a small problem.
    sed 's/^[0-9]* *Ns$/200 Ns/' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    run -0 timeout -k 5 600 "$PAGODA" trace -o t -- mpirun.openmpi --oversubscribe -n 4 hpcc
    grep -q '^Success=1' hpccoutf.txt
    [ "$(grep -c 'FAILED' hpccoutf.txt)" = 0 ]
    check_archive t
}
