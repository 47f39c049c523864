# SPDX-License-Identifier: BSD-3-Clause
# Archives that somebody made to do harm: names with escape sequences, time stamps no run has.
load ../helper

@test "what names of an archive or a path hold never reaches the terminal as an escape sequence" {
    local esc=$'\033[31m'
    cat >esc.txt <<TEXT
nodes a$esc b$esc
0 0         enter work$esc
0 1000-2000 MPI_Send ; 1100 send world 1 0 8
0 3000      leave work$esc
1 0-2500 MPI_Recv ; 1500 recv world 0 0 8
TEXT
    "$BUILD/tools/mktrace" esc.txt esc
    cp -r esc "p$esc"
    harmless() {
        run "$PAGODA" "$@"
        [[ $output == *'?[31m'* && $output != *$'\033'* ]]
    }
    harmless replay esc
    harmless replay esc --scale nosuch=2
    harmless replay esc --scale "work$esc=0.5"
    harmless replay esc --balance "work$esc"
    harmless replay esc --interval "x$esc"
    harmless replay esc --cores "x$esc=2"
    harmless replay "q$esc"
    harmless check "q$esc"
    harmless check "p$esc"
    harmless explain "$esc"
    harmless "$esc"
}

@test "time stamps that no run has end their location; predictions that take too long are refused" {
    # long TICKS_PER_SECOND BEGIN END: two ranks, one message, one barrier.
    long() {
        rm -rf long
        "$BUILD/tools/mktrace" - long <<TEXT
clock $1
0 $2 enter main
0 $2 enter MPI_Send
0 $2 send world 1 0 8
0 $2 leave MPI_Send
0 $3 leave main
1 $2 enter main
1 $2 enter MPI_Recv
1 $3 recv world 0 0 8
1 $3 leave MPI_Recv
1 $3 leave main
TEXT
    }
    local year=31536000000000000 times
    for times in "1000000000 0 $((year + 1))" "1000000000 0 9223372036854775807" "1 7 4611686018427387904" \
        "1000 1 9223372036854775807" "1000000000 1 9223372036854775807"; do
        # shellcheck disable=SC2086 # three words
        long $times
        run "$PAGODA" replay long
        echo "$times: $output"
        [ "$status" = 3 ]
        [[ $output == *"2 ranks on 1 node, 0 ns"*"time stamp"*"further"*"than any run lasts"* ]]
        run -3 "$PAGODA" advise long
    done
    long 1000000000 9191836000000000000 9223372000000000000 # a year, at the end of all ticks
    says -0 "2 ranks on 1 node, 31536000 s" "$PAGODA" replay long
    "$PAGODA" advise long >/dev/null
    run -1 "$PAGODA" replay long --cpu-speed 0.001
    [[ $output =~ ^"pagoda: ".*"the predicted run takes ".*" s, longer than any run that can be judged"$ ]]
}
