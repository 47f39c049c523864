# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay: golden reports of text traces (tests/traces/replay/NAME.txt beside NAME.report),
# JSON, options, exit statuses, bad input.
# `UPDATE=1 make check T=tests/cli/replay.bats` rewrites the reports.
load ../helper

# golden NAME: the report of a text trace is what NAME.report says.
golden() {
    archive "replay/$1"
    "$PAGODA" replay "$1" >"$1.report"
    [ -z "${UPDATE:-}" ] || cp "$1.report" "$ROOT/tests/traces/replay/$1.report"
    diff -u "$ROOT/tests/traces/replay/$1.report" "$1.report"
}

# sentence PATTERN: the only line of output begins with `pagoda: ` and matches.
sentence() {
    [ "${#lines[@]}" = 1 ]
    [[ ${lines[0]} == "pagoda: "* ]]
    [[ ${lines[0]} =~ $1 ]]
}

@test "report: a late sender, then uneven work before an allreduce" { golden pipeline; }

@test "report: nothing to gain" { golden balanced; }

@test "report: all the waiting is in MPI_Finalize" { golden uneven; }

@test "report: a run cut short, with its warnings" { golden damaged; }

@test "report: a program without recorded functions, by where its MPI calls are" { golden unmodified; }

@test "a Python program is not told to compile its functions with an option" {
    sed 's/farm\.c/farm.py/' "$ROOT/tests/traces/replay/unmodified.txt" | "$BUILD/tools/mktrace" - farm
    "$PAGODA" replay farm >report
    grep -q '^  only the lines of Python that call MPI are recorded; ' report
    [ "$(grep -c finstrument report)" = 0 ]
}

@test "near-critical paths: how much less work pays, and what is critical then" {
    archive replay/near-critical
    "$PAGODA" replay near-critical >report
    grep -A 3 'near-critical paths: how much less work pays before another one is critical' report >slack
    diff - slack <<'END'
  near-critical paths: how much less work pays before another one is critical
    solve on rank 2: 12.0 % less saves 2.400 us already; then exchange on rank 1
      is critical
    output on rank 2: all of it pays; without it the run is 5.000 us shorter
END
    "$PAGODA" replay --json near-critical | jq -e '.critical_path.slack == [
        {what: "solve on rank 2", region: "solve", rank: 2, path_ns: 20000, share: 0.12, gain_ns: 2400,
            then: "exchange on rank 1",
            text: "solve on rank 2: 12.0 % less saves 2.400 us already; then exchange on rank 1 is critical"},
        {what: "output on rank 2", region: "output", rank: 2, path_ns: 5000, share: 1, gain_ns: 5000, then: null,
            text: "output on rank 2: all of it pays; without it the run is 5.000 us shorter"}]'
    # The option says the same.
    "$PAGODA" replay --json near-critical --scale 'solve on rank 2=0.88,0.5' |
        jq -e '[.whatif.points[].predicted_ns] == [22600, 22600]'
    # Two ranks come at the same time: none of them alone shortens the run.
    sed 's/17600/20000/g' "$ROOT/tests/traces/replay/near-critical.txt" | "$BUILD/tools/mktrace" - tied
    "$PAGODA" replay tied | grep 'solve on rank 2: less saves nothing, because another path is as long, with'
    "$PAGODA" replay --json tied | jq -e '.critical_path.slack[0] | del(.text) == {what: "solve on rank 2", region: "solve",
        rank: 2, path_ns: 20000, share: 0, gain_ns: 0, then: "exchange on rank 1"}'
    # Without predictions nothing is said.
    "$PAGODA" replay --json near-critical --cpu-speed 1 | jq -e '.critical_path.slack == []'
}

@test "stragglers: ranks, nodes and iterations that others wait for, and what makes them late" {
    archive replay/stragglers
    "$PAGODA" replay stragglers | sed -n '/^Stragglers/,/^$/p' >table
    diff - table <<'END'
Stragglers in ms (how long others wait for them, and why)
     late   share     work     core  network  straggler
  210.000  77.8 %    0.0 %  100.0 %    0.0 %  node b
  120.000  44.4 %    0.0 %  100.0 %    0.0 %  rank 2, slowest in 4 of 8
   60.000  25.0 %  100.0 %    0.0 %    0.0 %  iteration 8, rank 0 most

END
    "$PAGODA" replay --json stragglers | jq -e '.stragglers | length == 3 and
        (.[0] | .node == "b" and .rank == null and .late_ns == 210000000 and .core_ns == .late_ns) and
        (.[1] | .rank == 2 and .late_ns == 120000000 and .core_ns == .late_ns and .slowest_in == 4) and
        (.[2] | [.first, .last, .late_ns, .work_ns] == [8, 8, 60000000, 20000000])'
    # Waits before the judged part are charged to no rank, and computing does not explain them.
    archive replay/late-init
    "$PAGODA" replay --json late-init | jq -e '.stragglers | length == 1 and (.[0] |
        [.rank, .first, .late_ns, .work_ns, .network_ns] == [null, 3, 99000000, 0, 0])'
    archive replay/late-in-send
    "$PAGODA" replay --json late-in-send |
        jq -e '[.stragglers[] | [.rank, .late_ns, .network_ns, .share]] == [[0, 180, 180, 1]]'
    # Rank 0 comes 12 ms later than rank 1: it computes for 6 ms, is blocked for 7, and has no core for 1, less the 2 ms
    # that rank 1 computes itself.
    sed 's/^#!.*//' "$ROOT/tests/traces/whatif/blocked.txt" | "$BUILD/tools/mktrace" - blocked
    "$PAGODA" replay --json blocked | jq -e '.stragglers | length == 1 and (.[0] |
        [.rank, .late_ns, .work_ns, .blocked_ns, .core_ns] == [0, 12000000, 5142857, 6000000, 857143])'
    archive replay/balanced
    "$PAGODA" replay --json balanced | jq -e '.stragglers == []'
}

# servers TRACE-TEXT: its servers, a line each: rank, clients, requests; for arrival, service and response number,
# mean and deviation; share busy, think time, clients that keep it busy.
servers() {
    rm -rf run
    "$BUILD/tools/mktrace" "$1" run
    "$PAGODA" replay --json run | jq -r '.servers // [] | .[] | [.rank, .clients, .requests,
        (.arrival, .service, .response | .n, .mean_ns, .deviation_ns), .busy, .think_ns, .saturating |
        if . == null then "-" else . * 1000 | round / 1000 end | tostring] | join(" ")'
}

