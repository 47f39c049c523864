# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --store, pagoda store list|show|remove: what goes in comes out, and every database
# that cannot be used gets one sentence and stays as it is.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive replay/pipeline run
}

# keep OPTION...: replays the trace into runs.db.
keep() {
    "$PAGODA" replay run --store runs.db "$@" >/dev/null
}

# sentence PATTERN: all that was printed is one line that begins with `pagoda: ` and matches.
sentence() {
    [ "${#lines[@]}" = 1 ]
    [[ ${lines[0]} == "pagoda: "* ]]
    [[ ${lines[0]} =~ $1 ]]
}

# refused PATTERN COMMAND...: exit status 1 and one such sentence.
refused() {
    local pattern=$1
    shift
    run -1 "$@"
    sentence "$pattern"
}

# not_stored PATTERN [FILE]: the run cannot be kept in FILE; the report is printed all the same.
not_stored() {
    run -1 --separate-stderr "$PAGODA" replay run --store "${2:-runs.db}"
    [[ $output == *"Late Sender"* ]]
    [ "$(wc -l <<<"${stderr-}")" = 1 ]
    [[ $stderr =~ ^"pagoda: the run was not stored: ".*$1 ]]
}

# as_user COMMAND...: without root's right to read and write everything.
as_user() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --bounding-set=-dac_override,-dac_read_search "$@"
    else
        "$@"
    fi
}

@test "a kept run is listed, shown and removed" {
    keep --as ring/strong/first --parameter size=1024
    run -0 "$PAGODA" store list runs.db
    [ "${#lines[@]}" = 2 ]
    [[ ${lines[1]} =~ ^" "+1"  ring "+strong" "+2" "+"9.040 ms "+"57.1 %  -"\ +"measured  first"$ ]]
    run -0 "$PAGODA" store show runs.db first
    [[ $output == *"trial 1: first (measured)"*"application ring, experiment strong"* ]]
    [[ $output == *"parameter  size "*1024* ]]
    [[ $output == *"1  4.000 ms    22.1 %        1.00  late-sender"* ]]
    [[ $output == *"4.004 ms   4.004 ms  MPI_Recv       MPI"* ]]
    run -0 "$PAGODA" store remove runs.db first
    [ "$output" = "removed trial 1: ring/strong/first" ]
    run -0 "$PAGODA" store list runs.db
    [ "$output" = "no trials" ]
}

@test "the values are those of the report" {
    keep
    "$PAGODA" replay run --json >report.json
    [ "$(sqlite3 runs.db 'SELECT sum(wait_ns) FROM wait_states')" = \
        "$(jq '[.patterns[].total_ns] | add' report.json)" ]
    [ "$(sqlite3 runs.db 'SELECT sum(exclusive_ns) FROM profile_by_call_path')" = \
        "$(jq '[.profile[].exclusive_ns] | add' report.json)" ]
    [ "$(sqlite3 runs.db 'SELECT sum(time_ns) FROM critical_path_by_region')" = \
        "$(jq .critical_path.length_ns report.json)" ]
    sqlite3 runs.db "SELECT region || ' ' || time_ns FROM critical_path_by_region ORDER BY 1" >stored
    jq -r '.critical_path.regions[] | "\(.region) \(.time_ns)"' report.json | LC_ALL=C sort >reported
    diff reported stored
    [ "$(sqlite3 runs.db 'PRAGMA foreign_key_check; PRAGMA integrity_check')" = ok ]
}

