// --- elements, numbers

const $ = id => document.getElementById(id);

/** An element with attributes and children; texts are always text, never HTML. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key === "onclick") element.onclick = value;
    else if (key === "width") element.style.width = value;
    else element.setAttribute(key, value);
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function svgElement(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function timeText(ns) {
  if (ns === null || ns === undefined) return "unknown";
  const size = Math.abs(ns);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "us"] : [1, "ns"];
  return `${unit === 1 ? Math.round(ns) : Number((ns / unit).toPrecision(4))} ${name}`;
}

const percent = share => share === null || share === undefined ? "unknown"
  : share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
const number = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
const { format: count } = new Intl.NumberFormat("en");
const sum = numbers => numbers.reduce((a, b) => a + b, 0);

// --- tables

const cell = (text, kind) => make("td", { class: kind }, text);
const shareCell = (share, kind) => make("td", { class: "share" },
  make("div", { class: kind, width: `${Math.min(100, Math.max(0, 100 * share))}%` }));

/** HEADS: [text, class]; ROWS: lists of cells. */
function fill(table, heads, rows) {
  table.append(make("thead", {}, make("tr", {}, ...heads.map(([text, kind]) => make("th", { class: kind, scope: "col" }, text)))),
    make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells))));
}