@test "servers: how often requests come, how long each is served and answered, how many clients keep one busy" {
    server="$ROOT/tests/traces/replay/server.txt"
    [ "$(servers "$server")" = '0 2 8 7 45.714 32.071 7 29.714 1.604 8 45.5 0.535 0.627 49.357 2.661' ]
    run "$PAGODA" replay --store runs.db run
    [[ $output == *$'Servers (mean +- standard deviation; full: busy all the time)
  rank  clients  requests      one every     served in   answered in    busy    full with
     0        2         8  46 ns +- 70 %  30 ns +- 5 %  46 ns +- 1 %  62.7 %  2.7 clients'* ]]
    [ "$(sqlite3 runs.db 'SELECT rank, n_clients, n_requests, round(arrival_ns, 3),
        round(arrival_variation, 3), round(service_ns, 3), round(service_variation, 3), response_ns,
        round(busy, 3), round(think_ns, 3), round(saturating_clients, 3) FROM servers')" = \
        '0|2|8|45.714|0.702|29.714|0.054|45.5|0.627|49.357|2.661' ]
    "$PAGODA" store export runs.db -o copy.db
    [ "$(sqlite3 copy.db 'SELECT * FROM trial_server')" = "$(sqlite3 runs.db 'SELECT * FROM trial_server')" ]
    # A server that looks for the next request after 10, but the first time: 31 + 3 x 10 + 3 x 28.
    sed 's/^0 \(.\)70-\(.\)10 MPI_Recv.*/&\n0 \220-\221 MPI_Iprobe/' "$server" >text
    [[ $(servers text) == '0 2 8 7 45.714 32.071 7 20.714 '*' 0.437 49.357 3.383' ]]
    # Without answers it is not known for how long clients could wait.
    sed '/^0.*MPI_Send/d; /^[12].*MPI_Recv/d' "$server" >text
    [ "$(servers text)" = '0 2 8 7 45.714 32.071 7 29.714 1.604 0 - - 0.627 - -' ]
    # One call that receives two requests serves each for half of the time to the next one: 10 of 100.
    {
        echo '0-2 0 enter main'
        for i in {1..4}; do
            echo "1 $((100 * i))-$((100 * i + 1)) MPI_Send ; $((100 * i)) send world 0 1 8"
            echo "2 $((100 * i))-$((100 * i + 1)) MPI_Send ; $((100 * i)) send world 0 1 8"
            echo "0 $((100 * i - 70))-$((100 * i + 10)) MPI_Waitall ; $((100 * i + 9)) irecv world 1 1 8 $((2 * i)) ; $((100 * i + 9)) irecv world 2 1 8 $((2 * i + 1))"
        done
        echo '0-2 500 leave main'
    } >text
    [ "$(servers text)" = '0 2 8 7 42.857 53.452 6 10 0 0 - - 0.2 - -' ]
    # Neither one client nor a few requests make a server, nor do neighbours.
    sed '/^2/d; /world 2/d' "$server" >text
    [ -z "$(servers text)" ]
    sed '/^[012] [34]/d; /^0 270/d' "$server" >text
    [ -z "$(servers text)" ]
    archive replay/pipeline pipeline
    "$PAGODA" replay --json pipeline | jq -e '.servers == null'
}

@test "servers: within 2 % of the theory of queues, and random times vary by their mean" {
    local clients system="$ROOT/tests/cli/closed_system.py"
    for clients in 2 3 6; do
        /usr/bin/python3 "$system" $clients 20000 >text
        echo "$(servers text) $(/usr/bin/python3 "$system" $clients)" >both
        LC_ALL=C awk '{ exit !(near($5, $16) && near($11, $17) && near($13, $18) && near($15, $19) &&
                near($9, $8)) }
            function near(a, b) { return a > 0.98 * b && a < 1.02 * b }' both || {
            cat both
            return 1
        }
    done
}

@test "findings in JSON: where ranks wait, what for, which ones, how sure, and the gain with the replay error" {
    archive replay/pipeline
    "$PAGODA" replay --json pipeline | jq -e '.time_ns as $time | .replayed_ns as $replayed | .findings[0] |
        .waiting == {pattern: "late-sender", region: "MPI_Recv", path: "main/solve/MPI_Recv",
            source: "solve.c:56", file: "solve.c", line: 56, ranks: [1]} and
        .cause == {region: "solve", path: "main/solve", source: "solve.c:56", file: "solve.c", line: 56,
            ranks: [0, 1]} and
        .confidence == 1 and .gain_ns == .remedies[0].gain_ns and .replay_error == ($replayed - $time) / $time'
    # Where calls are known by their places in the source, these count.
    archive replay/unmodified
    "$PAGODA" replay --json unmodified | jq -e '.findings[0] | [.cause, .waiting | .path, .source] ==
        ["(program)", "farm.c:31", "worker/MPI_Recv", "farm.c:56"]'
    # Two waits of 30: one by a rule that is right half of the time, the other one certain.
    sed 's/^#!.*//' "$ROOT/tests/traces/patterns/late-receiver.txt" | "$BUILD/tools/mktrace" - late-receiver
    "$PAGODA" replay --json late-receiver | jq -e '[.findings[] | select(.kind == "waiting") |
        .confidence, .waiting.pattern, .waiting.ranks, .cause.ranks, has("gain_ns"), has("replay_error")] ==
        [0.75, "late-receiver", [0], [1], false, false]'
    # With what-if options nothing is predicted of findings.
    "$PAGODA" replay --json --cpu-speed 1 pipeline | jq -e '.findings[0] | has("gain_ns") | not'
}

# Thread 1 is idle for 23 ns while the master computes alone, half of that in its rank's time; so is a third
# thread, and two thirds of it are the rank's: 15 ns. Two cores would take off a half, three two thirds of it.
@test "report: idle threads for which their rank has no core lose nothing" {
    idle_loss() { # CORES LINES...: in ns
        (sed 's/^0 20   fork 2/0 20 fork 3/' "$ROOT/tests/traces/threads/hybrid.txt"
            printf '%s\n' 'nodes n n' 'cores n 4' "bound 0 $1" "${@:2}") | "$BUILD/tools/mktrace" - "bound$1-$#"
        "$PAGODA" replay --json "bound$1-$#" | jq -r '.threads.losses[] | select(.kind == "idle_serial") | .lost_ns'
    }
    local third=('location 0.2' '0.2 25 team-begin world' '0.2 56 team-end world')
    [ "$(idle_loss 1)" = 0 ]
    [ "$(idle_loss 1-2)" = 11 ]
    [ "$(idle_loss 1 "${third[@]}")" = 0 ]
    [ "$(idle_loss 1-2 "${third[@]}")" = 11 ]
    [ "$(idle_loss 1-3 "${third[@]}")" = 15 ]
}