@test "JSON is valid and complete, whatever the names are" {
    keep --as $'a "b" \\ c/it\'s an; experiment/tab\tand\nline/2' \
        --parameter '"quoted"=<&>' --parameter 'empty='
    keep --as other
    "$PAGODA" store list runs.db --json >list.json
    [ "$(jq -r '.schema, (.trials | length), .trials[0].application' list.json)" = \
        $'1\n2\na "b" \\ c' ]
    [ "$(jq -r '.trials[0].trial' list.json)" = "tab?and?line/2" ]
    "$PAGODA" store show runs.db 1 --json >show.json
    [ "$(jq -r '.attributes[] | select(.name == "\"quoted\"") | .value' show.json)" = "<&>" ]
    [ "$(jq -r '.wait_states[0] | .property, .wait_ns, .is_top' show.json)" = \
        $'late-sender\n4000000\ntrue' ]
    [ "$(jq -r '.regions[] | select(.region == "MPI_Recv") | .inclusive_ns' show.json)" = 4004000 ]
    [ "$(jq -r '.time_ns, .ranks, (.conclusion | length > 100)' show.json)" = $'9040000\n2\ntrue' ]
    run -0 "$PAGODA" store show runs.db "it's an; experiment/tab?and?line/2"
    run "$PAGODA" store list runs.db --json --as nothing
    [ "$(jq -c .trials <<<"$output")" = "[]" ]
}

