# SPDX-License-Identifier: BSD-3-Clause
# File I/O of an archive, by file, call path and rank, against what was written.
load ../helper

# used FILE.json: the uses of files as files.py has them.
used() {
    jq -c '[.files[] | .file as $file | .paradigm as $by | .uses[] | [$file, $by, .path, .rank, .inner,
        .opens, .reads, .read_bytes, .writes, .written_bytes, .syncs, .small, .time_ns]] | sort' "$1"
}

@test "each file has what was done to it at each call path, whatever the number of threads" {
    local seed
    for seed in 1 2 3; do
        rm -rf written
        # Few events in one batch, and many in several.
        /usr/bin/python3 "$ROOT/tests/cli/files.py" written $seed $((seed == 3 ? 8000 : 50 * seed)) >expected
        "$PAGODA" replay --json written >out.json
        jq -c sort expected | diff - <(used out.json)
        # The sums of a file are those of its uses.
        jq -e 'all(.files[]; .sums as $sums | .uses as $uses |
            all($sums | keys[]; . as $key | $sums[$key] == ([$uses[][$key]] | add)))' out.json
        for threads in 1 4; do
            "$PAGODA" replay --json --threads $threads written | cmp - out.json
        done
    done
}

@test "files are a table" {
    /usr/bin/python3 "$ROOT/tests/cli/files.py" written 5 200 >expected
    run -0 "$PAGODA" replay written
    [[ $output == *$'\nFile I/O in '*'(recorded operations, sums over ranks, whole run; small: below 64 KiB)'* ]]
    [ "$(grep -cE '^ +6( +[0-9.]+( [kMGT]i?B| B)?)+ .*(MPI-IO|POSIX I/O) +(out/a file|b|c) +main' <<<"$output")" = 6 ]
    says '5 further files' "$PAGODA" replay --top 1 written
    # Reports on a part of a run have none.
    "$PAGODA" replay --json --interval 0s:1us written | jq -e '.files == null'
    "$PAGODA" replay --json --cpu-speed 2 written | jq -e '.files | length == 6'
}

# io_property METRIC: its value in main.
io_property() {
    printf 'property p(Region r, Experiment e, Region basis) {
        condition: profile(r, e).%s > 0; confidence: 1; severity: profile(r, e).%s / 1000000000000000; }' "$1" "$1" >p.asl
    printf '<hierarchy id="h"><name>N</name><summary>S</summary><node property="p" threshold="0"/></hierarchy>' >h.xml
    "$PAGODA" replay --json --patterns p.asl --patterns h.xml --properties h --no-prune written |
        jq '[.properties[] | select(.focus.region == "main")][0].severity * 1e15 | round'
}

@test "properties know the requests, each once, and the time" {
    /usr/bin/python3 "$ROOT/tests/cli/files.py" written 6 300 >expected
    # What runs within another operation was asked for by a library, not by the program.
    [ "$(io_property num_reads)" = "$(jq '[.[] | select(.[4] | not)[6]] | add' expected)" ]
    [ "$(io_property bytes_read)" = "$(jq '[.[] | select(.[4] | not)[7]] | add' expected)" ]
    [ "$(io_property num_writes)" = "$(jq '[.[] | select(.[4] | not)[8]] | add' expected)" ]
    [ "$(io_property bytes_written)" = "$(jq '[.[] | select(.[4] | not)[9]] | add' expected)" ]
}

# small_io: the severities of small_io_requests in main.
small_io() {
    "$PAGODA" replay --json --properties message-passing --no-prune written |
        jq -c '[.properties[] | select(.property == "small_io_requests" and .focus.region == "main").severity]'
}

@test "small_io_requests holds below 64 KiB a read, and weighs the time in I/O" {
    /usr/bin/python3 "$ROOT/tests/cli/files.py" written 7 100 65535 >expected
    # Time within another operation counts once: with the outer one.
    [ "$(small_io | jq length)" = 1 ]
    [ "$(io_property io_time)" -gt 0 ]
    small_io | jq -e --argjson cost "$(io_property io_time)" \
        --argjson run "$("$PAGODA" replay --json written | jq '.time_ns * .trace.ranks')" \
        '.[0] - $cost / $run | fabs < 1e-9'
    rm -r written
    /usr/bin/python3 "$ROOT/tests/cli/files.py" written 7 100 65536 >expected
    [ "$(small_io)" = '[]' ]
}