# The thread that rank 0 makes works for 49 or 50 of 1000 ns: a twentieth of the run.
@test "report: a thread that a process made for a moment is not idle for the rest of the run" {
    for end in 149 150; do
        "$BUILD/tools/mktrace" - $end <<TEXT
location 0.1
comm threads ranks 0
region pthread_create - pthread
0 0        enter main
0 90-100   pthread_create ; 100 thread-create threads 1
0 1000     leave main
0.1 100    thread-begin threads 1
0.1 $end   thread-end threads 1
TEXT
    done
    "$PAGODA" replay --json 149 | jq -e 'has("threads") | not'
    "$PAGODA" replay --json 150 | jq -e '.threads | .threads == 2 and .idle_serial_ns == 950'
}

@test "report: what threads lose, and the hybrid efficiencies; their parts sum to all threads' time" {
    archive threads/hybrid threads
    run "$PAGODA" replay threads
    [[ $output == *"Threads       61.4 % of 3 threads = processes 88.1 % x threads 69.7 %"* ]]
    [[ $output == *"0.012   5.7 %     0  waiting at an implicit barrier          !\$omp parallel @a.c:10"* ]]
    [[ $output == *"0.023  11.0 %     0  idle, the master computes alone         main"* ]]
    "$PAGODA" replay --json threads >json
    # 129 of 210 ns compute; 25 are in MPI or idle for it, 23 idle in serial parts, 12 at a barrier.
    jq -e '.threads | (.efficiency |
        ([.hybrid - 129 / 210, .process - 185 / 210, .serial - 162 / 185, .load_balance - 150 / 162,
          .runtime - 129 / 150] | map(fabs < 1e-9) | all)) and
        (.unrecorded_ns + ([to_entries[] | select(.key | endswith("_ns")) | .value] | add)
            == 2 * .total_ns + .unrecorded_ns) and
        ([.losses[] | select(.kind == "lock") | .ns, .rank, .line] == [4, 0, 10]) and
        ([.losses[].ns] | add) == .barrier_ns + .implicit_barrier_ns + .lock_ns + .task_ns +
            .runtime_ns + .idle_serial_ns + .idle_mpi_ns + .idle_limited_ns and
        (.ranks[0] | .latest == "Thread 1" and .latest_ns == 12)' json
    # What it loses beside MPI's 10 is half of that of the rank's time.
    [[ $output == *"Ranks' time   computing 89.3 % (threads lose 19.3 %), waiting 3.6 %"* ]]
    [[ $output != *"Threads lose"* ]] # findings say it
    # Master threads alone would be perfect.
    archive threads/tasks
    "$PAGODA" replay --json tasks |
        jq -e '.efficiency.parallel == 1 and (.headline | startswith("Thread management in ")) and
            .found_rest_ns + ([.findings[].loss_ns] | add) == .window.threads_lost_ns'
    "$PAGODA" replay --json --interval 0:50ns threads | jq -e 'has("threads") | not'
}

@test "threads are idle where the master computes, and where it had no CPU time" {
    "$BUILD/tools/mktrace" - idle <<'END'
nodes n
cores n 2
location 0.1
region parallel a.c:10 openmp "!$omp parallel @a.c:10"
0 0-100000        MPI_Init
0 100000          cpu 100000
0 1100000-1600000 open
0 4100000         cpu 2300000
0 4100000-4100000 MPI_Barrier ; 4100000 coll-begin ; 4100000 coll-end barrier world - 0 0
0 4200000         fork 2
0 4200000         team-begin world
0 4200000-4300000 parallel
0 4300000         team-end world
0 4300000         join
0 4300000-4300000 MPI_Finalize
0.1 4200000 team-begin world
0.1 4200000-4300000 parallel
0.1 4300000 team-end world
END
    # 3600000 ns outside of all regions, of which 1800000 were lost; those of `open` are fewer.
    "$PAGODA" replay --json idle >json
    jq -e '[.threads.losses[] | select(.kind == "idle_serial") | .region] == ["(program)"]' json
    says -0 "idle, the master computes alone  (program)" "$PAGODA" replay idle
}

@test "findings: what threads lose, as a part of their ranks' time" {
    archive threads/uneven
    run "$PAGODA" replay uneven
    [[ $output == *"1. Uneven threads, 36.8 %"*'on rank 0 mostly for its thread'*'"Master thread".'*"This costs 750 ns, 36.8 % of the ranks' time"* ]]
    [[ $output != *"No single cause"* && $output != *"Threads lose"* ]]
    # Half of 800 on rank 0 and of 700 on rank 1. If rank 1 loses no more than 350 of 1000, 650 are left.
    "$PAGODA" replay --json uneven | jq -e '(.findings[0] | .kind == "uneven-threads" and .loss_ns == 750 and
        .ranks == [0, 1] and .place == "!$omp parallel @a.c:10" and
        .remedies[0].words == "--scale '"'!\$omp parallel @a.c:10=0.65'"'") and
        .window.threads_lost_ns == 770 and ([.threads.losses[].lost_ns] | add) == 770 and
        .found_rest_ns + ([.findings[].loss_ns] | add) == .window.other_mpi_ns + 770'
}

@test "findings: what threads that are made one by one lose, and what more even ones would save" {
    archive whatif/threads-created-cores made
    # Of 1500 in all two cores have 750 each; of the 900 in solve 0.83 are left, and the run ends 153 earlier.
    "$PAGODA" replay --json made | jq -e '[.findings[] | [.kind, .loss_ns, .remedies[0].words, .remedies[0].gain_ns]] ==
        [["thread-waits", 305, "--scale solve=0.83", 153], ["serial-threads", 232, "--scale solve=0.83", 153]] and
        .findings[0].remedies[0].text == "Divide the work in solve evenly among the threads of rank 0"'
    # Where they wait for a lock, it is not known what of that can be done at a time.
    sed -e 's/^region pthread_join/region pthread_mutex_lock - pthread\n&/' \
        -e 's/^0.2 110-510 help/0.2 110-400 pthread_mutex_lock ; 400 locked 7\n0.2 400-510 help/' \
        "$ROOT/tests/traces/whatif/threads-created-cores.txt" >lock.txt
    "$BUILD/tools/mktrace" lock.txt lock
    "$PAGODA" replay --json lock | jq -e '[.findings[] | select(.kind == "thread-waits")] | length == 1 and .[0].remedies == []'
}

@test "findings: time in calls for locks is no work of a rank" {
    archive threads/lock-on-one-core lock
    # What threads lose is half of 190 + 400 + 10; rank 1 waits for 400 of that.
    "$PAGODA" replay --json lock | jq -e '[.findings[] | [.kind, .loss_ns, .place]] ==
        [["thread-lock-waits", 700, "pthread_mutex_lock"], ["thread-locks", 190, "contribution"]] and
        (.findings[0].text | contains("until another thread comes to pthread_mutex_unlock")) and
        ([.findings[].ranks] == [[0], [0]])'
    # Nor is it work that could be divided, moved or made faster.
    "$PAGODA" advise --json lock | jq -e '[.. | strings | select(contains("pthread_"))] == []'
}

