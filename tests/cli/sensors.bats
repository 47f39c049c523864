# SPDX-License-Identifier: BSD-3-Clause
# Metrics of an archive that belong to no call path: states and sums of devices, nodes and ranks; and what GPUs do.
load ../helper

# The values are in sensors.py, the expected ones worked out by hand: five values at 0, 1, 3, 6 and 10 s.
@test "states are weighted by time as their definition says, sums are growth and rate" {
    /usr/bin/python3 "$ROOT/tests/cli/sensors.py" run
    "$PAGODA" replay --json run >out.json
    while read -r name unit is_state mean min max total; do
        jq -e --arg name "$name" --argjson expected "[\"${unit#-}\", $is_state, $mean, $min, $max, $total]" '
            .sensors[] | select(.name == $name) | [.mean_unit, .is_state, .mean, .min, .max, .total] as $found |
            all(range(6); $found[.] == $expected[.] or ($found[.] - $expected[.] | fabs) <= 1e-9)' out.json ||
            { echo "$name" >&2 && return 1; }
    done <<'SENSORS'
power W true 180 100 300 1800
held W true 3 1 5 30
before - true 4 1 5 null
rocm_smi:::power_average W true 60 50 70 1200
energy W false 0.5 null null 5
grown /s false 1.5 null null 15
falls - true 22.75 10 30 null
memory bytes true 2304 1024 3072 null
SENSORS
    jq -e '[.sensors[] | select(.name == "rocm_smi:::power_average").places[] | [.label, .mean, .total]] ==
        [["device 1", 70, 700], ["device 0", 50, 500]]' out.json
    jq -e '[.sensors[] | select(.name == "memory").places[] | [.label, .rank, .mean]] ==
        [["rank 1", 1, 2560], ["rank 0", 0, 2048]]' out.json
    jq -e '[.sensors[] | select(.name == "power").places[].label] == ["node n1"]' out.json
    # Identifiers have no sum, and nothing else is left out.
    jq -e '.counters == null and ([.warnings[].code] | index("unused-counter") | not) and
        any(.warnings[]; .code == "unused-parameter" and (.text | test("^2 .*callsite id.*dentif")))' out.json
    for threads in 1 3; do
        "$PAGODA" replay --json --threads $threads run | cmp - out.json
    done
}

@test "sensors are a table of whole runs" {
    /usr/bin/python3 "$ROOT/tests/cli/sensors.py" run
    run -0 "$PAGODA" replay run
    [[ $output == *$'\nSensors ('* ]]
    grep -qE '^ +60 W +50 W +70 W +1200 J +rocm_smi:::power_average +device 1 70 W, device 0 50 W$' <<<"$output"
    grep -qE '^ +0.5 W +5 J +energy +node n1$' <<<"$output"
    [ -z "$(awk '/^Sensors/ && length($0) > 80' <<<"$output")" ]
    "$PAGODA" replay --json --interval 1s:2s run | jq -e '.sensors == null and
        any(.warnings[]; .code == "unused-counter" and (.text | contains("power")))'
}

@test "what ran on a GPU is told by stream, and marked in tables" {
    /usr/bin/python3 "$ROOT/tests/cli/sensors.py" run gpu
    run -0 "$PAGODA" replay run
    grep -q '^  GPU  *2 streams busy 22.5 % of the run on average, HIP\[0:0\] with most:$' <<<"$output"
    grep -qE '^ +3.500 +35.0 % +2 +0 +HIP\[0:0\] +solve_kernel 85.7 %, copy_in 14.3 %$' <<<"$output"
    grep -qE '^ +1.000 +10.0 % +1 +0 +HIP\[0:1\] +solve_kernel 100.0 %$' <<<"$output"
    grep -qE '^ +4.000 .* solve_kernel \(GPU\)$' <<<"$output"
    grep -qE '^ +8.000 .* hipStreamSynchronize$' <<<"$output"
    tr -s ' \n' ' ' <<<"$output" | grep -q 'GPU stream HIP\[0:0\] is busy 35.0 % of the run, most of that with solve_kernel'
    "$PAGODA" replay --json run | jq -e '.streams == [
        {"name": "HIP[0:0]", "rank": 0, "runs": 2, "busy_ns": 3500000000, "most":
            [{"region": "solve_kernel", "time_ns": 3000000000}, {"region": "copy_in", "time_ns": 500000000}]},
        {"name": "HIP[0:1]", "rank": 0, "runs": 1, "busy_ns": 1000000000, "most":
            [{"region": "solve_kernel", "time_ns": 1000000000}]}]'
}
