# SPDX-License-Identifier: BSD-3-Clause
# Launch lines: scripts, wrappers, several runs, what is not an MPI program, wrong usage.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

@test "env and taskset on both sides of the launcher" {
    wrapped() {
        local core
        core=$(first_cores 1)
        launch "$1" 2
        run -0 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/$1" -- taskset -c "$core" env A=1 "${line[@]}" \
            env B=2 taskset -c "$core" "$BUILD/programs/$1/trace_end"
        check_archive "$BATS_TEST_TMPDIR/$1"
    }
    for_each_mpi wrapped
}

@test "a script that runs both MPIs: an archive for each run, its exit status" {
    has_mpi openmpi || skip "openmpi is not installed"
    has_mpi mpich || skip "mpich is not installed"
    cat >"$BATS_TEST_TMPDIR/job" <<EOF
#!/bin/sh
echo from the script
mpirun.openmpi --oversubscribe -n 2 "$BUILD/programs/openmpi/trace_end"
mpirun.mpich -n 3 "$BUILD/programs/mpich/trace_end"
exit 9
EOF
    chmod +x "$BATS_TEST_TMPDIR/job"
    run -9 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/t" -- "$BATS_TEST_TMPDIR/job"
    [ "${lines[0]}" = "from the script" ]
    check_archive "$BATS_TEST_TMPDIR/t"
    check_archive "$BATS_TEST_TMPDIR/t/run-2"
    otf2-print -I "$BATS_TEST_TMPDIR/t/traces.otf2" | grep -A1 'PAGODA::MPI$' | grep -q openmpi
    otf2-print -I "$BATS_TEST_TMPDIR/t/run-2/traces.otf2" | grep -A1 'PAGODA::MPI$' | grep -q mpich
}

