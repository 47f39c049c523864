# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# For tests of advice: is a list from which changes were left out that of all changes?

# agree N OPTION...: compares what `pagoda advise --top N OPTION...` lists with and without --exhaustive: of
# each group the first N that gain more than predictions may be off, and the pairs. Makes the file
# `differs` where that is not the same. False when the trace is refused.
agree() {
    local n=$1
    shift
    set -- "$@" --top "$n"
    "$PAGODA" advise "$@" --json >pruned 2>/dev/null || return 1
    "$PAGODA" advise "$@" --json --exhaustive >all
    # shellcheck disable=SC2016 # jq's variables
    jq -s -c --argjson n "$n" 'map([.error_ns as $e | .candidates | group_by(.group)[] |
        map(select(.gain_ns != null and .gain_ns > $e))[:$n] | map([.options, .gain_ns])] + .pairs) as [$pruned, $all] |
        select($pruned != $all or .[1].pruned != 0 or .[1].untried != 0) | $pruned, $all' pruned all >unlike ||
        touch differs
    [ ! -s unlike ] || { cat unlike && touch differs; }
}