@test "json: where waits are, what went by before which call" {
    archive replay/unmodified
    "$PAGODA" replay --json unmodified >out.json
    # Two places of one path, the heavier first; the file with its folders.
    jq -e '.patterns[] | select(.id == "late-sender") | .count == 4 and .total_ns == 5500000
        and .by_path == [{path: "worker/MPI_Recv", ns: 5000000},
                         {path: "farmer/MPI_Recv", ns: 500000}]
        and .by_source == [
            {source: "farm.c:56", file: "/home/u/farm.c", function: "worker",
             path: "worker/MPI_Recv", ns: 4000000},
            {source: "farm.c:61", file: "/home/u/farm.c", function: "worker",
             path: "worker/MPI_Recv", ns: 1000000},
            {source: "farm.c:40", file: "/home/u/farm.c", function: "farmer",
             path: "farmer/MPI_Recv", ns: 500000}]
        and .worst.source == "farm.c:56" and .worst.file == "/home/u/farm.c"
        and .worst.function == "worker"' out.json
    jq -e '.hints[0] | .source == "farm.c:56" and .file == "/home/u/farm.c"' out.json
    jq -e '[.profile[] | select(.path == "worker/MPI_Recv") | .sources[]
            | [.source, .visits, .inclusive_ns, .before_ns, .since]]
        == [["farm.c:56", 2, 4020000, 980000, "farm.c:56"],
            ["farm.c:61", 1, 1010000, 10000, "farm.c:56"]]' out.json
    # All of the critical path has a place, as calls or as computing before calls.
    jq -e '([.critical_path.sources[].time_ns] | add) == .time_ns
        and (.critical_path.sources[0] | .region == "(program)" and .source == "farm.c:31"
             and .before == "farmer/MPI_Send" and .time_ns == 4980000 and (has("path") | not))
        and ([.critical_path.sources[] | select(.region == "MPI_Init") | .path]
             == ["main/MPI_Init"])' out.json
    # Functions on the way to a call have no time of their own.
    jq -e '[.profile[] | select(.path == "farmer" or .path == "worker")
            | [.visits, .exclusive_ns]] == [[0, 0], [0, 0]]' out.json
    jq -e '.profile[] | select(.path == "worker") | .inclusive_ns == 5032000' out.json
}

@test "a stored run has the functions around calls in its call paths" {
    archive replay/unmodified
    "$PAGODA" replay --store sites.db unmodified >/dev/null
    sqlite3 sites.db "SELECT path FROM resource WHERE path LIKE '/CallPath/%' ORDER BY path" >paths
    diff - paths <<-'END'
		/CallPath/\(program\)
		/CallPath/farmer
		/CallPath/farmer/MPI_Recv
		/CallPath/farmer/MPI_Send
		/CallPath/main
		/CallPath/main/MPI_Finalize
		/CallPath/main/MPI_Init
		/CallPath/worker
		/CallPath/worker/MPI_Recv
		/CallPath/worker/MPI_Send
	END
}

@test "long names of C++ functions are short in the text, whole in JSON" {
    name='solver::Grid<double,std::vector<int>>::advance(std::vector<double>const&,unsigned)'
    echo "region $name /home/u/grid.cpp:112" >names.txt
    echo "context call $name /home/u/grid.cpp:130" >>names.txt
    for rank in 0 1; do
        echo "$rank 0 enter $name"
        echo "$rank $((rank * 40000000)) enter MPI_Barrier at call"
        echo "$rank 40000100 coll-end barrier world - 0 0"
        echo "$rank 40000100 leave MPI_Barrier"
        echo "$rank 50000100 leave $name"
    done >>names.txt
    "$BUILD/tools/mktrace" names.txt names
    "$PAGODA" replay names >names.report
    [ "$(grep -cE '.{81}' names.report)" = 0 ]
    # In all tables by the same name.
    grep -q '  1  solver::Grid<>::advance$' names.report
    grep -q ' solver::Grid<>::advance/MPI_Barrier at' names.report
    "$PAGODA" replay --json names | jq -e --arg name "$name" '.profile[0].path == $name
        and (.conclusion | contains("Grid<>::advance (grid.cpp:112)"))'
}

@test "places in the source that the archive does not define" {
    cat >odd.txt <<-'END'
		context self f a.c:1 self
		context lost f ? ?
		context no-function ? a.c:3
		0 0 enter MPI_Init at self
		0 10 leave MPI_Init
		0 20 enter MPI_Barrier at lost
		0 30 leave MPI_Barrier
		0 40 enter MPI_Barrier at no-function
		0 50 leave MPI_Barrier
		0 60 enter MPI_Barrier at never-defined
		0 70 leave MPI_Barrier
		0 80 enter MPI_Finalize
		0 90 leave MPI_Finalize
	END
    "$BUILD/tools/mktrace" odd.txt odd
    "$PAGODA" replay --json odd >odd.json || [ "$?" = 3 ] # for the record that names no context
    jq -e '[.warnings[] | select(.code | startswith("bad-")) | [.code, .count]]
        == [["bad-context", 3], ["bad-reference", 1]]
        and ([.profile[] | select(.region == "MPI_Barrier") | [.path, .visits]] | sort
             == [["MPI_Barrier", 2], ["f/MPI_Barrier", 1]])' odd.json
}

@test "the anchor file and the directory are the same trace" {
    archive replay/pipeline
    "$PAGODA" replay pipeline >directory
    "$PAGODA" replay pipeline/traces.otf2 >anchor
    cmp directory anchor
}

@test "a fourth rank that waited is named, more are counted" {
    for n in 5 6; do
        for ((rank = 0; rank < n; rank++)); do
            echo "$rank 0 enter main"
            echo "$rank $((rank * 10)) enter MPI_Barrier"
            echo "$rank 100 coll-end barrier world - 0 0"
            echo "$rank 100 leave MPI_Barrier"
            echo "$rank 100 leave main"
        done >ranks.txt
        "$BUILD/tools/mktrace" ranks.txt "ranks$n"
        "$PAGODA" replay "ranks$n" | grep '    ranks  ' >"found$n"
    done
    [[ $(cat found5) == *"rank 0 40.0 %, rank 1 30.0 %, rank 2 20.0 %, rank 3 10.0 %" ]]
    [[ $(cat found6) == *"rank 0 33.3 %, rank 1 26.7 %, rank 2 20.0 % and 2 others" ]]
}

@test "the first screen says how long, where time is lost, what would help and save, how sure" {
    archive replay/pipeline
    run bash -c '"$PAGODA" replay pipeline | head -n 18 | tr -s "\n " " "'
    [[ $output == *"2 ranks on 1 node, 9.040 ms"*" judged: the 7.020 ms "* ]]
    [[ $output == *"computing 57.1 %, waiting 42.8 %"* ]]
    [[ $output == *" Findings "*" 1. "*" waits in main/solve/MPI_Recv (Late Sender) for "*" in solve (solve.c:56), 5.000 ms on rank 0. "* ]]
    [[ $output == *" of the ranks' time. "*" predicted to save "*"(--"*" How sure No warnings. "* ]]
}

