# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --list-waits CONDITION: single waits, and --interval pattern==...
load ../helper

# send RANK ENTER LEAVE TO BYTES, receive RANK ENTER LEAVE FROM BYTES, in us.
send() {
    printf '%s %s000 enter MPI_Send\n%s %s500 send world %s 0 %s\n%s %s000 leave MPI_Send\n' \
        "$1" "$2" "$1" "$2" "$4" "$5" "$1" "$3"
}

receive() {
    printf '%s %s000 enter %s\n%s %s900 recv world %s 0 %s\n%s %s000 leave %s\n' \
        "$1" "$2" "${6:-MPI_Recv}" "$1" $(($3 - 1)) "$4" "$5" "$1" "$3" "${6:-MPI_Recv}"
}

# Rank 1 waits 10 us for 100 bytes of rank 0 (from 20 on), 30 us for 5000 bytes of rank 2 (from 100 on);
# rank 2 waits 40 us for 100 bytes of rank 0 (from 10 on), in `halo`.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    {
        printf '%s 0 enter main\n' 0 1 2
        send 0 30 32 1 100
        receive 1 20 35 0 100
        printf '2 10000 enter halo\n'
        send 0 50 52 2 100
        receive 2 10 55 0 100
        printf '2 60000 leave halo\n'
        send 2 130 132 1 5000
        receive 1 100 140 2 5000
        printf '%s 200000 leave main\n' 0 1 2
    } >run.txt
    "$BUILD/tools/mktrace" run.txt run
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
}

waits() {
    "$PAGODA" replay --json --list-waits "$1" run |
        jq -c '[.count, .total_ns, [.waits[] | [.rank, .cause_rank, .begin_ns, .wait_ns]]]'
}

@test "waits by pattern, length, ranks, path and fields" {
    all='[3,80000,[[2,0,10000,40000],[1,0,20000,10000],[1,2,100000,30000]]]'
    [ "$(waits 'pattern==late-sender')" = "$all" ]
    [ "$(waits 'wait>0ns')" = "$all" ]
    [ "$(waits 'pattern==communication')" = "$all" ]
    [ "$(waits 'wait>=30us')" = '[2,70000,[[2,0,10000,40000],[1,2,100000,30000]]]' ]
    [ "$(waits 'rank==1 && cause==2')" = '[1,30000,[[1,2,100000,30000]]]' ]
    [ "$(waits 'rank!=1')" = '[1,40000,[[2,0,10000,40000]]]' ]
    [ "$(waits 'bytes>=4KiB')" = '[1,30000,[[1,2,100000,30000]]]' ]
    [ "$(waits 'begin<20us')" = '[1,40000,[[2,0,10000,40000]]]' ]
    [ "$(waits 'path==*/halo/*')" = '[1,40000,[[2,0,10000,40000]]]' ]
    [ "$(waits 'path!=*/halo/* && sender==0')" = '[1,10000,[[1,0,20000,10000]]]' ]
    [ "$(waits 'node==nowhere' 2>&1)" != "$all" ]
    [ "$(waits 'pattern==wait-at-barrier')" = '[0,0,[]]' ]
}

@test "a list of the longest, in the order of time" {
    run -0 "$PAGODA" replay --list-waits 'pattern==late-sender' --top 2 run
    [ "${lines[0]}" = "trace run: 3 waits where pattern==late-sender, 80.00 us in sum" ]
    [ "${lines[1]}" = "the 2 longest (more with --top), in the order of time" ]
    [[ ${lines[3]} =~ ^\ +10\.00.*40\.00\ us\ +2\ +0\ +"Late Sender  main/halo/MPI_Recv"$ ]]
    [[ ${lines[4]} =~ 30\.00\ us\ +1\ +2\ +"Late Sender  main/MPI_Recv"$ ]]
    [ "${#lines[@]}" = 5 ]
    run -0 "$PAGODA" replay --list-waits 'pattern==wait-at-barrier' run
    [ "$output" = "trace run: 0 waits where pattern==wait-at-barrier, 0 ns in sum" ]
}

@test "each wait as an interval" {
    run -0 bash -c '"$PAGODA" replay --json --interval "pattern==late-sender && wait>=30us" run |
        jq -c "[.intervals[] | [.name, .time_ns]]"'
    [ "$output" = '[["10000ns:50000ns",40000],["100000ns:130000ns",30000]]' ]
    "$PAGODA" replay --interval 'pattern==late-sender && rank==2' --store runs.db run
    run -0 "$PAGODA" store list runs.db
    [[ $output == *10000ns:50000ns* ]]
}

@test "conditions that select nothing" {
    refused() {
        says "$4" "-$1" "$PAGODA" replay "$2" "$3" run
    }
    refused 2 --list-waits 'wait>=' 'wait'
    refused 2 --list-waits 'lenght>=1ms' 'unknown name `lenght`'
    refused 2 --list-waits 'rank' 'what is `rank` compared with?'
    refused 2 --list-waits 'rank>=3' 'only == or != may follow rank'
    refused 2 --list-waits 'pattern!=late-sender' 'only == may follow pattern'
    refused 2 --list-waits 'wait>=long' 'wait'
    refused 2 --list-waits 'rank==x' 'x'
    refused 1 --list-waits 'rank==7' 'rank 7'
    refused 1 --list-waits 'pattern==late-sendr' 'there is no pattern `late-sendr`'
    refused 1 --list-waits 'node==nowhere' 'no rank runs on a node `nowhere`'
    refused 1 --list-waits 'path==*/nowhere' 'the run has no call path `*/nowhere`'
    refused 1 --list-waits 'pattern==wait-at-barrier && sender==1' 'a field that is compared is none'
    refused 1 --interval 'pattern==wait-at-barrier' 'the run has no such wait'
    refused 2 --interval 'pattern==late-sender && x==1' 'unknown name `x`'
    says -2 "it goes alone" "$PAGODA" replay --list-waits 'wait>=1ms' --explain 0@1s run
}
