# SPDX-License-Identifier: BSD-3-Clause
# pagoda store export|import|merge|vacuum: whole trials from database to database, and every file
# that is no such thing: one sentence, nothing stored.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/replay/pipeline.txt" run
    "$PAGODA" replay run --store a.db --application ring --trial first --parameter size=64:problem \
        --parameter $'odd=a "b",\\c' >/dev/null
    "$PAGODA" replay run --store a.db --application ring --trial faster --cpu-speed 2 >/dev/null
}

# sound FILE: SQLite finds nothing wrong.
sound() {
    [ "$(sqlite3 "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
}

# refused PATTERN COMMAND...: exit status 1 and one sentence.
refused() {
    local pattern=$1
    shift
    run "$@"
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 1 ]
    [[ $output =~ ^"pagoda: ".*$pattern ]]
}

@test "export, import, export: the same bytes, and the same answers" {
    "$PAGODA" store export a.db -o a.trials
    run "$PAGODA" store import b.db a.trials
    [ "$status" = 0 ]
    [ "$output" = $'trial 1: ring/default/first added\ntrial 2: ring/default/faster added' ]
    "$PAGODA" store export b.db >b.trials
    cmp a.trials b.trials
    sound b.db
    local what
    for what in first faster; do
        diff <("$PAGODA" store show a.db $what --json | jq -S 'del(.database)') \
            <("$PAGODA" store show b.db $what --json | jq -S 'del(.database)')
    done
    diff <("$PAGODA" store list a.db) <("$PAGODA" store list b.db)
    [ ! -e a.trials.part ]
}

@test "CSV: no text is a formula for a spreadsheet, negative numbers stay numbers" {
    "$PAGODA" replay run --store f.db --application=-app --trial '=1+1' --parameter at=@a \
        --parameter below=-5.5e-3 --parameter apostrophe="'-x" --parameter zsum=-1+2 >/dev/null
    "$PAGODA" store export f.db --format csv -o f.csv
    [ "$(sed -n 2p f.csv | cut -d, -f1,3)" = "'-app,'=1+1" ]
    [ "$(sed -n 2p f.csv | cut -d, -f7-10)" = "''-x,'@a,-5.5e-3,'-1+2" ]
    "$PAGODA" store import g.db f.csv
    "$PAGODA" store export g.db --format csv | cmp f.csv -
    [ "$("$PAGODA" query g.db --csv --sql 'SELECT trial FROM trials' | tail -1)" = "'=1+1" ]
    [ "$("$PAGODA" query g.db --csv \
        --sql "SELECT -3, -2.5, '-2.5', '-', '-x', '=x', '+1', '@', 'a=b', '=a,b', ''" | tail -1)" = \
        "-3,-2.5,-2.5,'-,'-x,'=x,+1,'@,a=b,\"'=a,b\"," ]
}

@test "where resources have other numbers the bytes are the same too" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/patterns/late-broadcast.txt" other
    "$PAGODA" replay other --store b.db --application other >/dev/null
    "$PAGODA" store export a.db first >a.trials
    "$PAGODA" store import b.db a.trials
    "$PAGODA" store export b.db first | cmp a.trials -
    "$PAGODA" store remove b.db first
    "$PAGODA" store import b.db - <a.trials
    "$PAGODA" store export b.db --application ring | cmp a.trials -
    sound b.db
}

@test "the same trial twice is said and passed over, another of its name refused" {
    "$PAGODA" store export a.db >a.trials
    run "$PAGODA" store import a.db a.trials
    [ "$status" = 0 ]
    [ "${lines[0]}" = "trial 1: ring/default/first is there already, the same" ]
    [ "$(sqlite3 a.db 'SELECT count(*) FROM trial')" = 2 ]
    sed 's/"time_ns":9040000/"time_ns":9040001/' a.trials >changed.trials
    cp a.db before.db
    refused 'nothing was imported: changed.trials:2: a.db has another trial "first"' \
        "$PAGODA" store import a.db changed.trials
    cmp a.db before.db
    run "$PAGODA" store import a.db changed.trials --rename
    [ "${lines[0]}" = "trial 3: ring/default/first-2 added, renamed: its name was taken" ]
    [ "${lines[1]}" = "trial 2: ring/default/faster is there already, the same" ]
    run "$PAGODA" store import before.db changed.trials --replace
    [ "${lines[0]}" = "trial 3: ring/default/first replaced the one of that name" ]
    # The prediction now refers to the new one.
    [ "$(sqlite3 before.db 'SELECT measured_id, measured_ns FROM predictions')" = "3|9040001" ]
    sound before.db
}

