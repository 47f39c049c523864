# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables that trace.bash sets
# The programs of tests/programs/bindings: the same MPI calls through every binding. Used by
# bindings.bats and by tests/binding-counts; needs trace.bash.

# binding_line MPI BINDING FILE: the program and its arguments, in the array `program`. FILE is
# written by it.
binding_line() {
    local folder=$BUILD/programs/$1/bindings
    case $2 in
    python) program=(/usr/bin/python3 "$ROOT/tests/programs/bindings/calls.py") ;;
    *) program=("$folder/$2" "$3") ;;
    esac
}

# run_plain MPI BINDING SCRATCH: as it is; output and status in SCRATCH/plain-{out,err,status}.
run_plain() {
    local line program
    launch "$1" 4
    binding_line "$1" "$2" "$3/file"
    timeout -k 5 300 "${line[@]}" "${program[@]}" >"$3/plain-out" 2>"$3/plain-err"
    echo $? >"$3/plain-status"
}

# run_traced MPI BINDING SCRATCH: archive in SCRATCH/trace, output in SCRATCH/{out,err,status}.
run_traced() {
    local line program
    launch "$1" 4
    binding_line "$1" "$2" "$3/file"
    rm -rf "$3/trace"
    timeout -k 5 300 "$PAGODA" trace -o "$3/trace" -- "${line[@]}" "${program[@]}" \
        >"$3/out" 2>"$3/err"
    echo $? >"$3/status"
}

# run_counted MPI BINDING SCRATCH: "FUNCTION CALLS" lines from a library that counts the calls of C
# functions and knows nothing of the tracer.
run_counted() {
    local line program
    launch "$1" 4
    binding_line "$1" "$2" "$3/file"
    rm -f "$3"/counted.*
    timeout -k 5 300 "${line[@]}" env COUNT_CALLS="$3/counted" \
        LD_PRELOAD="$BUILD/programs/$1/bindings/libcount.so" "${program[@]}" >/dev/null 2>&1
    cat "$3"/counted.* | sum_calls
}

# recorded_calls: "FUNCTION CALLS" lines, the enters of MPI functions in what otf2-print prints.
recorded_calls() {
    sed -n 's/^ENTER .*Region: "\(MPI_[^"]*\)".*/\1 1/p' | sum_calls
}

# sum_calls: adds up "FUNCTION CALLS" lines.
sum_calls() {
    awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' | LC_ALL=C sort
}

# same_as_plain MPI BINDING: runs it with and without the tracer, output and status are the same.
same_as_plain() {
    dir=$BATS_TEST_TMPDIR/$1-$2
    mkdir -p "$dir"
    run_plain "$1" "$2" "$dir"
    run_traced "$1" "$2" "$dir"
    cmp "$dir/plain-status" "$dir/status"
    [ "$(cat "$dir/status")" = 0 ] || { cat "$dir/err"; return 1; }
    cmp "$dir/plain-out" "$dir/out"
    grep -v '^pagoda: 4 ranks, [0-9]* events in ' "$dir/err" | diff "$dir/plain-err" -
    check_archive "$dir/trace"
    recorded_calls <"$printed" >"$dir/calls"
}

# as_in_the_source MPI BINDING: what the source says was called was recorded.
as_in_the_source() {
    same_as_plain "$1" "$2"
    diff "$ROOT/tests/programs/bindings/calls.expected" "$dir/calls"
}

# as_counted MPI BINDING N: what another library counted was recorded, N functions or more.
as_counted() {
    [ "${dir-}" = "$BATS_TEST_TMPDIR/$1-$2" ] || same_as_plain "$1" "$2"
    run_counted "$1" "$2" "$dir" >"$dir/counts"
    diff "$dir/counts" "$dir/calls"
    [ "$(wc -l <"$dir/calls")" -ge "$3" ]
}
