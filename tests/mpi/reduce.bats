# SPDX-License-Identifier: BSD-3-Clause
# pagoda reduce on a program whose functions are really instrumented: what is left out is not
# Quiet: how much of the recording is its own cost is measured.
# recorded any more, all else is.
# shellcheck disable=SC2154,SC2317 # variables that trace.bash sets; functions it calls
load trace

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset "${!PAGODA_@}"
    PAGODA=$BUILD/pagoda
}

@test "the k-th largest number: its three small functions are left out, and the dilation is told" {
    each() {
        local program=$BUILD/programs/$1-regions/kth
        launch "$1" 2
        rm -rf runs kth.filter
        # By calls alone: no time of a busy machine decides.
        timeout -k 5 300 "$PAGODA" reduce --rule 'numcalls > 500' --json -o kth.filter --keep runs \
            -- "${line[@]}" "$program" --size 2000 --k 232 >out.json
        [ "$(sed -n 's/^    \(.*\) # .*/\1/p' kth.filter | sort | tr '\n' ' ')" = \
            "interchange quicksort sort_5elements " ]
        # All calls are recorded in one run and none of the three in the other, whose events are what
        # is left: two for each call that was left out are gone.
        events_of runs/traced >traced
        events_of runs/reduced >reduced
        local n_calls
        n_calls=$(grep -cE 'Enter (interchange|quicksort|sort_5elements)( |$)' traced)
        [ "$n_calls" -gt 40000 ]
        [ "$(grep -cE 'Enter (interchange|quicksort|sort_5elements)( |$)' reduced)" = 0 ]
        [ "$(grep -cE ' (Enter|Leave) ' traced)" = \
            "$(($(grep -cE ' (Enter|Leave) ' reduced) + 2 * n_calls))" ]
        # The program did its work in all three runs.
        [ "$(sort -u runs/*.stdout | wc -l)" = 1 ]
        jq -e --argjson n "$n_calls" '.ranks == 2 and .dilation.untraced.dilation == 1 and
            (.dilation | .untraced.wall_ns > 0 and .all.wall_ns > 0 and .reduced.wall_ns > 0) and
            .dilation.all.events - .dilation.reduced.events > 1.9 * $n and
            ([.functions[] | select(.rule)] | length == 3 and
                (map(.numcalls * 2) | add) == $n and all(.then_cumusec == null)) and
            ([.functions[] | select(.rule == null)] | length > 4 and all(.then_cumusec > 0))' out.json ||
            { cat out.json; return 1; }
    }
    for_each_mpi each
}

# traced DIR OPTIONS PROGRAM ARGUMENTS...: leaves the estimated dilation in `dilation`, the events in
# `n_events`.
traced() {
    local dir=$1
    shift
    rm -rf "$dir"
    "$PAGODA" trace -o "$dir" "${options[@]}" -- "${line[@]}" "$@" >/dev/null 2>err
    [[ $(<err) =~ ^pagoda:\ 2\ ranks,\ ([0-9]+)\ events\ in\ $dir\;\ [0-9.]+\ [KM]iB,\ estimated\ dilation\ (above\ )?([0-9.]+)\;\ next: ]] ||
        { cat err; return 1; }
    n_events=${BASH_REMATCH[1]} dilation=${BASH_REMATCH[3]}
    "$PAGODA" replay --json "$dir" | jq -r '.warnings[] | select(.code == "recording-cost").text' >warning
}

@test "recording's own cost: told after the run, warned of, and what the warning says helps" {
    each() {
        launch "$1" 2
        local options=() dilation n_events full arguments=(--size 50000)
        # Two visits of some 80 ns for each few ns of work: the true dilation is about 10.
        traced full "$BUILD/programs/$1-regions/kth" "${arguments[@]}"
        full=$n_events
        jq -en "$dilation > 2" >/dev/null || { cat err; return 1; }
        [[ $(<warning) =~ ^2\ ranks\ slowed\ by.*counts\ as\ computing.*\ pagoda\ reduce\ -o\ app.filter\ full/traces.otf2,\ then ]] ||
            { cat warning; return 1; }
        # The size is that of the files.
        [ "$(sed 's/.*; \([0-9.]* MiB\),.*/\1/' err)" = \
            "$(find full -type f -printf '%s\n' | awk '{ n += $1 } END { n /= 1048576
                printf n < 100 ? "%.1f MiB" : "%.0f MiB", n }')" ] || { cat err; return 1; }
        "$PAGODA" reduce -o app.filter full/traces.otf2 >/dev/null
        ! grep -q run_rounds app.filter || return 1
        # On a busy machine a call may take longer than the rule above allows.
        "$PAGODA" reduce --rule 'numcalls > 10000' -o app.filter full/traces.otf2 >/dev/null
        grep -q '^    interchange #' app.filter
        options=(--filter app.filter)
        traced reduced "$BUILD/programs/$1-regions/kth" "${arguments[@]}"
        # How much that saves depends on what else the machine does.
        jq -en "$n_events * 10 < $full and $dilation > 1.05" >/dev/null || { cat err; return 1; }
        [[ $(<warning) == *"functions that the filter leaves out"*"without -finstrument-functions"* ]] ||
            { cat warning; return 1; }
        # Functions that do not call the tracer cost nothing.
        options=()
        traced plain "$BUILD/programs/$1/kth" "${arguments[@]}"
        jq -en "$dilation < 1.05" >/dev/null || { cat err; return 1; }
        [ ! -s warning ]
    }
    for_each_mpi each
}

@test "the text report shows the dilation, and leaves no folder behind" {
    has_mpi mpich || skip "no mpich"
    launch mpich 1
    run -0 --separate-stderr "$PAGODA" reduce --rule 'numcalls > 500' --repeat 2 \
        -- "${line[@]}" "$BUILD/programs/mpich-regions/kth" --size 1000
    [ -z "${stderr-}" ]
    [[ $output == *"Dilation (the shortest of 2 runs each)"* ]]
    grep -qE '^  untraced +[0-9.]+ [mu]?s +1\.00 +-$' <<<"$output"
    grep -qE '^  all functions recorded +[0-9.]+ [mu]?s +[0-9.]+ +[0-9]+$' <<<"$output"
    grep -qE '^  without those left out +[0-9.]+ [mu]?s +[0-9.]+ +[0-9]+$' <<<"$output"
    [ -z "$(ls -d pagoda-reduce-* 2>/dev/null)" ]
}
