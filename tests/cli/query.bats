# SPDX-License-Identifier: BSD-3-Clause
# pagoda query: selection, aggregates, forms of the answer, and what is said when there is none.
load ../helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    archive replay/pipeline run
    local size
    for size in 32 64 128; do
        "$PAGODA" replay run --store runs.db --as "ring/e$((size / 100))/s$size" --parameter size=$size --parameter kind=warm >/dev/null
    done
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp -r "$BATS_FILE_TMPDIR"/{run,runs.db} .
    query=("$PAGODA" query runs.db)
}

# answers EXPECTED OPTION...: as CSV, without the line of titles.
answers() {
    local expected=$1
    shift
    run -0 "${query[@]}" --csv "$@"
    diff <(tail -n +2 <<<"$output") <(echo "$expected")
}

# refused PATTERN OPTION...: exit status 1 and one sentence.
refused() {
    local pattern=$1
    shift
    run -1 "${query[@]}" "$@"
    [ "${#lines[@]}" = 1 ]
    [[ $output =~ ^"pagoda: ".*$pattern ]]
}

@test "values add up within a focus, and are those of the report" {
    "$PAGODA" replay run --json >report.json
    answers "1,e0,s32,exclusive_ns,$(jq '[.profile[].exclusive_ns] | add' report.json),ns" \
        -m exclusive_ns -t s32
    answers "1,e0,s32,exclusive_ns,4005000,ns" -m exclusive_ns -t s32 \
        --focus '< /Code/MPI, /CallPath/main/solve, /Machine, /Process >'
    answers "1,e0,s32,exclusive_ns,4005000,ns" -m exclusive_ns -t s32 \
        --focus '/Code/MPI/(MPI_Recv,MPI_Send)'
}

@test "parts of a hierarchy" {
    answers $'1,e0,s32,/Process/0,wait_ns,1999000,ns\n1,e0,s32,/Process/1,wait_ns,4005000,ns' \
        -m wait_ns --by process -t s32
    answers $'1,e0,s32,/CallPath/main/solve/MPI_Recv,inclusive_ns,4004000,ns\n'"$(
    )1,e0,s32,/CallPath/main/solve/MPI_Send,inclusive_ns,1000,ns" \
        -m inclusive_ns --by call-path -f '/CallPath/main/solve, /Code/MPI' -t s32
    answers "1,e0,s32,/Code/MPI/MPI_Recv,region_inclusive_ns,4004000,ns" \
        -m region_inclusive_ns --by code -f /Code/MPI/MPI_Recv -t s32
    answers "1,e0,s32,/Message/pair/0/1,messages,1,messages" -m messages --by message -t s32
    answers "1,e0,s32,/SyncObject/Message/world/7,tag_bytes,1024,bytes" -m tag_bytes --by sync-object -t s32
    # The values of a node are those of its ranks, those of nodes all values.
    run "${query[@]}" -m wait_ns --by machine -t s32 --csv
    [ "${#lines[@]}" = 2 ]
    [[ ${lines[1]} == "1,e0,s32,/Machine/"*",wait_ns,6004000,ns" ]]
}

@test "trials by parameter, experiment, date, origin and property" {
    answers $'2,e0,s64,time_ns,9040000,ns\n3,e1,s128,time_ns,9040000,ns' -m time_ns -p 'size>=64'
    answers "1,e0,s32,time_ns,9040000,ns" -m time_ns -p 'size<64 && kind == warm'
    answers "2,e0,s64,time_ns,9040000,ns" -m time_ns -p size==64.0
    # What only begins like a number is a text: 64KiB is not 64, version 1.10.2 not 1.1.
    sqlite3 runs.db "INSERT INTO trial_attribute (trial_id, kind, name, value)
        VALUES (1, 'parameter', 'block', '64KiB'), (2, 'parameter', 'block', '6.4e1'),
            (1, 'version', 'solver', '1.10.2'), (2, 'version', 'solver', '1.10')"
    answers "2,e0,s64,time_ns,9040000,ns" -m time_ns -p block==64
    answers "1,e0,s32,time_ns,9040000,ns" -m time_ns -p block==64KiB
    answers "2,e0,s64,time_ns,9040000,ns" -m time_ns -p solver==1.1
    answers "3,e1,s128,time_ns,9040000,ns" -m time_ns --as 'r*/e[1-9]'
    answers "2,e0,s64,64,time_ns,9040000,ns" -m time_ns -t s64 -t s128 -p size!=128 --column size
    local first last # days, which differ around midnight
    first=$(sqlite3 runs.db "SELECT substr(min(stored_at), 1, 10) FROM trial")
    last=$(sqlite3 runs.db "SELECT substr(max(stored_at), 1, 10) FROM trial")
    run "${query[@]}" -m time_ns --since "$first" --until "$last" --with 'late-sender>=0.2' --csv
    [ "${#lines[@]}" = 4 ]
    refused 'has no trial that meets all conditions' -m time_ns --until 2001-01-01
    refused 'has no trial that meets all conditions' -m time_ns --with 'late-sender>=0.9'
    refused 'has no trial that meets all conditions' -m time_ns --origin predicted
    refused '"yesterday" is not a date such as' -m time_ns --since yesterday
    refused 'has no parameter "siez"; did you mean "size"\?' -m time_ns -p siez==64
    refused 'has no parameter "zzz"; there are .*, ' -m time_ns -p zzz==64
    refused '`size=64`: `=` is not an operator; there are == != < <= > >=' -m time_ns -p size=64
    refused 'has no metric "zzz"; there are [^,]+, [^,]+, [^,]+, [^,]+, \.\.\.$' -m zzz
    refused 'has no property "late-sendr"; did you mean "late-sender"\?' \
        -m time_ns --with late-sendr
}

