# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format dot: the activity graph of a part of a run.
load ../helper

# Rank 0 computes 10 us and sends to rank 1, which waits since 4 us. Rank 2 computes all the time. From 30 us
# on all are in a barrier, which rank 2 enters last, at 50 us; then rank 0 calls MPI_Wtime.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cat >run.txt <<'END'
nodes a a b
region so"lve<int> x.cc:3 user
0 0 enter so"lve<int>
1 0 enter so"lve<int>
2 0 enter so"lve<int>
0 10000-11000 MPI_Send ; 10500 send world 1 7 2048
1 4000-13000 MPI_Recv ; 12500 recv world 0 7 2048
0 30000-51000 MPI_Barrier ; 30000 coll-begin ; 51000 coll-end barrier world - 0 0
1 33000-51000 MPI_Barrier ; 33000 coll-begin ; 51000 coll-end barrier world - 0 0
2 50000-51000 MPI_Barrier ; 50000 coll-begin ; 51000 coll-end barrier world - 0 0
0 60000-61000 MPI_Wtime
0 70000 leave so"lve<int>
1 70000 leave so"lve<int>
2 70000 leave so"lve<int>
END
    "$BUILD/tools/mktrace" run.txt run
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
}

graph() {
    "$PAGODA" export run -o g.dot --format dot "$@"
    dot -Tcanon g.dot >/dev/null # Graphviz reads it
}

@test "calls, process time between them, messages and barriers" {
    graph --interval 0s:55us
    [ "$(grep -c ' \[label="MPI' g.dot)" = 5 ] # not MPI_Wtime
    grep -qxF '    c0 [label="MPI_Send\nin so\"lve<int>\nat 10.00 us for 1.000 us"];' g.dot
    grep -qxF '    c0 -> c1 [label="19.00 us", weight=9];' g.dot
    grep -qxF '    c2 -> c3 [label="20.00 us", weight=9];' g.dot
    run -0 grep constraint g.dot
    [ "$output" = '  c0 -> c2 [constraint=false, style=solid, color=red, label="2.0 KiB"];
  c4 -> c1 [constraint=false, style=dashed, color=red];
  c4 -> c3 [constraint=false, style=dashed, color=red];' ]
    graph --interval 20us:55us
    [ "$(grep -c ' \[label="MPI' g.dot)" = 3 ]
    [ "$(grep -c 'style=solid' g.dot)" = 0 ]
}

@test "groups of ranks, whose clock runs while any of them computes" {
    graph --interval 0s:55us --group node
    grep -qxF '    label="a";' g.dot
    # The receive begins at 4, the send at 10, the barrier at 30 on rank 0 and at 33 on rank 1. From 10 to 11
    # both are in their calls.
    grep -qxF '    c0 -> c1 [label="6.000 us", weight=9];' g.dot
    grep -qxF '    c1 -> c2 [label="19.00 us", weight=9];' g.dot
    grep -qxF '    c2 -> c3 [label="3.000 us", weight=9];' g.dot
    [ "$(grep -c 'rank 1\\nMPI' g.dot)" = 2 ]
}

@test "what no graph can be made of" {
    refused() {
        says "-$1" "$2" "$PAGODA" export run -o no.dot "${@:3}"
        [ ! -e no.dot ]
    }
    refused 2 'say which by --interval' --format dot
    refused 2 '--group goes with --format html and dot' --format prv --group node
    refused 2 '--interval goes with --format dot and otf2' --interval 1s:2s
    refused 2 'FIRST:LAST wanted' --format dot --interval 3s
    refused 2 '--group' --format dot --interval 0s:1us --group planet
    refused 1 'no rank calls MPI in this interval' --format dot --interval 1us:2us
    refused 1 'there is no pattern' --format dot --interval 'pattern==nx'
    refused 1 'has no region or marker `nowhere`' --format dot --interval nowhere
}
