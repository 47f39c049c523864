# SPDX-License-Identifier: BSD-3-Clause
# Traces of asynchronous tasks, as APEX writes them for HPX.
load ../helper

@test "tasks that are renamed while they run, of a process whose first thread has no events" {
    /usr/bin/python3 "$ROOT/tests/cli/tasks.py" run
    "$PAGODA" replay --json run >out.json
    jq -e '.warnings == [] and .window.unrecorded_ns == 0' out.json
    # 100 ms and 100 ms on thread 1, 200 ms on thread 2; in between, 200 ms of another name.
    jq -e '[.profile[] | select(.region | startswith("(") | not) | [.region, .visits, .inclusive_ns]] | sort ==
        [["action", 3, 400000000], ["evaluate", 1, 200000000]]' out.json
    run -0 "$PAGODA" replay run
    [[ $output != *'not recorded'* && $output != *Efficiency* ]]
    grep -q '^  Tasks  *the threads are in recorded tasks for 50.0 % of their time' <<<"$output"
}

@test "other tools' archives have leaves that name what they leave" {
    /usr/bin/python3 "$ROOT/tests/cli/tasks.py" run "another tool"
    "$PAGODA" replay --json run | jq -e 'any(.warnings[]; .code == "unbalanced-region")'
    run -0 "$PAGODA" replay run
    [[ $output != *'recorded tasks'* ]]
}
