// --- plots over a parameter

const PLOT = { width: 400, height: 240, left: 66, right: 388, top: 10, bottom: 206 };

/** Where values are between two pixels; those beyond LEAST and MOST at the edge. */
function axis(least, most, from, to, isLog) {
  const scale = value => isLog ? Math.log2(value) : value, low = scale(least), span = scale(most) - low || 1;
  return value => from + Math.max(0, Math.min(1, (scale(value) - low) / span)) * (to - from);
}

/** Some round numbers from LEAST to MOST for a logarithmic axis. */
function roundNumbers(least, most) {
  const floor = value => 10 ** Math.floor(Math.log10(value)), rough = (most - least) / 5, ten = floor(least);
  const step = [1, 2, 5, 10].map(factor => factor * floor(rough)).find(value => value >= rough);
  const marks = most < 4 * least ? Array.from({ length: 12 }, (_, i) => (Math.ceil(least / step) + i) * step)
    : Array.from({ length: 40 }, (_, i) => ten * 10 ** i).flatMap(value => most < 1000 * least ? [value, 2 * value, 5 * value] : [value]);
  return marks.filter(value => value >= least && value <= most);
}

function pathOf(points, x, y) {
  return points.map(([at, value], i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
}

/** LINES over a parameter with values XS, NEXT at last: { tone, points: [x, y, spread, text], curve: [x, y, low, high] }. Times are on
 *  a logarithmic axis, shares from 0 on. */
function plot(label, xs, next, lines, isTimes) {
  const { width, height, left, right, top, bottom } = PLOT;
  const points = lines.map(line => line.points.filter(([, y]) => y !== null && (y > 0 || !isTimes)));
  const curves = lines.map(line => (line.curve || []).filter(([, y, low, high]) => high !== null && low !== null && (y > 0 || !isTimes)));
  const values = [...points, ...curves].flat().map(([, y]) => y), bands = curves.flat();
  const highest = Math.max(...values), lowest = Math.min(...values); // what of a band is far beyond these is cut
  const most = isTimes ? Math.max(1.1 * highest, Math.min(2 * highest, Math.max(...bands.map(([, , , high]) => high)))) : Math.max(1, highest);
  const least = isTimes ? Math.min(lowest / 1.1, Math.max(lowest / 2, Math.min(lowest, ...bands.map(([, , low]) => low)))) : 0;
  const x = axis(xs[0], next, left, right, xs[0] > 0), y = axis(least, most, bottom, top, isTimes), last = xs[xs.length - 1];
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const step = most > 1.5 ? 0.5 : 0.25; // of shares
  for (const value of isTimes ? roundNumbers(least, most) : Array.from({ length: 1 + Math.floor(most / step) }, (_, i) => i * step))
    svg.append(svgElement("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" }),
      svgElement("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, isTimes ? timeText(value) : `${100 * value} %`));
  let free = 0; // from where on there is room for the next number
  for (const value of [...xs, next].filter((item, i, all) => i === all.length - 1 || x(next) - x(item) >= 26)) {
    if (x(value) < free) continue;
    free = x(value) + 26;
    svg.append(svgElement("text", { x: x(value), y: bottom + 16, "text-anchor": value === next ? "end" : "middle", class: value > last ? "next" : "" },
      `${Number(value.toPrecision(4))}`));
  }
  svg.append(svgElement("text", { x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle" }, scaling.by));
  lines.forEach(({ tone, isIdeal }, i) => {
    const curve = curves[i], known = curve.filter(([at]) => at <= last);
    if (curve.length)
      svg.append(svgElement("path", { class: `band ${tone}`,
        d: pathOf([...curve.map(([at, , , high]) => [at, high]), ...[...curve].reverse().map(([at, , low]) => [at, low])], x, y) + "Z" }),
      svgElement("path", { class: `line ${tone}`, d: pathOf(known, x, y) }),
      svgElement("path", { class: `line dashed ${tone}`, d: pathOf(curve.slice(Math.max(0, known.length - 1)), x, y) }));
    else svg.append(svgElement("path", { class: `line ${isIdeal ? "dashed" : ""} ${tone}`, d: pathOf(points[i], x, y) }));
    for (const [at, value, spread, text] of isIdeal ? [] : points[i])
      svg.append(...spread ? [svgElement("path", { class: `line ${tone}`, d: `M${x(at)} ${y(value + spread)}V${y(Math.max(value - spread, least))}` })] : [],
        svgElement("circle", { cx: x(at), cy: y(value), r: 3.5, class: tone }, svgElement("title", {}, text)));
  });
  return svg;
}

// --- scaling

const legend = items => make("p", { class: "legend" }, ...items.map(({ tone, name }) => make("span", {}, make("i", { class: tone }), name)));
const curveOf = fit => fit && fit.curve && fit.is_good ? fit.curve.map(at => [at.x, at.ns, at.low_ns, at.high_ns]) : null;
const shortFormula = fit => fit.formula.replace(/\d+\.?\d*(e[-+]?\d+)?/g, text => Number(Number(text).toPrecision(3)));

function fitText(fit) {
  if (!fit) return "No model: there are too few points.";
  return fit.is_good ? `Growth: ${fit.growth}; seconds: ${shortFormula(fit)}.`
    : `No formula fits: the best one is off by ${percent(fit.rms_error)}.`;
}

function timePlot({ name, kind, points, time_fit: fit, next }, xs, end) {
  const text = ({ x, time_ns: ns, time_stddev_ns: spread, n_trials: n }) =>
    `${scaling.by} ${x}: ${timeText(ns)}${spread === null ? "" : " \u00b1 " + timeText(spread)}, ${number(n, "run")}`;
  const lines = [{ tone: "tone-1", name: curveOf(fit) ? "measured, the model and its 95 % band" : "measured", curve: curveOf(fit), points: points.map(point => [point.x, point.time_ns, point.time_stddev_ns, text(point)]) }];
  if (kind !== "parameter") lines.push({ tone: "rest-tone", name: "ideal", isIdeal: true, points: points.map(point => [point.x, point.time_ns * point.efficiency]) });
  const forecast = next ? ` At ${scaling.by} = ${next.x}: ${timeText(next.time_ns)}, from ${timeText(next.low_ns)} to ${timeText(next.high_ns)}.` : "";
  return make("figure", {}, make("figcaption", {}, "Run time"), plot(`${name}: run time by ${scaling.by}`, xs, end, lines, true), legend(lines),
    make("p", { class: "faint" }, fitText(fit) + forecast));
}

function efficiencyPlot({ name, points }, xs) {
  const keys = ["efficiency", "load_balance", "cpu_efficiency", "serialization_efficiency", "transfer_efficiency", "computation_scaling"];
  if (points.some(point => point.transfer_efficiency === null)) keys.splice(3, 2, "communication_efficiency");
  const lines = keys.filter(key => points.every(point => point[key] !== null)).map((key, i) => ({ tone: `tone-${i + 1}`, name: key.replaceAll("_", " "),
    points: points.map(point => [point.x, point[key], null, `${key.replaceAll("_", " ")}, ${scaling.by} ${point.x}: ${percent(point[key])}`]) }));
  return make("figure", {}, make("figcaption", {}, "Efficiencies"),
    plot(`${name}: efficiencies by ${scaling.by}`, xs, xs[xs.length - 1], lines, false), legend(lines));
}

/** The run time and the largest parts at the last point, with their models. */
function partPlot(part, { name, points }, xs, end) {
  const last = points.length - 1, isWait = part.kind === "wait-state", title = isWait ? `${part.shown} (waits)` : part.shown;
  const values = points.map(({ x }, i) => [x, part.per_rank_ns[i], null, `${scaling.by} ${x}: ${timeText(part.per_rank_ns[i])} per rank`]);
  const line = { tone: isWait ? "tone-2" : "tone-1", curve: curveOf(part.fit), points: values };
  return make("figure", {}, make("figcaption", {}, title), plot(`${name}: ${title} by ${scaling.by}`, xs, end, [line], true),
    make("p", { class: "faint" }, `${percent(part.per_rank_ns[last] / points[last].time_ns)} of the time at ${scaling.by} = ${points[last].x}. ${fitText(part.fit)}`));
}

function seriesFigures(series) {
  const { points, growth } = series, xs = points.map(({ x }) => x), last = points.length - 1;
  const end = series.time_fit && series.time_fit.curve ? series.time_fit.curve[series.time_fit.curve.length - 1].x : xs[last];
  const parts = growth.filter(part => !part.is_start_or_end).slice(0, 6).filter(part => part.per_rank_ns[last] >= 0.001 * points[last].time_ns);
  return [make("h3", {}, series.name), make("p", {}, series.conclusion),
    make("div", { class: "figures" }, timePlot(series, xs, end), efficiencyPlot(series, xs), ...parts.map(part => partPlot(part, series, xs, end)))];
}

function showScaling() {
  if (!scaling) return;
  $("scaling-part").hidden = false;
  $("scaling-place").append(...scaling.series.flatMap(seriesFigures));
}