@test "a finding of calls says what they took and what others waited for them: together its loss" {
    # All calls take 780 ns, and 500 ns of that are waits.
    archive patterns/late-sender-kinds kinds
    run bash -c '"$PAGODA" replay kinds | tr -s "\n " " "'
    [[ $output == *" took 280 ns and made other ranks wait for 29 ns, 7.7 % of the ranks' time, "* ]]
    "$PAGODA" replay --json kinds | jq -e 'any(.findings[]; .kind == "transfers" and .loss_ns == 309)'
}

@test "what barriers cost is a finding of its own: they pass no data" {
    archive patterns/barrier
    "$PAGODA" replay --json barrier | jq -e 'any(.findings[]; .kind == "barrier-cost" and
        (.remedies | all(.words | startswith("--drop-sync "))))'
    archive replay/pipeline
    "$PAGODA" replay --json pipeline | jq -e 'all(.findings[]; .kind != "barrier-cost")'
}

@test "savings are relative to the prediction with nothing changed, where that is not the run" {
    archive replay/without-cpu
    run bash -c '"$PAGODA" replay without-cpu | tr -s "\n " " "'
    [[ $output == *"predicted to save 5.150 ms, 19.9 % of the run "* ]]
    [[ $output == *" Replay error +20.2 %: with nothing changed 25.85 ms would be predicted. "* ]]
    archive replay/pipeline
    run "$PAGODA" replay pipeline
    [[ $output == *"predicted to save"* && $output != *"Replay error"* ]]
}

# answer_lines NAME: how many lines are between the head of NAME's report and its first table.
answer_lines() {
    archive "replay/$1"
    "$PAGODA" replay "$1" | awk '/^$/ { if (++n == 2) exit; next } n == 1' | wc -l
}

@test "the answer takes ten lines at most" {
    local name
    for name in pipeline balanced uneven damaged unmodified clocks without-cpu chain steps; do
        echo "$name"
        [ "$(answer_lines "$name")" -le 10 ]
    done
}

@test "json: schema 1 with the keys and types of the manual" {
    archive replay/pipeline
    "$PAGODA" replay --json pipeline >out.json
    jq -e '.schema == 1 and (.pagoda | type) == "string"
        and .trace.path == "pipeline/traces.otf2" and .trace.ranks == 2 and .trace.locations == 2
        and .trace.events == 30 and .trace.messages == 1 and .trace.collectives == 1
        and .trace.clock_violations == 0 and .warnings == [] and .time_ns == 9040000
        and .efficiency.serialization == null and .efficiency.transfer == null
        and (has("whatif") | not)' out.json
    jq -e '.profile[] | select(.path == "main/solve/MPI_Recv")
        | . == {path: "main/solve/MPI_Recv", region: "MPI_Recv", visits: 1,
                inclusive_ns: 4004000, exclusive_ns: 4004000, mpi_class: "point_to_point"}' out.json
    jq -e '.ranks[1].mpi_classes | .point_to_point_ns == 4004000 and .rma_ns == 0' out.json
    jq -e '.patterns[] | select(.id == "late-sender") | .count == 1 and .total_ns == 4000000
        and .confidence == 1 and .by_rank == [{rank: 1, ns: 4000000}]
        and .by_path == [{path: "main/solve/MPI_Recv", ns: 4000000}] and .by_source == []
        and .worst == {rank: 1, time_ns: 3000000, wait_ns: 4000000, path: "main/solve/MPI_Recv",
                       source: null, cause_rank: 0}' out.json
    jq -e '.patterns[] | select(.id == "late-broadcast") | .count == 0 and .worst == null' out.json
    jq -e '.hints[0] | .pattern == "late-sender" and .source == "solve.c:56"
        and (.text | contains("4.000 ms"))' out.json
}

