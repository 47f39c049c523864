#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The example programs: right and repeatable under both MPIs, and the same when traced; their traces
# pass otf2-print and a replay without a word about messages.

load ../helper

# Sizes that run in milliseconds with few messages: on more ranks than cores MPICH needs a time
# slice of the kernel for many of them.
size_of() {
    case $1 in
    coast) echo --size 16 --steps 4 ;;
    ep) echo --size 12 --iterations 2 ;;
    ft) echo --size 8 --iterations 2 ;;
    irk) echo --size 600 --steps 1 --stages 2 --iterations 3 --reach 8 ;;
    is) echo --size 12 --iterations 2 ;;
    joinserver) echo --tuples 400 --work 1 ;;
    kth) echo --size 300 --k 20 --rounds 5 ;;
    masterworker) echo --tasks 20 --work 50 ;;
    mg) echo --size 8 --iterations 1 --sweeps 1 ;;
    pingpong) echo --max-size 300000 --iterations 4 ;;
    spa) echo --requests 4 --busy1 53 --busy2 73 --dispatch 36 --think 10 ;;
    sweep) echo --size 8 --iterations 1 --block 4 ;;
    tsp) echo --size 7 ;;
    *) echo "no size for $1" >&2 && false ;;
    esac
}

programs=(coast ep ft irk is joinserver kth masterworker mg pingpong spa sweep tsp)

# fewest_ranks PROGRAM: the servers need a client.
fewest_ranks() {
    case $1 in
    joinserver | spa) echo 2 ;;
    *) echo 1 ;;
    esac
}

# launch NAME COMMAND...: runs it, keeps its output in $dir/NAME.out and .err and checks that it
# ended well.
launch() {
    local name=$1 status=0
    shift
    "$@" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null || status=$?
    if [ $status != 0 ]; then
        echo "exit status $status of: $*"
        cat "$dir/$name.err"
        return 1
    fi
}

# try COMMAND...: runs it, leaves $status, $output and $error. A launcher that ends the other ranks
# may lose the last words of the one that failed: where $words are awaited, it gets more chances.
try() {
    for _ in {1..5}; do
        status=0
        "$@" >"$dir/try.out" 2>"$dir/try.err" </dev/null || status=$?
        if [ -z "${words-}" ] || grep -qF -- "$words" "$dir/try.err"; then break; fi
        rm -rf "$dir/trace"
    done
    output=$(<"$dir/try.out")
    error=$(<"$dir/try.err")
}

# same NAME OTHER: do two runs print the same? A server's lines, one a client, may only get more.
same() {
    local n_lines
    case $1 in
    *spa* | *joinserver*)
        n_lines=$(wc -l <"$dir/$1.out")
        [ "$n_lines" -gt 0 ] && head -n "$n_lines" "$dir/$2.out" | diff "$dir/$1.out" -
        ;;
    *)
        diff "$dir/$1.out" "$dir/$2.out"
        ;;
    esac
}

need_mpi() {
    has_mpi "$1" || skip "no $1 here, or its programs are not built"
    dir=$BATS_TEST_TMPDIR
}

any_mpi() {
    local mpi
    for mpi in mpich openmpi; do # MPICH's launcher ends sooner when a program fails
        if has_mpi $mpi; then
            need_mpi $mpi
            programs_dir=$BUILD/programs/$mpi any=$mpi
            return
        fi
    done
    skip "neither Open MPI nor MPICH here, or their programs are not built"
}

# run_untraced MPI PROGRAM N: leaves its output as $dir/MPI-PROGRAM-N.out, from an earlier test when
# there was one.
run_untraced() {
    local name=$1-$2-$3 options
    if [ ! -e "$BATS_FILE_TMPDIR/$name.out" ]; then
        read -ra options < <(size_of "$2")
        launch "$name" run_mpi "$1" "$3" "$BUILD/programs/$1/$2" "${options[@]}"
        [ ! -s "$dir/$name.err" ] || { cat "$dir/$name.err" && false; }
        [ -s "$dir/$name.out" ] || { echo "no result" && false; }
        cp "$dir/$name.out" "$BATS_FILE_TMPDIR"
    fi
    cp "$BATS_FILE_TMPDIR/$name.out" "$dir"
}

