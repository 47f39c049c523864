# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay: what lost time comes from, on text traces small enough to compute by hand: origins of waits,
# time without CPU time, and what the critical path has.
load ../helper

@test "a delay through two ranks is told by its origin, and the parts sum to the waits" {
    archive replay/chain
    "$PAGODA" replay --json chain >chain.json
    # Rank 0 was late by 200 us of solve, rank 1 by 15 us more; 30 us of work in main offset that.
    run jq -r '.patterns[] | select(.id == "late-sender") | "\(.total_ns)", (.origins
        | "\(.explained_ns) \(.unexplained_ns) \(.offset_ns)",
          ([.regions, .region_ranks] | map(map(.time_ns) | add) | map(tostring) | join(" ")),
          (.region_ranks[] | "\(.region) \(.rank) \(.time_ns)"))' chain.json
    [ "$output" = "185000
185000 0 -30000
185000 185000
solve 0 172093
pass_on 1 8604
MPI_Recv 1 4303" ]
    "$PAGODA" replay chain >chain.report
    grep -q 'delayed by  *solve 93.0 % (rank 0)' chain.report
}

@test "waits that no pattern counts explain none, and what is not known is told" {
    # Rank 0 waits 30 in an allreduce, then 100 in an allgather without data.
    cat >zero.txt <<'END'
0 0 enter main
0 70-105 MPI_Allreduce ; 70 coll-begin ; 105 coll-end allreduce world - 8 8
0 200-310 MPI_Allgather ; 200 coll-begin ; 310 coll-end allgather world - 0 0
0 400 leave main
1 0 enter main
1 100-105 MPI_Allreduce ; 100 coll-begin ; 105 coll-end allreduce world - 8 8
1 300-310 MPI_Allgather ; 300 coll-begin ; 310 coll-end allgather world - 0 0
1 400 leave main
END
    "$BUILD/tools/mktrace" zero.txt zero
    run jq -r '.patterns[] | select(.count > 0) | .id, .total_ns, (.origins | .explained_ns,
        .unexplained_ns, (.regions[] | .region, .time_ns))' <("$PAGODA" replay --json zero)
    [ "$output" = "$(printf '%s\n' wait-at-nxn 30 30 0 main 30)" ]
    # A sender of 8 bytes is in its call until the receive is posted: for that one, or for others?
    cat >eager.txt <<'END'
0 0 enter main
0 10-60 MPI_Send ; 10 send world 1 0 8
0 90 leave main
1 0 enter main
1 50-60 MPI_Recv ; 55 recv world 0 0 8
1 90 leave main
END
    "$BUILD/tools/mktrace" eager.txt eager
    run jq -r '.patterns[] | select(.count > 0) | .id, .total_ns, (.origins | .explained_ns,
        .unexplained_ns, (.regions | length))' <("$PAGODA" replay --json eager)
    [ "$output" = "$(printf '%s\n' late-receiver 40 0 40 0)" ]
    "$PAGODA" replay --all eager | grep -q 'delayed by  *not known 100.0 %'
}

@test "a root that waits for the slowest sender waits, whenever the first one came" {
    awk 'BEGIN { for (r = 0; r < 8; r++) {
            t = r == 0 ? 1000 : r == 1 ? 1100 : 1000000
            print r, 0, "enter solve"; print r, t, "leave solve"
            print r, t, "enter MPI_Gather"; print r, t, "coll-begin"
            l = r == 0 ? 1001000 : t + 100
            print r, l, "coll-end gather world 0", r == 0 ? "8 64" : "8 0"
            print r, l, "leave MPI_Gather" } }' | "$BUILD/tools/mktrace" - gather
    "$PAGODA" replay --json gather >gather.json
    run jq -r '.patterns[] | select(.count > 0) | "\(.id) \(.total_ns) \(.origins.explained_ns)",
        (.origins.region_ranks[] | "  \(.region) \(.rank) \(.time_ns)"),
        (.by_cause[] | "  rank \(.rank) \(.ns)")' gather.json
    [ "$output" = "early-reduce 100 100
  solve 1 100
  rank 1 100
wait-at-nx1 998900 998900
  solve 2 998900
  rank 2 998900" ]
    run jq -r .conclusion gather.json
    [[ $output == *"(Wait at N x 1). This costs 999.0 us"* ]]
    [[ $output != *"Cost of"* ]]
}

