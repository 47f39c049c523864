// --- the data

const report = JSON.parse($("report").textContent);
const names = JSON.parse($("names").textContent); // long ones, and how they are shown
const lanes = JSON.parse($("lanes").textContent); // what is measured, and what is predicted if anything is
const shown = name => Object.hasOwn(names, name) ? names[name] : name;
const placeText = ({ path, source }) => shown(path) + (source ? ` at ${source}` : "");

// --- head

function showHead() {
  const { trace, window: judged, efficiency } = report;
  const program = trace.program || trace.path.split("/").slice(-2)[0];
  document.title = `${program}: Pagoda`;
  $("program").textContent = `${program}${trace.arguments ? " " + trace.arguments : ""}`;
  $("run").textContent = `${number(trace.ranks, "rank")} on ${number(trace.nodes, "node")}; ` +
    `${number(trace.events, "event")}, ${number(trace.messages, "message")}, ${number(trace.collectives, "collective operation")}; ` +
    trace.path;
  const fact = (name, value) => $("facts").append(make("div", {}, make("b", {}, value), name));
  fact("run time", timeText(report.time_ns));
  fact("judged part", timeText(judged.end_ns - judged.begin_ns));
  fact("parallel efficiency", percent(efficiency.parallel));
  fact("load balance", percent(efficiency.load_balance));
  fact("communication efficiency", percent(efficiency.communication));
  const parts = [["computing", "computing", judged.useful_ns], ["waiting", "waiting for other ranks", judged.wait_ns],
    ["other", "in MPI, not waiting", judged.other_mpi_ns], ["no-cpu", "without CPU time", judged.no_cpu_ns],
    ["rest", "after the end, or not recorded", judged.ended_ns + judged.unrecorded_ns]];
  const whole = sum(parts.map(part => part[2])) || 1;
  for (const [kind, name, ns] of parts.filter(part => part[2] > 0)) {
    $("time").append(make("div", { class: kind, width: `${100 * ns / whole}%` }));
    $("time-legend").append(make("span", {}, make("i", { class: kind }), `${name} ${percent(ns / whole)}`));
  }
  $("time").setAttribute("aria-label", $("time-legend").textContent);
  showPrediction();
  $("made").textContent = `Made by pagoda ${report.pagoda}.`;
}

function showPrediction() {
  const whatif = report.whatif;
  if (!whatif) return;
  const base = whatif.untraced_ns || whatif.baseline_ns, change = (whatif.predicted_ns - base) / base;
  $("prediction").hidden = false;
  $("prediction").append("Predicted with ", make("code", {}, whatif.change), ": ", make("b", {}, timeText(whatif.predicted_ns)),
    ` in place of ${timeText(base)}${whatif.untraced_ns ? ", both without what recording cost" : ""}, ${percent(Math.abs(change))} ${change > 0 ? "more" : "less"}. ` +
    `With nothing changed, ${timeText(whatif.replayed_ns)} are predicted.`);
  if (whatif.reliability !== "good") $("prediction").append(` The prediction is ${whatif.reliability === "none" ? "no answer" : whatif.reliability}.`);
  if (whatif.changes.why) $("prediction").append(make("br"), `Against the ${whatif.changes.against} run: ${whatif.changes.why}.`);
  for (const assumption of whatif.assumptions) $("prediction").append(make("br"), assumption);
}

// --- findings, warnings

const pattern = id => report.patterns.find(item => item.id === id);

function worstText(id) {
  const { name, worst } = pattern(id);
  return `Show the longest ${name}: ${timeText(worst.wait_ns)} on rank ${worst.rank}`;
}

function findingItem(finding) {
  const longest = (pattern(finding.pattern) || {}).worst, call = longest && longest.path.split("/").pop();
  const isElsewhere = longest && (finding.path || "").split("/").pop() === call && finding.path !== longest.path;
  const worst = longest && finding.text.includes(call) && !isElsewhere ? longest : null;
  const remedies = finding.remedies.map(remedy => make("li", {},
    remedy.text + (remedy.gain_ns > 0 && report.replayed_ns
      ? `: predicted to save ${timeText(remedy.gain_ns)}, ${percent(remedy.gain_ns / (report.untraced_ns || report.replayed_ns))} of the run `
      : remedy.failure ? `: what it saves could not be predicted: ${remedy.failure} ` : " "),
    make("code", {}, `(${remedy.words})`)));
  return make("li", {}, make("h3", {}, `${finding.name}, ${percent(finding.share)} of the ranks' time`),
    make("p", {}, finding.text), finding.hint ? make("p", {}, finding.hint) : null,
    remedies.length ? make("ul", {}, ...remedies) : null,
    finding.tried ? make("p", {}, `Tried without gain: ${finding.tried}`) : null,
    worst ? make("p", {}, make("button", { onclick: () => showWorst(worst) }, worstText(finding.pattern))) : null);
}

