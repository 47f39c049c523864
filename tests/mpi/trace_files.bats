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

# late_files MPI CALLS: the calls in which two ranks wait for some 240 ms for a third one are CALLS. On a busy machine
# they come later to them, but not by half of that.
late_files() {
    PAGODA_FILES=mpi traced "$1" 3 trace_late_files "$BATS_TEST_TMPDIR/late-$1"
    [ "$status" = 0 ]
    check_archive "$dir"
    "$PAGODA" replay --json "$dir" >replay.json
    jq -c '.patterns[] | select(.id == "wait-at-collective-io") |
        [.by_path[] | select(.ns > 240e6) | .path | sub(".*/"; "")] | sort' replay.json >found
    echo "$2" | diff - found
    # Each wait has one late rank, whose time before the operation is the origin.
    jq -e --argjson n "$(jq length found)" '.patterns[] | select(.id == "wait-at-collective-io") |
        .total_ns > $n * 240e6 and .origins.explained_ns > 0.95 * .total_ns and
        ([.by_cause[] | select(.rank == 1) | .ns] | add) > 480e6' replay.json
    jq -e '[.warnings[].code] - ["more-ranks-than-cores", "recording-cost", "disturbed-recording", "without-cpu-time"] ==
        []' replay.json
}

ends='["MPI_File_close","MPI_File_open","MPI_File_set_size"]'
all='["MPI_File_close","MPI_File_open","MPI_File_read_at_all","MPI_File_set_size","MPI_File_write_at_all"]'

@test "waits at collective I/O: where and for whom, and not where the library lets ranks go on" {
    cd "$BATS_TEST_TMPDIR" || return
    if has_mpi mpich; then late_files mpich "$all"; fi
    has_mpi openmpi || return 0
    OMPI_MCA_io=^ompio late_files openmpi "$all"
    # Each rank reads and writes what is its own.
    OMPI_MCA_fcoll=individual late_files openmpi "$ends"
}
