# SPDX-License-Identifier: BSD-3-Clause
# The C library's functions for files in archives, against what the program says it did, and what
# they do to the program: nothing.
# shellcheck disable=SC2154,SC2030,SC2031 # variables that trace.bash sets
load trace

# reported DIR: "FILE OPENS READS BYTES WRITES BYTES SYNCS SMALL" of each file in the report.
reported() {
    "$PAGODA" replay --json "$1" 2>/dev/null |
        jq -r '.files[] | "\(.file) \([.uses[].opens] | add) \([.uses[].reads] | add) \(
        [.uses[].read_bytes] | add) \([.uses[].writes] | add) \([.uses[].written_bytes] | add) \(
        [.uses[].syncs] | add) \([.uses[].small] | add)"' | sort
}

# totals: reads, bytes read, writes, bytes written and syncs of the whole run, by otf2-print.
totals() {
    awk '
        # A location does one thing after the other.
        $1 == "IO_OPERATION_BEGIN" && match($0, /Mode: [A-Z]+/) { mode[$2] = substr($0, RSTART + 6, RLENGTH - 6) }
        $1 == "IO_OPERATION_COMPLETE" && match($0, /Result: [0-9]+/) {
            n[mode[$2]]++; bytes[mode[$2]] += substr($0, RSTART + 8, RLENGTH - 8) }
        END { printf "%d %d %d %d %d\n", n["READ"], bytes["READ"], n["WRITE"], bytes["WRITE"], n["FLUSH"] }' "$printed"
}

each_function() {
    local data=$BATS_TEST_TMPDIR/data-$1
    mkdir "$data"
    traced "$1" 2 trace_posix all "$data"
    cat "$out" "$err"
    [ "$status" = 0 ]
    [ "$(messages | wc -l)" = 1 ]
    check_archive "$dir"
    grep -v temporary "$out" | awk '{ $1 = $1 } /unnamed/ { if (n++) next; $4 *= 1; $5 *= 2; $6 *= 2;
        $2 *= 2; $8 *= 2 } { print }' | sort >expected
    grep "^$data" <(reported "$dir") | grep -v temporary | diff expected -
    # Names of mkstemp() are never the same.
    [ "$(reported "$dir" | grep -c temporary)" = 2 ]
    [ "$(reported "$dir" | grep -vc "^$data")" = 0 ]
    [ "$(totals)" = "$(awk '{ r += $3; rb += $4; w += $5; wb += $6; s += $7 }
        END { print r, rb, w, wb, s }' "$out")" ]
    # Each open and duplicate is closed, but for what freopen(), a pipe and closefrom() took the place of.
    grep -oE '^IO_(CREATE|DUPLICATE|DESTROY)_HANDLE' "$printed" | sort | uniq -c |
        awk '{ n[$2] = $1 } END { print n["IO_CREATE_HANDLE"] + n["IO_DUPLICATE_HANDLE"] - n["IO_DESTROY_HANDLE"] }' |
        grep -qx 6
}

@test "each rank's opens, reads, writes, syncs and bytes of each file" {
    cd "$BATS_TEST_TMPDIR" || return
    for_each_mpi each_function
}

same_program() {
    local data=$BATS_TEST_TMPDIR/same-$1
    mkdir "$data"
    untraced "$1" 1 trace_posix all "$data"
    (cd "$data" && md5sum -- *.0) >plain.sums
    rm -r "$data"
    mkdir "$data"
    traced "$1" 1 trace_posix all "$data"
    [ "$status" = "$plain_status" ]
    diff <(sed 's/temporary-0-[^ ]*/T/' "$plain_out") <(sed 's/temporary-0-[^ ]*/T/' "$out")
    (cd "$data" && md5sum -- *.0) | diff plain.sums -
}

@test "the program does the same as without the tracer" {
    cd "$BATS_TEST_TMPDIR" || return
    for_each_mpi same_program
}

quiet_run() {
    traced "$1" 2 is --size 10 --iterations 3
    [ "$status" = 0 ]
    [ "$(reported "$dir")" = "" ]
    PAGODA_FILES=mpi traced "$1" 1 trace_posix many "$BATS_TEST_TMPDIR/many" 10
    [ "$(reported "$dir")" = "" ]
    ! otf2-print -G "$dir/traces.otf2" | grep -E '^IO_|FILE_IO' || false
}

@test "nothing of what MPI does to files is recorded, and with --files mpi nothing of the C library" {
    for_each_mpi quiet_run
}

