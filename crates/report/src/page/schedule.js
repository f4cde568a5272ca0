// The loop in its steady state, modulo the iteration: a lane a pipe of each unit with every instruction
// on it, and below a row an instruction. What goes beyond the end goes on at the start.

function drawSchedule(chart) {
  const host = document.getElementById("loop-plot");
  const turn = chart.cycles_per_iteration;
  if (!host || !(finite(turn) && turn > 0)) return;
  const rows = chart.instructions.filter((s) => finite(s.start) && finite(s.occupies) && finite(s.latency));
  // A stretch as one or two pieces on the axis.
  const pieces = (start, long) => {
    const rest = start + Math.min(long, turn) - turn;
    return rest > 1e-9 ? [[start, turn - start], [0, rest]] : [[start, Math.min(long, turn)]];
  };
  const lanes = chart.units.map((name, unit) => ({ name, unit, ...spread(unit) })).filter((l) => l.pipes.length);

  // Each operation of a unit on the first of its pipes that is free for it, or nearly so.
  function spread(unit) {
    const work = rows.flatMap((s, k) => [
      ...(s.unit === unit ? [{ k, start: s.start, long: s.occupies, other: s.iteration !== 0 }] : []),
      ...(s.load && chart.units[unit] === "load" && s.unit !== unit ? [{ k, start: s.load[0], long: s.load[1], operand: true }] : [])]);
    if (!work.length) return { pipes: [], own: 0, share: null };
    const pipes = Array.from({ length: Math.max(1, chart.pipes[unit] || 1) }, () => []);
    const overlap = (pipe, w) => pipes[pipe].reduce((sum, p) => sum + pieces(w.start, w.long).reduce((t, [a, n]) =>
      t + pieces(p.start, p.long).reduce((u, [b, m]) => u + Math.max(0, Math.min(a + n, b + m) - Math.max(a, b)), 0), 0), 0);
    for (const w of [...work].sort((a, b) => a.start - b.start)) {
      let best = 0, least = Infinity;
      for (let p = 0; p < pipes.length && least > 1e-6; p++) {
        const o = overlap(p, w);
        if (o < least - 1e-6) { best = p; least = o; }
      }
      pipes[best].push(w);
    }
    const share = (data.mix.find((m) => m.unit === unit) || {}).occupancy;
    return { pipes, own: work.filter((w) => !w.operand).length, share };
  }

  const area = el(host, "div", { class: "lanes" });
  const tell = readout(host, "Point at or tap an instruction to read it; with the chart focused, the arrow keys go through the loop in program order.");
  const folded = el(host, "details", { class: "rows" });
  el(folded, "summary", {}, `Every instruction, one row each (${whole(rows.length)})`);
  const box = el(folded, "div", { class: "gantt", tabindex: 0, role: "region", "aria-label": "Instructions over cycles; scrolls" });
  let chosen = -1, shapes = [], stripes = [], high = 17;
  // Thousands of rows are drawn when they are asked for.
  folded.open = rows.length <= 120;
  folded.addEventListener("toggle", () => { if (folded.open) drawRows(host.clientWidth); });

  function choose(k) {
    if (k === chosen) return;
    for (const of of [shapes, stripes]) (of[chosen] || []).forEach((r) => r.classList.remove("chosen"));
    chosen = k;
    if (k < 0) return tell("");
    for (const of of [shapes, stripes]) (of[k] || []).forEach((r) => r.classList.add("chosen"));
    const s = rows[k];
    const other = s.iteration ? `, for the iteration ${s.iteration > 0 ? `${s.iteration} ahead` : `${-s.iteration} before`}` : "";
    const load = s.load ? `, its operand loaded from cycle ${plain(s.load[0])}` : "";
    tell(`${s.text}: ${chart.units[s.unit] ?? "other"}, starts in cycle ${plain(s.start)} of ${cost(turn)}, occupies a pipe for ` +
      `${plain(s.occupies)}, result after ${plain(s.latency)}${load}${other}`);
  }
  const keys = (e) => {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[e.key];
    if (!step) return;
    e.preventDefault();
    choose(Math.min(rows.length - 1, Math.max(0, chosen + step)));
    const y = chosen * high, head = 24;
    if (y < box.scrollTop) box.scrollTop = y;
    if (y + high + head > box.scrollTop + box.clientHeight) box.scrollTop = y + high + head - box.clientHeight;
  };

  const axis = (svg, left, wide, y, down) => {
    const ticks = roundTicks(0, turn, Math.max(3, Math.min(14, wide / 60))).filter((t) => t < turn);
    for (const t of ticks) {
      const x = left + (t / turn) * wide;
      el(svg, "line", { class: "axis", x1: x, x2: x, y1: y + 5, y2: y + 5 + down });
      if (x + 30 < left + wide) el(svg, "text", { x: x + 2, y }, t === 0 ? "cycle 0" : plain(t));
    }
    el(svg, "line", { class: "dashed", x1: left + wide, x2: left + wide, y1: y + 5, y2: y + 5 + down });
  };

  function drawLanes(width) {
    const narrow = width < 520, left = narrow ? 84 : 96, right = narrow ? 44 : 132, wide = width - left - right;
    const thick = 15, gap = 7, head = 20;
    const tall = lanes.reduce((t, l) => t + l.pipes.length * thick + gap, head) + 18;
    area.textContent = "";
    const svg = el(area, "svg", { width, height: tall, viewBox: `0 0 ${width} ${tall}`, tabindex: 0, role: "img",
      "aria-label": `One iteration of ${cost(turn)} cycles: ${lanes.map((l) => `${l.name} ${l.own} instructions` + (finite(l.share) ? `, ${Math.round(100 * l.share)} % of its pipes' time` : "")).join("; ")}.` });
    axis(svg, left, wide, 13, tall - head - 16);
    let y = head, marks = 0;
    shapes = rows.map(() => []);
    const places = [];
    for (const l of lanes) {
      el(svg, "text", { class: "name", x: left - 8, y: y + (l.pipes.length * thick) / 2 + 4, "text-anchor": "end" }, l.name);
      const share = finite(l.share) ? `${Math.round(100 * l.share)} %` : "";
      el(svg, "text", { x: left + wide + 8, y: y + (l.pipes.length * thick) / 2 + 4 }, narrow ? share || `${l.own}` : [`${l.own}`, share && `${share} taken`].filter(Boolean).join(", "));
      l.pipes.forEach((pipe, p) => {
        const top = y + p * thick;
        el(svg, "rect", { class: "lane", x: left, y: top + 1, width: wide, height: thick - 2, fill: "var(--fill)" });
        for (const w of pipe) {
          pieces(w.start, w.long).forEach(([from, long], part) => {
            const x = left + (from / turn) * wide, broad = Math.max(1, (long / turn) * wide - (long * wide > turn * 3 ? 0.8 : 0));
            const shape = el(svg, "rect", { x, y: top + 1, width: broad, height: thick - 2, fill: series(l.unit),
              "fill-opacity": w.operand ? 0.4 : w.other ? 0.65 : 1, class: part ? "more" : "mark" });
            if (!w.operand) shapes[w.k].push(shape);
            places.push({ x, y: top, x2: x + broad, k: w.k });
          });
          if (!w.operand) marks++;
        }
      });
      y += l.pipes.length * thick + gap;
    }
    el(svg, "text", { x: left + wide, y: tall - 4, "text-anchor": "end" }, narrow ? `${cost(turn)} cycles` : `the next iteration starts at ${cost(turn)}`);
    const near = (e) => {
      const at = svg.getBoundingClientRect(), x = e.clientX - at.left, y = e.clientY - at.top;
      const off = (q) => Math.hypot(Math.max(q.x - x, 0, x - q.x2), Math.max(q.y - y, 0, y - q.y - thick));
      const best = places.reduce((b, q) => (!b || off(q) < off(b) ? q : b), null);
      if (best) choose(best.k);
    };
    svg.addEventListener("pointermove", near);
    svg.addEventListener("pointerdown", near);
    svg.addEventListener("pointerleave", (e) => { if (e.pointerType === "mouse") choose(-1); });
    svg.addEventListener("keydown", keys);
    mark("loop", marks);
  }

  function drawRows(width) {
    const head = 24, side = Math.min(330, Math.max(150, Math.round(width * 0.42)));
    const letters = Math.floor((side - 14) / 6.65), wide = Math.max(120, width - side - 22), tall = rows.length * high + 4;
    box.textContent = "";
    const corner = el(box, "svg", { class: "corner", width: side, height: head });
    el(corner, "text", { x: 8, y: 16 }, "instruction");
    const top = el(box, "svg", { class: "top", width: wide + 4, height: head });
    axis(top, 0, wide, 16, 6);
    const names = el(box, "svg", { class: "side", width: side, height: tall });
    const body = el(box, "svg", { width: wide + 4, height: tall });
    stripes = rows.map((_, k) => [names, body].map((g) =>
      el(g, "rect", { class: "stripe", x: 0, y: k * high, width: g === names ? side : wide, height: high })));
    rows.forEach((s, k) => {
      const y = k * high, ink = series(s.unit), at = (c) => (c / turn) * wide;
      el(names, "text", { x: 8, y: y + 12.5 }, s.text.length > letters ? `${s.text.slice(0, letters - 1)}\u2026` : s.text);
      for (const [from, long] of pieces(s.start, Math.max(s.latency, s.occupies)))
        el(body, "rect", { x: at(from), y: y + 3, width: Math.max(1, at(long)), height: high - 6, fill: ink, "fill-opacity": 0.25 });
      for (const [from, long] of pieces(s.start, s.occupies))
        el(body, "rect", { x: at(from), y: y + 3, width: Math.max(2, at(long)), height: high - 6, fill: ink });
      // Whose work it is, if not this iteration's: behind the bar, or before it where there is no room.
      const end = at(s.start + Math.max(s.latency, s.occupies)) + 4, room = end < wide - 24;
      if (s.iteration) el(body, "text", { x: room ? end : at(s.start) - 4, y: y + 12.5, "text-anchor": room ? "start" : "end" },
        `${s.iteration > 0 ? "+" : "\u2212"}${Math.abs(s.iteration)}`);
    });
    for (const g of [names, body]) for (const event of ["pointermove", "pointerdown"])
      g.addEventListener(event, (e) => choose(Math.min(rows.length - 1,
        Math.max(0, Math.floor((e.clientY - g.getBoundingClientRect().top) / high)))));
    box.onpointerleave = (e) => { if (e.pointerType === "mouse") choose(-1); };
    box.onkeydown = keys;
  }
  keepDrawn(host, (width) => {
    drawLanes(width);
    if (folded.open) drawRows(width);
  });
}
