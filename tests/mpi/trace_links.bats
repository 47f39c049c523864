# SPDX-License-Identifier: BSD-3-Clause
# An output folder in which somebody has put links or other things: nothing outside of it is written
# or removed, and nothing in the archive is what it is not.
# shellcheck disable=SC2154,SC2317 # variables that trace.bash sets; functions it calls
load trace

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    mkdir out elsewhere
    echo precious >elsewhere/precious
    cp elsewhere/precious elsewhere/facts
    cp elsewhere/precious elsewhere/settings
    cp elsewhere/precious elsewhere/1.evt
    cp -a elsewhere before
    # Any MPI will do.
    mpi=openmpi
    has_mpi $mpi || mpi=mpich
    has_mpi $mpi || skip "no MPI is installed"
    launch $mpi 2
    line+=("$BUILD/programs/$mpi/trace_end")
}

# ends STATUS: a traced run into out; what lies elsewhere is as before, however it ends.
ends() {
    run "$PAGODA" trace -o out -- "${line[@]}" exit 0
    [ "$status" = "$1" ]
    [[ $output == *running* ]]
    diff -r before elsewhere
}

# property NAME: of the archive in t. In the anchor file a zero byte ends names and values.
property() {
    grep -zaxFA1 "$1" t/traces.otf2 | tail -zn 1 | tr -d '\0'
}

@test "links in place of the files of the spool" {
    mkdir out/spool
    for name in probe facts settings; do
        ln -s ../../elsewhere/precious out/spool/$name
    done
    ends 0
    check_archive out
}

@test "hard links in place of the files of the spool" {
    mkdir out/spool
    for name in probe facts settings; do
        ln elsewhere/precious out/spool/$name
    done
    ends 0
    check_archive out
}

@test "a link in place of the spool, also one that leads nowhere" {
    for target in ../elsewhere nowhere; do
        ln -sfn $target out/spool
        ends 0
        [[ $output == *"cannot record in out ("*"tracing is off"* ]]
        [ ! -e out/nowhere ]
        [ "$(ls out)" = spool ]
    done
}

@test "a spool with something else in it is left alone" {
    mkdir out/spool
    touch out/spool/mine
    ends 0
    [[ $output == *"cannot record in out (Directory not empty): tracing is off"* ]]
    [ "$(ls out/spool)" = mine ]
}

@test "links in place of the archive" {
    for name in traces traces.def traces.otf2; do
        rm -rf out
        mkdir out
        target=../elsewhere
        [ $name = traces ] || target=../elsewhere/new
        ln -s $target out/$name
        ends 0
        [[ $output == *"cannot write the archive"*"is there already"* ]]
        [ -L out/$name ]
        # Without it --finish makes the archive.
        rm out/$name
        "$PAGODA" trace --finish out
        check_archive out
    done
}

@test "--finish follows no link to records, and waits for no pipe" {
    mkdir -p out/spool
    LD_PRELOAD="$BUILD/libpagoda-trace.so" PAGODA_SPOOL="$PWD/out/spool" \
        run_mpi "$mpi" 2 "$BUILD/programs/$mpi/trace_end"
    mv out/spool records
    cp -a records kept
    ln -s ../records out/spool
    run -1 "$PAGODA" trace --finish out
    diff -r kept records
    rm out/spool
    mkdir out/spool
    for file in records/*.spool; do
        ln -s "../../$file" out/spool/
    done
    mkfifo out/spool/pipe.spool out/spool/facts
    run -1 timeout 300 "$PAGODA" trace --finish out
    diff -r kept records
}

@test "line breaks in the folder, in arguments and in variables stay within their property" {
    local odd=$'odd\nPAGODA::DIRECTORY=false\nPAGODA::TAG=false'
    mkdir "$odd"
    cd "$odd"
    ODD=$odd run "$PAGODA" trace --env ODD -o t -- "${line[@]}" exit 0 "$odd"
    [ "$status" = 0 ]
    check_archive t
    [ "$(property PAGODA::DIRECTORY)" = "$PWD" ]
    [ "$(property PAGODA::ENV::ODD)" = "$odd" ]
    [[ $(property PAGODA::COMMAND) == *"$odd" ]]
    [ "$(property PAGODA::TAG)" = "" ]
}

@test "a setting with a line break is refused" {
    run -2 "$PAGODA" trace --start-at $'a\nmax_bytes=1' -- touch was-run
    [[ $output == *"--start-at: a line break in the value"* ]]
    [ ! -e was-run ]
    PAGODA_STOP_AT=$'a\nb' run "$PAGODA" trace -- touch was-run
    [ "$status" = 2 ]
    [[ $output == *"PAGODA_STOP_AT: a line break in the value"* ]]
}
