# SPDX-License-Identifier: BSD-3-Clause
# pagoda calibrate with both MPIs: a machine file that can be used, whatever the machine does
# meanwhile; what is refused; nothing half-written. How good the numbers are is not a test's business.
load trace

valid() {
    xmllint --nonet --noout --relaxng "$ROOT/patterns/machines/machines.rng" "$@"
}

quick=(--point-time 1ms --spread 1 --max-size 4KiB --working-set 4KiB)

calibrates() {
    local mpi=$1
    launch "$mpi" 2
    timeout 300 "$PAGODA" calibrate "${quick[@]}" -o "$mpi.xml" --json -- "${line[@]}" >out 2>err </dev/null ||
        { cat err; return 1; }
    jq -e '.schema == 1 and .path == $path and (.mpi | test($name)) and .compute_ns > 0 and
        (.hosts | length) == 1 and .hosts[0].ranks == 2 and
        (.scopes | map(.messages[] | .half_round_trip_ns >= 0 and .spread >= 0) | all) and
        (.waiting == "spin" or .waiting == "block") and .hand_over_ns >= 0' \
        --arg path "$mpi.xml" --arg name "$([ "$mpi" = mpich ] && echo MPICH || echo 'Open MPI')" out
    "$PAGODA" check "$mpi.xml"
    valid "$mpi.xml"
    # What was not measured, and how many quantities varied too much, is in the file, too.
    jq -e '.missing | test("messages between nodes")' out
    jq -r .missing out | diff - <(xmllint --xpath 'string(//calibration/@missing)' "$mpi.xml")
    [[ $(xmllint --xpath 'string(//calibration/@unsteady)' "$mpi.xml") == *' of '* ]]
    run ! grep -q '"-' "$mpi.xml"
    # A receiver that is late is not in MPI: what its sender does not wait for is buffered.
    [ "$(xmllint --xpath 'string(/machine/@buffered)' "$mpi.xml")" = \
        "$(xmllint --xpath 'string(//message[@scope="node"]/@eager)' "$mpi.xml")" ]
    # With one core, of however many threads, there are no messages within a node, and no collectives.
    jq -e '.hosts[0].cores == 1' out || grep -q '<collective op="allreduce"' "$mpi.xml"
    # A second one is compared with the first one, and does not replace it.
    run -1 --separate-stderr timeout 300 "$PAGODA" calibrate "${quick[@]}" -o "$mpi.xml" -- "${line[@]}"
    [[ $stderr == *"$mpi.xml exists: choose another name with -o, or --force"* ]]
    timeout 300 "$PAGODA" calibrate "${quick[@]}" --force --points -o "$mpi.xml" --against "$mpi.xml" -- \
        "${line[@]}" >out 2>err </dev/null || { cat err; return 1; }
    grep -q 'there / here' out
    # An operation has one line, however many formulas.
    [ "$(grep -c '^allreduce of' out)" -le 1 ]
    ! grep -E '^[a-z_]+ of (1[0-9]|[3-9])' out || ! grep -q 'collective-members="2"' "$mpi.xml"
    grep -q '^Not measured: messages between nodes' out
    grep -q "$mpi.xml written" out
    run ! compgen -G '*.new'
    valid "$mpi.xml"
}

