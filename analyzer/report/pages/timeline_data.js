// --- the data of the timeline

const KINDS = [["computing", "computing"], ["waiting", "waiting for other ranks"], ["point-to-point", "messages"],
  ["collective", "collective operations"], ["other", "other MPI"], ["no-cpu", "without CPU time"]];
const THREAD_KINDS = [["computing", "computing"], ["waiting", "waiting for other threads"], ["runtime", "in the thread runtime"],
  ["other", "in MPI"], ["idle", "idle"]]; // no more
const FUNCTIONS = ["function-1", "function-2", "function-3", "function-4", "function-5"]; // the longest ones
const N_KINDS = KINDS.length, COMPUTING = 0, WAITING = 1, OTHER_MPI = 4, NO_CPU = 5, NOBODY = 0xffffffff;

/** The arrays of a lane, by name. */
async function readData(lane) {
  const packed = Uint8Array.from(atob($(lane.name).textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = await new Response(stream).arrayBuffer();
  const types = { Float64Array, Uint32Array, Uint16Array, Uint8Array }, data = {};
  let at = 0;
  for (const { name, type, n } of lane.arrays) {
    data[name] = new types[type](bytes, at, n);
    at += n * types[type].BYTES_PER_ELEMENT;
  }
  data.first = firstOf(data.rank, lane.ranks); // of each rank's calls
  data.firstSpan = firstOf(data.span_thread, lane.threads.length);
  return data;
}

/** Where the items of each of N owners begin, and the last ones end; OWNER: by item, sorted. */
function firstOf(owner, n) {
  const first = new Uint32Array(n + 1);
  for (const i of owner) first[i + 1]++;
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  return first;
}

/** The shares as exported, then of columns twice as wide each: rows of ranks, then of threads. */
function makeLevels(lane) {
  let columns = lane.columns, shares = lane.data.shares;
  const rows = lane.ranks + lane.threads.length;
  const levels = [{ columns, shares, width: lane.column_ns }];
  while (columns > 256) {
    const half = Math.ceil(columns / 2), next = new Uint8Array(rows * half * N_KINDS);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < half; column++)
        for (let kind = 0; kind < N_KINDS; kind++) {
          const from = (row * columns + 2 * column) * N_KINDS + kind;
          const second = 2 * column + 1 < columns ? shares[from + N_KINDS] : 0;
          next[(row * half + column) * N_KINDS + kind] = (shares[from] + second) >> 1;
        }
    columns = half;
    shares = next;
    levels.push({ columns, shares, width: levels[levels.length - 1].width * 2 });
  }
  levels[0].means = meansOf(levels[0], lane.ranks);
  for (let i = 1; i < levels.length; i++) levels[i].means = halved(levels[i - 1].means, levels[i].columns);
  return levels;
}

/** What the ranks do, by column and kind: shares of all of them. Whole numbers add up faster. */
function meansOf({ columns, shares }, ranks) {
  const n = columns * N_KINDS, sums = new Uint32Array(n);
  for (let rank = 0, at = 0; rank < ranks; rank++)
    for (let i = 0; i < n; i++, at++) sums[i] += shares[at];
  return Float32Array.from(sums, whole => whole / (255 * ranks));
}

/** MEANS of COLUMNS twice as wide. */
const halved = (means, columns) => Float32Array.from({ length: columns * N_KINDS }, (_, i) => {
  const from = 2 * i - i % N_KINDS; // of the first of two columns
  return (means[from] + (means[from + N_KINDS] || 0)) / 2;
});

const levelOf = (lane, step) => lane.levels.find(level => level.width >= step) || lane.levels[lane.levels.length - 1];

// --- what calls say of a time

/** The first of the items LOW to HIGH - 1 that ends after NS. */
function itemAfter(ends, low, high, ns) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= ns) low = middle + 1; else high = middle;
  }
  return low;
}

/** The first call of RANK, or span of THREAD, that ends after NS. */
const callAfter = ({ data }, rank, ns) => itemAfter(data.leave, data.first[rank], data.first[rank + 1], ns);
const spanAfter = ({ data }, thread, ns) => itemAfter(data.span_end, data.firstSpan[thread], data.firstSpan[thread + 1], ns);

