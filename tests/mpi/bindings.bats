# SPDX-License-Identifier: BSD-3-Clause
# Every MPI call is recorded once, whatever binding it comes through, and changes nothing.
# shellcheck disable=SC2154,SC2030,SC2031 # variables that trace.bash sets
load trace
load bindings

c() {
    as_in_the_source "$1" c
    as_counted "$1" c 111
}

@test "C; the source, another library and the tracer count the same calls" { for_each_mpi c; }

cxx() {
    as_in_the_source "$1" cxx
    [ ! -e "$BUILD/programs/$1/bindings/mpicxx" ] || as_counted "$1" mpicxx 16
}

@test "C++ through C, and the C++ bindings of MPI-2" { for_each_mpi cxx; }

shared() {
    as_in_the_source "$1" shared
    as_in_the_source "$1" dlopen
}

@test "MPI in a shared library, and in one that the program opens" { for_each_mpi shared; }

looked_up() {
    local library=libmpi.so.40 scope
    [ "$1" != mpich ] || library=libmpich.so.12
    [ "$1" != mpi_abi ] || library=$(dirname "$(command -v mpicc.mpi_abi)")/libmpi_abi.so.1
    for scope in RTLD_LOCAL RTLD_GLOBAL; do
        traced "$1" 2 bindings/dlsym "$library" "$scope"
        [ "$status" = 0 ]
        [ "$(grep -o 'done' "$out" | wc -l)" = 2 ] # in whatever order the launcher passes it on
        check_archive "$dir"
        recorded_calls <"$printed" | diff - <(printf '%s\n' 'MPI_Barrier 2' 'MPI_Comm_rank 2' \
            'MPI_Finalize 2' 'MPI_Init 2' 'MPI_Recv 1' 'MPI_Send 1' 'MPI_Wtime 4')
    done
}

@test "functions that the program looks up in the MPI library itself" { for_each_mpi looked_up; }

# A library of a program in C whose functions have names of MPI's Fortran layer, as R's Rmpi has them.
own_names() {
    local folder=$BATS_TEST_TMPDIR/own-$1
    mkdir -p "$folder"
    cat >"$folder/own.c" <<'END'
#include <mpi.h>
void mpi_bcast(int *sum) { MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
int mpi_send_(int number) { return number + 1; }
int next(int *sum) { mpi_bcast(sum); return mpi_send_(*sum); }
END
    cat >"$folder/main.c" <<'END'
#include <mpi.h>
int next(int *sum);
int main(int argc, char **argv)
{
    int sum = 1;
    MPI_Init(&argc, &argv);
    int is_wrong = next(&sum) != 3;
    MPI_Finalize();
    return is_wrong;
}
END
    "mpicc.$1" -shared -fPIC -o "$folder/libown.so" "$folder/own.c"
    "mpicc.$1" -o "$folder/main" "$folder/main.c" "$folder/libown.so" -Wl,-rpath,"$folder"
    launch "$1" 2
    run -0 "$PAGODA" trace -o "$folder/trace" -- "${line[@]}" "$folder/main"
    [ "$(otf2-print "$folder/trace/traces.otf2" | recorded_calls | tr '\n' ' ')" = \
        'MPI_Allreduce 2 MPI_Finalize 2 MPI_Init 2 ' ]
}

@test "a program's own functions with names of MPI's Fortran layer" { for_each_mpi own_names; }

@test "Python's mpi4py" {
    has_mpi openmpi || skip "openmpi is not installed"
    /usr/bin/python3 -c 'import mpi4py' || skip "mpi4py is not installed"
    as_counted openmpi python 20
    grep -q '^MPI_Sendrecv 4$' "$dir/calls"
    grep -q '^MPI_Comm_split 4$' "$dir/calls"
}

# Another tool sees what it saw without the tracer, after it or in front of it, and no call is
# lost or recorded twice.
other_tool() {
    local folder=$BUILD/programs/$1/bindings binding
    launch "$1" 4
    for binding in c mpi; do
        dir=$BATS_TEST_TMPDIR/tool-$1-$binding
        mkdir -p "$dir"
        LD_PRELOAD=$folder/libtool.so "${line[@]}" "$folder/$binding" "$dir/file" 2>&1 |
            grep '^tool' >"$dir/plain"
        LD_PRELOAD=$folder/libtool.so "$PAGODA" trace -o "$dir/behind" -- "${line[@]}" \
            "$folder/$binding" "$dir/file" 2>&1 | grep '^tool' | diff "$dir/plain" -
        otf2-print "$dir/behind/traces.otf2" | recorded_calls | diff "$ROOT/tests/programs/bindings/calls.expected" -
        # In front of the tracer, its own MPI calls are ones like others.
        "$PAGODA" trace -o "$dir/front" -- "${line[@]}" bash -c \
            "LD_PRELOAD=$folder/libtool.so:\$LD_PRELOAD exec \"\$@\"" - "$folder/$binding" "$dir/file" \
            2>&1 | grep '^tool' | diff "$dir/plain" -
        otf2-print "$dir/front/traces.otf2" | recorded_calls | sed 's/^MPI_Comm_rank 8$/MPI_Comm_rank 4/' |
            diff "$ROOT/tests/programs/bindings/calls.expected" -
    done
}

@test "another tool that stands in front of MPI, after the tracer or in front of it" {
    for_each_mpi other_tool
}

# exported LIBRARY: the MPI functions of C in it.
exported() {
    nm -D --defined-only "$1" | awk '$2 ~ /[TW]/ && $3 ~ /^MPIX?_.*[a-z]/ { print $3 }' | sort -u
}

no_function_missing() {
    local library
    library=$(ldd "$BUILD/programs/$1/pingpong" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }')
    exported "$library" >"$BATS_TEST_TMPDIR/$1"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/$1")" -gt 300 ]
    exported "$BUILD/libpagoda-trace.so" | comm -13 - "$BATS_TEST_TMPDIR/$1" | diff /dev/null -
}

@test "each MPI function of the library is recorded, and stands in the list of functions" {
    for_each_mpi no_function_missing
    make -s -C "$ROOT" BUILD="$BUILD" functions >"$BATS_TEST_TMPDIR/list"
    awk '/^MPI/ { print $1 }' "$BATS_TEST_TMPDIR/list" | diff <(exported "$BUILD/libpagoda-trace.so") -
    grep -q '^MPI_Send  *yes  *yes  *send$' "$BATS_TEST_TMPDIR/list"
    grep -q '^MPI_Waitall  *yes  *yes  *requests: completion, polling$' "$BATS_TEST_TMPDIR/list"
    grep -q '^MPI_Iallreduce_c  *-  *yes  *nonblocking collective allreduce$' "$BATS_TEST_TMPDIR/list"
    grep -q '^MPI_Win_lock  *yes  *yes  *lock of a window$' "$BATS_TEST_TMPDIR/list"
    grep -q '^MPI_Win_fence  *yes  *yes  *fence$' "$BATS_TEST_TMPDIR/list"
    grep -q '^MPI_File_write_all  *yes  *yes  *file operation$' "$BATS_TEST_TMPDIR/list"
    grep -q '^MPI_Win_detach  *yes  *yes  *enter, leave$' "$BATS_TEST_TMPDIR/list"
}
