# SPDX-License-Identifier: BSD-3-Clause
# pagoda check: archives sound, faulty and damaged, catalogues, several files, JSON, exit statuses.
# The text traces are in tests/traces/check.
load ../helper

# refused FILE SENTENCE: exit status 1, nothing on stdout, one sentence on stderr.
refused() {
    run -1 --separate-stderr "$PAGODA" check "$1"
    [ -z "$output" ]
    [[ $stderr == "pagoda: "*"$2"* ]] || {
        echo "stderr: $stderr"
        return 1
    }
    [ "$(wc -l <<<"$stderr")" = 1 ]
}

# has CODE TEXT: the output has a line with this code and text.
has() {
    grep -qF "  $1: $2" <<<"$output" || {
        echo "no line '  $1: $2' in:"
        return 1
    }
}

@test "a sound archive" {
    archive check/sound
    run -0 --separate-stderr "$PAGODA" check sound
    [ -z "$stderr" ]
    [ "${lines[0]}" = 'sound: OTF2 archive by pagoda test writer: 2 ranks, 2 locations, 14 events, 1 message, 0 collectives, 50 ns' ]
    [ "${lines[1]}" = '  nothing wrong' ]
    [ "${#lines[@]}" = 2 ]
}

@test "a thread of which EZTrace does not say who made it" {
    printf '%s\n' '0 0 thread-begin - 0' '0 10 enter MPI_Barrier' '0 20 leave MPI_Barrier' '0 30 thread-end - 0' >made.txt
    "$BUILD/tools/mktrace" made.txt made
    run -0 "$PAGODA" check made
    [[ $output != *bad-reference* ]]
}

@test "the anchor file will do" {
    archive check/sound
    says -0 'nothing wrong' "$PAGODA" check sound/traces.otf2
}

@test "a faulty run: each fault has its line, the exit status is 0" {
    archive check/faulty
    run -0 --separate-stderr "$PAGODA" check faulty
    has unmatched-send '1 message'
    has unmatched-receive '1 receive'
    has incomplete-collective '1 collective'
    has missing-init '1 rank'
    has missing-finalize '2 ranks'
    has unbalanced-region '2 region visits'
    has backward-time '2 records'
    has clock-violation '1 clock violation'
    [ "${#lines[@]}" = 9 ]
}

@test "a missing event file: which rank, exit status 3" {
    archive check/sound
    rm sound/traces/1.evt
    run -3 --separate-stderr "$PAGODA" check sound
    has location-skipped '1 location not read at all: rank 1 (cannot read its event file (1.evt): File or directory does not exist'
}

@test "an event file that was cut: up to which event, exit status 3" {
    archive check/sound
    truncate -s -20 sound/traces/0.evt
    run -3 --separate-stderr "$PAGODA" check sound
    has location-cut '1 location readable only up to some record: rank 0 (cannot read its event file (0.evt) after event 5: damaged, or it ends too early'
}

@test "an event file whose end mark comes too early: exit status 3" {
    archive check/sound
    printf '\2' | dd of=sound/traces/0.evt bs=1 seek=18 conv=notrunc status=none
    run -3 --separate-stderr "$PAGODA" check sound
    has location-skipped '1 location not read at all: rank 0 (cannot read its event file (0.evt): damaged, or it ends too early'
}

@test "no event file can be read: why" {
    archive check/sound
    truncate -s 10 sound/traces/0.evt sound/traces/1.evt
    refused sound 'sound/traces.otf2 holds no event that can be read (2 of 2 locations fail); location "Master thread": cannot read its event file (0.evt): damaged, or it ends too early'
}

