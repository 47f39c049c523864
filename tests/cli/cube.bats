# SPDX-License-Identifier: BSD-3-Clause
# Profiles in the Cube format as trials of a database. make_cube.py writes them, from the definition
# of the format, with numbers that are computed by hand here.
load ../helper

make_cube() {
    /usr/bin/python3 "$ROOT/tests/cli/make_cube.py" "$@"
}

# sql QUERY: its lines, without titles and quotes, of p.db.
sql() {
    "$PAGODA" query p.db --csv --sql "$1" | tail -n +2 | tr -d '"'
}

# profile: path, rank, visits, inclusive and exclusive milliseconds of each call path on each rank.
profile() {
    sql "SELECT replace(call_path, '/CallPath/', ''), rank, coalesce(visits, 0),
        coalesce(inclusive_ns, 0) / 1000000, coalesce(exclusive_ns, 0) / 1000000
        FROM profile_by_call_path_and_rank ORDER BY 1, 2"
}

@test "Cube 4: call paths on ranks, functions, nodes, run time, wait states, counters" {
    make_cube a.cubex
    "$PAGODA" store import p.db a.cubex --as app/cube/
    diff - <(profile) <<'TEXT'
main,0,1,8250,1000
main,1,1,7750,1000
main/MPI_Barrier,0,2,250,250
main/MPI_Barrier,1,2,250,250
main/solve,0,3,6000,2000
main/solve,1,3,5500,2000
main/solve/MPI_Recv,0,6,0,0
main/solve/MPI_Recv,1,6,500,500
main/solve/work\<int\>\(a\, b\),0,3,4000,4000
main/solve/work\<int\>\(a\, b\),1,3,3000,3000
main/work\<int\>\(a\, b\),0,1,1000,1000
main/work\<int\>\(a\, b\),1,1,1000,1000
TEXT
    diff - <(sql "SELECT file, region, visits, inclusive_ns / 1000000, exclusive_ns / 1000000
        FROM profile_by_region ORDER BY 1, 2") <<'TEXT'
MPI,MPI_Barrier,4,500,500
MPI,MPI_Recv,12,500,500
main.c,main,2,16000,2000
solve.c,solve,6,11500,4000
unknown,work<int>(a, b),8,9000,9000
TEXT
    diff - <(sql "SELECT property, rank, wait_ns / 1000000, round(severity, 4), is_top
        FROM wait_states_by_rank ORDER BY 1, 2") <<'TEXT'
late-sender,1,250,0.0152,1
late-sender-wrong-order,1,250,0.0152,0
wait-at-barrier,0,125,0.0076,1
wait-at-barrier,1,125,0.0076,1
TEXT
    [ "$(sql 'SELECT trial, n_ranks, n_nodes, time_ns FROM trials')" = a.cubex,2,2,8250000000 ]
    [ "$(sql 'SELECT node, n_ranks FROM nodes ORDER BY 1')" = 'n0,1
n1,1' ]
    [ "$(sql 'SELECT DISTINCT rank, node FROM profile_by_call_path_and_rank ORDER BY 1')" = '0,n0
1,n1' ]
    [ "$(sql "SELECT process, value, unit FROM measurements WHERE metric = 'bytes_sent'")" = '/Process/0,1000,bytes
/Process/1,2000,bytes' ]
    # Least times do not add up, and derived metrics have no values.
    [ -z "$(sql "SELECT * FROM measurements WHERE metric IN ('min_time', 'mpi', 'comp')")" ]
    "$PAGODA" store show p.db a.cubex | grep -q 'profile creator  make_cube.py'
}

@test "Cube: dense or sparse, packed or not, in any order of bytes, exclusive or inclusive, of version 3: the same trial" {
    make_cube a.cubex
    "$PAGODA" store import p.db a.cubex --as x//run
    local words
    for list in big dense packed packed-anchor exclusive 'big packed' 'big dense packed exclusive packed-anchor'; do
        read -ra words <<<"$list"
        make_cube a.cubex "${words[@]}"
        "$PAGODA" store import p.db a.cubex --as x//run | grep -q unchanged
    done
    gzip <a.cubex >b.cubex
    make_cube a.cube
    make_cube a.cube.gz
    for file in b.cubex a.cube a.cube.gz; do
        "$PAGODA" store import p.db $file --as x//run | grep -q unchanged
    done
}

@test "Cube: threads of a rank are added up, the run is as long as its longest thread" {
    make_cube a.cubex threads=3
    "$PAGODA" store import p.db a.cubex
    [ "$(profile | head -2)" = 'main,0,1,9900,1200
main,1,1,9300,1200' ]
    [ "$(sql 'SELECT n_ranks, time_ns FROM trials')" = 2,8250000000 ]
}

# A function that calls itself, one called twice by the same caller, as of two lines of it, and a
# second root; locations of a GPU, whose time is part of the call that waits for it.
@test "Cube: recursion, calls of the same function, several roots, a GPU" {
    cat >a.cube <<'TEXT'
<cube version="3.0"><metrics>
<metric id="3"><uniq_name>TIME</uniq_name><dtype>DOUBLE</dtype><uom>msec</uom></metric>
<metric id="4"><uniq_name>visits</uniq_name><dtype>INTEGER</dtype><uom>occ</uom></metric>
<metric id="5"><uniq_name>num_reads</uniq_name><dtype>INTEGER</dtype><uom>occ</uom></metric>
</metrics><program>
<region id="0" mod="a.c"><name>main</name></region><region id="7" mod="a.c"><name>f</name></region>
<region id="8" mod="a.c"><name>new&#10;line&#x85;</name></region>
<cnode id="10" calleeId="0"><cnode id="11" calleeId="7"><cnode id="12" calleeId="7"></cnode></cnode>
<cnode id="13" calleeId="7"></cnode></cnode><cnode id="14" calleeId="8"></cnode>
</program><system><machine Id="0"><name>m</name><node Id="0"><name>n</name>
<process Id="0"><rank>5</rank><thread Id="0"><rank>0</rank></thread>
<thread Id="1"><rank>1</rank><type>gpu</type></thread></process></node></machine></system>
<severity><matrix metricId="3"><row cnodeId="10">1 100</row><row cnodeId="11">2 100</row>
<row cnodeId="12">4 0</row><row cnodeId="13">8 0</row><row cnodeId="14">16 0</row></matrix>
<matrix metricId="4"><row cnodeId="13">1 0</row></matrix>
<matrix metricId="5"><row cnodeId="13">9 0</row></matrix></severity></cube>
TEXT
    "$PAGODA" store import p.db a.cube
    diff - <(profile) <<'TEXT'
main,5,0,15,1
main/f,5,1,14,10
main/f/f,5,0,4,4
new?line?,5,0,16,16
TEXT
    [ "$(sql "SELECT inclusive_ns / 1000000 FROM profile_by_region WHERE region = 'f'")" = 14 ]
    [ "$(sql 'SELECT time_ns FROM trials')" = 31000000 ]
    # A name of ours that means something else.
    [ "$(sql "SELECT metric, value FROM measurements WHERE value = 9")" = counter.num_reads,9 ]
}

@test "Cube: runs are compared, scaled, modelled and shown" {
    for ranks in 2 4 8; do
        make_cube n$ranks.cubex ranks=$ranks scale="$(/usr/bin/python3 -c "print(1 / $ranks)")"
    done
    "$PAGODA" store import p.db n2.cubex n4.cubex n8.cubex --as app/scaling/
    "$PAGODA" diff p.db n2.cubex n4.cubex >diff.txt
    grep -q '^run time 4.125 s -> 2.062 s' diff.txt
    grep -Eq ' 62.50 ms +31.25 ms .* wait-at-barrier +main/MPI_Barrier$' diff.txt
    "$PAGODA" scaling p.db | grep -Eq '^ +8 +1 +1.031 s +- +4.00 +100.0 %'
    "$PAGODA" model p.db | grep -q '^late-sender$'
    "$PAGODA" export p.db -o p.html
    [ -s p.html ]
    "$PAGODA" store show p.db n4.cubex >show.txt
    grep -Eq '^4 ranks on [1-4] nodes?, 2.062 s; [1-9][0-9]* values stored$' show.txt
    run -1 grep '^trace' show.txt
}

@test "Cube: no findings are gone or new where one of two runs was never searched for any" {
    make_cube n2.cubex ranks=2
    "$PAGODA" store import p.db n2.cubex --as app/scaling/
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/replay/uneven.txt" uneven
    "$PAGODA" replay uneven --store p.db --as app/scaling/uneven >/dev/null
    "$PAGODA" diff p.db uneven n2.cubex >diff.txt
    grep -q '^Findings are not compared: B has runs without a search for them, as imports are.$' diff.txt
    run -1 grep gone diff.txt
    "$PAGODA" diff p.db n2.cubex uneven --json | jq -e '.differences[0].findings == null'
    "$PAGODA" diff p.db uneven uneven --json | jq -e '.differences[0].findings | length == 1'
}

# refused TEXT FILE: nothing of the file is stored, and one line says why.
refused() {
    run -1 --separate-stderr "$PAGODA" store import bad.db "$2"
    [ -z "$output" ]
    [ ! -e bad.db ]
    [ "${#stderr_lines[@]}" = 1 ]
    [[ $stderr == "pagoda: nothing was imported: "*"$1"* ]] || { echo "$stderr"; false; }
}

@test "Cube: damaged archives" {
    make_cube a.cubex packed
    for size in 700 2000 5000 9216 12000; do
        head -c $size a.cubex >b.cubex
        refused 'was cut short' b.cubex
    done
    (head -c 3000 a.cubex; head -c 512 /dev/zero) >b.cubex
    refused 'ends within its file anchor.xml' b.cubex
    tar cf b.cubex a.cubex
    refused 'has no anchor.xml' b.cubex
    gzip <a.cubex | head -c 900 >b.cubex
    refused 'unexpected end of file' b.cubex
    index='CUBEX.INDEX\x01\0\0\0\0\0'
    while read -r part why; do
        make_cube b.cubex "$part"
        refused "$why" b.cubex
    done <<TEXT
1.data=- has no file 1.data
1.index=- has no file 1.index
1.data=CUBEX.DATA1 1.data has 1 bytes of values, not 96
1.data=CUBEX 1.data has no values of Cube
1.index=CUBEX 1.index is no index of Cube
1.index=$index 1.index is cut short
1.index=$index\x02 1.index has an unknown format
1.index=CUBEX.INDEX\x01\x01\0\0\0\0\x03 1.index has an unknown format
1.index=$index\x01\xff\xff\xff\xff 1.index is not as long as its 4294967295 rows
1.index=$index\x01\x02\0\0\0\0\0\0\0 1.index is not as long as its 2 rows
1.data=ZCUBEX.DATA\xff\xff\xff\xff\xff\xff\xff\xff 1.data cannot be unpacked
1.data=ZCUBEX.DATA\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0abcd 1.data cannot be unpacked
anchor.xml=\x1f\x8bx anchor.xml of b.cubex cannot be unpacked
anchor.xml=<cube> b.cubex:1: is not well-formed XML
anchor.xml=<cubes/> its XML is <cubes>
anchor.xml=<cube/> has no call paths
TEXT
    # A row of a call path that is not there.
    make_cube b.cubex "6.index=$index\x01\x01\0\0\0\x09\0\0\0" '6.data=CUBEX.DATA12345678'
    refused '6.index has a row of a call path that is not there' b.cubex
}

@test "Cube: damaged definitions and values" {
    make_cube a.cube
    while read -r command why; do
        sed "$command" a.cube >b.cube
        refused "$why" b.cube
    done <<'TEXT'
s/calleeId="2"/calleeId="77"/ there is no region 77
s/<region.id="2"/<region/ <region> has no id, a number
s/region.id="2"/region\x20id="1"/ there are two regions 1
s/thread.Id="1"/thread\x20Id="0"/ there are two locations 0
s/thread.Id="1"/thread\x20Id="7"/ has 2 locations, but none with Id 1
s/<rank>1</<rank>-1</ has no <rank>, a number
s/<uniq_name>time/<uniq_name\/><uniq_name>time/ <metric> has no <uniq_name>
s/cnodeId="4"/cnodeId="44"/ is of no call path that is there
/cnodeId="1"/{n;d} <row> has 1 numbers, not 2
s/^2$/2\x202/ <row> has too many numbers
s/^2$/nan/ has a value of time that is no number
s/^2$/1e305/ has values that are too large
s/>sec</>years</ in "years", which is no known unit of time
/<matrix/,/matrix>/d has no values
s/>main</>\&#1;</ is not well-formed XML
TEXT
    sed '1s/$/<!DOCTYPE cube [<!ENTITY a "b">]>/' a.cube >b.cube
    refused 'a document type declaration' b.cube
    # More call paths of locations than can be.
    { echo '<cube version="3.0"><program><region id="0"><name>f</name></region>'
      seq -f '<cnode id="%.0f" calleeId="0"/>' 0 9999
      echo '</program><system><process><rank>0</rank>'
      seq -f '<thread Id="%.0f"/>' 0 9999
      echo '</process></system><severity/></cube>'; } >b.cube
    refused 'has 10000 call paths of 10000 locations, which is too many' b.cube
    # Deep call paths are read up to some depth.
    deep() { printf '<cube><metrics><metric id="0"><uniq_name>visits</uniq_name><dtype>INT</dtype></metric></metrics>'
        printf '<program><region id="0"><name>f</name></region>'
        seq -f '<cnode id="%.0f" calleeId="0">' 1 "$1"; yes '</cnode>' | head -n "$1"
        printf '</program><system><process><rank>0</rank><thread Id="0"/></process></system>'
        printf '<severity><matrix metricId="0"><row cnodeId="%s">1</row></matrix></severity></cube>' "$1"; }
    deep 900 >b.cube
    "$PAGODA" store import p.db b.cube
    [ "$(sql 'SELECT length(call_path) FROM profile_by_call_path_and_rank')" = 1809 ]
    deep 1500 >b.cube
    refused 'elements are nested too deeply' b.cube
}