@test "time without CPU time is no computing, and said before waits" {
    archive replay/without-cpu
    "$PAGODA" replay --json without-cpu >out.json
    jq -e '.window | .useful_ns == 37150000 and .no_cpu_ns == 10100000 and .wait_ns == 9000000
        and .other_mpi_ns == 3750000' out.json
    jq -e '[.ranks[] | [.useful_ns, .no_cpu_ns, .mpi_ns, .wait_ns, .no_cpu_mpi_ns]] == [
        [10950000, 6000000, 3050000, 0, 2500000], [15900000, 1000000, 3100000, 0, 0],
        [10300000, 500000, 9200000, 9000000, 100000]]' out.json
    jq -e '.efficiency | (.load_balance - 37.15 / 3 / 15.9 | fabs) < 1e-9
        and (.cpu - 15.9 / 16.95 | fabs) < 1e-9 and (.communication - 16.95 / 20 | fabs) < 1e-9
        and (.parallel - .load_balance * .cpu * .communication | fabs) < 1e-9' out.json
    # Each part below the call path it was taken from.
    jq -e '[.profile[] | select(.region == "(without CPU time)") | [.path, .exclusive_ns]] | sort == [
        ["main/setup/(without CPU time)", 1200000],
        ["main/solve/(without CPU time)", 6300000],
        ["main/solve/MPI_Recv/(without CPU time)", 100000],
        ["main/solve/MPI_Send/(without CPU time)", 2500000]]' out.json
    # What made rank 2 wait, and what determined the run time: 8 of 9.35 ms in which rank 0 was late;
    # 0.35 ms more of solve on rank 2 offset that.
    jq -e '.patterns[] | select(.id == "late-sender") | .total_ns == 9000000
        and (.origins.regions[0] | .region == "(without CPU time)" and .time_ns == 7700534)' out.json
    jq -e '.critical_path.regions[] | select(.region == "(without CPU time)") | .time_ns == 8500000' out.json
    jq -e '.findings[0] | .kind == "shared-cores" and .ranks == [0] and .pattern == "late-sender"
        and .loss_ns == 17800534
        and (.text | startswith("Ranks had no CPU time: 3 ranks shared 2 cores.")) and .remedies[0].words == "--cores 3"' out.json
}

@test "blocked time is told from time without a core" {
    sed 's/^#!.*//' "$ROOT/tests/traces/whatif/blocked.txt" >blocked.txt
    "$BUILD/tools/mktrace" blocked.txt blocked
    "$PAGODA" replay --json blocked >out.json
    jq -e '.window | .useful_ns == 8000000 and .no_cpu_ns == 8000000 and .blocked_ns == 7000000' out.json
    jq -e '[.ranks[] | [.no_cpu_ns, .blocked_ns]] == [[8000000, 7000000], [0, 0]]' out.json
    jq -e '[.profile[] | select(.region | test("^.(blocked|without)")) | [.path, .exclusive_ns]] | sort == [
        ["main/solve/(blocked)", 2000000], ["main/solve/(without CPU time)", 285714],
        ["main/write/(blocked)", 5000000], ["main/write/(without CPU time)", 714286]]' out.json
    jq -e '[.critical_path.regions[] | select(.region == "(blocked)") | .time_ns] == [7000000]' out.json
    # Its own time and that of the rank that waits for it, and for what write computes.
    jq -e '.findings[0] | .kind == "blocked" and .region == "write" and .ranks == [0] and .pattern == "late-sender"
        and .place == "write and solve" and .loss_ns == 16673469 and
        (.text | contains("; 3.673 ms of it because they also compute there.")) and
        [.remedies[].words] == ["--scale write=0", "--scale \u0027blocked in write=0\u0027"]' out.json
    # The predicted run as an archive has both again: twice the blocked time of write, no lack of cores.
    "$PAGODA" replay blocked --scale write=2 --output twice >/dev/null 2>&1
    "$PAGODA" replay --json twice | jq -e '.window.blocked_ns == 12000000 and .window.no_cpu_ns - 12000000 <= 1'
}