@test "--as names a run from the trial up" {
    local name
    for name in one two/one ring/two/one ring//one 'ring/two/' ring// two/ '//one/and/more'; do
        keep --as "$name"
    done
    [ "$("$PAGODA" store list runs.db --json | jq -r '.trials[] | [.application, .experiment, .trial]
        | join(" ")')" = 'run default one
run two one
ring two one
ring default one
ring two run
ring default run
run two run
run default one/and/more' ]
    [ "$("$PAGODA" store list runs.db --as ring/ --json | jq '.trials | length')" = 4 ]
    [ "$("$PAGODA" store list runs.db --as two --json | jq '.trials | length')" = 4 ]
    [ "$("$PAGODA" store list runs.db --as ring/two --json | jq '.trials | length')" = 2 ]
    run -2 "$PAGODA" store list runs.db --as ring/two/one
    [[ $output == *'--as ring/two/one: expected EXPERIMENT or APPLICATION/EXPERIMENT'* ]]
    says -2 '--as / names no experiment' "$PAGODA" store remove runs.db --as /
}

@test "the list can be cut down to an application or an experiment" {
    keep --as a/x/1st
    keep --as a/y/2nd
    keep --as b/x/3rd
    run "$PAGODA" store list runs.db --as a/
    [[ $output == *1st*2nd* && $output != *3rd* ]]
    run "$PAGODA" store list runs.db --as b/x
    [[ $output == *3rd* && $output != *1st* && $output != *2nd* ]]
    run "$PAGODA" store list runs.db --as c/
    [ "$output" = "no trials of that name" ]
}

@test "names by default are unique, given ones are refused when they are taken" {
    keep
    keep
    keep --as mine
    run sqlite3 runs.db "SELECT trial FROM trials ORDER BY trial_id"
    [ "$output" = $'run\nrun-2\nmine' ]
    run -1 --separate-stderr "$PAGODA" replay run --store runs.db --as mine
    [[ ${stderr-} == *'has a trial "mine" already in the experiment "default" of "run"'* ]]
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM trial')" = 3 ]
}

@test "store add keeps what replay --store keeps, but for what remedies are predicted to save" {
    keep --as ring//one --parameter size=64:problem
    cp -r run again
    run -0 "$PAGODA" store add other.db run --as ring//one --parameter size=64:problem
    [ "$output" = "added run" ]
    for database in runs.db other.db; do
        [ "$(sqlite3 $database 'SELECT count(*) FROM findings')" -gt 0 ]
        cp $database unpredicted-$database
        sqlite3 unpredicted-$database 'DELETE FROM trial_finding; DELETE FROM trial_remedy'
    done
    diff <(stored unpredicted-runs.db) <(stored unpredicted-other.db)
    run -0 "$PAGODA" store add other.db run again --as more/ --component solver=2.1
    [ "$(sqlite3 other.db "SELECT count(*) FROM trial_attribute WHERE kind = 'version' AND
        name = 'solver' AND value = '2.1'")" = 2 ]
    refused 'the run was not stored: .*has a trial "one" already' \
        "$PAGODA" store add other.db run --as ring//one
    run -2 "$PAGODA" store add other.db run again --as x
    run -2 "$PAGODA" store add other.db run --component solver
    refused 'nowhere' "$PAGODA" store add other.db nowhere
    [ "$(sqlite3 other.db 'SELECT count(*) FROM trial')" = 3 ]
}

@test "a database that another process holds is waited for, and then given up in a sentence" {
    keep
    mkfifo commands
    sqlite3 runs.db <commands >held &
    local holder=$!
    exec 7>commands
    echo "BEGIN IMMEDIATE; SELECT 'held';" >&7
    until grep -q held held; do sleep 0.01; done
    "$PAGODA" store export runs.db -o one.db # readers need not wait
    sqlite3 one.db "UPDATE trial SET name = 'other'"
    local arguments
    while read -ra arguments; do
        PAGODA_STORE_TIMEOUT=0.05 refused 'still in use by another process after 0.05 s' \
            "$PAGODA" store "${arguments[@]}"
    done <<'END'
remove runs.db 1
vacuum runs.db
import runs.db one.db
add runs.db run
END
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM trial')" = 1 ]
    # Who waits long enough gets it.
    "$PAGODA" store remove runs.db 1 7>&- &
    local waiter=$!
    echo "COMMIT;" >&7
    exec 7>&-
    wait $holder
    wait $waiter
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM trial')" = 0 ]
}

@test "a parameter can be the size of the problem or of the machine" {
    keep --parameter size=64:problem --parameter ranks=4:machine --parameter at=12:30 \
        --parameter note=x:free
    run sqlite3 runs.db "SELECT parameter, value, role FROM parameters ORDER BY parameter"
    [ "$output" = $'at|12:30|free\nnote|x|free\nranks|4|machine\nsize|64|problem' ]
    run "$PAGODA" store show runs.db 1
    [[ $output == *"problem parameter  size "*64* ]]
}

@test "several removals are done all or not at all" {
    keep --as a
    keep --as b
    refused 'has no trial "c"' "$PAGODA" store remove runs.db a c
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM trial')" = 2 ]
    run -0 "$PAGODA" store remove runs.db a 2
    [ "${#lines[@]}" = 2 ]
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM tuple')" = 0 ]
}

@test "an unknown trial gets the nearest name" {
    keep --as baseline
    refused 'has no trial "basline"; did you mean "baseline"\?' "$PAGODA" store show runs.db basline
    refused 'has no trial "7"; there is baseline' "$PAGODA" store show runs.db 7
}

@test "wrong usage" {
    run -2 "$PAGODA" store
    run -2 "$PAGODA" store lst runs.db
    sentence 'did you mean `list`\?'
    run -2 "$PAGODA" store list
    run -2 "$PAGODA" store show runs.db
    run -2 "$PAGODA" store remove runs.db
    run -2 "$PAGODA" store list runs.db --jsno
    run -2 "$PAGODA" store add runs.db trace --parameter size=1 --parameter size=2
    sentence '--parameter size=2: size is given already, as 1'
    run -2 "$PAGODA" store add runs.db trace --component a=1 --component ab=2 --component a=1:x
    sentence '--component a=1:x: a is given already, as 1'
    run -2 "$PAGODA" store add runs.db trace --component =1
    sentence '--component =1: not of the form NAME=VALUE'
    for action in list show remove; do
        run -0 "$PAGODA" store $action --help
        [[ ${lines[0]} == "usage: pagoda store $action "* ]]
    done
    [ ! -e runs.db ]
}

@test "time without CPU time is stored by process, and can be asked for" {
    archive replay/without-cpu lost
    "$PAGODA" replay lost --store lost.db >/dev/null
    "$PAGODA" query lost.db -m no_cpu_ns --over ranks --json | jq -e '.rows[0] | .n == 3 and .max == 6000000 and .median == 1000000'
    [ "$(sqlite3 lost.db "SELECT metric, sum(value) FROM measurements WHERE metric IN
        ('useful_ns', 'no_cpu_ns', 'no_cpu_mpi_ns') GROUP BY metric ORDER BY metric")" = \
        $'no_cpu_mpi_ns|2600000\nno_cpu_ns|7500000\nuseful_ns|37150000' ]
    [ "$(sqlite3 lost.db "SELECT exclusive_ns FROM profile_by_region WHERE region = '(without CPU time)'")" = 10100000 ]
}

@test "the manual page names every table, view and metric, and nothing else" {
    keep
    sqlite3 runs.db "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT
        LIKE 'sqlite%' UNION SELECT name FROM metric WHERE name NOT LIKE '%.%'" | sort >made
    sed -n '/^\.Sh VIEWS/,/^\.Sh EXAMPLES/s/^\.It Va \([a-z_]*\).*/\1/p' \
        "$ROOT/man/pagoda-store.5" | sort >described
    # Metrics that this run has no value for are described all the same.
    diff <(cat made - <<<$'cpu_efficiency\nno_cpu_mpi_ns\nno_cpu_ns\nserialization_efficiency\ntransfer_efficiency' | sort -u) described
}

@test "the examples of the manual page work" {
    keep
    sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$ROOT/man/pagoda-store.5" |
        sed -n '/^\.Bd/,/^\.Ed/{/^\./d;p}' | sed 's/\\&//g; s/\\e/\\/g' >examples.sql
    [ "$(grep -c ';$' examples.sql)" -ge 4 ]
    run -0 sqlite3 -bail runs.db <examples.sql
    [[ $output == *MPI_Recv* ]]
}

@test "no question about one focus reads all values" {
    keep
    local condition
    for condition in "code = '/Code/solve.c/solve'" "call_path = '/CallPath/main/solve'" \
        "process = '/Process/1' AND trial_id = 1" "message = '/Message/pair/0/1'"; do
        sqlite3 runs.db "EXPLAIN QUERY PLAN SELECT sum(value) FROM measurements
            WHERE metric = 'exclusive_ns' AND $condition" >plan
        grep -q 'SEARCH t USING PRIMARY KEY' plan
    done
}

@test "a missing file and a missing directory" {
    refused 'cannot open the database runs.db: No such file or directory' \
        "$PAGODA" store list runs.db
    refused 'No such file or directory' "$PAGODA" store remove runs.db 1
    not_stored 'its directory does not exist' nowhere/runs.db
    not_stored 'it is a directory' run
    [ ! -e runs.db ]
}

@test "a database of a newer Pagoda" {
    keep
    sqlite3 runs.db 'PRAGMA user_version = 99' >/dev/null
    refused 'has schema 99 of a newer Pagoda' "$PAGODA" store list runs.db
    refused 'has schema 99 of a newer Pagoda' "$PAGODA" store remove runs.db 1
    not_stored 'has schema 99 of a newer Pagoda'
    [ "$(sqlite3 runs.db 'SELECT count(*) FROM trial')" = 1 ]
}

@test "a database of an older Pagoda is brought up to date once it can be written" {
    released_database 1 old.db
    chmod 444 old.db
    cp old.db before.db
    refused 'has the older schema 1 and is read-only: make it writable once' \
        as_user "$PAGODA" store list old.db
    refused 'has the older schema 1 and is read-only' as_user "$PAGODA" query old.db --sql 'SELECT 1'
    cmp old.db before.db
    chmod 644 old.db
    run "$PAGODA" query old.db --sql "SELECT parameter, value FROM parameters" --csv
    [ "$output" = $'parameter,value\nsize,64' ]
    "$PAGODA" store import new.db old.db
    [ "$("$PAGODA" query old.db -m exclusive_ns --by code --csv)" = \
        "$("$PAGODA" query new.db -m exclusive_ns --by code --csv)" ]
}

@test "a damaged database" {
    keep
    head -c 100 runs.db >bad.db
    head -c "$(($(stat -c %s runs.db) - 100))" /dev/zero | tr '\0' x >>bad.db
    refused 'the database bad.db is damaged' "$PAGODA" store list bad.db
    not_stored 'the database bad.db is damaged' bad.db
    head -c 12288 runs.db >short.db
    not_stored 'the database short.db is damaged' short.db
}

@test "a trial that lost its experiment, or whose name is not clean, is said to be missing" {
    keep --as app/exp/plain
    keep --as app/exp/unclean
    sqlite3 runs.db "UPDATE trial SET name = 'a' || char(1) WHERE name = 'unclean'"
    refused 'has no trial "a\?"' "$PAGODA" store show runs.db 'a?'
    sqlite3 runs.db 'PRAGMA foreign_keys = OFF; DELETE FROM experiment'
    refused 'has no trial "plain"' "$PAGODA" store show runs.db plain
    refused 'has no trial "1"' "$PAGODA" store show runs.db 1
}

@test "a read-only file can be read, not written" {
    keep
    chmod 444 runs.db
    cp runs.db before.db
    run -0 as_user "$PAGODA" store list runs.db
    refused 'the database runs.db is read-only' as_user "$PAGODA" store remove runs.db 1
    run -1 --separate-stderr as_user "$PAGODA" replay run --store runs.db
    [[ ${stderr-} == *"the database runs.db is read-only"* ]]
    cmp before.db runs.db
}

@test "a database in a read-only directory can be read, not written" {
    mkdir shelf
    "$PAGODA" replay run --store shelf/runs.db >/dev/null
    chmod 555 shelf
    run as_user "$PAGODA" store list shelf/runs.db
    local listed=$status
    run --separate-stderr as_user "$PAGODA" store remove shelf/runs.db 1
    local removed=$status
    run --separate-stderr as_user "$PAGODA" replay run --store shelf/new.db
    chmod 755 shelf
    [ "$listed" = 0 ]
    [ "$removed" = 1 ]
    [ "$status" = 1 ]
    [[ ${stderr-} == *"cannot open the database shelf/new.db: Permission denied"* ]]
    [ "$(ls shelf)" = runs.db ]
}

@test "an unreadable file" {
    keep
    chmod 000 runs.db
    refused 'cannot open the database runs.db: Permission denied' \
        as_user "$PAGODA" store list runs.db
}

@test "a full disk: nothing half-written, and what was there stays" {
    mkdir disk
    mount -t tmpfs -o size=400k tmpfs disk 2>/dev/null || skip "mounting needs root"
    "$PAGODA" replay run --store disk/runs.db >/dev/null
    local n_stored=1
    while [ $n_stored -lt 200 ]; do
        run --separate-stderr "$PAGODA" replay run --store disk/runs.db
        [ "$status" = 0 ] || break
        n_stored=$((n_stored + 1))
    done
    local trials sound
    trials=$(sqlite3 disk/runs.db 'SELECT count(*) FROM trial')
    sound=$(sqlite3 disk/runs.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')
    umount disk
    [ "$status" = 1 ]
    [[ ${stderr-} == *"there is no space left for the database disk/runs.db; it is unchanged"* ]]
    [ "$trials" = $n_stored ]
    [ "$sound" = ok ]
}

@test "a limit on the size of files" {
    keep
    cp runs.db before.db
    run --separate-stderr bash -c \
        'trap "" XFSZ; ulimit -f $(($(stat -c %s runs.db) / 1024 + 8)); for i in $(seq 50); do
        "$PAGODA" replay run --store runs.db >/dev/null || exit; done'
    [ "$status" = 1 ]
    [[ ${stderr-} == *"runs.db"* ]]
    [ "$(sqlite3 runs.db 'PRAGMA integrity_check')" = ok ]
    [ "$(sqlite3 runs.db 'SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM tuple GROUP BY
        trial_id)')" = 1 ]
}

@test "commands that store at once all succeed" {
    local pids=() i
    for i in 1 2 3 4 5 6; do
        "$PAGODA" replay run --store runs.db >/dev/null &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i"; done
    [ "$(sqlite3 runs.db 'SELECT count(DISTINCT name) FROM trial')" = 6 ]
    [ "$(ls runs.db*)" = runs.db ]
}
