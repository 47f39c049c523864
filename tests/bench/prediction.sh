#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What `pagoda replay` takes for a prediction, on one core, as multiples of a plain replay of the same
# archive (design: at most 2 a pass). Two passes are added: one with nothing changed, for the replay
# error, and the one asked for, in which waits and their causes are found as in the measured run;
# points of a list take a pass like the first each. Models: costs as recorded, ranks on fewer cores,
# a machine file. Memory: the largest of these next to that of a plain replay, and that of a run 10
# times as long (at most 1.1 x). CPU time counts, of the best of three warm runs. STEPS sets the length
# of the short ring.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
STEPS=${STEPS:-40000}
place=$BUILD/bench/archives
machine=$place/machine.xml
mkdir -p "$place"
cat >"$machine" <<'END'
<machine name="ethernet" cores="1">
  <message scope="node"><point bytes="0" time="0.8us"/><point bytes="65536" time="21us"/></message>
  <message scope="network" eager="65536" send-overhead="1us" recv-overhead="1us">
    <point bytes="0" time="50us"/><point bytes="1000000" time="9ms"/>
  </message>
  <collective op="allreduce" time="20e-6 * log2(p) + 1e-9 * b"/>
  <collective op="bcast" time="20e-6 * log2(p)"/>
</machine>
END

one_core=()
command -v taskset >/dev/null && one_core=(taskset -c 0)

# best OPTION...: "SECONDS PEAK_KB" of the fastest of three replays of $archive.
best() {
    for _ in 1 2 3; do
        "$BUILD/bench/measure" -c ${one_core[@]+"${one_core[@]}"} "$BUILD/pagoda" replay --json "$@" \
            "$archive/traces.otf2" || exit 1
    done | LC_ALL=C sort -n | head -n 1
}

# row NAME KIND RANKS STEPS: a line of the table; leaves the peak memory in peak_kb.
row() {
    local plain plain_kb list recorded cores machines kb _
    archive=$place/$1
    rm -rf "$archive"
    "$BUILD/bench/write_archive" "$2" "$3" "$4" "$archive"
    read -r plain plain_kb < <(best)
    read -r list _ < <(best --cpu-speed 1,1)
    read -r recorded peak_kb < <(best --cpu-speed 1)
    read -r cores kb < <(best --nodes 2 --cores 1)
    if [ "$kb" -gt "$peak_kb" ]; then peak_kb=$kb; fi
    read -r machines kb < <(best --machine "$machine")
    if [ "$kb" -gt "$peak_kb" ]; then peak_kb=$kb; fi
    awk -v name="$1" -v plain="$plain" -v list="$list" -v recorded="$recorded" -v cores="$cores" \
        -v machine="$machines" -v kb="$peak_kb" -v plain_kb="$plain_kb" 'BEGIN {
            unchanged = (list - plain) / 3
            printf "%-14s %8.2f s %10.2f %9.2f %12.2f %8.2f %10.2f %7.1f MB\n", name, plain,
                unchanged / plain, (recorded - plain - unchanged) / plain,
                (cores - plain - unchanged) / plain, (machine - plain - unchanged) / plain,
                kb / plain_kb, kb / 1024 }'
    rm -rf "$archive"
}

echo 'archive             plain  unchanged  recorded  fewer cores  machine  memory   of plain, peak'
for line in "ring ring 4 $STEPS" "ring-64 ring 64 $((STEPS / 4))" "sites sites 4 $STEPS" \
    "fan-in fan-in 4 $STEPS" "gather-64 fan-in 64 $((STEPS / 20))" \
    "collect-64 collect 64 $((STEPS / 10))"; do
    read -r name kind ranks steps <<<"$line"
    row "$name" "$kind" "$ranks" "$steps"
    if [ "$name" = ring ]; then short_kb=$peak_kb; fi
done
row ring-x10 ring 4 "$((STEPS * 10))"
awk -v short="$short_kb" -v long="$peak_kb" 'BEGIN {
    printf "ring, 10 times as long: %.2f times the memory\n", long / short }'
rm -f "$machine"