@test "io_time is that of MPI-IO functions and of operations elsewhere, none twice" {
    /usr/bin/python3 "$ROOT/tests/cli/files.py" written 8 200 >expected
    # Operations outside MPI_File_write_at and not within others; time in MPI_File_write_at itself;
    # and what runs in pwrite below it.
    "$PAGODA" replay --json written >out.json
    outside=$(jq '[.[] | select((.[4] | not) and (.[2] | test("MPI_File") | not))[12]] | add' expected)
    exclusive=$(jq '[.profile[] | select(.region == "MPI_File_write_at").exclusive_ns] | add' out.json)
    below=$(jq '[.[] | select(.[2] | endswith("MPI_File_write_at/pwrite"))[12]] | add' expected)
    [ "$(io_property io_time)" = $((outside + exclusive + below)) ]
}

# stored_sum METRIC [OPTION...]: the sum of its stored values.
stored_sum() {
    "$PAGODA" query runs.db -m "$@" --json | jq '[.values[].value] | add'
}

@test "reads, writes and their bytes are stored by call path and rank, each once" {
    /usr/bin/python3 "$ROOT/tests/cli/files.py" written 9 300 >expected
    "$PAGODA" replay --store runs.db written >/dev/null
    local -A columns=([num_reads]=6 [bytes_read]=7 [num_writes]=8 [bytes_written]=9)
    for metric in "${!columns[@]}"; do
        sqlite3 -separator ' ' runs.db "SELECT substr(call_path, 11), substr(process, 10), value FROM measurements
            WHERE metric = '$metric' ORDER BY 1, 2" >stored
        jq -r --argjson column "${columns[$metric]}" '[.[] | select((.[4] | not) and .[$column] > 0) |
            {at: "\(.[2]) \(.[3])", n: .[$column]}] | group_by(.at)[] | "\(.[0].at) \([.[].n] | add)"' expected |
            sort | diff <(sort stored) -
        [ -s stored ]
    done
    # Another run writes one byte more at a time.
    /usr/bin/python3 "$ROOT/tests/cli/files.py" more 9 300 7 >/dev/null
    /usr/bin/python3 "$ROOT/tests/cli/files.py" less 9 300 6 >/dev/null
    "$PAGODA" diff --metric bytes_written less more --json | jq -e '.differences[0].total | .b * 6 == .a * 7 and .a > 0'
    "$PAGODA" diff --metric num_writes less more --json | jq -e '.differences[0].total | .a == .b and .a > 0'
}

@test "waits at collective I/O: in lists, by communicator, stored, and not known without records of files" {
    archive patterns/collective-io run
    "$PAGODA" replay --list-waits 'pattern==wait-at-collective-io && path==*/MPI_File_open' --json run |
        jq -e '[.waits[] | [.rank, .cause_rank, .begin_ns, .wait_ns]] == [[0, 1, 10, 40], [2, 1, 30, 20]]'
    "$PAGODA" replay --json run | jq -e '.patterns[] | select(.id == "wait-at-collective-io") |
        .evaluated and .total_ns == .origins.explained_ns + .origins.unexplained_ns and
        [.by_object[] | [.communicator, .ns]] == [["files of world", 180], ["files of pair", 20]]'
    "$PAGODA" replay --store runs.db run >/dev/null
    [ "$(sqlite3 runs.db "SELECT name FROM resource WHERE path LIKE '/SyncObject/Collective/files %'")" = \
        $'files of world\nfiles of pair' ]
    # They are no collective operations of the program, and no barriers for SimGrid.
    "$PAGODA" replay run | grep -q ', 1 collective$'
    "$PAGODA" export run -o run.ti --format ti
    [ "$(grep -c barrier run.ti.actions)" = 3 ]
    sed '/ file-/s/ ;.*//; /^file /d' "$ROOT/tests/traces/patterns/collective-io.txt" >without.txt
    "$BUILD/tools/mktrace" without.txt without
    "$PAGODA" replay --json without | jq -e '.patterns[] | select(.id == "wait-at-collective-io") |
        (.evaluated | not) and .count == 0'
}
