# SPDX-License-Identifier: BSD-3-Clause
# What replay says of wrong what-if options, option by option: exit status 2 where the command line
# is wrong whatever the trace, 1 where the run lacks what is named; one sentence with the option, its
# value and the nearest that there is.
load ../helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    archive whatif/regions trace
    cat >machine.xml <<'END'
<machine name="m"><message scope="network"><point bytes="0" time="1us"/></message></machine>
END
}

# is STATUS SENTENCE OPTIONS...: one line on stderr that has the sentence, nothing on stdout.
is() {
    cd "$BATS_FILE_TMPDIR" || return
    run --separate-stderr "$PAGODA" replay trace "${@:3}"
    [[ $status == "$1" && -z $output && $stderr == "pagoda: "*"$2"* && $stderr != *$'\n'* ]] || {
        echo "replay ${*:3}: $status instead of $1, $stderr"
        return 1
    }
}

# values STATUS SENTENCE OPTION VALUES...: likewise each of the values, which it begins with.
values() {
    local value
    for value in "${@:4}"; do
        is "$1" "$2" "$3" "$value" && [[ $stderr == "pagoda: $3 $value: "* ]] || return
    done
}

@test "every what-if option refuses an empty value, and what is none of its values" {
    local option bad needs
    cd "$BATS_FILE_TMPDIR"
    while read -r option bad needs; do
        # shellcheck disable=SC2086 # several words
        is 2 "$option: its value is empty" "$option" '' $needs
        # shellcheck disable=SC2086
        is 2 "$option ${bad//_/ }: " "$option" "${bad//_/ }" $needs
        echo "$option"
    done >options <<'END'
--place a
--state x --place a=0-1
--nodes x
--map blok --nodes 2
--cores x
--sharing sticki
--wait spinn
--slice x
--buffered x
--hand-over x
--cpu-speed x
--latency x --machine machine.xml
--bandwidth x --machine machine.xml
--eager x --machine machine.xml
--draws x --machine machine.xml
--add-latency x
--tolerance x
--scale solve
--duration solve
--balance =0
--cut-messages sise>=3
--move solve=0
--move-data x --move solve=0:1
--aggregate x
--workers x
--rebalance magda:poll=x
END
    for option in --machine --slowdown --speeds --drop-sync --overlap --overlap-progress --dealing; do # no form is wrong
        is 2 "$option: its value is empty" "$option" ''
        echo "$option" >>options
    done
    is 2 '--timeless takes no value' --timeless=1
    is 2 '--untraced takes no value' --untraced=1
    is 2 '--network-parts takes no value' --network-parts=1 --machine machine.xml
    is 1 '--untraced: the trace does not say what recording cost' --untraced
    is 2 '--traced takes no value' --traced=1
    printf '%s\n' --timeless --untraced --traced --network-parts >>options
    # None is missing here.
    "$PAGODA" replay --help what-if | grep -o -- '^      --[a-z-]*' | tr -d ' ' | sort >all
    sort options >given; diff given all
    # The manual says what each means.
    sed -n '/^\.Sh WHAT-IF OPTIONS IN DETAIL/,$p' "$ROOT/man/pagoda-whatif.7" | sed '2,${/^\.Sh/q;}' >detail
    while read -r option; do
        grep -Eq -- "^\.(It )?Fl .*${option#-}( |\$)" detail || {
            echo "$option is not in WHAT-IF OPTIONS IN DETAIL of pagoda-whatif(7)"
            return 1
        }
    done <all
}

@test "of an option that takes one list a second one is refused" {
    is 2 '--nodes 3: given already, as 2' --nodes 2 --nodes 3
    is 2 '--machine other.xml: given already, as machine.xml' --machine machine.xml --machine other.xml
    is 2 '--latency 2us: given already' --machine machine.xml --latency 1us --latency 2us
}

@test "options that exclude each other, or need one that is missing" {
    is 2 '--place and --nodes both say where ranks run' --place a=0-1 --nodes 2
    is 2 '--hand-over and --slice exclude each other' --hand-over 1us --slice 4ms
    is 2 '--timeless cannot move work' --timeless --machine machine.xml --overlap solve
    is 2 '--timeless cannot move work' --timeless --machine machine.xml --move solve=0:1
    is 2 '--workers and --rebalance both decide which rank does which work' --workers 2 --rebalance magda
    is 2 '--map says how ranks are dealt to --nodes, which is missing' --map block
    local option
    for option in '--latency 1us' '--bandwidth 1MB' --timeless; do
        # shellcheck disable=SC2086 # two words
        is 2 '--machine, which is missing' $option
    done
    is 2 '--move-data says what the messages carry of --move, which is missing' --move-data 1
}

@test "values that are words" {
    is 2 '--map cylic: it is block, cyclic or auto; did you mean cyclic?' --nodes 2 --map cylic
    is 2 '--map atuo: it is block, cyclic or auto; did you mean auto?' --nodes 2 --map atuo
    is 2 '--sharing sticki: it is fluid or sticky; did you mean sticky?' --sharing sticki
    is 2 '--wait spinning: it is block or spin' --wait spinning
}

