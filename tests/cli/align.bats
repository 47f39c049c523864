# SPDX-License-Identifier: BSD-3-Clause
# pagoda align: shifts computed by hand from the text traces in tests/traces/align, what the copy
# holds, clocks no shift can set right, refused operands.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# archive NAME: makes the archive NAME here out of the text trace NAME.
archive() {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/align/$1.txt" "$1"
}

# align NAME: makes it, and NAME-aligned out of it.
align() {
    archive "$1"
    run --separate-stderr "$PAGODA" align "$1" -o "$1-aligned"
}

# fact TRACE FILTER: what the JSON of its replay says.
fact() {
    "$PAGODA" replay --json "$1" | jq -c "$2"
}

@test "messages both ways: the middle between the bounds, threads go along" {
    align both
    [ "$status" = 0 ]
    [ -z "$stderr" ]
    [ "$output" = $'rank 1 1.950 us later\n1 clock violation before, 0 now' ]
    # The first event is rank 0's at 10000; the thread of rank 1 ends last, at 16000 + 1950.
    [ "$(fact both-aligned '[.trace.clock_violations, .time_ns]')" = '[0,7950]' ]
    # Of 1950 + 8600 to 1950 + 9300 rank 1 waited until 11000.
    [ "$(fact both-aligned '[.patterns[] | select(.id == "late-sender") | .by_rank[]]')" = \
        '[{"rank":0,"ns":2650},{"rank":1,"ns":450}]' ]
}

@test "what was predicted of it with nothing changed is the run" {
    align both
    [ "$("$PAGODA" replay both --cpu-speed 1 --json | jq '.whatif.replay_error != 0')" = true ]
    [ "$("$PAGODA" replay both-aligned --cpu-speed 1 --json | jq -c '[.whatif.replay_error, .whatif.predicted_ns]')" = '[0,7950]' ]
}

@test "records and global definitions stay as they are" {
    align both
    for file in traces.otf2 traces.def traces/{0,1}.evt; do
        cmp "both/$file" "both-aligned/$file"
    done
    [ "$(find both-aligned -type f | wc -l)" = "$(find both -type f | wc -l)" ]
}

@test "clock offsets that the trace has are added to" {
    align offsets
    [ "$status" = 0 ]
    [ "$output" = $'rank 1 1.950 us later\n1 clock violation before, 0 now' ]
    [ "$(fact offsets-aligned '[.trace.clock_violations, .time_ns]')" = '[0,7950]' ]
    # Nothing is left to do, so a copy of that is the same.
    run --separate-stderr "$PAGODA" align offsets-aligned -o again
    [ "$output" = $'no clock is off: the copy is what the trace is\n0 clock violations before, 0 now' ]
    diff -r offsets-aligned again
}

@test "a clock of microseconds" {
    (echo 'clock 1000000' && cat "$ROOT/tests/traces/align/both.txt") >slow.txt
    "$BUILD/tools/mktrace" slow.txt slow
    run --separate-stderr "$PAGODA" align slow/traces.otf2 -o slow-aligned
    [ "$output" = $'rank 1 1.950 ms later\n1 clock violation before, 0 now' ]
    [ "$(fact slow-aligned .time_ns)" = 7950000 ]
}

@test "messages one way, barriers, broadcasts and reductions: the least that will do" {
    align one-way
    [ "$output" = $'rank 1 1.700 us later\n1 clock violation before, 0 now' ]
    align barrier
    [ "$output" = $'rank 0 750 ns later\nrank 1 750 ns later\n2 clock violations before, 0 now' ]
    align rooted
    [ "$output" = $'rank 1 300 ns later\nrank 2 500 ns later\n2 clock violations before, 0 now' ]
}

@test "clocks of different speeds: said, and nothing is left behind" {
    align drift
    [ "$status" = 1 ]
    [ -z "$output" ]
    [[ $stderr == *'no constant shifts'*'different speeds'* ]]
    [ "$(find . -mindepth 1 -maxdepth 1 -type d)" = ./drift ]
}

@test "damaged traces are not copied" {
    archive both
    truncate -s 40 both/traces/1.evt
    run --separate-stderr "$PAGODA" align both -o copy
    [ "$status" = 1 ]
    [[ $stderr == *"nothing was written to 'copy'"* ]]
    [ "$(find . -mindepth 1 -maxdepth 1 -type d)" = ./both ]
}

@test "operands that are refused" {
    archive both
    run "$PAGODA" align both
    [ "$status" = 2 ]
    [[ $output == *'-o DIR'* ]]
    run "$PAGODA" align -o copy
    [ "$status" = 2 ]
    run "$PAGODA" align nowhere -o copy
    [ "$status" = 1 ]
    [[ $output == *nowhere* ]]
    run "$PAGODA" align both -o both
    [ "$status" = 1 ]
    [[ $output == *'not empty'* ]]
}
