# SPDX-License-Identifier: BSD-3-Clause
# pagoda sweep without a run: the schema of sweep files against what `pagoda check` says, and what is found
# wrong with predictions before the first of them. Real runs: tests/mpi/sweep.bats.
load ../helper

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
}

valid() {
    xmllint --nonet --noout --relaxng "$ROOT/patterns/sweeps/sweeps.rng" "$@" 2>/dev/null
}

# each_of WHAT: checks each line, which is a sweep, or its inside behind a parameter n and a <run>.
each_of() {
    local inside sweep verdict by_schema
    while IFS= read -r inside; do
        sweep=$inside
        [[ $inside == '<sweep'* ]] ||
            sweep="<sweep><parameter name=\"n\" values=\"1,2\"/><run>app {n}</run>$inside</sweep>"
        echo "$sweep" >one.xml
        verdict=accepted
        "$PAGODA" check one.xml >said 2>&1 || verdict=refused
        by_schema=accepted
        valid one.xml || by_schema=refused
        [ "$verdict $by_schema" = "$*" ] ||
            { echo "$inside: check: $verdict, schema: $by_schema"; cat said; return 1; }
    done
}

@test "the schema of sweep files agrees with what is checked" {
    touch run.in
    each_of accepted accepted <<'END'
<sweep><run>app {n}</run><parameter name="n" values="1"/></sweep>
<sweep name="s" application="a" database="d.db" policy="all" repeat="3" point-limit="10min" limit="1.5h" sbatch="-n {n}"><parameter name="n" values="{1, 2:8:2}" role="machine"/><run>app {n}</run></sweep>
<sweep policy="line-by-line"><parameter name="n" values="1,2"/><parameter name="m"><value>1</value><undefined/></parameter><run>app {n} {m}</run></sweep>
<sweep><parameter name="n" replaces="1" values="1"><value>2</value></parameter><run>app '1'</run></sweep>
<build>cc app.c</build>
<file path="run.in"/><file path="run.in"/>
<skip when="n &gt; 1"/><skip when="n &gt; 1" reason="too many"/>
<checkpoint when="avg severity(inefficiency) &gt; 0.5"/>
END
    each_of refused refused <<'END'
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
<checkpoint when="avg severity(inefficiency) &gt; 0.5" then="stop"/>
<checkpoint when="avg severity(inefficiency) &gt; 0.5">stop</checkpoint>
END
    # What the schema cannot say.
    each_of refused accepted <<'END'
<sweep><parameter name="n" values="1"/><run>app</run></sweep>
<sweep><parameter name="n" values="1"/><run>app {n} {m}</run></sweep>
<sweep><parameter name="n" values="1"/><run>app '{n}</run></sweep>
<sweep><parameter name="n" values="4:1"/><run>app {n}</run></sweep>
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
