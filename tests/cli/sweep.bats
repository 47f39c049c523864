# SPDX-License-Identifier: BSD-3-Clause
# pagoda sweep without a run: the schema of sweep files against what `pagoda check` says, and what is found
# wrong with predictions before the first of them. Real runs: tests/mpi/sweep.bats.
load ../checked_files

valid() {
    xmllint --nonet --noout --relaxng "$ROOT/patterns/sweeps/sweeps.rng" "$@" 2>/dev/null
}

# each_of VERDICTS: of each line, which is a sweep, or its inside after a parameter n and a <run>.
each_of() {
    case_files '<sweep><parameter name="n" values="1,2"/><run>app {n}</run>' '</sweep>' '<sweep'
    verdicts "$ROOT/patterns/sweeps/sweeps.rng" "$1"
}

@test "the schema of sweep files agrees with what is checked" {
    touch run.in
    each_of "accepted accepted" <<'END'
<sweep><run>app {n}</run><parameter name="n" values="1"/></sweep>
<sweep name="s" application="a" database="d.db" policy="all" repeat="3" point-limit="10min" limit="1.5h" sbatch="-n {n}"><parameter name="n" values="{1, 2:8:2}" role="machine"/><run>app {n}</run></sweep>
<sweep policy="line-by-line"><parameter name="n" values="1,2"/><parameter name="m"><value>1</value><undefined/></parameter><run>app {n} {m}</run></sweep>
<sweep><parameter name="n" replaces="1" values="1"><value>2</value></parameter><run>app '1'</run></sweep>
<build>cc app.c</build>
<file path="run.in"/><file path="run.in"/>
<skip when="n &gt; 1"/><skip when="n &gt; 1" reason="too many"/>
<checkpoint when="avg(inefficiency) &gt; 0.5"/>
END
    each_of "refused refused" <<'END'
<sweeps/>
<sweep/>
<sweep><run>app</run></sweep>
<sweep><parameter name="n" values="1"/></sweep>
<sweep nam="s"><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep policy="some"><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep repeat="0"><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep repeat="often"><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep repeat="-1"><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep limit="5 parsecs"><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep point-limit=""><parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep>words<parameter name="n" values="1"/><run>app {n}</run></sweep>
<sweep><parameter values="1"/><run>app</run></sweep>
<sweep><parameter name="" values="1"/><run>app</run></sweep>
<sweep><parameter name="1n" values="1"/><run>app {1n}</run></sweep>
<sweep><parameter name="n n" values="1"/><run>app {n n}</run></sweep>
<sweep><parameter name="n"/><run>app {n}</run></sweep>
<sweep><parameter name="n" values=""/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1,,2"/><run>app {n}</run></sweep>
<sweep><parameter name="n" values=",1"/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1, "/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1" role="size"/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1" replaces=""/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1" value="2"/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1">2</parameter><run>app {n}</run></sweep>
<sweep><parameter name="n"><value/></parameter><run>app {n}</run></sweep>
<sweep><parameter name="n"><value of="1">1</value></parameter><run>app {n}</run></sweep>
<sweep><parameter name="n"><value>1</value><undefined>2</undefined></parameter><run>app {n}</run></sweep>
<sweep><parameter name="n"><values>1</values></parameter><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1"/><run> </run></sweep>
<sweep><parameter name="n" values="1"/><run line="app {n}"/></sweep>
<sweep><parameter name="n" values="1"/><run>app {n}<n/></run></sweep>
<run>app {n}</run>
<paramter name="m" values="1"/>
<build/>
<build>  </build>
<build>cc</build><build>cc</build>
<build in="/tmp">cc</build>
<file/>
<file path=""/>
<file path="run.in">run.in</file>
<file name="run.in"/>
<skip/>
<skip when=""/>
<skip when="n &gt; 1" because="of that"/>
<skip when="n &gt; 1">too many</skip>
<skip when="n &gt; 1"><skip when="n &gt; 1"/></skip>
<checkpoint/>
<checkpoint when=""/>
<checkpoint when="avg(inefficiency) &gt; 0.5" then="stop"/>
<checkpoint when="avg(inefficiency) &gt; 0.5">stop</checkpoint>
END
    # What the schema cannot say.
    each_of "refused accepted" <<'END'
<sweep><parameter name="n" values="1"/><run>app</run></sweep>
<sweep><parameter name="n" values="1"/><run>app {n} {m}</run></sweep>
<sweep><parameter name="n" values="1"/><run>app '{n}</run></sweep>
<sweep><parameter name="n" values="4:1"/><run>app {n}</run></sweep>
<sweep><parameter name="n" values="1,1"/><run>app {n}</run></sweep>
<parameter name="n" values="3"/>
<file path="none.in"/>
<file path="/run.in"/>
<skip when="k &gt; 1"/>
<checkpoint when="avg &gt; 1"/>
END
}

@test "the examples of the manual are sweep files" {
    sed -n '/^\.Sh EXAMPLES/,$p' "$ROOT/man/pagoda-sweep.5" |
        sed -n '/^<sweep/,/^<\/sweep>/p' | sed 's/\\e/\\/g' >example.xml
    echo 'THREADS = 2' >run.in
    grep -q '<checkpoint' example.xml
    "$PAGODA" check example.xml
    valid example.xml
}