@test "a run of several programs: which rank runs which, and the groups of these ranks" {
    coupled() {
        local dir=$BATS_TEST_TMPDIR/$1 program=$BUILD/programs/$1/trace_end
        cp "$program" "$BATS_TEST_TMPDIR/ocean"
        cp "$program" "$BATS_TEST_TMPDIR/atmosphere"
        launch "$1" 1
        run -0 "$PAGODA" trace -o "$dir" -- "${line[@]}" "$BATS_TEST_TMPDIR/ocean" : \
            -n 2 "$BATS_TEST_TMPDIR/atmosphere" : -n 1 "$BATS_TEST_TMPDIR/ocean"
        check_archive "$dir"
        run -0 "$PAGODA" replay "$dir"
        [ "${lines[1]}" = "programs: ocean (ranks 0,3), atmosphere (ranks 1-2); --group program compares them" ]
        run -0 "$PAGODA" replay --json --group program "$dir"
        [ "$(jq -c '[.groups.items[] | .name, .ranks], [.ranks[].program]' <<<"$output")" = \
            '["ocean",2,"atmosphere",2]
["ocean","atmosphere","atmosphere","ocean"]' ]
        rm -r "$dir"
    }
    for_each_mpi coupled
}

@test "MPI in a library that is loaded at run time" {
    printf '%s\n' '#include <mpi.h>' 'int run(void) { int flag; MPI_Init(0, 0);' \
        'MPI_Barrier(MPI_COMM_WORLD); MPI_Initialized(&flag); MPI_Finalize(); return !flag; }' \
        >"$BATS_TEST_TMPDIR/plugin.c"
    printf '%s\n' '#include <dlfcn.h>' 'int main(int argc, char **argv) {' \
        'void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL); (void)argc;' \
        'return library ? ((int (*)(void))dlsym(library, "run"))() : 9; }' \
        >"$BATS_TEST_TMPDIR/loader.c"
    cc "$BATS_TEST_TMPDIR/loader.c" -o "$BATS_TEST_TMPDIR/loader" -ldl
    loaded() {
        "mpicc.$1" -shared -fPIC "$BATS_TEST_TMPDIR/plugin.c" -o "$BATS_TEST_TMPDIR/$1.so"
        launch "$1" 2
        run -0 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/$1" -- "${line[@]}" "$BATS_TEST_TMPDIR/loader" \
            "$BATS_TEST_TMPDIR/$1.so"
        events_of "$BATS_TEST_TMPDIR/$1" >"$BATS_TEST_TMPDIR/events"
        has '0 Enter MPI_Barrier' "$BATS_TEST_TMPDIR/events"
    }
    for_each_mpi loaded
}

# installed_at DIR: the command and its tracer, copied there.
installed_at() {
    mkdir -p "$1"
    cp "$BUILD"/libpagoda-*.so "$BUILD/pagoda" "$BUILD/pagoda-trace-finish" "$1"
    PAGODA=$1/pagoda
}

@test "a blank in the path of the tracer, and in that of the archive" {
    blank() {
        export LD_LIBRARY_PATH=/nowhere
        installed_at "$BATS_TEST_TMPDIR/a b $1"
        launch "$1" 2
        run -0 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/a b $1/t" -- "${line[@]}" \
            "$BUILD/programs/$1/trace_end"
        [[ $output != *preloaded* ]]
        check_archive "$BATS_TEST_TMPDIR/a b $1/t"
        LD_PRELOAD=libm.so.6 run "$PAGODA" trace -o "$BATS_TEST_TMPDIR/a b $1/u" -- "${line[@]}" \
            sh -c 'echo $LD_PRELOAD in $LD_LIBRARY_PATH; exec "$0"' "$BUILD/programs/$1/trace_end"
        [[ $output == *"libpagoda-trace.so:libm.so.6 in "*"$BATS_TEST_TMPDIR/a b $1:/nowhere"* ]]
        check_archive "$BATS_TEST_TMPDIR/a b $1/u"
    }
    for_each_mpi blank
}

@test "a colon in the path of the tracer is named, and the program runs" {
    installed_at "$BATS_TEST_TMPDIR/a:b"
    run -0 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/t" -- echo run
    [[ $output == *"LD_PRELOAD cannot hold the path"*"a:b/libpagoda-trace.so"*"tracing is off"*run ]]
    [ ! -e "$BATS_TEST_TMPDIR/t" ]
}

@test "a node that does not see the folder of the records: no rank records, and why" {
    apart() {
        local program=$BUILD/programs/$1/trace_end
        launch "$1" 1
        run -0 timeout 100 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/t" -- "${line[@]}" "$program" : \
            -n 1 env PAGODA_SPOOL=/nowhere "$program"
        [[ $output == *"rank 1 on "*" cannot record in /nowhere ("*"; choose a folder that all nodes share, with -o): tracing is off"* ]]
        [ ! -e "$BATS_TEST_TMPDIR/t" ]
    }
    one_mpi apart
}

@test "a process without MPI is left alone" {
    run -5 env LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$BATS_TEST_TMPDIR" sh -c 'exit 5'
    [ "$output" = "" ]
    [ -z "$(ls "$BATS_TEST_TMPDIR"/*.spool 2>/dev/null)" ]
}

@test "a program that only asks whether there is MPI finds none" {
    printf '%s\n' 'extern int MPI_Initialized(int *) __attribute__((weak));' \
        'int main(void) { int flag = 7; return MPI_Initialized ? MPI_Initialized(&flag) + flag : 3; }' \
        >"$BATS_TEST_TMPDIR/ask.c"
    cc -fPIE -pie "$BATS_TEST_TMPDIR/ask.c" -o "$BATS_TEST_TMPDIR/ask"
    run -0 env LD_PRELOAD="$BUILD/libpagoda-trace.so" "$BATS_TEST_TMPDIR/ask"
}

@test "the header compiles as C and C++, dynamic or static, and does nothing without the tracer" {
    printf '%s\n' '#include "tracer/pagoda.h"' 'int main(void) { const char *n[] = {"x"};' \
        'double v[] = {1}; pagoda_region_begin("a"); pagoda_marker("m", 1, n, v);' \
        'pagoda_region_end("a"); return 0; }' >"$BATS_TEST_TMPDIR/a.c"
    cp "$BATS_TEST_TMPDIR/a.c" "$BATS_TEST_TMPDIR/a.cc"
    cc -std=c99 -Wall -Wextra -Werror -pedantic -I"$ROOT" "$BATS_TEST_TMPDIR/a.c" \
        -o "$BATS_TEST_TMPDIR/a"
    "$BATS_TEST_TMPDIR/a"
    cc -no-pie -fno-pie -I"$ROOT" "$BATS_TEST_TMPDIR/a.c" -o "$BATS_TEST_TMPDIR/a"
    "$BATS_TEST_TMPDIR/a"
    cc -static -I"$ROOT" "$BATS_TEST_TMPDIR/a.c" -o "$BATS_TEST_TMPDIR/a"
    "$BATS_TEST_TMPDIR/a"
    ! command -v c++ >/dev/null ||
        c++ -fsyntax-only -Wall -Wextra -Werror -I"$ROOT" "$BATS_TEST_TMPDIR/a.cc"
}

@test "a statically linked program is named as such" {
    printf 'int main(void) { return 0; }\n' >"$BATS_TEST_TMPDIR/s.c"
    cc -static "$BATS_TEST_TMPDIR/s.c" -o "$BATS_TEST_TMPDIR/s"
    run -1 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/t" -- "$BATS_TEST_TMPDIR/s"
    [[ $output == *"is linked statically"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/t" ]
}

@test "wrong usage and commands that are not there" {
    cd "$BATS_TEST_TMPDIR"
    run -2 "$PAGODA" trace
    run -2 "$PAGODA" trace --finish x -- mpirun ./app
    run -1 "$PAGODA" trace -o t -- ./nowhere
    [ "$output" = "pagoda: cannot run ./nowhere: No such file or directory" ]
    [ ! -e t ]
    run -3 "$PAGODA" trace -o t -- sh -c 'exit 3'
    [[ $output == *"failed before any process called MPI_Init"* ]]
}

@test "a folder with a trace is not written again" {
    mkdir "$BATS_TEST_TMPDIR/t"
    touch "$BATS_TEST_TMPDIR/t/traces.otf2"
    run -1 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/t" -- true
    [[ $output == *"holds a trace already"* ]]
}

@test "without -o the folder is named after the program" {
    cd "$BATS_TEST_TMPDIR"
    named() {
        launch "$1" 1
        run -0 "$PAGODA" trace -- "${line[@]}" "$BUILD/programs/$1/trace_end"
        check_archive "$(echo pagoda-trace_end-*)"
        [[ $output == *"pagoda: 1 rank, "*"; next: pagoda replay pagoda-trace_end-"* ]]
        rm -rf pagoda-trace_end-*
    }
    one_mpi named
}

@test "the next command is printed so that a shell understands it" {
    cd "$BATS_TEST_TMPDIR"
    next() {
        local folder
        for folder in "it's one; folder" -o; do
            launch "$1" 1
            run -0 "$PAGODA" trace -o "$folder" -- "${line[@]}" "$BUILD/programs/$1/trace_end"
            [[ $output == *"; next: pagoda replay "* ]]
            eval "\"\$PAGODA\" ${output##*; next: pagoda }" | grep -q Efficiency
            rm -r "./$folder"
        done
    }
    one_mpi next
}

@test "a program built with the address sanitizer starts after the tracer" {
    sanitized() {
        echo '#include <mpi.h>' >"$BATS_TEST_TMPDIR/asan.c"
        echo 'int main(void) { MPI_Init(0, 0); MPI_Finalize(); }' >>"$BATS_TEST_TMPDIR/asan.c"
        "mpicc.$1" -fsanitize=address "$BATS_TEST_TMPDIR/asan.c" -o "$BATS_TEST_TMPDIR/asan.$1" ||
            skip "no address sanitizer"
        launch "$1" 1
        # MPI may load an OpenCL in C++, which the sanitizer of a C program does not survive.
        HWLOC_COMPONENTS=$HWLOC_COMPONENTS,-opencl ASAN_OPTIONS=detect_leaks=0 run "$PAGODA" trace -o "$BATS_TEST_TMPDIR/$1" -- "${line[@]}" \
            "$BATS_TEST_TMPDIR/asan.$1"
        [ "$status" = 0 ]
        check_archive "$BATS_TEST_TMPDIR/$1"
    }
    for_each_mpi sanitized
}
