# SPDX-License-Identifier: BSD-3-Clause
# pagoda export: what the page of a run holds, and what it does in a real browser (headless Chromium).
load ../helper
load amdahl

# Whether the browser starts here is found out once.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    export NO_BROWSER=
    if ! command -v chromium-headless-shell >/dev/null; then
        NO_BROWSER="there is no chromium-headless-shell"
    elif ! timeout 300 chromium-headless-shell "${BROWSER[@]}" --dump-dom about:blank 2>/dev/null | grep -q '</html>'; then
        NO_BROWSER="chromium-headless-shell does not start here"
    fi
}

# The browser does without what a container may lack.
BROWSER=(--no-sandbox --disable-gpu --disable-dev-shm-usage '--window-size=1200,1000' --user-data-dir=profile)

# archive NAME [SED]: makes the archive NAME here out of the text trace NAME, changed by SED.
archive() {
    sed "${2:-}" "$ROOT/tests/traces/replay/$1.txt" >"$1.txt"
    "$BUILD/tools/mktrace" "$1.txt" "$1"
}

# browse PAGE SCRIPT: opens PAGE with SCRIPT run when its timeline is there; prints the document as it is
# then. Nothing may be written to the console.
browse() {
    local page=$1
    [ -z "$NO_BROWSER" ] || skip "$NO_BROWSER"
    { sed '/<\/body>/,$d' "$page" && printf '<script>%s</script></body></html>' "$2"; } >browsed.html
    timeout 300 chromium-headless-shell "${BROWSER[@]}" --enable-logging=stderr --virtual-time-budget=8000 --dump-dom "file://$PWD/browsed.html" \
        >browsed.dom 2>browsed.log
    run ! grep CONSOLE browsed.log
}

# After the timeline is ready: JavaScript's value of "said" becomes the text of an element "said".
when_ready() {
    printf 'const timer = setInterval(() => { if (!document.body.dataset.ready) return; clearInterval(timer);
        let said = ""; %s; document.body.append(make("pre", { id: "said" }, said)); }, 20);' "$1"
}

said() {
    sed -n '/<pre id="said">/,/<\/pre>/p' browsed.dom | sed 's/.*<pre id="said">//; s/<\/pre>.*//'
}

@test "the page holds each call as it was recorded" {
    archive pipeline
    run -0 --separate-stderr "$PAGODA" export pipeline -o page.html
    [ -z "$output$stderr" ]
    # Rank 1 waits for the message of 7000000, rank 0 for rank 1 at 9001000 and at 9015000 for nobody.
    run "$ROOT/tests/cli/run_page.py" page.html pipeline.txt
    [ "$output" = $'0 1999000\n1 4005000' ]
    for threads in 1 2; do
        "$PAGODA" export pipeline -o "page$threads.html" --threads $threads
        cmp page.html "page$threads.html"
    done
    ! sed 's|"http://www.w3.org/2000/svg"||' page.html | grep -E 'https?://|src=|@import' || false
}

@test "a page is replaced when the new one is whole, and left alone otherwise" {
    archive pipeline
    echo old >page.html
    run -1 "$PAGODA" export missing -o page.html
    [ "$(cat page.html)" = old ]
    "$PAGODA" export pipeline -o page.html
    grep -q 'id="lanes"' page.html
    run -1 "$PAGODA" export pipeline -o nowhere/page.html
    [ "$output" = "pagoda: cannot write nowhere/page.html: No such file or directory" ]
    run -1 "$PAGODA" export pipeline -o /dev/full
    [ -c /dev/full ]
    "$PAGODA" export pipeline -o /dev/stdout | cmp - page.html
    ln -s linked.html link
    "$PAGODA" export pipeline -o link
    [ -L link ]
    cmp linked.html page.html
    [ -z "$(ls -- *.part 2>/dev/null)" ]
    says -2 "-o FILE is missing: where the result goes" "$PAGODA" export pipeline
    run -2 "$PAGODA" export pipeline -o page.html --cpu-speed 1,2
    [[ $output == *"a page shows one prediction, not one for each value of a list"* ]]
    says -2 "--as goes with a database, not with a trace" "$PAGODA" export pipeline -o page.html --as one
    run -1 "$PAGODA" export missing.db -o page.html
    [[ $output == *missing.db* ]]
    says -2 "what-if options go with a trace, not with a database" "$PAGODA" export missing.db -o page.html --nodes 2
    run -1 "$PAGODA" export pipeline.txt -o page.html
    [ "$(head -c 15 page.html)" = "<!DOCTYPE html>" ]
}