@test "a prediction finds what it was made from, whichever comes first" {
    "$PAGODA" store export a.db faster >faster.trials
    "$PAGODA" store export a.db first >first.trials
    "$PAGODA" store import b.db faster.trials
    [ "$(sqlite3 b.db 'SELECT measured_id IS NULL FROM predictions')" = 1 ]
    "$PAGODA" store export b.db | cmp - faster.trials
    "$PAGODA" store import b.db first.trials
    [ "$(sqlite3 b.db 'SELECT measured_trial FROM predictions')" = first ]
    cat first.trials faster.trials | "$PAGODA" store import c.db -
    [ "$(sqlite3 c.db 'SELECT measured_trial FROM predictions')" = first ]
    "$PAGODA" store export b.db faster | cmp - faster.trials
}

@test "databases of several machines join" {
    "$PAGODA" replay run --store b.db --application ring --trial second >/dev/null
    "$PAGODA" replay run --store c.db --application ring --trial third >/dev/null
    run "$PAGODA" store merge all.db a.db b.db c.db
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 4 ]
    # What is the same is there once.
    [ "$(sqlite3 all.db 'SELECT count(*) FROM resource')" = \
        "$(sqlite3 b.db 'SELECT count(*) FROM resource')" ]
    [ "$(sqlite3 all.db 'SELECT count(*) FROM focus')" = \
        "$(sqlite3 b.db 'SELECT count(*) FROM focus')" ]
    [ "$("$PAGODA" query all.db -m exclusive_ns -f /Code/MPI --csv | cut -d, -f5 | sort -u | wc -l)" \
        = 3 ]
    sound all.db
    "$PAGODA" store export a.db first | sed 's/"time_ns":9040000/"time_ns":9040001/' |
        "$PAGODA" store import d.db -
    refused 'd.db:2: all.db has another trial "first"' "$PAGODA" store merge all.db d.db
    refused 'cannot open the database nowhere.db' "$PAGODA" store merge all.db a.db nowhere.db
    [ "$(sqlite3 all.db 'SELECT count(*) FROM trial')" = 4 ]
}

@test "values as CSV, out and in" {
    "$PAGODA" store export a.db first --format csv -o a.csv
    [ "$(head -1 a.csv)" = "application,experiment,trial,origin,started_at,n_ranks,parameter:odd,$(
    )parameter:size,metric,unit,adds_up_over,interval,focus,value" ]
    "$PAGODA" store import b.db a.csv
    "$PAGODA" store export b.db --format csv | cmp a.csv -
    [ "$("$PAGODA" query b.db -m exclusive_ns -f /Code/MPI --show size --csv)" = \
        "$("$PAGODA" query a.db -t first -m exclusive_ns -f /Code/MPI --show size --csv)" ]
    sound b.db
}