/** The last call of RANK before NS that another rank released; -1 without any after UNTIL. */
function releasedBefore({ data }, rank, ns, until) {
  for (let i = Math.min(callAfter({ data }, rank, ns), data.first[rank + 1] - 1); i >= data.first[rank]; i--) {
    if (data.leave[i] < until) break;
    if (data.releaser[i] !== NOBODY && data.release[i] > data.enter[i] && data.release[i] <= ns && data.release[i] > until) return i;
  }
  return -1;
}

/** What made RANK come to where it is at NS, back to UNTIL: a rank determines it until one before it ended its
 *  wait. A list of { rank, begin, end }, the latest first. */
function pathBack(lane, rank, ns, until) {
  const pieces = [];
  for (let left = lane.data.leave.length; left > 0; left--) {
    const i = releasedBefore(lane, rank, ns, until);
    if (i < 0) break;
    if (lane.data.release[i] < ns) pieces.push({ rank, begin: lane.data.release[i], end: ns });
    ns = lane.data.release[i];
    rank = lane.data.releaser[i];
  }
  pieces.push({ rank, begin: until, end: ns });
  return pieces;
}

function criticalPath(lane) {
  const { ended } = lane.data, end = Math.max(...ended);
  return pathBack(lane, ended.indexOf(end), end, 0);
}

/** Time of RANK from BEGIN to END by what it did: [text, is it a call, ns], most first. */
function activities(lane, rank, begin, end) {
  const { data } = lane, times = new Map();
  const add = (text, isCall, from, to) => {
    const ns = Math.min(to, end) - Math.max(from, begin);
    if (ns > 0) times.set(text, [text, isCall, (times.has(text) ? times.get(text)[2] : 0) + ns]);
  };
  let before = begin;
  for (let i = callAfter(lane, rank, begin); i < data.first[rank + 1] && before < end; i++) {
    add(computedName(lane, i), false, before, data.enter[i]);
    add(callPlace(lane, i), true, data.enter[i], data.leave[i]);
    before = data.leave[i];
  }
  add("the end of the program", false, before, end);
  return [...times.values()].sort((a, b) => b[2] - a[2]);
}

/** A path is [its parent, its last name], a place [its path, its source]. */
function pathText({ paths }, path, nameOf = i => paths[i][1]) {
  const parts = [];
  for (let i = path; i !== null; i = paths[i][0]) parts.unshift(nameOf(i));
  return parts.join("/");
}

/** The same by the names in the archive, as findings have it. */
const archivePath = path => pathText(lanes[0], path, part => report.profile[part].region);

const lastName = ({ paths }, path) => path === null ? "an MPI call" : paths[path][1];
const callPath = (lane, i) => lane.places[lane.data.place[i]][0];

function callPlace(lane, i) {
  const [path, source] = lane.places[lane.data.place[i]];
  return path === null ? lastName(lane, path) : pathText(lane, path) + (source ? ` at ${source}` : "");
}

const computedName = (lane, i) => lane.data.computed[i] === NOBODY ? "computing" : pathText(lane, lane.data.computed[i]);

/** Since when the rank of call I computes until then. */
const computesSince = ({ data }, i) => i > data.first[data.rank[i]] ? data.leave[i - 1] : 0;

/** The longest call of PATH, or the longest computing in it before a call, on RANKS, or on all: its rank, begin and end. */
function longestIn(lane, path, ranks) {
  const { data } = lane;
  let longest = null;
  for (let i = 0; i < data.enter.length; i++) {
    const rank = data.rank[i], isCall = callPath(lane, i) === path;
    if ((ranks.length && !ranks.includes(rank)) || !(isCall || (lane.has_all_calls && data.computed[i] === path))) continue;
    const begin = isCall ? data.enter[i] : computesSince(lane, i), end = isCall ? data.leave[i] : data.enter[i];
    if (!longest || end - begin > longest.end - longest.begin) longest = { rank, begin, end };
  }
  return longest;
}

/** The functions in which the ranks of LANE compute longest before their calls, most first; at most N. */
function longestFunctions({ data, paths }, n) {
  const times = new Map();
  for (let i = 0; i < data.enter.length; i++) {
    if (i === 0 || data.rank[i - 1] !== data.rank[i] || data.computed[i] === NOBODY) continue;
    const name = paths[data.computed[i]][1];
    if (name === "(blocked)" || name === "(without CPU time)") continue; // no function: data.lost tells
    times.set(name, (times.get(name) || 0) + data.enter[i] - data.leave[i - 1]);
  }
  return [...times].sort((a, b) => b[1] - a[1]).slice(0, n).map(([name]) => name);
}
