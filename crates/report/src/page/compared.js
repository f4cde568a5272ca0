// What pages of comparisons have besides tables: surfaces, and the lowest cost so far of each strategy.

for (const s of data.surfaces) attempt(s.id, s.surface, () => drawSurface(s.id, s.surface));
attempt("lines", data.lines, () => drawLines({
  id: "lines", bound: [], logX: true, logY: false, legend: true, x: "trials",
  lines: data.lines.lines.map((line) => ({ ...line, step: false })),
  ticks: (a, b, l) => [...new Set((l ? logTicks(a, b) : roundTicks(a, b, 5)).map(Math.round))],
  xText: (v) => whole(Math.round(v)), xRead: (v) => `trial ${whole(v)}`,
}));