@test "blocked time without recorded functions is told by the calls it lies between" {
    {
        printf 'context %s\n' 'init main /u/a.c:1' 'send main /u/a.c:9' 'receive main /u/a.c:20'
        sed -e '/^#/d' -e '/ main$/d' -e '/ solve$/d' -e '/ write$/d' -e 's/ MPI_Init/& at init/' \
            -e 's/ MPI_Send/& at send/' -e 's/ MPI_Recv/& at receive/' "$ROOT/tests/traces/whatif/blocked.txt"
    } | "$BUILD/tools/mktrace" - plain
    "$PAGODA" replay --json plain | jq -e '.findings[0] | .kind == "blocked" and .loss_ns == 14000000 and
        .place == "the code between a.c:1 and main/MPI_Send at a.c:9" and
        .remedies[0].words == "--scale \u0027blocked in before main/MPI_Send at a.c:9=0\u0027"'
}

@test "what is buffered on one node may wait for its receiver between nodes" {
    sed '1,/^#!/d' "$ROOT/tests/traces/patterns/late-receiver-eager.txt" >near.txt
    "$BUILD/tools/mktrace" near.txt near
    # Rank 2, on another node, sends 80 bytes to rank 1 while its receive is posted.
    {
        echo 'nodes a a b'
        cat near.txt
        printf '2 %s\n' '0 enter main' '640-670 MPI_Send ; 641 send world 1 8 80' '700 leave main'
    } | sed 's/^0-1 700/1 660-666 MPI_Recv ; 665 recv world 2 8 80\n&/' >far.txt
    "$BUILD/tools/mktrace" far.txt far
    waits() { "$PAGODA" replay "$1" --json | jq -c '.patterns[] | select(.id == "late-receiver") | [.by_rank[] | [.rank, .ns]]'; }
    [ "$(waits near)" = '[[0,90]]' ]
    [ "$(waits far)" = '[[0,90],[2,20]]' ]
    sed 's/^nodes a a b/nodes a a a/' far.txt | "$BUILD/tools/mktrace" - together
    [ "$(waits together)" = '[[0,90]]' ]
}

@test "no more ranks than cores: time without CPU time has two possible reasons" {
    sed 's/^cores n 2/cores n 3/' "$ROOT/tests/traces/replay/without-cpu.txt" >enough.txt
    "$BUILD/tools/mktrace" enough.txt enough
    "$PAGODA" replay --json enough | jq -e '.window.no_cpu_ns == 10100000
        and (.warnings | map("\(.code) \(.count)") == ["without-cpu-time 3"])
        and (.findings[0] | .kind == "no-core" and .ranks == [0]
            and (.text | contains("Other programs used the cores, or the ranks slept or waited for devices")))'
    # It is known where each rank had 10 ms of CPU time and waited for a core for 9 or for 10 ms.
    local waited
    for waited in 9 10; do
        for rank in 0 1 2; do
            printf "property $rank PAGODA::CORE_%s_NS %s000000\n" OF 50 USED 10 WAIT $waited
        done | cat - enough.txt >disturbed.txt
        "$BUILD/tools/mktrace" disturbed.txt disturbed$waited
    done
    "$PAGODA" replay --json disturbed9 | jq -e '.findings[0].kind == "no-core"'
    "$PAGODA" replay --json disturbed10 | jq -e '.findings[0] | .kind == "other-programs"
        and (.text | startswith("Other programs took at least 30.00 ms of CPU time, 50.0 % of what the ranks"))'
    "$PAGODA" replay disturbed9 | grep 'How sure *Other programs took 47.4 % of the CPU time that'
    # On two nodes a call that waits for nobody may wait for the network.
    sed 's/^nodes n n n/nodes n m m/;s/^cores n.*/cores n 1\ncores m 2/' enough.txt | "$BUILD/tools/mktrace" - apart
    "$PAGODA" replay --json apart | jq -e '.window.no_cpu_ns == 7500000 and .window.other_mpi_ns == 6350000'
    # Without samples nothing is known: all that is outside MPI is computing.
    sed '/ cpu /d' enough.txt | "$BUILD/tools/mktrace" - unknown
    "$PAGODA" replay --json unknown | jq -e '.window | .no_cpu_ns == 0 and .useful_ns == 44650000'
}