@test "in a browser: findings lead to the longest wait, pointing tells what a rank does" {
    archive pipeline
    "$PAGODA" export pipeline -o page.html
    browse page.html "$(when_ready '
        said += document.title + "\n" + document.querySelectorAll("#findings > li").length + "\n";
        document.querySelector("#findings button").click(); draw();
        said += Math.round(view.begin) + " " + Math.round(view.end) + " " + mark.rank + "\n" + $("under").textContent + "\n";
        const box = canvas.getBoundingClientRect();
        point({ clientX: box.left + xOf(4000000, box.width), clientY: box.top + topOf(lanes[0]) + 1.5 * rowHeight }); draw();
        said += $("under").textContent + "\n";
        point({ clientX: box.left + xOf(2500000, box.width), clientY: box.top + topOf(lanes[0]) + 1.5 * rowHeight });
        said += $("under").textContent + "\n";
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "Home" }));
        said += Math.round(view.begin) + " " + Math.round(view.end)
        pointed = null;
        for (const key of ["n", "n", "ArrowDown", "n", "p", "p", "p"]) {
            canvas.dispatchEvent(new KeyboardEvent("keydown", { key }));
            said += "\n" + key + ": " + $("under").textContent.split(",")[0];
        }')"
    said
    [ "$(said)" = "pipeline: Pagoda
1
0 9040000 1
Rank 1 waits 4 ms from 3 ms on, in main/solve/MPI_Recv, for rank 0. Meanwhile rank 0 spends 4 ms in main/solve.
Rank 1: main/solve/MPI_Recv, 4.004 ms from 3 ms on; waits 4 ms for rank 0. Meanwhile rank 0 spends 4 ms in main/solve.
Rank 1 computes for 1 ms, from 2 ms on, mostly in main/solve, until main/solve/MPI_Recv.
0 9040000
n: Rank 0: main/solve/MPI_Send
n: Rank 0: main/MPI_Allreduce
ArrowDown: Rank 1: main/solve/MPI_Recv
n: Rank 1: main/MPI_Allreduce
p: Rank 1: main/solve/MPI_Recv
p: Rank 1: main/MPI_Init
p: Rank 1: main/MPI_Init" ]
}

# What the page follows backwards from its calls, against the path that the replay found forwards: time in each MPI
# function, and the whole.
@test "the critical path in the timeline is that of the replay" {
    for name in broadcast-path chain gather-origins handle-path scan-path synchronous-send waitall-both; do
        "$BUILD/tools/mktrace" "$ROOT/tests/traces/engine/$name.txt" "$name"
        "$PAGODA" export "$name" -o page.html
        browse page.html "$(when_ready '
            const times = new Map(report.critical_path.regions.filter(item => item.region.startsWith("MPI_"))
                .map(item => [item.region, item.time_ns]));
            const nameOf = place => place.replace(/ at [^ ]*$/, "").split("/").pop();
            let left = report.critical_path.length_ns;
            for (const { rank, begin, end } of lanes[0].critical) {
                left -= end - begin;
                for (const [place, isCall, ns] of activities(lanes[0], rank, begin, end))
                    if (isCall) times.set(nameOf(place), (times.get(nameOf(place)) || 0) - ns);
            }
            said += `${lanes[0].critical.length > 1} ${left} ${[...times].filter(([, ns]) => ns !== 0).join(" ")}`')"
        echo "$name: $(said)"
        [ "$(said)" = "true 0 " ]
    done
}

# Rank 2 waits for rank 1, which waited for rank 0: both are named, as is what they did.
@test "a wait is followed to what made the rank late that it waits for" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/engine/chain.txt" chain
    "$PAGODA" export chain -o page.html
    browse page.html "$(when_ready '
        const i = callAfter(lanes[0], 2, 0);
        said += chainOf(lanes[0], i).map(({ rank, begin, end }) => `${rank} ${begin} ${end}`).join(", ") + "\n" + chainText(lanes[0], chainOf(lanes[0], i))')"
    said
    [ "$(said)" = "1 50 80, 0 20 50
 Meanwhile rank 1 spends 25 ns of 30 ns in main; before that rank 0 spends 30 ns in main." ]
}

