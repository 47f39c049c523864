# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --view: single pictures of a run and their numbers, which metrics a view shows, and why not others.
load ../helper

# numbers ARCHIVE VIEW OPTION...: as CSV.
numbers() {
    "$PAGODA" export "$1" -o /dev/stdout --format csv --view "$2" "${@:3}"
}

# sums ARCHIVE VIEW OPTION...: of each column of the CSV but the first.
sums() {
    numbers "$@" | LC_ALL=C awk -F, 'NR == 1 { split($0, names) } NR > 1 { for (i = 2; i <= NF; i++) sum[i] += $i }
        END { for (i = 2; i in names; i++) printf "%s %.0f\n", names[i], sum[i] }'
}

# As tests/traces/replay/pipeline.txt has it: in the judged part of 7.02 ms rank 0 waits 1.999 ms in MPI_Allreduce, rank
# 1 waits 4 ms in MPI_Recv and 5 us in MPI_Finalize; the one message has 1024 bytes.
@test "numbers of ranks, pairs, sizes, call paths" {
    archive replay/pipeline
    [ "$(numbers pipeline ranks)" = "ranks,useful_ns,wait_ns,other_mpi_ns,no_cpu_ns
rank 0,5011000,1999000,10000,0
rank 1,3002000,4005000,13000,0" ]
    [ "$(numbers pipeline ranks --metric mpi_ns,useful_ns --group 2)" = "ranks,mpi_ns,useful_ns
ranks 0-1,6027000,8013000" ]
    [ "$(numbers pipeline ranks --metric late-sender.wait_ns)" = "ranks,late-sender.wait_ns
rank 0,0
rank 1,4000000" ]
    [ "$(numbers pipeline ranks --metric message_bytes)" = "ranks,message_bytes
rank 0,1024
rank 1,0" ]
    [ "$(numbers pipeline matrix)" = "sender,receiver,message_bytes
rank 0,rank 1,1024" ]
    [ "$(numbers pipeline sizes)" = "size_bytes,messages
1024-2047,1" ]
    [ "$(numbers pipeline call-paths --metric late-sender.wait_ns)" = "call_path,late-sender.wait_ns
main/solve/MPI_Recv,4000000" ]
    [ "$(numbers pipeline call-paths | sed -n '2p')" = "main/solve,7996000" ] # 5 ms on rank 0, 2.996 ms on rank 1
    [ "$(numbers pipeline call-paths --metric visits | sed -n '2p')" = "main,2" ]
}

# From 2 to 6 ms rank 0 computes, rank 1 for the first of these.
@test "numbers over time" {
    archive replay/pipeline
    run sums pipeline time --interval 2ms:6ms
    [ "$output" = $'useful_ns 5000000\nwait_ns 3000000\nother_mpi_ns 0' ]
    [ "$(numbers pipeline time --interval 2ms:6ms --metric useful_ns | sed -n '2p; 101p; 102p; $p')" = "2000000,20000
2990000,20000
3000000,10000
5990000,10000" ]
    [ "$(numbers pipeline map --interval 2ms:6ms | LC_ALL=C awk -F, '{ sum[$2] += $3 } END { print $1, sum["rank 0"], sum["rank 1"] }')" = "5990000 0 3000000" ]
    [ "$(sums pipeline time --metric useful_ns)" = "useful_ns $(sums pipeline map --metric useful_ns | sed -n 's/^useful_ns //p')" ]
    for threads in 1 2; do
        numbers pipeline time --threads $threads | cmp - <(numbers pipeline time)
    done
    # 2 ranks put 1000 and 8000 bytes; of CPU time 5 us in 10 us.
    printf '%s\n' "window w world" "0 0 enter main" "0 0 cpu 100" "0 5000 cpu 2600" "0 5000 enter MPI_Put" "0 5000 put w 1 1000" "0 5000 leave MPI_Put" \
        "0 9000 enter MPI_Put" "0 9000 put w 1 8000" "0 9000 leave MPI_Put" "0 10000 cpu 5100" "0 10000 leave main" \
        "1 0 enter main" "1 10000 leave main" | "$BUILD/tools/mktrace" - put
    [ "$(sums put time --metric cpu_ns)" = "cpu_ns 5000" ]
    [ "$(sums put time --metric bytes_put)" = "bytes_put 9000" ]
}

# loop NAME: the archive NAME of a loop that iterations.py knows.
loop() {
    "$ROOT/tests/cli/iterations.py" write "$1" | "$BUILD/tools/mktrace" - "$1"
}

@test "phases and iterations" {
    loop single
    "$PAGODA" replay single --json >report.json
    run sums single iterations
    echo "$output"
    [ "$output" = "$(jq -r '.iterations.items | "useful_ns \([.[].useful_ns] | add)\nwait_ns \([.[].wait_ns] | add)",
        "other_mpi_ns \([.[].other_mpi_ns] | add)\nno_cpu_ns 0"' report.json)" ]
    [ "$(jq '.iterations.items | length' report.json)" = "$(numbers single iterations | sed 1d | wc -l)" ]
    # Two functions, called from main, take all of its time.
    for rank in 0 1; do
        printf "$rank %s\n" "0 enter main" "0 enter setup" "4000 leave setup" "4000 enter solve" "9600 leave solve" "10000 leave main"
    done | "$BUILD/tools/mktrace" - phases
    run sums phases time --metric phases_ns
    echo "$output"
    [ "$output" = $'solve 11200\nsetup 8000' ]
}

@test "a wrong pairing is refused, with the reason" {
    archive replay/pipeline
    refused() {
        run "-$1" "$PAGODA" export pipeline -o no.svg "${@:3}"
        echo "$output"
        [[ $output == *"$2"* ]]
        [ ! -e no.svg ]
    }
    refused 2 'say which by --view' --format svg
    refused 2 '--view is one of ranks, iterations, call-paths, sizes, time, map, matrix, not pie' --format svg --view pie
    refused 2 '--view matrix shows values of pairs of ranks, and wait_ns has none of these: use --view ranks, iterations, time or map' \
        --format svg --view matrix --metric wait_ns
    refused 2 '--view time shows values of moments, and visits has none of these: use --view call-paths' --format csv --view time --metric visits
    refused 2 'a picture has one unit: wait_ns is in ns, messages in numbers' --format svg --view ranks --metric wait_ns,messages
    refused 2 'mpi_ns and wait_ns overlap, so they are not parts of one bar' --format svg --view ranks --metric mpi_ns,wait_ns
    refused 2 '--view map shows one metric, not wait_ns and useful_ns' --format json --view map --metric wait_ns,useful_ns
    refused 2 '--metric has wait_ns twice' --format json --view time --metric wait_ns,wait_ns
    refused 2 '--view ranks shows useful_ns, no_cpu_ns, mpi_ns, wait_ns, other_mpi_ns, messages, message_bytes, late-sender.wait_ns; `cycles` is none of them' \
        --format svg --view ranks --metric cycles
    refused 1 'the trace has no counter `cycles`; --view time shows useful_ns' --format svg --view time --metric cycles
    refused 1 'there is no wait state nothing' --format svg --view ranks --metric nothing.wait_ns
    refused 1 'the trace has no CPU samples' --format svg --view time --metric cpu_ns
    refused 1 'the run has no iterations to show' --format svg --view iterations
    refused 2 '--view and --metric go with --format svg, csv and json' --view time
    refused 2 '--interval goes with' --format svg --view ranks --interval 1ms:2ms
    refused 2 'for a prediction write it as an archive' --format svg --view time --nodes 2
    says -2 "of a database use pagoda query --csv" "$PAGODA" export runs.db -o no.svg --format svg --view time
}

@test "names of any kind, and runs of no time" {
    sed 's/solve/a"<b>\&c/g' "$ROOT/tests/traces/replay/pipeline.txt" | "$BUILD/tools/mktrace" - named
    "$PAGODA" export named -o named.svg --format svg --view call-paths
    /usr/bin/python3 -c 'import xml.dom.minidom as dom
texts = [node.firstChild.data for node in dom.parse("named.svg").getElementsByTagName("text")]
assert """main/a"<b>&c""" in texts, texts'
    [ "$(numbers named call-paths --metric exclusive_ns | sed -n 2p)" = '"main/a""<b>&c",7996000' ]
    printf '%s\n' "0 0 enter main" "0 0 leave main" | "$BUILD/tools/mktrace" - instant
    run -1 "$PAGODA" export instant -o instant.svg --format svg --view time
    [ "$output" = "pagoda: the run has no time to show" ]
    "$PAGODA" export instant -o instant.svg --format svg --view ranks
    run ! grep -iE 'nan|inf' instant.svg
}

@test "pictures are SVG without anything undefined, JSON has the numbers of the CSV" {
    archive replay/pipeline
    loop single
    local view of
    for view in ranks call-paths sizes time map matrix iterations; do
        of=pipeline
        [ "$view" != iterations ] || of=single
        "$PAGODA" export "$of" -o "$view.svg" --format svg --view "$view"
        "$PAGODA" export "$of" -o "$view.json" --format json --view "$view"
        numbers "$of" "$view" >"$view.csv"
        run ! grep -iE 'nan|inf' "$view.svg"
    done
    /usr/bin/python3 - <<'EOF'
import csv, json, xml.dom.minidom
for view in "ranks call-paths sizes time map matrix iterations".split():
    xml.dom.minidom.parse(view + ".svg")
    rows = list(csv.DictReader(open(view + ".csv")))
    answer = json.load(open(view + ".json"))
    assert [{key: str(value) for key, value in row.items()} for row in answer["rows"]] == rows or view in ("time", "map"), view
    assert len(answer["rows"]) == len(rows) and answer["columns"] == list(rows[0])
EOF
    # Of 900 pixels 98 to 870 are the 7.02 ms of each bar: 5.011, 1.999 and 0.01 ms, for both ranks.
    LC_ALL=C awk 'match($0, /width="[0-9.]+"/) && / y="44.00"/ { split(substr($0, RSTART), part, "\""); print part[2] }' ranks.svg >widths
    cat widths
    LC_ALL=C awk '{ sum += $1; width[NR] = $1 } END { exit !(NR == 4 && width[1] / sum > 0.7137 && width[1] / sum < 0.7139) }' widths
}