@test "more ranks than cores: the run, a warning, the likely reason" {
    # MPI time that waits for nobody: calls without partners.
    local rank
    {
        printf '%s\n' 'nodes a b a b a' 'cores a 1' 'cores b 2'
        for rank in 0 1 2 3 4; do
            printf "$rank %s\n" '0 enter MPI_Init' '1000 leave MPI_Init' \
                '1000000 enter MPI_Iprobe' '9000000 leave MPI_Iprobe' \
                '9100000 enter MPI_Finalize' '9200000 leave MPI_Finalize'
        done
    } >few.txt
    "$BUILD/tools/mktrace" few.txt few
    run -0 "$PAGODA" replay few
    [[ $output == *"5 ranks on 2 nodes with 3 cores in all, 9.200 ms"* ]]
    [[ $output == *"2 ranks more than there are cores on their nodes. Time"*"[more-ranks-than-cores]"* ]]
    "$PAGODA" replay --json few | jq -e '
        (.warnings | map("\(.code) \(.count)") == ["more-ranks-than-cores 2"])
        and .nodes == [{name: "a", machine: "machine", cores: 1, ranks: 3},
                       {name: "b", machine: "machine", cores: 2, ranks: 2}]
        and (.conclusion | contains("3 ranks shared 1 core: a descheduled rank looks busy inside MPI."))'
    # One node that does not say: no number for the run, and no warning for that node.
    sed -i '/^cores a/d' few.txt
    "$BUILD/tools/mktrace" few.txt unknown
    says "5 ranks on 2 nodes, 9.200 ms" "$PAGODA" replay unknown
    "$PAGODA" replay --json unknown | jq -e '
        .warnings == [] and .nodes[0].cores == null
        and (.conclusion | contains("It is not known whether each rank had a core."))'
}

@test "what the critical path has above the mean of the ranks" {
    archive replay/pipeline
    # solve: 5000 on rank 0 and 2996 on rank 1, in us; on the path 5000 and 1996.
    "$PAGODA" replay --json pipeline | jq -e '.critical_path.regions |
        (map(select(.region == "solve"))[0].imbalance_ns == 6996000 - 3998000) and
        all(.[]; .imbalance_ns >= 0 and .imbalance_ns <= .time_ns)'
}

@test "waits are direct or indirect, and origins are those of the judged part" {
    archive engine/gather-origins gather
    archive engine/window
    "$PAGODA" replay --json gather | jq -e '.patterns[] | select(.id == "early-reduce").origins |
        .explained_ns == 899 and .direct_ns == 200 and .indirect_ns == 699'
    # 200 and 699 of 899; main: 700 on rank 6, 190 on rank 5, less the 1 of rank 0.
    "$PAGODA" replay gather >gather.report
    grep -q 'directly    22.2 %; indirectly 77.8 %, while the awaited rank waited itself' gather.report
    grep -q 'delayed by  main 98.9 % (ranks 5-6), MPI_Recv 1.1 % (rank 5)' gather.report
    [ "$(grep -c directly gather.report)" = 1 ]
    "$PAGODA" replay --json window | jq -e '.patterns[] | select(.id == "late-sender") |
        .total_ns == 30 and .window_ns == 20 and
        (.origins | .explained_ns == 20 and .unexplained_ns == 0 and
            ([.regions[].time_ns] | add) == 20 and all(.regions[]; .region != "MPI_Init"))'
    "$PAGODA" replay --all window | tr -s ' \n' ' ' | grep -q '(of the 20 ns in the judged part)'
}

@test "a rank that starts late, and MPI_Init on the others, cancel as origins" {
    archive replay/late-start
    "$PAGODA" replay --json late-start | jq -e '.patterns[] | select(.id == "wait-at-barrier").origins |
        .offset_ns == 0 and [.regions[] | .region, .time_ns] == ["work", 9, "main", 1]'
}

@test "a rank that is awaited often for a little is not charged what the other one is awaited for" {
    # Rank 0 waits 90 ms for rank 1 once, rank 1 three times 2 ms for rank 0.
    archive replay/awaited-often
    "$PAGODA" replay --json awaited-often >out.json
    jq -e '.patterns[] | select(.id == "late-sender").origins | .offset_ns == 0
        and [.regions[] | .region, .time_ns] == ["main", 96000000]
        and [.region_ranks[] | .rank, .time_ns] == [1, 90000000, 0, 6000000]' out.json
    jq -e '.findings[0] | .kind == "uneven-work" and .ranks == [1]' out.json
}