@test "communicators and tags are a hierarchy of their own" {
    awk 'BEGIN {
        print "comm pair ranks 0 1"; print "region main main.c:1"
        for (r = 0; r < 3; r++) { print r, 0, "enter main"; print r, 10, "enter MPI_Init"; print r, 20, "leave MPI_Init" }
        for (i = 0; i < 70; i++) for (r = 0; r < 2; r++) {
            print r, 100 + 10 * i, "enter " (r ? "MPI_Recv" : "MPI_Send")
            print r, 101 + 10 * i + r, r ? "recv pair 0 " 100 + i " 8" : "send pair 1 " 100 + i " 8"
            print r, 105 + 10 * i, "leave " (r ? "MPI_Recv" : "MPI_Send") }
        for (r = 0; r < 3; r++) {
            if (r < 2) {
                print r, 2000, "enter MPI_Bcast"; print r, 2000, "coll-begin"
                print r, 2005, "coll-end bcast pair 0 8 8"; print r, 2005, "leave MPI_Bcast" }
            print r, 2010, "enter MPI_Barrier"; print r, 2010, "coll-begin"
            print r, 2015, "coll-end barrier world - 0 0"; print r, 2015, "leave MPI_Barrier"
            print r, 3000, "enter MPI_Finalize"; print r, 3010, "leave MPI_Finalize"
            print r, 3020, "leave main" } }' | "$BUILD/tools/mktrace" - tags
    "$PAGODA" store add sync.db tags --as t >/dev/null
    ask() { "$PAGODA" query sync.db --csv "$@" | tail -n +2 | cut -d, -f4-; }
    [ "$(ask -m collectives -f /SyncObject)" = collectives,2,operations ]
    [ "$(ask -m collectives -f /SyncObject/Collective/pair)" = collectives,1,operations ]
    [ "$(ask -m 'tag_*' -f /SyncObject/Message/pair/107)" = $'tag_bytes,8,bytes\ntag_messages,1,messages' ]
    # The tags after the 64th are together; all sum to what the pairs of ranks have.
    [ "$(ask -m tag_messages -f '/SyncObject/Message/pair/\(others\)')" = tag_messages,6,messages ]
    [ "$(ask -m tag_messages -f /SyncObject)" = tag_messages,70,messages ]
    [ "$(ask -m messages -f /Message/pair/0/1)" = messages,70,messages ]
    [ "$(sqlite3 sync.db 'SELECT * FROM messages_between_ranks')" = '1|0|1|70|560' ]
    run -1 "$PAGODA" query sync.db -m tag_messages -f /SyncObject/Message/pear
    [[ $output == "pagoda: sync.db has no resource /SyncObject/Message/pear"* ]]
}

@test "properties: the whole program, by process and by call path" {
    "$PAGODA" replay run --json >report.json
    run "${query[@]}" --property late-sender -t s32 --csv
    [ "${lines[3]}" = "1,e0,s32,late-sender count,1,instances" ]
    [ "${lines[4]}" = \
        "1,e0,s32,late-sender wait_ns,$(jq '.patterns[] | select(.id == "late-sender") | .total_ns' report.json),ns" ]
    run "${query[@]}" --property late-sender --by process -t s32 --csv
    [ "${lines[4]}" = "1,e0,s32,/Process/1,late-sender wait_ns,4000000,ns" ]
    run "${query[@]}" --property late-sender -f /Code/MPI -t s32 --csv
    [ "${lines[4]}" = "1,e0,s32,late-sender wait_ns,4000000,ns" ]
    refused 'stored by call path or by process, not by both: ask for the metric late-sender.wait_ns' \
        --property late-sender -f /Code/MPI --by process
}

