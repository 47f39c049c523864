#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the tracer costs the program, next to an empty PMPI layer (a preloaded library whose wrappers
# call PMPI_ and do nothing else), the untraced program, and OTF2's own writing of the same events.
# The variants take turns. ROUNDS=n, MPIS="openmpi mpich", INSTRUCTIONS=0 to do without valgrind.
#
# - Cost of a call: the best of all batches and rounds; the CPU time of all batches (page faults and
#   file system included) in the best round; user-mode instructions by valgrind, which sees
#   clock_gettime() as a system call and so does not count it.
# - Run time of a program that makes 10000 MPI calls a second: medians, and the range, of wall-clock
#   and CPU time. The two differ on a busy machine.
# - Memory: growth while 64 MiB are recorded.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
[ "${BUILD#/}" = "$BUILD" ] && BUILD=$PWD/$BUILD
ROUNDS=${ROUNDS:-7}
STEPS=${STEPS:-10000} # of 100 microseconds
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
work=$BUILD/bench/tracer
rm -rf "$work"
mkdir -p "$work"

# The functions that tests/bench/tracer/calls.c measures.
functions='MPI_Comm_rank MPI_Sendrecv MPI_Iprobe MPI_Test MPI_Irecv MPI_Isend MPI_Waitall MPI_Send
    MPI_Recv MPI_Allreduce'

# make_empty_layer MPI: their wrappers, from the prototypes of this MPI's own mpi.h.
make_empty_layer() {
    local name
    {
        echo '#include <mpi.h>'
        for name in $functions; do
            sed -n "s/^extern int (\*next_$name)(\(.*\));/$name|\1/p" "$BUILD/tracer/$1/functions.gen.h"
        done | awk -F '|' '{
            n = split($2, part, /, */); list = ""
            for (i = 1; i <= n; i++) {
                argument = part[i]; sub(/\[[^]]*\]$/, "", argument); sub(/^.*[ *]/, "", argument)
                list = list (i > 1 ? ", " : "") argument
            }
            print "int " $1 "(" $2 ") { return P" $1 "(" list "); }" }'
    } >"$work/empty-$1.c"
    "mpicc.$1" -O2 -shared -fPIC -o "$work/empty-$1.so" "$work/empty-$1.c"
}

# run_variant MPI VARIANT N COMMAND...: untraced, empty or traced; -n N. Stdout is the program's.
run_variant() {
    local mpi=$1 variant=$2 n=$3 line
    shift 3
    line=("mpirun.$mpi" -n "$n")
    [ "$mpi" = mpich ] || line=("mpirun.$mpi" --oversubscribe -n "$n")
    case $variant in
    untraced) "${line[@]}" "$@" ;;
    empty) "${line[@]}" env LD_PRELOAD="$work/empty-$mpi.so" "$@" ;;
    traced)
        rm -rf "$work/spool"
        mkdir "$work/spool"
        "${line[@]}" env LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$work/spool" "$@"
        ;;
    esac 2>/dev/null
}

variants='untraced empty traced'

# instructions MPI VARIANT KIND: of a step, in user mode.
instructions() {
    local n count=()
    for n in 1000 5000; do
        count+=("$(run_variant "$1" "$2" 1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
            --log-fd=1 "$work/calls-$1" loop "$3" "$n" |
            sed -n 's/.*Collected *: *//p' | tail -n 1)")
    done
    echo $(((count[1] - count[0]) / 4000))
}

