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
        and (.findings[0] | .kind == "shared-cores" and (.text | contains("2 ranks shared 1 core")))
        and ([.critical_path.regions[].region] | index("(without CPU time)") != null)' "$dir.json"
    "$PAGODA" advise "$dir" 2>/dev/null | tr -s ' \n' ' ' | grep -q 'Ranks had no CPU time: .* 2 ranks shared 1 core'
}

@test "two ranks on one core, Open MPI" { share_core openmpi; }

@test "two ranks on one core, MPICH" { share_core mpich; }

# The same where both compute in a team of one thread, with a construct in it.
share_core_in_team() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/$1 core
    core=$(taskset -cp $$ | sed 's/.*: //;s/[-,].*//')
    printf '%s\n' '#include <mpi.h>' 'int main(void) {' 'MPI_Init(0, 0);' \
        'for (int i = 0; i < 4; i++) {' 'volatile double sum = 0;' \
        '_Pragma("omp parallel num_threads(1)") {' '_Pragma("omp critical") sum++;' \
        'for (long k = 0; k < 40000000; k++) sum += k; }' 'MPI_Barrier(MPI_COMM_WORLD); }' \
        'return MPI_Finalize(); }' >team.c
    OMPI_CC=gcc MPICH_CC=gcc "mpicc.$mpi" -fopenmp -O1 -o team team.c
    local launch=(mpirun.mpich)
    [ "$mpi" != openmpi ] || launch=(mpirun.openmpi --oversubscribe --bind-to none)
    "$PAGODA" trace -o "$dir" -- "${launch[@]}" -n 2 taskset -c "$core" ./team >/dev/null 2>&1
    "$PAGODA" replay "$dir" --json >"$dir.json" 2>/dev/null
    jq -e '(.window.no_cpu_ns > 0.5 * .window.useful_ns)
        and ([.profile[] | select(.path | test("omp parallel.*/\\(without CPU time\\)")) | .exclusive_ns] | add > 3e8)' "$dir.json"
}

@test "two ranks with teams of one thread on one core, Open MPI" { share_core_in_team openmpi; }

@test "two ranks with teams of one thread on one core, MPICH" { share_core_in_team mpich; }

# A rank that sleeps is ready for none of that time, whether it shares a core or not.
sleep_on_rank_1() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/$1
    [ -r /proc/thread-self/schedstat ] || skip "Linux does not count here how long a thread waits for a core"
    local launch=(mpirun.mpich)
    [ "$mpi" != openmpi ] || launch=(mpirun.openmpi --oversubscribe)
    "$PAGODA" trace -o "$dir" -- "${launch[@]}" -n 3 "$BUILD/programs/$mpi-regions/trace_blocked" >/dev/null 2>&1
    "$PAGODA" replay "$dir" --json >"$dir.json" 2>/dev/null
    jq -e '(.ranks[1].blocked_ns >= 190e6) and (.ranks[1].blocked_ns <= .ranks[1].no_cpu_ns)
        and ([.ranks[0, 2].blocked_ns] | add < 0.2 * 190e6)
        and ([.profile[] | select(.path == "main/write_checkpoint/(blocked)")] | length == 1)
        and ([.findings[] | select(.kind == "blocked" and .region == "write_checkpoint" and .ranks == [1])] | length == 1)' "$dir.json"
    # Faster processors do not shorten it; without the region it is gone.
    "$PAGODA" replay "$dir" --cpu-speed 100 --json 2>/dev/null | jq -e '.whatif.predicted_ns >= 190e6'
    "$PAGODA" replay "$dir" --scale write_checkpoint=0 --json 2>/dev/null |
        jq -e '.whatif | .replayed_ns - .predicted_ns >= 100e6' # work() before it may count as blocked, too
}

@test "a rank that sleeps, Open MPI" { sleep_on_rank_1 openmpi; }

@test "a rank that sleeps, MPICH" { sleep_on_rank_1 mpich; }