@test "values from elsewhere as CSV" {
    printf 'metric,value,focus,parameter:n,unit\r\ngflops,1.5,/Process/1,8,G\r\n%s\r\n' \
        'gflops,2,"</Process/0, /Zone/a/b>",8,G' >results.csv
    run "$PAGODA" store import a.db results.csv --application bench --trial one --origin threshold
    [ "$status" = 0 ]
    [ "$output" = "trial 3: bench/default/one added" ]
    [ "$("$PAGODA" query a.db -m gflops --by process --show n --csv)" = \
        $'number,experiment,trial,n,process,metric,value,unit\n3,default,one,8,/Process/1,gflops,1.5,G' ]
    [ "$("$PAGODA" query a.db -m gflops -f '/Zone/a/b, /Process/0' --csv | tail -1)" = \
        3,default,one,gflops,2,G ]
    [ "$(sqlite3 a.db 'SELECT origin, n_ranks FROM trials WHERE trial_id = 3')" = "threshold|2" ]
    sound a.db
    cp a.db before.db
    while IFS='|' read -r text pattern; do
        printf '%b' "$text" >bad.csv
        refused "$pattern" "$PAGODA" store import a.db bad.csv
    done <<'END'
metric,valu\n1,2\n|bad.csv:1: there is no column "valu"
metric\nx\n|bad.csv:1: the first line has no column "value"
metric,value\nx,y\n|bad.csv:2: the value "y" is not a number
metric,value\nx,1,2\n|bad.csv:2: there are 3 fields, not 2
metric,value\nx,1\nx,2\n|bad.csv:3: this is a second value of the same metric, focus and interval
metric,value\nx,nan\n|bad.csv:2: the value "nan" is not a number
metric,value,focus\nx,1,Code\n|bad.csv:2: the focus "Code" is wrong at character 1
metric,value,focus\nx,1,"/Code/(a,b)"\n|bad.csv:2: a value is of one resource of a hierarchy
metric,value\n"x,1\n|bad.csv:2: the quotes do not end
metric,value,origin\nx,1,guessed\n|bad.csv:2: the origin is not measured
metric,value,unit\ngflops,1,T\n|a.db knows the metric gflops with another unit
metric,value\n|bad.csv holds no trial
END
    {
        printf 'metric,value,focus\nx,1,/Zone'
        head -c 400000 /dev/zero | sed 's|\x00|/a|g'
        echo
    } >bad.csv
    refused 'bad.csv:2: a resource has more than 10000 levels' "$PAGODA" store import a.db bad.csv
    cmp a.db before.db
}