@test "lists of values" {
    local option
    for option in --nodes --cores --slice --add-latency --aggregate --workers --cpu-speed; do
        values 2 'a value of the list is empty' "$option" 1, ,1 1,,2 ,
    done
    is 2 '--scale solve=1,: a value of the list is empty' --scale solve=1,
    is 2 '--cores 0: from 1 to' --cores 2,0
    is 2 '--latency x: not a value such as' --machine machine.xml --latency 1us,x
    is 2 'more than 1000 combinations' --nodes 1,2,3,4,5,6,7,8,9,10 --cores 1,2,3,4,5,6,7,8,9,10 \
        --cpu-speed 1,2,3,4,5,6,7,8,9,10,11
    is 2 '--map auto searches for one prediction' --nodes 1,2 --map auto
    is 2 '--map auto searches for one prediction' --nodes 2 --map auto,block
    is 2 '--tolerance is found for one prediction' --nodes 1,2 --tolerance 1
}

@test "numbers" {
    local option
    for option in --nodes --cores --workers; do
        values 2 'from 1 to ' "$option" 0 4294967296
        values 2 'too large' "$option" 18446744073709551616 99999999999999999999
        values 2 'not a whole number' "$option" -1 1.5 1e3 inf nan 0x2 '1 ' 2x
    done
    values 2 'from 0.001 to 1000' --cpu-speed 0 0.0001 1001 1e300
    values 2 'not a number such as 3 or 0.25' --cpu-speed -1 inf nan 1e 0x1 a=x
    values 2 'from 0 to 1000' --scale solve=1001 solve=1e300
    values 2 'not a number' --scale solve=-1 solve=nan solve=inf solve=0x1 solve=
    values 2 'percent, more than 0 and at most 1000' --tolerance 0 1001
    values 2 'not a number' --tolerance 1, 1,,5 -1 nan
    is 2 'not a number such as 3 or 0.25, it is below 0' --cpu-speed -1
}

@test "times" {
    local option
    for option in --slice --hand-over --add-latency; do
        values 2 'too large' "$option" 1e300us 99999999999999999999 1e10s
        values 2 'more than an hour' "$option" 2h 61min 9e9s
        values 2 'not a value such as 10us, 1.5ms or 2s' "$option" inf nan .us -1us
        values 2 'unknown unit `u`; is it us?' "$option" 1u
        values 2 'unknown unit `MS`; is it ms?' "$option" 1MS
        values 2 'unknown unit `parsec`; there are ns, us, ' "$option" 1parsec
    done
    is 2 '--slice 999ns: less than 1us' --slice 999ns
    values 2 'more than an hour' --duration solve=2h
    is 2 '--latency 2h: more than an hour' --machine machine.xml --latency 2h
    is 2 '--hand-over -1us: not a value such as 10us, 1.5ms or 2s, it is below 0' --hand-over -1us
}

@test "sizes" {
    local option
    for option in '--machine machine.xml --bandwidth' '--machine machine.xml --eager' \
        '--move solve=0:1 --move-data' --buffered; do
        # shellcheck disable=SC2086 # several words
        is 2 ' 1mb: unknown unit `mb`; is it MB?' $option 1mb
        # shellcheck disable=SC2086
        is 2 ' 1e300: too large' $option 1e300
        # shellcheck disable=SC2086
        is 2 ' -1: not a value such as 512, 64KiB or 1.5MB, it is below 0' $option -1
    done
    is 2 '--bandwidth 0.1: more than 0 bytes a second' --machine machine.xml --bandwidth 0.1
    is 2 '--aggregate 1kb: it is a size or all: unknown unit `kb`; is it kB?' --aggregate 1kb
    is 2 '--aggregate 1e300: it is a size or all: too large' --aggregate 1e300
}

@test "placements" {
    values 2 'not of the form [PHASE:]NODE=RANKS' --place a = a= =0 :a=0 solve:=0 solve:a=
    values 2 'is not a list of ranks' --place a=x a=0, a=,0 a=0,,1 a=-1 a=0x1 'a=0 1' a==0 a=0-
    values 2 '1-0 is not a range of ranks' --place a=1-0
    is 2 '--place a=0,1,1: rank 1 is on node a already' --place a=0,1,1
    is 2 '--place b=7-9: rank 8 is on node a already' --place a=8-12 --place b=7-9
    is 2 '--place solve:b=0-1: rank 0 is on node a already' --place solve:a=0 --place solve:b=0-1
    is 1 '--place slove: there is no such region; is it solve?' --place slove:a=0
    is 1 '--place before MPI_Barrier: a phase begins with a function or a marker' --place 'before MPI_Barrier:a=0'
    is 1 '--state: no rank changes its node: --place needs a PHASE' --place a=0-1 --state 1 \
        --machine machine.xml
    is 1 '--state: how long it takes comes from a machine file' --place solve:a=0 --state 1
    is 2 '--state is what ranks take along that change their node by --place, which is missing' --state 1
    is 2 '--place c=0-99999999: rank 5 is on node b already' --place b=5 --place c=0-99999999
    is 1 '--place a=0-2: there is no rank 2, the last one is 1' --place a=0-2
    is 1 'there is no rank 99999999999999999999, the last' --place a=0-99999999999999999999
    is 1 '--place: rank 1 is on no node' --place a=0
    is 1 '--cpu-speed alhpa: there is no such node; is it alpha?' --place alpha=0-1 --cpu-speed alhpa=2
    is 1 '--cpu-speed x: there is no such node; there are alpha, beta' --place alpha=0 --place beta=1 \
        --cpu-speed x=2
    cd "$BATS_TEST_TMPDIR"
    archive whatif/worked-example three
    run -1 "$PAGODA" replay three --place a=1
    [[ $output == *'--place: ranks 0,2 are on no node' ]]
}

