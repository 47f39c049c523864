# SPDX-License-Identifier: BSD-3-Clause
# Real predictions, and the real runs that measure them, in one database: what they say of the next
# prediction. How right any of them is does not matter here; the intervals are computed once more.
load ../helper

setup() {
    has_mpi openmpi || skip "no Open MPI"
    [ "$(nproc)" -ge 2 ] || skip "one core only"
    cd "$BATS_TEST_TMPDIR" || return
}

# traced DIR CORES SIZE: two ranks on these cores.
traced() {
    taskset -c "$2" "$PAGODA" trace -o "$1" -- mpirun.openmpi --oversubscribe --bind-to none -n 2 \
        "$BUILD/programs/openmpi/sweep" --size 16 --block 4 --iterations "$3" >/dev/null 2>&1
}

# The interval of the prediction in `report`, by the cases of the database, two runs at least each.
expects() {
    "$PAGODA" model --errors runs.db --json >errors.json
    jq -e --slurpfile errors errors.json '.whatif as $w |
        [$errors[0].cases[] | select(.kind == $w.past_errors.kind) | .measured / .predicted] as $ratios |
        (.whatif.points // [.whatif]) | all(
            (.window.end_ns - .window.begin_ns) as $judged | .predicted_ns as $predicted | .expected |
            .by == "past-errors" and
            (.low_ns - $predicted - ($ratios | min - 1) * $judged | fabs) < 2 and
            (.high_ns - $predicted - ($ratios | max - 1) * $judged | fabs) < 2) and
        ($w.past_errors | .count == ($ratios | length) and .coverage == 0.8 and
            (1 / (1 + .low_error) - ($ratios | max) | fabs) < 1e-6 and
            (1 / (1 + .high_error) - ($ratios | min) | fabs) < 1e-6)' report
}

@test "predictions of two cores from one are measured; the next one has an interval by their errors" {
    local all one size
    all=$(taskset -cp $$ | sed 's/.*: //')
    one=$(first_cores 1)
    for size in 1 2 3 4 5 6 7 8 9 10; do
        traced "one-$size" "$one" "$size"
        [ "$size" = 10 ] && break
        "$PAGODA" replay "one-$size" --cores 2 --wait block --store runs.db --as sweep/e/ --parameter "iterations=$size" >report
        grep -q '^  Past errors' report
        traced "two-$size" "$all" "$size"
        "$PAGODA" replay "two-$size" --store runs.db --as sweep/e/ --parameter "iterations=$size" \
            --parameter cores=2 --parameter wait=block >/dev/null
        if [ "$size" = 8 ]; then # one too few
            "$PAGODA" replay one-1 --cores 2 --wait block --errors runs.db >report
            tr -s ' \n' ' ' <report | grep -q 'Past errors too few, of 8 past predictions with --cores --wait: only the replay error'
            "$PAGODA" replay one-1 --cores 2 --wait block --errors runs.db --json | jq -e '.whatif |
                (.replayed_ns / .baseline_ns - 1 | fabs) as $error | .predicted_ns as $predicted |
                (.past_errors | .count == 8 and .coverage == null and .low_error == null) and
                (.expected | .by == "replay-error" and (.low_ns - $predicted * (1 - $error) | fabs) < 2 and
                    (.high_ns - $predicted * (1 + $error) | fabs) < 2)'
        fi
    done
    "$PAGODA" replay one-10 --cores 2 --wait block --errors runs.db --json >report
    expects
    jq -e --arg node "$(hostname | sed 's/[.].*//; s/\([^0-9]\)[0-9]*$/\1/')" '.whatif.past_errors |
        .kind == "--cores --wait" and .machine == $node and .count == 9' report
    "$PAGODA" replay one-10 --cores 2,4 --wait block --errors runs.db --json >report
    expects
    "$PAGODA" replay one-10 --cores 2,4 --wait block --errors runs.db | grep -Eq '^ +cores +predicted +change +from +to'
    "$PAGODA" replay one-10 --cores 2 --wait block --errors runs.db | tr -s ' \n' ' ' |
        grep -Eq 'Expected [0-9.]+ [mu]?s to [0-9.]+ [mu]?s with a probability of 80 %, by the errors of 9 past predictions with --cores --wait, recorded on '
    # Other options have no past; those of --store count for the prediction that is stored, too.
    "$PAGODA" replay one-10 --cpu-speed 2 --errors runs.db --json | jq -e '.whatif |
        .past_errors.count == 0 and .expected.by == "replay-error"'
    "$PAGODA" replay one-10 --cores 2 --wait block --store runs.db --as sweep/e/ --json >report
    expects
    # Advice of the same kind.
    "$PAGODA" advise one-10 --wait block --only processors --errors runs.db --json >advice
    jq -e '[.candidates[] | select(.options | test("--cores 2"))] | length == 1 and all(
        .past_errors.count == 9 and .expected.by == "past-errors" and .expected.low_ns < .expected.high_ns)' advice
    jq -e --slurpfile report report 'first(.candidates[] | select(.options | test("--cores 2"))) |
        .expected == ($report[0].whatif | .expected)' advice
    jq -e 'any(.candidates[]; .options == "--cpu-speed 2" and .expected.by == "replay-error")' advice
    "$PAGODA" advise one-10 --wait block --only processors --errors runs.db | tr -s ' \n' ' ' >advice
    grep -q 'Past errors a line below the gain' advice
    grep -Eq ' to [0-9.]+ [mu]?s with a probability of 80 %, by the errors of 9 past predictions with --cores --wait' advice
    # Without a database the report says so.
    "$PAGODA" replay one-10 --cores 2 | tr -s ' \n' ' ' | grep -q 'Past errors not looked up (--errors FILE): only the replay error'
    "$PAGODA" replay one-10 --cores 2 --json | jq -e '.whatif | .past_errors == null and .expected.by == "replay-error"'
    "$PAGODA" advise one-10 | grep -q 'Past errors .*not looked up (--errors FILE)'
}

@test "a database that is none ends replay and advise, before the replay" {
    traced one "$(first_cores 1)" 1
    echo no database >runs.db
    local command
    for command in "replay one --cores 2" "advise one"; do
        # shellcheck disable=SC2086 # several words
        run "$PAGODA" $command --errors runs.db
        [[ $status = 1 && $output == *"--errors"*"runs.db"* ]]
        # shellcheck disable=SC2086
        run "$PAGODA" $command --errors missing.db
        [[ $status = 1 && $output == *"missing.db"* && ! -e missing.db ]]
    done
    run "$PAGODA" replay one --errors runs.db
    [[ $status = 2 && $output == *"--errors FILE tells how right predictions were: say by what-if options"* ]]
}
