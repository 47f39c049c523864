# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --output: the predicted run as an archive. That its times are those predicted is
# checked on random programs by tests/unit/test_rewrite.c; here it is opened by other tools, machine
# files change what calls cost, and what must not be written is not.
load ../whatif

# comes_back OPTIONS...: replaying the predicted run finds what was predicted.
comes_back() {
    rm -rf out
    "$PAGODA" replay --json "$@" --output out trace | jq -c '.whatif |
        [.predicted_ns, .critical_path.length_ns,
         [.patterns[] | select(.count > 0) | [.id, .count, .total_ns]]]' >predicted
    "$PAGODA" replay --json out | jq -c '
        [.time_ns, .critical_path.length_ns,
         [.patterns[] | select(.count > 0) | [.id, .count, .total_ns]]]' >replayed
    diff predicted replayed
}

# refused PATTERN ARGUMENTS...: exit status 1 or 2, one sentence, nothing left behind.
refused() {
    local pattern=$1 before after
    shift
    before=$(find . -mindepth 1 -maxdepth 1 | sort)
    run "$PAGODA" replay "$@"
    ((status == 1 || status == 2))
    [[ ${lines[0]} =~ $pattern ]]
    after=$(find . -mindepth 1 -maxdepth 1 | sort)
    [ "$before" = "$after" ]
}

@test "the predicted run is a trace" {
    comes_back --place a=0,1 --place b=2
    [ "$("$PAGODA" replay --json out | jq .time_ns)" = 8000 ]
    "$PAGODA" check out
    "$PAGODA" replay --json out | jq -e '.warnings[] | select(.code == "predicted-run") | .text |
        contains("predicted, not measured: by pagoda replay --place a=0,1 --place b=2 from trace/traces.otf2")'
    "$PAGODA" replay --store runs.db out >/dev/null
    "$PAGODA" store list --json runs.db | jq -e '.trials[0].origin == "predicted"'
    "$PAGODA" replay --json out | jq -e '[.nodes[] | [.name, .cores, .ranks]] == [["a", 1, 2], ["b", 1, 1]]'
}

@test "ranks that change their node take their time before the phase" {
    use phases
    comes_back --place two:b=0
    [ "$("$PAGODA" replay --json out | jq .time_ns)" = 5500 ]
    cat >machine.xml <<END
<machine name="m"><message scope="node"><point bytes="0" time="10ns"/></message>
<message scope="network"><point bytes="0" time="100ns"/><point bytes="100" time="1100ns"/></message></machine>
END
    comes_back --place two:b=0 --cores 2 --machine machine.xml --state 50
    # Rank 0 is on its way from 1000 to 1600.
    otf2-print out/traces.otf2 | awk '$2 == 0 && /two/ { print $1, $3 }' | diff - <(printf 'ENTER 1600\nLEAVE 3600\n')
    "$PAGODA" replay --json trace --place two:b=0 --cores 2 --machine machine.xml --state 50 | jq -e '.whatif |
        [.relocations, .relocation_ns, .ranks[0].wait_ns, .ranks[0].finish_ns] == [1, 600, 600, 3600]'
    "$PAGODA" replay trace --place two:b=0 --machine machine.xml --state 50 |
        grep -q '^ *1 move of a rank to another node, 600 ns altogether$'
}

@test "other tools open it" {
    "$PAGODA" replay --nodes 1 --output out trace >/dev/null
    otf2-print out/traces.otf2 >events
    [ "$(grep -c '^\(ENTER\|LEAVE\|MPI_\)' events)" = 18 ]
    grep -q '^MPI_RECV .* 9000 ' events
    otf2-print -G out/traces.otf2 | grep -q 'SYSTEM_TREE_NODE .*"node0"'
    otf2-print -A out/traces.otf2 | grep -A1 PAGODA::PREDICTED | grep -q -- '--nodes 1'
    run otf2-print -G out/traces.otf2
    [[ $output != *warning* ]]
    otf2-estimator </dev/null
}