# Right on 1 to 4 ranks, with the same result on each number and, once both have run, each MPI.
check_untraced() {
    local mpi=$1 program=$2 n first other
    need_mpi "$mpi"
    first=$(fewest_ranks "$program")
    for ((n = first; n <= 4; n++)); do
        run_untraced "$mpi" "$program" $n
        same "$mpi-$program-$first" "$mpi-$program-$n"
    done
    for other in "$BATS_FILE_TMPDIR"/*"-$program-4.out"; do
        diff "$other" "$dir/$mpi-$program-4.out"
    done
}

# check_trace DIR: a sound archive, every message and collective with its partner. That ranks share
# the cores of a small machine is no fault of the trace.
check_trace() {
    otf2-print "$1"/*.otf2 >"$1/print.out" 2>"$1/print.err" || { cat "$1/print.err" && false; }
    if [ -s "$1/print.err" ] || grep -E '\[OTF2\]|[Ww]arning|[Ee]rror:' "$1/print.out"; then
        cat "$1/print.err"
        return 1
    fi
    "$PAGODA" replay --json "$1" >"$1/replay.json" 2>"$1/replay.err" ||
        { cat "$1/replay.err" && false; }
    jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "without-cpu-time"] == []' "$1/replay.json" ||
        { jq .warnings "$1/replay.json" && false; }
}

# The same output traced and untraced, and a good trace of all ranks.
check_traced() {
    local mpi=$1 program=$2 n app options
    need_mpi "$mpi"
    command -v otf2-print >/dev/null || skip "otf2-print is not installed"
    command -v jq >/dev/null || skip "jq is not installed"
    app=$BUILD/programs/$mpi/$program
    read -ra options < <(size_of "$program")
    for n in $(fewest_ranks "$program") 4; do
        run_untraced "$mpi" "$program" "$n"
        launch traced trace_mpi "$mpi" "$n" "$dir/trace-$n" "$app" "${options[@]}"
        diff "$dir/$mpi-$program-$n.out" "$dir/traced.out"
        check_trace "$dir/trace-$n"
        [ "$(jq .trace.ranks "$dir/trace-$n/replay.json")" = "$n" ]
    done
}

# trace_mpi MPI N DIR PROGRAM...: as run_mpi under the tracer.
trace_mpi() {
    local mpi=$1 n=$2 archive=$3
    shift 3
    if [ "$mpi" = openmpi ]; then
        timeout -k 5 300 "$PAGODA" trace -o "$archive" -- mpirun.openmpi --oversubscribe -n "$n" "$@"
    else
        timeout -k 5 300 "$PAGODA" trace -o "$archive" -- mpirun.mpich -n "$n" "$@"
    fi
}

@test "openmpi: coast" { check_untraced openmpi coast; }
@test "openmpi: ep" { check_untraced openmpi ep; }
@test "openmpi: ft" { check_untraced openmpi ft; }
@test "openmpi: irk" { check_untraced openmpi irk; }
@test "openmpi: is" { check_untraced openmpi is; }
@test "openmpi: joinserver" { check_untraced openmpi joinserver; }
@test "openmpi: masterworker" { check_untraced openmpi masterworker; }
@test "openmpi: mg" { check_untraced openmpi mg; }
@test "openmpi: pingpong" { check_untraced openmpi pingpong; }
@test "openmpi: spa" { check_untraced openmpi spa; }
@test "openmpi: sweep" { check_untraced openmpi sweep; }
@test "openmpi: tsp" { check_untraced openmpi tsp; }

@test "mpich: coast" { check_untraced mpich coast; }
@test "mpich: ep" { check_untraced mpich ep; }
@test "mpich: ft" { check_untraced mpich ft; }
@test "mpich: irk" { check_untraced mpich irk; }
@test "mpich: is" { check_untraced mpich is; }
@test "mpich: joinserver" { check_untraced mpich joinserver; }
@test "mpich: masterworker" { check_untraced mpich masterworker; }
@test "mpich: mg" { check_untraced mpich mg; }
@test "mpich: pingpong" { check_untraced mpich pingpong; }
@test "mpich: spa" { check_untraced mpich spa; }
@test "mpich: sweep" { check_untraced mpich sweep; }
@test "mpich: tsp" { check_untraced mpich tsp; }

@test "openmpi, traced: coast" { check_traced openmpi coast; }
@test "openmpi, traced: ep" { check_traced openmpi ep; }
@test "openmpi, traced: ft" { check_traced openmpi ft; }
@test "openmpi, traced: irk" { check_traced openmpi irk; }
@test "openmpi, traced: is" { check_traced openmpi is; }
@test "openmpi, traced: joinserver" { check_traced openmpi joinserver; }
@test "openmpi, traced: masterworker" { check_traced openmpi masterworker; }
@test "openmpi, traced: mg" { check_traced openmpi mg; }
@test "openmpi, traced: pingpong" { check_traced openmpi pingpong; }
@test "openmpi, traced: spa" { check_traced openmpi spa; }
@test "openmpi, traced: sweep" { check_traced openmpi sweep; }
@test "openmpi, traced: tsp" { check_traced openmpi tsp; }

@test "mpich, traced: coast" { check_traced mpich coast; }
@test "mpich, traced: ep" { check_traced mpich ep; }
@test "mpich, traced: ft" { check_traced mpich ft; }
@test "mpich, traced: irk" { check_traced mpich irk; }
@test "mpich, traced: is" { check_traced mpich is; }
@test "mpich, traced: joinserver" { check_traced mpich joinserver; }
@test "mpich, traced: masterworker" { check_traced mpich masterworker; }
@test "mpich, traced: mg" { check_traced mpich mg; }
@test "mpich, traced: pingpong" { check_traced mpich pingpong; }
@test "mpich, traced: spa" { check_traced mpich spa; }
@test "mpich, traced: sweep" { check_traced mpich sweep; }
@test "mpich, traced: tsp" { check_traced mpich tsp; }

@test "each program finds its own result spoiled: one sentence, exit status 1" {
    any_mpi
    local program options
    for program in "${programs[@]}"; do
        read -ra options < <(size_of "$program")
        words="wrong result" try run_mpi "$any" 2 "$programs_dir/$program" "${options[@]}" --spoil
        echo "$program: status $status: $error"
        [ "$status" = 1 ]
        [ "$(grep -c "^$program: wrong result on rank [01]: " <<<"$error")" = 1 ]
    done
}

@test "a spoiled result is still exit status 1 when traced" {
    any_mpi
    words="wrong result" try trace_mpi "$any" 2 "$dir/trace" "$programs_dir/ep" --size 10 --spoil
    [ "$status" = 1 ]
    [[ $error == *"ep: wrong result on rank 0: "* ]]
}

@test "--help names every option, wrong options are refused with exit status 2" {
    any_mpi
    local program
    for program in "${programs[@]}"; do
        try "$programs_dir/$program" --help
        [ "$status" = 0 ]
        [ -z "$error" ]
        [[ $output == "usage: mpirun -n RANKS $program [options]"* ]]
        [[ $output == *"--seed N"*"--time"*"--spoil"*"--help"* ]]
        try "$programs_dir/$program" --seed 1x
        [ "$status" = 2 ]
        [ "$error" = "$program: --seed takes a whole number from 0 to 1000000, not '1x'" ]
        [ -z "$output" ]
        try "$programs_dir/$program" --no-such-option
        [ "$status" = 2 ]
        [[ $error == *"--no-such-option'" ]]
        try "$programs_dir/$program" word
        [ "$status" = 2 ]
        [ "$error" = "$program: unexpected argument 'word'" ]
    done
}

@test "numbers of ranks and sizes that cannot be are refused in a sentence" {
    any_mpi
    try "$programs_dir/spa"
    [ "$status" = 2 ]
    [[ $error == "spa: wrong number of ranks, 1: At least 2 ranks are needed"* ]]
    try "$programs_dir/joinserver"
    [ "$status" = 2 ]
    [[ $error == "joinserver: wrong number of ranks, 1: "* ]]
    try "$programs_dir/irk" --groups
    [ "$status" = 2 ]
    [[ $error == *"with --groups it must be a multiple of --stages"* ]]
    try "$programs_dir/irk" --size 64 --reach 32
    [ "$status" = 2 ]
    [ "$error" = "irk: --reach must be less than half of --size" ]
    try "$programs_dir/ft" --size 12
    [ "$status" = 2 ]
    [ "$error" = "ft: --size takes a power of two, not 12" ]
    try "$programs_dir/mg" --size 12
    [ "$status" = 2 ]
    [ "$error" = "mg: --size takes a power of two, not 12" ]
    words="too many" try run_mpi "$any" 5 "$programs_dir/coast" --size 4
    [ "$status" = 2 ]
    [[ $error == *"coast: 5 ranks are too many for --size 4"* ]]
    words="too many" try run_mpi "$any" 2 "$programs_dir/sweep" --size 1
    [ "$status" = 2 ]
    [[ $error == *"sweep: 2 ranks are too many for --size 1"* ]]
}

@test "the result depends on the seed" {
    any_mpi
    local program options n
    for program in "${programs[@]}"; do
        [ "$program" != pingpong ] || continue # prints no content
        [ "$program" != irk ] || continue      # prints the energy, that of any four waves
        read -ra options < <(size_of "$program")
        n=$(fewest_ranks "$program")
        launch one run_mpi "$any" "$n" "$programs_dir/$program" "${options[@]}" --seed 1
        launch two run_mpi "$any" "$n" "$programs_dir/$program" "${options[@]}" --seed 2
        ! diff "$dir/one.out" "$dir/two.out" >/dev/null || { echo "$program" && false; }
    done
}

@test "moving the work leaves the result: spa, joinserver, irk, tsp" {
    any_mpi
    local options program variant
    for variant in spa:--client-busy1 spa:--client-busy2 joinserver:--data-shipping irk:--groups; do
        program=${variant%%:*}
        read -ra options < <(size_of "$program")
        launch plain run_mpi "$any" 4 "$programs_dir/$program" "${options[@]}"
        launch moved run_mpi "$any" 4 "$programs_dir/$program" "${options[@]}" "${variant#*:}"
        diff "$dir/plain.out" "$dir/moved.out"
    done
    # With a shared bound the number of places visited depends on timing and is not printed.
    launch plain run_mpi "$any" 3 "$programs_dir/tsp" --size 9
    launch shared run_mpi "$any" 3 "$programs_dir/tsp" --size 9 --share-bound
    diff <(head -n 2 "$dir/plain.out") "$dir/shared.out"
    [ "$(wc -l <"$dir/plain.out")" = 3 ]
}

@test "joinserver has as many interactions as the published experiment" {
    any_mpi
    local options=(--tuples 100000 --queries 1 --work 0)
    launch tenth run_mpi "$any" 2 "$programs_dir/joinserver" "${options[@]}" --selectivity 10
    [[ $(<"$dir/tenth.out") == "client 1: 10000 tuples in 1 queries and 530 interactions, "* ]]
    launch hundredth run_mpi "$any" 2 "$programs_dir/joinserver" "${options[@]}" --selectivity 1
    [[ $(<"$dir/hundredth.out") == "client 1: 1000 tuples in 1 queries and 56 interactions, "* ]]
}

@test "more ranks than planes: ft, mg" {
    any_mpi
    launch ft-1 run_mpi "$any" 1 "$programs_dir/ft" --size 4 --iterations 1
    launch ft-5 run_mpi "$any" 5 "$programs_dir/ft" --size 4 --iterations 1
    diff "$dir/ft-1.out" "$dir/ft-5.out"
    launch mg-1 run_mpi "$any" 1 "$programs_dir/mg" --size 4 --iterations 1 --sweeps 1
    launch mg-5 run_mpi "$any" 5 "$programs_dir/mg" --size 4 --iterations 1 --sweeps 1
    diff "$dir/mg-1.out" "$dir/mg-5.out"
}

@test "with instrumented functions the phases are regions, and the trace stays small" {
    any_mpi
    command -v jq >/dev/null || skip "jq is not installed"
    local program options phase n_events
    for phase in coast:carry_salt ep:make_pairs ft:transpose irk:gather_parts is:fill_buckets joinserver:process_query \
        masterworker:solve_task mg:smooth pingpong:ping spa:servBusy2 sweep:sweep_block \
        tsp:solve_task; do
        program=${phase%%:*}
        read -ra options < <(size_of "$program")
        launch traced trace_mpi "$any" 3 "$dir/$program" "$BUILD/programs/$any-regions/$program" \
            "${options[@]}"
        launch replay "$PAGODA" replay --json "$dir/$program"
        jq -e --arg region "${phase#*:}" 'any(.profile[]; .region == $region and .visits > 0)' \
            "$dir/replay.out" >/dev/null || { echo "$program: no region ${phase#*:}" && false; }
        n_events=$(jq .trace.events "$dir/replay.out")
        [ "$n_events" -lt 10000 ] || { echo "$program: $n_events events" && false; }
    done
}

@test "uneven work, the same result" {
    local mpi program
    for mpi in openmpi mpich; do
        has_mpi $mpi || continue
        for program in ep irk; do
            # shellcheck disable=SC2046 # several words
            run_mpi $mpi 2 "$BUILD/programs/$mpi/$program" $(size_of $program) >"$BATS_TEST_TMPDIR/even"
            # shellcheck disable=SC2046 # several words
            run_mpi $mpi 3 "$BUILD/programs/$mpi/$program" $(size_of $program) --skew 200 |
                diff "$BATS_TEST_TMPDIR/even" -
        done
    done
    has_mpi openmpi || has_mpi mpich || skip "there is no MPI"
}
