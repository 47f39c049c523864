# SPDX-License-Identifier: BSD-3-Clause
# Operations of MPI-IO in archives, against what the program says it did. (trace_posix.bats: those of
# the C library.)
# shellcheck disable=SC2154,SC2030,SC2031 # variables that trace.bash sets
load trace

# printed_files: events of file I/O of the archive that was read last, in otf2-print's words, counted.
printed_files() {
    grep -oE '^IO_(CREATE|DESTROY|OPERATION)_[A-Z_]+' "$printed" | sort | uniq -c | awk '{print $2, $1}'
}

as_the_program_says() {
    local file=$BATS_TEST_TMPDIR/data-$1
    PAGODA_FILES=mpi traced "$1" 3 trace_files "$file"
    [ "$status" = 0 ]
    check_archive "$dir"
    "$PAGODA" replay --json "$dir" >replay.json
    # Each rank's sums for each file.
    jq -r '[.files[] | .file as $file | .uses[] | {file: $file} + .] | group_by([.file, .rank])[] |
        "\(.[0].file) \([.[].opens] | add) \([.[].reads] | add) \([.[].read_bytes] | add) \([.[].writes] | add) \(
        [.[].written_bytes] | add) \([.[].syncs] | add) \([.[].small] | add)"' replay.json | sort |
        diff - <(sort "$file".done.*)
    jq -e '.files | length == 4 and all(.[]; .paradigm == "MPI-IO")' replay.json
    # Of 282 operations 180 go on after the call that begins them.
    printed_files | diff - <(printf '%s\n' 'IO_CREATE_HANDLE 12' 'IO_DESTROY_HANDLE 12' \
        'IO_OPERATION_BEGIN 282' 'IO_OPERATION_COMPLETE 282' 'IO_OPERATION_ISSUED 180')
}

@test "MPI-IO: each rank's opens, reads, writes, syncs and bytes of each file" {
    cd "$BATS_TEST_TMPDIR" || return
    for_each_mpi as_the_program_says
}

without_records() {
    local file=$BATS_TEST_TMPDIR/off-$1
    launch "$1" 3
    rm -rf "$BATS_TEST_TMPDIR/off"
    timeout -k 5 300 "$PAGODA" trace -o "$BATS_TEST_TMPDIR/off" --start-at 1000s -- "${line[@]}" \
        "$BUILD/programs/$1/trace_files" "$file"
    check_archive "$BATS_TEST_TMPDIR/off"
    [ -z "$(printed_files)" ]
}

@test "while recording is off no operation is recorded" { for_each_mpi without_records; }