many_writes() {
    local growth
    traced "$1" 1 trace_posix many "$BATS_TEST_TMPDIR/many" 300000
    growth=$(cat "$out")
    echo "grew by $growth KiB"
    [ "$growth" -lt 2048 ] # one window is 1 MiB
    [ "$(reported "$dir")" = "$BATS_TEST_TMPDIR/many 1 0 0 300000 300000 0 300000" ]
}

@test "memory does not grow with the number of writes" { one_mpi many_writes; }

full_disk() {
    traced "$1" 1 trace_posix full "$BATS_TEST_TMPDIR/full" 8000000
    [ "$status" = 0 ]
    [ "$(reported "$dir")" = "$(cat "$out")" ]
    [ "$(awk '{ print $6 }' "$out")" = 8000000 ]
}

@test "writes that fail for want of room" { one_mpi full_disk; }

killed_writing() {
    traced "$1" 1 trace_posix killed "$BATS_TEST_TMPDIR/killed" 1000
    [ "$status" != 0 ]
    [ "$(reported "$dir")" = "$BATS_TEST_TMPDIR/killed 1 0 0 1000 10000 0 1000" ]
}

@test "a program that is killed leaves what it wrote until then" { one_mpi killed_writing; }

# ---- Runtimes of other languages open and write files for the program.

launched() {
    local mpi=$1
    shift
    launch "$mpi" 1
    dir=$BATS_TEST_TMPDIR/language-$mpi
    rm -rf "$dir"
    timeout -k 5 300 "$PAGODA" trace -o "$dir" -- "${line[@]}" "$@"
}

@test "Fortran" {
    cat >"$BATS_TEST_TMPDIR/io.f90" <<'END'
program io
    use mpi
    implicit none
    integer :: i, ierror, lines
    real(8) :: values(1000)
    call MPI_Init(ierror)
    values = 1
    open(10, file='formatted.txt', status='replace')
    do i = 1, 5
        write(10, '(a,i4)') 'line', i
    end do
    close(10)
    open(11, file='stream.dat', access='stream', form='unformatted', status='replace')
    write(11) values
    flush(11)
    close(11)
    open(11, file='stream.dat', access='stream', form='unformatted', status='old')
    read(11) values
    close(11)
    call MPI_Finalize(ierror)
end program
END
    cd "$BATS_TEST_TMPDIR" || return
    fortran() {
        command -v "mpif90.$1" >/dev/null || skip "there is no Fortran compiler for $1"
        "mpif90.$1" -o io io.f90
        launched "$1" ./io
        reported "$dir" >files
        # Each is opened, and its bytes are those of the file.
        awk '$1 == "formatted.txt" && $2 == 1 && $6 == 45' files | grep .
        awk '$1 == "stream.dat" && $2 == 2 && $4 == 8000 && $6 == 8000' files | grep .
    }
    for_each_mpi fortran
}

@test "C++" {
    cat >"$BATS_TEST_TMPDIR/io.cpp" <<'END'
#include <fstream>
#include <mpi.h>
#include <string>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::ofstream("stream.txt") << "a line\n" << 42 << std::endl;
    std::string line;
    std::ifstream in("stream.txt");
    std::getline(in, line);
    MPI_Finalize();
    return line == "a line" ? 0 : 1;
}
END
    cd "$BATS_TEST_TMPDIR" || return
    streams() {
        "mpicxx.$1" -o io io.cpp
        launched "$1" ./io
        awk '$1 == "stream.txt" && $2 == 2 && $4 == 10 && $6 == 10' <(reported "$dir") | grep .
    }
    for_each_mpi streams
}

@test "Python" {
    /usr/bin/python3 -c 'import mpi4py' || skip "there is no mpi4py"
    cat >"$BATS_TEST_TMPDIR/io.py" <<'END'
from mpi4py import MPI
with open("lines.txt", "w") as file:
    for i in range(1000):
        print("line", i, file=file)
with open("raw.dat", "wb", buffering=0) as file:
    for i in range(7):
        file.write(bytes(3))
assert len(open("lines.txt").readlines()) == 1000
END
    cd "$BATS_TEST_TMPDIR" || return
    launched openmpi /usr/bin/python3 io.py
    reported "$dir" >files
    grep -qx 'raw.dat 1 0 0 7 21 0 7' files
    size=$(stat -c %s lines.txt)
    has '0 MPI_Init_thread: <module> io.py:1' <(sites_of "$dir")
    awk -v size="$size" '$1 == "lines.txt" && $2 == 2 && $4 == size && $6 == size' files | grep .
}