@test "statistics over ranks and over trials" {
    answers "1,e0,s32,wait_ns,ns,2,1999000,4005000,3002000,3002000,1418456.2030602144,2199600" \
        -m wait_ns --over ranks -t s32 --quantile 0.1
    # One more run, with other waits: mean and sample deviation by hand.
    sqlite3 runs.db "UPDATE tuple SET value = value + 3000 WHERE trial_id = 3 AND metric_id =
        (SELECT id FROM metric WHERE name = 'time_ns')"
    answers "time_ns,ns,3,9040000,9043000,9041000,9040000,1732.0508075688772,9040000,9041500" \
        -m time_ns --over trials
    answers "time_ns,ns,3,\"9040000, 9040000, 9043000\",\"s32, s64, s128\"" \
        -m time_ns --summarize list
    answers $'time_ns,ns,2,9040000,9040000,9040000,"s32, s64"\ntime_ns,ns,1,9043000,9043000,9043000,s128' \
        -m time_ns --summarize cluster --delta 2.999us
    answers "time_ns,ns,3,9041000,9040000,9043000,\"s32, s64, s128\"" \
        -m time_ns --summarize cluster --delta 3000
    answers $'/Process/0,wait_ns,ns,3,"1999000, 1999000, 1999000","s32, s64, s128"\n'"$(
    )/Process/1,wait_ns,ns,3,\"4005000, 4005000, 4005000\",\"s32, s64, s128\"" \
        -m wait_ns --by process --over trials --summarize list
    # Where a name is there twice, it says of which experiment, and of which application.
    sqlite3 runs.db "UPDATE trial SET name = 's32' WHERE id = 3"
    answers "time_ns,ns,3,\"9040000, 9040000, 9043000\",\"e0/s32, s64, e1/s32\"" \
        -m time_ns --summarize list
    sqlite3 runs.db "INSERT INTO application (name) VALUES ('other');
        UPDATE experiment SET name = 'e0', application_id = (SELECT max(id) FROM application)
            WHERE name = 'e1'"
    answers "time_ns,ns,3,\"9040000, 9040000, 9043000\",\"ring/e0/s32, s64, other/e0/s32\"" \
        -m time_ns --summarize list
}

@test "intervals, one of them, and over all" {
    answers "1,e0,s32,wait_ns,6004000,ns" -m wait_ns -t s32 --interval window
    refused 'no selected trial of runs.db has values of wait_ns in that interval' \
        -m wait_ns --interval run
    answers $'1,e0,s32,time_ns,ns,1,9040000,run\n1,e0,s32,wait_ns,ns,1,6004000,window' \
        -m time_ns -m wait_ns -t s32 --over intervals --summarize list
    # Values of three steps, not all of them on both ranks.
    printf '%s\n' metric,unit,adds_up_over,interval,focus,value \
        steps_ns,ns,everything,warm-up,/Process/1,10 steps_ns,ns,everything,step,/Process/0,15 \
        steps_ns,ns,everything,step,/Process/1,5 steps_ns,ns,everything,final,/Process/1,60 |
        "$PAGODA" store import runs.db - --as steps >/dev/null
    answers "4,default,steps,steps_ns,ns,3,10,60,30,20,26.457513110645905,15,40" \
        -m steps_ns --over intervals
    answers '4,default,steps,steps_ns,ns,3,"10, 20, 60","warm-up, step, final"' \
        -m steps_ns --over intervals --summarize list
    answers $'4,default,steps,steps_ns,ns,2,15,10,20,"warm-up, step"\n'"$(
    )4,default,steps,steps_ns,ns,1,60,60,60,final" \
        -m steps_ns --over intervals --summarize cluster --delta 10ns
    answers $'4,default,steps,/Process/0,steps_ns,ns,1,15,step\n'"$(
    )4,default,steps,/Process/1,steps_ns,ns,3,\"10, 5, 60\",\"warm-up, step, final\"" \
        -m steps_ns --by process --over intervals --summarize list
    answers "4,default,steps,steps_ns,20,ns" -m steps_ns --interval step
    # Without a name it is the first one that has values, not a sum over several.
    answers "4,default,steps,steps_ns,10,ns" -m steps_ns
    answers "4,default,steps,/Process/1,steps_ns,10,ns" -m steps_ns --by process
    answers "4,default,steps,steps_ns,15,ns" -m steps_ns -f /Process/0
    run -2 "${query[@]}" -m wait_ns --over intervals --interval run
}

