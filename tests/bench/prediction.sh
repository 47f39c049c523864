#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What `pagoda replay` takes for a prediction, on one core, as multiples of a plain replay of the same
# archive (all that `pagoda replay` does without what-if options, reading included). Columns:
#   point    a pass of which only the run time is wanted: a further point of a list, a change that
#            `pagoda advise` tries, the replay error that comes with each prediction
#   others   a prediction by a model (costs as recorded, ranks on fewer cores, a machine file): its
#            pass, in which waits, causes and critical path are found as in the measured run, and what
#            the measured replay takes more because it keeps what messages and calls cost
# Each is to be at most 2. They are differences of whole runs of the command, so that nothing is left
# out. Where the machine counts instructions these are counted, for they are the same however busy it
# is. Else CPU time, of each command the least of RUNS runs, the commands taking turns: whatever
# disturbs a run (other programs in the caches, cores that a virtual machine shares with its
# neighbours) makes it longer, never shorter, so the least is the nearest to what the command takes
# by itself. (A ratio of single runs has both disturbances in it, however many of them the median is
# of.) With CALLGRIND=1 instructions anywhere, counted by valgrind, 50 times as slow: set STEPS to
# 2000 or so, and RUNS is 1. Memory: the largest of these next to that of a plain replay, and that of
# a run 10 times as long (at most 1.1 x). STEPS sets the length of the short ring.
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
if [ -n "${CALLGRIND:-}" ]; then
    unit=-v rounds=1 unit_name='million instructions, by callgrind'
elif "$BUILD/bench/measure" -i true >/dev/null 2>&1; then
    unit=-i rounds=${RUNS:-1} unit_name='million instructions'
else
    unit=-c rounds=${RUNS:-9} unit_name="seconds of CPU time, the least of ${RUNS:-9}"
fi

runs=('' '--cpu-speed 1,1' '--cpu-speed 1,1,1,1,1' '--cpu-speed 1' '--nodes 2 --cores 1'
    "--machine $machine")

# amount COMMAND...: its "AMOUNT PEAK_KB".
amount() {
    if [ "$unit" != -v ]; then
        "$BUILD/bench/measure" "$unit" ${one_core[@]+"${one_core[@]}"} "$@"
        return
    fi
    local peak
    read -r _ peak < <("$BUILD/bench/measure" -c "$@")
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk -v peak="$peak" '/Collected : / { print $NF / 1e6, peak; n++ } END { exit n != 1 }'
}

# round: "AMOUNT PEAK_KB" of each of $runs on $archive, in one line.
round() {
    local options
    for options in "${runs[@]}"; do
        # shellcheck disable=SC2086 # options are words
        amount "$BUILD/pagoda" replay --json $options "$archive/traces.otf2" || exit 1
    done | tr '\n' ' '
    echo
}

# row NAME KIND RANKS STEPS: a line of the table; leaves the peak memory in peak_kb.
row() {
    local i line
    archive=$place/$1
    rm -rf "$archive"
    "$BUILD/bench/write_archive" "$2" "$3" "$4" "$archive"
    read -r peak_kb line < <(for ((i = 0; i < rounds; i++)); do round; done | awk -v name="$1" '
        {
            for (i = 1; i <= 12; i++)
                if (NR == 1 || $i < least[i])
                    least[i] = $i
            plain_kb = $2
            for (i = 4; i <= 12; i += 2)
                if ($i > kb)
                    kb = $i
        }
        END {
            plain = least[1]
            point = (least[5] - least[3]) / 3
            printf "%d %-11s %9.2f %7.2f %9.2f %12.2f %8.2f %10.2f %7.1f MB\n", kb, name, plain,
                point / plain, (least[7] - plain - point) / plain,
                (least[9] - plain - point) / plain, (least[11] - plain - point) / plain,
                kb / plain_kb, kb / 1024
        }')
    echo "$line"
    echo "$line" >>"$place/rows"
    rm -rf "$archive"
}

rm -f "$place/rows"
echo "multiples of the plain replay ($unit_name)"
echo 'archive         plain   point  recorded  fewer cores  machine  memory   of plain, peak'

for line in "ring ring 4 $STEPS" "ring-64 ring 64 $((STEPS / 4))" "sites sites 4 $STEPS" \
    "fan-in fan-in 4 $STEPS" "gather-64 fan-in 64 $((STEPS / 20))" \
    "collect-64 collect 64 $((STEPS / 10))"; do
    read -r name kind ranks steps <<<"$line"
    row "$name" "$kind" "$ranks" "$steps"
    if [ "$name" = ring ]; then short_kb=$peak_kb; fi
done
if ((rounds > 3)); then rounds=3; fi # for its memory; it is long enough
row ring-x10 ring 4 "$((STEPS * 10))"
awk -v short="$short_kb" -v long="$peak_kb" 'BEGIN {
    printf "ring, 10 times as long: %.2f times the memory\n", long / short }'
awk '{ for (i = 3; i <= 6; i++) if ($i > most) { most = $i; where = $1 } }
    END { printf "worst: %.2f plain replays (%s)\n", most, where }' "$place/rows"
rm -f "$machine" "$place/rows"
