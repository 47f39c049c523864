#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tuning points: settings of MPI libraries among the remedies of findings, and files of them.
load ../checked_files

# late BYTES [DEFINITION...]: the trace `late`. In each of forty steps rank 0 computes twice for 300 us and sends
# each time; rank 1 computes for 100 us, then for 500. The second message waits for its receiver 200 us. Eager, both
# ranks take some 620 us a step in place of 820.
late() {
    {
        [ $# = 1 ] || printf '%s\n' "${@:2}"
        printf 'nodes %s %s\ncores %s 2\n' "${nodes[0]-a}" "${nodes[1]-a}" "${nodes[0]-a}"
        echo '0-1 0 enter main'
        awk -v bytes="$1" 'function at(us) { return (step * 820 + us) * 1000 }
            function call(rank, from, to, name, record) {
                printf "%d %d-%d %s ; %d %s world %d 0 %d\n", rank, at(from), at(to), name,
                    name == "MPI_Send" ? at(from) + 100 : at(to) - 100, record, 1 - rank, bytes }
            BEGIN { for (step = 0; step < 40; step++) {
                printf "0 %d-%d work\n1 %d-%d work\n", at(0), at(300), at(0), at(100)
                call(0, 300, 310, "MPI_Send", "send"); call(1, 100, 310, "MPI_Recv", "recv")
                printf "0 %d-%d work\n1 %d-%d work\n", at(310), at(610), at(310), at(810)
                call(0, 610, 820, "MPI_Send", "send"); call(1, 810, 820, "MPI_Recv", "recv") } }'
        echo '0-1 32800000 leave main'
    } >late.txt
    rm -rf late
    "$BUILD/tools/mktrace" late.txt late
}

# settings [OPTION...]: the settings among all remedies of the trace's findings.
settings() { "$PAGODA" replay --json "$@" late | jq -r '.findings[].remedies[] | select(.setting) | .setting'; }

ompi_setting='mpirun --mca btl_vader_flags send,put,get,atomics,fetching-atomics --mca btl_vader_eager_limit'

@test "a finding proposes the setting of the MPI library that was recorded" {
    late 16384 'mpi openmpi'
    [ "$(settings)" = "$ompi_setting 17408 --mca btl_vader_segment_size 67108864" ]
    "$PAGODA" replay --json late | jq -e '.findings[0].remedies | map(select(.setting)) | length == 1 and
        (.[0] | .words == "--eager 17408" and .gain_ns > 7000000 and .gain_ns < 8500000 and (.limits | length) > 0)'
    "$PAGODA" replay late | tr -s ' \n' ' ' >report
    grep -q "at once, without a change of the program ($ompi_setting 17408 .*): predicted to save 7" report
    "$PAGODA" advise late | grep -q "without a change of the program ($ompi_setting 17408"

    late 16384 'mpi mpich'
    [ "$(settings)" = 'UCX_RNDV_THRESH=17408 mpiexec' ]
}

@test "the prediction of eager messages says that it takes buffers for unlimited" {
    late 16384
    "$PAGODA" replay --json --eager 16384 late | jq -e '.whatif.assumptions | any(test("^buffers hold all messages"))'
    "$PAGODA" replay --json --aggregate all late | jq -e '.whatif.assumptions | any(test("^buffers")) | not'
}

@test "versions and builds choose among the settings" {
    point() { # ATTRIBUTES...: a tuning point with these settings, numbered from 1 on
        local n=0 attributes
        echo '<tuning id="eager-messages" findings="master-waits dep*-work"><name>N</name>'
        echo '<remedy option="eager" value="{held_limit}">Send eagerly</remedy>'
        for attributes in "$@"; do echo "<setting library=\"openmpi\" $attributes>$((n += 1))</setting>"; done
        echo '</tuning>'
    }
    chosen() { # VERSION WANTED ATTRIBUTES...
        late 16384 'mpi openmpi' "fact PAGODA::MPI_VERSION $1"
        point "${@:3}" >own.xml
        [ "$(settings --patterns own.xml)" = "$2" ]
    }
    chosen v4.1.4 2 'from="4.2"' 'from="4.1" before="4.2"'
    chosen v4.1 1 'from="4.1.0"' ''
    chosen v4.1 2 'before="4.1"' ''
    chosen v4.10 2 'before="4.9"' ''
    chosen v4.1.4 '' 'from="5"'
    chosen v4.1.4-ucx 1 'build="-ucx"' ''
    chosen v4.1.4-ofi 2 'build="-ucx"' ''
    late 16384 'mpi openmpi' # of unknown version
    [ "$(settings --patterns own.xml)" = 1 ]
}

@test "of an unknown MPI library the settings of all are shown, of one without settings none" {
    late 16384
    settings | grep "^Open MPI from 4.1 before 5.0: mpirun .* 67108864; MPICH from 4.0 .*: UCX_RNDV_THRESH=17408 mpiexec$"
    late 16384 'mpi other'
    [ -z "$(settings)" ]
}

@test "a setting is not proposed where it does not hold or saves nothing" {
    late 262144 'mpi openmpi'
    [ -n "$(settings)" ]
    late 262145 'mpi openmpi' # too large to be buffered
    [ -z "$(settings)" ]
    nodes=(a b)
    late 16384 'mpi openmpi' # between nodes
    [ -z "$(settings)" ]
    unset nodes
    late 16384 'mpi openmpi'
    sed 's/MPI_Send/MPI_Ssend/' late.txt >synchronous.txt
    rm -rf late
    "$BUILD/tools/mktrace" synchronous.txt late
    [ -z "$(settings)" ]
    "$PAGODA" replay --json late | jq -e '[.findings[].remedies[] | select(.words == "--overlap main")][0].gain_ns > 7000000'
}

@test "what waits longest decides on the size" {
    late 16384 'mpi openmpi'
    awk '/MPI_Send/ && ++n > 76 || /MPI_Recv/ && ++m > 76 { sub(/16384$/, "100000") } 1' late.txt >one.txt
    rm -rf late
    "$BUILD/tools/mktrace" one.txt late # a twentieth of the waits are for larger ones
    [[ $(settings) == *"eager_limit 17408 "* ]]
    awk '/MPI_Send/ && ++n > 68 || /MPI_Recv/ && ++m > 68 { sub(/16384$/, "100000") } 1' late.txt >two.txt
    rm -rf late
    "$BUILD/tools/mktrace" two.txt late # three of twenty are
    [[ $(settings) == *"eager_limit 100352 "* ]]
}

@test "explain and check show tuning points, the shipped and one of the user's" {
    "$PAGODA" explain tuning | grep '^eager-messages  *Larger messages'
    "$PAGODA" explain eager-messages >page
    grep -q 'UCX_RNDV_THRESH={held_limit} mpiexec' page
    grep -q '^findings *receiver-\*, waiting' page
    "$PAGODA" explain --json eager-messages |
        jq -e '.tuning[0] | .id == "eager-messages" and .remedy.option == "eager" and
            (.settings | map(.library) == ["openmpi", "mpich"])'
    sed 's/id="eager-messages"/id="own"/' "$ROOT/patterns/tuning/eager-messages.xml" >own.xml
    "$PAGODA" explain own.xml | grep -q '^own$'
    "$PAGODA" check own.xml | grep -q 'tuning point: 2 settings'
    [ "$("$PAGODA" explain --patterns own.xml tuning | wc -l)" = 2 ]
}

@test "files that are no tuning points" {
    local good=$ROOT/patterns/tuning/eager-messages.xml n=0 edit text
    while IFS='|' read -r edit text; do
        n=$((n + 1))
        sed "$edit" "$good" >"edit-$n.xml"
        ! cmp -s "$good" "edit-$n.xml"
        wrong_file "edit-$n.xml" "$text"
    done <<'END'
s/receiver-\* /reciever-late /|there is no kind of findings 'reciever-late', did you mean 'receiver-late'?
s/findings="[^"]*"//|<tuning> needs findings="..."
s/id="eager-messages"/id="late-sender"/|'late-sender' is the name of a pattern or a kind of findings
s/id="eager-messages"/id="receiver-late"/|'receiver-late' is the name of a pattern or a kind of findings
s/option="eager"/option="eagr"/|<remedy>: 
s/ value="{held_limit}"//|--eager needs value="..."
s/<remedy /<remedy proof="yes" /|proof is for remedies in a kind of findings
s/nodes == 1/nods == 1/|nods
s/{held_limit} mpiexec/{held_limt} mpiexec/|<setting>: 
s/library="mpich"/library="intel"/|unknown library intel; there are openmpi, mpich
s/ library="mpich"//|<setting> needs library="...", one of openmpi, mpich
s/from="4.1"/from="v4.1"/|from="v4.1": a version is numbers joined by points, as 4.1
s/<name>.*<\/name>//|tuning 'eager-messages' needs <name>, <remedy> and <setting>
s/<limits>/<limit>/;s/<\/limits>/<\/limit>/|<tuning> has no element 'limit', did you mean 'limits'?
END
    wrong_files_refused
}