# Master and further thread as the text computes them, here of the whole run and not of its judged part.
@test "threads are rows below their rank, which unfold" {
    "$BUILD/tools/mktrace" "$ROOT/tests/traces/threads/hybrid.txt" hybrid
    "$PAGODA" export hybrid -o page.html
    run "$ROOT/tests/cli/run_page.py" page.html "$ROOT/tests/traces/threads/hybrid.txt"
    [ "$output" = '0 5
1 0
0 Master thread: computing 41 waiting 12 runtime 7 mpi 25 idle 0
0 Thread 1: computing 23 waiting 4 runtime 10 mpi 0 idle 48' ]
    browse page.html "$(when_ready '
        const box = canvas.getBoundingClientRect(), at = (row, ns) => ({ clientX: box.left + (ns < 0 ? 10 : xOf(ns, box.width)),
            clientY: box.top + topOf(lanes[0]) + (row + 0.5) * rowHeight });
        const tell = (row, ns) => { point(at(row, ns)); draw(); said += $("under").textContent + "\n"; };
        const shown = () => { said += lanes[0].rows.join(" ") + "\n"; };
        setView(0, 85);
        shown();
        canvas.dispatchEvent(new PointerEvent("pointerdown", at(0, -1))); shown();
        tell(1, 45); tell(2, 32); tell(2, 60); tell(3, 15);
        canvas.dispatchEvent(new PointerEvent("pointerdown", at(0, -1))); shown();
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "t" })); shown();
        said += $("threads").checked')"
    said
    [ "$(said)" = "0 1
0 2 3 1
Thread 0 of rank 0 (Master thread) waits for other threads for 12 ns, from 40 ns on, in main/!\$omp parallel @a.c:10/!\$omp implicit barrier @a.c:20.
Thread 1 of rank 0 (Thread 1) waits for other threads for 4 ns, from 30 ns on, in !\$omp parallel @a.c:10/!\$omp critical @a.c:12.
Thread 1 of rank 0 (Thread 1) is idle for 28 ns, from 57 ns on.
Rank 1 computes for 55 ns, from 10 ns on, mostly in (program), until MPI_Barrier.
0 1
0 2 3 1
true" ]
}

