# SPDX-License-Identifier: BSD-3-Clause
# The checkers checked: tests/run counts and fails as it should, tests/layers sees a wrong include.
# Unsanitized: it runs scripts only.
load ../helper

# A tree of its own, with the scripts and the tests given to it.
setup() {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/tests/cli"
    cp "$ROOT"/tests/{run,layers} "$tree/tests/"
    export BUILD=$tree/build
}

# given NAME TAP STATUS: a test that prints this and ends so.
given() {
    printf '#!/bin/sh\nprintf "%%b" "%s"\nexit %s\n' "$2" "$3" >"$tree/tests/cli/$1"
    chmod +x "$tree/tests/cli/$1"
}

last_line() {
    printf '%s\n' "${lines[${#lines[@]} - 1]}"
}

@test "counts passed, failed and skipped, each skip with its reason" {
    given a '1..3\nok 1 x\nnot ok 2 y\nok 3 z # skip no network here\n' 1
    given b '1..1\nok 1 x\n' 0
    run -1 "$tree/tests/run" tests/cli/a tests/cli/b
    [ "$(last_line)" = "2 passed, 1 failed, 1 skipped" ]
    [[ $output == *"no network here"* ]]
    [[ $output == *"not ok 2 y"* ]]
}

@test "the end of the output says which tests failed, and why" {
    given a '1..2\nok 1 x\nnot ok 2 y\n# expected 3\n' 1
    given b '1..1\nok 1 x\n' 134
    run "$tree/tests/run" tests/cli/a tests/cli/b
    tail=${output#*failed: tests-cli-a}
    [[ $tail == " (exit status 1)"*"  not ok 2 y"*"  # expected 3"*"failed: tests-cli-b (exit status 134)"* ]]
}

@test "a skip fails only when it is told to" {
    given a '1..2\nok 1 x\nok 2 z # skip no network here\n' 0
    run -0 "$tree/tests/run" tests/cli/a
    run -1 "$tree/tests/run" --skip-fails tests/cli/a
    [ "$(last_line)" = "1 passed, 0 failed, 1 skipped" ]
}

@test "a planned test that did not run has failed" {
    given a '1..5\nok 1 x\n' 0
    run -1 "$tree/tests/run" tests/cli/a
    [ "$(last_line)" = "1 passed, 4 failed, 0 skipped" ]
}

@test "a file that prints no test, or dies at its end, has failed" {
    given a 'hello\n' 0
    run -1 "$tree/tests/run" tests/cli/a
    [ "$(last_line)" = "0 passed, 1 failed, 0 skipped" ]
    given a '1..1\nok 1 x\n' 134
    run "$tree/tests/run" tests/cli/a
    [ "$(last_line)" = "1 passed, 1 failed, 0 skipped" ]
}

@test "no test at all is a failure" {
    says -1 "no test was run" "$tree/tests/run"
    [ "$(last_line)" = "0 passed, 0 failed, 0 skipped" ]
}

@test "a file that does not end is stopped" {
    printf '#!/bin/sh\nsleep 60\n' >"$tree/tests/cli/a"
    chmod +x "$tree/tests/cli/a"
    TEST_TIMEOUT=1 run "$tree/tests/run" tests/cli/a
    [ "$status" = 1 ]
    [[ $output == *"stopped after 1 s"* ]]
}

# source FILE INCLUDE: a file of the analyzer with this include.
source_file() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '#include %s\n' "$2" >"$tree/$1"
}

@test "layers: the given order passes, every wrong way fails" {
    source_file analyzer/base/b.h '<stdio.h>'
    source_file analyzer/pag/p.h '"analyzer/base/b.h"'
    source_file analyzer/cmd/c.c '"analyzer/pag/p.h"'
    run -0 "$tree/tests/layers"
    while read -r file include; do
        source_file "$file" "$include"
        run "$tree/tests/layers"
        echo "$file $include: $output"
        [ "$status" = 1 ]
        [[ $output == *"$file:1"* ]]
        rm "$tree/$file"
    done <<'END'
analyzer/base/x.c "analyzer/trace/reader.h"
analyzer/trace/x.c "analyzer/pag/p.h"
analyzer/pag/x.c "analyzer/report/r.h"
analyzer/pattern/x.c "analyzer/whatif/w.h"
analyzer/report/x.c "analyzer/cmd/c.h"
analyzer/cmd/x.c "analyzer/cmd/y/z.h"
analyzer/report/x.c "db/store.h"
analyzer/report/x.c "tracer/archive.h"
db/x.c "analyzer/pag/p.h"
tracer/x.c "analyzer/base/b.h"
analyzer/pag/x.c <otf2/otf2.h>
analyzer/report/x.c <sqlite3.h>
analyzer/main.c <libxml/parser.h>
END
}

@test "layers: a header that needs another first fails" {
    source_file analyzer/base/b.h '<stdio.h>'
    echo 'size_t f(uint32_t n);' >>"$tree/analyzer/base/b.h"
    says -1 "does not compile alone" "$tree/tests/layers"
}
