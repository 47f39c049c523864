# SPDX-License-Identifier: BSD-3-Clause
# Selective recording by names: filter files of Score-P's and TAU's form, old annotations, and which
# facts of the environment are kept. Names do not depend on the MPI: one is enough where none is named.
# shellcheck disable=SC2154 # variables that trace.bash sets
load trace

setup() {
    for mpi in openmpi mpich none; do
        has_mpi "$mpi" && break
    done
    [ "$mpi" != none ] || skip "no MPI is installed"
    cd "$BATS_TEST_TMPDIR" || return
}

# filtered PROGRAM: traces it, on 1 rank, with the filter file that stands on stdin, into $events.
filtered() {
    cat >filter
    rm -rf trace
    timeout -k 5 300 "$PAGODA" trace -o trace --filter filter -- "mpirun.$mpi" -n 1 "$1" >out 2>err ||
        { cat err; return 1; }
    events=$BATS_TEST_TMPDIR/events
    events_of trace >"$events"
}

# entered: names of all functions entered but main and those of MPI, in one line.
entered() {
    sed -n 's/^0 Enter //p' "$events" | grep -vE '^(MPI_|main)' | sort -u | tr '\n' '|'
}

@test "a filter leaves out functions, MPI functions and annotations" {
    every() {
        printf '%s\n' SCOREP_REGION_NAMES_BEGIN 'EXCLUDE tiny small_* reduction MPI_Wtime MPI_Send*' \
            SCOREP_REGION_NAMES_END >filter
        export PAGODA_FILTER=filter
        traced "$1-regions" 2 trace_select
        [ "$status" = 0 ]
        events_of "$dir" >events
        [ "$(count 'Enter (tiny|small_caller|reduction|MPI_Wtime)' events)" = 0 ]
        [ "$(count 'Enter exchange' events)" = 24 ]
        # It carries messages: needed for matching, so it stays.
        [ "$(count 'Enter MPI_Sendrecv' events)" = 24 ]
    }
    one_mpi every
}

@test "only the MPI functions that communicate or wait" {
    communication() {
        export PAGODA_MPI=communication
        traced "$1" 2 trace_select
        [ "$status" = 0 ]
        events_of "$dir" >events
        sed -n 's/^0 Enter \(MPI_.*\)/\1/p' events | sed 's/ .*//' | sort -u >names
        diff - names <<'EOF'
MPI_Allreduce
MPI_Barrier
MPI_Comm_dup
MPI_Comm_free
MPI_Finalize
MPI_Ibarrier
MPI_Init
MPI_Irecv
MPI_Isend
MPI_Sendrecv
MPI_Testall
MPI_Wait
EOF
    }
    for_each_mpi communication
}

# properties PATTERN: NAME=VALUE of the archive's own properties, in one line.
properties() {
    otf2-print -I trace/traces.otf2 | sed -n 's/^Property name *PAGODA:://p; s/^Property value */=/p' |
        sed '$!N; s/\n//' | grep -E "^$1=" | sort | tr '\n' ' '
}

# compile: the program `names` from C++, instrumented.
compile() {
    command -v "mpicxx.$mpi" >/dev/null || skip "mpicxx.$mpi is not installed"
    cat >names.cc <<'EOF'
#include <mpi.h>
namespace demo {
int __attribute__((noinline)) solve(int x) { return x + 1; }
int __attribute__((noinline)) solve(double x) { return (int)x; }
template <class T> int __attribute__((noinline)) twice(T x) { return (int)(2 * x); }
struct grid {
    int n;
    int __attribute__((noinline)) apply(int x, long) const { return x + n; }
};
}
static int __attribute__((noinline)) helper(int x) { return x - 1; }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    demo::grid grid = {argc};
    int x = demo::solve(1) + demo::solve(1.5) + demo::twice(1) + demo::twice(1.5f);
    x += grid.apply(x, 1) + helper(x);
    MPI_Finalize();
    return x == 0;
}
EOF
    "mpicxx.$mpi" -O0 -g -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -finstrument-functions -o names names.cc
}

@test "C++ names, with parameters or without, demangled or not" {
    compile
    filtered ./names <<'EOF'
EOF
    [ "$(entered)" = 'demo::grid::apply(int, long) const|demo::solve(double)|demo::solve(int)|helper|int demo::twice<float>(float)|int demo::twice<int>(int)|' ] ||
        { entered; return 1; }
    filtered ./names <<'EOF'
SCOREP_REGION_NAMES_BEGIN # the last that fits decides
  EXCLUDE *
  INCLUDE main demo::solve
  EXCLUDE demo::solve(double)
  INCLUDE demo::grid::apply(int,\ long)\ const
SCOREP_REGION_NAMES_END
EOF
    [ "$(entered)" = 'demo::grid::apply(int, long) const|demo::solve(int)|' ] || { entered; return 1; }
    filtered ./names <<'EOF'
SCOREP_REGION_NAMES_BEGIN
EXCLUDE MANGLED _ZN4demo5solve* _ZNK*
INCLUDE MANGLED _ZN4demo5solveEi
EXCLUDE *twice<?loat>*
SCOREP_REGION_NAMES_END
EOF
    [ "$(entered)" = 'demo::solve(int)|helper|int demo::twice<int>(int)|' ] || { entered; return 1; }
}

