# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm: srun and batch jobs, what they hand on, and how they end.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

setup_file() {
    local status=0
    unset "${!SLURM_@}" "${!SBATCH_@}"
    "$ROOT/tests/slurm" start "$BATS_FILE_TMPDIR/slurm" || status=$?
    [ "$status" != 77 ] || skip "Slurm is not installed, or the user is not root"
    [ "$status" = 0 ]
    export SLURM_CONF=$BATS_FILE_TMPDIR/slurm/slurm.conf
    export OMPI_MCA_mpi_yield_when_idle=1 # srun does not tell Open MPI that cores are shared
}

teardown_file() {
    [ ! -e "$BATS_FILE_TMPDIR/slurm" ] || "$ROOT/tests/slurm" stop "$BATS_FILE_TMPDIR/slurm"
}

# srun_line MPI N: the launcher's part of a launch line, in the array `line`.
srun_line() {
    line=(srun --mpi=pmix -n "$2")
    [ "$1" = openmpi ] || line=(srun --mpi=pmi2 -n "$2")
}

# by_srun MPI COMMAND...: under the tracer into $dir, as `traced` does, with 4 ranks.
by_srun() {
    local mpi=$1
    shift
    srun_line "$mpi" 4
    dir=$BATS_TEST_TMPDIR/trace-$mpi
    err=$BATS_TEST_TMPDIR/err
    rm -rf "$dir"
    status=0
    timeout -k 5 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" "$@" >"$BATS_TEST_TMPDIR/out" \
        2>"$err" || status=$?
    cat "$err"
}

# ranks_in DIR: how many there are.
ranks_in() {
    "$PAGODA" replay --json "$1" 2>/dev/null | jq .trace.ranks
}

# property DIR NAME: its value.
property() {
    otf2-print -I "$1/traces.otf2" | sed 's/  */ /g' | grep -A1 "^ *Property name $2\$" |
        sed -n 's/^ *Property value //p'
}

# await COMMAND...: until it succeeds, 300 s at most.
await() {
    local until=$((SECONDS + 300))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || { echo "waited in vain for: $*"; return 1; }
        sleep 0.05
    done
}

# submit NAME TASKS LINE...: a batch job with these lines, its output in $job.out; when all of them
# have run, there is $job.end. Its number is in $id.
submit() {
    local n_tasks=$2
    job=$BATS_TEST_TMPDIR/$1
    shift 2
    printf '%s\n' '#!/bin/bash' "$@" "echo all >$job.new" "mv $job.new $job.end" >"$job.sh"
    id=$(sbatch --parsable -n "$n_tasks" "${sbatch_options[@]}" -o "$job.out" "$job.sh")
}
sbatch_options=()

is_over() { [ -z "$(squeue -h -j "$id" -o %i 2>/dev/null)" ]; }

@test "srun: all ranks in one archive, the facts of the job" {
    by_srun_alone() {
        by_srun "$1" "$BUILD/programs/$1/trace_end"
        [ "$status" = 0 ]
        [ "$(cat "$BATS_TEST_TMPDIR/out")" = running ]
        [[ $(messages) == "pagoda: 4 ranks, "*"; next: pagoda replay "* ]]
        check_archive "$dir"
        [ "$(ranks_in "$dir")" = 4 ]
        [ ! -e "$dir/run-2" ]
        [ "$(property "$dir" PAGODA::ENV::SLURM_NTASKS)" = 4 ]
        [ "$(property "$dir" PAGODA::ENV::SLURM_JOB_NUM_NODES)" = 1 ]
        [ "$(property "$dir" PAGODA::ENV::SLURM_CLUSTER_NAME)" = pagoda ]
        [ "$(property "$dir" PAGODA::ENV::SLURM_JOB_PARTITION)" = test ]
        [[ $(property "$dir" PAGODA::ENV::SLURM_JOB_ID) =~ ^[0-9]+$ ]]
    }
    for_each_mpi by_srun_alone
}

@test "srun of a program that fails, by its exit status, by a signal, before MPI_Init" {
    fails() {
        by_srun "$1" "$BUILD/programs/$1/trace_end" exit 3
        [ "$status" = 3 ]
        check_archive "$dir"
        by_srun "$1" -K1 "$BUILD/programs/$1/trace_end" kill 9
        [ "$status" = 137 ] || [ "$status" = 143 ] # srun ended the others
        [ "$(ranks_in "$dir")" = 4 ]
        by_srun "$1" "$BUILD/programs/$1/trace_end" no-init 5
        [ "$status" = 5 ]
        [[ $(messages) == *"failed before any process called MPI_Init" ]]
        [ ! -e "$dir" ]
    }
    for_each_mpi fails
}

