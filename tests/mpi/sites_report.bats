# SPDX-License-Identifier: BSD-3-Clause
# Call sites from the running program to the report: what it says is compared with the lines of
# tests/programs/sites/waits.c that are marked with "site: NAME".
load trace

source=$ROOT/tests/programs/sites/waits.c

# at NAME: "FILE:LINE" of the line with that mark.
at() {
    local n
    n=$(grep -nE "site: $1\$" "$source" | cut -d: -f1)
    [ -n "$n" ] || { echo "no mark $1" >&2; return 1; }
    echo "waits.c:$n"
}

# replayed MPI: the program's report as text, in one line, to $text; as JSON to $json.
replayed() {
    local dir=$BATS_TEST_TMPDIR/$1
    "mpicc.$1" -O2 -g -std=gnu11 -fno-optimize-sibling-calls -o "$dir-waits" "$source"
    launch "$1" 2
    timeout -k 5 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" "$dir-waits"
    check_archive "$dir"
    text=$BATS_TEST_TMPDIR/text json=$BATS_TEST_TMPDIR/json
    "$PAGODA" replay "$dir" | tr -s '\n ' ' ' >"$text"
    "$PAGODA" replay --json "$dir" >"$json"
}

# said TEXT: stands in the report, however its lines break.
said() {
    grep -qF -- "$1" "$text" || { echo "not said: $1"; cat "$text"; return 1; }
}

# known FILTER: holds for the JSON, given the marks.
known() {
    jq -e --arg long "$(at long-wait)" --arg short "$(at short-wait)" \
        --arg completion "$(at completion)" --arg send "$(at late-send)" \
        --arg barrier "$(at barrier)" --arg first_barrier "$(at first-barrier)" \
        --arg path "$source" "$1" "$json" >/dev/null || { echo "not so: $1"; return 1; }
}

late_sender='.patterns[] | select(.id == "late-sender")'

# Where ranks wait: file and line of the source, in waits and hints.
waits() {
    known "[$late_sender | .by_source[].source] - [\$long, \$short, \$completion] == []"
    known "$late_sender | (.by_source | map(.ns) | add) == .total_ns"
    known "$late_sender | .by_source[0] | .source == \$long and .file == \$path
        and .function == \"consume\" and .path == \"consume/MPI_Recv\""
    known "$late_sender | .worst | .source == \$long and .file == \$path and .cause_rank == 0"
    known '.hints[] | select(.pattern == "late-sender") | .source == $long and .file == $path
        and (.text | contains("consume/MPI_Recv (" + $long + ")"))'
    known '.patterns[] | select(.id == "wait-at-barrier") | [.by_source[].source]
        - [$barrier, $first_barrier] == []'
}

# What made them wait: the computing before a line of the source.
causes() {
    # Not within a call, but in the computing that ended with it.
    known "$late_sender | .origins.sources[0] | .source == \$send and .file == \$path
        and .function == \"produce\" and .before == \"produce/MPI_Send\" and (has(\"path\") | not)"
    known '.critical_path.sources[] | select(.before == "produce/MPI_Send" and .source == $send)
        | .file == $path and .time_ns > 0'
    said "before produce/MPI_Send at $(at late-send)"
}

# The first finding names both lines.
finding() {
    jq -r '.findings[] | .kind, .text' "$json"
    if ! jq -e '.findings[0].kind | test("blocked|core|other-programs")' "$json" >/dev/null; then
        known ".findings[0] | .source == \$send and .pattern == \"late-sender\" and .ranks == [0]"
        said "before produce/MPI_Send at $(at late-send)"
    fi # else other programs had the cores
    said "in consume/MPI_Recv at $(at long-wait)"
}

reported() {
    replayed "$1"
    waits
    causes
    finding
}

@test "where ranks wait, what made them wait, and the first finding: file and line of the source" {
    for_each_mpi reported
}

# Each change that is advised for a C++ program is predicted, by its command as well, whatever the
# shell makes of blanks, commas and brackets in names.
long_names() {
    command -v "mpicxx.$1" >/dev/null || skip "there is no C++ compiler for $1"
    local dir=$BATS_TEST_TMPDIR/names-$1 command name
    "mpicxx.$1" -O1 -g -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include \
        -rdynamic -o "$dir-program" "$ROOT/tests/programs/sites/names.cc"
    launch "$1" 2
    timeout -k 5 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" "$dir-program"
    "$PAGODA" advise "$dir" --only region,move --json >"$dir.json"
    jq -e '(.candidates | length) >= 5 and all(.candidates[], .pairs[]; .failure == null)' "$dir.json"
    "$PAGODA" advise "$dir" --only region,move --top 20 | grep -o 'pagoda replay .*' >"$dir.commands"
    for name in 'solver::Grid<>::relax=0' 'exchange(std::vector<double, .* const&, int)=0' \
        'exchange(std::vector<int, .* const&, int)=0' 'solver::operator/<>=0' 'solver::operator==<>=0'; do
        grep -q -- "--scale '$name'" "$dir.commands" || { cat "$dir.commands"; return 1; }
    done
    while read -r command; do
        eval "${command/#pagoda/\$PAGODA} --json" | jq -e '.whatif.predicted_ns > 0'
    done <"$dir.commands"
    # The short forms that mean one, and one that means two.
    for name in relax operator/ 'Grid::relax' 'solver::operator=='; do
        "$PAGODA" replay "$dir" --scale "$name=0.5" >/dev/null
    done
    run -1 "$PAGODA" replay "$dir" --scale exchange=0.5
    [[ $output == *'exchange is ambiguous: '* ]]
}

@test "regions of a C++ program: templates, overloads and operators, as options take them" {
    one_mpi long_names
}