@test "json: the parts add up" {
    for trace in pipeline balanced uneven damaged; do
        archive replay/$trace
        "$PAGODA" replay --json $trace | jq -e '
            .time_ns == .critical_path.length_ns
            and ([.critical_path.regions[].time_ns] | add) == .time_ns
            and ([.critical_path.ranks[].time_ns] | add) == .time_ns
            and ([.critical_path.region_ranks[].time_ns] | add) == .time_ns
            and all(.patterns[]; .total_ns == ([.by_rank[].ns] | add // 0)
                                 and .total_ns == ([.by_path[].ns] | add // 0))
            and ([.ranks[].useful_ns] | add) == .window.useful_ns
            and .window.useful_ns + .window.wait_ns + .window.other_mpi_ns + .window.ended_ns
                + .window.unrecorded_ns == (.window.end_ns - .window.begin_ns) * .trace.ranks
            and (.efficiency | (.load_balance * .communication - .parallel) | fabs < 1e-9)'
    done
}

@test "warnings have their codes and do not change the exit status" {
    archive replay/damaged
    run -0 "$PAGODA" replay --json damaged
    [ "$(jq -r '[.warnings[] | "\(.code) \(.count)"] | join(" ")' <<<"$output")" = \
        "incomplete-collective 1 missing-finalize 2 unbalanced-region 2 unmatched-receive 1\
 unmatched-send 1" ]
}

@test "--depth and --top shorten the tables and say so" {
    archive replay/pipeline
    run -0 "$PAGODA" replay --depth 1 --top 2 pipeline
    [ "$(sed -n '/^Time by call path/,/^$/p' <<<"$output" | grep -c solve)" = 0 ]
    [[ $output == *"... and 5 further regions (more with --top)"* ]]
    [[ $output == *"... and 6 further call paths (more with --depth, --top)"* ]]
}

@test "--all details every wait state" {
    archive replay/pipeline
    run "$PAGODA" replay pipeline
    [[ $output != *"Wait at Finalize: "* ]]
    says "Wait at Finalize: " "$PAGODA" replay --all pipeline
}

@test "--patterns adds a pattern of the user's" {
    archive replay/pipeline
    cat >mine.xml <<'XML'
<?xml version="1.0"?>
<pattern id="any-receive" parent="point-to-point">
  <name>Any receive</name>
  <summary>A rank is in a receive.</summary>
  <description>From enter to leave.</description>
  <formula>L - E</formula>
  <unit>ns</unit>
  <diagnosis>None.</diagnosis>
  <trigger>receive</trigger>
  <wait>leave - enter</wait>
</pattern>
XML
    "$PAGODA" replay --json --patterns mine.xml pipeline |
        jq -e '.patterns[] | select(.id == "any-receive") | .total_ns == 4004000'
    printf '<pattern id="x">' >broken.xml
    run -1 "$PAGODA" replay --patterns broken.xml pipeline
    [[ ${lines[0]} == *broken.xml* ]]
    run -1 "$PAGODA" replay --patterns missing.xml pipeline
    [[ $output == *missing.xml* ]]
}

@test "without the shipped patterns: one sentence" {
    archive replay/pipeline
    mkdir bin
    cp "$PAGODA" bin/
    run -1 bin/pagoda replay pipeline
    sentence 'patterns.*bin/../patterns'
}

@test "--store keeps the run, once a name" {
    archive replay/pipeline
    "$PAGODA" replay pipeline >plain
    "$PAGODA" replay pipeline --store runs.db --as demo/first/one \
        --parameter size=64 >stored
    cmp plain stored
    run -1 "$PAGODA" replay pipeline --store runs.db --as demo/first/one
    [[ $output == *"unnamed program"* ]] # the report is there even so
    [[ $output == *'pagoda: the run was not stored: runs.db has a trial "one"'* ]]
    [ "$(sqlite3 runs.db 'select count(*) from trial')" = 1 ]
}

@test "--store in an unwritable place: the report, a sentence, exit status 1" {
    archive replay/pipeline
    run -1 "$PAGODA" replay pipeline --store /proc/none/runs.db
    [[ $output == *"pagoda: the run was not stored: "*"/proc/none/runs.db"* ]]
    [[ $output == *"(Late Sender)"* ]]
}

@test "wrong usage is one sentence and exit status 2" {
    archive replay/pipeline
    run -2 "$PAGODA" replay
    sentence 'needs TRACE'
    run -2 "$PAGODA" replay pipeline twice
    sentence 'twice.*too many'
    run -2 "$PAGODA" replay --jsn pipeline
    sentence 'no option --jsn; did you mean --json'
    run -2 "$PAGODA" replay --top many pipeline
    sentence '--top many'
    run -2 "$PAGODA" replay --top 0 pipeline
    sentence '--top 0: must be at least 1'
    run -2 "$PAGODA" replay --threads 0 pipeline
    sentence '--threads 0: must be at least 1'
    run -2 "$PAGODA" replay --as one pipeline
    sentence 'what --store DB keeps'
    run -2 "$PAGODA" replay --store runs.db --parameter size pipeline
    sentence 'NAME=VALUE'
    run -2 "$PAGODA" replay --store runs.db --parameter size=1 --parameter size=2 pipeline
    sentence '--parameter size=2: size is given already, as 1'
    run -2 "$PAGODA" replay --store runs.db --parameter size=1 --prediction-parameter size=2 pipeline
    sentence '--prediction-parameter size=2: size is given already, as 1'
    [ ! -e runs.db ]
}

@test "no archive: one sentence that names it, exit status 1, nothing on stdout" {
    mkdir empty
    echo "no archive" >text.otf2
    head -c 4096 /dev/urandom >noise.otf2
    : >nothing.otf2
    for input in missing missing.otf2 empty text.otf2 noise.otf2 nothing.otf2 /dev/null; do
        "$PAGODA" replay "$input" >stdout 2>stderr && return 1
        [ $? = 1 ]
        [ ! -s stdout ]
        [ "$(wc -l <stderr)" = 1 ]
        grep -q "^pagoda: .*$input" stderr
    done
}

@test "a location file that is missing: the rest is reported, exit status 3" {
    archive replay/pipeline
    rm pipeline/traces/1.evt
    run -3 "$PAGODA" replay pipeline
    words=$(tr -s "\n " " " <<<"$output")
    [[ $words == *"Parts of the trace were unreadable"* ]]
    [[ $output == *"1 location not read at all"*"rank 1"*"[location-skipped]"* ]]
    [[ $words == *"1 rank could not be read; the numbers cover the other 1."* ]]
    run -3 "$PAGODA" replay --json pipeline
    jq -e '.warnings | any(.code == "location-skipped" and .count == 1)' <<<"$output"
}

@test "a location file cut off: the rest is reported, exit status 3" {
    archive replay/pipeline
    truncate -s 120 pipeline/traces/1.evt
    run -3 "$PAGODA" replay pipeline
    [[ $output == *"1 location readable only up to some record"*"rank 1"*"[location-cut]"* ]]
}

@test "a late receiver of an MPI_Isend: the hint is one for that program, too" {
    cat >isend.txt <<'TEXT'
0 0-20    MPI_Isend ; 10 isend world 1 0 1000000 1
0 30-2010 MPI_Wait ; 2000 isend-complete 1
1 0-1000    work
1 1000-2010 MPI_Recv ; 2000 recv world 0 0 1000000
TEXT
    "$BUILD/tools/mktrace" isend.txt isend
    run "$PAGODA" replay isend
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"Rank 0 was blocked for"*"in MPI_Wait"*"before completing the send"* ]]
    [[ $output != *"send with MPI_Isend"* ]]
}

@test "definitions cut off: one sentence, exit status 1" {
    archive replay/pipeline
    truncate -s 20 pipeline/traces.def
    run -1 "$PAGODA" replay pipeline
    sentence 'traces.def|pipeline'
}

@test "an archive without MPI: a profile, no judgement, names made harmless" {
    /usr/bin/python3 - <<'PYTHON'
import otf2
with otf2.writer.open("plain", timer_resolution=1000000000) as trace:
    definitions = trace.definitions
    node = definitions.system_tree_node("node")
    region = definitions.region("esc\033[31m/größe")
    for rank in range(3):
        process = definitions.location_group("Process %d" % rank, system_tree_parent=node)
        writer = trace.event_writer("Main", group=process)
        writer.enter(0, region)
        writer.leave(5000000 * (rank + 1), region)
PYTHON
    run -0 "$PAGODA" replay plain
    [[ $output == *"3 ranks on 1 node, 15.00 ms"* ]]
    [[ $output == *"30.000"*"esc?[31m/größe"* ]]
    [[ $output == *"The trace holds no MPI calls"* ]]
    "$PAGODA" replay --json plain | jq -e '.profile[0].region == "esc?[31m/größe"'
}

@test "MPI calls without records: said, not taken for a program that never waits" {
    cat >bare.txt <<'TEXT'
0 0-1000    MPI_Send
0 2000-3000 MPI_Barrier
1 0-1000    MPI_Recv
1 2000-3000 MPI_Barrier
TEXT
    "$BUILD/tools/mktrace" bare.txt bare
    run -0 "$PAGODA" replay bare
    [[ $output == *"4 MPI calls whose messages or collectives the trace does not record"*"[missing-record]"* ]]
    [[ $output == *"not recorded"*"Late Sender"* ]]
    "$PAGODA" replay --json bare | jq -e '
        (.patterns[] | select(.id == "late-sender") | .evaluated == false)
        and (.patterns[] | select(.id == "wait-at-finalize") | .evaluated)'
}

@test "report: clocks that disagree" { golden clocks; }

@test "an archive without events: one sentence, exit status 1" {
    /usr/bin/python3 - <<'PYTHON'
import otf2
with otf2.writer.open("none", timer_resolution=1000000000) as trace:
    node = trace.definitions.system_tree_node("node")
    process = trace.definitions.location_group("Process", system_tree_parent=node)
    trace.event_writer("Main", group=process)
PYTHON
    run -1 "$PAGODA" replay none
    sentence 'none/traces.otf2 has no events'
}

@test "parameters that no report has are named, and counters of parts of a run" {
    /usr/bin/python3 - <<'PYTHON'
import otf2
from otf2.enums import MetricMode, MetricOccurrence, ParameterType, RecorderKind, Type
with otf2.writer.open("counted", timer_resolution=1000000000) as trace:
    definitions = trace.definitions
    node = definitions.system_tree_node("node")
    process = definitions.location_group("Process", system_tree_parent=node)
    work = definitions.region("work")
    members = [definitions.metric_member(name, value_type=Type.UINT64, metric_mode=MetricMode.ABSOLUTE_POINT)
               for name in ("process_cpu_time", "PAPI_TOT_CYC", "PAPI_L2_TCM", "unread")]
    both = definitions.metric_class(members[:3], MetricOccurrence.SYNCHRONOUS, RecorderKind.CPU)
    definitions.metric_class(members[3:], MetricOccurrence.ASYNCHRONOUS, RecorderKind.CPU)
    size = definitions.parameter("problem size", ParameterType.UINT64)
    shift = definitions.parameter("shift", ParameterType.INT64)
    kind = definitions.parameter("kind", ParameterType.STRING)
    writer = trace.event_writer("Main", group=process)
    for start in range(0, 100, 10):
        writer.metric(start, both, [start, 7, 8])
        writer.enter(start, work)
        writer.parameter_unsigned_int(start + 1, size, start)
        writer.parameter_int(start + 2, shift, start - 50)
        writer.parameter_string(start + 3, kind, "dense")
        writer.metric(start + 5, both, [start + 5, 7, 8])
        writer.leave(start + 5, work)
PYTHON
    run -0 --separate-stderr "$PAGODA" check counted
    [ "${lines[1]}" = '  unused-parameter: 10 parameter values left out: kind. Numbers are added up and reported by call path, of whole runs; texts and identifiers have no sum' ]
    run "$PAGODA" replay --interval 0s:20ns counted
    [[ $(tr '\n' ' ' <<<"$output" | tr -s ' ') == *'PAPI_TOT_CYC, PAPI_L2_TCM. Counters are reported of whole runs only [unused-counter]'*'kind. Numbers are added up and reported by call path, of whole runs; texts and identifiers have no sum [unused-parameter]'* ]]
    run "$PAGODA" replay --ideal --json counted
    [ "$(jq -c '[.warnings[] | select(.code | startswith("unused-")) | .count]' <<<"$output")" = '[10]' ]
    [ "$(jq -c '[.sensors[] | .name, .mean]' <<<"$output")" = '["PAPI_L2_TCM",8,"PAPI_TOT_CYC",7]' ]
    # From 0 to 90; from -50 to 40, of which those below 0 do not count.
    jq -e '[.counters[] | .name, .total, .values[0].path] == ["problem size", 450, "work", "shift", 100, "work"]' <<<"$output"
}

@test "stdout that cannot be written: one sentence, exit status 1" {
    archive replay/pipeline
    run -1 bash -c '"$PAGODA" replay pipeline 2>&1 >/dev/full'
    sentence 'cannot write the output: No space left on device'
    run -1 bash -c '"$PAGODA" replay --json pipeline 2>&1 >/dev/full'
    sentence 'cannot write'
}

@test "a reader of stdout that goes away is nothing to talk about" {
    archive replay/pipeline
    run bash -c '"$PAGODA" replay --json pipeline 2>&1 >&3 3>&- | cat' 3> >(head -n 1 >/dev/null)
    [ -z "$output" ]
}

@test "the report does not depend on the locale" {
    archive replay/pipeline
    LC_ALL=C "$PAGODA" replay pipeline >c
    "$PAGODA" replay pipeline >here
    cmp c here
}

@test "a terminal: headings stand out, rows are cut to its width" {
    archive replay/pipeline
    mkdir very_long_folder_name
    mv pipeline very_long_folder_name/
    # shellcheck disable=SC2016 # for the shell inside
    TERM=xterm NO_COLOR='' script -qc 'stty cols 74; "$PAGODA" replay very_long_folder_name/pipeline' \
        typescript >/dev/null </dev/null
    grep -q $'\033\\[1mWait states in ms\033\\[0m' typescript
    [ "$(sed -n '/Time by region/,/^\r*$/p' typescript | tail -n +2 | tr -d '\r' |
        awk '{ if (length > widest) widest = length } END { print widest }')" -le 74 ]
    # shellcheck disable=SC2016
    TERM=xterm script -qc '"$PAGODA" replay very_long_folder_name/pipeline' typescript >/dev/null \
        </dev/null
    run grep -c $'\033' typescript
    [ "$output" = 0 ]
}

@test "NO_COLOR and files: no escape sequences" {
    archive replay/pipeline
    run "$PAGODA" replay pipeline
    [[ $output != *$'\033'* ]]
}

@test "one core or two: the same bytes" {
    command -v taskset >/dev/null || skip "no taskset"
    # Long enough for many batches on each location.
    awk 'BEGIN { for (i = 0; i < 4000; i++) for (r = 0; r < 2; r++) {
            t = i * 100 + r * (i * 37 % 50)
            print r, t, "enter solve"; print r, t + 10, "leave solve"
            print r, t + 20, "enter MPI_Sendrecv"; print r, t + 20, "send world", 1 - r, "0 8"
            print r, t + 70, "recv world", 1 - r, "0 8"; print r, t + 80, "leave MPI_Sendrecv" } }' >long.txt
    "$BUILD/tools/mktrace" long.txt long
    taskset -c "$(first_cores 1)" "$PAGODA" replay --json long >one
    "$PAGODA" replay --json long >all
    cmp one all
}