@test "it is the same, byte for byte, whenever it is written" {
    "$PAGODA" replay --cpu-speed 0.3 --output one trace >/dev/null
    PAGODA_THREADS=1 "$PAGODA" replay --cpu-speed 0.3 --output two trace >/dev/null
    diff -r one two
}

@test "calls as long as a machine file says, regions scaled" {
    for name in messages collectives two-nodes; do
        use $name
        cat >machine.xml <<END
<machine name="test" cpu-speed="0.7">
  <message scope="network" eager="1000" send-overhead="100ns" recv-overhead="0.2us">
    <point bytes="0" time="1us"/> <point bytes="1000B" time="2us"/>
  </message>
  <collective op="barrier" time="1e-6*log2(p)"/>
</machine>
END
        comes_back --machine machine.xml
        comes_back --machine machine.xml --eager 5000 --nodes 1 --cores 2
        comes_back --scale '*=0.3' --nodes 2
        comes_back --scale '*=0'
    done
}

# records KIND: how many of them the predicted run has.
records() {
    otf2-print out/traces.otf2 | grep -c "^$1 " || true
}

@test "what is left out has no records, on either side" {
    use collectives
    comes_back --drop-sync MPI_Barrier
    [ "$(records MPI_COLLECTIVE_END)" = "$(($(otf2-print trace/traces.otf2 | grep -c '^MPI_COLLECTIVE_END ') - $(otf2-print trace/traces.otf2 | grep -c '^MPI_COLLECTIVE_END .*BARRIER')))" ]
    [ "$(otf2-print out/traces.otf2 | grep -c 'ENTER .*MPI_Barrier')" -gt 0 ]
    comes_back --drop-sync 'MPI_*'
    [ "$(records MPI_COLLECTIVE_END)" = 0 ]
    "$PAGODA" replay --json out |
        jq -e 'all(.warnings[]; .code != "incomplete-collective" and .code != "unmatched-send")'
    use messages
    comes_back --cut-messages 'size>=0'
    for kind in MPI_SEND MPI_ISEND MPI_ISEND_COMPLETE MPI_IRECV_REQUEST MPI_RECV MPI_IRECV; do
        [ "$(records $kind)" = 0 ]
    done
    comes_back --cut-messages 'size>=1=0.5'
    [ "$(records MPI_RECV)" = "$(otf2-print trace/traces.otf2 | grep -c '^MPI_RECV ')" ]
    "$PAGODA" replay --json out |
        jq -e 'all(.warnings[]; .code != "unmatched-send" and .code != "unmatched-receive")'
}

@test "calls that are waited for later: posted where they are called, completed by MPI_Waitall" {
    # The times are worked out in the trace: rank 1 posts at 500 and 900, waits from 1000 to 1100.
    use overlap
    echo '<machine name="m"><message scope="network"><point bytes="0" time="100ns"/></message></machine>' >m.xml
    comes_back --overlap exchange --machine m.xml
    [ "$("$PAGODA" replay --json out | jq .time_ns)" = 1400 ]
    otf2-print out/traces.otf2 | awk '$2 == 1 && /^(MPI_|ENTER.*MPI_W|LEAVE.*MPI_W)/ { print $1, $3 }' >events
    diff events - <<END
MPI_IRECV_REQUEST 500
MPI_IRECV_REQUEST 900
ENTER 1000
MPI_IRECV 1100
MPI_IRECV 1100
LEAVE 1100
MPI_SEND 1100
END
    run otf2-print -G out/traces.otf2
    [[ $output == *MPI_Waitall* && $output == *pagoda::source* && $output != *warning* ]]
    comes_back --overlap exchange --machine m.xml --cut-messages 'from==2'
    [ "$(records MPI_IRECV)" = 1 ]
}

