# SPDX-License-Identifier: BSD-3-Clause
# Ranks that share a core: their time without it is no computing and no uneven work.
# Quiet: each of two ranks must get half of a core.
load ../helper

# beside COMMAND...: runs it on the cores $cores and leaves in $others_ns for how long these ran other programs
# meanwhile, by the kernel's count, and 5 clock ticks more: it counts whole ticks of each core and process.
beside() {
    local own begin end fields tick_ns=$((1000000000 / $(getconf CLK_TCK)))
    read -ra fields <"/proc/$BASHPID/stat"
    own=$((fields[15] + fields[16]))
    begin=$(used_ticks)
    taskset -c "$cores" "$@" >/dev/null 2>&1
    end=$(used_ticks)
    read -ra fields <"/proc/$BASHPID/stat"
    own=$((fields[15] + fields[16] - own))
    others_ns=$(((end - begin > own ? end - begin - own : 0) * tick_ns + 5 * tick_ns))
}

# used_ticks: since the machine started, of the cores $cores, whatever used them.
used_ticks() {
    awk -v cores=",$cores," '/^cpu[0-9]/ && index(cores, "," substr($1, 4) ",") {
        n += $2 + $3 + $4 + $7 + $8 } END { printf "%d", n }' /proc/stat
}

# told DIR: the CPU time in ns that other programs took from the ranks at least, by the report. A twentieth of
# what the ranks would have had is not told.
told() {
    "$PAGODA" replay --json "$1" 2>/dev/null | jq -r '[.warnings[] | select(.code == "disturbed-recording").text |
        capture("at least (?<n>[0-9.]+) (?<unit>[mun]?s) of CPU") |
        (.n | tonumber) * {s: 1e9, ms: 1e6, us: 1e3, ns: 1}[.unit]] | add // 0 | floor'
}

# Two ranks of equal work on one core: each has it for half of the time, waiting or not. Where other programs have
# more of it than both, that is what is found first.
share_core() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/$1 cores others_ns taken_ns
    cores=$(first_cores 1)
    local launch=(mpirun.mpich -n 2)
    [ "$mpi" != openmpi ] || launch=(mpirun.openmpi --oversubscribe --bind-to none -n 2)
    beside "$PAGODA" trace -o "$dir" -- "${launch[@]}" "$BUILD/programs/$mpi/ep" --size 22
    taken_ns=$(told "$dir")
    echo "$taken_ns of $others_ns ns"
    [ "$taken_ns" -le "$others_ns" ]
    "$PAGODA" replay "$dir" --json >"$dir.json" 2>/dev/null
    jq -e '([.warnings[] | select(.code == "disturbed-recording").text | capture("(?<n>[0-9.]+) % of what").n |
        tonumber] | add // 0) as $taken |
        (.window.no_cpu_ns > 0.5 * .window.useful_ns)
        and (.efficiency | .cpu < 0.75 and .load_balance > 0.7)
        and (.findings[0] | (.kind == "shared-cores" and (.text | contains("2 ranks shared 1 core")))
            or (.kind == "other-programs" and $taken >= 50))
        and ([.critical_path.regions[].region] | index("(without CPU time)") != null)' "$dir.json"
    "$PAGODA" advise "$dir" 2>/dev/null | tr -s ' \n' ' ' | grep -q 'Ranks had no CPU time: .* 2 ranks shared 1 core'
}

@test "two ranks on one core, Open MPI" { share_core openmpi; }

@test "two ranks on one core, MPICH" { share_core mpich; }

# The same where both compute in a team of one thread, with a construct in it.
share_core_in_team() {
    local mpi=$1 dir=$BATS_TEST_TMPDIR/$1 core
    core=$(first_cores 1)
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
        and ([.profile[] | select(.path | test("omp parallel"))] | group_by(.path | test("/\\(without CPU time\\)")) |
            map(map(.exclusive_ns) | add) | .[1] > 0.5 * .[0])' "$dir.json"
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
    local limit
    for limit in 2 10 50; do # a busy machine may not get far in the first one
        rm -rf "$dir"
        taskset -c "$cores" "$PAGODA" trace -o "$dir" -- timeout $limit "${launch[@]}" "$BUILD/programs/$mpi/masterworker" \
            --tasks 1000000 >/dev/null 2>&1
        "$PAGODA" replay --json "$dir" 2>/dev/null |
            jq -e '[.warnings[].code] | index("missing-finalize") and index("disturbed-recording")' && return
    done
    return 1
}

# Another program has its share of a core that two, and four, ranks need: that is told. Without it no more is told
# than what programs took that the machine runs besides, which is nothing on a machine of one's own.
disturbed() {
    local mpi=$1 n=$2 hog try others_ns taken_ns cores
    [ -r /proc/thread-self/schedstat ] || skip "Linux does not count here how long a thread waits for a core"
    local launch=(mpirun.mpich -n "$n")
    [ "$mpi" != openmpi ] || launch=(mpirun.openmpi --oversubscribe --bind-to none -n "$n")
    cores=$(first_cores 2)
    timeout 200 taskset -c "${cores%,*}" sh -c 'while :; do :; done' 3>&- &
    hog=$!
    [ "$mpi$n" != openmpi2 ] || killed "$mpi" || { kill "$hog"; return 1; }
    launch+=("$BUILD/programs/$mpi/ep" --size 22)
    beside "$PAGODA" trace -o "$BATS_TEST_TMPDIR/busy" -- "${launch[@]}"
    kill "$hog"
    taken_ns=$(told "$BATS_TEST_TMPDIR/busy")
    echo "beside a program: $taken_ns of $others_ns ns"
    [ "$taken_ns" -gt 0 ]
    [ "$taken_ns" -le "$others_ns" ]
    # Linux may leave two ranks on one core for a while, though another one is idle.
    for try in 1 2 3; do
        beside "$PAGODA" trace -o "$BATS_TEST_TMPDIR/alone$try" -- "${launch[@]}"
        taken_ns=$(told "$BATS_TEST_TMPDIR/alone$try")
        echo "without it: $taken_ns of $others_ns ns"
        [ "$taken_ns" -gt "$others_ns" ] || return 0
    done
    return 1
}

@test "another program beside two ranks on two cores, Open MPI" { disturbed openmpi 2; }

@test "another program beside four ranks on two cores, Open MPI" { disturbed openmpi 4; }

@test "another program beside four ranks on two cores, MPICH" { disturbed mpich 4; }