@test "TAU's lists" {
    compile
    filtered ./names <<'EOF'
# a comment
BEGIN_EXCLUDE_LIST
int demo::solve(int)
demo::grid#
"int helper(int) C"
END_EXCLUDE_LIST
EOF
    [[ $(entered) == *'demo::twice<int>'* ]]
    [[ $(entered) != *grid* ]]
    [[ $(entered) != *helper* ]]
    filtered ./names <<'EOF'
BEGIN_INCLUDE_LIST
int helper(int)
END_INCLUDE_LIST
EOF
    [ "$(entered)" = 'helper|' ] || { entered; return 1; }
    filtered ./names <<'EOF'
BEGIN_FILE_EXCLUDE_LIST
names.c?
END_FILE_EXCLUDE_LIST
EOF
    [ "$(entered)" = '' ] || { entered; return 1; }
}

@test "functions of source files" {
    filtered "$BUILD/programs/$mpi-regions/trace_select" <<'EOF'
SCOREP_FILE_NAMES_BEGIN
EXCLUDE */trace_select.c
SCOREP_FILE_NAMES_END
EOF
    [ "$(count 'Enter (main|exchange|tiny)' "$events")" = 0 ]
    [ "$(count 'Enter MPI_Sendrecv' "$events")" = 12 ]
    [ "$(count 'Enter reduction' "$events")" = 12 ] # an annotation has no file
    filtered "$BUILD/programs/$mpi-regions/trace_select" <<'EOF'
SCOREP_FILE_NAMES_BEGIN
EXCLUDE *
INCLUDE trace_*.c
SCOREP_FILE_NAMES_END
EOF
    [ "$(count 'Enter exchange' "$events")" = 12 ]
}

# The first pagoda.h knew regions and markers only; and the present one may meet a tracer of then.
@test "annotations compiled with the first pagoda.h" {
    cat >old.c <<'EOF'
#include <dlfcn.h>
#include <mpi.h>
struct api {
    int version;
    void (*region_begin)(const char *name);
    void (*region_end)(const char *name);
    void (*marker)(const char *name, int n, const char *const names[], const double values[]);
};
int main(int argc, char **argv)
{
    const struct api *api = dlsym(NULL, "pagoda_trace_api");
    MPI_Init(&argc, &argv);
    api->region_begin("old region");
    api->marker("old marker", 0, NULL, NULL);
    api->region_end("old region");
    MPI_Finalize();
    return api->version < 1;
}
EOF
    "mpicc.$mpi" -w -o old old.c -ldl
    filtered ./old </dev/null
    [ "$(entered)" = 'old marker|old region|' ]

    cat >new.c <<'EOF'
#include "tracer/pagoda.h"
#include <stdio.h>
static void begin(const char *name) { printf("begin %s\n", name); }
static void end(const char *name) { printf("end %s\n", name); }
const struct { int version; void (*begin)(const char *), (*end)(const char *); void *marker; }
    pagoda_trace_api = {1, begin, end, NULL};
int main(void)
{
    pagoda_trace_off();
    pagoda_region_begin("a");
    pagoda_region_end("a");
    pagoda_trace_on();
    return 0;
}
EOF
    cc -w -rdynamic -I"$ROOT" -o new new.c -ldl
    [ "$(./new | tr '\n' ' ')" = 'begin a end a ' ]
}

@test "chosen variables of the environment, and no secrets" {
    variables() {
        rm -rf trace
        env DEMO_.X=1 timeout -k 5 300 "$PAGODA" trace -o trace --env "$1" -- "mpirun.$mpi" -n 1 \
            "$BUILD/programs/$mpi/trace_end" exit 0 >out 2>err || { cat err; return 1; }
        properties 'ENV::DEMO_.*'
    }
    export DEMO_A=1 DEMO_B='two words' DEMO_TOKEN=t DEMO_API_KEY=k DEMO_PASSPHRASE=p DEMO_MY_SECRET=s
    [ "$(variables 'DEMO_*')" = 'ENV::DEMO_A=1 ENV::DEMO_B=two words ' ] || { variables 'DEMO_*'; return 1; }
    # OTF2 takes no name with a dot. A name given whole is meant.
    [ "$(variables 'DEMO_?, DEMO_TOKEN')" = 'ENV::DEMO_A=1 ENV::DEMO_B=two words ENV::DEMO_TOKEN=t ' ]
}

@test "the git revision of the program" {
    command -v git >/dev/null || skip "git is not installed"
    revision() {
        rm -rf trace
        timeout -k 5 300 "$PAGODA" trace -o trace -- "mpirun.$mpi" -n 1 repository/program exit 0 \
            >out 2>err || { cat err; return 1; }
        properties '(REVISION|BRANCH|TAG).*'
    }
    export GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR HOME=$BATS_TEST_TMPDIR
    mkdir repository
    cp "$BUILD/programs/$mpi/trace_end" repository/program
    [ "$(revision)" = '' ] || { revision; return 1; }
    git -C repository init -q
    git -C repository symbolic-ref HEAD refs/heads/trunk
    echo a >repository/file
    git -C repository add file
    git -C repository -c user.name=a -c user.email=a@b commit -q -m a
    commit=$(git -C repository rev-parse HEAD)
    [ "$(revision)" = "BRANCH=trunk REVISION=$commit REVISION_MODIFIED=no " ] || { revision; return 1; }
    echo b >repository/file
    git -C repository tag v1
    git -C repository checkout -q --detach
    [ "$(revision)" = "REVISION=$commit REVISION_MODIFIED=yes TAG=v1 " ] || { revision; return 1; }
}
