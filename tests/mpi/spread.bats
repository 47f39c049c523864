# SPDX-License-Identifier: BSD-3-Clause
# A replay and predictions shared by the processes of a launcher: what is found is that of the command
# alone, byte for byte, the first process alone prints, and all end together.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset PAGODA_MPI
}

archive() { "$BUILD/tools/mktrace" "$ROOT/tests/traces/$1.txt" "${2:-trace}"; }

# has_module MPI: the processes of its launcher can work together.
has_module() { has_mpi "$1" && [ -e "$BUILD/libpagoda-mpi-$1.so" ]; }

# for_each_mpi FUNCTION: `mpi` is its name; nothing without any.
for_each_mpi() {
    local n=0
    for mpi in openmpi mpich; do
        if has_module $mpi; then
            "$1"
            n=$((n + 1))
        fi
    done
    [ $n -gt 0 ] || skip "there is no MPI"
}

# one_mpi FUNCTION: with one of them, where it has no part in what is tested: the one that starts sooner.
one_mpi() {
    for mpi in mpich openmpi; do
        if has_module $mpi; then
            "$1"
            return
        fi
    done
    skip "there is no MPI"
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
    one_mpi lists
}

advises() {
    same_as_alone 2 advise trace --json
    same_as_alone 3 advise trace --nodes 2 --cores 2
}
@test "advice" {
    archive advise/pairs
    one_mpi advises
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
    one_mpi stores
}

replays() {
    local n
    for n in 2 3 7; do
        same_as_alone $n replay "$1" --json --threads $((n % 3 + 1))
    done
}

pairs() { replays pairs; }

all_kinds() {
    local kind
    for kind in engine/threads-and-messages patterns/collective-io replay/without-cpu replay/damaged; do
        archive "$kind" "${kind##*/}"
        replays "${kind##*/}"
    done
    replays counted
    replays spoiled
    same_as_alone 3 replay spoiled --explain 1@10us
    same_as_alone 2 replay counted --nodes 2
    same_as_alone 3 replay pairs --patterns visits.xml --json
    jq -e '.patterns[] | select(.id == "visits") | .count > 10' out
}
@test "a replay: messages, threads, counters, CPU times, damage" {
    archive advise/pairs pairs
    archive advise/pairs spoiled
    truncate -s -30 spoiled/traces/1.evt
    rm spoiled/traces/2.evt
    echo damaged >spoiled/traces/3.def
    sed 's/"wait-at-barrier" parent="synchronisation"/"visits"/; s/>collective</>region</
        s|<condition>.*|<region>*</region>|; s|<wait>.*|<wait>leave - enter</wait>|; /<cause>/d' \
        "$ROOT/patterns/wait-at-barrier.xml" >visits.xml
    /usr/bin/python3 "$ROOT/tests/cli/counters.py" counted 3 30000 >/dev/null
    for_each_mpi pairs
    one_mpi all_kinds
}

long_replays() {
    same_as_alone 2 replay long --json
    same_as_alone 3 replay long --json --threads 2
    same_as_alone 3 replay calls --json --store together.db
    rm together.db
}
@test "a replay of many events and locations" {
    "$BUILD/bench/generate" --ranks 32 --pattern random --user-events 3 --events 1e5 long >/dev/null
    "$BUILD/bench/generate" --ranks 3 --sites --depth 5 --user-events 300 --events 3e5 calls >/dev/null
    one_mpi long_replays
}

measured() {
    same_as_alone 2 replay trace --interval 1us:3us --json
    same_as_alone 2 replay --help
    rm -rf predicted && together 2 "$PAGODA" replay trace --cores 1 --output predicted
    [ "$status" = 0 ]
    same_as_alone 2 replay trace --cores none
    [ "$status" = 2 ]
    same_as_alone 2 advise nothing
    [ "$status" = 1 ]
    same_as_alone 2 replay nothing
    [ "$status" = 1 ]
    same_as_alone 3 replay trace --explain 99@1us # after the trace was opened
    [ "$status" = 1 ]
}
@test "what is not shared the first process does alone" {
    archive whatif/worked-example
    one_mpi measured
}

# in_own_folder COMMAND...: process N of the command in the folder rank-N.
in_own_folder() {
    # shellcheck disable=SC2016 # for the shell of each process
    together 3 sh -c 'cd "rank-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"' sh "$@"
}

own_files() {
    local status=0
    "$PAGODA" replay trace --properties message-passing --json >alone.out || status=$?
    in_own_folder "$PAGODA" replay trace --properties message-passing --json
    [ "$status" = 0 ]
    cmp out alone.out
}
@test "each process reads the files of its own locations only" {
    local i
    archive advise/pairs
    for i in 0 1 2; do
        mkdir rank-$i
        cp -r trace rank-$i
    done
    rm rank-0/trace/traces/[!05].* rank-1/trace/traces/[!1267].* rank-2/trace/traces/[!34].*
    one_mpi own_files
}

file_uses() { same_as_alone 2 replay trace --json; }
@test "what each rank did to files is the same" {
    /usr/bin/python3 "$ROOT/tests/cli/files.py" trace 4 3000 >expected
    jq -e 'length > 9' expected
    one_mpi file_uses
    jq -e '.files | length > 0' out
}

fails() {
    local command
    for command in advise replay; do
        in_own_folder "$PAGODA" $command trace
        [ "$status" = 1 ]
        [ ! -s out ]
        [[ $(cat err) =~ ^"pagoda: process 1 on "[^:]+": cannot open 'trace': No such file or directory"$ ]]
        cp -r late rank-1/trace
        in_own_folder "$PAGODA" $command trace
        [ "$status" = 1 ]
        [ ! -s out ]
        [ "$(cat err)" = "pagoda: the processes read different traces: give all of them the same one" ]
        rm -r rank-1/trace
    done
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

comes_late() {
    rm -f all
    # The second process comes when the first one has said that it waits.
    # shellcheck disable=SC2016
    PAGODA_MPI=$mpi together 2 sh -c 'if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ]; then
        until grep -q "after 10 s" all; do sleep 0.1; done; fi; "$@"' sh "$PAGODA" replay trace
    [ "$status" = 0 ]
    cmp out alone.out
    [ "$(cat err)" = "pagoda: warning: after 10 s not all processes of the launcher have started pagoda; waiting for them (PAGODA_MPI=none: do not work together)" ]
}
@test "the first process does not wait for others without a word" {
    archive advise/pairs
    "$PAGODA" replay trace >alone.out
    for_each_mpi comes_late
}

@test "without what the launcher's MPI needs, a warning says so" {
    archive whatif/worked-example
    PAGODA_MPI=another run --separate-stderr "$PAGODA" replay trace --cores 1,2 --json
    [ "$status" = 0 ]
    [[ $stderr == "pagoda: warning: cannot load libpagoda-mpi-another.so, so each process works and prints by itself: "* ]]
}