@test "regions, and ranks with them" {
    values 2 'not of the form REGION=FACTOR' --scale =2 solve
    values 2 'not of the form REGION=T' --duration =2s solve
    values 2 'not of the form REGION=FROM:TO' --move solve =0:1 solve=01
    values 2 'is not a list of ranks' --move solve=0: solve=:1 solve=x:1 solve=0:1: solve=0:1,
    values 2 'rank 1 cannot be on both sides' --move solve=1:1 solve=0-1:1 solve=1:0-99999999
    values 2 'is not a list of ranks' --balance solve= solve=x solve=0,
    values 2 '1-0 is not a range of ranks' --balance solve=1-0
    values 1 'there is no rank 9, the last one is 1' --balance solve=9 solve=0-9
    is 1 '--scale solve on rank 9: there is no rank 9, the last one is 1' --scale 'solve on rank 9=0.5'
    is 1 '--scale slove: there is no such region; is it solve?' --scale 'slove on ranks 0-1=0.5'
    is 1 '--scale solve on rank x: there is no such region' --scale 'solve on rank x=0.5'
    values 1 'there is no rank 9, the last one is 1' --move solve=0:9 solve=9:0
    is 1 '--scale slove: there is no such region; is it solve?' --scale slove=2
    is 1 '--scale MPI_Barrier: there is no such region' --scale MPI_Barrier=0
    is 1 '--duration slove: there is no such region; is it solve?' --duration slove=2s
    is 1 '--balance slove: there is no such region; is it solve?' --balance slove
    is 1 '--drop-sync slove: there is no such region; is it solve?' --drop-sync slove
    is 1 '--overlap slove: there is no such region; is it solve?' --overlap slove
    is 1 '--move slove: there is no such region; is it solve?' --move slove=0:1
}

@test "regions that are offered are such as can be named" {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' '0 0 enter main' '0 10 enter solve' '0 20 leave solve' '0 30 leave main' >few.txt
    "$BUILD/tools/mktrace" few.txt few
    run -1 "$PAGODA" replay few --scale qqqqqq=1
    [ "$output" = 'pagoda: --scale qqqqqq: there is no such region; there are main, solve, (program)' ]
}

@test "messages" {
    values 2 'not of the form CONDITION' --cut-messages size tag=1 'size=>1'
    values 2 'a value is missing after >=' --cut-messages 'size>='
    values 2 'a name is missing' --cut-messages 'size>1&&' '&&tag==1' '==1'
    values 2 'is not an operator; there are == != < <= > >=' --cut-messages 'size<>1' 'size!1'
    values 2 'unknown selector `sise`; is it size?' --cut-messages 'sise>=3' 'tag==1&&sise==3=0.5'
    values 2 'only == may follow' --cut-messages 'tag>5' 'from<2'
    values 2 'tags are written as 7 or 7-9,12' --cut-messages tag==x tag==7, tag==9-7 tag==4294967296
    values 2 'is not a list of ranks' --cut-messages from==x to==0, peer==-1
    values 2 'is given twice' --cut-messages 'tag==1&&tag==2' 'from==0&&from==1'
    values 2 'not a number such as 3 or 0.25' --cut-messages tag==5=x tag==5=1=2 tag==5= tag==5=nan
    values 2 'the factor is from 0 to 1000' --cut-messages tag==5=1001
    values 2 'no size is both' --cut-messages 'size>9&&size<3'
    values 2 'size: unknown unit `mb`; is it MB?' --cut-messages 'size>1mb'
    values 1 'there is no rank 9, the last one is 1' --cut-messages from==9 peer==0-9
}

@test "files" {
    is 1 'none.xml' --machine none.xml
    is 1 'none.xml' --rebalance none.xml
    is 1 'none.xml' --dealing none.xml
    is 2 '--output DIR writes one predicted run' --nodes 1,2 --output there
    is 2 '--output: its value is empty' --nodes 1 --output ''
    is 2 '--store: its value is empty' --nodes 1 --store ''
}
