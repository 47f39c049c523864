// --- the data

const stored = JSON.parse($("trials").textContent), tests = JSON.parse($("tests").textContent);
const scaling = $("scaling") ? JSON.parse($("scaling").textContent) : null;
const trials = stored.trials;
const experimentOf = trial => `${trial.application}/${trial.experiment}`;
const SLOWER = 0.05; // than earlier runs of the same ranks and parameters: as pagoda diff has it

/** How much longer TRIAL took than the mean of the earlier ones like it; null: there is none. */
const slowdown = trial => trial.earlier_ns ? trial.judged_ns / trial.earlier_ns - 1 : null;
const isSlower = trial => slowdown(trial) > SLOWER;

// --- history: a point for each run, in the order of their begin

const WIDTH = 1000, HEIGHT = 220, LEFT = 70, BOTTOM = 24;

function pointOf(trial, x, y) {
  const kind = trial.origin === "predicted" ? "predicted" : isSlower(trial) ? "slower" : "measured";
  const point = svgElement("circle", { cx: x, cy: y, r: 5, class: kind, tabindex: 0 },
    svgElement("title", {}, `${trial.trial}: ${timeText(trial.judged_ns)}`));
  point.addEventListener("click", () => showRun(trial));
  point.addEventListener("keydown", event => { if (event.key === "Enter") showRun(trial); });
  return point;
}

function drawHistory(shownTrials) {
  const most = Math.max(...shownTrials.map(trial => trial.judged_ns));
  const svg = svgElement("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "run times in the order of their begin" });
  const y = ns => 10 + (HEIGHT - BOTTOM - 10) * (1 - ns / most);
  const x = i => LEFT + (WIDTH - LEFT - 20) * (i + 0.5) / shownTrials.length;
  for (const share of [0, 0.5, 1]) {
    svg.append(svgElement("line", { x1: LEFT, x2: WIDTH, y1: y(share * most), y2: y(share * most), class: "grid" }),
      svgElement("text", { x: LEFT - 8, y: y(share * most) + 4, "text-anchor": "end" }, timeText(share * most)));
  }
  const begun = i => (shownTrials[i].started_at || "").replace("T", " "), last = shownTrials.length - 1;
  const isOneDay = begun(0).slice(0, 10) === begun(last).slice(0, 10);
  for (const i of new Set([0, last]))
    svg.append(svgElement("text", { x: x(i), y: HEIGHT - 6, "text-anchor": i ? "end" : "start" }, begun(i).slice(0, isOneDay ? 16 : 10)));
  shownTrials.forEach((trial, i) => svg.append(pointOf(trial, x(i), y(trial.judged_ns))));
  $("history").replaceChildren(svg);
  const slower = shownTrials.filter(isSlower);
  $("history-text").textContent = "The time between MPI_Init and MPI_Finalize. Circles are predictions. " +
    (slower.length ? `Red: ${number(slower.length, "run")} more than ${percent(SLOWER)} slower than the mean of earlier runs with the same ranks and parameters.`
      : "No run is much slower than earlier ones like it.");
}

// --- the table, and one run

const parametersText = trial => Object.entries(trial.parameters).map(([name, value]) => `${name}=${value}`).join(", ");

function changeText(trial) {
  if (trial.prediction)
    return trial.prediction.measured_ns ? `${signed(trial.time_ns / trial.prediction.measured_ns - 1)} predicted` : "predicted";
  const change = slowdown(trial);
  return change === null ? "" : signed(change);
}

const signed = share => `${share > 0 ? "+" : share < 0 ? "\u2212" : ""}${percent(Math.abs(share))}`;

function showRuns(shownTrials) {
  const rows = [...shownTrials].reverse().map(trial => [
    make("td", { class: "name" }, make("button", { onclick: () => showRun(trial) }, trial.trial)),
    cell((trial.started_at || "").replace("T", " ").slice(0, 16), "number"), cell(count(trial.ranks), "number"),
    cell(parametersText(trial), "name"), cell(timeText(trial.judged_ns), "number"), cell(percent(trial.parallel_efficiency), "number"),
    cell(changeText(trial), isSlower(trial) ? "number slower" : "number"), cell(trial.headline || "", "name")]);
  $("runs").replaceChildren();
  fill($("runs"), [["run", ""], ["begin (UTC)", "number"], ["ranks", "number"], ["parameters", ""], ["time", "number"],
    ["efficiency", "number"], ["change", "number"], ["largest loss", ""]], rows);
}

function showRun(trial) {
  compareWithBefore(trial);
  const fact = (name, value) => value ? make("li", {}, make("b", {}, `${name}: `), value) : null;
  $("run-part").hidden = false;
  $("run-name").textContent = `${experimentOf(trial)}/${trial.trial}`;
  $("run-text").textContent = trial.conclusion || "";
  $("run-facts").replaceChildren(...[
    fact("predicted with", trial.prediction && trial.prediction.change),
    fact("from", trial.prediction && trial.prediction.measured_trial),
    fact("version", Object.entries(trial.versions).map(([name, value]) => `${name.replace("PAGODA::", "")} ${value}`).join(", ")),
    fact("wait states", trial.wait_states.map(item => `${item.title} ${timeText(item.wait_ns)}`).join(", ")),
  ].filter(item => item));
  $("run-part").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function showExperiment() {
  const chosen = $("experiment").value;
  const shownTrials = trials.filter(trial => !chosen || experimentOf(trial) === chosen);
  drawHistory(shownTrials);
  showRuns(shownTrials);
  showDifference(shownTrials);
}

// --- predictions

function showPredictions() {
  const rows = tests.cases.map(item => [cell(item.kind, "name"), cell(item.name, "name"), cell(timeText(1e9 * item.predicted), "number"),
    cell(timeText(1e9 * item.measured), "number"), cell(signed(item.error), "number"),
    cell(item.scatter === null ? "one run" : percent(item.scatter), "number")]);
  $("predictions-part").hidden = !rows.length;
  fill($("predictions"), [["kind", ""], ["of", ""], ["predicted", "number"], ["measured", "number"], ["error", "number"],
    ["scatter of runs", "number"]], rows);
  $("predictions-text").textContent = tests.kinds.map(kind =>
    `${kind.kind}: ${number(kind.count, "prediction")}, median error ${signed(kind.median_error)}.`).join(" ");
}

// --- all of it

function show() {
  const name = stored.database.split("/").pop();
  document.title = `${name}: Pagoda`;
  $("database").textContent = name;
  const measured = trials.filter(trial => trial.origin === "measured"), experiments = [...new Set(trials.map(experimentOf))];
  $("summary").textContent = `${number(measured.length, "measured run")}, ${number(trials.length - measured.length, "prediction")}, ` +
    `${number(experiments.length, "experiment")}; ${stored.database}`;
  if (experiments.length > 1) $("experiment").append(make("option", { value: "" }, "all"));
  $("experiment").append(...experiments.map(experiment => make("option", { value: experiment }, experiment)));
  $("experiment").value = experiments[experiments.length - 1];
  $("experiment").onchange = showExperiment;
  $("made").textContent = `Made by pagoda ${tests.pagoda}.`;
  showExperiment();
  showPredictions();
  showScaling();
  document.body.setAttribute("data-ready", "yes");
}
