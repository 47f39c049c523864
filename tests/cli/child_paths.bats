# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay --paths REGION: distinct sequences of child calls.
load ../helper

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # Visits of step: pack, MPI_Isend twice, check within pack (10, 20 and 40 long); pack only (5,
    # on each rank); nothing (1); one that is still open at the end of rank 1, in itself (7).
    cat >run.txt <<'END'
0 0 enter step
0 0 enter pack
0 1-1 check
0 2 leave pack
0 3-4 MPI_Isend
0 5-6 MPI_Isend
0 10 leave step
0 20 enter step
0 21-22 pack
0 25 leave step
0 30-31 step
0 40 enter step
0 41-42 pack
0 43-44 MPI_Isend
0 45-46 MPI_Isend
0 60 leave step
1 0 enter step
1 1-2 pack
1 5 leave step
1 10 enter step
1 11-12 pack
1 13-14 MPI_Isend
1 15-16 MPI_Isend
1 50 leave step
1 60 enter step
1 61-67 step
END
    "$BUILD/tools/mktrace" run.txt run
}

@test "paths through a region, counted by hand" {
    run -0 "$PAGODA" replay --paths step run
    [ "${lines[0]}" = "trace run: paths through step" ]
    [[ ${lines[2]} == *"3  70 ns  23 ns  10 ns  40 ns  pack, MPI_Isend x 2" ]]
    [[ ${lines[3]} == *"2  10 ns   5 ns   5 ns   5 ns  pack" ]]
    [[ ${lines[4]} == *"1   7 ns   7 ns   7 ns   7 ns  step" ]]
    [[ ${lines[5]} == *"1   1 ns   1 ns   1 ns   1 ns  (no call)" ]]
    [ "${#lines[@]}" = 6 ]
}

@test "rows beyond --top are summed as others; JSON has all" {
    run "$PAGODA" replay --paths step --top 1 run
    [[ ${lines[3]} == *"4  18 ns   4 ns   1 ns   7 ns  (others)" ]]
    run bash -c '"$PAGODA" replay --json --paths step run | /usr/bin/python3 -c "
import json, sys
found = json.load(sys.stdin)
print([(p[\"count\"], p[\"total_ns\"], [(c[\"region\"], c[\"times\"]) for c in p[\"calls\"]])
       for p in found[\"paths\"]], found[\"others\"])"'
    [ "$output" = "[(3, 70, [('pack', 1), ('MPI_Isend', 2)]), (2, 10, [('pack', 1)]), (1, 7, [('step', 1)]), (1, 1, [])] None" ]
}

@test "of more than 1024 paths the others are one, and nothing is lost" {
    for i in $(seq 1 1100); do
        echo "0 $((i * 10)) enter step"
        for bit in 0 1 2 3 4 5 6 7 8 9 10; do
            echo "0 $((i * 10)) enter f$((2 * bit + (i >> bit & 1)))"
            echo "0 $((i * 10)) leave f$((2 * bit + (i >> bit & 1)))"
        done
        echo "0 $((i * 10 + 3)) leave step"
    done >many.txt
    "$BUILD/tools/mktrace" many.txt many
    run bash -c '"$PAGODA" replay --json --paths step many | /usr/bin/python3 -c "
import json, sys
found = json.load(sys.stdin)
print(len(found[\"paths\"]), sum(p[\"count\"] for p in found[\"paths\"]), found[\"others\"])"'
    [ "$output" = "1024 1024 {'count': 76, 'total_ns': 228, 'min_ns': 3, 'max_ns': 3}" ]
}

@test "bad input" {
    says -1 "--paths: the run has no region \`stp\`; did you mean \`step\`?" "$PAGODA" replay --paths stp run
    says -2 "--paths is of the measured run" "$PAGODA" replay --paths step --ideal run
}

@test "a function of which only calls are known has no paths" {
    { echo "region caller caller.c:1"; cat run.txt; } | "$BUILD/tools/mktrace" - caller
    run -1 "$PAGODA" replay --paths caller caller
    [[ $output == *'no rank visits `caller`; of a function that was not recorded only the calls are known' ]]
}
