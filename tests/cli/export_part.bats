# SPDX-License-Identifier: BSD-3-Clause
# pagoda export --format otf2: a part of a run as an archive.
load ../helper

# Rank 1's clock is 5 us ahead, and 1 us more after 100 us. Rank 2 is in `main` only, rank 3 has ended before.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cat >run.txt <<'END'
offset 1 5000 -5000
offset 1 106000 -6000
0 0 enter main
0 10000 enter solve
0 30000-31000 MPI_Send ; 30500 send world 1 7 64
0 50000-51000 MPI_Send ; 50500 send world 1 7 65
0 70000 leave solve
0 90000 leave main
1 5000 enter main
1 25000-37000 MPI_Recv ; 36500 recv world 0 7 64
1 45000-58000 MPI_Recv ; 57500 recv world 0 7 65
1 96000 leave main
2 0-90000 main
3 0-15000 main
END
    "$BUILD/tools/mktrace" run.txt run
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    run=$BATS_FILE_TMPDIR/run
}

@test "the records of an interval, with what is open at its ends" {
    "$PAGODA" export "$run" -o part --format otf2 --interval 25us:50us
    otf2-print part/*.otf2 | awk '/^(ENTER|LEAVE|MPI_)/ { match($0, /Region: "[^"]*"|Length: [0-9]*/)
        print $2, $3, $1, substr($0, RSTART, RLENGTH) }' | sort -k1n -k2n -s >events
    diff events - <<'END'
0 25000 ENTER Region: "main"
0 25000 ENTER Region: "solve"
0 30000 ENTER Region: "MPI_Send"
0 30500 MPI_SEND Length: 64
0 31000 LEAVE Region: "MPI_Send"
0 50000 ENTER Region: "MPI_Send"
0 50000 LEAVE Region: "MPI_Send"
0 50000 LEAVE Region: "solve"
0 50000 LEAVE Region: "main"
1 25000 ENTER Region: "main"
1 25000 ENTER Region: "MPI_Recv"
1 31188 MPI_RECV Length: 64
1 31683 LEAVE Region: "MPI_Recv"
1 39604 ENTER Region: "MPI_Recv"
1 50000 LEAVE Region: "MPI_Recv"
1 50000 LEAVE Region: "main"
2 25000 ENTER Region: "main"
2 50000 LEAVE Region: "main"
END
    # As an interval of the whole run, where what the cut lacks does not matter: the first message.
    run -0 bash -c '"$PAGODA" replay --json part | jq -c "[.time_ns, .unmatched_sends?, [.patterns[] |
        select(.count > 0) | [.id, .count, .total_ns]]]"'
    [[ $output == '[25000,'*'["late-sender",1,5000]'* ]]
    "$PAGODA" check part >checked || true
    run ! grep -qi 'damaged\|disagree' checked
}

@test "the whole run is the run" {
    "$PAGODA" export "$run" -o whole --format otf2 --interval :1s
    diff <(otf2-print "$run"/*.otf2 | grep -E '^(ENTER|LEAVE|MPI_)') \
        <(otf2-print whole/*.otf2 | grep -E '^(ENTER|LEAVE|MPI_)')
}

@test "parts that cannot be written" {
    refused() {
        says "-$1" "$2" "$PAGODA" export "$run" -o "${4:-none}" --format otf2 "${@:5}" --interval "$3"
        [ ! -e none ]
    }
    refused 1 'has no event in the interval 5s:6s' 5s:6s
    refused 1 'has no region or marker `nowhere`' nowhere
    refused 2 'FIRST:LAST wanted' 3s
    mkdir full
    touch full/file
    refused 1 full 1us:2us full
    refused 2 '--group goes with --format html and dot' 1us:2us none --group node
    says -2 '--format otf2 is of a part of the run: say which by --interval' "$PAGODA" export "$run" -o none --format otf2
}
