// --- moving about

function setView(begin, end) {
  const span = Math.min(lastTime, Math.max(end - begin, 10));
  const from = Math.max(0, Math.min(begin - (span - (end - begin)) / 2, lastTime - span));
  view = { begin: from, end: from + span };
  redraw();
}

function zoom(factor, at) {
  const centre = at === undefined ? (view.begin + view.end) / 2 : at;
  setView(centre - (centre - view.begin) * factor, centre + (view.end - centre) * factor);
}

const pan = share => setView(view.begin + share * (view.end - view.begin), view.end + share * (view.end - view.begin));

/** What made the releaser of call I late: the path back to when the wait began. */
const chainOf = (lane, i) => lane.data.releaser[i] === NOBODY || lane.data.release[i] <= lane.data.enter[i] ? null
  : pathBack(lane, lane.data.releaser[i], lane.data.release[i], lane.data.enter[i]);

/** " Meanwhile rank 1 spends 2 ms in solve, before that rank 0 ...": the larger parts of a chain. */
function chainText(lane, chain) {
  if (!chain) return "";
  const whole = chain[0].end - chain[chain.length - 1].begin;
  const parts = chain.filter(({ begin, end }) => end - begin >= 0.1 * whole).slice(0, 4).map(({ rank, begin, end }) => {
    const [text, , ns] = activities(lane, rank, begin, end)[0];
    return `rank ${rank} spends ${timeText(ns)}${ns < end - begin ? " of " + timeText(end - begin) : ""} in ${text}`;
  });
  return parts.length ? ` Meanwhile ${parts.join("; before that ")}.` : "";
}

function showMarked(marked) {
  const length = marked.end - marked.begin;
  mark = marked;
  setView(mark.begin - 2 * length, mark.end + length);
  canvas.scrollIntoView({ block: "center", behavior: "smooth" });
}

/** The path of calls at which FINDING is, as its own words have it; -1. */
function pathOfFinding(lane, { path, place }) {
  const isPlace = text => place === text || (place || "").startsWith(`${text} at `) || (place || "").startsWith(`${text} and `);
  return lane.paths.findIndex((parts, i) => path ? archivePath(i) === path : isPlace(archivePath(i)) || isPlace(pathText(lane, i)));
}

/** How long RANK computes in REGION from BEGIN to END. */
function computesIn({ data }, region, rank, begin, end) {
  let ns = 0;
  for (let i = callAfter({ data }, rank, begin); i < data.first[rank + 1] && computesSince({ data }, i) < end; i++)
    if (data.computed[i] !== NOBODY && report.profile[data.computed[i]].region === region)
      ns += Math.max(0, Math.min(data.enter[i], end) - Math.max(computesSince({ data }, i), begin));
  return ns;
}

/** The call that waits longest for RANKS, in the function where the longest wait of PATTERN is, while the ranks compute in
 *  REGION if any does; -1. */
function longestWaitFor(lane, { ranks, region, pattern: id }) {
  const { data } = lane, { worst } = pattern(id) || {}, LOOKED_AT = 200, wait = i => data.release[i] - data.enter[i];
  const isOfPattern = i => !worst || report.profile[callPath(lane, i)]?.region === worst.path.split("/").pop();
  const waits = [...data.enter.keys()].filter(i => wait(i) > 0 && ranks.includes(data.releaser[i]) && isOfPattern(i))
    .sort((a, b) => wait(b) - wait(a) || a - b);
  const inRegion = i => region ? computesIn(lane, region, data.releaser[i], data.enter[i], data.release[i]) : 0;
  const longest = waits.slice(0, LOOKED_AT).map(i => [inRegion(i), i]).sort(([a], [b]) => b - a)[0]; // the sort keeps their order
  return longest ? longest[1] : -1;
}

function showCall(lane, i) {
  const { rank, enter, release } = lane.data;
  showMarked({ rank: rank[i], begin: enter[i], end: release[i], chain: chainOf(lane, i) });
  $("under").textContent = callText(lane, rank[i], i) + chainText(lane, mark.chain);
}

function showLongest(lane, longest) {
  showMarked({ ...longest, chain: null });
  pointed = { lane, row: longest.rank, rank: longest.rank };
  $("under").textContent = rankText(lane, longest.rank, longest.begin);
}

/** A finding without a button leads to the longest call, or computing, in its place; to the longest wait for its ranks; or
 *  to the longest computing in its function. */