function showFindings() {
  $("findings").append(...report.findings.map(findingItem));
  if (!report.findings.length) $("findings").append(make("li", {}, report.conclusion || "No loss was found."));
  else $("rest").textContent = `In no finding: ${timeText(report.found_rest_ns)}. ${report.unpredicted || ""}`;
  $("warnings").append(...report.warnings.map(warning => make("li", {}, warning.text)));
  $("warnings-part").hidden = !report.warnings.length;
}

// --- tables

function showWaits() {
  const rows = report.patterns.filter(item => item.worst && item.total_ns > 0)
    .sort((a, b) => b.total_ns - a.total_ns)
    .map(item => [cell(item.name, "name"), cell(count(item.count), "number"), cell(timeText(item.total_ns), "number"),
      shareCell(item.total_ns / (report.time_ns * report.trace.ranks), "waiting"),
      cell(placeText(item.worst), "name"),
      make("td", {}, make("button", { onclick: () => showWorst(item.worst) }, `longest: ${timeText(item.worst.wait_ns)}`))]);
  if (!rows.length) rows.push([cell("none", "name")]);
  fill($("waits"), [["wait state", ""], ["count", "number"], ["total", "number"], ["share of the ranks' time", ""],
    ["longest in", ""], ["", ""]], rows);
}

const sourcesText = ({ sources = [] }) => sources.length > 1 ? number(sources.length, "place") : sources.length ? sources[0].source : "";

const PRINTED = 100; // rows of a long table, as page.css has it

function showPaths() {
  const whole = report.time_ns * report.trace.ranks;
  const { paths } = lanes[0], depths = [];
  const rows = report.profile.slice(0, 2000).map((item, i) => {
    const [parent, text] = paths[i], name = cell(text, "name");
    depths[i] = parent === null ? 0 : depths[parent] + 1;
    name.style.paddingLeft = `${0.6 + 1.1 * Math.min(depths[i], 20)}rem`;
    name.onmouseenter = () => { name.title = archivePath(i); };
    return [name, cell(count(item.visits), "number"), cell(timeText(item.inclusive_ns), "number"),
      cell(timeText(item.exclusive_ns), "number"), cell(sourcesText(item), "name"), shareCell(item.inclusive_ns / whole, item.region.startsWith("MPI_") ? "other" : "computing")];
  });
  fill($("paths"), [["call path (sums over ranks)", ""], ["visits", "number"], ["inclusive", "number"],
    ["exclusive", "number"], ["called at", ""], ["inclusive share", ""]], rows);
  const all = report.profile.length;
  $("paths-text").textContent = all > rows.length ? `And ${count(all - rows.length)} further call paths.` : "";
  $("paths-printed").textContent = all > PRINTED ? `In print the first ${PRINTED} of ${count(all)} call paths.` : "";
}

/** Call paths as boxes below their callers, as wide as their inclusive times; ROOT alone, or all. */
function showIcicle(root) {
  const { paths } = lanes[0], { profile } = report, begin = [], used = [], depth = [], MOST = 16;
  let end = 0; // of the outermost ones
  profile.forEach(({ inclusive_ns: ns }, i) => {
    const [parent] = paths[i];
    begin[i] = used[i] = parent === null ? end : used[parent];
    if (parent === null) end += ns; else used[parent] += ns;
    depth[i] = parent === null ? 0 : depth[parent] + 1;
  });
  const from = root === null ? 0 : begin[root], whole = root === null ? end : profile[root].inclusive_ns, top = root === null ? 0 : depth[root];
  const boxes = profile.map((item, i) => i).filter(i => profile[i].inclusive_ns >= whole / 1000 && depth[i] >= top && depth[i] < top + MOST &&
    begin[i] >= from && begin[i] < from + whole);
  $("icicle").style.height = `${1.4 * (1 + Math.max(0, ...boxes.map(i => depth[i] - top)))}rem`;
  $("icicle").replaceChildren(...boxes.map(i => {
    const { region, inclusive_ns: ns } = profile[i];
    const box = make("div", { class: region.startsWith("MPI_") ? "other" : "computing", width: `${100 * ns / whole}%`,
      title: `${region}: ${timeText(ns)}, ${percent(ns / whole)}`, onclick: () => showIcicle(i === root ? paths[i][0] : i) }, paths[i][1]);
    box.style.left = `${100 * (begin[i] - from) / whole}%`;
    box.style.top = `${1.4 * (depth[i] - top)}rem`;
    return box;
  }));
}

