# SPDX-License-Identifier: BSD-3-Clause
# pagoda replay with what-if options that change regions: what REGION may be, and each option, on
# traces of tests/traces/whatif that are small enough to compute by hand.
load ../whatif
TRACE=regions

# predicted ARGUMENTS...: the run time of the names trace, with the exit status of `replay`.
predicted() {
    "$PAGODA" replay names "$@" --json | jq .whatif.predicted_ns
}

@test "regions of C++: as they are shown, whole, and in short forms that mean one" {
    archive advise/names
    # All that the report's tables of regions and call paths show is taken.
    "$PAGODA" replay names >report
    sed -n '/^Time by region/,/^$/p' report | tail -n +3 | cut -c57- |
        sed 's/  [a-z]*\.c.*//; /^$/d; /^MPI_/d' >shown
    [ "$(wc -l <shown)" = 8 ]
    while read -r name; do
        [ "$(predicted --scale "$name=0")" -lt 910000 ]
    done <shown
    # 100 us are gone, whatever of the name is given.
    for name in 'ns::solve(int, char const*)' 'solve(int, char const*)' 'ns::operator==' operator== \
        operator/ 'ns::operator/' main/operator/ 'ns::Grid<>::relax<>' 'Grid::relax' relax 'relax<3>' \
        'void ns::Grid<double, std::vector<double> >::relax<3>(std::vector<double> const&)' \
        'before exchange_all/MPI_Send' 'before Halo<double, 3>::exchange_all/MPI_Send at halo.cpp:9'; do
        [ "$(predicted --scale "$name=0")" = 810000 ]
    done
    # A name with a / is one name, with and without a backslash.
    for name in 'a/b=c*' 'a\/b=c*' 'main/a/b=c*' 'main/a\/b*' '/main/a/b=c*'; do
        [ "$(predicted --scale "$name=0")" = 710000 ]
    done
    [ "$(predicted --scale 'a/b=c*=0' --scale "it's \$HOME=0" --duration 'solve(int, char const*)=0')" = 510000 ]
    [ "$(predicted --balance 'a/b=c*=0-1')" = 810500 ]
    [ "$(predicted --balance 'ns::operator==')" = 910000 ]
    # What means several is said in one sentence, with the names.
    run ! "$PAGODA" replay names --scale solve=0
    [ "$output" = 'pagoda: --scale solve: solve is ambiguous: solve(int, char const*), solve(double, char const*)' ]
    run ! "$PAGODA" replay names --scale 'solve(float)=0'
    [[ $output == *'there is no such region'* ]]
    # What was changed is kept as a part of a command.
    options=$("$PAGODA" replay names --scale 'solve(int, char const*)=0' --scale "it's \$HOME=0" --json |
        jq -r .whatif.change)
    [ "$(eval "predicted $options")" = 710000 ]
}

@test "a region is offered for an unknown one where it is near" {
    for name in CalcMonotonicQForElems 'ns::Grid<double, 3, ns::Layout>::exchange(int)'; do
        printf '%s\n' "0 0 enter \"$name\"" "0 5 leave \"$name\""
    done >near.txt
    "$BUILD/tools/mktrace" near.txt near
    run ! "$PAGODA" replay near --scale CalcKinematicsForElems=0
    [[ $output != *'is it'* ]]
    run ! "$PAGODA" replay near --scale CalcMonotnicQForElms=0
    [[ $output == *'; is it CalcMonotonicQForElems?' ]]
    # As it is shown, which is taken.
    run ! "$PAGODA" replay near --scale 'ns::Grid<>::exchnge=0'
    [[ $output == *'; is it ns::Grid<>::exchange?' ]]
}

@test "regions: lists of values, a row each" {
    "$PAGODA" replay --json --scale solve=1,0.5,0 trace |
        jq -e '.whatif.points | map([.set["scale solve"], .predicted_ns]) ==
            [["1", 6500], ["0.5", 4000], ["0", 1500]]'
}

@test "bad input: regions" {
    refused '--scale slove: there is no such region; is it solve\?' --scale slove=2
    refused '--scale main/slove: there is no region slove; is it solve\?' --scale main/slove=2
    refused '--scale setup/kernel: the run has no such call path; is it main/' --scale setup/kernel=2
    refused '--scale /kernel: the run has no such call path; is it main/solve/kernel\?' --scale /kernel=2
    refused '--scale qqqqqqqq: there is no such region; there are main, ' --scale qqqqqqqq=2
    refused '--scale main//kernel: a name is missing beside a /' --scale main//kernel=2
    refused '`before MPI_Barrier. names the computing' --scale MPI_Barrier=0
    refused 'does not tell where MPI calls are made' --scale 'regions.c:12=0'
    use sites
    refused '--scale farm.c:13: no MPI call is made there; is it farm.c:12\?' --scale farm.c:13=0
    refused '--scale frm.c:12: no MPI call is made there; is it farm.c:12\?' --scale frm.c:12=0
    refused '--scale frm.c:\*: no MPI call is made there; is it farm.c:\*\?' --scale 'frm.c:*=0'
    refused 'before MPI_Snd: there is no such region; is it before MPI_Send\?' --scale 'before MPI_Snd=0'
    refused "before X\*: there is no such region; there are before MPI_[A-Z][a-z]*, before MPI_" \
        --scale 'before X*=0.5'
    refused 'no such region; there are [^,]+, [^,]+, [^,]+, [^,]+, ...$' --drop-sync qqqqqqqq
}

# assumed PATTERN OPTIONS...: what the prediction says it assumes.
assumed() {
    local pattern=$1
    shift
    "$PAGODA" replay --json "$@" trace | jq -r '.whatif.assumptions[]' | grep -E -- "$pattern"
}

@test "duration: of visits between two MPI calls" {
    "$PAGODA" replay --json --duration solve=3us,1us trace | jq -e '.whatif.points |
        map([.set["duration solve"], .predicted_ns]) == [["3us", 4500], ["1us", 2500]]'
    # The profile of the predicted run: kernel has its share of solve.
    "$PAGODA" replay --json --duration solve=3us trace | jq -e '.whatif.critical_path.length_ns == 4500'
}

@test "duration: of visits that contain MPI calls" {
    use visits
    assumed '^--duration step: the process time of each of 4 visits is set' --duration step=1us
}

@test "balance: visit by visit, by totals, over some ranks" {
    use visits
    assumed 'step: visit by visit, the n-th visits of 2 ranks get their mean' --balance step
    assumed 'task: by the totals of 2 ranks, because they visit it unequally often' --balance task
}

@test "balance: ranks that never visit a region share its work, as many as have cores" {
    archive whatif/shared-out out
    "$PAGODA" replay out --balance serial=0-1 | tr -s ' \n' ' ' >report
    grep -qF 'the n-th visits of 2 ranks get their mean; those that never visit it do their part' report
    "$PAGODA" replay out --balance serial=0-1 --cores 1 | tr -s ' \n' ' ' >report
    grep -qF 'the n-th visits of 1 rank get their mean, as many as have cores at once;' report
}

@test "balance: visits that contain MPI calls change by one factor, and the report names the way to a finer region" {
    use in-turns
    assumed 'A visit contains MPI calls and is scaled as a whole.* such as "before CALLS"' --balance '(program)'
    "$PAGODA" replay --json --balance step trace | jq -e '.whatif.assumptions | any(test("scaled as a whole")) | not'
}

@test "duration and balance without recorded functions" {
    use sites
    assumed 'produce: not recorded as a region' --duration produce=100ns
    # All of both ranks: 4000 and 500 become 2250; rank 0: 562 before the second send.
    [ "$(predict --balance '(program)' | jq .[0])" -lt 4000 ]
}

@test "bad input: duration and balance" {
    refused '--duration solve: not of the form REGION=T' --duration solve
    refused '--duration solve=3parsec: unknown unit' --duration solve=3parsec
    refused '--duration solve=2h: more than an hour' --duration solve=2h
    refused '--duration slove: there is no such region; is it solve' --duration slove=1s
    refused '--balance slove: there is no such region; is it solve' --balance slove
    refused '--balance solve=0-7: there is no rank 7, the last one is 1' --balance solve=0-7
    refused '--balance solve=x: .*is not a list of ranks' --balance solve=x
    refused '--balance =1: not of the form' --balance =1
    refused 'inside one another: the work of only one' --balance solve --duration kernel=1us
}

@test "synchronisation left out" {
    use left-out
    left_out() { "$PAGODA" replay --json "$@" trace | jq -c .whatif.left_out; }
    [ "$(left_out --drop-sync main)" = '{"messages":0,"resized_messages":0,"collectives":1,"partly":0}' ]
    [ "$(left_out --drop-sync sync | jq .partly)" = 1 ]
    use collectives
    assumed '--drop-sync MPI_\*: operations that carry data are left out too' --drop-sync 'MPI_*'
    "$PAGODA" replay --json --drop-sync main trace | jq -e '.whatif.assumptions == []'
}

@test "as many regions as there can be" {
    use collectives
    local others=() i
    for ((i = 0; i < 63; i++)); do others+=(--scale main=1); done
    [ "$(predict "${others[@]}" --drop-sync 'M*')" = "$(predict --drop-sync 'M*')" ]
    refused 'more than 64 regions' "${others[@]}" --drop-sync 'M*' --drop-sync main
}

@test "messages left out, or of another size" {
    use left-out
    "$PAGODA" replay --json --cut-messages 'tag==7-8,12=0,1' trace | jq -e '.whatif.points |
        map([.set["cut-messages tag==7-8,12"], .predicted_ns, .left_out.messages]) ==
            [["0", 4500, 2], ["1", 6000, 0]]'
    says "Left out      1 message not sent, 0 with another size;" "$PAGODA" replay --cut-messages tag==7 trace
    says "Left out      nothing: the run has no such messages" "$PAGODA" replay --cut-messages tag==9 trace
}

@test "bad input: what is left out" {
    use left-out
    refused '--drop-sync MPI_Barier: there is no such region; is it MPI_Barrier' --drop-sync MPI_Barier
    refused '--drop-sync snyc: there is no such region; is it sync' --drop-sync snyc
    refused 'unknown selector .sise.; is it size' --cut-messages 'sise>1'
    refused 'not of the form CONDITION' --cut-messages 'size'
    refused '--cut-messages: its value is empty' --cut-messages ''
    refused 'is not an operator; there are == != < <= > >=' --cut-messages 'size<>1'
    refused 'only == may follow tag' --cut-messages 'tag>1'
    refused 'size: unknown unit' --cut-messages 'size>1parsec'
    refused 'there is no rank 7, the last one is 1' --cut-messages 'peer==0-7'
    refused 'tags are written as' --cut-messages 'tag==9-7'
    refused 'tag is given twice' --cut-messages 'tag==9&&tag==7'
    refused 'not a number' --cut-messages 'tag==9=half'
    refused 'factor is from 0 to' --cut-messages 'tag==9=5000'
    refused 'smaller than 0 bytes' --cut-messages 'size<0'
}

@test "the predicted archive has the work that was set" {
    profile() { "$PAGODA" replay --json predicted | jq -c '[.profile[] | select(.region | test("^(setup|solve|output)$")) | .inclusive_ns]'; }
    # setup 1000 + 1000, output 500 + 500; solve 1000 + 1000, or 4000 + 4000 of 3000 + 5000.
    "$PAGODA" replay --duration solve=1us --output predicted trace >/dev/null
    [ "$(profile | jq -c sort)" = '[1000,2000,2000]' ]
    rm -r predicted
    "$PAGODA" replay --balance solve --output predicted trace >/dev/null
    [ "$(profile | jq -c sort)" = '[1000,2000,8000]' ]
}
