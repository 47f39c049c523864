// --- drawing

const canvas = $("timeline"), overview = $("overview");
const GUTTER = 70, AXIS = 22, PHASES = 20, BUSY = 48, COUNTER = 38, CAPTION = 20, MOST_CALLS = 40000;
let view = { begin: 0, end: 1 }, mark = null, pointed = null, colours = null, isAsked = false;
let whole = {}; // the picture of the whole run, and what it depends on

function readColours() {
  const style = getComputedStyle(document.documentElement), value = name => style.getPropertyValue(name).trim();
  const rgb = text => [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16));
  colours = { paper: value("--paper"), ink: value("--ink"), faint: value("--faint"), line: value("--line"), accent: value("--accent"),
    critical: value("--critical"),
    kinds: KINDS.map(([kind]) => value(`--${kind}`)), threadKinds: THREAD_KINDS.map(([kind]) => value(`--${kind}`)), functions: FUNCTIONS.map(name => value(`--${name}`)) };
  colours.mixed = [...colours.kinds, colours.paper].map(rgb);
  colours.mixedThreads = [...colours.threadKinds, ...Array(1 + N_KINDS - THREAD_KINDS.length).fill(colours.paper)].map(rgb);
}

/** A canvas of as many pixels as the screen shows; [context, width, height] in CSS pixels. */
function prepare(element, height) {
  const ratio = window.devicePixelRatio || 1, width = element.clientWidth;
  element.style.height = `${height}px`;
  element.width = Math.round(width * ratio);
  element.height = Math.round(height * ratio);
  const context = element.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, width, height);
  return [context, width, height];
}

const lastTime = Math.max(1, ...lanes.map(lane => lane.end_ns));
const caption = lanes.length > 1 ? CAPTION : 0;
let rowHeight = 0;

/** Whether the page is being printed: the timeline is lower then, for it stands on one sheet. */
const isPrint = () => document.documentElement.classList.contains("print");

/** Which rows are shown: the ranks, and below each of UNFOLDED its threads. A row is one of the shares: that of a rank,
 *  or from lane.ranks on that of a thread. */
function layOut() {
  for (const lane of lanes) {
    lane.rows = [];
    lane.placeOf = new Uint32Array(lane.ranks + lane.threads.length);
    for (let rank = 0; rank < lane.ranks; rank++)
      for (const row of [rank, ...lane.unfolded.has(rank) ? lane.threadsOf[rank].map(thread => lane.ranks + thread) : []])
        lane.placeOf[row] = lane.rows.push(row) - 1;
  }
  const n = Math.max(...lanes.map(lane => lane.rows.length)), usual = isPrint() ? 320 / lanes.length : 640;
  rowHeight = Math.min(30, Math.max(usual / n, Math.min(usual / lanes[0].ranks, 14)), 8000 / n);
}

/** The strips end here: that of computing, and all of them, where the rows begin. */
const busyBottom = () => AXIS + (lanes[0].phases.length ? PHASES : 0) + BUSY;
const rowsTop = () => busyBottom() + COUNTER * lanes[0].counters.length;

const heightOf = lane => lane.rows.length * rowHeight;
/** Where the rows of a lane begin, and one of them. */
const topOf = lane => rowsTop() + caption + lanes.slice(0, lanes.indexOf(lane)).reduce((y, other) => y + caption + heightOf(other), 0);
const yOf = (lane, row) => topOf(lane) + lane.placeOf[row] * rowHeight;
const xOf = (ns, width) => GUTTER + (ns - view.begin) / (view.end - view.begin) * (width - GUTTER);
const timeOf = (x, width) => view.begin + (x - GUTTER) / (width - GUTTER) * (view.end - view.begin);

/** The shares of ROWS at LEVEL as a picture: a pixel for each column, and at most N_Y rows of pixels. Its inner loop
 *  sees all rows: hence a sum of each kind, in variables. */