# Linux without scheduler statistics has the file, with three times 0: then nothing is known of it.
no_statistics() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/$1 library=$BATS_TEST_TMPDIR/no_statistics.so
    printf '0 0 0\n' >"$BATS_TEST_TMPDIR/schedstat"
    cc -shared -fPIC -O1 -o "$library" -x c - -ldl <<EOF
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int open(const char *path, int flags, unsigned mode)
{
    int (*next)(const char *, int, unsigned) = dlsym(RTLD_NEXT, "open");
    return next(strcmp(path, "/proc/thread-self/schedstat") ? path : "$BATS_TEST_TMPDIR/schedstat",
                flags, mode);
}
EOF
    local launch=(mpirun.mpich)
    [ "$mpi" != openmpi ] || launch=(mpirun.openmpi --oversubscribe)
    "$PAGODA" trace -o "$dir" -- "${launch[@]}" -n 3 env LD_PRELOAD="$library:$BUILD/libpagoda-trace.so" \
        "$BUILD/programs/$mpi-regions/trace_blocked" >/dev/null 2>&1
    "$PAGODA" replay "$dir" --json 2>/dev/null |
        jq -e '.ranks[1].no_cpu_ns >= 190e6 and ([.ranks[].blocked_ns // 0] | add == 0)'
}

@test "a rank that sleeps where Linux counts no waiting for cores, Open MPI" { no_statistics openmpi; }

@test "a rank that sleeps where Linux counts no waiting for cores, MPICH" { no_statistics mpich; }

# Ranks that are killed: what they got of their cores is known up to their last calls.
killed() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/killed
    "$PAGODA" trace -o "$dir" -- timeout 2 "${launch[@]}" "$BUILD/programs/$mpi/masterworker" \
        --tasks 1000000 >/dev/null 2>&1
    "$PAGODA" replay --json "$dir" 2>/dev/null |
        jq -e '[.warnings[].code] | index("missing-finalize") and index("disturbed-recording")'
}

# Whether the machine's cores are idle at some time within 10 s, but for a tenth.
quiet() {
    local begin end try
    for try in $(seq 20); do
        begin=$(awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat)
        sleep 0.5
        end=$(awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 }' /proc/stat)
        [ $((end - begin)) -lt $(($(getconf CLK_TCK) * $(nproc) / 20)) ] && return
    done
    return 1
}

# Another program has its share of a core that two, and four, ranks need; without it none is told of.
disturbed() {
    local mpi=$1 n=$2 hog code try
    [ -r /proc/thread-self/schedstat ] || skip "Linux does not count here how long a thread waits for a core"
    local launch=(mpirun.mpich -n "$n")
    [ "$mpi" != openmpi ] || launch=(mpirun.openmpi --oversubscribe --bind-to none -n "$n")
    local cores
    cores=$(taskset -cp $$ | sed 's/.*: //')
    cores=$(seq -s, "${cores%%[-,]*}" $((${cores%%[-,]*} + 1)))
    launch=(taskset -c "$cores" "${launch[@]}")
    taskset -c "${cores%,*}" sh -c 'while :; do :; done' 3>&- &
    hog=$!
    [ "$mpi$n" != openmpi2 ] || killed "$mpi" || { kill "$hog"; return 1; }
    launch+=("$BUILD/programs/$mpi/ep" --size 22)
    "$PAGODA" trace -o "$BATS_TEST_TMPDIR/busy" -- "${launch[@]}" >/dev/null 2>&1
    kill "$hog"
    code='[.warnings[].code] | index("disturbed-recording")'
    "$PAGODA" replay --json "$BATS_TEST_TMPDIR/busy" 2>/dev/null | jq -e "$code != null"
    quiet || skip "other programs use the cores"
    for try in 1 2 3; do
        "$PAGODA" trace -o "$BATS_TEST_TMPDIR/quiet$try" -- "${launch[@]}" >/dev/null 2>&1
        "$PAGODA" replay --json "$BATS_TEST_TMPDIR/quiet$try" 2>/dev/null | jq -e "$code == null" && return
    done
    return 1
}

@test "another program beside two ranks on two cores, Open MPI" { disturbed openmpi 2; }

@test "another program beside four ranks on two cores, Open MPI" { disturbed openmpi 4; }

@test "another program beside four ranks on two cores, MPICH" { disturbed mpich 4; }
