# SPDX-License-Identifier: BSD-3-Clause
# pagoda calibrate with both MPIs: a machine file that can be used, whatever the machine does
# meanwhile; what is refused; nothing half-written. How good the numbers are is not a test's business.
load ../helper
load trace

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

quick=(--limit 1ms --spread 1 --max-size 4KiB --working-set 4KiB)

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
    xmllint --noout "$mpi.xml"
    # What was not measured, and how many quantities did not become steady, is in the file, too.
    jq -e '.missing | test("messages between nodes")' out
    jq -r .missing out | diff - <(xmllint --xpath 'string(//calibration/@missing)' "$mpi.xml")
    [[ $(xmllint --xpath 'string(//calibration/@unsteady)' "$mpi.xml") == *' of '* ]]
    ! grep -q '"-' "$mpi.xml"
    # With one core, of however many threads, there are no messages within a node, and no collectives.
    jq -e '.hosts[0].cores == 1' out || grep -q '<collective op="allreduce"' "$mpi.xml"
    # A second one is compared with the first one, and does not replace it.
    run --separate-stderr timeout 300 "$PAGODA" calibrate "${quick[@]}" -o "$mpi.xml" -- "${line[@]}"
    [ "$status" = 1 ]
    [[ $stderr == *"$mpi.xml exists: choose another name with -o, or --force"* ]]
    timeout 300 "$PAGODA" calibrate "${quick[@]}" --force -o "$mpi.xml" --against "$mpi.xml" -- \
        "${line[@]}" >out 2>err </dev/null || { cat err; return 1; }
    grep -q 'there / here' out
    # An operation has one line, however many formulas.
    [ "$(grep -c '^allreduce of' out)" -le 1 ]
    ! grep -E '^[a-z_]+ of (1[0-9]|[3-9])' out || ! grep -q 'collective-members="2"' "$mpi.xml"
    grep -q '^Not measured: messages between nodes' out
    grep -q "$mpi.xml written" out
    [ ! -e "$mpi.xml.new" ]
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
    timeout 300 "$PAGODA" calibrate --limit 1ms --spread 1 --max-size 0 -o x.xml -- \
        mpirun.mpich -n 2 env HWLOC_SYNTHETIC='pack:1 core:1 pu:1' >out
    grep -q "warning: only 1 of 2 ranks have a core of their own" out
}

# refused WORDS -- ARGUMENTS...: exit status 2 or 1, WORDS on stderr, and no file.
refused() {
    local words=$1
    shift 2
    run --separate-stderr timeout 300 "$PAGODA" calibrate "$@"
    [ "$status" != 0 ]
    [[ $stderr == *"$words"* ]] || { echo "$stderr"; return 1; }
    [ ! -e new.xml ] && [ ! -e new.xml.new ]
}

@test "what is refused" {
    refused 'which launcher?' --
    refused '--mpi lam: it is openmpi or mpich' -- --mpi lam -- mpirun
    refused '--spread 0: more than 0' -- --spread 0 -- mpirun
    refused 'none.xml' -- -o new.xml --against none.xml -- mpirun.openmpi -n 2
    refused 'cannot run no-such-launcher' -- -o new.xml -- no-such-launcher -n 2
    refused 'no launcher of Open MPI or MPICH started this' -- -o new.xml -- env -u PMI_RANK
    refused 'did not come to its end' -- -o new.xml -- false
    has_mpi mpich || return 0
    refused 'cannot write' -- "${quick[@]}" -o none/new.xml -- mpirun.mpich -n 2
}
