# SPDX-License-Identifier: BSD-3-Clause
# pagoda diff --fractions: which part of the time ranks compute, are in MPI and wait, on runs small
# enough to compute by hand.
load ../helper

# run_of NAME A B: rank 0 computes A ns and rank 1 B ns, then a barrier in which the first one waits for
# the other; both are in it 100 ns after the last one entered.
run_of() {
    local last=$(($2 > $3 ? $2 : $3)) rank=0 ns
    for ns in "$2" "$3"; do
        echo "$rank 0 enter main"
        echo "$rank $ns-$((last + 100)) MPI_Barrier ; $((last + 100)) coll-end barrier world - 0 0"
        echo "$rank $((last + 100)) leave main"
        rank=1
    done >"$1.txt"
    rm -rf "$1"
    "$BUILD/tools/mktrace" "$1.txt" "$1"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    run_of measured 400 900
    run_of predicted 500 900
}

@test "fractions sum to 1 by rank, errors are mean and standard deviation over the ranks" {
    # Of 1000 ns: rank 0 computes 400 or 500, waits 500 or 400, is 100 in the barrier; rank 1 900 and 100.
    "$PAGODA" diff --fractions --json measured predicted >printed
    jq -e '.fractions[0] | def near(x): . - x | fabs < 1e-9;
        (.ranks | map(.rank)) == [0, 1] and
        (.ranks[0].a | (.computing | near(0.4)) and (.overhead | near(0.1)) and (.waiting | near(0.5))) and
        (.ranks[0].b | (.computing | near(0.5)) and (.overhead | near(0.1)) and (.waiting | near(0.4))) and
        (.ranks[1].a | (.computing | near(0.9)) and (.overhead | near(0.1)) and (.waiting | near(0))) and
        (.errors.computing | (.mean | near(0.05)) and (.deviation | near(0.1 / pow(2; 0.5)))) and
        (.errors.overhead | (.mean | near(0)) and (.deviation | near(0))) and
        (.errors.waiting | (.mean | near(0.05)) and (.deviation | near(0.1 / pow(2; 0.5))))' printed
    "$PAGODA" diff --fractions measured predicted | tr -s ' ' >printed
    grep -qx ' 0 40.0 50.0 10.0 10.0 50.0 40.0' printed
    grep -qx ' computing 5.0 (7.1)' printed
    "$PAGODA" diff --fractions --top 1 measured predicted | grep -q 'and 1 more ranks (--top)'
}

@test "a stored prediction is compared with the run that was measured" {
    echo '<machine name="m"><region name="main" speed="0.5"/></machine>' >speeds.xml
    run_of slow 800 1800
    "$PAGODA" replay measured --speeds speeds.xml --store db --as predicted >/dev/null
    "$PAGODA" replay slow --store db --as on-target >/dev/null
    "$PAGODA" diff --fractions --json db on-target predicted | jq -e '.database == "db" and
        (.fractions[0] | .b[0].origin == "predicted" and (.errors | map(.mean < 1e-9) | all))'
    # Repetitions are averaged.
    "$PAGODA" store add db measured --as again1 >/dev/null
    "$PAGODA" store add db predicted --as again2 >/dev/null
    "$PAGODA" diff --fractions --json db measured 'again*' |
        jq -e '.fractions[0].ranks[0].b.computing - 0.45 | fabs < 1e-9'
}

@test "runs that cannot be compared rank by rank are refused" {
    echo '0 0-10 main' >one.txt
    "$BUILD/tools/mktrace" one.txt one
    says -1 'measured has 2 ranks and ' "$PAGODA" diff --fractions measured one
    says -2 '--fractions goes without' "$PAGODA" diff --fractions --structure measured predicted
    printf 'metric,unit,adds_up_over,focus,value\ntime_ns,ns,nothing,,5\n' >table.csv
    "$PAGODA" store import db table.csv --as imported >/dev/null
    says -1 'useful_ns' "$PAGODA" diff --fractions db imported imported
}