function sharesPicture(lane, { shares, columns }, rows, nY) {
  const nRows = Math.max(1, Math.min(rows.length, nY)), image = new ImageData(columns, nRows), pixels = image.data;
  for (let y = 0, at = 0; y < nRows; y++) {
    const first = Math.floor(y * rows.length / nRows), last = Math.floor((y + 1) * rows.length / nRows), whole = 255 * (last - first);
    const [tone0, tone1, tone2, tone3, tone4, tone5, paper] = rows[first] < lane.ranks ? colours.mixed : colours.mixedThreads;
    for (let column = 0; column < columns; column++, at += 4) {
      let share0 = 0, share1 = 0, share2 = 0, share3 = 0, share4 = 0, share5 = 0;
      for (let i = first; i < last; i++) {
        const from = (rows[i] * columns + column) * N_KINDS;
        share0 += shares[from]; share1 += shares[from + 1]; share2 += shares[from + 2]; share3 += shares[from + 3]; share4 += shares[from + 4];
        share5 += shares[from + 5];
      }
      const rest = whole - share0 - share1 - share2 - share3 - share4 - share5;
      for (let part = 0; part < 3; part++)
        pixels[at + part] = (share0 * tone0[part] + share1 * tone1[part] + share2 * tone2[part] + share3 * tone3[part] +
          share4 * tone4[part] + share5 * tone5[part] + rest * paper[part]) / whole;
      pixels[at + 3] = 255;
    }
  }
  const picture = new OffscreenCanvas(columns, nRows);
  picture.getContext("2d").putImageData(image, 0, 0);
  return picture;
}

/** Draws the part of a picture of LEVEL from BEGIN to END, WIDTH by HEIGHT. */
function drawShares(context, picture, level, begin, end, y, width, height) {
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, begin / level.width, 0, (end - begin) / level.width, picture.height, GUTTER, y, width, height);
}

/** The shares in view. A level's picture is kept until rows or colours change. */
function drawRows(context, width, lane) {
  const height = heightOf(lane), ratio = window.devicePixelRatio || 1, level = levelOf(lane, (view.end - view.begin) / ((width - GUTTER) * ratio));
  const key = `${height} ${ratio} ${colours.paper}`;
  if (level.rows !== lane.rows || level.key !== key) {
    level.picture = sharesPicture(lane, level, lane.rows, Math.round(height * ratio));
    level.rows = lane.rows;
    level.key = key;
  }
  drawShares(context, level.picture, level, view.begin, view.end, topOf(lane), width - GUTTER, height);
}

/** Calls of ranks, spans of threads. */
function itemsInView(lane) {
  const first = row => row < lane.ranks ? ns => callAfter(lane, row, ns) : ns => spanAfter(lane, row - lane.ranks, ns);
  return lane.rows.reduce((n, row) => n + first(row)(view.end) - first(row)(view.begin), 0);
}

function drawBox(context, width, y, height, begin, end, colour) {
  const from = Math.max(GUTTER, xOf(begin, width)), to = Math.min(width, xOf(end, width));
  if (to < from) return;
  context.fillStyle = colour;
  context.fillRect(from, y, Math.max(to - from, 0.4), height);
}

/** Where there is room for it. */
function drawName(context, width, y, height, begin, end, name) {
  const from = Math.max(GUTTER, xOf(begin, width)), to = Math.min(width, xOf(end, width));
  if (height < 12 || to - from < 30) return;
  if (to - from < 7 * name.length + 6) return;
  context.fillStyle = "#10151b";
  context.fillText(name, from + 4, y + height / 2 + 4);
}

/** What the rank of call I computes between the call before and this one. */
function drawComputing(context, width, y, height, lane, i) {
  const data = lane.data, path = data.computed[i], name = path === NOBODY ? "computing" : lastName(lane, path);
  const tone = lane.functions.indexOf(name);
  drawBox(context, width, y, height, data.leave[i - 1], data.enter[i], tone < 0 ? colours.kinds[COMPUTING] : colours.functions[tone]);
  const lost = height * data.lost[i] / 0xffff; // its share, at the bottom
  if (lost > 0) drawBox(context, width, y + height - lost, lost, data.leave[i - 1], data.enter[i], colours.kinds[NO_CPU]);
  drawName(context, width, y, height, data.leave[i - 1], data.enter[i], name);
}