function offerLongest(finding, item) {
  const [lane] = lanes, offer = (text, onclick) => item.append(make("p", {}, make("button", { onclick }, text)));
  if (item.querySelector("button")) return;
  const path = pathOfFinding(lane, finding), inPlace = path < 0 ? null : longestIn(lane, path, finding.ranks);
  const call = inPlace || !finding.pattern ? -1 : longestWaitFor(lane, finding), { worst } = pattern(finding.pattern) || {};
  if (call >= 0) {
    const { rank, releaser, enter, release } = lane.data;
    offer(`Show the longest wait for ${finding.ranks.length > 1 ? "these ranks" : "this rank"}: ${timeText(release[call] - enter[call])}, rank ${rank[call]} for rank ${releaser[call]}`,
      () => showCall(lane, call));
    return;
  }
  if (!inPlace && worst && finding.ranks.includes(worst.cause_rank)) {
    offer(worstText(finding.pattern), () => showWorst(worst));
    return;
  }
  const computing = lane.paths.map((_, i) => i).filter(i => finding.region && report.profile[i].region === finding.region);
  const longest = inPlace || computing.map(i => longestIn(lane, i, finding.ranks)).filter(item => item)
    .sort((a, b) => b.end - b.begin - a.end + a.begin)[0];
  if (longest) offer(`Show where it takes longest at once: ${timeText(longest.end - longest.begin)} on rank ${longest.rank}`, () => showLongest(lane, longest));
}

function showWorst(worst) {
  const [lane] = lanes, i = callAfter(lane, worst.rank, worst.time_ns);
  const chain = lane.has_all_calls && i < lane.data.first[worst.rank + 1] && lane.data.enter[i] <= worst.time_ns ? chainOf(lane, i) : null;
  showMarked({ rank: worst.rank, begin: worst.time_ns, end: worst.time_ns + worst.wait_ns, chain });
  $("under").textContent = `Rank ${worst.rank} waits ${timeText(worst.wait_ns)} from ${timeText(worst.time_ns)} on, in ${placeText(worst)}` +
    `${worst.cause_rank === null || worst.cause_rank === undefined ? "" : ", for rank " + worst.cause_rank}.${chainText(lane, chain)}`;
}

function callText(lane, rank, i) {
  const { data } = lane, wait = data.release[i] - data.enter[i], releaser = data.releaser[i];
  return `Rank ${rank}: ${callPlace(lane, i)}, ${timeText(data.leave[i] - data.enter[i])} from ${timeText(data.enter[i])} on` +
    (wait > 0 ? `; waits ${timeText(wait)}${releaser === NOBODY ? "" : " for rank " + releaser}` : "") + ".";
}

function sharesText(lane, row, ns) {
  const level = levelOf(lane, (view.end - view.begin) / Math.max(1, canvas.clientWidth)), isRank = row < lane.ranks;
  const at = (row * level.columns + Math.floor(ns / level.width)) * N_KINDS;
  const parts = (isRank ? KINDS : THREAD_KINDS).map(([, name], kind) => [name, level.shares[at + kind] / 255]).filter(([, share]) => share > 0);
  return `${isRank ? "Rank " + row : threadName(lane, row)} at ${timeText(ns)}: ` + (parts.length ? parts.map(([name, share]) => `${name} ${percent(share)}`).join(", ") : "not in the run") + ".";
}

/** [its lane, it, the time] where EVENT is, or null. */
function rowAt(event) {
  const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  const lane = lanes.find(item => y >= topOf(item) && y < topOf(item) + heightOf(item));
  return lane ? [lane, lane.rows[Math.floor((y - topOf(lane)) / rowHeight)], x < GUTTER ? -1 : timeOf(x, box.width)] : null;
}

function rankText(lane, rank, ns) {
  const { data } = lane, i = callAfter(lane, rank, ns);
  if (!lane.has_all_calls || i === data.first[rank + 1]) return sharesText(lane, rank, ns);
  if (data.enter[i] <= ns) {
    pointed.call = i;
    pointed.chain = chainOf(lane, i);
    return callText(lane, rank, i) + chainText(lane, pointed.chain);
  }
  const since = computesSince(lane, i);
  const mostly = data.computed[i] === NOBODY ? "" : `, mostly in ${computedName(lane, i)}`;
  return `Rank ${rank} computes for ${timeText(data.enter[i] - since)}, from ${timeText(since)} on${mostly}, until ${callPlace(lane, i)}.`;
}

// --- threads

const threadName = (lane, row) => {
  const { rank, name } = lane.threads[row - lane.ranks];
  return `Thread ${lane.threadsOf[rank].indexOf(row - lane.ranks)} of rank ${rank} (${name})`;
};

