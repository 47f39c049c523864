#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154 # variables that trace.bash sets
# The example programs: right and repeatable under both MPIs, and the same when traced; their traces
# pass otf2-print and a replay without a word about messages.

load trace

# Sizes that run in milliseconds with few messages: on more ranks than cores MPICH needs a time
# slice of the kernel for many of them.
size_of() {
    case $1 in
    coast) echo --size 16 --steps 4 ;;
    ep) echo --size 12 --iterations 2 ;;
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
    workers) echo --steps 2 --heavy 20 --light 10 --meetings 1 --locked 10 --handed 10 ;;
    *) echo "no size for $1" >&2 && false ;;
    esac
}

programs=(coast ep irk is joinserver kth masterworker mg pingpong spa sweep tsp workers)

# fewest_ranks PROGRAM: the servers need a client.
fewest_ranks() {
    case $1 in
    joinserver | spa) echo 2 ;;
    *) echo 1 ;;
    esac
}

# keep NAME COMMAND...: runs it, keeps its output in $dir/NAME.out and .err and checks that it
# ended well.
keep() {
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

any_mpi() {
    local mpi
    for mpi in mpich openmpi; do # MPICH's launcher ends sooner when a program fails
        if has_mpi $mpi; then
            dir=$BATS_TEST_TMPDIR programs_dir=$BUILD/programs/$mpi any=$mpi
            return
        fi
    done
    skip "neither Open MPI nor MPICH here, or their programs are not built"
}

# results PROGRAM N: the lines that it prints on N ranks, by its one run without the tracer, on 3; each
# client of a server has lines of its own.
results() {
    local file=$BATS_FILE_TMPDIR/$1
    if [ ! -e "$file" ]; then
        run_mpi "$any" 3 "$BUILD/programs/$any/$1" "${options[@]}" >"$file" 2>"$file-words" &&
            [ -s "$file" ] && [ ! -s "$file-words" ] || return 1
    fi
    case $1 in
    joinserver | spa) head -n $(($(wc -l <"$file") * ($2 - 1) / 2)) "$file" ;;
    *) cat "$file" ;;
    esac
}

# as_untraced MPI N: $program in that build, traced on N ranks, prints what it prints without the tracer. The
# trace is a sound archive, every message and collective with its partner; its report is replay.json. That
# ranks share the cores of a small machine is not a fault of the trace.
as_untraced() {
    traced "$1" "$2" "$program" "${options[@]}"
    [ "$status" = 0 ]
    results "$program" "$2" >expected
    diff expected "$out"
    check_archive "$dir"
    "$PAGODA" replay --json "$dir" >replay.json
    jq -e --argjson n "$2" '.trace.ranks == $n and
        [.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] == []' \
        replay.json || { jq .warnings replay.json && false; }
}

# check PROGRAM [PHASE]: right, with the same result under each MPI and when traced: under Open MPI on as few
# ranks as can be and on 3, under MPICH on 3, with instrumented functions if PHASE is a region of a small
# trace.
check() {
    local program=$1 phase=${2-} n options any=mpich
    has_mpi openmpi || skip "no Open MPI here, or its programs are not built"
    has_mpi mpich || skip "no MPICH here, or its programs are not built"
    cd "$BATS_TEST_TMPDIR" || return
    read -ra options < <(size_of "$program")
    for n in "$(fewest_ranks "$program")" 3; do as_untraced openmpi "$n"; done
    as_untraced "mpich${phase:+-regions}" 3
    [ -z "$phase" ] || jq -e --arg region "$phase" 'any(.profile[]; .region == $region and .visits > 0) and .trace.events < 10000' \
        replay.json || { jq '.trace.events, [.profile[].region]' replay.json && false; }
}

# trace_mpi MPI N DIR PROGRAM...: as run_mpi under the tracer.
trace_mpi() {
    local archive=$3
    launch "$1" "$2"
    shift 3
    timeout -k 5 300 "$PAGODA" trace -o "$archive" -- "${line[@]}" "$@"
}

@test "coast" { check coast carry_salt; }
@test "ep" { check ep make_pairs; }
@test "irk" { check irk gather_parts; }
@test "is" { check is fill_buckets; }
@test "joinserver" { check joinserver process_query; }
@test "kth" { check kth; }
@test "masterworker" { check masterworker solve_task; }
@test "mg" { check mg smooth; }
@test "pingpong" { check pingpong ping; }
@test "spa" { check spa servBusy2; }
@test "sweep" { check sweep sweep_block; }
@test "tsp" { check tsp solve_task; }
@test "workers" { check workers compute_heavy; }

@test "each program finds its own result spoiled: one sentence, exit status 1" {
    any_mpi
    local program options
    for program in "${programs[@]}"; do
        read -ra options < <(size_of "$program")
        words="wrong result" try run_mpi "$any" 2 "$programs_dir/$program" "${options[@]}" --spoil
        echo "$program: status $status: $error"
        [ "$status" = 1 ]
        [ "$(grep -o "$program: wrong result on rank [01]: " <<<"$error" | wc -l)" = 1 ]
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
        keep other run_mpi "$any" "$n" "$programs_dir/$program" "${options[@]}" --seed 2
        results "$program" "$n" >"$dir/one"
        ! diff "$dir/one" "$dir/other.out" >/dev/null || { echo "$program" && false; }
    done
}

@test "moving the work leaves the result: spa, joinserver, irk, tsp" {
    any_mpi
    local options program variant n
    for variant in spa:3:--client-busy1 spa:3:--client-busy2 joinserver:3:--data-shipping irk:4:--groups; do
        IFS=: read -r program n variant <<<"$variant"
        read -ra options < <(size_of "$program")
        keep moved run_mpi "$any" "$n" "$programs_dir/$program" "${options[@]}" "$variant"
        results "$program" "$n" >"$dir/plain"
        diff "$dir/plain" "$dir/moved.out"
    done
    # With a shared bound the number of places visited depends on timing and is not printed.
    keep plain run_mpi "$any" 3 "$programs_dir/tsp" --size 9
    keep shared run_mpi "$any" 3 "$programs_dir/tsp" --size 9 --share-bound
    diff <(head -n 2 "$dir/plain.out") "$dir/shared.out"
    [ "$(wc -l <"$dir/plain.out")" = 3 ]
}

@test "joinserver has as many interactions as the published experiment" {
    any_mpi
    local options=(--tuples 100000 --queries 1 --work 0)
    keep tenth run_mpi "$any" 2 "$programs_dir/joinserver" "${options[@]}" --selectivity 10
    [[ $(<"$dir/tenth.out") == "client 1: 10000 tuples in 1 queries and 530 interactions, "* ]]
    keep hundredth run_mpi "$any" 2 "$programs_dir/joinserver" "${options[@]}" --selectivity 1
    [[ $(<"$dir/hundredth.out") == "client 1: 1000 tuples in 1 queries and 56 interactions, "* ]]
}

@test "more ranks than planes: mg" {
    any_mpi
    keep mg-1 run_mpi "$any" 1 "$programs_dir/mg" --size 4 --iterations 1 --sweeps 1
    keep mg-5 run_mpi "$any" 5 "$programs_dir/mg" --size 4 --iterations 1 --sweeps 1
    diff "$dir/mg-1.out" "$dir/mg-5.out"
}

@test "uneven work, the same result" {
    any_mpi
    local program options
    for program in ep irk; do
        read -ra options < <(size_of "$program")
        keep uneven run_mpi "$any" 3 "$programs_dir/$program" "${options[@]}" --skew 200
        results "$program" 3 >"$dir/even"
        diff "$dir/even" "$dir/uneven.out"
    done
}
