# SPDX-License-Identifier: BSD-3-Clause
# Ranks that share a core: their time without it is no computing and no uneven work.
# Quiet: each of two ranks must get half of a core.
load ../helper

# Two ranks of equal work on one core: each has it for half of the time, waiting or not.
share_core() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/$1 core
    core=$(taskset -cp $$ | sed 's/.*: //;s/[-,].*//')
    if [ "$mpi" = openmpi ]; then
        "$PAGODA" trace -o "$dir" -- mpirun.openmpi --oversubscribe --bind-to none -n 2 \
            taskset -c "$core" "$BUILD/programs/openmpi/ep" --size 22 >/dev/null 2>&1
    else
        "$PAGODA" trace -o "$dir" -- mpirun.mpich -n 2 \
            taskset -c "$core" "$BUILD/programs/mpich/ep" --size 22 >/dev/null 2>&1
    fi
    "$PAGODA" replay "$dir" --json >"$dir.json" 2>/dev/null
    jq -e '(.window.no_cpu_ns > 0.5 * .window.useful_ns)
        and (.efficiency | .cpu < 0.75 and .load_balance > 0.7)
        and (.headline | test("^Ranks had no CPU time: .*; 2 ranks shared 1 core"))
        and (.conclusion | contains("First give each rank a core"))
        and ([.critical_path.regions[].region] | index("(without CPU time)") != null)' "$dir.json"
    "$PAGODA" advise "$dir" 2>/dev/null | tr -s ' \n' ' ' | grep -q 'Ranks had no CPU time: .* 2 ranks shared 1 core'
}

@test "two ranks on one core, Open MPI" { share_core openmpi; }

@test "two ranks on one core, MPICH" { share_core mpich; }
