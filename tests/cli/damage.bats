# SPDX-License-Identifier: BSD-3-Clause
# A trace of which a part cannot be read: each command says so, and ends with exit status 3.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    archive advise/pairs whole
    cp -r whole cut
    truncate -s -30 cut/traces/1.evt
}

# shellcheck disable=SC2154 # run sets stderr
# tells WHERE COMMAND...: exit status 3, and on WHERE, stdout or stderr, what could not be read.
tells() {
    local where=$1
    shift
    run --separate-stderr "$PAGODA" "$@"
    [ "$status" = 3 ] || {
        echo "exit status $status: $stderr"
        return 1
    }
    local text=$output
    [ "$where" = stdout ] || text=$stderr
    tr '\n' ' ' <<<"$text" | tr -s ' ' | grep -qF '(cannot read its event file (1.evt) after event 34: damaged, or it ends too early). The rest is missing in this report [location-cut]' || {
        echo "$where of pagoda $*: $text"
        return 1
    }
}

@test "reports: measured, ideal, advice, each kind of prediction" {
    tells stdout replay cut
    tells stdout replay --ideal cut
    tells stdout advise cut
    tells stdout replay --nodes 2 cut
    [[ $(tr -s ' \n' ' ' <<<"$output") == *' Warnings parts of the trace were unreadable: this predicts what is left of the run '* ]]
    tells stdout replay --nodes 1,2 cut
    tells stdout replay --interval main cut
}

@test "JSON: measured and predicted" {
    for options in '' '--nodes 2' '--nodes 1,2' '--interval main'; do
        # shellcheck disable=SC2086 # several words
        run -3 "$PAGODA" replay --json $options cut
        [ "$(jq -r '.warnings[] | select(.code == "location-cut") | .count' <<<"$output")" = 1 ]
    done
}

@test "commands without a report on the trace: a warning" {
    tells stderr store add runs.db cut
    tells stderr store add --interval main parts.db cut
    tells stderr replay --interval 'MPI_Recv#*' cut
    tells stderr diff whole cut
    tells stderr reduce --rule 'numcalls > 10' cut
    [ "$(wc -l <<<"$stderr")" = 1 ]
}

@test "stored trials: measured, predicted and of an interval" {
    tells stdout replay --nodes 2 --store runs.db cut
    tells stdout replay --interval main --store runs.db cut
    for trial in 1 2 3; do
        run -0 "$PAGODA" store show runs.db "$trial"
        [[ $output == *'warning: 1 location readable only up to some record:'*'[location-cut]'* ]]
    done
    run "$PAGODA" query runs.db --sql 'SELECT min(has_unreadable_records) AS least FROM trial' --csv
    [ "$(tr -d '\r' <<<"$output")" = $'least\n1' ]
    "$PAGODA" store add runs.db whole >/dev/null
    run -0 --separate-stderr "$PAGODA" diff runs.db whole cut
    [[ $stderr == *'pagoda: warning: cut: 1 location readable only up to some record:'*'[location-cut]' ]]
}

@test "lists of attributes with a damaged number: not read from there on" {
    archive replay/unmodified sites
    /usr/bin/python3 - <<'PYTHON'
path = "sites/traces/1.evt"
content = open(path, "rb").read()
damaged = content.replace(b"\x06\x07\x01\x01", b"\x06\x07\x00\x01")
assert damaged != content
open(path, "wb").write(damaged)
PYTHON
    run -3 "$PAGODA" replay sites
    [[ $(tr '\n' ' ' <<<"$output" | tr -s ' ') == *'rank 1 (cannot read its event file (1.evt) after event 2: damaged'* ]]
}

@test "a rank without any of the events promised for it: not read, exit status 3" {
    cp -r whole empty
    /usr/bin/python3 - <<'PYTHON'
path = "empty/traces/1.evt"
content = open(path, "rb").read()
none = (0).to_bytes(8, "little")
open(path, "wb").write(content[:2] + none + none + content[-2:])
PYTHON
    for command in check replay advise 'replay --nodes 2'; do
        # shellcheck disable=SC2086 # several words
        run -3 "$PAGODA" $command empty
        [[ $(tr '\n' ' ' <<<"$output" | tr -s ' ') == *'rank 1 (its event file (1.evt) holds none of the 38 events promised)'* ]]
    done
}

@test "clock offsets that do not go forward: the location is not read" {
    for second in 300 200; do
        { cat "$ROOT/tests/traces/align/offsets.txt"; printf 'offset 1 20000 100\noffset 1 %s 7\n' "$second"; } |
            "$BUILD/tools/mktrace" - "offsets$second"
        run -3 "$PAGODA" replay "offsets$second"
        [[ $(tr '\n' ' ' <<<"$output" | tr -s ' ') == *"its definition file (1.def) is damaged"* ]]
    done
}