function showCritical() {
  const rows = report.critical_path.regions.slice(0, 50).map(item => [cell(shown(item.region), "name"),
    cell(timeText(item.time_ns), "number"), cell(percent(item.share), "number"), shareCell(item.share, "collective")]);
  fill($("critical"), [["region", ""], ["time", "number"], ["share", "number"], ["of the run time", ""]], rows);
  $("slack-part").hidden = !report.critical_path.slack.length;
  $("slack").append(...report.critical_path.slack.map(item => make("li", {}, item.text)));
}

function showIterations() {
  const iterations = report.iterations;
  $("iterations-part").hidden = !iterations;
  if (!iterations) return;
  const items = iterations.items, most = Math.max(...items.map(item => (item.end_ns - item.begin_ns) / (item.last - item.first + 1)));
  const odd = iterations.odd.flatMap(range => [[range.first, range.last]]);
  const svg = svgElement("svg", { viewBox: `0 0 ${items.length} 20`, preserveAspectRatio: "none", height: 70, role: "img",
    "aria-label": "time of each iteration" });
  items.forEach((item, i) => {
    const height = 20 * (item.end_ns - item.begin_ns) / (item.last - item.first + 1) / most;
    const isOdd = odd.some(([first, last]) => item.first >= first && item.first <= last);
    const rect = svgElement("rect", { x: i + 0.06, y: 20 - height, width: 0.88, height, class: isOdd ? "odd" : "" },
      svgElement("title", {}, `iteration ${item.first}${item.last > item.first ? " to " + item.last : ""}: ${timeText(item.end_ns - item.begin_ns)}`));
    rect.addEventListener("click", () => setView(item.begin_ns, item.end_ns));
    svg.append(rect);
  });
  $("iterations").append(svg);
  $("iterations-text").textContent = `${count(iterations.count)} iterations, usually ${timeText(iterations.usual_ns)}; ` +
    `each ends with a call of ${placeText(iterations)}.${odd.length ? " Unusual ones are red." : ""}`;
  $("iterations-text").append(make("span", { class: "screen" }, " A click shows one in the timeline."));
}

function stragglerName({ rank, node, first, last, slowest_in: slowest }) {
  if (first !== null) return first === last ? `iteration ${first}` : `iterations ${first} to ${last}`;
  return (rank !== null ? `rank ${rank}` : `node ${node}`) + (slowest ? `, slowest in ${number(slowest, "iteration")}` : "");
}

/** Whom the others wait for, how long, and what made it late. */
function showStragglers() {
  $("stragglers-part").hidden = !report.stragglers.length;
  const hasCpu = report.trace.has_cpu_time, hasBlocked = report.stragglers.some(item => item.blocked_ns > 0);
  const kinds = [["computing", hasCpu ? "work" : "work, or no core", "work_ns", true], ["no-cpu", "no core", "core_ns", hasCpu],
    ["rest", "blocked", "blocked_ns", hasBlocked], ["other", "network", "network_ns", true]].filter(([, , , shown]) => shown);
  const rows = report.stragglers.map(item => {
    const parts = kinds.map(([kind, , key]) => [kind, item[key]]);
    const whole = (item.first === null ? item.late_ns : sum(parts.map(([, ns]) => ns))) || 1;
    return [cell(stragglerName(item), "whole"), cell(timeText(item.late_ns), "number"), cell(percent(item.share), "number"),
      ...parts.map(([, ns]) => cell(percent(ns / whole), "number")), bar(parts, whole)];
  });
  fill($("stragglers"), [["", ""], ["others wait for it", "number"], ["of all such waits", "number"],
    ...kinds.map(([, name]) => [name, "number"]), ["what made it late", ""]], rows);
}

/** Ranks that serve others: how often requests come, how long each takes. */
function showServers() {
  const servers = report.servers || [];
  const moments = ({ mean_ns: mean, deviation_ns: deviation }) =>
    mean === null ? "-" : timeText(mean) + (deviation !== null && mean > 0 ? ` ± ${Math.round(100 * deviation / mean)} %` : "");
  $("servers-part").hidden = !servers.length;
  const rows = servers.map(({ rank, clients, requests, arrival, service, response, busy, saturating }) => [cell(`rank ${rank}`, "name"),
    ...[String(clients), String(requests), moments(arrival), moments(service), moments(response), percent(busy),
      saturating === null ? "-" : `${saturating.toFixed(1)} clients`].map(text => cell(text, "number"))]);
  fill($("servers"), [["", ""], ...["clients", "requests", "one every", "served in", "answered in", "busy", "full with"].map(name => [name, "number"])], rows);
}

