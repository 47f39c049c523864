// --- the data of the timeline

const KINDS = [["computing", "computing"], ["waiting", "waiting for other ranks"], ["point-to-point", "messages"],
  ["collective", "collective operations"], ["other", "other MPI"]];
const N_KINDS = KINDS.length, COMPUTING = 0, WAITING = 1, NOBODY = 0xffffffff;

/** The arrays of a lane, by name. */
async function readData(lane) {
  const packed = Uint8Array.from(atob($(lane.name).textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = await new Response(stream).arrayBuffer();
  const types = { Float64Array, Uint32Array, Uint8Array }, data = {};
  let at = 0;
  for (const { name, type, n } of lane.arrays) {
    data[name] = new types[type](bytes, at, n);
    at += n * types[type].BYTES_PER_ELEMENT;
  }
  data.first = new Uint32Array(lane.ranks + 1); // of each rank's calls
  for (const rank of data.rank) data.first[rank + 1]++;
  for (let rank = 0; rank < lane.ranks; rank++) data.first[rank + 1] += data.first[rank];
  return data;
}

/** The shares as exported, then of columns twice as wide each. */
function makeLevels(lane) {
  let columns = lane.columns, shares = lane.data.shares;
  const levels = [{ columns, shares, width: lane.column_ns }];
  while (columns > 256) {
    const half = Math.ceil(columns / 2), next = new Uint8Array(lane.ranks * half * N_KINDS);
    for (let rank = 0; rank < lane.ranks; rank++)
      for (let column = 0; column < half; column++)
        for (let kind = 0; kind < N_KINDS; kind++) {
          const from = (rank * columns + 2 * column) * N_KINDS + kind;
          const second = 2 * column + 1 < columns ? shares[from + N_KINDS] : 0;
          next[(rank * half + column) * N_KINDS + kind] = (shares[from] + second) >> 1;
        }
    columns = half;
    shares = next;
    levels.push({ columns, shares, width: levels[levels.length - 1].width * 2 });
  }
  return levels;
}

const levelOf = (lane, step) => lane.levels.find(level => level.width >= step) || lane.levels[lane.levels.length - 1];