@test "srun: two programs, options with values named like commands, tools in between" {
    cd "$BATS_TEST_TMPDIR"
    odd_lines() {
        local program=$BUILD/programs/$1/trace_end
        srun_line "$1" 2
        run -0 timeout -k 5 300 "$PAGODA" trace -- "${line[@]}" -p test --job-name sleep \
            env A=1 taskset -c "$(first_cores 1)" "$program"
        check_archive "$(echo pagoda-trace_end-*)"
        [ "$(property "$(echo pagoda-trace_end-*)" PAGODA::ENV::SLURM_JOB_NAME)" = sleep ]
        rm -r pagoda-trace_end-*
        # Ranks of two programs in one step.
        printf '%s\n' "0 $program" "1-3 $BUILD/programs/$1-regions/trace_end" >two
        by_srun "$1" --multi-prog two
        [ "$status" = 0 ]
        check_archive "$dir"
        [ "$(ranks_in "$dir")" = 4 ]
    }
    for_each_mpi odd_lines
}

@test "srun that exports chosen variables only" {
    exports() {
        by_srun "$1" --export=NONE "$BUILD/programs/$1/trace_end"
        [ "$status" = 0 ]
        [ "$(ranks_in "$dir")" = 4 ]
        SLURM_EXPORT_ENV=PATH by_srun "$1" "$BUILD/programs/$1/trace_end"
        [ "$status" = 0 ]
        [ "$(ranks_in "$dir")" = 4 ]
    }
    for_each_mpi exports
}

@test "srun with another MPI's --mpi: runs of one rank, and what to do" {
    has_mpi mpich || skip "mpich is not installed"
    run -0 timeout -k 5 300 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/t" -- srun --mpi=none -n 2 \
        "$BUILD/programs/mpich/trace_end"
    [[ $output == *"pagoda: 1 rank, "*"(1 more MPI run in run-2; for one run of all ranks srun needs the --mpi= "* ]]
}

@test "a batch job with srun and mpirun of each MPI" {
    local lines=() mpi
    traces() {
        srun_line "$1" 4
        lines+=("\"$PAGODA\" trace -o $BATS_TEST_TMPDIR/srun-$1 -- ${line[*]} $BUILD/programs/$1/trace_end exit 3"
            'echo srun $?'
            "\"$PAGODA\" trace -o $BATS_TEST_TMPDIR/mpirun-$1 -- mpirun.$1 $BUILD/programs/$1/trace_end"
            'echo mpirun $?')
    }
    for_each_mpi traces
    submit job 4 "${lines[@]}"
    await test -e "$job.end"
    cat "$job.out"
    [ "$(count '^srun 3$' "$job.out")" = 2 ]
    [ "$(count '^mpirun 0$' "$job.out")" = 2 ]
    for mpi in openmpi mpich; do
        for launcher in srun mpirun; do
            check_archive "$BATS_TEST_TMPDIR/$launcher-$mpi"
            [ "$(ranks_in "$BATS_TEST_TMPDIR/$launcher-$mpi")" = 4 ]
            [ "$(property "$BATS_TEST_TMPDIR/$launcher-$mpi" PAGODA::ENV::SLURM_JOB_ID)" = "$id" ]
            [ "$(property "$BATS_TEST_TMPDIR/$launcher-$mpi" PAGODA::ENV::SLURM_JOB_NAME)" = job.sh ]
        done
    done
}

@test "a batch job submitted with --export=NONE" {
    has_mpi mpich || skip "mpich is not installed"
    sbatch_options=(--export=NONE)
    submit job 4 "\"$PAGODA\" trace -o $BATS_TEST_TMPDIR/t -- srun --mpi=pmi2 $BUILD/programs/mpich/trace_end"
    await test -e "$job.end"
    cat "$job.out"
    check_archive "$BATS_TEST_TMPDIR/t"
    [ "$(ranks_in "$BATS_TEST_TMPDIR/t")" = 4 ]
}

