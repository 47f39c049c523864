# SPDX-License-Identifier: BSD-3-Clause
# Counters that --counters records, against getrusage() in the program and a walk through the archive.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

# counted MPI NAMES ARGUMENT...: traces trace_counters with these counters. $printed is the archive, $report its
# report, $grown what a walk through the archive finds.
counted() {
    local mpi=$1 names=$2
    shift 2
    PAGODA_COUNTERS=$names traced "$mpi" 2 trace_counters "$@"
    cat "$out" "$err"
    [ "$status" = 0 ]
    [ "$(cut -d' ' -f1,2 "$out" | sort)" = "$(printf '%s\n' {0,1}\ {block,thread,thread,touch})" ]
    report=$BATS_TEST_TMPDIR/report
    grown=$BATS_TEST_TMPDIR/grown
    read_archive counters "$dir" | LC_ALL=C sort >"$grown"
    "$PAGODA" replay --json "$dir" >"$report"
}

# as_used COUNTER COLUMN SLACK: in each region of each rank it is what the program saw, and up to SLACK more
# that the tracer made between.
as_used() {
    jq -e --rawfile seen "$out" --arg name "$1" --argjson column "$2" --argjson slack "$3" '
        [.counters[] | select(.name == $name).values[]] as $values |
        [$seen | split("\n")[] | select(. != "") | split(" ")] | group_by(.[:2]) | map(
            {rank: (.[0][0] | tonumber), region: .[0][1], seen: (map(.[$column] | tonumber) | add)} |
            .value = ([.rank, .region] as [$rank, $region] |
                [$values[] | select(.rank == $rank and .path == $region).value] | add // 0)) |
        length == 6 and all(.[]; .value >= .seen and .value <= .seen + $slack)' "$report"
}

# sums: the report has what the walk found, in each region.
sums() {
    jq -r '.counters[] | .name as $name | .values | map(.region = (.path | split("/")[-1])) | group_by(.region)[] |
        select(.[0].region | startswith("(") | not) | [.[0].region, $name, (map(.value) | add)] | @tsv' "$report" |
        LC_ALL=C sort | diff - "$grown"
    [ "$(wc -l <"$grown")" -gt 20 ]
}

of_threads() {
    counted "$1" page-faults,context-switches,task-clock,max-rss,minor-faults,voluntary-switches,cycles
    as_used minor-faults 2 4
    as_used page-faults 2 4
    as_used voluntary-switches 3 2
    sums
    # Two ranks, of which each touched 16 MiB in its first thread.
    jq -e '.counters[] | select(.name == "max-rss") | .unit == "bytes" and
        (.values | map(select(.path == "touch").value) | length == 2 and all(. > 15 * 1048576 and . < 20 * 1048576))' \
        "$report"
    # Only what a machine has not is missing, with the reason.
    jq -e '[.counters[].name] | index("task-clock") and index("context-switches")' "$report"
    messages | grep -qx 'pagoda: cycles is not counted: this machine has no such hardware counter' ||
        jq -e '[.counters[].name] | index("cycles")' "$report"
    [ "$(messages | grep -c counted)" -le 1 ]
}

@test "counters of regions and threads are the program's" { for_each_mpi of_threads; }

# In a namespace of mounts of its own: two packages, one of which begins anew, and a zone that is the same again.
burn() {
    local range=262143328850 zone=/sys/class/powercap/intel-rapl:0
    mount -t tmpfs none /sys/class
    mkdir -p /sys/class/net $zone ${zone%0}1 ${zone%0}0:0
    ln -s intel-rapl:0 /sys/class/powercap/intel-rapl-mmio:0
    printf 'package-0\n' >$zone/name
    printf 'package-1\n' >${zone%0}1/name
    printf 'dram\n' >${zone%0}0:0/name
    for folder in /sys/class/powercap/*; do
        echo $range >"$folder/max_energy_range_uj"
        echo $((range - 2000000)) >"$folder/energy_uj"
    done
    counted "$1" energy-pkg,energy-ram,energy-psys "$zone/energy_uj" $range
    # In joules, by the first rank only, and only where they were used.
    jq -e '.counters | map([.name, .unit, .values]) == [["energy-pkg", "J", [{path: "burn", rank: 0, value: 5}]]]' \
        "$report"
    grep -q '^METRIC_CLASS .* 2 Members: "energy-pkg" <2>, "energy-ram" <3>' "$printed"
    messages | grep -qx 'pagoda: energy-psys is not counted: /sys/class/powercap has no such zone'
}

@test "energy of a node, whose counter begins anew" {
    unshare -m true 2>/dev/null || skip "no namespaces of mounts here (needs root)"
    export -f burn counted traced launch read_archive messages
    export BATS_TEST_TMPDIR ROOT printed
    one_mpi energy
}
energy() { unshare -m bash -euc 'burn "$1"' - "$1"; }

of_papi() {
    "mpicc.$1" -I"$ROOT" "$ROOT/tests/mpi/count_steps.c" -o steps -lsde -ldl -lpthread -Wl,--export-dynamic
    launch "$1" 2
    run -0 "$PAGODA" trace --counters sde:::demo::steps,PAPI_NONE -o p -- "${line[@]}" ./steps
    [[ $output == *'pagoda: PAPI_NONE is not counted: '* ]]
    "$PAGODA" replay --json p | jq -e '.counters[] | select(.name == "sde:::demo::steps").values |
        map([.path, .rank, .value]) | sort == [["(program)", 0, 21], ["(program)", 1, 21], ["solve", 0, 303], ["solve", 1, 303]]'
}

@test "counters of PAPI" {
    [ -e /usr/include/sde_lib.h ] || skip "PAPI is not installed (libpapi-dev)"
    one_mpi of_papi
}

# The program's permissions are less than root's: only user mode may be counted.
unprivileged() {
    local without=(setpriv --bounding-set=-all --inh-caps=-all)
    "${without[@]}" true 2>/dev/null || skip "permissions cannot be given up here"
    [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] || skip "this kernel forbids nothing"
    launch "$1" 2
    run "${without[@]}" "$PAGODA" trace --counters context-switches,page-faults -o u -- "${line[@]}" \
        "$BUILD/programs/$1/trace_counters"
    [[ $output == *'context-switches is not counted: perf events are forbidden here (kernel.perf_event_paranoid is '* ]]
    "$PAGODA" replay --json u | jq -e '[.counters[].name] == ["page-faults"]'
}

@test "what a user may not count is left out, with the reason" { one_mpi unprivileged; }