function drawCalls(context, width, lane) {
  const data = lane.data, inset = rowHeight > 8 ? 2 : 0, height = rowHeight - 2 * inset, kinds = colours.kinds;
  for (let rank = 0; rank < lane.ranks; rank++) {
    const y = yOf(lane, rank) + inset;
    for (let i = callAfter(lane, rank, view.begin); i < data.first[rank + 1]; i++) {
      if (i > data.first[rank]) drawComputing(context, width, y, height, lane, i);
      if (data.enter[i] > view.end) break;
      drawBox(context, width, y, height, data.enter[i], data.release[i], kinds[WAITING]);
      drawBox(context, width, y, height, data.release[i], data.leave[i], kinds[data.kind[i]]);
      drawName(context, width, y, height, data.enter[i], data.leave[i], lastName(lane, callPath(lane, i)));
    }
  }
}

function drawSpans(context, width, lane) {
  const data = lane.data, inset = rowHeight > 8 ? 4 : 0, height = rowHeight - 2 * inset, kinds = colours.threadKinds;
  for (const row of lane.rows.filter(item => item >= lane.ranks)) {
    const y = yOf(lane, row) + inset, end = data.firstSpan[row - lane.ranks + 1];
    for (let i = spanAfter(lane, row - lane.ranks, view.begin); i < end && data.span_begin[i] <= view.end; i++) {
      drawBox(context, width, y, height, data.span_begin[i], data.span_end[i], kinds[data.span_kind[i]]);
      if (data.span_path[i] !== NOBODY)
        drawName(context, width, y, height, data.span_begin[i], data.span_end[i], lastName(lane, data.span_path[i]));
    }
  }
}

function drawMessages(context, width, lane) {
  const data = lane.data, middle = rank => yOf(lane, rank) + 0.5 * rowHeight;
  const most = Math.ceil((width - GUTTER) / 4), shown = []; // more would hide what is below
  for (let i = 0; i < lane.slowest.length && shown.length < most; i++)
    if (data.receive[lane.slowest[i]] >= view.begin && data.send[lane.slowest[i]] <= view.end) shown.push(lane.slowest[i]);
  context.save();
  context.beginPath();
  context.rect(GUTTER, topOf(lane), width - GUTTER, heightOf(lane));
  context.clip();
  context.globalAlpha = shown.length > most / 2 ? 0.35 : 0.8;
  context.lineWidth = 1;
  context.strokeStyle = colours.ink;
  for (const i of shown) {
    context.beginPath();
    context.moveTo(xOf(data.send[i], width), middle(data.sender[i]));
    context.lineTo(xOf(data.receive[i], width), middle(data.receiver[i]));
    context.stroke();
  }
  context.restore();
}

function drawAxis(context, width) {
  const span = view.end - view.begin, rough = span / Math.max(2, (width - GUTTER) / 130);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(value => value >= rough);
  context.font = "12px system-ui, sans-serif";
  context.strokeStyle = colours.line;
  context.fillStyle = colours.faint;
  for (let ns = Math.ceil(view.begin / step) * step; ns <= view.end; ns += step) {
    const x = xOf(ns, width);
    context.beginPath(); context.moveTo(x, 0); context.lineTo(x, AXIS); context.stroke();
    context.fillText(timeText(Math.round(ns)), x + 4, 15);
  }
}

function rowLabel(lane, row) {
  if (row >= lane.ranks) return `  thread ${lane.threadsOf[lane.threads[row - lane.ranks].rank].indexOf(row - lane.ranks)}`;
  return (lane.threadsOf[row].length === 0 ? "" : lane.unfolded.has(row) ? "\u25be " : "\u25b8 ") + `rank ${row}`;
}

function drawLabels(context, lane) {
  const every = Math.max(1, Math.ceil(14 / rowHeight));
  context.fillStyle = colours.faint;
  for (let place = 0; place < lane.rows.length; place += every)
    context.fillText(rowLabel(lane, lane.rows[place]), 4, topOf(lane) + place * rowHeight + Math.max(rowHeight / 2 + 4, 11));
}

/** What is not judged is pale. */
function drawVeil(context, width, lane) {
  const { begin_ns: begin, end_ns: end } = lane.name === "measured" ? report.window : report.whatif.window;
  const left = Math.min(width, Math.max(GUTTER, xOf(begin, width))), right = Math.max(GUTTER, Math.min(width, xOf(end, width)));
  context.save();
  context.globalAlpha = 0.55;
  context.fillStyle = colours.paper;
  context.fillRect(GUTTER, topOf(lane), left - GUTTER, heightOf(lane));
  context.fillRect(right, topOf(lane), width - right, heightOf(lane));
  context.restore();
}

