# SPDX-License-Identifier: BSD-3-Clause
# Predictions shared by the processes of a launcher: they are those of the command alone, byte for byte,
# the first process alone prints, and all end together.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset PAGODA_MPI
}

archive() { "$BUILD/tools/mktrace" "$ROOT/tests/traces/$1.txt" "${2:-trace}"; }

# for_each_mpi FUNCTION: `mpi` is its name; nothing without any.
for_each_mpi() {
    local n=0
    for mpi in openmpi mpich; do
        if has_mpi $mpi && [ -e "$BUILD/libpagoda-mpi-$mpi.so" ]; then
            "$1"
            n=$((n + 1))
        fi
    done
    [ $n -gt 0 ] || skip "there is no MPI"
}

# together N COMMAND...: its output in the file out, its messages in err without those of mpirun.
together() {
    local n=$1
    shift
    status=0
    run_mpi "$mpi" "$n" "$@" >out 2>all || status=$?
    tr -d '\r' <out >lines && mv lines out # Open MPI gives the processes a terminal
    grep '^pagoda' all >err || true
}

same_as_alone() {
    local n=$1 alone=0
    shift
    "$PAGODA" "$@" >alone.out 2>alone.err || alone=$?
    together "$n" "$PAGODA" "$@"
    cat err
    [ "$status" = "$alone" ]
    cmp out alone.out
    cmp err alone.err
}

lists() {
    same_as_alone 3 replay trace --nodes 1,2,3 --cpu-speed 1,2 --json
    same_as_alone 2 replay trace --nodes 1,2,3 --scale P2=1,0.5
    same_as_alone 4 replay trace --cores 1,2 --machine eth10 --json # more processes than jobs
    same_as_alone 2 replay trace --cores 3,2 --workers 1,2,3        # refused
    same_as_alone 2 replay trace --rebalance magda,magda-idle --cores 3,4 --json
    same_as_alone 3 replay trace --nodes 2 --map auto --json
    same_as_alone 2 replay trace --cores 1
}
@test "lists of values, and the search for a placement" {
    archive whatif/worked-example
    for_each_mpi lists
}

advises() {
    same_as_alone 2 advise trace --json
    same_as_alone 3 advise trace --nodes 2 --cores 2
}
@test "advice" {
    archive advise/pairs
    for_each_mpi advises
}

stores() {
    rm -f together.db
    together 3 "$PAGODA" replay trace --store together.db --nodes 1,2 --cpu-speed 1,2
    together 3 "$PAGODA" advise trace --store together.db --as advised/
    stored together.db | cmp - alone
}
@test "stored predictions are those of the command alone, each once" {
    archive advise/pairs
    "$PAGODA" replay trace --store alone.db --nodes 1,2 --cpu-speed 1,2 >/dev/null
    "$PAGODA" advise trace --store alone.db --as advised/ >/dev/null
    stored alone.db >alone
    [ "$(wc -l <alone)" -gt 20 ]
    for_each_mpi stores
}

measured() {
    same_as_alone 3 replay trace
    same_as_alone 2 replay trace --interval 1us:3us --json
    same_as_alone 2 replay --help
    rm -rf predicted && together 2 "$PAGODA" replay trace --cores 1 --output predicted
    [ "$status" = 0 ]
    same_as_alone 2 replay trace --cores none
    [ "$status" = 2 ]
    same_as_alone 2 advise nothing
    [ "$status" = 1 ]
}
@test "what is not shared the first process does alone" {
    archive whatif/worked-example
    for_each_mpi measured
}

# in_own_folder COMMAND...: process N of the command in the folder rank-N.
in_own_folder() {
    # shellcheck disable=SC2016 # for the shell of each process
    together 3 sh -c 'cd "rank-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"' sh "$@"
}

fails() {
    in_own_folder "$PAGODA" advise trace
    [ "$status" = 1 ]
    [ ! -s out ]
    [[ $(cat err) =~ ^"pagoda: process 1 on "[^:]+": cannot open 'trace': No such file or directory"$ ]]
    cp -r late rank-1/trace
    in_own_folder "$PAGODA" advise trace
    [ "$status" = 1 ]
    [ ! -s out ]
    [ "$(cat err)" = "pagoda: the processes read different traces: give all of them the same one" ]
    rm -r rank-1/trace
}
@test "where one process fails, all end with what it says" {
    mkdir rank-0 rank-1 rank-2
    archive advise/pairs rank-0/trace
    archive advise/pairs rank-2/trace
    archive advise/late late
    for_each_mpi fails
}

alone() {
    # shellcheck disable=SC2016
    together 2 sh -c '"$@"; true' sh "$PAGODA" replay trace --cores 1,2 --json
    [ "$(grep -c '"whatif"' out)" = 2 ]
    export PAGODA_MPI=none
    together 2 "$PAGODA" replay trace --cores 1,2 --json
    [ "$(grep -c '"whatif"' out)" = 2 ]
    export PAGODA_MPI=$mpi
    # shellcheck disable=SC2016
    together 2 sh -c '"$@"; true' sh "$PAGODA" replay trace --cores 1,2 --json
    [ "$(grep -c '"whatif"' out)" = 1 ]
    unset PAGODA_MPI
    # shellcheck disable=SC2016
    together 2 sh -c 'exec "$0" replay trace --cores "1,$((2 + ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}))" --json' "$PAGODA"
    [ "$status" = 0 ]
    [ "$(grep -c '"whatif"' out)" = 2 ]
}
@test "a script's commands, and those that differ, have their processes for themselves" {
    archive whatif/worked-example
    for_each_mpi alone
}

@test "without what the launcher's MPI needs, a warning says so" {
    archive whatif/worked-example
    PAGODA_MPI=another run --separate-stderr "$PAGODA" replay trace --cores 1,2 --json
    [ "$status" = 0 ]
    [[ $stderr == "pagoda: warning: cannot load libpagoda-mpi-another.so, so each process works and prints by itself: "* ]]
}