@test "a machine file that replay can use" {
    for_each_mpi calibrates
    local files=(./*.xml)
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/check/sound.txt" trace
    "$PAGODA" replay --machine "${files[0]}" --json trace | jq -e '.whatif.predicted_ns > 0'
}

@test "more ranks than cores" {
    has_mpi mpich || skip "no mpich"
    # However many there are: one is described to it.
    timeout 300 "$PAGODA" calibrate --point-time 1ms --spread 1 --max-size 0 -o x.xml -- \
        mpirun.mpich -n 2 env -u HWLOC_COMPONENTS HWLOC_SYNTHETIC='pack:1 core:1 pu:1' >out
    grep -q "warning: only 1 of 2 ranks have a core of their own" out
}

# refused WORDS -- ARGUMENTS...: exit status 2 or 1, WORDS on stderr, and no file.
refused() {
    local words=$1
    shift 2
    run --separate-stderr timeout 300 "$PAGODA" calibrate "$@"
    [ "$status" != 0 ]
    [[ $stderr == *"$words"* ]] || { echo "$stderr"; return 1; }
    [ ! -e new.xml ]
    run ! compgen -G '*.new'
}

@test "collectives of 2, 4 ... and all ranks that have a core" {
    has_mpi mpich || skip "no mpich"
    # Six cores are described to it; how fast these are does not matter.
    timeout 300 "$PAGODA" calibrate --point-time 1ms --spread 1 --max-size 8 --working-set 0 -o x.xml --json -- \
        mpirun.mpich -n 5 env -u HWLOC_COMPONENTS HWLOC_SYNTHETIC='pack:1 core:6 pu:1' >out
    jq -e '(.collectives | map(.members) | unique) == [2, 4, 5] and
        ([.collectives[] | select(.operation == "scan") | .size_bytes] | unique) == [8] and
        (.collectives | group_by(.members) | map(length)) == [10, 10, 10] and
        (.warnings | map(test("log2|core of their own")) | any | not)' out
    [ "$(xmllint --xpath 'string(//calibration/@collective-members)' x.xml)" = 5 ]
    valid x.xml
}

@test "one rank: how fast it computes, and nothing else" {
    has_mpi mpich || skip "no mpich"
    timeout 300 "$PAGODA" calibrate -o one.xml -- mpirun.mpich -n 1 >out
    grep -q 'warning: one rank alone cannot send messages' out
    # No empty lines where tables would be.
    run ! grep -zqP '\n\n\n' out
    valid one.xml
    [ "$(xmllint --xpath 'count(/machine/*)' one.xml)" = 2 ]
    # Quantiles of pieces of computing, from the median to the longest one.
    [ "$(xmllint --xpath 'string(/machine/noise/quantile[1]/@percent)' one.xml)" = 50 ]
    [ "$(xmllint --xpath 'string(/machine/noise/quantile[last()]/@percent)' one.xml)" = 100 ]
    [ -z "$(xmllint --xpath 'string(/machine/@hand-over)' one.xml)" ]
    [[ $(xmllint --xpath 'string(//@missing)' one.xml) == *'hand-over of a core, collectives' ]]
    [[ $(xmllint --xpath 'string(//@compute)' one.xml) == [1-9]*ns ]]
    # Against what the file was before; a name that no XML can hold.
    echo '<machine><calibration compute="1ns"/></machine>' >one.xml
    echo mine >one.xml.new
    timeout 300 "$PAGODA" calibrate --force --name $'a\001b' -o one.xml --against one.xml --json -- mpirun.mpich -n 1 >out
    jq -e '[.differences[] | select(.what == "computing") | [.there_ns, .here_ns > 1]] == [[1, true]]' out
    [ "$(xmllint --xpath 'string(/machine/@name)' one.xml)" = 'a?b' ]
    [ "$(cat one.xml.new)" = mine ]
}

@test "bundled machines beside this one" {
    has_mpi mpich || skip "no mpich"
    local machine n
    for machine in $("$PAGODA" explain machines --json | jq -r '.machines[].name'); do
        n=1
        [ "$machine" != es40 ] || n=2
        timeout 300 "$PAGODA" calibrate --point-time 1ms --spread 1 --max-size 0 --working-set 0 --force -o x.xml \
            --against "$machine" -- mpirun.mpich -n "$n" >out
        grep -q "  here  *$machine  there / here" out
    done
}

@test "known before anything is started" {
    local launcher=(bash -c 'echo started >started' --)
    refused 'none/new.xml: No such file or directory' -- -o none/new.xml -- "${launcher[@]}"
    refused '/dev/null is no file that could be written anew' -- --force -o /dev/null -- "${launcher[@]}"
    refused 'is no file that could be written anew' -- --force -o . -- "${launcher[@]}"
    touch there.xml
    refused 'there.xml exists' -- -o there.xml -- "${launcher[@]}"
    refused 'a bundled machine; did you mean clic?' -- -o new.xml --against clik -- "${launcher[@]}"
    [ ! -e started ]
    [ -c /dev/null ]
}

@test "the name by default is one that is there already" {
    has_mpi mpich || skip "no mpich"
    local name
    name=$(uname -n)-mpich.xml
    echo mine >"$name"
    refused "$name exists: choose another name with -o, or --force" -- "${quick[@]}" -- mpirun.mpich -n 2
    [ "$(cat "$name")" = mine ]
    timeout 300 "$PAGODA" calibrate --point-time 1ms --spread 1 --max-size 0 --working-set 4KiB --force -- mpirun.mpich \
        -n 1 >out
    valid "$name"
}

@test "killed in the middle: what it started ends, too, and no file is left" {
    local pid words
    mkfifo life
    # Stands for a launcher: whoever reads from its fifo knows when it is no more.
    "$PAGODA" calibrate -o new.xml -- bash -c 'exec 9>life; echo ready >&9; exec sleep 1000' 3>&- 9>&- &
    pid=$!
    exec 8<life
    read -r words <&8
    [ "$words" = ready ]
    kill -KILL "$pid"
    timeout 120 cat <&8
    exec 8<&-
    wait "$pid" || true
    [ ! -e new.xml ]
    run ! compgen -G '*.new'
}

@test "a launcher that ends too early, or is of another MPI" {
    refused 'the launch line ended with status 3' -- -o new.xml -- bash -c 'echo mpi X; exit 3'
    refused 'the launch line ended with signal 15' -- -o new.xml -- bash -c 'echo mpi X; kill $$'
    refused 'ended with status 0' -- -o new.xml -- bash -c 'printf "%s\n" "mpi X" "progress 1 3" "message node"'
    has_mpi openmpi && has_mpi mpich || skip "one MPI only"
    refused 'started 2 programs of one rank each' -- -o new.xml --implementation openmpi -- mpirun.mpich -n 2
}

@test "what is refused" {
    refused 'which launcher?' --
    refused '--implementation lam: it is openmpi or mpich' -- --implementation lam -- mpirun
    refused '--spread 0: more than 0' -- --spread 0 -- mpirun
    refused 'none.xml' -- -o new.xml --against none.xml -- mpirun.openmpi -n 2
    refused 'cannot run no-such-launcher' -- -o new.xml -- no-such-launcher -n 2
    refused 'no launcher of Open MPI or MPICH started this' -- -o new.xml -- env -u PMI_RANK
    refused 'before everything was measured' -- -o new.xml -- false
    has_mpi mpich || return 0
    refused 'cannot write' -- "${quick[@]}" -o none/new.xml -- mpirun.mpich -n 2
}

# Two ranks on a core each and both on one; what is learned is not a test's business, but it fits the traces.
slows_down() {
    local mpi=$1 n
    [ "$(nproc)" -ge 2 ] || skip "one core only"
    launch "$mpi" 2
    [ "$mpi" != openmpi ] || line+=(--oversubscribe --bind-to none)
    for n in 2 1; do
        "$PAGODA" trace -o "$mpi-$n" -- "${line[@]}" taskset -c "$(first_cores $n)" \
            "$BUILD/programs/$mpi/is" --size 12 --iterations 12 >out 2>err </dev/null || { cat err; return 1; }
    done
    "$PAGODA" calibrate --slowdown --json -o "$mpi-slow.xml" "$mpi-1" "$mpi-2" >learned
    jq -e '(.levels | map(.ranks_per_core)) == [1, 2] and .comparable > 0.5 and
        (.regions | map(.region | test("^before /main/.*MPI_.* at is.c:")) | any)' learned
    "$PAGODA" check "$mpi-slow.xml"
    # A file with a factor for each region of the trace: all of them are found again.
    jq -r '.regions[] | select(.region | test("[<>&\"]") | not) | .region' learned |
        sed 's|.*|<region name="&"><point ranks-per-core="1" factor="1"/><point ranks-per-core="2" factor="2"/></region>|
            1s/^/<slowdown>/; $s|$|</slowdown>|' >all.xml
    "$PAGODA" replay "$mpi-2" --cores 1 --slowdown all.xml --json | jq -e '.whatif.slowdown |
        .regions == .regions_in_run and .work_ns > 1.9 * .work_without_ns and .predicted_without_ns > 0'
}

@test "slowdowns learned from runs" { for_each_mpi slows_down; }
