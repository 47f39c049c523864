// --- strips above the rows: phases of the program, and counters

const MOST_PHASES = 12;

/** Of each path of the measured run its phase, a path: a function that the trunk calls, which is the way down that takes nearly all of
 *  the time; null: the trunk itself, and what is no function of the program. Without a trunk functions were not recorded: all null. */
function phasesOf({ paths }) {
  const { profile } = report, below = new Map(), trunk = new Set(), phases = [];
  paths.forEach(([parent], i) => below.set(parent, [...below.get(parent) || [], i]));
  const isFunction = i => !profile[i].region.startsWith("MPI_") && !profile[i].region.startsWith("(");
  const longest = items => (items || []).reduce((best, i) => best === null || profile[i].inclusive_ns > profile[best].inclusive_ns ? i : best, null);
  let whole = sum(below.get(null).map(i => profile[i].inclusive_ns));
  for (let i = longest(below.get(null)); i !== null && isFunction(i) && profile[i].inclusive_ns >= 0.9 * whole; i = longest(below.get(i))) {
    trunk.add(i);
    whole = profile[i].inclusive_ns;
  }
  paths.forEach(([parent], i) => { phases[i] = trunk.has(i) ? null : parent !== null && !trunk.has(parent) ? phases[parent] : trunk.size && isFunction(i) ? i : null; });
  return phases;
}

/** What the ranks' time goes to by phase: { names, columns: by name the time in each column }; null without several phases. */
function phaseColumns(lane) {
  if (!lane.has_all_calls) return null;
  const { data } = lane, phases = phasesOf(lane), times = new Map();
  const add = (path, begin, end) => {
    const phase = path === null || path === NOBODY ? null : phases[path];
    if (phase === null || begin >= end) return;
    if (!times.has(phase)) times.set(phase, { ns: 0, columns: new Float32Array(lane.columns) });
    const time = times.get(phase), width = lane.column_ns;
    time.ns += end - begin;
    for (let column = Math.floor(begin / width); column * width < end; column++)
      time.columns[column] += Math.min(end, (column + 1) * width) - Math.max(begin, column * width);
  };
  for (let i = 0; i < data.enter.length; i++) {
    add(data.computed[i], computesSince(lane, i), data.enter[i]);
    add(callPath(lane, i), data.enter[i], data.leave[i]);
  }
  const most = [...times].sort((a, b) => b[1].ns - a[1].ns).slice(0, MOST_PHASES);
  return most.length > 1 ? most.map(([path, { columns }]) => ({ name: lane.paths[path][1], columns })) : null;
}

/** The columns that pixel X shows: [first, last]. */
function columnsAt(lane, x, width) {
  const at = place => Math.max(0, Math.min(lane.columns - 1, Math.floor(timeOf(place, width) / lane.column_ns)));
  return [at(x), Math.max(at(x), at(x + 1) - 1)];
}

function sumOf(columns, [first, last]) {
  let all = 0;
  for (let i = first; i <= last; i++) all += columns[i];
  return all;
}

/** The phase in which most ranks are at each pixel, as boxes. */
function drawPhases(context, width) {
  const [lane] = lanes, tones = [colours.line, colours.kinds[KINDS.length - 1]];
  const phaseAt = x => {
    const range = columnsAt(lane, x, width), times = lane.phases.map(({ columns }) => sumOf(columns, range)), most = Math.max(...times);
    return most > 0 && timeOf(x, width) < lane.end_ns ? times.indexOf(most) : -1;
  };
  for (let x = GUTTER, from = x, phase = phaseAt(x); x <= width; x++) {
    const next = x < width ? phaseAt(x) : -1;
    if (next === phase && x < width) continue;
    if (phase >= 0) {
      const { name } = lane.phases[phase], tone = lane.functions.indexOf(name);
      context.fillStyle = tone < 0 ? tones[phase % 2] : colours.functions[tone];
      context.fillRect(from, AXIS, x - from, PHASES - 3);
      context.fillStyle = tone < 0 ? colours.ink : "#10151b";
      if (x - from > context.measureText(name).width + 8) context.fillText(name, from + 4, AXIS + PHASES - 7);
    }
    from = x;
    phase = next;
  }
  context.fillStyle = colours.faint;
  context.fillText("phases", 4, AXIS + PHASES - 7);
}

function drawCounter(context, width, counter, bottom) {
  const [lane] = lanes, columns = lane.data[counter.array], height = COUNTER - 8, values = [];
  for (let x = GUTTER; x < width; x++) {
    const range = columnsAt(lane, x, width);
    values.push(timeOf(x, width) < lane.end_ns ? sumOf(columns, range) / (range[1] - range[0] + 1) : 0);
  }
  const most = Math.max(...values, 1);
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.7;
  values.forEach((value, i) => context.fillRect(GUTTER + i, bottom - height * value / most, 1, height * value / most));
  const text = `${counter.name}: up to ${rateText(counter, most)}`;
  context.fillStyle = colours.paper;
  context.fillRect(GUTTER, bottom - height, context.measureText(text).width + 8, 15);
  context.globalAlpha = 1;
  context.fillStyle = colours.ink;
  context.fillText(text, GUTTER + 4, bottom - height + 11);
}

/** VALUE of a column as what all ranks together count in a second. */
function rateText({ most, unit }, value) {
  const rate = value / 65535 * most / lanes[0].column_ns * 1e9, thousands = Math.max(0, Math.min(5, Math.floor(Math.log10(rate || 1) / 3)));
  return `${Number((rate / 1000 ** thousands).toPrecision(3))} ${["", "k", "M", "G", "T", "P"][thousands]}${unit === "bytes" ? "B" : unit === "#" ? "" : unit}/s`.replace(" /", "/");
}

const counterBottom = i => busyBottom() + COUNTER * (i + 1) - 4;

function drawStrips(context, width) {
  if (lanes[0].phases) drawPhases(context, width);
  drawBusy(context, width);
  lanes[0].counters.forEach((counter, i) => drawCounter(context, width, counter, counterBottom(i)));
}

/** What a strip says at X, Y; "" elsewhere. */
function stripText(x, y, width) {
  const [lane] = lanes, range = columnsAt(lane, x, width), at = `At ${timeText(timeOf(x, width))}`;
  if (x < GUTTER || timeOf(x, width) >= lane.end_ns) return "";
  if (lane.phases && y >= AXIS && y < AXIS + PHASES) {
    const whole = (range[1] - range[0] + 1) * lane.column_ns * lane.ranks;
    const parts = lane.phases.map(({ name, columns }) => [name, sumOf(columns, range) / whole]).filter(([, share]) => share > 0.001).sort((a, b) => b[1] - a[1]);
    return parts.length ? `${at} of the ranks' time: ${parts.map(([name, share]) => `${name} ${percent(share)}`).join(", ")}.` : "";
  }
  const counter = lane.counters.find((_, i) => y >= counterBottom(i) - COUNTER && y <= counterBottom(i));
  return counter ? `${at}: ${counter.name} ${rateText(counter, sumOf(lane.data[counter.array], range) / (range[1] - range[0] + 1))}, all ranks together.` : "";
}