@test "a damaged file changes nothing and says where it is damaged" {
    "$PAGODA" store export a.db first >good.trials
    cp a.db before.db
    # Each: an edit of the good file, and what is said about it.
    local edit pattern n=0
    while IFS='|' read -r edit pattern; do
        sed "$edit" good.trials >bad.trials
        ! cmp -s bad.trials good.trials
        refused "nothing was imported: bad.trials.*$pattern" "$PAGODA" store import a.db bad.trials
        [ ! -e new.db ]
        refused "$pattern" "$PAGODA" store import new.db bad.trials
        [ ! -e new.db ]
        n=$((n + 1))
    done <<'END'
1d|this is no file of trials
1s/1}/2}/|:1: the file has the form 2 of a newer Pagoda, this one knows forms up to 1
$d|the file ends within a trial
/"value"/{0,/"value"/d}|values, not the
5s/.$//|:5: no JSON
5s/^/[/;5s/$/]/|:5: the line is no object with one member
2s/"origin":"measured"/"origin":"guessed"/|:2: the origin "guessed" is not
2s/"n_ranks":2,//|:2: "n_ranks" of the trial is missing
2s/"n_ranks":2/"n_ranks":-2/|:2: "n_ranks" of the trial is not an integer
2d|"attribute" comes before the trial
0,/"value":\[0,/s//"value":[99,/|value 1 of "value" is not the number of an earlier line
0,/"value":\[\([0-9]*,[0-9]*\),1,/s//"value":[\1,7,/|value 3 of "value" is not the number of an earlier line
0,/"value":\[\([0-9]*,[0-9]*,[0-9]*,\)[0-9.]*\]/s//"value":[\1"x"]/|value 4 of "value" is not a number
/"focus"/{0,/"focus":\[2,4/s//"focus":[4,2/}|cannot be part 1 of a focus
s/"\/CallPath\/main\/solve"/"\/CallPath\/main\/solva"/|comes without its parent
0,/"metric":\["[a-z_]*"/s//"metric":[5/|value 1 of "metric" is not a text
0,/"attribute"/s//"atribute"/|there is no line "atribute"
/"end"/s/\[.*\]/[7]/|values, not the 7 it ought to have
END
    [ $n = 18 ]
    cmp a.db before.db
    : >bad.trials
    refused 'bad.trials:1: this is no file of trials' "$PAGODA" store import new.db bad.trials
    head -c 100000 /dev/urandom >bad.trials
    refused 'nothing was imported' "$PAGODA" store import new.db bad.trials
    refused 'cannot open nowhere.trials: No such file' "$PAGODA" store import new.db nowhere.trials
    refused 'cannot read|cannot open' "$PAGODA" store import new.db run
    [ ! -e new.db ]
}

@test "a file that is cut anywhere is refused" {
    "$PAGODA" store export a.db first >good.trials
    local size step at
    size=$(stat -c %s good.trials)
    step=$((size / 25))
    for ((at = 1; at < size - 1; at += step)); do # without its last newline it is whole
        head -c "$at" good.trials >bad.trials
        refused 'nothing was imported' "$PAGODA" store import new.db bad.trials
    done
    [ ! -e new.db ]
}

@test "a full disk while exporting and importing" {
    mkdir disk
    mount -t tmpfs -o size=500k tmpfs disk 2>/dev/null || skip "mounting needs root"
    "$PAGODA" store export a.db >a.trials
    run "$PAGODA" store import disk/b.db a.trials
    local imported=$status n=0
    head -c 500k /dev/zero >disk/filler 2>/dev/null || true
    run "$PAGODA" store export a.db -o disk/out.trials
    local exported=$status said=$output
    sed 's/"trial":"/"trial":"x/' a.trials >b.trials
    run "$PAGODA" store import disk/b.db b.trials
    local left
    left=$(ls disk)
    rm disk/filler
    n=$(sqlite3 disk/b.db 'SELECT count(*) FROM trial')
    sound disk/b.db
    umount disk
    [ "$imported" = 0 ]
    [ "$exported" = 1 ]
    [[ $said == *"cannot write disk/out.trials"*"No space left on device" ]]
    [[ $left != *out.trials* ]]
    [ "$status" = 1 ]
    [[ $output == *"there is no space left for the database disk/b.db; it is unchanged" ]]
    [ "$n" = 2 ]
}

@test "an import that is killed leaves all or nothing" {
    local i size
    # Many trials, so that there is something to interrupt.
    "$PAGODA" store export a.db first >one.trials
    for i in $(seq 40); do
        sed "s/\"trial\":\"first\"/\"trial\":\"t$i\"/" one.trials
    done >many.trials
    "$PAGODA" store import a.db many.trials >/dev/null
    size=$(stat -c %s a.db)
    for i in $(seq 5); do
        cp a.db b.db
        "$PAGODA" store import b.db many.trials --rename >/dev/null &
        # Killed after so many polls of the log's size, wherever it is then.
        local pid=$! polls=0
        while kill -0 $pid 2>/dev/null && [ $polls -lt $((i * i * 3)) ]; do
            polls=$((polls + 1))
        done
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        [ "$(sqlite3 b.db 'SELECT count(*) FROM trial')" = 42 ]
        sound b.db
        rm -f b.db b.db-wal b.db-shm c.db c.db-wal c.db-shm
        "$PAGODA" store import c.db many.trials >/dev/null &
        pid=$! polls=0
        while kill -0 $pid 2>/dev/null && [ $polls -lt $((i * i * 30)) ]; do
            polls=$((polls + 1))
        done
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        if [ -s c.db ]; then
            local n
            n=$(sqlite3 c.db 'SELECT count(*) FROM trial' 2>/dev/null || echo 0)
            [ "$n" = 0 ] || [ "$n" = 40 ]
            sound c.db
        fi
    done
    [ "$(stat -c %s a.db)" = "$size" ]
}

@test "vacuum gives space back, and refuses what is damaged" {
    "$PAGODA" store add a.db run run run run run >/dev/null
    "$PAGODA" store export a.db first >before.trials
    "$PAGODA" store remove a.db 3 4 5 6 7
    local size
    size=$(stat -c %s a.db)
    run "$PAGODA" store vacuum a.db
    [ "$status" = 0 ]
    [[ $output == "a.db: "*" before, "*" now" ]]
    [ "$(stat -c %s a.db)" -lt "$size" ]
    "$PAGODA" store export a.db first | cmp - before.trials
    sound a.db
    # A page in the middle is overwritten.
    dd if=/dev/urandom of=a.db bs=4096 seek=10 count=3 conv=notrunc status=none
    refused 'the database a.db is damaged' "$PAGODA" store vacuum a.db
    refused 'No such file or directory' "$PAGODA" store vacuum nowhere.db
}

@test "wrong usage" {
    local usage
    while read -r usage; do
        eval "run \"\$PAGODA\" store $usage"
        [ "$status" = 2 ]
    done <<'END'
export
export a.db --format xml
import a.db
import a.db x --replace --rename
merge a.db
merge a.db b.db --replace --rename
vacuum
vacuum a.db b.db
END
    refused 'has no trial "frist"; did you mean "first"' "$PAGODA" store export a.db frist
}

# point DB NAME STATE REASON TIME: notes a point of the sweep ring/scan, with n=8.
point() {
    sqlite3 "$1" "INSERT OR IGNORE INTO application (name) VALUES ('ring');
        INSERT OR IGNORE INTO experiment (application_id, name)
            SELECT id, 'scan' FROM application WHERE name = 'ring';
        INSERT INTO point_not_run SELECT e.id, '$2', '$3', '$4', '$5' FROM experiment e
            WHERE name = 'scan';
        INSERT INTO point_parameter SELECT e.id, '$2', 'n', '8' FROM experiment e
            WHERE name = 'scan'"
}

@test "points of sweeps without a trial travel with the trials" {
    point a.db n=8 failed 'with exit status 3: "\"' 2026-01-01T00:00:00Z
    point a.db n=9 skipped n\>8 2026-01-02T00:00:00Z
    "$PAGODA" store export a.db >a.trials
    run "$PAGODA" store import b.db a.trials
    [ "${lines[2]}" = "2 points of sweeps without a trial added" ]
    diff <("$PAGODA" store list a.db) <("$PAGODA" store list b.db)
    "$PAGODA" store export b.db | cmp a.trials -
    [ "$(sqlite3 b.db "SELECT parameters FROM points_not_run WHERE point = 'n=8'")" = n=8 ]
    # A second time nothing is new; a later note takes the place of an earlier one, not the reverse.
    run "$PAGODA" store merge b.db a.db
    [ "${#lines[@]}" = 2 ]
    sed 's/"failed","[^,]*,"2026/"too long","later","2027/' a.trials >later.trials
    run "$PAGODA" store import b.db later.trials
    [ "${lines[2]}" = "1 point of sweeps without a trial added" ]
    "$PAGODA" store import b.db a.trials >/dev/null
    [ "$(sqlite3 b.db "SELECT state, reason FROM points_not_run WHERE point = 'n=8'")" = \
        "too long|later" ]
    # Named trials go alone; a pattern of experiments is one for points, too; CSV has values only.
    ! "$PAGODA" store export a.db first | grep '"point"' || false
    ! "$PAGODA" store export a.db --experiment default | grep '"point"' || false
    ! "$PAGODA" store export a.db --format csv | grep n=8 || false
    "$PAGODA" store export a.db --experiment 'sc*' >points.trials
    [ "$(wc -l <points.trials)" = 5 ]
    run "$PAGODA" store import c.db points.trials
    [ "$output" = "2 points of sweeps without a trial added" ]
    sound c.db
    # What was run since is no gap any more.
    "$PAGODA" replay run --store c.db --application ring --experiment scan --trial n=8 >/dev/null
    run "$PAGODA" store merge c.db a.db
    [ "$status" = 0 ]
    [ "$(sqlite3 c.db 'SELECT group_concat(point) FROM points_not_run')" = n=9 ]
    sound c.db
}

@test "points that are none are refused" {
    point a.db n=8 failed reason 2026-01-01T00:00:00Z
    "$PAGODA" store export a.db >a.trials
    sed 's/"failed"/"lost"/' a.trials >bad.trials
    refused 'bad.trials:2: "lost" is not skipped, failed or too long' \
        "$PAGODA" store import b.db bad.trials
    sed '2d' a.trials >bad.trials
    refused 'bad.trials:2: "point_parameter" comes before the point' \
        "$PAGODA" store import b.db bad.trials
    { sed '2,3d' a.trials | head -5 && sed -n 2p a.trials; } >bad.trials
    refused 'bad.trials:6: "point" cannot come behind' "$PAGODA" store import b.db bad.trials
    [ ! -e b.db ]
}

@test "points without a trial are removed by name, or with their experiment" {
    point a.db n=7 failed reason 2026-01-01T00:00:00Z
    point a.db n=8 skipped reason 2026-01-01T00:00:00Z
    sqlite3 a.db "INSERT INTO point_not_run SELECT id, 'n=8', 'failed', 'x', 'now' FROM experiment
        WHERE name = 'default';
        INSERT INTO application (name) VALUES ('other')"
    refused 'has more than one point "n=8": give EXPERIMENT/POINT' "$PAGODA" store remove a.db n=8
    refused 'a.db has no trial "n=9"' "$PAGODA" store remove a.db n=7 n=9
    refused 'a.db has no experiment "scam"; did you mean "scan"\?' \
        "$PAGODA" store remove a.db --experiment scam
    refused 'a.db has no trial and no point of that application and experiment' \
        "$PAGODA" store remove a.db --application other --experiment scan
    [ "$(sqlite3 a.db 'SELECT count(*) FROM points_not_run')" = 3 ]
    run "$PAGODA" store remove a.db default/n=8 default/n=8 # named twice
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 1 ]
    [[ $output == "removed the note of the point "*"/default/n=8: failed" ]]
    run "$PAGODA" store remove a.db --experiment scan # which has no trial
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 2 ]
    [ "$(sqlite3 a.db 'SELECT group_concat(name) FROM experiment')" = default ]
    [ "$(sqlite3 a.db 'SELECT count(*) FROM point_parameter')" = 0 ]
    run "$PAGODA" store remove a.db --experiment default first
    [ "$status" = 2 ]
    run "$PAGODA" store remove a.db --experiment default
    [ "${#lines[@]}" = 2 ]
    [ "$(sqlite3 a.db 'SELECT count(*) FROM tuple UNION ALL SELECT count(*) FROM application')" = $'0\n0' ]
    sound a.db
}

@test "removing a trial leaves the points of other experiments" {
    point a.db n=8 failed reason 2026-01-01T00:00:00Z
    sqlite3 a.db "INSERT INTO point_not_run SELECT id, 'n=9', 'failed', 'reason', 'now' FROM experiment
        WHERE name = 'default'"
    "$PAGODA" store remove a.db first
    [ "$(sqlite3 a.db 'SELECT count(*) FROM points_not_run')" = 2 ]
    "$PAGODA" store remove a.db faster
    [ "$(sqlite3 a.db 'SELECT group_concat(point) FROM points_not_run')" = n=8 ]
    [ "$(sqlite3 a.db 'SELECT group_concat(name) FROM experiment')" = scan ]
    sound a.db
}

# Values of runtime formulas, one trial for each number of ranks.
@test "a CSV file of several trials" {
    cat >formula.csv <<'CSV'
trial,n_ranks,parameter:size,metric,unit,value
f2,2,64,time_ns,ns,9000000
f4,4,64,time_ns,ns,5000000
f8,8,64,time_ns,ns,3000000
CSV
    run "$PAGODA" store import f.db formula.csv --origin predicted --application ring
    [ "$status" = 0 ]
    [ "$output" = $'trial 1: ring/default/f2 added\ntrial 2: ring/default/f4 added\ntrial 3: ring/default/f8 added' ]
    [ "$(sqlite3 f.db 'SELECT trial, origin, n_ranks, time_ns FROM trials')" = \
        $'f2|predicted|2|9000000\nf4|predicted|4|5000000\nf8|predicted|8|3000000' ]
    run "$PAGODA" scaling f.db --json
    [ "$(jq -c '[.. | .time_ns? | numbers]' <<<"$output")" = '[9000000,5000000,3000000]' ]
}
