# SPDX-License-Identifier: BSD-3-Clause
# pagoda store export|import|vacuum: trials from database to database, and every file that is no
# such thing: one sentence, nothing stored.
load ../helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    archive replay/pipeline run
    "$PAGODA" replay run --store a.db --as ring//first --parameter size=64:problem \
        --parameter $'odd=a "b",\\c' >/dev/null
    "$PAGODA" replay run --store a.db --as ring//faster --cpu-speed 2 >/dev/null
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    cp -r "$BATS_FILE_TMPDIR"/{run,a.db} .
}

# sound FILE: SQLite finds nothing wrong.
sound() {
    [ "$(sqlite3 "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
}

# refused PATTERN COMMAND...: exit status 1 and one sentence.
refused() {
    local pattern=$1
    shift
    run -1 "$@"
    [ "${#lines[@]}" = 1 ]
    [[ $output =~ ^"pagoda: ".*$pattern ]]
}

@test "export, import, export: the same contents, and the same answers" {
    "$PAGODA" store export a.db -o a2.db
    run -0 "$PAGODA" store import b.db a2.db
    [ "$output" = $'trial 1: ring/default/first added\ntrial 2: ring/default/faster added' ]
    "$PAGODA" store export b.db -o b2.db
    stored a.db >a.txt
    [ "$(wc -l <a.txt)" -gt 100 ]
    local database
    for database in a2.db b.db b2.db; do
        stored $database | cmp a.txt -
        sound $database
    done
    local what
    for what in first faster; do
        diff <("$PAGODA" store show a.db $what --json | jq -S 'del(.database)') \
            <("$PAGODA" store show b.db $what --json | jq -S 'del(.database)')
    done
    diff <("$PAGODA" store list a.db) <("$PAGODA" store list b.db)
    [ "$(echo *part*)" = '*part*' ]
    refused 'b.db exists already: `pagoda store import b.db a.db` adds to it' \
        "$PAGODA" store export a.db -o b.db
}

@test "a file of an older schema comes in" {
    local version
    for version in 1 2 3 4 5 6; do
        released_database $version old$version.db
        sha256sum old$version.db >sum
        "$PAGODA" store import new.db old$version.db --rename >/dev/null
        sha256sum -c --quiet sum
        sound old$version.db
    done
    [ "$(sqlite3 old1.db 'PRAGMA user_version')" = 1 ]
    sound new.db
    [ "$("$PAGODA" query old1.db -m exclusive_ns --by code --csv | cut -d, -f3-)" = \
        "$("$PAGODA" query new.db -t 1 -m exclusive_ns --by code --csv | cut -d, -f3-)" ]
    sound new.db
}

# values DB PARAMETER...: values and parameters as CSV that `store import` reads.
values() {
    local database=$1 parameter columns=
    shift
    for parameter in "$@"; do
        columns+=", (SELECT value FROM parameters p WHERE p.trial_id = t.trial_id
            AND parameter = '$parameter') AS 'parameter:$parameter'"
    done
    "$PAGODA" query "$database" --csv --sql "SELECT t.application, t.experiment, t.trial, t.origin
        $columns, m.metric, m.unit, (SELECT adds_up_over FROM metric WHERE name = m.metric)
        AS adds_up_over, m.interval, m.focus, m.value FROM measurements m JOIN trials t
        USING (trial_id) ORDER BY t.trial_id, m.metric, m.focus, m.interval"
}

@test "CSV: no text is a formula for a spreadsheet, negative numbers stay numbers" {
    "$PAGODA" replay run --store f.db --as='-app//=1+1' --parameter at=@a \
        --parameter below=-5.5e-3 --parameter apostrophe="'-x" --parameter zsum=-1+2 >/dev/null
    values f.db apostrophe at below zsum >f.csv
    [ "$(sed -n 2p f.csv | cut -d, -f1,3)" = "'-app,'=1+1" ]
    [ "$(sed -n 2p f.csv | cut -d, -f5-8)" = "''-x,'@a,-5.5e-3,'-1+2" ]
    "$PAGODA" store import g.db f.csv
    values g.db apostrophe at below zsum | cmp f.csv -
    [ "$("$PAGODA" query g.db --csv --sql 'SELECT trial FROM trials' | tail -1)" = "'=1+1" ]
    [ "$("$PAGODA" query g.db --csv \
        --sql "SELECT -3, -2.5, '-2.5', '-', '-x', '=x', '+1', '@', 'a=b', '=a,b', ''" | tail -1)" = \
        "-3,-2.5,-2.5,'-,'-x,'=x,+1,'@,a=b,\"'=a,b\"," ]
}