@test "what follows the end marks is not read: newlines" {
    archive check/sound
    for file in sound/traces.def sound/traces/*; do
        echo >>"$file"
    done
    run -0 --separate-stderr "$PAGODA" check sound
    [ "${lines[1]}" = '  nothing wrong' ]
}

@test "a definition file that was cut: its location is skipped, exit status 3" {
    archive check/sound
    truncate -s -2 sound/traces/1.def
    run -3 --separate-stderr "$PAGODA" check sound
    has location-skipped '1 location'
    [[ $output == *'rank 1 (its definition file (1.def) is damaged, or it ends too early)'* ]]
}

@test "a missing definition file is told, and no more" {
    archive check/sound
    rm sound/traces/1.def
    run -0 --separate-stderr "$PAGODA" check sound
    has missing-definitions '1 location without the file of its own definitions'
}

@test "what is not an archive" {
    refused missing "cannot open 'missing': No such file or directory"
    mkdir empty
    refused empty "no archive in the directory 'empty': it holds no *.otf2 file"
    echo hello >hello.txt
    refused hello.txt "'hello.txt' is not an OTF2 archive: the name of its anchor file ends in .otf2"
    : >nothing.xml
    refused nothing.xml "'nothing.xml' is not an OTF2 archive: it is empty"
    cp hello.txt hello.otf2
    refused hello.otf2 "'hello.otf2' is not an OTF2 archive"
    archive check/sound
    truncate -s -9 sound/traces.def
    refused sound "cannot read the global definitions 'sound/traces.def': damaged, or it ends too early"
    rm sound/traces.def
    refused sound "File or directory does not exist"
    cp sound/traces.otf2 sound/other.otf2
    refused sound "2 archives in the directory 'sound' (other.otf2, traces.otf2): name one of them"
}

@test "a catalogue, its patterns listed" {
    run -0 --separate-stderr "$PAGODA" check "$ROOT/patterns/late-sender.xml"
    [ "${lines[0]}" = "$ROOT/patterns/late-sender.xml: catalogue of 1 pattern" ]
    [ "${lines[1]}" = '  late-sender' ]
    [ "${lines[2]}" = '  nothing wrong' ]
}

@test "every shipped pattern" {
    run -0 "$PAGODA" check "$ROOT"/patterns/*.xml
}

@test "a kind of findings: sound, and wrong with file and line" {
    local kind="<finding id='mine' about='mpi'><name>N</name>
        <what>{rank}</what><remedy option='latency' value='0'>x</remedy></finding>"
    echo "$kind" >mine.xml
    run -0 --separate-stderr "$PAGODA" check mine.xml "$ROOT"/patterns/findings/*.xml
    [ "${lines[0]}" = "mine.xml: kind of findings: 1 what-if option" ]
    [ "${lines[1]}" = "  nothing wrong" ]
    "$PAGODA" check --json mine.xml |
        jq -e '.files[0] | .kind == "finding" and .status == 0 and .entries == 1'
    echo "${kind/latency/latencies}" >bad.xml
    refused bad.xml 'bad.xml:2: <remedy>: `latencies` is not a what-if option of pagoda replay; did you mean `latency`?'
    echo "${kind/\{rank/\{rnk}" >bad.xml
    refused bad.xml 'bad.xml:2: <what>: there is no {rnk}, did you mean {rank}?'
    echo "${kind/mine/late-receiver}" >bad.xml
    refused bad.xml "bad.xml:1: the id 'late-receiver' is that of the pattern in $ROOT/patterns/late-receiver.xml:"
}

@test "a catalogue that is wrong, and XML that is none: file and line" {
    printf '<pattern id="late-sender"\n' >cut.xml
    refused cut.xml 'cut.xml:'
    printf '<patterns>\n<pattern id="Not An Id"/></patterns>\n' >bad.xml
    refused bad.xml 'bad.xml:2'
    printf '<other name="m"/>\n' >other.xml
    refused other.xml 'other.xml:1: <other> is neither <pattern>, <patterns>, <finding>, <tuning>, <hierarchy>, <property>, <properties>,'
    printf '<!DOCTYPE p [<!ENTITY a "aaaa">]>\n<pattern id="a">&a;</pattern>\n' >entity.xml
    refused entity.xml 'entity.xml:'
}

@test "a machine file: sound, and wrong with file and line" {
    printf '<machine><message scope="node"><point bytes="0" time="1us"/></message>\n%s</machine>\n' \
        '<collective op="barrier" time="1e-6*log2(p)"/>' >machine.xml
    says -0 "machine.xml: machine file: 1 collective" "$PAGODA" check machine.xml
    "$PAGODA" check --json machine.xml | jq -e '.files[0] | .kind == "machine" and .status == 0'
    sed -i 's/log2/logg/' machine.xml
    refused machine.xml 'machine.xml:2: formula `1e-6*logg(p)`: unknown name logg'
}

@test "several files: all are checked, the worst one counts" {
    archive check/sound
    archive check/faulty
    rm faulty/traces/1.evt
    run -3 --separate-stderr "$PAGODA" check faulty sound
    [[ $output == *'sound: OTF2 archive'* ]]
    run -1 --separate-stderr "$PAGODA" check faulty missing sound
    [[ $output == *'faulty: OTF2 archive'*'sound: OTF2 archive'* ]]
    [ "$stderr" = "pagoda: cannot open 'missing': No such file or directory" ]
}

@test "JSON says the same" {
    archive check/sound
    rm sound/traces/1.evt
    run -1 --separate-stderr "$PAGODA" check --json sound missing "$ROOT/patterns/late-sender.xml"
    [ "$(jq -c '[.schema, (.files | length)]' <<<"$output")" = '[1,3]' ]
    [ "$(jq -c '.files | map([.kind, .status])' <<<"$output")" = '[["archive",3],["unknown",1],["catalogue",0]]' ]
    [ "$(jq -r '.files[1].error' <<<"$output")" = "cannot open 'missing': No such file or directory" ]
    [ "$(jq -c '.files[0].locations | map([.id, .rank, .declared_events, .events])' <<<"$output")" = '[["0",0,7,7],["1",1,7,0]]' ]
    [ "$(jq -r '.files[0].locations[1].damage' <<<"$output")" != null ]
    [ "$(jq -c '.files[0].warnings | map(.code)' <<<"$output")" = '["location-skipped","unmatched-send"]' ]
    [ "$(jq -c '.files[2].patterns' <<<"$output")" = '["late-sender"]' ]
}

@test "wrong usage" {
    run -2 "$PAGODA" check
    run -2 "$PAGODA" check --frobnicate x
}

@test "a sweep file: sound, and wrong with file and line" {
    printf '%s\n' '<sweep name="s"><parameter name="n" values="1:3"/>' \
        '<skip when="n &gt; 2"/><run>mpirun -n {n} ./app</run></sweep>' >sweep.xml
    says -0 "sweep.xml: sweep file: 3 points" "$PAGODA" check sweep.xml
    "$PAGODA" check --json sweep.xml | jq -e '.files[0] | .kind == "sweep" and .status == 0'
    sed -i 's/n &gt;/m \&gt;/' sweep.xml
    refused sweep.xml 'sweep.xml:2: formula `m > 2`: unknown name m'
}

@test "rules of pagoda reduce: sound, and wrong with file and line" {
    printf '%s\n' '# small functions' '' '  solver.c: numcalls = 1 # once' 'usec < 2 & percent > 3' >small.rules
    says -0 "small.rules: rules of pagoda reduce: 2 rules" "$PAGODA" check small.rules
    "$PAGODA" check --json small.rules |
        jq -e '.files[0] | .kind == "rules" and .status == 0 and .entries == 2'
    echo 'numcall > 3' >slip.rules
    refused slip.rules 'slip.rules:1: `numcall` is not a field; did you mean numcalls?'
    echo 'stdev = 3' >absent.rules
    refused absent.rules "absent.rules:1: a trace has no values for TAU's field stdev"
    echo 'percent < many' >>small.rules
    refused small.rules 'small.rules:5: `many` is not a number'
    # What is set with = is a configuration still.
    echo 'mpi = communication' >trace.conf
    says -0 "trace.conf: configuration of pagoda trace: 1 setting" "$PAGODA" check trace.conf
}

# Ranks on two cores, each for 1 s: USED and WAITED milliseconds of each rank; -: not known.
cores_used() {
    local n=$# rank=0 use
    {
        echo "nodes $(printf 'n %.0s' $(seq "$n"))"
        echo 'cores n 2'
        for use; do
            if [ "$use" != - ]; then
                echo "property $rank PAGODA::CORE_OF_NS 1000000000"
                echo "property $rank PAGODA::CORE_USED_NS ${use%/*}000000"
                echo "property $rank PAGODA::CORE_WAIT_NS ${use#*/}000000"
            fi
            printf '%s\n' "$rank 0 enter MPI_Init" "$rank 1000 leave MPI_Init" \
                "$rank 1000000000 enter MPI_Finalize" "$rank 1000001000 leave MPI_Finalize"
            rank=$((rank + 1))
        done
    } >used.txt
    rm -rf used
    "$BUILD/tools/mktrace" used.txt used
    "$PAGODA" replay --json used 2>/dev/null |
        jq -r '.warnings[] | select(.code == "disturbed-recording") | .text' | cut -d. -f1
}