@test "a table, CSV and JSON say the same, whatever the names are" {
    sqlite3 runs.db "UPDATE trial SET name = 'a \"b\", c' WHERE id = 1"
    run "${query[@]}" -m time_ns -t 1
    # Times and shares are printed with their units, other numbers have a column of units.
    [ "${lines[1]}" = '     1  e0          a "b", c  time_ns  9.040 ms' ]
    run "${query[@]}" -m time_ns -m messages -t 1
    [[ ${lines[1]} =~ time_ns\ +9.040\ ms\ +ns$ ]]
    [[ ${lines[2]} =~ messages\ +1\ +messages$ ]]
    run "${query[@]}" --sql "SELECT name, unit FROM metric WHERE name = 'time_ns'"
    [[ ${lines[1]} =~ ^time_ns\ +ns$ ]]
    answers '1,e0,"a ""b"", c",time_ns,9040000,ns' -m time_ns -t 1
    "${query[@]}" -m time_ns -t 1 --json >answer.json
    [ "$(jq -r '.schema, .database, (.columns | join(" ")), .rows[0].trial, .rows[0].value' \
        answer.json)" = $'1\nruns.db\nnumber experiment trial metric value unit\na "b", c\n9040000' ]
}

@test "without a question: the metrics" {
    run -0 "${query[@]}"
    [[ $output == *"inclusive_ns"*"ns "*"processes"*"time in the call path and below"* ]]
}

@test "a focus that matches nothing names the nearest resource" {
    refused 'has no resource /Code/MIP/MPI_Recv; did you mean /Code/MPI\?' \
        -m exclusive_ns -f /Code/MIP/MPI_Recv
    refused 'has no resource /CallPath/main/sovle; did you mean /CallPath/main/solve\?' \
        -m exclusive_ns -f /CallPath/main/sovle
    refused 'has no resource /Process/rank/x; the nearest resource is /Process' \
        -m exclusive_ns -f /Process/rank/x
    refused 'has no resource /Kode; did you mean /Code\?' -m exclusive_ns -f /Kode
    refused 'has no metric "exclusiv_ns"; did you mean "exclusive_ns"\?' -m exclusiv_ns
    refused 'no selected trial of runs.db has values of time_ns at /Process/0' \
        -m time_ns -f /Process/0
    refused 'the focus "/Code//x" is wrong at character' -m time_ns -f /Code//x
    refused 'has no interval "runs"; did you mean "run"\?' -m time_ns --interval runs
    refused 'has no trial "s33"; did you mean "s32"\?' -m time_ns -t s33
}

@test "SQL reads, and cannot write" {
    run -0 "${query[@]}" --sql "SELECT trial, parallel_efficiency AS pe, NULL AS none FROM trials" --csv
    [ "${lines[0]}" = trial,pe,none ]
    [[ ${lines[1]} =~ ^s32,0\.57.*,$ ]]
    run "${query[@]}" --sql "SELECT 1 AS a, 2 AS a;" --json
    [ "$(jq -c '.rows[0]' <<<"$output")" = '{"a":1,"a:2":2}' ]
    cp runs.db before.db
    local sql
    for sql in "DELETE FROM trial" "UPDATE trial SET name = 'x'" "CREATE TABLE x (y)" \
        "ATTACH 'other.db' AS other" "PRAGMA query_only = OFF" "VACUUM INTO 'copy.db'" \
        "CREATE TEMP TABLE x (y)" "BEGIN IMMEDIATE" \
        "WITH x AS (SELECT 1) INSERT INTO application (name) SELECT * FROM x" "DROP VIEW trials"; do
        refused '--sql may only read: SELECT from' --sql "$sql"
    done
    refused 'not authorized to use function' --sql "SELECT load_extension('x')"
    refused 'the SQL is more than one statement' --sql "SELECT 1; DELETE FROM trial"
    refused 'the SQL is more than one statement' --sql "SELECT 1; -- one
        SELECT 2"
    answers 1 --sql "SELECT 1; ; -- one /*"
    refused 'the SQL is wrong: no such table: runs' --sql "SELECT * FROM runs"
    refused 'the SQL is empty' --sql " -- nothing"
    [ "$(ls)" = $'before.db\nrun\nruns.db' ]
    cmp before.db runs.db
}