@test "nonblocking operations that are waited for later: begun where they were, completed by MPI_Waitall" {
    # The times are worked out in the trace.
    use overlap-collective
    cat >m.xml <<END
<machine name="m"><message scope="network"><point bytes="0" time="100ns"/></message>
<collective op="allreduce" time="100e-9"/></machine>
END
    comes_back --overlap iterate --machine m.xml
    otf2-print out/traces.otf2 |
        awk '/^(NON_BLOCK.*COMPLETE|ENTER.*MPI_Waitall|LEAVE.*MPI_Waitall)/ { print $2, $3, $1 }' >events
    diff events - <<END
2 800 ENTER
2 1000 NON_BLOCKING_COLLECTIVE_COMPLETE
2 1000 LEAVE
0 1200 ENTER
0 1200 NON_BLOCKING_COLLECTIVE_COMPLETE
0 1200 LEAVE
1 1200 ENTER
1 1200 NON_BLOCKING_COLLECTIVE_COMPLETE
1 1200 LEAVE
END
}

@test "an empty folder is used, another one is not" {
    mkdir out
    "$PAGODA" replay --nodes 1 --output out/ trace >/dev/null
    [ -e out/traces.otf2 ]
    refused "'out' is not empty" --nodes 1 --output out trace
    refused "No such file or directory" --nodes 1 --output nowhere/out trace
    refused "Not a directory" --nodes 1 --output trace/traces.otf2 trace
}

@test "bad input" {
    refused 'say by what-if options' --output out trace
    refused 'one predicted run, not one for each value' --nodes 1,2 --output out trace
    refused 'no such region' --drop-sync P9 --output out trace
    refused 'no such region' --overlap P9 --nodes 2 --output out trace
    refused 'one predicted run, not one for each value' --cut-messages 'size>=0=0,0.5' --output out trace
    refused 'rank 2 is on no node' --place a=0,1 --output out trace
    truncate -s -3 trace/traces/1.evt
    refused 'cannot be read to its end' --nodes 1 --output out trace
}

@test "nothing is left after an interrupt" {
    # Long enough to be hit while it is written; which of the two happens is not what is tested.
    {
        echo '0 0 enter main'
        for ((i = 1; i < 20000; i++)); do
            printf '0 %d enter f\n0 %d leave f\n' $((10 * i)) $((10 * i + 5))
        done
        echo '0 200000 leave main'
    } | "$BUILD/tools/mktrace" - long
    "$PAGODA" replay --cpu-speed 2 --output out long >/dev/null 2>err &
    local pid=$!
    until compgen -G '.pagoda-out-*' >/dev/null || [ -e out ] || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
    kill -INT $pid 2>/dev/null || true
    local status=0
    wait $pid || status=$?
    cat err
    if [ -e out ]; then
        "$PAGODA" check out
    else
        ((status == 1 || status == 130))
    fi
    run -1 compgen -G '.pagoda-out-*'
}

@test "nothing is left when the disk is full" {
    mkdir full
    mount -t tmpfs -o size=8k none full || skip "needs the right to mount"
    run "$PAGODA" replay --nodes 1 --output full/out trace
    find full -mindepth 1 >left
    umount full
    [ "$status" = 1 ]
    [[ $output == *"No space left"* || $output == *"full/out"* ]]
    [ ! -s left ]
}

# peak_of_writing N: memory that writing a run of N visits of a region takes. An address sanitizer would keep
# what is freed.
peak_of_writing() {
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
    rm -rf long out
    awk -v n="$1" 'BEGIN { print "0 0 enter main"
        for (i = 1; i <= n; i++) printf "0 %d enter f\n0 %d leave f\n", i * 1000, i * 1000 + 500
        print "0 " (n + 1) * 1000 " leave main" }' | "$BUILD/tools/mktrace" - long
    peak_kib "$PAGODA" replay --cpu-speed 2 --output out long
}

@test "memory does not grow with what is written" {
    # 3.6 MB and 14.4 MB of events; OTF2 by itself keeps up to 128 MiB of a location.
    local short long
    short=$(peak_of_writing 150000)
    long=$(peak_of_writing 600000)
    echo "$short $long"
    ((long < short + 5000))
}