@test "CPU time that other programs took from the ranks is told from what ranks took from each other" {
    # A core for each: all that they wait for others had. Of 95 % it is not said.
    [[ $(cores_used 900/100 900/100) == '2 ranks disturbed by other programs, which took at least 200'* ]]
    [[ $(cores_used 960/40 960/40) == '' ]]
    # Four on two cores wait as long as they run, three half as long.
    [[ $(cores_used 500/500 500/500 500/500 500/500) == '' ]]
    [[ $(cores_used 700/300 700/300 600/400) == '' ]]
    # Another program had half of one of the two cores: (2500 x 2 - 1500 x 2) / 4.
    [[ $(cores_used 375/625 375/625 375/625 375/625) == '4 ranks disturbed by other programs, which took at least 500'* ]]
    # They slept: nobody took anything.
    [[ $(cores_used 300/200 300/200 300/200 300/200) == '' ]]
    # Numbers of no recording.
    [[ $(cores_used 0/18446744073709 0/18446744073709) == '2 ranks disturbed by other programs, which took at least '* ]]
    # Of one rank nothing is known, as where it has threads that compute.
    [[ $(cores_used 375/625 375/625 375/625 -) == '' ]]
}

@test "predictions and advice from a disturbed recording say so" {
    cores_used 900/100 900/100 >/dev/null
    "$PAGODA" replay --cpu-speed 2 used | tr -s ' \n' ' ' |
        grep -q 'Disturbed 2 ranks disturbed by other programs, which took at least 200.* 10.0 % of what they would have had'
    "$PAGODA" advise used 2>/dev/null | tr -s ' \n' ' ' | grep -q 'No CPU time 2 ranks disturbed by other programs'
}

@test "random schedules of ranks on cores: never more than what other programs took is told" {
    /usr/bin/python3 "$ROOT/tests/cli/disturbance.py" "$PAGODA" "$BUILD/tools/mktrace" "$BATS_TEST_TMPDIR"
}