@test "SQL that takes too much memory is one sentence" {
    local endless="WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x)"
    refused 'the SQL makes a value of more than 16 MiB' --sql "SELECT length(zeroblob(2000000000))"
    refused 'the SQL needs more than 512 MiB of memory' --sql "$endless SELECT hex(zeroblob(500000)) FROM x"
    refused 'the SQL needs more than 512 MiB of memory' \
        --sql "$endless SELECT n FROM x ORDER BY n || hex(zeroblob(500000))"
    refused 'pattern too complex' --sql "SELECT 'a' LIKE '$(printf '%%a%.0s' {1..200})'"
    answers 3 --sql "SELECT count(*) FROM trial"
}

@test "a read-only database can be asked" {
    chmod 444 runs.db
    run "${query[@]}" --sql "SELECT count(*) FROM trial" --csv
    [ "${lines[1]}" = 3 ]
    run -0 "${query[@]}" -m time_ns
}

@test "wrong usage" {
    local usage
    while read -r usage; do
        eval "run \"\${query[@]}\" $usage"
        [ "$status" = 2 ]
        [ "${#lines[@]}" = 1 ]
    done <<'END'
--by cal-path -m time_ns
--over rank -m wait_ns
--summarize cluster -m time_ns
--summarize list --delta 4 -m time_ns
--summarize list --quantile 0.5 -m time_ns
--quantile 1.5 -m time_ns
--delta x --summarize cluster -m time_ns
--over ranks --by code -m wait_ns
--over trials --column size -m wait_ns
--sql 'SELECT 1' -m time_ns
--csv --json
-t s32
END
    says "did you mean call-path?" "${query[@]}" --by cal-path -m time_ns
    run -2 "$PAGODA" query runs.db -m visits --by everything
    [[ $output == *"--by everything: it is trial, process, call-path, code, machine, message or sync-object ("* ]]
    run -2 "$PAGODA" query runs.db -m visits --over rank
    [[ $output == *"--over rank: it is trials, ranks or intervals; did you mean ranks? ("* ]]
    says -2 "; did you mean measured? (" "$PAGODA" query runs.db -m visits --origin mesured
    run -2 "$PAGODA" query
}

@test "a terminal's lines are not exceeded, and what goes to a pipe is whole" {
    archive advise/names
    "$PAGODA" replay names --store names.db >/dev/null
    focus='/CallPath/main/void ns::Grid\<double\, std::vector\<double\> \>::relax\<3\>\(std::vector\<double\> const&\)'
    for form in '' --csv --json; do
        # shellcheck disable=SC2086 # no option is not a word
        "$PAGODA" query names.db --metric exclusive_ns --by call-path $form >answer
        sed 's/\\\\/\\/g' answer | grep -qF "$focus"
    done
    script -qc 'stty cols 90; "$PAGODA" query names.db --metric exclusive_ns --by call-path' \
        typescript </dev/null >/dev/null
    [ "$(grep -c 'exclusive_ns  ' typescript)" = 12 ]
    [ "$(tr -d '\r' <typescript | awk '!/^Script/ && length > 90')" = '' ]
    script -qc 'stty cols 60; "$PAGODA" query names.db --metric exclusive_ns --csv --by call-path' \
        typescript </dev/null >/dev/null
    grep -qF "$focus" typescript
}

# Of 14.04 ms of both ranks in the judged part, rank 1 waits 4 and rank 0 1.999 in all.
@test "the findings of selected trials" {
    local row='dependent-work,Ranks compute one after the other,solve (solve.c:56),0-1,5994502,0.4269588319088319,'
    row+='main/solve/MPI_Recv,1,1,'
    run -0 "${query[@]}" --findings --csv -t s32 -t s128
    [ "${lines[0]}" = 'trial,kind,finding,place,ranks,loss_ns,share,waiting,waiting_ranks,confidence,remedy,gain_ns' ]
    [ "${#lines[@]}" = 3 ]
    [[ ${lines[1]} == "ring/e0/s32,$row"*overlap* ]]
    [[ ${lines[2]} == "ring/e1/s128,$row"* ]]
    run -0 "${query[@]}" --findings --json --parameter 'size>100'
    jq -e '.rows | length == 1 and .[0].gain_ns == 1996000' <<<"$output"
    "$PAGODA" store add added.db run >/dev/null
    run -0 "$PAGODA" query added.db --findings --json # which predicts nothing
    jq -e '.rows[0] | .kind == "dependent-work" and .gain_ns == null' <<<"$output"
    run -2 --separate-stderr "${query[@]}" --findings --metric time_ns
    [[ ${stderr-} == *'--findings goes with options that select trials, and none about values'* ]]
    run -1 --separate-stderr "${query[@]}" --findings -t none
    [[ ${stderr-} == *none* ]]
}