# From 2 ms to 9.020 ms rank 0 computes for 5 ms, 1 us after MPI_Send and 10 us after MPI_Allreduce, where it waits from
# 7.002 to 9.001; rank 1 from 2 to 3, from 7.004 to 9.001 and for 5 us, and waits from 3 to 7 and for 5 us in MPI_Finalize.
@test "ranks beside each other, what they send, how many compute, and call paths as boxes" {
    archive pipeline
    "$PAGODA" export pipeline -o page.html
    browse page.html "$(when_ready '
        said += [...document.querySelectorAll("#ranks tbody tr")].map(row => [...row.cells].map(cell => cell.textContent).join(" ").trim()).join("\n") + "\n";
        said += [...document.querySelectorAll("#matrix rect:not(.frame)")].map(rect => `${rect.getAttribute("x")} ${rect.getAttribute("y")} ${rect.textContent}`).join("\n") + "\n";
        const boxes = () => [...document.querySelectorAll("#icicle div")].map(box => `${box.textContent} ${parseInt(box.style.left)} ${parseInt(box.style.width)}`).join(", ");
        said += boxes() + "\n";
        [...document.querySelectorAll("#icicle div")].find(box => box.textContent === "solve").click();
        said += boxes() + "\n";
        const level = lanes[0].levels[0];
        said += [...document.querySelectorAll("#slack li")].map(item => item.textContent).join("\n") + "\n";
        said += [2500000, 4000000, 8990000].map(ns => [0, 1].map(kind => level.means[N_KINDS * Math.floor(ns / level.width) + kind].toFixed(2))).join(" ");')"
    said
    [ "$(said)" = "rank 0 5.011 ms 1.999 ms 10 us
rank 1 3.002 ms 4.005 ms 13 us
1 0 rank 0 to rank 1: 1 message, 1,024 bytes, 1,024 each
main 0 100, solve 0 66, MPI_Recv 0 22, MPI_Init 66 22, MPI_Allreduce 88 11, MPI_Finalize 99 0
solve 0 100, MPI_Recv 0 33
solve on rank 0: 80.1 % less saves 4.004 ms already; then solve on rank 1 is critical
solve on rank 1: all of it pays; without it the run is 1.996 ms shorter
1.00,0.00 0.50,0.50 0.50,0.50" ]
}

# Of three ranks on two nodes, rank 2 alone on the second one.
@test "ranks of a node are shown as one" {
    { echo "nodes a a b"; for pair in "0 1 100" "1 2 2000" "2 0 30"; do
        read -r from to bytes <<<"$pair"
        printf '%s\n' "$from $((10 * from)) enter MPI_Send" "$from $((10 * from + 1)) send world $to 1 $bytes" "$from $((10 * from + 5)) leave MPI_Send" \
            "$to $((50 + 10 * to)) enter MPI_Recv" "$to $((51 + 10 * to)) recv world $from 1 $bytes" "$to $((55 + 10 * to)) leave MPI_Recv"
    done | sort -n -k1,1 -k2,2; } >nodes.txt
    "$BUILD/tools/mktrace" nodes.txt nodes
    "$PAGODA" export nodes --group node -o page.html
    browse page.html "$(when_ready '
        said += [...document.querySelectorAll("#ranks tbody th, #ranks tbody td:first-child")].map(cell => cell.textContent).join(" ") + "\n" + $("matrix-title").textContent + "\n";
        said += [...document.querySelectorAll("#matrix rect:not(.frame)")].map(rect => rect.textContent).join("\n")')"
    said
    [ "$(said)" = "a b
Messages between groups of ranks
a to a: 1 message, 100 bytes, 100 each
a to b: 1 message, 2,000 bytes, 2,000 each
b to a: 1 message, 30 bytes, 30 each" ]
}

@test "names with quotes, angle brackets and scripts are text" {
    archive pipeline 's/solve/a<\/script><script>document.title="taken"<\/script><!--"\&amp;/g'
    "$PAGODA" export pipeline -o page.html
    browse page.html "$(when_ready 'said += document.title + "\n" +
        [...document.querySelectorAll("#paths td.name:first-child")].map(cell => { cell.onmouseenter(); return cell.title; }).filter(text => text.includes("script"))[0]')"
    said
    [ "$(said)" = 'pipeline: Pagoda
main/a&lt;/script&gt;&lt;script&gt;document.title="taken"&lt;/script&gt;&lt;!--"&amp;amp;' ]
}

@test "deep recursion does not make the page large" {
    { echo "region function_of_a_solver solve.c:9"; for i in {1..500}; do echo "0 $i enter function_of_a_solver"; done
        for i in {1..500}; do echo "0 $((500 + i)) leave function_of_a_solver"; done; } | "$BUILD/tools/mktrace" - deep
    "$PAGODA" export deep -o page.html
    [ "$(stat -c %s page.html)" -lt 200000 ]
}

@test "long names are shown as in the report" {
    archive pipeline 's/solve/ns::Solver<double,std::vector<int,std::allocator<int>>>::solve(double)/g'
    "$PAGODA" export pipeline -o page.html
    browse page.html "$(when_ready '
        said += [...document.querySelectorAll("#paths td.name")].map(cell => cell.textContent).join(" ") + "\n";
        showWorst(report.patterns.find(item => item.id === "late-sender").worst);
        said += $("under").textContent')"
    said
    [[ "$(said)" != *vector* && "$(said)" == *", in main/ns::Solver&lt;&gt;::solve/MPI_Recv, for rank 0."* ]]
}

@test "ranks that serve others" {
    archive server
    "$PAGODA" export server -o page.html
    browse page.html "$(when_ready 'said += [...$("servers").rows].map(row => [...row.cells].map(cell => cell.textContent).join("|")).join("\n")')"
    said
    [ "$(said)" = "|clients|requests|one every|served in|answered in|busy|full with
rank 0|2|8|46 ns ± 70 %|30 ns ± 5 %|46 ns ± 1 %|62.7 %|2.7 clients" ]
}

@test "a prediction has its timeline below the measured one" {
    archive pipeline
    "$PAGODA" export pipeline -o page.html --scale solve=0.5
    run "$ROOT/tests/cli/run_page.py" page.html pipeline.txt predicted
    # Half of the 5 ms that rank 0 computes before it sends, and of the 1 ms before rank 1 waits.
    [ "${lines[1]}" = "1 2005000" ]
    browse page.html "$(when_ready 'said += $("prediction").textContent + "\n" + lanes.map(lane => lane.name).join(" ") +
        "\n" + lanes.map(lane => [...lane.data.computed.keys()].map(i => computedName(lane, i)).join(" ")).join("\n")')"
    said
    [[ "$(said)" == "Predicted with --scale solve=0.5: "*" in place of 9.04 ms, "*" less."*$'\nmeasured predicted\n'* ]]
    [ "$(said | tail -n 1)" = "$(said | tail -n 2 | head -n 1)" ] # what they compute
    [[ "$(said | tail -n 1)" == *main/solve* ]]
}

@test "printing is on white, and a wait that a finding does not name is not its example" {
    archive pipeline
    "$PAGODA" export pipeline -o page.html
    browse page.html "$(when_ready '
        dispatchEvent(new Event("beforeprint"));
        said += colours.paper + " " + document.documentElement.className;
        dispatchEvent(new Event("afterprint"));
        said += "|" + document.documentElement.className + "\n";
        const buttons = finding => findingItem(finding).querySelectorAll("button").length;
        const finding = report.findings[0];
        said += [{}, { text: "The calls took long." }, { path: "other/MPI_Recv" }].map(other => buttons({ ...finding, ...other })) + "\n";
        const item = make("li");
        offerLongest({ path: "main/solve/MPI_Recv", ranks: [] }, item);
        item.querySelector("button").click();
        said += item.textContent + "\n" + Math.round(mark.begin) + " " + Math.round(mark.end) + " " + $("under").textContent.split(",")[0] + "\n";
        offerLongest({ path: "main/none", ranks: [] }, $("rest"));
        said += $("rest").querySelectorAll("button").length + "\n";
        for (const other of [{ place: "main/solve/MPI_Recv at solve.c:60" }, { ranks: [0], pattern: "late-sender" }, { ranks: [1], pattern: "late-sender" },
            { ranks: [0], pattern: "wait-at-nxn", region: "solve" }, { region: "solve" }]) {
            const place = make("li");
            offerLongest({ ranks: [], ...other }, place);
            if (place.querySelector("button")) place.querySelector("button").click();
            said += place.textContent + "|" + $("under").textContent.split(",")[0] + "\n";
        }
        const { send, receive } = lanes[0].data, taken = [...lanes[0].slowest].map(i => receive[i] - send[i]);
        said += taken.length === send.length && taken.every((ns, i) => i === 0 || ns <= taken[i - 1])')"
    said
    [ "$(said)" = "#ffffff print|
1,0,0
Show where it takes longest at once: 4.004 ms on rank 1
3000000 7004000 Rank 1: main/solve/MPI_Recv
0
Show where it takes longest at once: 4.004 ms on rank 1|Rank 1: main/solve/MPI_Recv
Show the longest wait for this rank: 4 ms, rank 1 for rank 0|Rank 1: main/solve/MPI_Recv
|Rank 1: main/solve/MPI_Recv
Show where it takes longest at once: 5 ms on rank 0|Rank 0 computes for 5 ms
Show where it takes longest at once: 5 ms on rank 0|Rank 0 computes for 5 ms
true" ]
}

@test "a database becomes a page of its runs, their history and the predictions" {
    archive pipeline
    # A run whose collective operation ends 2 ms later.
    sed 's/ 90\([1-4][05]000\)/ 110\1/' pipeline.txt | "$BUILD/tools/mktrace" - slow
    "$PAGODA" replay pipeline --store runs.db --as app/one/first --parameter size=1 >out
    "$PAGODA" replay pipeline --store runs.db --as app/one/again --parameter size=1 >out
    "$PAGODA" replay slow --store runs.db --as app/one/slow --parameter size=1 >out
    "$PAGODA" replay pipeline --scale solve=0.5 --store runs.db --as app/one/half >out
    "$PAGODA" replay pipeline --store runs.db --as "app/two/<b>other</b>" >out
    run --separate-stderr "$PAGODA" export runs.db -o page.html
    echo "$stderr"
    [ "$status" = 0 ]
    [ -z "$output$stderr" ]
    browse page.html "$(when_ready '
        const rows = () => [...document.querySelectorAll("#runs tbody tr")].map(row => [...row.cells].filter((_, i) => i !== 1).map(cell => cell.textContent).join("|"));
        said += document.title + "\n" + $("summary").textContent.replace(/;.*/, "") + "\n" + rows().join("\n") + "\n";
        $("experiment").value = "app/one"; showExperiment();
        said += rows().join("\n") + "\n" + [...document.querySelectorAll("circle")].map(point => point.getAttribute("class")).join(" ") + "\n";
        document.querySelector("#runs button").click();
        said += $("run-name").textContent')"
    said
    loss="Ranks compute one after the other in solve (solve.c:56)"
    one="half|2|scale solve=0.5|3.522 ms|57.0 %|−38.7 % predicted|$loss: 2.997 ms, 42.5 % of the ranks' time
slow|2|size=1|9.02 ms|44.4 %|+28.5 %|$loss: 5.995 ms, 33.2 % of the ranks' time
again|2|size=1|7.02 ms|57.1 %|0.0 %|$loss: 5.995 ms, 42.7 % of the ranks' time
first|2|size=1|7.02 ms|57.1 %||$loss: 5.995 ms, 42.7 % of the ranks' time"
    [ "$(said)" = "runs.db: Pagoda
4 measured runs, 1 prediction, 2 experiments
&lt;b&gt;other&lt;/b&gt;|2||7.02 ms|57.1 %||$loss: 5.995 ms, 42.7 % of the ranks' time
$one
measured measured slower predicted
app/one/half" ]
}

@test "a badge of the latest run of a database" {
    archive pipeline
    sed 's/ 90\([1-4][05]000\)/ 110\1/' pipeline.txt | "$BUILD/tools/mktrace" - slow
    badge() {
        "$PAGODA" export runs.db -o badge.svg --format badge "$@"
        /usr/bin/python3 -c 'import sys, xml.dom.minidom as dom
print(*[node.firstChild.data for name in ("title", "text") for node in dom.parse("badge.svg").getElementsByTagName(name)], sep=" | ")'
    }
    "$PAGODA" replay pipeline --store runs.db --as "app/one/<first>" >out
    [ "$(badge)" = "app/one/<first>: 7.020 ms | run time | 7.020 ms" ]
    "$PAGODA" replay slow --store runs.db --as app/one/slow >out
    "$PAGODA" replay pipeline --scale solve=0.5 --store runs.db --as app/one/half >out
    [ "$(badge --as app/one)" = "app/one/slow: 9.020 ms, 28.5 % longer than earlier runs like it | run time | 9.020 ms, +28.5 %" ]
    grep -q '#c0392b' badge.svg
    run -1 "$PAGODA" export runs.db -o badge.svg --format badge --as nowhere/one
    says -2 "--format badge is of a database, not of a trace" "$PAGODA" export pipeline -o badge.svg --format badge
}

@test "the page of a database draws how runs scale, with the models and their bands" {
    local p
    for p in 1 2 4; do
        program $p 8
        "$PAGODA" replay run-$p-8 --store runs.db --as app/strong/ >out
    done
    "$PAGODA" export runs.db -o page.html
    browse page.html "$(when_ready '
        said += [...document.querySelectorAll("figcaption")].map(caption => caption.textContent).join(", ") + "\n";
        const time = document.querySelector("figure"), points = [...time.querySelectorAll("circle")];
        said += points.map(point => point.textContent).join("; ") + "\n" + time.lastChild.textContent + "\n";
        said += /NaN|undefined|null/.test($("scaling-part").innerHTML) + "\n";
        // Each point lies on the curve, which the model fits exactly.
        const path = [...time.querySelectorAll("path.line.tone-1")].flatMap(line => line.getAttribute("d").split(/[ML]/).slice(1)).map(at => at.split(" ").map(Number));
        const heightAt = x => { const i = path.findIndex(([at]) => at > x), [[x0, y0], [x1, y1]] = [path[i - 1], path[i]];
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0); };
        said += points.every(point => Math.abs(heightAt(Number(point.getAttribute("cx"))) - Number(point.getAttribute("cy"))) < 1)')"
    said
    [ "$(said)" = "Run time, Efficiencies, work, wait-at-nxn (waits), serial
ranks 1: 9 ms, 1 run; ranks 2: 5 ms, 1 run; ranks 4: 3 ms, 1 run
Growth: ranks^(-1); seconds: 0.001+0.008*ranks^(-1). At ranks = 8: 2 ms, from 2 ms to 2 ms.
false
true" ]
}

# As `pagoda diff` has them, for each pair of runs: the changes from the top down, in its order; here of functions that only
# one run has, and of times that differ by more and by less than counts.
@test "the page of a database shows what any two runs differ by, as pagoda diff computes it" {
    archive pipeline
    sed 's/solve/compute/g' pipeline.txt | "$BUILD/tools/mktrace" - renamed
    sed 's/ 90\([1-4][05]000\)/ 110\1/' pipeline.txt | "$BUILD/tools/mktrace" - slow
    awk '$1 ~ /^[01]$/ && $2 >= 7000000 { $2 += 60000 } { print }' pipeline.txt | "$BUILD/tools/mktrace" - later
    for run in pipeline renamed slow later; do "$PAGODA" replay $run --store runs.db --as app/one/$run >out; done
    "$PAGODA" export runs.db -o page.html
    browse page.html "$(when_ready '
        const at = name => trials.find(trial => trial.trial === name);
        const path = i => i === null ? [] : [...path(trees.paths[i][0]), trees.paths[i][1]];
        said += compared.a.trial + " " + compared.b.trial + " " + document.querySelectorAll("#difference .slower").length + "\n";
        said += [...document.querySelectorAll("#difference tbody tr")].map(row => [...row.cells].map(cell => cell.textContent).join("|")).join("\n") + "\n";
        [...document.querySelectorAll("#runs button")].find(button => button.textContent === "later").click();
        said += compared.a.trial + " " + compared.b.trial + "\n";
        $("run-a").value = at("renamed").id; $("run-a").onchange();
        said += compared.a.trial + " " + compared.b.trial + "\n";
        document.querySelector("#difference button").click();
        said += document.querySelectorAll("#difference button")[0].getAttribute("aria-expanded") + "\n";
        for (const a of trials)
            for (const b of trials)
                for (const row of differenceRows({ a, b, toggled: new Map() }).filter(row => row.isChange))
                    said += `${a.trial} ${b.trial} ${path(row.path).join("/")} ${row.ns}\n`')"
    for a in pipeline renamed slow later; do
        "$PAGODA" diff runs.db $a pipeline renamed slow later --json |
            jq -r --arg a $a '.differences[] | .b[0].trial as $b | .top_down[] | select(.is_change) |
                "\($a) \($b | ltrimstr("app/one/")) \(.path) \(.change_ns)"'
    done >expected
    said >all
    sed '1,/^true\|^false/d; /^$/d' all | diff - expected
    [ "$(wc -l <expected)" -gt 10 ]
    sed '/^true\|^false/q' all
    [ "$(sed '/^true\|^false/q' all)" = "renamed slow 3
run time|9.04 ms|11.04 ms|+2 ms|
▾ main|9.037 ms|11.04 ms|+2 ms|
▸ compute|6 ms|–|only in A|
▸ solve|–|6 ms|only in B|
MPI_Allreduce|1.008 ms|3.009 ms|+2 ms|
slow later
renamed later
true" ]
}

# By hand: each of two ranks is in setup to 4100 ns, in solve from there to 9600; 1000 bytes are put from 0 to 5000 ns,
# 8000 from there to 9000, and nothing in the last 1000. To 4000 rank 0 has a core for a quarter of the time, rank 1
# always, then to 9500 both; in the barrier from 4000 to 4100 no rank waits.
@test "counters, CPU time and phases are strips above the rows, on the same time axis" {
    {
        echo "window w world"
        for rank in 0 1; do
            printf '%s\n' "$rank 0 enter main" "$rank 0 enter setup" "$rank 0 cpu 7000" "$rank 4000 cpu $((rank ? 11000 : 8000))" \
                "$rank 4000 enter MPI_Barrier" "$rank 4000 coll-begin" \
                "$rank 4100 coll-end barrier world - 0 0" "$rank 4100 leave MPI_Barrier" "$rank 4100 leave setup" "$rank 4100 enter solve"
            if [ $rank = 0 ]; then
                for put in "5000 1000" "9000 8000"; do
                    printf '0 %s\n' "${put% *} enter MPI_Put" "${put% *} put w 1 ${put#* }" "${put% *} leave MPI_Put"
                done
            fi
            printf '%s\n' "$rank 9500 cpu $((rank ? 16500 : 13500))" "$rank 9500 enter MPI_Barrier" "$rank 9500 coll-begin" "$rank 9600 coll-end barrier world - 0 0" \
                "$rank 9600 leave MPI_Barrier" "$rank 9600 leave solve" "$rank 10000 leave main"
        done
    } | "$BUILD/tools/mktrace" - put
    "$PAGODA" export put -o page.html
    browse page.html "$(when_ready '
        const [lane] = lanes, bytes = lane.counters.find(counter => counter.name.includes("bytes")), mean = range => shareOf(bytes, range) * bytes.whole;
        said += lane.counters.map(counter => counter.name).join(" ") + "\n";
        said += lane.phases.map(phase => `${phase.name} ${Math.round(sum([...lane.data[phase.array]]) / 65535 * phase.whole)}`).join(" ") + "\n";
        const between = (begin, end) => mean([begin / 64, end / 64 - 1]) * (end - begin) / 64;
        said += [[0, 4992], [5056, 8960], [9024, 9984]].map(range => Math.round(10 * between(...range)) / 10).join(" ") + "\n";
        setView(0, lastTime); draw();
        const box = canvas.getBoundingClientRect(), tell = (ns, y) => {
            point({ clientX: box.left + xOf(ns, box.width), clientY: box.top + y }); said += $("under").textContent + "\n"; };
        tell(2000, AXIS + 5); tell(7000, AXIS + 5); tell(7000, counterBottom(lane.counters.indexOf(bytes)) - 5);
        for (const ns of [2000, 7000]) tell(ns, counterBottom(0) - 5);
        for (const ns of [2000, 4050]) tell(ns, busyBottom() - 5);')"
    said
    [ "$(said)" = "cores in use num_puts bytes_put
solve 11000 setup 8200
998.5 7808 0
At 2 us of the ranks' time: setup 100.0 %.
At 7 us of the ranks' time: solve 100.0 %.
At 7 us: bytes_put 2 GB/s, all ranks together.
At 2 us: cores in use 1.25, all ranks together.
At 7 us: cores in use 2, all ranks together.
At 2 us of the ranks' time: 100.0 % computing, 0.0 % in MPI.
At 4.05 us of the ranks' time: 0.0 % computing, 100.0 % in MPI: collective operations 100.0 %." ]
}

@test "the legend has time without CPU time where the trace tells CPU time" {
    local legend='said = $("kinds").textContent;'
    archive pipeline
    "$PAGODA" export pipeline -o page.html
    browse page.html "$(when_ready "$legend")"
    said | grep -q 'other MPI'
    [ "$(said | grep -c 'without CPU time')" = 0 ]
    printf '0 %s\n' '0 enter main' '0 cpu 0' '4000 cpu 1000' '4000 enter MPI_Barrier' '4100 leave MPI_Barrier' '5000 leave main' |
        "$BUILD/tools/mktrace" - told
    "$PAGODA" export told -o page.html
    browse page.html "$(when_ready "$legend")"
    said | grep -q 'without CPU time'
}

# The sums over time, of threads decoded ahead or not, are what the report counts by call path.
@test "counters over time grow by what the report says in all" {
    /usr/bin/python3 "$ROOT/tests/cli/counters.py" counted 3 3000 >out
    "$PAGODA" export counted -o page.html
    "$PAGODA" export counted -o page4.html --threads 4
    cmp page.html page4.html
    browse page.html "$(when_ready '
        const [{ counters, data }] = lanes;
        said += JSON.stringify(counters.filter(({ name }) => name !== "cores in use").map(({ name, array, whole }) => ({ name, total: sum([...data[array]]) * whole / 65535 })))')"
    "$PAGODA" replay counted --json >report.json
    said | jq -e --slurpfile report report.json '[.[].name] == [$report[0].counters[].name] and length == 5 and
        ([.[].total] as $totals | all(range(5); $totals[.] / $report[0].counters[.].total - 1 | fabs < 0.001))'
}
