# SPDX-License-Identifier: BSD-3-Clause
# Where in the source MPI calls were made: programs and libraries in all the forms in which debug
# information comes, or does not. Lines are looked up in the sources: those with "site: NAME".
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

sources=$ROOT/tests/programs/sites

# at FILE NAME: "FILE:LINE" of the line with that mark.
at() {
    local n
    n=$(grep -nE "site: $2\$" "$sources/$1" | cut -d: -f1)
    [ -n "$n" ] || { echo "no mark $2 in $1" >&2; return 1; }
    echo "$1:$n"
}

# build MPI OUTPUT SOURCE FLAGS...
build() {
    local mpi=$1 output=$2 source=$3
    shift 3
    "mpicc.$mpi" -O2 -std=gnu11 -fno-optimize-sibling-calls -o "$output" "$sources/$source" "$@"
}

# build_all MPI: the same program in several forms, in $bin. Once for all tests.
build_all() {
    local mpi=$1
    bin=$BATS_FILE_TMPDIR/$mpi
    [ ! -e "$bin/separate" ] || return 0
    mkdir -p "$bin"
    build "$mpi" "$bin/libsites.so" library.c -g -fPIC -shared
    build "$mpi" "$bin/plugin_a.so" plugin_a.c -g -fPIC -shared
    build "$mpi" "$bin/plugin_b.so" plugin_b.c -g -fPIC -shared
    local link=("$bin/libsites.so" "-Wl,-rpath,$bin" -ldl -lpthread)
    build "$mpi" "$bin/pie" main.c -g -fPIE -pie "${link[@]}"
    build "$mpi" "$bin/fixed" main.c -g -fno-pie -no-pie "${link[@]}"
    build "$mpi" "$bin/symbols" main.c "${link[@]}"
    strip -o "$bin/stripped" "$bin/pie"
    # As distributions do it, but beside the program.
    objcopy --only-keep-debug "$bin/pie" "$bin/separate.debug"
    (cd "$bin" && strip -o separate pie && objcopy --add-gnu-debuglink=separate.debug separate)
}

# trace_all MPI OPTIONS -- PROGRAM...: one rank for each program, all with the plugins as arguments.
# The call sites go to $sites.
trace_all() {
    local mpi=$1 options=() line=("mpirun.$1")
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    [ "$mpi" != openmpi ] || line+=(--oversubscribe)
    for program; do
        line+=(-n 1 "$bin/$program" "$bin/plugin_a.so" "$bin/plugin_b.so" :)
    done
    unset 'line[-1]'
    dir=$BATS_TEST_TMPDIR/trace-$mpi
    sites=$BATS_TEST_TMPDIR/sites
    rm -rf "$dir"
    timeout -k 5 300 "$PAGODA" trace "${options[@]}" -o "$dir" -- "${line[@]}"
    sites_of "$dir" >"$sites"
}

# What every form tells of the libraries, whose debug information is in place.
libraries() {
    has "$1 MPI_Comm_rank: called_from_library $(at library.c library)" "$sites"
    has "$1 MPI_Barrier: run_plugin $(at plugin_a.c plugin-a)" "$sites"
    has "$1 MPI_Comm_group: run_plugin $(at plugin_b.c plugin-b)" "$sites"
}

with_lines() {
    has "$1 MPI_Init_thread: main $(at main.c init)" "$sites"
    has "$1 MPI_Comm_test_inter: put_into_its_caller $(at main.c inlined)" "$sites"
    has "$1 MPI_Comm_size: called_by_main $(at main.c several-lines)" "$sites"
    has "$1 MPI_Wtime: deep $(at main.c deepest)" "$sites"
    has "$1 MPI_Is_thread_main: in_a_thread $(at main.c thread)" "$sites"
    has "$1 MPI_Finalize: main $(at main.c finalize)" "$sites"
}

forms() {
    build_all "$1"
    trace_all "$1" -- pie fixed separate symbols stripped
    for rank in 0 1 2; do
        with_lines "$rank"
    done
    for rank in 0 1 2 3 4; do
        libraries "$rank"
    done
    # Without debug information the function, without symbols the place in the file.
    has "3 MPI_Init_thread: main ?" "$sites"
    has "3 MPI_Comm_size: called_by_main ?" "$sites"
    [ "$(count '^4 MPI_Comm_size: stripped\+0x[0-9a-f]+ \?$' "$sites")" = 1 ]
    [ "$(count ': unknown$' "$sites")" = 0 ]
    "$PAGODA" replay --json "$dir" 2>/dev/null | jq -e '.warnings[] | select(.code == "missing-symbols")
        | .text | contains("in files without symbols: stripped. Reports show addresses there, such as stripped+0x")'
}