function threadText(lane, row, ns) {
  const { data } = lane, i = spanAfter(lane, row - lane.ranks, ns);
  if (!lane.has_all_spans || i === data.firstSpan[row - lane.ranks + 1] || data.span_begin[i] > ns) return sharesText(lane, row, ns);
  const does = ["computes", "waits for other threads", "is in the thread runtime", "is in MPI", "is idle"][data.span_kind[i]];
  const path = data.span_path[i] === NOBODY ? "" : `, in ${pathText(lane, data.span_path[i])}`;
  pointed.span = i;
  return `${threadName(lane, row)} ${does} for ${timeText(data.span_end[i] - data.span_begin[i])}, from ${timeText(data.span_begin[i])} on${path}.`;
}

/** The threads of RANK are shown, or not. */
function unfold(lane, rank, isUnfolded) {
  if (isUnfolded) lane.unfolded.add(rank); else lane.unfolded.delete(rank);
}

function foldsChanged() {
  const withThreads = lanes.flatMap(lane => lane.threadsOf.map((threads, rank) => threads.length > 0 ? lane.unfolded.has(rank) : null));
  $("threads").checked = !withThreads.includes(false);
  layOut();
  redraw();
}

function unfoldAll(isUnfolded) {
  for (const lane of lanes)
    for (let rank = 0; rank < lane.ranks; rank++) unfold(lane, rank, isUnfolded);
  foldsChanged();
}

function point(event) {
  const [lane, row, ns] = rowAt(event) || [], box = canvas.getBoundingClientRect();
  const text = lane ? "" : stripText(event.clientX - box.left, event.clientY - box.top, box.width);
  if (text) $("under").textContent = text;
  canvas.style.cursor = lane && ns < 0 && row < lane.ranks && lane.threadsOf[row].length > 0 ? "pointer" : "";
  if (!lane || ns < 0 || ns > lane.end_ns) return;
  pointAt(lane, row, ns);
}

function pointAt(lane, row, ns) {
  pointed = { lane, row, rank: row, ns };
  $("under").textContent = row < lane.ranks ? rankText(lane, row, ns) : threadText(lane, row, ns);
  redraw();
}

// --- the same by keys, for whoever uses no pointer, or listens

/** The row STEP below the one that is pointed at, or the first one. */
function pointRow(step) {
  const rows = lanes.flatMap(lane => lane.rows.map(row => ({ lane, row })));
  const at = pointed ? rows.findIndex(({ lane, row }) => lane === pointed.lane && row === pointed.row) : -1;
  const { lane, row } = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  pointAt(lane, row, pointed && pointed.ns !== undefined ? pointed.ns : (view.begin + view.end) / 2);
}

/** The next (STEP 1) or previous (-1) call of the rank that is pointed at. */
function pointCall(step) {
  if (!pointed) pointRow(1);
  const { lane, row, ns, call } = pointed, { first, enter, leave } = lane.data;
  if (!lane.has_all_calls || row >= lane.ranks || first[row] === first[row + 1]) return;
  const from = call !== undefined ? call + step : callAfter(lane, row, ns) + (step < 0 ? -1 : 0);
  const i = Math.max(first[row], Math.min(first[row + 1] - 1, from)), half = (view.end - view.begin) / 2;
  if (enter[i] < view.begin || leave[i] > view.end) setView(enter[i] - half, enter[i] + half);
  pointed = { lane, row, rank: row, ns: enter[i], call: i, chain: chainOf(lane, i) };
  $("under").textContent = callText(lane, row, i) + chainText(lane, pointed.chain);
  redraw();
}

/** Whether EVENT is on the name of a rank with threads, which it folds or unfolds. */
function foldAt(event) {
  const [lane, row, ns] = rowAt(event) || [];
  if (!lane || ns >= 0 || row >= lane.ranks || lane.threadsOf[row].length === 0) return false;
  unfold(lane, row, !lane.unfolded.has(row));
  foldsChanged();
  return true;
}