@test "--ideal: serialisation and transfer by a replay on an ideal network" {
    # Rank 0 works 3 ms and sends, rank 1 waits for it and works 4 more; what is judged takes 7.020 ms,
    # of which 13 us are messages and calls.
    archive replay/pipeline
    "$PAGODA" replay --ideal --json pipeline >out.json
    jq -e '.window.ideal_ns == 7007000 and
        (.efficiency | (.serialization * 7007000 | round) == 5011000
            and (.transfer * 7020000 | round) == 7007000
            and (.serialization * .transfer - .communication | fabs) < 1e-9)' out.json
    run "$PAGODA" replay --ideal pipeline
    [[ $output =~ Communication\ +71.4\ %\ =\ serialisation\ 71.5\ %\ x\ transfer\ 99.8\ % ]]
    # Beside a prediction it says the same of the measured run, and it is kept.
    "$PAGODA" replay --ideal --json --cpu-speed 2 pipeline | jq -e '.window.ideal_ns == 7007000'
    "$PAGODA" replay --ideal --store runs.db pipeline >stored
    [ "$(sqlite3 runs.db "SELECT round(value * 7007000) FROM measurements
        WHERE metric = 'serialization_efficiency'")" = 5011000.0 ]
    # Clocks that disagree, and cannot be corrected, make it longer, and it is said.
    archive align/drift clocks
    run -0 "$PAGODA" replay --ideal clocks
    [[ $(tr -s ' \n' ' ' <<<"$output") == *"transfer 100.0 %"*"clocks of the recording disagree"* ]]
}

