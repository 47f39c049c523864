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

# same_remedies TRACE: do findings and advice agree? Each remedy that `pagoda replay` prints with a finding is
# a line of `pagoda advise`, in the same words, with the same run time, gain or reason why there is none; and
# no line names a finding that has no such remedy. Adds how many there are to `n_remedies`, and makes the file
# `differs` where that is not so. False when the trace is refused.
same_remedies() {
    "$PAGODA" replay "$1" --json >replay.json 2>/dev/null || return 1
    "$PAGODA" advise "$1" --json >advice.json
    jq '[.findings | to_entries[] | .key as $i | .value | .kind as $kind | .remedies[] |
        {number: ($i + 1), kind: $kind, options: .words, predicted_ns, gain_ns, failure}] | sort' replay.json >said
    jq '[.candidates[] | select(has("same_as") | not) | . as $change | .findings[] |
        {number, kind} + ($change | {options, predicted_ns, gain_ns, failure})] | sort' advice.json >advised
    diff said advised || touch differs
    # The first of several findings with the same change says what it means.
    jq -s '.[0].findings as $findings | .[1].candidates[] | select(.findings != []) | . as $change |
        $findings[.findings[0].number - 1].remedies[] | select(.words == $change.options and .text != $change.text)' \
        replay.json advice.json >unlike
    jq -s 'select(.[0].replayed_ns and .[0].replayed_ns != .[1].replayed_ns)' replay.json advice.json >>unlike
    [ ! -s unlike ] || { cat unlike && touch differs; }
    n_remedies=$((n_remedies + $(jq length said)))
}