@test "position-independent or not, in libraries loaded and unloaded, without debug information" {
    one_mpi forms
}

# The program's own functions are the same regions whether they are instrumented or call MPI.
one_region() {
    build_all "$1"
    build "$1" "$bin/regions" main.c -g -finstrument-functions "$bin/libsites.so" \
        "-Wl,-rpath,$bin" -ldl -lpthread
    trace_all "$1" --call-stack 3 -- regions
    grep '^REGION ' "$printed" >"$BATS_TEST_TMPDIR/regions"
    for name in main called_by_main put_into_its_caller deep run_plugin; do
        [ "$(count "Name: \"$name\" .*Paradigm: COMPILER" "$BATS_TEST_TMPDIR/regions")" -ge 1 ]
        # The two plugins have a run_plugin each, and the program another one.
        [ "$name" = run_plugin ] || [ "$(count "Name: \"$name\" " "$BATS_TEST_TMPDIR/regions")" = 1 ]
    done
    # No further than asked for.
    local deeper
    deeper="deep $(at main.c deeper)"
    has "0 MPI_Wtime: deep $(at main.c deepest), $deeper, $deeper, $deeper" "$sites"
}

@test "a function is one region, instrumented, inlined, or calling MPI" { one_mpi one_region; }

callers() {
    build_all "$1"
    trace_all "$1" --call-stack 30 -- pie fixed
    for rank in 0 1; do
        has "$rank MPI_Init_thread: main $(at main.c init)" "$sites"
        has "$rank MPI_Comm_rank: called_from_library $(at library.c library), main $(at main.c library-caller)" "$sites"
        has "$rank MPI_Comm_test_inter: put_into_its_caller $(at main.c inlined), called_by_main $(at main.c inlined-at), main $(at main.c caller)" "$sites"
        [ "$(grep -c "^$rank MPI_Wtime: deep $(at main.c deepest)\(, deep $(at main.c deeper)\)\{20\}, main $(at main.c deep-caller)\$" "$sites")" = 1 ]
        grep -qE "^$rank MPI_Barrier: run_plugin $(at plugin_a.c plugin-a), (run_plugin $(at main.c plugin-caller), )?main main.c:[0-9]+\$" "$sites"
    done
}

@test "callers up to main, as many as asked for" { for_each_mpi callers; }

mangled() {
    command -v "mpicxx.$1" >/dev/null || skip "there is no C++ compiler for $1"
    bin=$BATS_TEST_TMPDIR/$1
    mkdir -p "$bin"
    "mpicxx.$1" -O1 -g -o "$bin/cxx" "$sources/cxx.cc"
    trace_all "$1" -- cxx
    has "0 MPI_Comm_rank: solver::grid<double>::exchange(int) $(at cxx.cc template)" "$sites"
    # A lambda that was inlined has no other name.
    grep -qE "^0 MPI_Wtime: (main::.*::)?operator\(\).* $(at cxx.cc lambda)\$" "$sites"
}

@test "C++ functions have the names of the source" { one_mpi mangled; }

fortran() {
    if ! command -v "mpif90.$1" >/dev/null || ! command -v gfortran >/dev/null; then
        skip "there is no Fortran compiler for $1"
    fi
    bin=$BATS_TEST_TMPDIR/$1
    mkdir -p "$bin"
    (cd "$bin" && "mpif90.$1" -g -o fortran "$sources/fortran.f90")
    trace_all "$1" --call-stack 5 -- fortran
    has "0 MPI_Init: heat $(at fortran.f90 program), main $(program_line)" "$sites"
    has "0 MPI_Bcast: halo::exchange $(at fortran.f90 module), heat $(at fortran.f90 exchange), main $(program_line)" "$sites"
    grep -q "^0 MPI_Finalize: finish $(at fortran.f90 external), heat fortran.f90:" "$sites"
}

# gfortran makes a `main` that stands for the line of the program statement, or a later one.
program_line() {
    sed -n 's/^0 MPI_Init: heat [^,]*, main //p' "$sites"
}