# The values are worked out in the trace.
@test "call paths of one name are one, whatever their files and locations; recursion counts once" {
    archive replay/merged
    "$PAGODA" replay merged --json | jq -c '.profile[] | [.path, .visits, .inclusive_ns, .exclusive_ns]' >profile
    diff - profile <<'END'
["main",2,190,50]
["main/f",2,120,110]
["main/f/f",1,10,10]
["main/MPI_Recv",2,20,20]
["(thread)",1,9,9]
["(program)",1,5,5]
END
    "$PAGODA" replay merged >merged.report
    grep -q '^ *0.120 .* 0.120  *3  *1.17  *1  f  a.c:10$' merged.report
    "$PAGODA" store add merged.db merged >/dev/null
    [ "$(sqlite3 merged.db "SELECT process, sum(value) FROM measurements WHERE metric = 'exclusive_ns' GROUP BY 1")" = \
        $'/Process/0|105\n/Process/1|99' ]
}

@test "a long call, then more events of functions than are digested at once, in any number of threads" {
    awk 'BEGIN { for (k = 0; k < 2; k++) {
        print k, 0, "enter MPI_Init"; print k, 300000, "leave MPI_Init"
        for (t = 300000; t < 2300000; t += 20) { print k, t, "enter f"; print k, t + 10, "leave f" }
        print k, t, "enter MPI_Finalize"; print k, t + 1, "leave MPI_Finalize" } }' |
        "$BUILD/tools/mktrace" - far
    for n in 1 2 3; do
        "$PAGODA" replay --threads $n --json far >"far-$n"
        cmp far-1 "far-$n"
    done
    [ "$(jq '[.profile[] | select(.region == "f") | .visits] | add' far-1)" = 200000 ]
}

@test "a region that is not left in an MPI call keeps its time" {
    "$BUILD/tools/mktrace" - open <<'END'
0 0 enter MPI_Allreduce
0 7 enter inside
0 200 leave MPI_Allreduce
END
    "$PAGODA" replay open --json >report
    [ "$(jq '.profile[] | select(.region == "inside") | .exclusive_ns' report)" = 193 ]
}

@test "shares of regions are of the threads' time where threads are recorded" {
    archive threads/barrier-ties ties
    run -0 "$PAGODA" replay ties
    [[ $output == *"Time by region in us (sums over threads, shares of their time"* ]]
    [[ $output =~ 0.060\ +60.0\ %.*parallel.*0.040\ +40.0\ %.*barrier ]]
}

# Ten times two ranks compute for 1000 us each, the second one in blocks that it gets from the first. A message
# takes 5 us in MPI_Send and 5 in MPI_Recv, half of which the first one of each time has beside its wait: with two
# blocks 25 us for two messages. So sqrt(1 * 1000 / 12.5) blocks are best, and save 10 * (3 * 512.5 - 10 * 123.6) us.
@test "findings: the best number of blocks of a pipeline" {
    pipeline() { # BLOCKS
        awk -v n_blocks="$1" '
            BEGIN {
                print "0-1 0 enter main"
                for (sweep = 0; sweep < 10; sweep++) {
                    second = first
                    for (block = 0; block < n_blocks; block++) {
                        first += 1000000 / n_blocks
                        printf "0 %d-%d MPI_Send ; %d send world 1 0 8\n", first, first + 5000, first
                        first += 5000
                        entered = second
                        second = (second > first ? second : first) + 5000
                        printf "1 %d-%d MPI_Recv ; %d recv world 0 0 8\n", entered, second, second
                        second += 1000000 / n_blocks
                    }
                    meet(0, first, second + 10000)
                    meet(1, second, second + 10000)
                    first = second + 10000
                }
                print "0-1", first, "leave main"
            }
            function meet(rank, begin, end) {
                printf "%d %d-%d MPI_Allreduce ; %d coll-begin ; %d coll-end allreduce world - 8 8\n", rank, begin, end, \
                    begin, end
            }' | "$BUILD/tools/mktrace" - "blocks-$1"
    }
    pipeline 2
    pipeline 8
    "$PAGODA" replay --json blocks-2 | jq -e '.findings[0] | .hint | contains("in smaller blocks: about 9 instead of 2 between two
        collective operations would save some 3.014 ms" | gsub("\n *"; " "))'
    "$PAGODA" replay --json blocks-8 | jq -e '.findings[0] | .hint | contains("Send sooner, in smaller blocks. Or ")'
}

# Rank 1 computes for 8 ms before each of two lines of a log and for 2 ms before it meets the others, rank 0 for 3, 3
# and 1. So rank 0 waits for 11 ms each time, and half of that would be saved.
@test "findings: calls that write a log do not cut computing into pieces" {
    awk 'BEGIN {
            print "region fprintf - libc\ncontext a main log.c:10\ncontext b main log.c:12\ncontext c main log.c:14\n0-1 0-0 MPI_Comm_rank at a"
            for (step = 0; step < 20; step++) {
                for (rank = 0; rank < 2; rank++) {
                    time = step * 18010000
                    work = (rank ? 8 : 3) * 1000000
                    printf "%d %d-%d fprintf at a\n", rank, time + work, time + work + 1000
                    printf "%d %d-%d fprintf at b\n", rank, time + 2 * work + 1000, time + 2 * work + 2000
                    time += 2 * work + 2000 + (rank ? 2 : 1) * 1000000
                    end = (step + 1) * 18010000
                    printf "%d %d-%d MPI_Allreduce at c ; %d coll-begin ; %d coll-end allreduce world - 8 8\n", rank,
                        time, end, time, end
                }
            }
        }' | "$BUILD/tools/mktrace" - log
    "$PAGODA" replay --json log | jq -e '.findings | length == 1 and (.[0] | .kind == "uneven-work" and
        .loss_ns == 220000000 and (.remedies[0] | .words == "--balance \u0027before main/*\u0027" and
        .gain_ns == 110000000))'
}