@test "what a rank is charged too much goes to others in the same region" {
    # Ten times rank 0 waits 1 ms for rank 1, which computes 11 ms; then twice rank 1 waits 30 ms for rank 0, which
    # computes 39 ms after an MPI_Gather. The sums are 110 - 20 ms for rank 1, and for rank 0 78 - 100 ms of
    # computing and 2 ms of MPI_Gather.
    {
        printf 'context %s\n' 'all main /u/a.c:5' 'gather main /u/a.c:9'
        for rank in 0 1; do
            put() { printf '%s %s000000 %s\n' $rank "$@"; }
            put 0 'enter main'
            for step in {0..11}; do
                begin=$((step < 10 ? 11 * step : 110 + 41 * (step - 10)))
                work=$((10 + rank)) late=11
                if [ "$step" -ge 10 ]; then
                    put $begin 'enter MPI_Gather at gather'
                    put $begin coll-begin
                    begin=$((begin + 2 - rank)) work=$((39 - 29 * rank)) late=$((39 + rank))
                    put $begin 'coll-end gather world 0 8 8'
                    put $begin 'leave MPI_Gather'
                fi
                put $((begin + work)) 'enter MPI_Allreduce at all'
                put $((begin + work)) coll-begin
                put $((begin + late)) 'coll-end allreduce world - 8 8'
                put $((begin + late)) 'leave MPI_Allreduce'
            done
            put 192 'leave main'
        done
    } | "$BUILD/tools/mktrace" - in-turn
    "$PAGODA" replay --json in-turn | jq -e '.patterns[] | select(.id == "wait-at-nxn") | [.by_rank[].ns] == [10000000, 60000000] and
        [.origins.region_ranks[] | .region, .rank, .time_ns] == ["main", 0, 58000000, "main", 1, 10000000, "MPI_Gather", 0, 2000000]
        and .origins.sources[0].before == "main/MPI_Allreduce"'
}

# A team of one thread has 0.5 of 1 ms; before and after it the process had all it needed.
@test "time without CPU time in a team of one thread" {
    "$BUILD/tools/mktrace" - team <<'END'
nodes n
cores n 1
0 0               enter main
0 0-100000        MPI_Init
0 100000          cpu 100000
0 500000          cpu 500000
0 500000          fork 1
0 500000          cpu 500000
0 500000          team-begin world
0 500000-1500000  work
0 1500000         cpu 1000000
0 1500000         team-end world
0 1500000         join
0 2000000         cpu 1500000
0 2000000-2000000 MPI_Finalize
0 2000000         leave main
END
    for interval in "" "--interval 0:2ms"; do
        # shellcheck disable=SC2086 # no word, or two
        "$PAGODA" replay --json $interval team | jq -e '(.intervals[0] // .) |
            (.window | .useful_ns == 1400000 and .no_cpu_ns == 500000)
            and ([.profile[] | select(.region == "(without CPU time)") | [.path, .exclusive_ns]]
                == [["main/work/(without CPU time)", 500000]])'
    done
}

@test "a rank that has fewer cores than threads" {
    { printf 'nodes n n\ncores n 2\n'; cat "$ROOT/tests/traces/threads/uneven.txt"; } >bound.txt
    "$BUILD/tools/mktrace" bound.txt bound
    "$PAGODA" replay --json bound >bound.json
    jq -e '.findings[0] | .kind == "threads-without-cores" and .loss_ns == 750 and .ranks == [0, 1] and .remedies == []' \
        bound.json
    jq -e '.warnings[] | select(.code == "more-threads-than-cores") | .count == 2' bound.json
    jq -e '.findings[0] | (.text | startswith("4 threads of 2 ranks shared 2 cores. So threads of all ranks begin late")) and
        (.hint | contains("--map-by slot:PE=2 "))' bound.json
    run "$PAGODA" advise bound
    [[ $output == *"No CPU time   4 threads of 2 ranks shared 2 cores. First give each thread a"* ]]
    # With a core for each thread, and where ranks lack cores themselves, it is not that.
    sed 's/cores n 2/cores n 4/' bound.txt >free.txt
    sed 's/cores n 2/cores n 1/' bound.txt >crowded.txt
    for name in free crowded; do
        "$BUILD/tools/mktrace" "$name.txt" "$name"
        "$PAGODA" replay --json "$name" | jq -e 'all(.findings[]; .kind != "threads-without-cores")'
    done
}