@test "where resources have other numbers the contents are the same too" {
    archive patterns/late-broadcast other
    "$PAGODA" replay other --store b.db --as other// >/dev/null
    "$PAGODA" store export a.db first -o first.db
    stored first.db >first.txt
    "$PAGODA" store import b.db first.db
    stored b.db 'ring/*' | cmp first.txt -
    "$PAGODA" store remove b.db first
    "$PAGODA" store import b.db first.db
    "$PAGODA" store export b.db --as ring/ -o again.db
    stored again.db | cmp first.txt -
    sound b.db
    sound again.db
}

@test "the same trial twice is said and passed over, another of its name refused" {
    "$PAGODA" store export a.db -o same.db
    run -0 "$PAGODA" store import a.db same.db
    [ "${lines[0]}" = "trial 1: ring/default/first unchanged, is there already" ]
    [ "$(sqlite3 a.db 'SELECT count(*) FROM trial')" = 2 ]
    # One value of any kind makes it another trial.
    local change
    cp a.db before.db
    while read -r change; do
        cp same.db changed.db
        sqlite3 changed.db "$change"
        refused 'nothing was imported: a.db has another trial "first" in the experiment "default"' \
            "$PAGODA" store import a.db changed.db
    done <<'END'
UPDATE trial_attribute SET value = 65 WHERE trial_id = 1 AND name = 'size'
UPDATE tuple SET value = value + 1 WHERE trial_id = 1 AND value = (SELECT max(value) FROM tuple WHERE trial_id = 1)
DELETE FROM property_instance WHERE trial_id = 1 AND focus_id = 0
UPDATE trial_rank SET last_ns = last_ns + 1 WHERE trial_id = 1
INSERT INTO run_interval VALUES (1, '1s:2s', 0, 1, 2)
UPDATE trial SET time_ns = 9040001 WHERE id = 1
END
    stored a.db | cmp - <(stored before.db)
    run "$PAGODA" store import a.db changed.db --rename
    [ "${lines[0]}" = "trial 3: ring/default/first-2 added under a new name, the old one was taken" ]
    [ "${lines[1]}" = "trial 2: ring/default/faster unchanged, is there already" ]
    run "$PAGODA" store import before.db changed.db --replace
    [ "${lines[0]}" = "trial 3: ring/default/first replaced the trial of that name" ]
    # The prediction now refers to the new one.
    [ "$(sqlite3 before.db 'SELECT measured_id, measured_ns FROM predictions')" = "3|9040001" ]
    sound before.db
    refused 'a.db and ./a.db are the same file' "$PAGODA" store import a.db ./a.db
}

@test "a prediction finds what it was made from, whichever comes first" {
    "$PAGODA" store export a.db faster -o faster.db
    "$PAGODA" store export a.db first -o first.db
    "$PAGODA" store import b.db faster.db
    [ "$(sqlite3 b.db 'SELECT measured_id IS NULL FROM predictions')" = 1 ]
    stored b.db | cmp - <(stored faster.db)
    "$PAGODA" store import b.db first.db
    [ "$(sqlite3 b.db 'SELECT measured_trial FROM predictions')" = first ]
    "$PAGODA" store import c.db first.db faster.db
    [ "$(sqlite3 c.db 'SELECT measured_trial FROM predictions')" = first ]
    stored b.db | cmp - <(stored c.db)
    stored b.db '*/faster' | cmp - <(stored faster.db)
}

