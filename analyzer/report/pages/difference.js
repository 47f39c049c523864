// --- the difference of two runs by call path

const trees = JSON.parse($("trees").textContent); // by call path the time per rank, all below included
const treeOf = new Map(trees.trials.map(({ id, ns }) => [id, ns]));
const pathsBelow = new Map(); // by path, null for those below no other one
trees.paths.forEach(([parent], i) => pathsBelow.set(parent, [...pathsBelow.get(parent) || [], i]));
const LEAST = 0.01; // of A's run time, and SLOWER of what it is in A: a change, as pagoda diff has it
let compared = null; // { a, b, toggled: by path, whether a click has opened it }

const signedTime = ns => `${ns > 0 ? "+" : ns < 0 ? "\u2212" : ""}${timeText(Math.abs(ns))}`;

/** What a place differs by in A and B: of null one of them does not have it, which counts as 0 but is no change. */
function differ(whole, a, b) {
  const ns = Math.round((b || 0) - (a || 0)), size = Math.abs((b || 0) - (a || 0));
  return { a, b, ns, isChange: a !== null && b !== null && size >= 0.5 && size >= LEAST * whole && size >= SLOWER * Math.abs(a) };
}

/** The rows of the difference from the top down, the larger change first, below those that changed or were opened by a click. */
function differenceRows({ a, b, toggled }) {
  const treeA = treeOf.get(a.id), treeB = treeOf.get(b.id), rows = [];
  const at = path => ({ path, ...differ(a.time_ns, treeA[path], treeB[path]) });
  const walk = (paths, depth, isAsked) => paths.map(at).filter(row => row.a !== null || row.b !== null)
    .sort((one, other) => Math.abs(other.ns) - Math.abs(one.ns) || one.path - other.path).forEach(row => {
      if (!isAsked && depth > 0 && !row.isChange && Math.abs(row.ns) < 0.1 * LEAST * a.time_ns) return;
      const isOpen = toggled.has(row.path) ? toggled.get(row.path) : row.isChange, below = pathsBelow.get(row.path) || [];
      rows.push({ ...row, depth, isOpen, hasMore: below.some(path => treeA[path] !== null || treeB[path] !== null) });
      if (isOpen) walk(below, depth + 1, toggled.get(row.path));
    });
  walk(pathsBelow.get(null) || [], 0, true);
  return rows;
}

function nameCell({ path, depth, isOpen, hasMore }) {
  const toggle = () => { compared.toggled.set(path, !isOpen); drawDifference(); };
  const name = make("td", { class: "name" }, hasMore
    ? make("button", { class: "fold", "aria-expanded": isOpen, onclick: toggle }, `${isOpen ? "\u25be" : "\u25b8"} ${trees.paths[path][1]}`)
    : make("span", { class: "fold" }, trees.paths[path][1]));
  name.style.paddingLeft = `${0.6 + 1.1 * Math.min(depth, 20)}rem`;
  return name;
}

/** The way down that most of the change takes: " Most of it is in main/solve: +2 ms.", or "". */
function whereText(rows, ns) {
  const end = rows.findIndex((row, i) => row.depth !== i || !row.isChange || row.ns / ns <= 0.5), way = rows.slice(0, end < 0 ? rows.length : end);
  return way.length ? ` Most of it is in ${way.map(({ path }) => trees.paths[path][1]).join("/")}: ${signedTime(way.at(-1).ns)}.` : "";
}

/** A bar to the right where B takes longer, else to the left; MOST: the largest one. */
function changeBar(ns, most) {
  const width = 50 * Math.abs(ns) / (most || 1), bar = make("div", { class: ns > 0 ? "waiting" : "computing", width: `${width}%` });
  bar.style.marginLeft = `${ns > 0 ? 50 : 50 - width}%`;
  return make("td", { class: "share both" }, bar);
}

function drawDifference() {
  const { a, b } = compared, rows = differenceRows(compared), run = differ(a.time_ns, a.time_ns, b.time_ns);
  const most = Math.max(Math.abs(run.ns), ...rows.map(row => Math.abs(row.ns)));
  const time = ns => cell(ns === null ? "\u2013" : timeText(ns), "number");
  const cells = (row, name) => [name, time(row.a), time(row.b),
    cell(row.a === null ? "only in B" : row.b === null ? "only in A" : signedTime(row.ns), row.isChange ? `number ${row.ns > 0 ? "slower" : "faster"}` : "number"),
    changeBar(row.ns, most)];
  $("difference").replaceChildren();
  fill($("difference"), [["call path (time per rank, all below included)", ""], ["A", "number"], ["B", "number"], ["change", "number"], ["B faster | slower", "middle"]],
    [cells(run, cell("run time", "name")), ...rows.map(row => cells(row, nameCell(row)))]);
  $("difference-text").replaceChildren(`${a.trial} \u2192 ${b.trial}: ${signedTime(run.ns)}, ${signed(run.ns / a.time_ns)}.${whereText(rows, run.ns)} ` +
    `Bold: more than ${percent(LEAST)} of A's run time and ${percent(SLOWER)} of the place's own time.` +
    (a.origin === "measured" && b.origin === "measured" ? " One measurement on each side cannot tell a change from noise." : "") + " Wait states and ranks: ",
    make("code", {}, `pagoda diff ${stored.database} ${a.id} ${b.id}`));
}

/** The last run before TRIAL with the same ranks and, if there is one, the same parameters; undefined: there is none. */
function runBefore(trial) {
  const earlier = trials.slice(0, trials.indexOf(trial)).filter(other => treeOf.has(other.id) && other.origin === "measured" &&
    other.application === trial.application && other.ranks === trial.ranks);
  return earlier.findLast(other => parametersText(other) === parametersText(trial)) || earlier.at(-1);
}

/** Shows the difference of A and B, which the menus then say. */
function compare(a, b) {
  compared = { a, b, toggled: new Map() };
  $("run-a").value = a.id;
  $("run-b").value = b.id;
  drawDifference();
}

function compareWithBefore(trial) {
  const before = treeOf.has(trial.id) && runBefore(trial);
  if (before) compare(before, trial);
}

/** Offers the runs, first the last one that is marked as slower, or the last one, with the run before. */
function showDifference(shownTrials) {
  const applications = new Set(shownTrials.map(trial => trial.application)), isOffered = trial => treeOf.has(trial.id);
  const offered = trials.filter(trial => isOffered(trial) && applications.has(trial.application));
  const withBefore = shownTrials.filter(trial => isOffered(trial) && trial.origin === "measured" && runBefore(trial));
  const option = trial => make("option", { value: trial.id }, `${trial.experiment}/${trial.trial} (${number(trial.ranks, "rank")}, ${timeText(trial.time_ns)})`);
  $("difference-part").hidden = offered.length < 2;
  if (offered.length < 2) return;
  for (const id of ["run-a", "run-b"]) {
    $(id).replaceChildren(...offered.map(option));
    $(id).onchange = () => compare(...["run-a", "run-b"].map(menu => offered.find(trial => trial.id === Number($(menu).value))));
  }
  const b = withBefore.findLast(isSlower) || withBefore.at(-1);
  if (b) compare(runBefore(b), b); else compare(offered.at(-2), offered.at(-1));
}