@test "one change of a wait is one finding, whatever ranks wait for" {
    # Rank 1 waits 2 ms for multiply, then rank 0 waits 2 ms for precondition and 2 ms for multiply.
    cat >at_once.txt <<'END'
0-1 0 enter main
0 0-3000000       multiply
0 3000000-3000000 MPI_Iallreduce ; 3000000 coll-request 1 world
0 3000000-3000000 MPI_Wait ; 3000000 coll-complete allreduce world - 8 8 1
0 3000000-4000000 precondition
0 4000000-5000000 multiply
0 5000000-5000000 MPI_Iallreduce ; 5000000 coll-request 2 world
0 5000000-9000000 MPI_Wait ; 9000000 coll-complete allreduce world - 8 8 2
0 9000000-12000000 precondition
1 0-1000000       multiply
1 1000000-1000000 MPI_Iallreduce ; 1000000 coll-request 1 world
1 1000000-3000000 MPI_Wait ; 3000000 coll-complete allreduce world - 8 8 1
1 3000000-6000000 precondition
1 6000000-9000000 multiply
1 9000000-9000000 MPI_Iallreduce ; 9000000 coll-request 2 world
1 9000000-9000000 MPI_Wait ; 9000000 coll-complete allreduce world - 8 8 2
1 9000000-12000000 precondition
0-1 12000000 leave main
END
    "$BUILD/tools/mktrace" at_once.txt at_once
    "$PAGODA" replay --json at_once >out.json
    jq -e '[.findings[] | [.kind, .loss_ns, (.remedies | map([.words, .gain_ns]))]] ==
        [["awaited-at-once", 6000000, [["--overlap main", 2000000]]]]' out.json
    jq -e '.findings[0].place == "multiply and precondition"' out.json
    jq -e '.findings[0].text | contains("after computing in multiply and precondition, ")' out.json
    # Nothing can be computed before the wait is over, so it is not that: rank 1 has less to do in two functions.
    cat >last.txt <<'END'
0-1 0 enter main
0 0-3000000       multiply
0 3000000-6000000 precondition
0 6000000-6000000 MPI_Iallreduce ; 6000000 coll-request 1 world
0 6000000-6000000 MPI_Wait ; 6000000 coll-complete allreduce world - 8 8 1
1 0-1000000       multiply
1 1000000-2000000 precondition
1 2000000-2000000 MPI_Iallreduce ; 2000000 coll-request 1 world
1 2000000-6000000 MPI_Wait ; 6000000 coll-complete allreduce world - 8 8 1
0-1 6000000 leave main
END
    "$BUILD/tools/mktrace" last.txt last
    "$PAGODA" replay --json last | jq -e '[.findings[] | [.kind, .loss_ns, .place, .remedies[0].words]] | sort_by(.[2]) ==
        [["uneven-work", 2000000, "multiply", "--balance multiply"],
         ["uneven-work", 2000000, "precondition", "--balance precondition"]]'
}

@test "without functions, what one rank does after one call only is told apart from what all do" {
    # Each step takes 1 ms on both ranks. After the gathers rank 0 computes 3 ms more.
    {
        printf 'context %s\n' 'norm norm /u/a.c:9' 'gather write /u/a.c:20'
        printf '%s\n' '0-1 0 enter main'
        at=0
        for step in 1 2 3 4 5 6; do
            late=$((step == 3 || step == 5 ? 4000000 : 1000000))
            end=$((at + late))
            echo "0 $end-$end MPI_Allreduce at norm ; $end coll-begin ; $end coll-end allreduce world - 8 8"
            echo "1 $((at + 1000000))-$end MPI_Allreduce at norm ; $((at + 1000000)) coll-begin ; $end coll-end allreduce world - 8 8"
            if [ $step = 2 ] || [ $step = 4 ]; then
                echo "0-1 $end-$end MPI_Gather at gather ; $end coll-begin ; $end coll-end gather world 0 8 8"
            fi
            at=$end
        done
        echo "0-1 $at leave main"
    } | "$BUILD/tools/mktrace" - serial
    "$PAGODA" replay --json serial >out.json
    jq -e '.findings[0] | .kind == "serial-work" and .loss_ns == 6000000 and .ranks == [0] and
        .place == "the code between write/MPI_Gather at a.c:20 and norm/MPI_Allreduce at a.c:9 (without what all ranks compute there)" and
        (.text | startswith("Only rank 0 computes in ")) and (.text | contains(", for 6.000 ms. Rank 1 waits for it"))' out.json
    jq -e '.findings[0].remedies[0] | .gain_ns == 3000000 and
        .words == "--balance \u0027between write/MPI_Gather at a.c:20 and norm/MPI_Allreduce at a.c:9=0-1\u0027"' out.json
}
