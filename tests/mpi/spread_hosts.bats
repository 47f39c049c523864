# SPDX-License-Identifier: BSD-3-Clause
# A replay shared by processes on two hosts: network namespaces with a network between them, and with
# files of their own.
load ../helper

# The hosts are $host-1 and $host-2; $missing says what they lack.
setup_file() {
    export host=pagoda-$$ missing=''
    local device i
    PATH=$PATH:/usr/sbin:/sbin
    if ! has_mpi openmpi; then
        missing='there is no Open MPI'
    elif ! ip netns add "$host-1" 2>/dev/null || ! ip netns add "$host-2"; then
        missing='no network namespaces here (needs root and iproute2)'
    elif ! ip link add one netns "$host-1" type veth peer name two netns "$host-2"; then
        missing='no network between namespaces here'
    else
        for i in 1 2; do
            device=one
            [ $i = 1 ] || device=two
            ip -n "$host-$i" link set lo up
            ip -n "$host-$i" addr add 10.213.9.$i/24 dev $device
            ip -n "$host-$i" link set $device up
        done
    fi
}

teardown_file() {
    ip netns del "$host-1" 2>/dev/null || true
    ip netns del "$host-2" 2>/dev/null || true
}

setup() {
    [ -z "$missing" ] || skip "$missing"
    cd "$BATS_TEST_TMPDIR" || return
}

# on_two_hosts N COMMAND...: process R on host R modulo 2, in a folder host-1 or host-2; Open MPI starts the
# processes of the second host by the script `agent`.
on_two_hosts() {
    local n=$1
    shift
    # shellcheck disable=SC2016
    printf '%s\n' '#!/bin/bash' 'address=$1' shift "exec ip netns exec $host-\${address##*.} unshare --uts bash -c \"hostname second; \$*\"" >agent
    chmod +x agent
    # shellcheck disable=SC2016
    timeout -k 5 300 ip netns exec "$host-1" mpirun.openmpi --host 10.213.9.1:8,10.213.9.2:8 --map-by node \
        --mca plm_rsh_agent "$PWD/agent" --mca btl tcp,self --mca btl_tcp_if_include 10.213.9.0/24 \
        --mca oob_tcp_if_include 10.213.9.0/24 -n "$n" -x PAGODA_MPI=openmpi \
        sh -c 'cd host-$((OMPI_COMM_WORLD_RANK % 2 + 1)) && exec "$@"' sh "$@" 2>all | tr -d '\r' >out
    grep '^pagoda' all >err || true
}

@test "each host reads its own files, and the output is that of one process" {
    local n i
    "$BUILD/bench/generate" --ranks 9 --pattern random --user-events 5 --events 1e5 trace >/dev/null
    "$PAGODA" replay trace --properties message-passing --json >alone
    for n in 2 4; do
        rm -rf host-1 host-2
        for i in 1 2; do
            mkdir host-$i
            cp -r trace host-$i
        done
        if [ $n = 2 ]; then # the first process reads one location of three
            rm host-1/trace/traces/[124578].evt host-2/trace/traces/[036].evt
        fi
        on_two_hosts $n "$PAGODA" replay trace --properties message-passing --json
        cat all
        cmp out alone
    done
}

@test "a host without the trace: its process says so" {
    mkdir host-1 host-2
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/advise/pairs.txt" host-1/trace
    on_two_hosts 2 "$PAGODA" replay trace
    [ ! -s out ]
    [ "$(cat err)" = "pagoda: process 1 on second: cannot open 'trace': No such file or directory" ]
}
