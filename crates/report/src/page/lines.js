// Line plots: convergence of the strategies, and cost against message size.

const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 2", "1 2", "12 3"];

// plot: { id, lines: [{ name, points: [[x, y, low, high]], step, heavy }], bound: [[x, y]], x, xTick, xOf,
//         switches: [{ label, checked }] for log x and log y, xTicks(low, high, log) }
function drawLines(plot) {
  const host = document.getElementById(`${plot.id}-plot`);
  if (!host) return;
  const usable = (p) => finite(p[0]) && finite(p[1]) && p[0] > 0 && p[1] > 0;
  const lines = plot.lines.map((l, i) => ({ ...l, index: i, points: l.points.filter(usable) })).filter((l) => l.points.length);
  const bound = plot.bound.filter(usable);
  const log = switches(host, "Scales", [
    { type: "checkbox", label: `logarithmic ${plot.x}`, checked: plot.logX },
    { type: "checkbox", label: "logarithmic cost", checked: plot.logY }], () => draw(host.clientWidth));
  const legend = el(host, "ul", { class: "legend" });
  const area = el(host, "div");
  const tell = readout(host, "Point at, tap, or focus the plot and use the arrow keys to read a value.");
  let chosen = null, spots = [], follow = null;

  function draw(width) {
    const names = [...lines.map((l) => l.name), ...(bound.length ? ["bound"] : [])];
    const direct = width >= 430;
    const longest = Math.max(...names.map((n) => n.length));
    const left = 46, top = 10, bottom = 44, right = direct ? Math.min(150, 14 + longest * 6.4) : 12;
    const paper = "print" in document.documentElement.dataset;
    const height = Math.round(Math.min(400, Math.max(paper ? 190 : 260, width * 0.62)));
    const w = width - left - right, h = height - top - bottom;
    const all = [...lines.flatMap((l) => l.points), ...bound];
    const xs = all.map((p) => p[0]), ys = all.flatMap((p) => [p[1], ...[p[2], p[3]].filter((v) => finite(v) && v > 0)]);
    const x0 = Math.min(...xs), x1 = Math.max(...xs), yLow = Math.min(...ys), yHigh = Math.max(...ys);
    const pad = log(1) ? Math.max(1.02, (yHigh / yLow) ** 0.06) : 0;
    const y0 = log(1) ? yLow / pad : Math.max(0, yLow - (yHigh - yLow || yLow) * 0.06);
    const y1 = log(1) ? yHigh * pad : yHigh + (yHigh - yLow || yHigh) * 0.04;
    const part = (v, a, b, l) => (a === b ? 0.5 : l ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a));
    const X = (v) => left + w * part(v, x0, x1, log(0)), Y = (v) => top + h * (1 - part(v, y0, y1, log(1)));

    area.textContent = "";
    const svg = el(area, "svg", { width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img",
      "aria-label": `${data.unit} against ${plot.x}: ${names.join(", ")}. The numbers follow as a table.` });
    for (const t of log(1) ? logTicks(y0, y1) : roundTicks(y0, y1, 5)) {
      el(svg, "line", { class: "axis", x1: left, x2: left + w, y1: Y(t), y2: Y(t) });
      el(svg, "text", { x: left - 6, y: Y(t) + 4, "text-anchor": "end" }, plain(t));
    }
    // Every k-th tick has its label, k the smallest for which the labels keep apart.
    const ticks = plot.ticks(x0, x1, log(0)), room = (t) => plot.xText(t).length * 6.6 + 10;
    const apart = (k) => ticks.every((t, i) => i < k || i % k || X(t) - X(ticks[i - k]) >= (room(t) + room(ticks[i - k])) / 2);
    const every = [1, 2, 3, 4, 6, 8].find(apart) || ticks.length;
    ticks.forEach((t, i) => {
      el(svg, "line", { class: "axis", x1: X(t), x2: X(t), y1: top + h, y2: top + h + 4 });
      if (i % every) return;
      const end = X(t) + room(t) / 2 > width;
      el(svg, "text", { x: end ? width : X(t), y: top + h + 17, "text-anchor": end ? "end" : "middle" }, plot.xText(t));
    });
    el(svg, "text", { x: left + w / 2, y: height - 6, "text-anchor": "middle" }, plot.x);
    el(svg, "text", { x: 11, y: top + h / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${top + h / 2})` }, data.unit);

    const path = (points, step) => points.map((p, k) =>
      (k && step ? `H${X(p[0]).toFixed(1)}V` : k ? `L${X(p[0]).toFixed(1)} ` : `M${X(p[0]).toFixed(1)} `) + Y(p[1]).toFixed(1)).join("");
    let marks = 0;
    if (bound.length) {
      const points = bound.length > 1 ? bound : [[x0, bound[0][1]], [x1, bound[0][1]]];
      el(svg, "path", { class: "dashed", d: path(points) });
    }
    spots = [];
    const ends = [];
    for (const l of [...lines].reverse()) {
      const ink = series(l.index), last = l.points[l.points.length - 1];
      const banded = l.points.filter((p) => finite(p[2]) && finite(p[3]) && p[2] > 0 && p[3] > 0);
      if (banded.length > 1)
        el(svg, "path", { fill: ink, "fill-opacity": 0.18, d: path(banded.map((p) => [p[0], p[3]])) +
          path(banded.map((p) => [p[0], p[2]]).reverse()).replace("M", "L") + "Z" });
      if (l.points.length > 1) el(svg, "path", { class: "mark", d: path(l.points, l.step), fill: "none", stroke: ink, "stroke-width": l.heavy ? 3 : 1.8,
        "stroke-dasharray": DASHES[l.index % 7], "stroke-linejoin": "round" });
      marks += l.points.length;
      for (const p of l.points) {
        if (!l.step || p === last) el(svg, "circle", { class: "mark", cx: X(p[0]), cy: Y(p[1]), r: l.heavy ? 3 : 2.2, fill: ink });
        spots.push({ x: X(p[0]), y: Y(p[1]), p, l });
      }
      ends.push({ y: Y(last[1]), x: X(last[0]), name: l.name, ink, heavy: l.heavy });
    }
    spots.sort((a, b) => a.x - b.x || a.y - b.y);
    if (bound.length) ends.push({ y: Y(bound[bound.length - 1][1]), x: left + w, name: "bound", ink: "var(--ink)" });
    if (direct) directLabels(svg, ends, left + w + 8, top, top + h);
    drawLegend(width, direct);
    follow = el(svg, "circle", { r: 6, fill: "none", stroke: "var(--ink)", "stroke-width": 2, visibility: "hidden" });
    svg.addEventListener("pointermove", (e) => near(e, svg));
    svg.addEventListener("pointerdown", (e) => near(e, svg));
    svg.addEventListener("pointerleave", (e) => { if (e.pointerType === "mouse") read(null); });
    svg.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!step) return;
      e.preventDefault();
      const now = spots.findIndex((q) => chosen && q.p === chosen.p);
      read(spots[Math.min(spots.length - 1, Math.max(0, now + step))]);
    });
    chosen = null;
    mark(plot.id, marks, { lines: lines.length });
  }

  // Labels at the ends of their lines, pushed apart where they would overlap.
  function directLabels(svg, ends, x, top, bottom) {
    const gap = 14;
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((e, i) => { e.at = Math.max(e.y, i ? ends[i - 1].at + gap : top); });
    for (let i = ends.length - 1; i >= 0; i--)
      ends[i].at = Math.min(ends[i].at, i + 1 < ends.length ? ends[i + 1].at - gap : bottom);
    for (const e of ends) {
      el(svg, "line", { x1: Math.min(e.x + 4, x - 2), x2: x - 2, y1: e.y, y2: e.at, stroke: e.ink, "stroke-width": 0.8, "stroke-opacity": 0.6 });
      const text = el(svg, "text", { x, y: e.at + 4 }, e.name);
      text.style.fill = e.ink;
      if (e.heavy) text.style.fontWeight = 700;
    }
  }

  function drawLegend(width, direct) {
    legend.textContent = "";
    legend.hidden = direct && !plot.legend;
    legend.style.display = legend.hidden ? "none" : "";
    const entry = (name, ink, dashes, wide) => {
      const item = el(legend, "li");
      const key = el(item, "svg", { width: 30, height: 10, "aria-hidden": "true" });
      el(key, "line", { x1: 0, x2: 30, y1: 5, y2: 5, stroke: ink, "stroke-width": wide, "stroke-dasharray": dashes });
      item.append(name);
    };
    for (const l of lines) entry(l.name, series(l.index), DASHES[l.index % 7], l.heavy ? 3 : 1.8);
    if (bound.length) entry("bound", "var(--ink)", "6 4", 1.5);
  }

  function near(e, svg) {
    const box = svg.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    read(spots.reduce((best, q) => (!best || Math.hypot(q.x - x, q.y - y) < Math.hypot(best.x - x, best.y - y) ? q : best), null));
  }
  function read(q) {
    chosen = q;
    follow.setAttribute("visibility", q ? "visible" : "hidden");
    if (!q) return tell("");
    follow.setAttribute("cx", q.x);
    follow.setAttribute("cy", q.y);
    const band = finite(q.p[2]) && finite(q.p[3]) ? ` (quartiles ${cost(q.p[2])} to ${cost(q.p[3])})` : "";
    tell(`${q.l.name}, ${plot.xRead(q.p[0])}: ${cost(q.p[1])} ${data.unit}${band}`);
  }
  keepDrawn(host, draw);
}

function drawConvergence() {
  const c = data.convergence;
  drawLines({
    id: "convergence", x: "trials", logX: true, logY: true, legend: true,
    lines: c.strategies.map((s) => ({ name: s.name, points: s.best, step: true })),
    bound: finite(c.bound) ? [[1, c.bound], [Math.max(1, ...c.strategies.flatMap((s) => s.best.map((p) => p[0]))), c.bound]] : [],
    ticks: (a, b, l) => [...new Set((l ? logTicks(a, b) : roundTicks(a, b, 5)).map(Math.round))],
    xText: (v) => whole(Math.round(v)), xRead: (v) => `trial ${whole(v)}`,
  });
}

function drawSizes() {
  const s = data.sizes;
  const powers = (a, b) => {
    const ticks = [];
    for (let p = Math.ceil(Math.log2(a) - 1e-9); p <= Math.log2(b) + 1e-9; p++) if (p % 2 === 0) ticks.push(2 ** p);
    return ticks;
  };
  drawLines({
    id: "sizes", x: "message size", logX: true, logY: true, legend: false,
    lines: s.subjects.map((q) => ({ name: q.name, heavy: q.ours, points: q.points.map((p) => [p.bytes, p.cost.median, p.cost.low, p.cost.high]) })),
    bound: s.bound,
    ticks: (a, b, l) => (l ? powers(a, b) : roundTicks(a / 1024, b / 1024, 4).map((t) => t * 1024)),
    xText: (v) => bytes(Math.round(v)), xRead: bytes,
  });
}