cost_of_calls() {
    local mpi=$1 variant kind round
    for ((round = 0; round < ROUNDS; round++)); do
        for variant in $variants; do
            run_variant "$mpi" "$variant" 1 "$work/calls-$mpi" >>"$work/$mpi-$variant"
            run_variant "$mpi" "$variant" 2 "$work/calls-$mpi" | grep -E '^(Send-Recv|Allreduce)' \
                >>"$work/$mpi-$variant"
        done
        mkdir -p "$work/otf2"
        "$BUILD/bench/otf2_records" "$work/otf2" >>"$work/$mpi-otf2"
        rm -rf "$work/otf2"
    done
    [ "${INSTRUCTIONS:-1}" = 0 ] || ! command -v valgrind >/dev/null ||
        for kind in Comm_rank Sendrecv-self Iprobe-nothing Test-nothing Isend-Irecv-Waitall; do
            for variant in $variants; do
                echo "$kind - - $(instructions "$mpi" "$variant" "$kind")" >>"$work/$mpi-$variant"
            done
        done
    echo
    echo "ns per call ($mpi)   best: untraced  empty traced   otf2 |  cost over empty, less otf2" \
        "| CPU: untraced  empty traced   otf2 |  cost over empty, less otf2 | instructions a step"
    for variant in $variants otf2; do
        awk -v variant="$variant" '$2 != "-" { if (!($1 in best) || $2 < best[$1]) best[$1] = $2
                if (!($1 in cpu) || $3 < cpu[$1]) cpu[$1] = $3 }
            $2 == "-" { count[$1] = $4 }
            END { for (kind in best) print kind, variant, best[kind], cpu[kind], count[kind] + 0 }' \
            "$work/$mpi-$variant"
    done | awk '{ best[$1, $2] = $3; cpu[$1, $2] = $4; count[$1, $2] = $5; kinds[$1] }
        END { for (kind in kinds) {
            b = best[kind, "traced"] - best[kind, "empty"]; c = cpu[kind, "traced"] - cpu[kind, "empty"]
            printf "%-20s %14.1f %6.1f %6.1f %6.1f | %14.1f %10.1f | %13.1f %6.1f %6.1f %6.1f | %14.1f %10.1f | %d, %d, %d\n",
                kind, best[kind, "untraced"], best[kind, "empty"], best[kind, "traced"],
                best[kind, "otf2"], b, b - best[kind, "otf2"], cpu[kind, "untraced"],
                cpu[kind, "empty"], cpu[kind, "traced"], cpu[kind, "otf2"], c,
                c - cpu[kind, "otf2"], count[kind, "untraced"], count[kind, "empty"],
                count[kind, "traced"] } }' | LC_ALL=C sort
}

run_time() {
    local mpi=$1 variant round
    for ((round = 0; round < ROUNDS; round++)); do
        for variant in $variants; do
            run_variant "$mpi" "$variant" 1 "$work/calls-$mpi" run "$STEPS" 100000 \
                >>"$work/$mpi-run-$variant"
        done
    done
    echo
    echo "run time at 10000 calls a second ($mpi), seconds: median (range), against untraced"
    for variant in $variants; do
        for column in 1 2; do
            LC_ALL=C sort -n -k "$column,$column" "$work/$mpi-run-$variant" |
                awk -v column="$column" '{ x[NR] = $column } END {
                    print (NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2), x[1], x[NR] }'
        done | paste -s -d ' ' | sed "s/^/$variant /"
    done | awk 'NR == 1 { wall = $2; cpu = $5 }
        { printf "%-10s wall %.4f (%.4f - %.4f) %+.2f %%   CPU %.4f (%.4f - %.4f) %+.2f %%\n", $1, $2,
            $3, $4, 100 * ($2 / wall - 1), $5, $6, $7, 100 * ($5 / cpu - 1) }'
}

memory() {
    local mpi=$1 variant grown
    echo
    echo "memory while 64 MiB are recorded ($mpi), growth in KiB: resident, its peak, heap; before"
    for variant in untraced traced; do
        grown=$(run_variant "$mpi" "$variant" 1 "$work/calls-$mpi" fill 67108864)
        [ "$variant" = untraced ] || grown+=" (recorded $(du -sm "$work/spool" | cut -f 1) MiB)"
        printf '%-10s %s\n' "$variant" "$grown"
    done
}

echo "$(nproc) cores, load $(cut -d ' ' -f 1 /proc/loadavg), $ROUNDS rounds"
for mpi in ${MPIS:-openmpi mpich}; do
    [ -e "$BUILD/libpagoda-$mpi.so" ] || continue
    make_empty_layer "$mpi"
    "mpicc.$mpi" -w -O2 -o "$work/calls-$mpi" tests/bench/tracer/calls.c
    cost_of_calls "$mpi"
    run_time "$mpi"
    memory "$mpi"
done
rm -rf "$work"
