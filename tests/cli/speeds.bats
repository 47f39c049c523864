# SPDX-License-Identifier: BSD-3-Clause
# pagoda calibrate --speeds and what pagoda replay --speeds makes of it, on runs small enough to
# compute by hand: factors are ratios of times, and predicted ends are sums of scaled times.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

# record NAME RANKS SOLVE INNER REST [VISITS]: each rank computes VISITS (10) times SOLVE ns in solve,
# around INNER ns in solve/inner, and REST ns in rest, then meets the others at a barrier.
record() {
    local name=$1 ranks=$2 solve=$3 inner=$4 rest=$5 n=${6:-10} rank i now
    for ((rank = 0; rank < ranks; rank++)); do
        now=0
        echo "$rank 0 enter main"
        for ((i = 0; i < n; i++)); do
            echo "$rank $now enter solve"
            ((inner == 0)) || echo "$rank $((now + solve / 2))-$((now + solve / 2 + inner)) inner"
            echo "$rank $((now += solve + inner)) leave solve"
            echo "$rank $now-$((now += rest)) rest"
            echo "$rank $now-$now MPI_Barrier ; $now coll-end barrier world - 0 0"
        done
        echo "$rank $now leave main"
    done >"$name.txt"
    rm -rf "$name"
    "$BUILD/tools/mktrace" "$name.txt" "$name"
}

learn() {
    "$PAGODA" calibrate --speeds --force --json -o speeds.xml "$@"
}

predicted() {
    "$PAGODA" replay --json --speeds speeds.xml "$@" | jq .whatif.predicted_ns
}

@test "each region gets its ratio of times, and runs with more ranks are predicted with it" {
    record here 1 1000 0 1000
    record target 1 3000 0 2000
    learn here target | jq -e '.factor == 2.5 and .comparable == 1 and
        (.regions | map([.region, .verdict, .visits, .factor])) ==
            [["/main/rest", "learned", 10, 2], ["/main/solve", "learned", 10, 3]]'
    "$PAGODA" check speeds.xml
    record run 4 500 0 100 3
    [ "$(predicted run)" = $((3 * (3 * 500 + 2 * 100))) ]
    # --scale and the machine's own regions multiply as well.
    [ "$(predicted run --scale rest=0)" = $((3 * 3 * 500)) ]
    # As a file that says the same by hand.
    echo '<machine name="m"><region name="(program)" speed="0.5"/></machine>' >speeds.xml
    [ "$(predicted run)" = $((3 * 2 * 600)) ]
}

@test "advice for a machine of such speeds" {
    record run 4 500 0 100 3
    echo '<machine name="m"><region name="solve" speed="0.25"/><region name="rest" speed="1"/></machine>' >speeds.xml
    "$PAGODA" advise run --speeds speeds.xml --json >advice
    jq -e --argjson target "$(predicted run)" '.target_ns == $target and .target == "--speeds speeds.xml" and
        any(.candidates[]; .options == "--scale solve=0.5" and .predicted_ns == 3 * (2 * 500 + 100))' advice
    says -1 missing.xml "$PAGODA" advise run --speeds missing.xml
}

@test "regions inside others have their own factor, and those without counterpart that of the program" {
    record here 1 1000 1000 2000
    record target 1 2000 4000 4000
    # 10 us of 4 us: 2.5. solve 2, inner 4, rest 2.
    learn here target | jq -e '.factor == 2.5 and (.regions | map([.region, .factor])) ==
        [["/main/rest", 2], ["/main/solve", 2], ["/main/solve/inner", 4]]'
    record run 2 100 100 0 1
    [ "$(predicted run)" = $((200 + 400)) ]
    sed -i 's/ rest$/ other/' here.txt
    rm -r here
    "$BUILD/tools/mktrace" here.txt here
    record target 1 2000 6000 4000
    # Visited on one side only: rest and other. (2000 + 6000) / 2000 = 4 for the program.
    learn here target | jq -e '.factor == 4 and
        (.regions | map(select(.verdict == "unequal") | [.region, .factor])) ==
            [["/main/other", 4], ["/main/rest", 4]]'
    record run 2 0 0 100 1
    [ "$(predicted run)" = 400 ]
}

@test "regions that scatter more than they differ have the factor of the program" {
    record here 1 1000 0 1000
    # solve: 2000 in the mean, but by up to 900 more and less; rest exactly 2000.
    record target 1 2020 0 1980
    learn here target | jq -e '.regions | map(.verdict) == ["learned", "learned"]'
    local i now=0 solve
    {
        echo 0 0 enter main
        for ((i = 0; i < 10; i++)); do
            solve=$((i < 5 ? 2020 + 900 : 2020 - 900))
            echo "0 $now-$((now += solve)) solve"
            echo "0 $now-$((now += 1980)) rest"
            echo "0 $now-$now MPI_Barrier ; $now coll-end barrier world - 0 0"
        done
        echo "0 $now leave main"
    } >target.txt
    rm -r target
    "$BUILD/tools/mktrace" target.txt target
    learn here target | jq -e '.factor == 2 and (.regions[] | select(.region == "/main/solve") |
        [.verdict, .factor]) == ["no-change", 2]'
}

@test "the reports say what was learned and what of it the run has" {
    record here 1 1000 0 1000
    record target 1 3000 0 2000
    "$PAGODA" calibrate --speeds here target | tr -s ' \n' ' ' >text
    grep -q 'CPU time target: 2.5 times that of here; 100.0 % of it in regions that both visit equally often' text
    grep -q 'Regions 2 with a factor of their own' text
    grep -q '50.0 % 3 /main/solve' text
    grep -q 'speeds.xml written; next: pagoda replay TRACE --speeds speeds.xml' text
    record run 2 100 0 0
    "$PAGODA" replay run --speeds speeds.xml | tr -s ' \n' ' ' |
        grep -q 'speeds: of the 3 regions in speeds.xml this run has 3; all other computing is 0.4 times as fast as recorded'
}

@test "what cannot be compared is refused in one sentence" {
    record here 1 1000 0 1000
    record more 2 1000 0 1000
    record longer 1 1000 0 1000 20
    says -1 'here has 1 ranks and more 2' "$PAGODA" calibrate --speeds here more
    says -1 'only 0.0 % of the CPU time is in regions that all recordings visit equally often: they are not of the same program' \
        "$PAGODA" calibrate --speeds here longer
    record none 1 0 0 0
    says -1 'none: no time was computed outside MPI' "$PAGODA" calibrate --speeds here none
    says -2 '--speeds: give two recordings, HERE and TARGET' "$PAGODA" calibrate --speeds here
    says -2 '--slowdown and --speeds exclude each other' "$PAGODA" calibrate --speeds --slowdown here more
    says -2 '--speeds measures nothing' "$PAGODA" calibrate --speeds --points here more
    [ ! -e speeds.xml ]
    echo '<machine name="m"><region name="sulve" speed="2"/></machine>' >speeds.xml
    says -1 '--speeds speeds.xml: none of its regions, such as sulve, is in this run' \
        "$PAGODA" replay here --speeds speeds.xml
    echo '<machine name="m"/>' >speeds.xml
    says -1 '--speeds speeds.xml: it has no <region>' "$PAGODA" replay here --speeds speeds.xml
    says -2 '--speeds and --timeless exclude each other' "$PAGODA" replay here --speeds speeds.xml --timeless --machine speeds.xml
}