@test "Fortran calls, in a module, the program, and a procedure of its own" { for_each_mpi fortran; }

odd_stacks() {
    bin=$BATS_TEST_TMPDIR/$1
    mkdir -p "$bin"
    build "$1" "$bin/odd" odd.c -g
    trace_all "$1" --call-stack 50 -- odd >"$out"
    [ "$(cat "$out")" = "odd 0" ]
    # Six times, whatever the callers are.
    [ "$(count "^0 MPI_Comm_size: call_mpi $(at odd.c odd)(, |\$)" "$sites")" = 6 ]
    has "0 MPI_Init: main odd.c:$(grep -n 'MPI_Init(' "$sources/odd.c" | cut -d: -f1)" "$sites"
}

@test "stacks that cannot be walked do no harm" {
    out=$BATS_TEST_TMPDIR/out
    for_each_mpi odd_stacks
}

# A second thread of Python might have the interpreter's lock: then the place in mpi4py counts.
@test "lines of Python that call MPI, while Python has one thread" {
    has_mpi openmpi || skip "openmpi is not installed"
    /usr/bin/python3 -c 'import mpi4py' || skip "mpi4py is not installed"
    cat >"$BATS_TEST_TMPDIR/lines.py" <<'END'
from mpi4py import MPI
import threading

class Solver:
    def sum_up(self, value):
        try:
            raise ValueError
        except ValueError:
            return MPI.COMM_WORLD.allreduce(value)  # in a handler of exceptions

def exchange():
    return [MPI.COMM_WORLD.sendrecv(
        i, dest=0, source=0) for i in range(3)]

Solver().sum_up(1)
exchange()
done = threading.Event()
thread = threading.Thread(target=done.wait)
thread.start()
MPI.COMM_WORLD.Barrier()
done.set()
thread.join()
MPI.COMM_WORLD.Barrier()
assert MPI.COMM_WORLD.Get_rank() == 0
END
    dir=$BATS_TEST_TMPDIR/trace
    "$PAGODA" trace --call-stack 1 -o "$dir" -- mpirun.openmpi -n 1 /usr/bin/python3 "$BATS_TEST_TMPDIR/lines.py"
    sites=$BATS_TEST_TMPDIR/sites
    sites_of "$dir" >"$sites"
    has '0 MPI_Init_thread: <module> lines.py:1' "$sites"
    has '0 MPI_Bcast: Solver.sum_up lines.py:9, <module> lines.py:15' "$sites"
    [ "$(count '^0 MPI_Isend: exchange[^ ]* lines.py:12, (exchange lines.py:12|<module> lines.py:16)$' "$sites")" = 3 ]
    [ "$(grep '^0 MPI_Barrier' "$sites" | sed 's/MPI\..*/mpi4py/')" = '0 MPI_Barrier: mpi4py
0 MPI_Barrier: <module> lines.py:23' ]
    has '0 MPI_Comm_rank: <module> lines.py:24' "$sites"
    [ "$(count '^0 MPI_Finalize: .*lines.py' "$sites")" = 0 ]
}

# ctypes loads a library as Python loads an extension module; it needs none of Python's headers.
@test "lines of Python that call MPI by an extension module without symbols, but functions of one with them" {
    has_mpi openmpi || skip "openmpi is not installed"
    /usr/bin/python3 -c 'import mpi4py' || skip "mpi4py is not installed"
    cd "$BATS_TEST_TMPDIR"
    cat >kernel.c <<'END'
#include <mpi.h>
static void __attribute__((noinline)) inner(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}
void step(void)
{
    inner();
    __asm__ volatile("");
}
END
    mpicc.openmpi -O1 -shared -fPIC -s -o bare.cpython-311-x86_64-linux-gnu.so kernel.c
    mpicc.openmpi -O1 -shared -fPIC -o named.cpython-311-x86_64-linux-gnu.so kernel.c
    cat >kernels.py <<'END'
from ctypes import PyDLL
from mpi4py import MPI

def relax(name):
    PyDLL(f"./{name}.cpython-311-x86_64-linux-gnu.so").step()

relax("bare")
relax("named")
END
    "$PAGODA" trace -o kernels -- mpirun.openmpi -n 1 /usr/bin/python3 kernels.py
    sites_of kernels >sites
    [ "$(grep '^0 MPI_Barrier' sites)" = '0 MPI_Barrier: relax kernels.py:5
0 MPI_Barrier: inner ?' ]
}
