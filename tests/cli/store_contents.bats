# SPDX-License-Identifier: BSD-3-Clause
# What of a run is in the database: the answers to the questions of tests/traces/store/sample.answers,
# computed by hand from the trace beside them (UPDATE=1 rewrites the file); values by focus over
# several trials; which files are databases, and older ones brought up to date.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive store/sample run
}

# keep OPTION...: stores the run in runs.db, which is sound then.
keep() {
    "$PAGODA" store add runs.db run "$@" >/dev/null
    sound
}

# sound: SQLite finds the file sound, and no reference dangles.
sound() {
    [ "$(sqlite3 runs.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
}

# is SQL ANSWER: SQLite's answer, without Pagoda's help.
is() {
    diff <(sqlite3 runs.db "$1") <(echo "$2")
}

# values METRIC FOCUS ANSWER: "TRIAL:VALUE ..." of all trials that have it.
values() {
    diff <("$PAGODA" query runs.db -m "$1" -f "$2" --csv 2>&1 | awk -F, 'NR > 1 {
        printf "%s%s:%s", sep, $1, $(NF - 1); sep = " " }' && echo) <(echo "$3") || {
        echo "$1 of $2"
        return 1
    }
}

# grid FUNCTIONS RANKS: stores a run in which each rank calls each function once.
grid() {
    awk -v n_functions="$1" -v n_ranks="$2" 'BEGIN {
        for (f = 0; f < n_functions; f++) print "region function_" f " more.c:1"
        for (r = 0; r < n_ranks; r++) {
            print r, 0, "enter main"
            for (f = 0; f < n_functions; f++) {
                print r, 10 * f, "enter function_" f; print r, 10 * f + 5, "leave function_" f }
            print r, 10 * f, "leave main" } }' >"grid$1.txt"
    "$BUILD/tools/mktrace" "grid$1.txt" "grid$1-$2"
    "$PAGODA" store add runs.db "grid$1-$2" >/dev/null
}

@test "facts, resources, foci, values and wait states" {
    keep
    local expected="$ROOT/tests/traces/store/sample.answers"
    awk '/^(SELECT|PRAGMA)/ { asks = 1 } asks { print } /;$/ { asks = 0 }' "$expected" |
        sqlite3 -batch -echo runs.db >answers
    [ -z "${UPDATE-}" ] || cp answers "$expected"
    diff "$expected" answers
}

