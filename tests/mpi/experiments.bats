# SPDX-License-Identifier: BSD-3-Clause
# The studies of pagoda-experiments(7) and pagoda-tutorial(7): the commands printed there are run as they
# stand, with real runs, and show what the pages say.
load ../helper

setup() {
    local mpi=openmpi
    has_mpi $mpi || mpi=mpich
    has_mpi $mpi || skip "there is no MPI"
    unset "${!PAGODA_@}"
    cp "$ROOT"/tests/studies/*.c "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR" || return
    mkdir bin
    ln -s "$(command -v mpicc.$mpi)" bin/mpicc
    ln -s "$(command -v mpirun.$mpi)" bin/mpirun
    PATH=$PWD/bin:$PATH
}

# page NAME: runs the block NAME of the pages.
page() {
    awk -v wanted=".\\\\\" run: $1" '$0 == wanted { found = 1; next }
        found && /^\.Bd/ { inside = 1; next }
        found && /^\.Ed/ { exit }
        inside { gsub(/\\e/, "\\"); print }' "$ROOT"/man/pagoda-{experiments,tutorial}.7 >"$1.sh"
    [ -s "$1.sh" ]
    run -0 timeout -k 5 300 bash -eu "$1.sh"
}

# shows TEXT: a line of the output has it, whatever the blanks.
shows() {
    tr -s ' ' <<<"$output" | grep -qE -- "$1"
}

@test "two ways to communicate" {
    page ns
    [[ $output == *"2 of 2 points stored in runs.db, 2 of them now"* ]]
    # Both print the same.
    cmp runs.sweep/ns/version=1/stdout runs.sweep/ns/version=2/stdout
    page ns-structure
    for name in main ns3d transpose; do shows "^ 3 in all $name\$"; done
    for name in strip strip_send strip_receive MPI_Send MPI_Recv pair; do
        shows "^ 1 only in 1 $name\$"
    done
    for name in exchange MPI_Alltoall; do shows "^ 2 only in 2 $name\$"; done
    # What the page prints is what comes out.
    awk '/^\/CallPath: 19/ { inside = 1 } /^\.Ed/ { inside = 0 } inside' \
        "$ROOT/man/pagoda-experiments.7" >printed
    [ "$(wc -l <printed)" = 12 ]
    diff printed <(grep -A 11 '^/CallPath: ' <<<"$output")
    page ns-difference
    shows "^ 3 in all exchange\$"
    shows "ns/ns/version=1"
    [ "$(tr -s ' ' <<<"$output" | grep -cE 'only in 1 strip$')" = 0 ]
    shows "^From the top down"
}

@test "three versions in a row" {
    page fold
    [[ $output == *"3 of 3 points stored in runs.db, 3 of them now"* ]]
    [ "$(cat runs.sweep/fold/*/stdout | sort -u | wc -l)" = 1 ]
    page fold-query
    shows "version=1 1 /Process/0 visits 48 calls"
    [ "$(grep -cE 'version=[23] .*visits +12 ' <<<"$output")" = 8 ]
    shows "version=1 1 /CallPath/main/generate_all/MPI_Bcast late-broadcast.wait_ns"
    [ "$(grep -c 'late-broadcast.wait_ns' <<<"$output")" = 1 ]
    page fold-difference
    [ "$(grep -c '^From the top down' <<<"$output")" = 2 ]
    page fold-checkpoint
    [[ $output == *"2 of 3 points stored in runs.db, 2 of them now; 1 not run"* ]]
}

@test "a growing problem on a growing machine" {
    page ocean
    [[ $output == *"5 of 6 points stored in runs.db, 5 of them now; 1 skipped as impossible"* ]]
    shows "^ ocean ocean skipped n=4,size=64 n == 4 && size < 100\$"
    [ "$(cat runs.sweep/ocean/*size=256/stdout | sort -u | wc -l)" = 1 ]
    page ocean-scaling
    [ "$(grep -cE 'n=[124],size=256 .*exclusive_ns' <<<"$output")" = 3 ]
    # 40 steps of two rows of 4 bytes between each two neighbours.
    shows "n=4,size=256 4 256 message_bytes 245760 bytes\$"
    page ocean-difference
    grep -A 4 '^/Process: ' <<<"$output" | tr -s ' ' >processes
    grep -qx ' 6 only in 2, 4 1' processes
    grep -qx ' 4 only in 4 2' processes
    grep -qx ' 4 only in 4 3' processes
}

@test "the tutorial" {
    # On a busy machine other ranks wait, and other changes pay off.
    page tutorial-trace
    [[ $output == *"2 ranks, "*" events in run1"* ]]
    page tutorial-replay
    shows '^ Efficiency .* = load balance '
    shows '^ Wait at N x N: '
    shows '^ delayed by '
    shows '^ call paths main/sum_up/MPI_Allreduce at fold.c:79 100.0 %$'
    page tutorial-advise
    shows '^ pagoda replay run1 --'
    page tutorial-whatif
    shows '^ What if --balance steps$'
    shows '^ Predicted .* \(-[0-9.]+ %\)'
    page tutorial-check
    shows '^run time .* -> '
    shows ' wait-at-nxn$'
}