# sweep OPTIONS...: its exit status in $status, what it prints and says in $output.
help='`pagoda sweep --help` tells more'
sweep() {
    run "$PAGODA" sweep --store runs.db "$@"
}

# wrong SENTENCE SWEEP-OPTIONS... -- LINE: the same is said of a dry run and of a real one, as wrong usage, and
# nothing is left behind.
wrong() {
    local sentence=$1 dry
    shift
    for dry in --dry-run ''; do
        sweep $dry "$@"
        [ "$status" = 2 ]
        [ "$output" = "pagoda: $sentence" ]
        [ ! -e runs.db ]
        [ ! -e runs.sweep ]
    done
}

@test "options of predictions are checked before the first of them, and in a dry run" {
    wrong 'cpu=fast: --cpu-speed fast: not a number such as 3 or 0.25' \
        -p cpu=1,fast -- pagoda replay trace --cpu-speed '{cpu}'
    wrong 'ranks=0-: --place a=0-: `0-` is not a list of ranks, such as 0-3,8' \
        -p ranks=0-3,0- -- pagoda replay trace --place 'a={ranks}'
    wrong 'ranks=1: --place b=1: rank 1 is on node a already' \
        -p ranks=1 -- pagoda replay trace --place a=0-3 --place 'b={ranks}'
    wrong 'wait=spun: --wait spun: it is block or spin; did you mean spin?' \
        -p wait=block,spun -- pagoda replay trace --wait '{wait}'
    wrong 'map=block: --map says how ranks are dealt to --nodes, which is missing' \
        -p map=block -- pagoda replay trace --map '{map}'
    wrong 'n=2: there is no option --nodez; did you mean --nodes?' \
        -p n=2 -- pagoda replay trace --nodez '{n}'
    wrong 'l=1us: none.xml: cannot be opened: No such file or directory' \
        -p l=1us -- pagoda replay trace --machine none.xml --latency '{l}'
    wrong 'n=1: `pagoda replay` needs TRACE' -p n=1 -- pagoda replay --nodes '{n}'
    wrong 'n=1: --as mine: given already, as /sweep/n=1' \
        -p n=1 -- pagoda replay trace --nodes '{n}' --as mine
    wrong 'n=1: --help asks for nothing else' -p n=1 -- pagoda replay --help --nodes '{n}'
}

@test "they are found in a sweep file, with its line" {
    cat >spec.xml <<'END'
<sweep name="spec" policy="line-by-line">
  <parameter name="place" values="0-3,0-x"/>
  <parameter name="top" values="1,2"/>
  <run>pagoda replay trace --place a={place} --top {top}</run>
</sweep>
END
    wrong 'spec.xml:4: place=0-x,top=2: --place a=0-x: `0-x` is not a list of ranks, such as 0-3,8' spec.xml
    # An impossible point needs no sound options.
    sed -i 's|<run>|<skip when="top == 2"/>\n  <run>|' spec.xml
    sweep spec.xml --dry-run
    [ "$status" = 0 ]
    [[ $output == *'2/2 place=0-x,top=2 (skipped, top == 2)'* ]]
}

@test "files that a point makes for itself are not looked for" {
    cat >spec.xml <<'END'
<sweep>
  <parameter name="latency" values="1us,1ms"/>
  <file path="machine.xml"/>
  <run>pagoda replay trace --machine {dir}/machine.xml</run>
</sweep>
END
    echo '<machine><message scope="network"><point bytes="0" time="{latency}"/></message></machine>' >machine.xml
    sweep spec.xml --dry-run
    [ "$status" = 0 ]
    [ "${#lines[@]}" = 2 ]
}

@test "a dry run checks what checkpoints ask for" {
    sweep -n 1 --stop-when 'avg(late-sendr) > 1' --dry-run -- app '{n}'
    [ "$status" = 1 ]
    [[ $output == *'late-sendr, which is not a wait state; did you mean late-sender?'* ]]
}

@test "values given twice are refused" {
    wrong "there are two points n=1: values come twice ($help)" -n 1,2,1 -- app '{n}'
    wrong "--parameter n=2: there are two parameters n ($help)" -n 1 -p n=2 -- app '{n}'
    wrong "--parameter s=b: there are two parameters s ($help)" -p s=a -p s=b -- app '{s}'
    # Line by line a value may come again.
    sweep -n 1,1,2 -p s=a,b,a --line-by-line --dry-run -- app '{n}' '{s}'
    [ "$status" = 0 ]
    sweep -n 1,1,2 -p s=a,a,a --line-by-line --dry-run -- app '{n}' '{s}'
    [ "$status" = 2 ]
    [[ $output == *'there are two points n=1,s=a: values come twice'* ]]
    echo '<sweep><parameter name="n" values="1"/><run>app {n}</run></sweep>' >spec.xml
    sweep spec.xml -n 1 -p n=2
    [ "$status" = 1 ]
    [[ $output == *'--parameter n=2: there are two parameters n' ]]
}