@test "reports say on which communicators and tags ranks waited" {
    "$PAGODA" replay --all run | grep -qE '^ +on +world tag 7 80\.0 %, world tag 8 20\.0 %$'
    run jq -c '.patterns[] | select(.id == "late-sender" or .id == "wait-at-barrier") | .by_object' \
        <("$PAGODA" replay --json run)
    [ "$output" = '[{"communicator":"world","tag":7,"ns":80},{"communicator":"world","tag":8,"ns":20}]
[{"communicator":"world","tag":null,"ns":20}]' ]
}

# recipe LINE: the example of pagoda-store(5) that begins with it.
recipe() {
    sed -n "/^$1/,/^\.Ed/p" "$ROOT/man/pagoda-store.5" | grep -v '^\.Ed'
}

@test "a line makes a table for pandas, as the manual has it" {
    keep --parameter size=64 --parameter input=a.dat --parameter factor=0.50
    keep --parameter size=128 --parameter $'it\'s="quoted"' --as run/default/second
    "$PAGODA" query runs.db --csv --sql 'SELECT * FROM summaries' >runs.csv
    { recipe 'import json' && cat <<'END'; } >recipe.py
assert list(runs.trial) == ["run", "second"] and list(runs["size"]) == [64, 128]
assert runs.input[0] == "a.dat" and runs.factor[0] == 0.5 and runs["it's"][1] == '"quoted"'
assert (runs.time_ns == 1000).all() and runs.wait_ns.dtype == "int64" and runs.load_balance.dtype == "float64"
assert list(profile.groupby("trial").wait_ns.sum()) == list(runs.wait_ns) == [120, 120]
assert (pandas.read_csv("runs.csv")[["trial", "parameters", "load_balance"]] == runs[["trial", "parameters", "load_balance"]]).all(None)
own = profile[profile.trial_id == 1].groupby(["region", "file"]).exclusive_ns.sum()
regions = pandas.read_sql("SELECT * FROM profile_by_region WHERE trial_id = 1", db, index_col=["region", "file"])
assert (own.sort_index() == regions.exclusive_ns.sort_index()).all() and len(own) == 9
END
    /usr/bin/python3 recipe.py
    # A number where the text is one; the text itself is in the parameters.
    is "SELECT json_extract(parameters, '\$.factor') + 1 FROM summaries WHERE trial_id = 1;
        SELECT value FROM parameters WHERE parameter = 'factor'" $'1.5\n0.50'
}

@test "two functions of one name in one file are one" {
    sed 's/^region "  a b ".*/region "  a b " \/elsewhere\/solve.c:9 user solve/' \
        "$ROOT/tests/traces/store/sample.txt" | "$BUILD/tools/mktrace" - twice
    "$PAGODA" store add runs.db twice >/dev/null
    sound
    is "SELECT process, value FROM measurements WHERE metric = 'exclusive_ns' AND
        call_path = '/CallPath/main/solve' ORDER BY 1" $'/Process/0|450\n/Process/1|470'
}

@test "names that SQL, paths and terminals would read otherwise" {
    keep --as $'o\'ring/weak; scaling/a "b" /c' --parameter $'it\'s="quoted"'
    is 'SELECT application, experiment, trial FROM trials' $'o\'ring|weak; scaling|a "b" /c'
    is "SELECT value FROM trial_attribute WHERE kind = 'parameter' AND name = 'it''s'" '"quoted"'
    run -1 "$PAGODA" store add runs.db run --as $'o\'ring/weak; scaling/a "b" /c'
    [[ $output == *'has a trial "a "b" /c" already in the experiment'* ]]
    keep --as $'o\'ring/strong/a "b" /c'
    sed "s/solve/s$(printf '\377\001')/" "$ROOT/tests/traces/store/sample.txt" | "$BUILD/tools/mktrace" - bytes
    "$PAGODA" store add runs.db bytes >/dev/null
    is "SELECT path FROM resource WHERE path LIKE '/Code/solve.c/s%?'" $'/Code/solve.c/s\uFFFD?'
    local name
    for name in ':memory:' 'file:x?mode=memory' 'a b?#%.db' 'é.db'; do
        "$PAGODA" store add "$name" run >/dev/null
        [ "$(sqlite3 "./$name" 'SELECT count(*) FROM trial')" = 1 ]
    done
}

@test "runs share resources and foci, and a removal leaves those of the others" {
    keep
    local counts="SELECT (SELECT count(*) FROM resource), (SELECT count(*) FROM focus)" shared
    shared=$(sqlite3 runs.db "$counts")
    keep
    is "$counts" "$shared"
    is 'SELECT count(DISTINCT n), count(*) FROM (SELECT count(*) AS n FROM tuple GROUP BY trial_id)' '1|2'
    grid 3 4
    "$PAGODA" store remove runs.db grid3-4
    sound
    is "$counts" "$shared"
    is 'SELECT name FROM application' run
    "$PAGODA" store remove runs.db 1 run-2 1
    sound
    is 'SELECT count(*) FROM resource WHERE parent_id > 0; SELECT count(*) FROM focus' $'0\n1'
    local table
    for table in application experiment trial tuple property_instance trial_property trial_rank \
        trial_attribute trial_warning time_interval trial_resource trial_hint trial_node \
        trial_finding trial_remedy; do
        is "SELECT count(*) FROM $table" 0
    done
    keep
    is 'SELECT id FROM trial' 4 # no number is given twice
}

@test "values of a focus, over several trials" {
    keep
    sed 's/^nodes .*/nodes beta beta/' "$ROOT/tests/traces/store/sample.txt" | "$BUILD/tools/mktrace" - moved
    "$PAGODA" store add runs.db moved >/dev/null
    local metric focus answer
    while IFS=$'\t' read -r metric focus answer; do
        values "$metric" "$focus" "$answer"
    done <<'END'
exclusive_ns	</Code, /Machine, /Process>	1:2000 2:2000
exclusive_ns	/Process/1	1:1000 2:1000
exclusive_ns	/CallPath/main/solve	1:1100 2:1100
exclusive_ns	/CallPath/main/solve, /Process/1	1:550 2:550
exclusive_ns	/Code/solve.c	1:920 2:920
exclusive_ns	/Code/(MPI,solve.c)	1:1190 2:1190
exclusive_ns	/Code/MPI/MPI_Recv, /Process/(0,1)	1:170 2:170
exclusive_ns	/Code/MPI, /CallPath/main/solve, /Process/0	1:110 2:110
inclusive_ns	/CallPath/main	1:2000 2:2000
inclusive_ns	/CallPath/main/solve	1:1100 2:1100
inclusive_ns	/CallPath/main/solve, /Process/1	1:550 2:550
inclusive_ns	</Code, /Machine, /Process>	
time_ns	</Code, /Machine, /Process>	1:1000 2:1000
time_ns	/Process/0	
region_inclusive_ns	/Code/solve.c/solve	1:1100 2:1100
region_inclusive_ns	/Code/solve.c	
useful_ns	/Machine/alpha	1:825
useful_ns	/Machine/beta	1:865 2:1690
useful_ns	/Machine/(alpha,beta), /Process/0	1:825 2:825
useful_ns	/Machine	1:1690 2:1690
late-sender.wait_ns	/Code	1:100 2:100
late-sender.count	/Code/MPI/MPI_Recv, /Process/0	1:1 2:1
late-sender.caused_ns	/Process/1	1:80 2:80
message_bytes	/Message/pair/0	1:16 2:16
messages	/Message	1:3 2:3
critical_path_ns	/Code	1:1000 2:1000
critical_path_ns	/Code/solve.c/solve, /Process/1	1:430 2:430
visits	< /CallPath/main/odd\,\(a\/b\)\<"x'y"\>\\, /Process/1 >	1:1 2:1
END
    says -1 "has no resource /Code/x' OR '1'='1" "$PAGODA" query runs.db -m visits -f "/Code/x' OR '1'='1"
}

@test "values among many foci, and of foci far apart" {
    grid 20 72
    grid 5 72
    grid 20 12
    grid 300 12
    values visits /Code/more.c '1:1440 2:360 3:240 4:3600'
    values visits '/Code/more.c, /Process/30' '1:20 2:5'
    values visits '/Code/more.c, /Process/(0,11)' '1:40 2:10 3:40 4:600'
    values visits '/Code/more.c, /Process/(3,30,71)' '1:60 2:15 3:20 4:300'
    values visits '/Code/more.c/(function_0,function_19), /Process/(11,71)' '1:4 2:2 3:2 4:2'
    values visits /Process/71 '1:21 2:6'
    # A name that another one begins with is not part of it.
    values visits /Code/more.c/function_1 '1:72 2:72 3:12 4:12'
    values visits /CallPath/main/function_1 '1:72 2:72 3:12 4:12'
}

@test "a trial is found by its name, in part or whole, or by its number" {
    keep --as a/same
    keep --as b/same
    keep --as b/1
    keep --as run/b/odd/name
    local selector answer
    while IFS='|' read -r selector answer; do
        run "$PAGODA" store show runs.db -- "$selector"
        [[ $output == *"$answer"* ]] || {
            echo "$selector: $output"
            return 1
        }
    done <<'END'
a/same|trial 1: same
run/b/same|trial 2: same
2|trial 2: same
1|trial 3: 1
b/odd/name|trial 4: odd/name
same|more than one trial "same", numbers 1 and 2
sane|did you mean "same"?
99|has no trial "99"
2x|has no trial "2x"
-1|has no trial "-1"
END
    says 'has no trial ""' "$PAGODA" store show runs.db ''
}

@test "what is not a database is refused and stays as it is" {
    refused() { # FILE PATTERN
        ! [ -f "$1" ] || cp "$1" before
        for command in "store list $1" "store vacuum $1" "store add $1 run"; do
            # shellcheck disable=SC2086 # words
            run -1 "$PAGODA" $command
            [ "${#lines[@]}" = 1 ]
            [[ $output == *"$2"* ]]
        done
        ! [ -f "$1" ] || cmp "$1" before
    }
    printf 'A letter, longer than the page header of a hundred bytes%060d\n' 1 >letter
    refused letter 'is not a Pagoda database'
    sqlite3 bookmarks 'CREATE TABLE bookmarks (url)'
    refused bookmarks "is not a Pagoda database but another program's"
    sqlite3 fossil 'PRAGMA application_id = 252006674'
    refused fossil "another program's"
    sqlite3 numbered 'PRAGMA user_version = 1'
    refused numbered "another program's"
    refused /proc/runs.db 'the database /proc/runs.db'
    says -1 'name is empty' "$PAGODA" store add '' run
    # An empty file can become one, but is none.
    touch runs.db
    for command in list vacuum; do
        says -1 'it is empty' "$PAGODA" store $command runs.db
    done
    keep
    is 'SELECT count(*) FROM trial; PRAGMA application_id' $'1\n1346847809' # "PGDA"
}

@test "a database of each released schema becomes a current one, with all that was in it" {
    keep
    # What the database is made of, without blanks and quotes.
    schema() {
        sqlite3 "$1" "SELECT type, name, replace(replace(replace(sql, ' ', ''), char(10), ''), '\"', '')
            FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name; PRAGMA user_version"
    }
    schema runs.db >current
    local version released
    released=$(sqlite3 runs.db 'PRAGMA user_version')
    # No published step was changed since.
    (cd "$ROOT/db/schema" && sha256sum --check --strict --quiet "$ROOT/tests/databases/steps.sha256")
    [ "$(wc -l <"$ROOT/tests/databases/steps.sha256")" = $((released - 1)) ]
    for ((version = 1; version < released; version++)); do
        rm runs.db
        released_database $version runs.db
        [ "$(sqlite3 runs.db 'PRAGMA user_version')" = $version ]
        "$PAGODA" store show runs.db measured --json |
            jq -e '.time_ns == 9040000 and .wait_states[0].wait_ns == 4000000'
        sound
        schema runs.db | diff current -
        # What a newer step added is filled from what was there.
        is "SELECT sum(n_ranks) FROM trial_node WHERE trial_id = 1;
            SELECT role FROM parameters WHERE parameter = 'size' AND trial_id = 1;
            SELECT count(*) FROM points_not_run;
            SELECT count(*) - count(git_branch) - (SELECT count(*) FROM trial) FROM environments;
            SELECT count(*) FROM intervals;
            SELECT sum(wait_ns) FROM property_instances WHERE trial_id = 1 AND property = 'late-sender';
            SELECT sum(wait_ns) FROM wait_states_by_rank WHERE trial_id = 1 AND property = 'late-sender';
            SELECT judged_ns, time_ns FROM trials WHERE trial_id = 1;
            SELECT n_ranks, speedup FROM speedups;
            SELECT wait_ns, json_extract(parameters, '\$.size') FROM summaries WHERE trial_id = 1;
            SELECT sum(wait_ns) FROM profile_by_call_path_and_rank WHERE trial_id = 1" \
            $'2\nfree\n'"$((version < 4 ? 0 : 1))"$'\n0\n0\n4000000\n4000000\n7015000|9040000\n2|1.0\n5999000|64\n6004000'
        keep
    done
}

@test "storing the first run is killed at any moment, and the next one works" {
    local round
    for round in {1..20}; do
        rm -f runs.db*
        timeout -s KILL "$(printf '0.%04d' $((round * 15)))" "$PAGODA" store add runs.db run >/dev/null || true
        "$PAGODA" store add runs.db run >/dev/null
    done 2>/dev/null
    sound
    is 'SELECT count(DISTINCT n) FROM (SELECT count(*) AS n FROM tuple GROUP BY trial_id)' 1
}
