// The winner's loop: a row an instruction, a column a cycle, coloured by the unit that it takes.

function drawSchedule(chart) {
  const host = document.getElementById("loop-plot");
  if (!host) return;
  const rows = chart.instructions.filter((s) => finite(s.start) && finite(s.occupies) && finite(s.latency));
  const last = Math.max(...rows.map((s) => s.start + Math.max(s.occupies, s.latency)));
  const legend = el(host, "ul", { class: "legend" });
  const box = el(host, "div", { class: "gantt", tabindex: 0, role: "region", "aria-label": "Instructions over cycles; scrolls" });
  const tell = readout(host, "Point at or tap a row to read it; with the chart focused, up and down move over the rows.");

  function draw(width) {
    const high = 17, head = 24, side = Math.min(290, Math.max(150, Math.round(width * 0.52)));
    const letters = Math.floor((side - 14) / 6.65);
    const each = Math.max(14, Math.min(44, (width - side - 20) / last));
    const wide = Math.ceil(last * each) + 12, tall = rows.length * high + 4;
    legend.textContent = "";
    chart.units.forEach((unit, i) => {
      const taken = rows.filter((s) => s.unit === i).length;
      if (!taken) return;
      const item = el(legend, "li");
      const key = el(item, "svg", { width: 12, height: 12, "aria-hidden": "true" });
      el(key, "rect", { width: 12, height: 12, fill: series(i) });
      item.append(`${unit} (${taken})`);
    });

    box.textContent = "";
    const corner = el(box, "svg", { class: "corner", width: side, height: head });
    el(corner, "text", { x: 8, y: 16 }, "instruction");
    const top = el(box, "svg", { class: "top", width: wide, height: head });
    const names = el(box, "svg", { class: "side", width: side, height: tall });
    const body = el(box, "svg", { width: wide, height: tall });
    const stripes = rows.map((_, k) => [names, body].map((g) =>
      el(g, "rect", { x: 0, y: k * high, width: g === names ? side : wide, height: high, fill: "transparent" })));
    const every = [1, 2, 5, 10, 20, 50, 100].find((n) => n * each >= 22) || 200;
    for (let c = 0; c <= last + 1e-9; c += every) {
      el(top, "text", { x: c * each + 3, y: 16 }, c === 0 ? "cycle 0" : c * each > 48 ? c : "");
      el(body, "line", { class: "axis", x1: c * each + 0.5, x2: c * each + 0.5, y1: 0, y2: tall });
    }
    // Where the next iteration starts.
    const turn = chart.cycles_per_iteration;
    if (finite(turn) && turn > 0) for (let c = turn; c <= last; c += turn)
      el(body, "line", { class: "dashed", x1: c * each, x2: c * each, y1: 0, y2: tall });

    let marks = 0;
    rows.forEach((s, k) => {
      const y = k * high, x = s.start * each, ink = series(s.unit);
      const cut = s.text.length > letters ? `${s.text.slice(0, letters - 1)}\u2026` : s.text;
      el(names, "text", { x: 8, y: y + 12.5 }, cut);
      el(body, "rect", { x, y: y + 3, width: Math.max(1, s.latency * each), height: high - 6, fill: ink, "fill-opacity": 0.25 });
      el(body, "rect", { x, y: y + 3, width: Math.max(2, s.occupies * each), height: high - 6, fill: ink, class: "mark" });
      if (s.iteration) el(body, "rect", { x: x + 0.75, y: y + 3.75, width: Math.max(2, s.latency * each - 1.5), height: high - 7.5,
        fill: "none", stroke: css("--ink"), "stroke-width": 1.5 });
      marks++;
    });
    let chosen = -1;
    const choose = (k) => {
      if (k === chosen) return;
      if (chosen >= 0) stripes[chosen].forEach((r) => r.classList.remove("chosen"));
      chosen = k;
      if (k < 0) return tell("");
      stripes[k].forEach((r) => r.classList.add("chosen"));
      const s = rows[k];
      const other = s.iteration ? `, for the iteration ${s.iteration > 0 ? `${s.iteration} ahead` : `${-s.iteration} before`}` : "";
      tell(`${s.text}: ${chart.units[s.unit] ?? "other"}, starts in cycle ${plain(s.start)}, takes its unit for ` +
        `${plain(s.occupies)}, result after ${plain(s.latency)}${other}`);
    };
    for (const g of [names, body]) for (const event of ["pointermove", "pointerdown"])
      g.addEventListener(event, (e) => choose(Math.min(rows.length - 1,
        Math.max(0, Math.floor((e.clientY - g.getBoundingClientRect().top) / high)))));
    box.onpointerleave = (e) => { if (e.pointerType === "mouse") choose(-1); };
    box.onkeydown = (e) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
      if (!step) return;
      e.preventDefault();
      choose(Math.min(rows.length - 1, Math.max(0, chosen + step)));
      const y = chosen * high;
      if (y < box.scrollTop) box.scrollTop = y;
      if (y + high + head > box.scrollTop + box.clientHeight) box.scrollTop = y + high + head - box.clientHeight;
    };
    mark("loop", marks);
  }
  keepDrawn(host, draw);
}
