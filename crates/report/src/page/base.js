// What every plot uses: the data, elements, colours, numbers, switches, and the self-check's ledger.

const data = JSON.parse(document.getElementById("data").textContent);
const check = { plots: [], errors: [] };
const report = () => { document.documentElement.dataset.selfcheck = JSON.stringify(check); };
window.addEventListener("error", (e) => { check.errors.push(String(e.message)); report(); });
const mark = (id, marks, more = {}) => {
  check.plots = check.plots.filter((p) => p.id !== id).concat({ id, marks, ...more });
  report();
};

// Draws what has data and a place, and notes what goes wrong.
const attempt = (id, present, draw) => {
  if (!present || !document.getElementById(`${id}-plot`)) return;
  try {
    draw();
  } catch (e) {
    console.error(`${id}: ${e.message}`);
    check.errors.push(`${id}: ${e.message}`);
  }
};

const SVG = "http://www.w3.org/2000/svg"; // a name, not an address: nothing is fetched
function el(parent, name, attributes = {}, text) {
  const svg = parent.namespaceURI === SVG || name === "svg";
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new Error(`${name}: ${key} is ${value}`);
    node.setAttribute(key, value);
  }
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const series = (i) => `var(--c${i % 7})`;
const finite = (v) => typeof v === "number" && Number.isFinite(v);

// The paper's figures are about messages, whatever the report is about.
const PAPER_UNIT = "cycles/byte";

// Costs with four significant digits at most, as the tables have them.
const cost = (v) => v.toFixed(Math.abs(v) < 1 ? 4 : Math.abs(v) < 10 ? 3 : Math.abs(v) < 100 ? 2 : 1);
const whole = (v) => String(v).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const plain = (v) => String(Number(v.toPrecision(6)));
const bytes = (v) =>
  v >= 1048576 && v % 1048576 === 0 ? `${v / 1048576} MiB` : v >= 1024 && v % 1024 === 0 ? `${v / 1024} KiB` : `${v} B`;

// Round numbers from low to high, about `about` of them.
function roundTicks(low, high, about) {
  if (high - low < 1e-12) return [low];
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((m) => m * power >= raw) * power;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
}

// The same on a logarithmic scale: the coarsest set of mantissas that gives at least three.
function logTicks(low, high) {
  for (const mantissas of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]]) {
    const ticks = [];
    for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++)
      for (const m of mantissas) {
        const v = m * 10 ** p;
        if (v >= low * 0.9999 && v <= high * 1.0001) ticks.push(v);
      }
    if (ticks.length >= 3) return ticks;
  }
  return roundTicks(low, high, 4);
}

// The palette's ramp, from the best (0) to the worst (1).
const ramp = () => [0, 1, 2, 3, 4].map((i) => css(`--r${i}`).match(/[0-9a-f]{2}/gi).map((c) => parseInt(c, 16)));
function colour(share, stops) {
  const t = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(t));
  return `rgb(${stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (t - i))).join(",")})`;
}

// A row of switches: [{ type, name, label, checked }]; calls back with { label: checked }.
function switches(host, legend, choices, changed) {
  const box = el(host, "fieldset", { class: "switches", "aria-label": legend });
  const inputs = choices.map((c, i) => {
    const label = el(box, "label");
    const input = el(label, "input", { type: c.type, name: `${host.id}-${c.type === "radio" ? "view" : i}` });
    input.checked = !!c.checked;
    el(label, "span", {}, c.label);
    input.addEventListener("change", () => changed());
    return input;
  });
  return (i) => inputs[i].checked;
}

function readout(host, hint) {
  const out = el(host, "output", { class: "readout hint", "aria-live": "polite" }, hint);
  return (text) => {
    out.textContent = text || hint;
    out.classList.toggle("hint", !text);
  };
}

// Draws now, and again when the width or the colour scheme changes.
const redraws = [];
function keepDrawn(host, draw) {
  let width = 0;
  const again = () => { if (host.clientWidth !== width) { width = host.clientWidth; draw(width); } };
  new ResizeObserver(again).observe(host);
  again();
  redraws.push({ host, draw });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraws.forEach(({ host, draw }) => draw(host.clientWidth)));
