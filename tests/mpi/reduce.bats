# SPDX-License-Identifier: BSD-3-Clause
# pagoda reduce on a program whose functions are really instrumented: what is left out is not
# recorded any more, all else is.
# shellcheck disable=SC2154 # variables that trace.bash sets
load ../helper
load trace

bats_require_minimum_version 1.5.0

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
        timeout -k 5 300 "$PAGODA" reduce --rule 'numcalls > 500' --json -o kth.filter --dir runs \
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

@test "the text report shows the dilation, and leaves no folder behind" {
    has_mpi mpich || skip "no mpich"
    launch mpich 1
    run --separate-stderr "$PAGODA" reduce --rule 'numcalls > 500' --repeat 2 \
        -- "${line[@]}" "$BUILD/programs/mpich-regions/kth" --size 1000
    [ "$status" = 0 ]
    [ -z "${stderr-}" ]
    [[ $output == *"Dilation (the shortest of 2 runs each)"* ]]
    grep -qE '^  untraced +[0-9.]+ [mu]?s +1\.00 +-$' <<<"$output"
    grep -qE '^  all functions recorded +[0-9.]+ [mu]?s +[0-9.]+ +[0-9]+$' <<<"$output"
    grep -qE '^  without those left out +[0-9.]+ [mu]?s +[0-9.]+ +[0-9]+$' <<<"$output"
    [ -z "$(ls -d pagoda-reduce-* 2>/dev/null)" ]
}
