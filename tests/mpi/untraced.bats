# SPDX-License-Identifier: BSD-3-Clause
# Quiet: CPU times of traced and untraced runs are compared.
# The prediction of the run without the tracer, against runs without it: a program whose functions
# take a few hundred ns, so that recording them makes it much slower.
# shellcheck disable=SC2154,SC2317 # variables that trace.bash sets; functions it calls
load trace

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset "${!PAGODA_@}"
    PAGODA=$BUILD/pagoda
}

# measured PROGRAM: whether the estimate of one out of three batches is right to a third. Other programs can
# only make runs longer, and so the cost of a record, which each run measures.
measured() {
    local untraced traced recording_ns
    for _ in 1 2 3; do
        rm -rf run-* untraced traced
        for i in 1 2 3 4 5; do
            "${line[@]}" "$1" 200 >>untraced
            "$PAGODA" trace -o "run-$i" -- "${line[@]}" "$1" 200 2>/dev/null | sed "s/$/ run-$i/" >>traced
        done
        untraced=$(sort -g untraced | head -n 1)
        read -r traced run < <(sort -g traced | head -n 1)
        recording_ns=$(for i in 1 2 3 4 5; do
            "$PAGODA" replay --untraced --json "run-$i" | jq .whatif.recording_ns
        done | sort -g | head -n 1)
        jq -en --argjson untraced "$untraced" --argjson traced "$traced" \
            --argjson recording "$recording_ns" '
                ($recording / 1e9) as $recording | ($traced - $untraced) as $cost |
                {$untraced, $traced, $recording} | debug |
                $cost > 0.05 * $untraced and (($recording - $cost) | fabs) < $cost / 3' && return
    done
    return 1
}

@test "replay --untraced takes off what recording cost, to a third of it" {
    each() {
        local run
        launch "$1" 1
        measured "$BUILD/programs/$1-regions/trace_cells"
        "$PAGODA" replay --untraced "$run" | grep -q '^  Recording     took .* of the ranks'
        # Other predictions leave it out as well.
        [ "$("$PAGODA" replay --cpu-speed 1 --json "$run" | jq -c '.whatif | [.recording_ns, .untraced_ns]')" = \
            "$("$PAGODA" replay --untraced --json "$run" | jq -c '.whatif | [.recording_ns, .predicted_ns]')" ]
        # An archive of the predicted run has no such cost.
        "$PAGODA" replay --untraced --output without "$run" >/dev/null
        "$PAGODA" replay --json without | jq -e 'all(.warnings[]; .code != "recording-cost")'
        run --separate-stderr "$PAGODA" replay --untraced without
        [[ $status = 1 && $stderr == *'--untraced: the trace does not say what recording cost'* ]]
        rm -rf without
    }
    for_each_mpi each
}