/** A cell with a bar of PARTS, each a class and a number, WHOLE of which are all of its width. */
function bar(parts, whole) {
  return make("td", { class: "share wide" }, make("div", { class: "parts" },
    ...parts.map(([kind, n]) => make("div", { class: kind, width: `${100 * n / whole}%` }))));
}

/** Where the time of each rank, or of neighbouring ones where there are many, went. */
function showRanks() {
  const groups = report.groups ? report.groups.items : [];
  $("ranks-part").hidden = !groups.length;
  const kinds = [["computing", "computing", "useful_ns"], ["waiting", "waiting", "wait_ns"], ["other", "other MPI", "other_mpi_ns"],
    ...(report.trace.has_cpu_time ? [["no-cpu", "without CPU time", "no_cpu_ns"]] : [])];
  const partsOf = item => kinds.map(([kind, , key]) => [kind, item[key] / item.ranks]);
  const whole = Math.max(...groups.map(item => sum(partsOf(item).map(([, ns]) => ns))));
  const rows = groups.map(item => [cell(item.name, "name"), ...partsOf(item).map(([, ns]) => cell(timeText(ns), "number")),
    bar(partsOf(item), whole)]);
  fill($("ranks"), [["", ""], ...kinds.map(([, name]) => [name, "number"]), ["in the judged part, mean of a rank", ""]], rows);
}

function showMatrix() {
  const { items = [], messages = [] } = report.groups || {}, place = new Map(items.map((item, i) => [item.name, i]));
  $("matrix-part").hidden = !messages.length;
  const most = Math.max(...messages.map(item => item.bytes), 1), n = items.length;
  const cells = messages.map(item => svgElement("rect", { x: place.get(item.to), y: place.get(item.from), width: 1, height: 1,
    "fill-opacity": 0.12 + 0.88 * item.bytes / most },
  svgElement("title", {}, `${item.from} to ${item.to}: ${number(item.messages, "message")}, ${count(item.bytes)} bytes, ${count(Math.round(item.bytes / item.messages))} each`)));
  const isNamed = n <= 32, room = isNamed ? 0.3 * Math.max(0, ...items.map(item => item.name.length)) + 0.4 : 0;
  const labels = isNamed ? items.map(({ name }, i) => svgElement("text", { x: -0.2, y: i + 0.65, "text-anchor": "end", "font-size": 0.5 }, name)) : [];
  $("matrix").append(svgElement("svg", { viewBox: `${-room} 0 ${n + room} ${n}`, style: `max-width: ${1.6 * (n + room)}rem`, role: "img",
    "aria-label": "bytes from each rank to each other" }, ...labels, svgElement("rect", { width: n, height: n, class: "frame" }), ...cells));
  $("matrix-text").textContent = `Senders down from ${items.length ? items[0].name : ""}, receivers to the right, in the same order. The darkest: ${count(most)} bytes.`;
  if (items.some(item => item.ranks > 1)) $("matrix-title").textContent = "Messages between groups of ranks";
}

function showSizes() {
  const sizes = report.message_sizes, messages = sum(sizes.map(item => item.messages)), bytes = sum(sizes.map(item => item.bytes)) || 1;
  $("sizes-part").hidden = !sizes.length;
  fill($("sizes"), [["bytes", "number"], ["messages", "number"], ["of all messages", ""], ["bytes in all", "number"], ["of all bytes", ""]],
    sizes.map(item => [cell(item.least_bytes ? `${count(item.least_bytes)} to ${count(2 * item.least_bytes - 1)}` : "0", "number"),
      cell(count(item.messages), "number"), shareCell(item.messages / messages, "point-to-point"),
      cell(count(item.bytes), "number"), shareCell(item.bytes / bytes, "computing")]));
}

function showChanges() {
  const changes = report.whatif ? report.whatif.changes.critical_path.filter(item => item.before_ns !== item.predicted_ns) : [];
  $("changes-part").hidden = !changes.length;
  fill($("changes"), [["region", ""], ["before", "number"], ["predicted", "number"], ["change", "number"]],
    changes.slice(0, 20).map(item => [cell(shown(item.region), "name"), cell(timeText(item.before_ns), "number"),
      cell(timeText(item.predicted_ns), "number"), cell(timeText(item.predicted_ns - item.before_ns), "number")]));
}