@test "databases of several machines join" {
    "$PAGODA" replay run --store b.db --as ring//second >/dev/null
    "$PAGODA" replay run --store c.db --as ring//third >/dev/null
    run -0 "$PAGODA" store import all.db a.db b.db c.db
    [ "${#lines[@]}" = 4 ]
    # What is the same is there once.
    [ "$(sqlite3 all.db 'SELECT count(*) FROM resource')" = \
        "$(sqlite3 b.db 'SELECT count(*) FROM resource')" ]
    [ "$(sqlite3 all.db 'SELECT count(*) FROM focus')" = \
        "$(sqlite3 b.db 'SELECT count(*) FROM focus')" ]
    [ "$("$PAGODA" query all.db -m exclusive_ns -f /Code/MPI --csv | cut -d, -f5 | sort -u | wc -l)" \
        = 3 ]
    sound all.db
    sqlite3 b.db "UPDATE trial SET name = 'first', time_ns = 1"
    refused 'all.db has another trial "first"' "$PAGODA" store import all.db b.db
    refused 'cannot open the database nowhere.db' "$PAGODA" store import all.db nowhere.db
    [ "$(sqlite3 all.db 'SELECT count(*) FROM trial')" = 4 ]
}

@test "values as CSV, out and in" {
    "$PAGODA" store export a.db first -o first.db
    values first.db odd size >a.csv
    "$PAGODA" store import b.db a.csv
    values b.db odd size | cmp a.csv -
    [ "$("$PAGODA" query b.db -m exclusive_ns -f /Code/MPI --column size --csv)" = \
        "$("$PAGODA" query a.db -t first -m exclusive_ns -f /Code/MPI --column size --csv)" ]
    sound b.db
}