function drawOutline(context, width, lane, row, begin, end, colour) {
  const from = Math.max(GUTTER, xOf(begin, width));
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(from, yOf(lane, row), Math.max(3, Math.min(width, xOf(end, width)) - from), Math.max(rowHeight, 3));
}

/** PIECES as pathBack() gives them: along the ranks, and from one to the next. */
function drawPath(context, width, lane, pieces, colour, lineWidth) {
  const x = ns => Math.max(GUTTER, Math.min(width, xOf(ns, width))), y = rank => yOf(lane, rank) + 0.85 * rowHeight; // below names
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = lineWidth;
  context.lineJoin = "round";
  context.beginPath();
  let before = null;
  for (const { rank, begin, end } of pieces) {
    if (begin > view.end) continue;
    if (before === null) context.moveTo(x(end), y(rank)); else context.lineTo(x(end), y(rank));
    context.lineTo(x(begin), y(rank));
    before = rank;
    if (begin < view.begin) break;
  }
  context.stroke();
  context.restore();
}

/** The wait that was asked for, and what the pointer is on, each with what made its releaser late. */
function drawMark(context, width) {
  if (mark) drawOutline(context, width, lanes[0], mark.rank, mark.begin, mark.end, colours.ink);
  if (mark && mark.chain) drawPath(context, width, lanes[0], mark.chain, colours.ink, 3);
  if (pointed && pointed.span !== undefined && pointed.lane.rows.includes(pointed.row)) {
    const { span_begin: begins, span_end: ends } = pointed.lane.data;
    drawOutline(context, width, pointed.lane, pointed.row, begins[pointed.span], ends[pointed.span], colours.accent);
  }
  if (!pointed || pointed.call === undefined) return;
  const { lane, rank, call, chain } = pointed;
  drawOutline(context, width, lane, rank, lane.data.enter[call], lane.data.leave[call], colours.accent);
  if (chain) drawPath(context, width, lane, chain, colours.accent, 3);
}

function drawLane(context, width, lane) {
  drawRows(context, width, lane);
  if (rowHeight >= 4 && itemsInView(lane) <= MOST_CALLS) {
    if (lane.has_all_calls) drawCalls(context, width, lane);
    if (lane.has_all_spans) drawSpans(context, width, lane);
  }
  if ($("messages").checked && rowHeight >= 2) drawMessages(context, width, lane);
  if ($("critical-line").checked && lane.critical) drawPath(context, width, lane, lane.critical, colours.critical, 2);
  drawVeil(context, width, lane);
  drawLabels(context, lane);
  if (!caption) return;
  context.fillStyle = colours.ink;
  context.fillText(lane.name, GUTTER, topOf(lane) - 5);
}

function draw() {
  isAsked = false;
  const [context, width] = prepare(canvas, rowsTop() + lanes.reduce((height, lane) => height + caption + heightOf(lane), 0));
  drawAxis(context, width);
  drawStrips(context, width);
  for (const lane of lanes) drawLane(context, width, lane);
  drawMark(context, width);
  drawOverview();
}

function drawOverview() {
  const [context, width, height] = prepare(overview, 34);
  const key = `${width} ${window.devicePixelRatio} ${colours.paper}`, level = levelOf(lanes[0], lastTime / (width - GUTTER));
  if (whole.key !== key) whole = { key, picture: sharesPicture(lanes[0], level, [...Array(lanes[0].ranks).keys()], height) };
  drawShares(context, whole.picture, level, 0, lastTime, 0, width - GUTTER, height);
  const at = ns => GUTTER + Math.max(0, Math.min(1, ns / lastTime)) * (width - GUTTER);
  context.strokeStyle = colours.ink;
  context.lineWidth = 2;
  context.strokeRect(at(view.begin), 1, Math.max(3, at(view.end) - at(view.begin)), height - 2);
}

const redraw = () => { if (!isAsked) { isAsked = true; requestAnimationFrame(draw); } };
