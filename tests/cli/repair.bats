# SPDX-License-Identifier: BSD-3-Clause
# `pagoda check --repair`: of any archive that lacks files or parts of them comes one that otf2-print
# and the replay read, and what was lost is said. The damage and the comparisons are in repair.py.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive advise/pairs
}

# compare TEST [ARGUMENT...]
compare() {
    run -0 /usr/bin/python3 "$ROOT/tests/cli/repair.py" "$@"
}

@test "an archive that is whole: the same events and definitions, the same bytes each time" {
    compare whole pairs
}

@test "each file missing in turn: all other events" {
    compare removed pairs
}

@test "an event file cut at and beside ends of its records" {
    compare cuts pairs "$(cases 9 27)"
}

@test "global definitions cut anywhere: no event is lost, all names are defined" {
    compare definitions pairs "$(cases 150 600)"
}

@test "records of every kind" {
    compare every_kind
}

@test "several chunks of another size, damaged, with and without the anchor file" {
    compare chunks
}

@test "the other byte order" {
    compare big_endian
}

@test "any damage: otf2-print reads what comes of it" {
    compare spoiled pairs 1 "$(cases 20 8)"
}

@test "lone event files: ranks by their numbers, messages match, calls of MPI are known" {
    mkdir lone
    cp pairs/traces/*.evt lone
    for path in lone lone/1.evt; do
        rm -rf fixed
        run -3 "$PAGODA" check --repair "$path" -o fixed
        [ "${lines[0]}" = "$path: repaired; lost:" ]
        [[ $output == *'  names-lost: definitions of what has events are lost; called by their numbers: 8 locations, 4 regions, 1 communicator'* ]]
        [[ $output == *"clock-lost: the clock's ticks per second are lost: a tick is taken for 1 ns"* ]]
        [[ $output == *'fixed: OTF2 archive by pagoda check --repair: 8 ranks, 8 locations, 304 events, 32 messages, 0 collectives'* ]]
    done
    run -0 "$PAGODA" replay --json fixed
    [ "$(jq -c '[.patterns[] | select(.id == "late-sender") | .total_ns]' <<<"$output")" = \
        "$("$PAGODA" replay --json pairs | jq -c '[.patterns[] | select(.id == "late-sender") | .total_ns]')" ]
    [ "$(jq -r '.warnings[] | select(.code == "repaired") | .count' <<<"$output")" = 1 ]
}

@test "lone event files whose numbers are those of threads, as Score-P counts: two processes" {
    mkdir lone
    cp pairs/traces/[01].evt lone
    cp pairs/traces/2.evt lone/4294967297.evt
    run -3 "$PAGODA" check --repair lone -o fixed
    [[ $output == *'fixed: OTF2 archive by pagoda check --repair: 2 ranks, 3 locations, 114 events'* ]]
}

@test "definitions of a location, missing or damaged inside a record: said so, no event is lost" {
    archive align/offsets
    local total
    total=$("$PAGODA" check --json offsets | jq '.files[0].events')
    truncate -s -2 offsets/traces/1.def
    run -3 "$PAGODA" check --json --repair offsets -o fixed
    [ "$(jq -c '.files[0] | [.events, .losses[].code]' <<<"$output")" = "[$total,\"local-definitions-cut\"]" ]
    rm -r fixed offsets/traces/1.def
    run -3 "$PAGODA" check --json --repair offsets -o fixed
    [ "$(jq -c '.files[0] | [.events, .losses[].code]' <<<"$output")" = "[$total,\"local-definitions-missing\"]" ]
}

@test "a rank that ended early: reports say until when its record goes" {
    truncate -s -30 pairs/traces/1.evt
    run -3 "$PAGODA" check --repair pairs -o fixed
    [[ $output == *'events-cut: location 1: its event file (1.evt) is damaged, or ends, after event 34: 4 of 38 events lost, 1 open region left at the time of the last event'* ]]
    run -0 "$PAGODA" replay fixed
    [[ $(tr -s ' \n' ' ' <<<"$output") == *'Recorded: rank 1 until 1.661 ms'*'1 repair made this archive readable. Not in it, nor in this report: location 1: its event file (1.evt) is damaged'* ]]
}

@test "an anchor of 0 bytes, and one that is no anchor" {
    for content in '' 'no anchor'; do
        rm -rf fixed
        printf %s "$content" >pairs/traces.otf2
        run -3 "$PAGODA" check --repair pairs -o fixed
        [[ $output == *'anchor-damaged: the anchor file traces.otf2 is damaged: what it said of the archive is lost, no event'* ]]
        [[ $output == *' 304 events, 32 messages'* ]]
    done
}

# refused SENTENCE WORD...: exit status 1, one line, nothing written.
refused() {
    local sentence=$1
    shift
    run -1 --separate-stderr "$PAGODA" check --repair "$@"
    echo "$stderr"
    [ "$stderr" = "pagoda: $sentence" ]
    [ -z "$output" ]
    [ ! -e out ]
    [ -z "$(find . -name '.pagoda-out*' -o -name .left)" ]
}

@test "bad input: one sentence, nothing written" {
    mkdir -p empty full killed/spool
    touch full/file
    refused "nothing was written to 'out': 'killed' holds the records of a run that has no archive yet: pagoda trace --finish killed writes it" killed -o out
    refused "nothing was written to 'out': nothing to repair in the directory 'empty': it holds no anchor file (*.otf2), no definitions (*.def) and no event file (NUMBER.evt)" empty -o out
    refused "nothing was written to 'out': cannot open 'nowhere': No such file or directory" nowhere -o out
    refused "nothing was written to 'out': 'full/file' is no file of an OTF2 archive: those end in .otf2, .def or .evt" full/file -o out
    refused "nothing was written to 'full': 'full' is not empty: give a folder that is, or does not exist" pairs -o full
    refused "nothing was written to 'pairs/out': 'pairs/out' is inside 'pairs', which is to stay as it is" pairs -o pairs/out
    refused "nothing was written to 'pairs/traces/out': 'pairs/traces/out' is inside './pairs/traces', which is to stay as it is" ./pairs/traces.otf2 -o pairs/traces/out
    cp -r pairs two
    cp two/traces.otf2 two/other.otf2
    refused "nothing was written to 'out': 2 archives in the directory 'two' (other, traces): name the anchor file of one of them" two -o out
    rm two/*.def two/traces/*.evt
    refused "nothing was written to 'out': nothing to repair in 'two/traces.otf2': neither traces.def nor an event file in traces/ is there" two/traces.otf2 -o out
    cp pairs/traces.def two
    refused "nothing was written to 'out': nothing to repair in 'two/traces': no event of it can be read" two/traces.otf2 -o out
    for words in '--repair pairs' '-o out pairs' '--repair pairs two -o out'; do
        # shellcheck disable=SC2086 # several words
        run -2 "$PAGODA" check $words
    done
}

@test "nothing is left when the disk is full" {
    mkdir full
    mount -t tmpfs -o size=24k none full || skip "needs the right to mount"
    run "$PAGODA" check --repair pairs -o full/out
    find full -mindepth 1 >left
    umount full
    [ "$status" = 1 ]
    [ "${#lines[@]}" = 1 ]
    [[ $output == "pagoda: nothing was written to 'full/out': "* ]]
    [ ! -s left ]
}

@test "check-archives: counts of Pagoda beside those of otf2-print" {
    mkdir -p all/good all/bad
    mv pairs all/good/pairs
    cp -r all/good/pairs all/bad/cut
    printf 'no anchor' >all/bad/cut/traces.otf2
    run -0 "$ROOT/tests/check-archives" all
    [[ $(tr -s ' ' <<<"${lines[1]}") == 'bad/cut/traces.otf2 ? unreadable by both' ]]
    [[ $(tr -s ' ' <<<"${lines[2]}") == 'good/pairs/traces.otf2 pagoda test writer 304 8 8 ok' ]]
    mkdir none
    run -1 "$ROOT/tests/check-archives" none
    run -2 "$ROOT/tests/check-archives"
}