# Slurm may kill pagoda trace itself, too, before it has made the archive.
@test "a batch job that is cancelled: what was recorded is there, at once or by --finish" {
    cancelled() {
        local launcher dir
        for launcher in srun mpirun; do
            dir=$BATS_TEST_TMPDIR/$launcher-$1
            line=("mpirun.$1")
            [ $launcher = mpirun ] || srun_line "$1" 2
            mkdir "$dir"
            submit "$launcher-job-$1" 2 "export ENDS_COUNTS=$dir" \
                "\"$PAGODA\" trace -o $dir/t -- ${line[*]} $BUILD/programs/$1/ends busy"
            for rank in 0 1; do await test -e "$dir/ready-$rank"; done
            scancel "$id"
            await is_over
            for rank in 0 1; do await is_dead "$(cat "$dir/ready-$rank")"; done
            cat "$job.out"
            await has_archive "$dir/t"
            [ "$(ranks_in "$dir/t")" = 2 ]
            [ ! -e "$job.end" ]
            # Each rank made a hundred exchanges with itself before it was ready.
            for rank in 0 1; do
                [ "$(otf2-print -L "$rank" "$dir/t/traces.otf2" | count '^ENTER .*MPI_Sendrecv' -)" -ge 100 ]
            done
        done
    }
    for_each_mpi cancelled
}
is_dead() { ! readlink "/proc/$1/exe"; } # nor waiting to be waited for
# Is there an archive, or can it be made?
has_archive() {
    if [ -e "$1/traces.otf2" ] && [ ! -e "$1/spool" ]; then return; fi
    ! pgrep -f "trace -o $1 " && "$PAGODA" trace --finish "$1"
}

@test "a sweep over srun" {
    swept() {
        [ -d "$BUILD/programs/$1" ] || return 0
        srun_line "$1" "{n}"
        cd "$BATS_TEST_TMPDIR" && rm -rf runs.*
        run -0 timeout -k 5 300 "$PAGODA" sweep --store runs.db -n 1,2 -- "${line[@]}" \
            "$BUILD/programs/$1/ep" --size 10
        [ "$("$PAGODA" store list --json runs.db | jq -c '[.trials[].ranks]')" = "[1,2]" ]
    }
    swept openmpi
    swept mpich
}

# by_arrays OPTIONS...: a sweep of four points by job arrays.
by_arrays() {
    run timeout -k 5 300 "$PAGODA" sweep --store runs.db -n 1,2 -p size=8,10 --sbatch "-n {n}" "$@" -- \
        srun --mpi=pmi2 -n "{n}" "$BUILD/programs/mpich/ep" --size "{size}"
}

@test "a sweep by job arrays, also when its driver is killed" {
    [ -d "$BUILD/programs/mpich" ] || skip "no mpich"
    cd "$BATS_TEST_TMPDIR" || return
    by_arrays --as whole
    [ "$status" = 0 ]
    [[ $output == *"4 of 4 points stored in runs.db, 4 of them now"* ]]
    [ "$("$PAGODA" store list --json runs.db | jq -c '[.trials[] | "\(.trial) \(.ranks)"] | sort')" = \
        '["n=1,size=10 1","n=1,size=8 1","n=2,size=10 2","n=2,size=8 2"]' ]
    [ "$(find runs.sweep/whole -name 'array-*.sh' | wc -l)" = 2 ] # one for each n
    "$PAGODA" sweep --store runs.db --as killed -n 1,2 -p size=8,10 --sbatch "-n {n}" -- \
        srun --mpi=pmi2 -n "{n}" "$BUILD/programs/mpich/ep" --size "{size}" >out 2>&1 &
    await [ -s runs.sweep/killed/n=2,size=10.task ]
    kill -KILL $!
    wait $! || true
    by_arrays --as killed
    [ "$status" = 0 ]
    [[ $output == *"4 of 4 points stored"* ]]
    [ "$(find runs.sweep/killed -name 'array-*.sh' | wc -l)" = 2 ] # nothing was submitted again
}

@test "a sweep by job arrays: a task that is cancelled fails its point" {
    cd "$BATS_TEST_TMPDIR" || return
    "$PAGODA" sweep --store runs.db -n 1 --sbatch "-n {n} --hold" -- srun ./none >out 2>&1 &
    local driver=$! status=0
    await [ -s runs.sweep/sweep/n=1.task ]
    await grep -q "n=1 is pending, Slurm says: JobHeldUser" out
    [ "$(wc -l <out)" = 1 ]
    scancel "$(cat runs.sweep/sweep/n=1.task)"
    wait $driver || status=$?
    cat out
    [ "$status" = 3 ]
    grep -q "n=1: its Slurm task ended without a result" out
    grep -q "0 of 1 points stored in runs.db, 0 of them now; 1 failed" out
}

predicts_by_srun() {
    srun_line "$1" 3
    timeout -k 5 300 "${line[@]}" "$PAGODA" replay trace --nodes 1,2,3 --cpu-speed 1,2 --json >together
    cmp together alone
    timeout -k 5 300 "${line[@]}" "$PAGODA" replay trace --json >together
    cmp together measured
}
@test "processes of srun share a replay, and predictions" {
    cd "$BATS_TEST_TMPDIR"
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/whatif/worked-example.txt" trace
    "$PAGODA" replay trace --nodes 1,2,3 --cpu-speed 1,2 --json >alone
    "$PAGODA" replay trace --json >measured
    for_each_mpi predicts_by_srun
}