function listen() {
  let drag = null;
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(event.deltaX / canvas.clientWidth);
    else zoom(event.deltaY > 0 ? 1.25 : 0.8, timeOf(event.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth));
  }, { passive: false });
  canvas.addEventListener("pointerdown", event => { if (foldAt(event)) return; drag = { x: event.clientX, view }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", event => {
    if (!drag) { point(event); return; }
    const moved = (drag.x - event.clientX) / (canvas.clientWidth - GUTTER) * (drag.view.end - drag.view.begin);
    setView(drag.view.begin + moved, drag.view.end + moved);
  });
  canvas.addEventListener("dblclick", event => zoom(0.25, timeOf(event.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth)));
  canvas.addEventListener("keydown", event => {
    const act = { ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
      Home: () => setView(0, lastTime), ArrowUp: () => pointRow(-1), ArrowDown: () => pointRow(1), n: () => pointCall(1), p: () => pointCall(-1), t: () => unfoldAll(!$("threads").checked) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  overview.addEventListener("pointerdown", event => {
    const at = (event.clientX - overview.getBoundingClientRect().left - GUTTER) / (overview.clientWidth - GUTTER) * lastTime;
    const half = (view.end - view.begin) / 2;
    setView(at - half, at + half);
  });
  $("in").onclick = () => zoom(0.5);
  $("out").onclick = () => zoom(2);
  $("all").onclick = () => setView(0, lastTime);
  $("judged").onclick = () => setView(report.window.begin_ns, report.window.end_ns);
  $("threads").onchange = () => unfoldAll($("threads").checked);
  $("messages").onchange = $("critical-line").onchange = redraw;
  addEventListener("resize", redraw);
  for (const [type, toPrint] of [["beforeprint", true], ["afterprint", false]])
    addEventListener(type, () => { document.documentElement.classList.toggle("print", toPrint); readColours(); layOut(); draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); redraw(); });
}

/** What the picture leaves out. */
function limitsText() {
  const { has_all_calls: hasAll, has_all_spans: hasSpans, leaves_out_threads: leavesOut, messages, data } = lanes[0];
  return (hasAll ? "" : " The run has too many calls to show each: colours are shares of the time.") +
    (messages > data.send.length ? ` Of ${count(messages)} messages the ${count(data.send.length)} with the longest waits are there.` : "") +
    (hasSpans ? "" : " Rows of threads show shares of the time, for these change too often.") +
    (leavesOut ? " There are too many threads for rows of their own." : "");
}

async function showTimeline() {
  const hasThreads = lanes.some(lane => lane.threads.length > 0);
  const shown = KINDS.filter((_, kind) => kind !== NO_CPU || report.trace.has_cpu_time);
  for (const [id, kinds] of [["kinds", shown], ["thread-kinds", THREAD_KINDS]])
    $(id).append(id === "kinds" ? "" : "threads:", ...kinds.map(([kind, name]) => make("span", {}, make("i", { class: kind }), name)));
  $("threads").parentElement.hidden = $("thread-kinds").hidden = !hasThreads; // always there, so that no click moves the rows
  canvas.setAttribute("aria-label", "What each rank does over time. Left and right move, plus and minus zoom, Home shows the whole run, " +
    "up and down choose a rank, n and p its next and previous call" + (hasThreads ? ", t shows the threads." : "."));
  for (const lane of lanes) {
    lane.unfolded = new Set();
    lane.threadsOf = Array.from({ length: lane.ranks }, () => []);
    lane.threads.forEach(({ rank }, thread) => lane.threadsOf[rank].push(thread));
    lane.data = await readData(lane);
    lane.levels = makeLevels(lane);
    lane.functions = longestFunctions(lane, FUNCTIONS.length);
    if (lane.data.shares.every((share, i) => share === 0 || i >= lane.ranks * lane.columns * N_KINDS)) // only threads tell something
      lane.threadsOf.forEach((_, rank) => unfold(lane, rank, true));
    lane.critical = lane.has_all_calls ? criticalPath(lane) : null;
    const { send, receive } = lane.data;
    lane.slowest = Uint32Array.from(send.keys()).sort((a, b) => receive[b] - send[b] - receive[a] + send[a] || a - b);
  }
  for (const [i, name] of lanes[0].functions.entries())
    $("kinds").append(make("span", {}, make("i", { class: FUNCTIONS[i] }), name));
  $("critical-line").parentElement.hidden = !lanes.some(lane => lane.critical);
  report.findings.forEach((finding, i) => offerLongest(finding, $("findings").children[i]));
  readColours();
  foldsChanged();
  listen();
  const { begin_ns: begin, end_ns: end } = report.window;
  setView(end > begin ? begin : 0, end > begin ? end : lastTime);
  $("under").textContent = "Wheel or + and - zoom, dragging or arrow keys move, pointing (or \u2191 \u2193 n p) tells what a rank does." +
    (hasThreads ? " A click on the name of a rank shows its threads." : "") + limitsText();
  draw();
  document.body.setAttribute("data-ready", "yes");
}
