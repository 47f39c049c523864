# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --group: ranks that a component has to spare, against runs without them.
# Quiet: steps of 30 ms must not take longer for other programs' work.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

@test "a phase is as fast without the ranks that it has to spare, and slower without one more" {
    has_mpi openmpi || skip "Open MPI is not installed"
    local program=$BUILD/programs/openmpi-regions/trace_components n full spare more
    launch openmpi 5
    "$PAGODA" trace -o run -- "${line[@]}" "$program" >times5
    "$PAGODA" replay --json --group 0,1-4 --interval observe --interval analyse run |
        jq -c '[.intervals[] | [.limiting, .spare_ranks]]' >limits
    diff - limits <<<'[["rank 0",2],["ranks 1-4",0]]'
    for n in 3 2; do
        launch openmpi $n
        "${line[@]}" "$program" >times$n
    done
    # Shortest times of a step, in us.
    head times?
    read -r full _ <times5
    read -r spare _ <times3
    read -r more _ <times2
    ((spare * 100 < full * 115 && more * 100 > full * 140))
    # Of the second phase none was to spare.
    read -r _ full <times5
    read -r _ spare <times3
    ((spare * 100 > full * 150))
}
