# SPDX-License-Identifier: BSD-3-Clause
# How long before its receiver's call each message was sent: replay --all, --json.
load ../helper

# message TAG SENT ASKED: rank 0 enters a send at SENT, rank 1 its receive at ASKED; ns after the last one.
at=0
message() {
    local tag=$1 sent=$((at + $2)) asked=$((at + $3)) last=$((at + $2))
    [ $((at + $3)) -gt "$last" ] && last=$asked
    cat <<EOF
0 $sent enter MPI_Send
0 $sent send world 1 $tag 8
0 $((sent + 1)) leave MPI_Send
1 $asked enter MPI_Recv
1 $((last + 2)) recv world 0 $tag 8
1 $((last + 2)) leave MPI_Recv
EOF
    at=$((last + 10))
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    {
        message 7 500 100     # its receiver waits
        message 7 100 100     # at the same time: no slack
        message 7 100 101     # 1 ns
        message 7 100 1099    # 999 ns
        message 7 100 1100    # 1 us
        message 7 100 10100   # 10 us
        message 7 100 100099  # below 100 us
        message 9 0 1000000   # 1 ms
        message 9 0 9999999   # below 10 ms
        message 9 0 10000000  # 10 ms
        message 9 0 900000000 # much longer
    } >text
    "$BUILD/tools/mktrace" - run <text
}

@test "slack by communicator and tag, by hand, at the bounds of each class" {
    [ "$("$PAGODA" replay --json run | jq -c '.message_slack[] | [.tag, .messages, .by_slack]')" = \
        '[7,7,[2,2,1,2,0,0,0]]
[9,4,[0,0,0,0,0,2,2]]' ]
    run -0 "$PAGODA" replay --all run
    [[ $output == *"Slack of messages (how long before the receiver's call"* ]]
    [[ $output == *" tag 9"* ]]
    run -0 "$PAGODA" replay run
    [[ $output != *"Slack of messages"* ]]
}

@test "messages that tests found have no slack" {
    sed 's/MPI_Recv/MPI_Test/; s/recv world/recv world/' text | "$BUILD/tools/mktrace" - tested
    "$PAGODA" replay --json tested | jq -e '[.message_slack[].messages] == [0, 0]'
}