@test "values from elsewhere as CSV" {
    printf 'metric,value,focus,parameter:n,unit\r\ngflops,1.5,/Process/1,8,G\r\n%s\r\n' \
        'gflops,2,"</Process/0, /Zone/a/b>",8,G' >results.csv
    run -0 "$PAGODA" store import a.db results.csv --as bench//one --origin threshold
    [ "$output" = "trial 3: bench/default/one added" ]
    [ "$("$PAGODA" query a.db -m gflops --by process --column n --csv)" = \
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
metric,value,unit\ngflops,1,T\n|in a.db the metric gflops has another unit
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

# change SQL: good.db with a change, as bad.db; its schema may be written.
change() {
    cp good.db bad.db
    sqlite3 -cmd '.dbconfig defensive off' bad.db "PRAGMA writable_schema = ON;
        PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; $1" >/dev/null
}

@test "a damaged file changes nothing and says where it is damaged" {
    "$PAGODA" store export a.db first -o good.db
    cp a.db before.db
    local sql table n=0
    while IFS='|' read -r table sql; do
        echo "$table: $sql"
        change "$sql"
        refused "nothing was imported: the database bad.db is damaged: its table $table is not as" \
            "$PAGODA" store import a.db bad.db --rename
        refused "its table $table is not as" "$PAGODA" store import new.db bad.db
        [ "$(echo new*)" = 'new*' ]
        n=$((n + 1))
    done <<'END'
trial|UPDATE trial SET origin = 'guessed'
trial|UPDATE trial SET n_ranks = -2
trial|UPDATE trial SET n_ranks = 'two'
trial|UPDATE trial SET name = x'00'
trial|DELETE FROM experiment
trial_attribute|UPDATE trial_attribute SET kind = 'sort' WHERE name = 'odd'
trial_attribute|UPDATE trial_attribute SET role = x'07' WHERE name = 'odd'
time_interval|UPDATE time_interval SET end_ns = 1e999
tuple|UPDATE tuple SET value = 'x' WHERE focus_id = 0
tuple|UPDATE tuple SET interval = 7 WHERE focus_id = 0 AND interval = 0
tuple|UPDATE tuple SET metric_id = 9999 WHERE metric_id = 1
tuple|UPDATE tuple SET focus_id = 9999 WHERE focus_id = (SELECT max(focus_id) FROM tuple)
tuple|DELETE FROM focus WHERE id = (SELECT max(focus_id) FROM tuple)
tuple|DELETE FROM metric
metric|UPDATE metric SET adds_up_over = 'days' WHERE id = 1; UPDATE metric SET name = 'new' WHERE id = 1
metric|UPDATE metric SET unit = x'05', name = 'new' WHERE id = 1
trial_property|DELETE FROM property
focus|UPDATE focus SET code_id = call_path_id WHERE id = (SELECT max(focus_id) FROM tuple)
focus|UPDATE focus SET code_id = 9999 WHERE id = (SELECT max(focus_id) FROM tuple)
resource|UPDATE resource SET path = 'Code' WHERE id = 10
resource|UPDATE resource SET path = '/Code/a//b' WHERE id = 10
resource|UPDATE resource SET path = '/Elsewhere' WHERE id = 1
trial_rank|UPDATE trial_rank SET machine_id = 9999
property_instance|UPDATE property_instance SET severity = 'bad'
tuple|DROP VIEW measurements; ALTER TABLE tuple RENAME TO t; CREATE VIEW tuple AS SELECT * FROM t
tuple|ALTER TABLE tuple ADD COLUMN more
trial_hint|ALTER TABLE trial_hint RENAME TO hint
trial_warning|ALTER TABLE trial_warning RENAME COLUMN code TO sort
metric|ALTER TABLE metric ADD COLUMN made TEXT AS (name)
END
    [ $n = 29 ]
    stored a.db | cmp - <(stored before.db)
    : >bad.db
    refused 'bad.db is empty' "$PAGODA" store import new.db bad.db
    head -c 100000 /dev/urandom >bad.db
    refused 'nothing was imported: bad.db is neither a Pagoda database nor CSV' \
        "$PAGODA" store import new.db bad.db
    { printf 'SQLite format 3\0' && cat bad.db; } >worse.db
    refused 'worse.db is not a Pagoda database' "$PAGODA" store import new.db worse.db
    sqlite3 other.db 'CREATE TABLE trial (id)'
    refused "other.db is not a Pagoda database but another program's" \
        "$PAGODA" store import new.db other.db
    change 'PRAGMA user_version = 99'
    refused 'bad.db has schema 99 of a newer Pagoda' "$PAGODA" store import new.db bad.db
    change 'DELETE FROM trial'
    refused 'bad.db holds no trial' "$PAGODA" store import new.db bad.db
    refused 'cannot open the database nowhere.db: No such file' \
        "$PAGODA" store import new.db nowhere.db
    refused 'cannot read|cannot open|is empty' "$PAGODA" store import new.db run
    [ "$(echo new*)" = 'new*' ]
}

@test "nothing that a foreign file contains runs" {
    "$PAGODA" store export a.db first -o good.db
    stored good.db >good.txt
    change "CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM tuple; END;
        CREATE TABLE mine (x); CREATE INDEX i ON tuple (abs(value));
        DROP VIEW trials; CREATE VIEW trials AS SELECT 1 AS trial_id, 'x' AS application,
            'x' AS experiment, 'x' AS trial, load_extension('nothing') AS origin"
    "$PAGODA" store import new.db bad.db
    stored new.db | cmp good.txt -
    [ -z "$(sqlite3 new.db "SELECT name FROM sqlite_master WHERE name IN ('t', 'mine', 'i')")" ]
    # Nor does a trigger when the file itself is used.
    "$PAGODA" replay run --store bad.db --as ring//second >/dev/null
    [ "$(sqlite3 bad.db 'SELECT count(DISTINCT trial_id) FROM tuple')" = 2 ]
    # Text that a terminal would obey is made harmless.
    change "UPDATE trial SET headline = 'a' || char(27) || '[31mb'"
    "$PAGODA" store import new.db bad.db --rename >/dev/null
    [ "$(sqlite3 new.db "SELECT count(*) FROM trial WHERE headline LIKE 'a%b'")" = 1 ]
    [ "$(sqlite3 new.db "SELECT count(*) FROM trial WHERE instr(headline, char(27))")" = 0 ]
    sound new.db
}

@test "a file that is cut anywhere is refused, one that is overwritten refused or taken soundly" {
    "$PAGODA" store export a.db first -o good.db
    local size step at
    size=$(stat -c %s good.db)
    step=$((size / 25))
    for ((at = 1; at < size; at += step)); do
        head -c "$at" good.db >bad.db
        refused 'nothing was imported' "$PAGODA" store import new.db bad.db
        cp good.db bad.db
        head -c 64 /dev/urandom | dd of=bad.db bs=1 seek="$at" conv=notrunc status=none
        run "$PAGODA" store import new.db bad.db
        [ "$status" = 0 ] || [[ $status = 1 && ${#lines[@]} = 1 ]]
        [ "$status" = 1 ] || sound new.db
        rm -f new.db
    done
}

@test "a full disk while exporting and importing" {
    mkdir disk
    mount -t tmpfs -o size=500k tmpfs disk 2>/dev/null || skip "mounting needs root"
    "$PAGODA" store export a.db -o a2.db
    run "$PAGODA" store import disk/b.db a2.db
    local imported=$status n=0
    head -c 500k /dev/zero >disk/filler 2>/dev/null || true
    run "$PAGODA" store export a.db -o disk/out.db
    local exported=$status said=$output
    sqlite3 a2.db "UPDATE trial SET name = 'x' || name"
    run "$PAGODA" store import disk/b.db a2.db
    local left
    left=$(ls disk)
    rm disk/filler
    n=$(sqlite3 disk/b.db 'SELECT count(*) FROM trial')
    sound disk/b.db
    umount disk
    [ "$imported" = 0 ]
    [ "$exported" = 1 ]
    [[ $said == *"there is no space left for the database disk/out.db; it is unchanged" ]]
    [[ $left != *out.db* ]]
    [ "$status" = 1 ]
    [[ $output == *"there is no space left for the database disk/b.db; it is unchanged" ]]
    [ "$n" = 2 ]
}

@test "an import that is killed leaves all or nothing" {
    local i n size
    # Many trials, so that there is something to interrupt.
    "$PAGODA" store export a.db first -o many.db
    sqlite3 many.db "UPDATE trial SET name = 't'"
    for i in {1..5}; do # twice as many each time
        cp many.db copy.db
        sqlite3 copy.db "UPDATE trial SET name = name || $i"
        "$PAGODA" store import many.db copy.db >/dev/null
    done
    "$PAGODA" store import a.db many.db >/dev/null
    sqlite3 many.db "UPDATE trial SET time_ns = time_ns + 1"
    size=$(stat -c %s a.db)
    for i in $(seq 5); do
        cp a.db b.db
        "$PAGODA" store import b.db many.db --rename >/dev/null &
        # Killed after so many polls, wherever it is then.
        local pid=$! polls=0
        while kill -0 $pid 2>/dev/null && [ $polls -lt $((i * i * 3)) ]; do
            polls=$((polls + 1))
        done
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        n=$(sqlite3 b.db 'SELECT count(*) FROM trial')
        [ "$n" = 34 ] || [ "$n" = 66 ]
        sound b.db
        rm -f b.db b.db-wal b.db-shm c.db
        "$PAGODA" store import c.db many.db >/dev/null &
        pid=$! polls=0
        while kill -0 $pid 2>/dev/null && [ $polls -lt $((i * i * 30)) ]; do
            polls=$((polls + 1))
        done
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        if [ -e c.db ]; then # it appears when it is whole
            [ "$(sqlite3 c.db 'SELECT count(*) FROM trial')" = 32 ]
            sound c.db
        fi
    done
    [ "$(stat -c %s a.db)" = "$size" ]
}

@test "vacuum gives space back, and refuses what is damaged" {
    "$PAGODA" store add a.db run run run run run >/dev/null
    stored a.db '*/first' >before.txt
    "$PAGODA" store remove a.db 3 4 5 6 7
    local size
    size=$(stat -c %s a.db)
    run -0 "$PAGODA" store vacuum a.db
    [[ $output == "a.db: "*" before, "*" now" ]]
    [ "$(stat -c %s a.db)" -lt "$size" ]
    stored a.db '*/first' | cmp - before.txt
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
export a.db
export a.db --format csv -o b.db
merge a.db b.db
import a.db
import a.db x --replace --rename
vacuum
vacuum a.db b.db
END
    refused 'has no trial "frist"; did you mean "first"' "$PAGODA" store export a.db frist -o b.db
    [ ! -e b.db ]
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
    "$PAGODA" store export a.db -o all.db
    run "$PAGODA" store import b.db all.db
    [ "${lines[2]}" = "2 points of sweeps without a trial added" ]
    diff <("$PAGODA" store list a.db) <("$PAGODA" store list b.db)
    stored b.db | cmp - <(stored a.db)
    [ "$(sqlite3 b.db "SELECT parameters FROM points_not_run WHERE point = 'n=8'")" = n=8 ]
    # A second time nothing is new; a later note takes the place of an earlier one, not the reverse.
    run "$PAGODA" store import b.db a.db
    [ "${#lines[@]}" = 2 ]
    cp all.db later.db
    sqlite3 later.db "UPDATE point_not_run SET state = 'too long', reason = 'later',
        noted_at = '2027-01-01T00:00:00Z' WHERE name = 'n=8'"
    run "$PAGODA" store import b.db later.db
    [ "${lines[2]}" = "1 point of sweeps without a trial added" ]
    "$PAGODA" store import b.db all.db >/dev/null
    [ "$(sqlite3 b.db "SELECT state, reason, parameters FROM points_not_run WHERE point = 'n=8'")" = \
        "too long|later|n=8" ]
    # Named trials go alone; a pattern of experiments is one for points, too.
    "$PAGODA" store export a.db first -o first.db
    "$PAGODA" store export a.db --as default -o default.db
    [ "$(sqlite3 first.db 'SELECT count(*) FROM point_not_run')" = 0 ]
    [ "$(sqlite3 default.db 'SELECT count(*) FROM point_not_run')" = 0 ]
    "$PAGODA" store export a.db --as 'sc*' -o points.db
    [ "$(sqlite3 points.db 'SELECT count(*) FROM trial')" = 0 ]
    run "$PAGODA" store import c.db points.db
    [ "$output" = "2 points of sweeps without a trial added" ]
    sound c.db
    # What was run since is not a gap any more.
    "$PAGODA" replay run --store c.db --as ring/scan/n=8 >/dev/null
    run -0 "$PAGODA" store import c.db a.db
    [ "$(sqlite3 c.db 'SELECT group_concat(point) FROM points_not_run')" = n=9 ]
    sound c.db
    # Points that are none are refused.
    sqlite3 later.db "PRAGMA ignore_check_constraints = ON; UPDATE point_not_run SET state = 'lost'"
    refused 'later.db is damaged: its table point_not_run' "$PAGODA" store import d.db later.db
    [ ! -e d.db ]
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
        "$PAGODA" store remove a.db --as scam
    refused 'a.db has no trial and no point of that application and experiment' \
        "$PAGODA" store remove a.db --as other/scan
    [ "$(sqlite3 a.db 'SELECT count(*) FROM points_not_run')" = 3 ]
    run -0 "$PAGODA" store remove a.db default/n=8 default/n=8 # named twice
    [ "${#lines[@]}" = 1 ]
    [[ $output == "removed the note of the point "*"/default/n=8: failed" ]]
    run -0 "$PAGODA" store remove a.db --as scan # which has no trial
    [ "${#lines[@]}" = 2 ]
    [ "$(sqlite3 a.db 'SELECT group_concat(name) FROM experiment')" = default ]
    [ "$(sqlite3 a.db 'SELECT count(*) FROM point_parameter')" = 0 ]
    run -2 "$PAGODA" store remove a.db --as default first
    run "$PAGODA" store remove a.db --as default
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
    run -0 "$PAGODA" store import f.db formula.csv --origin predicted --as ring//
    [ "$output" = $'trial 1: ring/default/f2 added\ntrial 2: ring/default/f4 added\ntrial 3: ring/default/f8 added' ]
    [ "$(sqlite3 f.db 'SELECT trial, origin, n_ranks, time_ns FROM trials')" = \
        $'f2|predicted|2|9000000\nf4|predicted|4|5000000\nf8|predicted|8|3000000' ]
    run "$PAGODA" scaling f.db --json
    [ "$(jq -c '[.series[0].points[].time_ns]' <<<"$output")" = '[9000000,5000000,3000000]' ]
}
