# SPDX-License-Identifier: BSD-3-Clause
# Names of 200 kB and 5 kB in an archive: texts have them without their middles, JSON has all.
load ../helper

# short COMMAND...: no line of its output is long (a message takes 1024 bytes at most), nor the whole.
short() {
    "$PAGODA" "$@" >out 2>&1 || true
    [ -s out ]
    awk -v what="$*" 'length($0) > 1100 { print what ": a line of " length($0); exit 1 }' out >&2
    [ "$(wc -c <out)" -lt 60000 ]
}

@test "long names lose their middle in texts, and JSON has them" {
    /usr/bin/python3 "$ROOT/tests/cli/long_names.py" long
    short replay long --store runs.db --as a/b/c
    short replay long --all --group node
    short replay long --explain 1@6us
    short replay long --paths 'main*'
    short replay long --list-waits 'wait>=1ns'
    short replay long --properties message-passing
    short replay long --cpu-speed 2
    short replay long --interval 0s:1us
    short advise long
    short check long
    short reduce long
    short diff long long
    short store show runs.db
    short replay long --interval nothing
    short replay long --paths "$(printf 'x%.0s' {1..5000})"
    "$PAGODA" replay long --json | jq -e '([.profile[].region | length] | max) > 200000 and
        ([.profile[].region | select(startswith("solve_"))] | unique | length) == 2'
}

@test "functions that differ in their middles stay two, and are found as they are shown" {
    /usr/bin/python3 "$ROOT/tests/cli/long_names.py" long
    "$PAGODA" replay long | awk '/^Time by region/, /^$/' | grep -oE 'solve_a+\.\.\.[ab]+( \[[0-9]+\])?' | sort -u >names
    [ "$(wc -l <names)" = 2 ]
    [ "$(awk 'length($0) > 110' names)" = "" ]
    while read -r name; do
        run -0 "$PAGODA" replay long --paths "$name"
        [[ $output != *ambiguous* ]]
    done <names
}
