// --- strips above the rows: phases of the program, what all ranks do, and counters

/** The columns that pixel X shows: [first, last]. */
function columnsAt(lane, x, width) {
  const at = place => Math.max(0, Math.min(lane.columns - 1, Math.floor(timeOf(place, width) / lane.column_ns)));
  return [at(x), Math.max(at(x), at(x + 1) - 1)];
}

/** The mean of a strip from column FIRST to LAST, as a share of its whole. */
function shareOf({ array }, [first, last]) {
  const columns = lanes[0].data[array];
  let all = 0;
  for (let i = first; i <= last; i++) all += columns[i];
  return all / (last - first + 1) / 65535;
}

/** The phase in which most ranks are at each pixel, as boxes. */
function drawPhases(context, width) {
  const [lane] = lanes, tones = [colours.line, colours.kinds[OTHER_MPI]];
  const phaseAt = x => {
    const range = columnsAt(lane, x, width), shares = lane.phases.map(phase => shareOf(phase, range)), most = Math.max(...shares);
    return most > 0 && timeOf(x, width) < lane.end_ns ? shares.indexOf(most) : -1;
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

const STACKED = [COMPUTING, ...KINDS.map((_, kind) => kind).filter(kind => kind !== COMPUTING).reverse()]; // waiting is the uppermost

/** What the ranks do at X: shares of all of them, by kind. */
function meansAt(lane, x, width) {
  const level = levelOf(lane, (view.end - view.begin) / (width - GUTTER)), at = Math.floor(timeOf(x, width) / level.width) * N_KINDS;
  return KINDS.map((_, kind) => level.means[at + kind] || 0);
}

/** What the ranks do over time, one kind upon the other; as a line, how many of the predicted run compute. */
function drawMeans(context, width) {
  const [lane, predicted] = lanes, bottom = busyBottom(), height = BUSY - 4;
  for (let x = GUTTER; x < width; x++) {
    const means = meansAt(lane, x, width);
    let y = bottom;
    for (const kind of STACKED) {
      context.fillStyle = colours.kinds[kind];
      context.fillRect(x, y - height * means[kind], 1, height * means[kind]);
      y -= height * means[kind];
    }
    context.fillStyle = colours.ink;
    if (predicted) context.fillRect(x, bottom - height * meansAt(predicted, x, width)[COMPUTING] - 1, 1, 1.5);
  }
  context.fillStyle = colours.faint;
  context.fillText("all ranks", 4, bottom - height / 2 + 4);
}

function meansText(x, width) {
  const [means, predicted] = lanes.map(lane => meansAt(lane, x, width)), inMpi = sum(means) - means[COMPUTING] - means[NO_CPU];
  const parts = KINDS.map(([, name], kind) => [name, means[kind]]).filter(([, share], kind) => kind !== COMPUTING && share > 0.0005);
  return `${percent(means[COMPUTING])} computing, ${percent(inMpi)} in MPI${parts.length ? `: ${parts.map(([name, share]) => `${name} ${percent(share)}`).join(", ")}` : ""}` +
    (predicted ? `; predicted: ${percent(predicted[COMPUTING])} computing.` : ".");
}

function drawCounter(context, width, counter, bottom) {
  const [lane] = lanes, height = COUNTER - 8, values = [];
  for (let x = GUTTER; x < width; x++) values.push(timeOf(x, width) < lane.end_ns ? shareOf(counter, columnsAt(lane, x, width)) : 0);
  const most = Math.max(...values) || 1;
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

/** A share of a counter's greatest column as what all ranks together count in a second: of seconds a number. */
function rateText({ whole, unit }, share) {
  const rate = share * whole / lanes[0].column_ns * 1e9, thousands = Math.max(0, Math.min(5, Math.floor(Math.log10(rate || 1) / 3)));
  const text = `${Number((rate / 1000 ** thousands).toPrecision(3))} ${["", "k", "M", "G", "T", "P"][thousands]}`;
  return unit === "s" ? text.trim() : `${text}${unit === "bytes" ? "B" : unit === "#" ? "" : unit}/s`.replace(" /", "/");
}

const counterBottom = i => busyBottom() + COUNTER * (i + 1) - 4;

function drawStrips(context, width) {
  if (lanes[0].phases.length) drawPhases(context, width);
  drawMeans(context, width);
  lanes[0].counters.forEach((counter, i) => drawCounter(context, width, counter, counterBottom(i)));
}

/** What a strip says at X, Y; "" elsewhere. */
function stripText(x, y, width) {
  const [lane] = lanes, range = columnsAt(lane, x, width), at = `At ${timeText(timeOf(x, width))}`;
  if (x < GUTTER || timeOf(x, width) >= lane.end_ns) return "";
  if (lane.phases.length && y >= AXIS && y < AXIS + PHASES) {
    const parts = lane.phases.map(phase => [phase.name, shareOf(phase, range)]).filter(([, share]) => share > 0.001).sort((a, b) => b[1] - a[1]);
    return parts.length ? `${at} of the ranks' time: ${parts.map(([name, share]) => `${name} ${percent(share)}`).join(", ")}.` : "";
  }
  if (y > busyBottom() - BUSY && y <= busyBottom()) return `${at} of the ranks' time: ${meansText(x, width)}`;
  const counter = lane.counters.find((_, i) => y >= counterBottom(i) - COUNTER && y <= counterBottom(i));
  return counter ? `${at}: ${counter.name} ${rateText(counter, shareOf(counter, range))}, all ranks together.` : "";
}
