// The report's data as files: JSON as it is, and as CSV one line a number.

// A row: part of the report, subject, two coordinates with their names, the statement, its number, its unit.
function csvRows(d) {
  const rows = [["part", "subject", "x name", "x", "y name", "y", "quantity", "value", "unit"]];
  const add = (part, subject, quantity, value, unit, xName = "", x = "", yName = "", y = "") => {
    if (value !== null && value !== undefined && value !== "") rows.push([part, subject, xName, x, yName, y, quantity, value, unit]);
  };
  const cost = (part, subject, c, ...at) => {
    if (c) for (const q of ["median", "low", "high"]) add(part, subject, q === "median" ? q : `quartile ${q}`, c[q], d.unit, ...at);
  };
  const s = d.summary;
  if (s) {
    for (const [name, c] of [["best", s.best], ["OpenSSL", s.openssl], ["best beside OpenSSL", s.beside_openssl], ["baseline", s.baseline]])
      cost("result", name, c, "message bytes", s.message_bytes);
    add("result", "bound", "bound", s.bound, d.unit, "message bytes", s.message_bytes);
    add("result", s.kernel, "variant", s.variant, "");
  }
  for (const [part, f] of [["figure 1", d.figure1], ["figure 2", d.figure2]]) if (f)
    f.cells.forEach((c, k) => c && add(part, "cell", "lowest cost", c.cost, PAPER_UNIT,
      f.x.name, f.x.values[k % f.x.values.length], f.y.name, f.y.values[Math.floor(k / f.x.values.length)]));
  for (const r of d.figure3) for (const q of ["baseline", "best", "bound"])
    add("figure 3", r.name, q === "best" && !r.confirmed ? "best, screened" : q, r[q], PAPER_UNIT, "key bits", r.key_bits);
  if (d.convergence) for (const l of d.convergence.strategies) for (const [trial, best] of l.best)
    add("convergence", l.name, "best so far", best, d.unit, "trial", trial);
  if (d.sizes) {
    for (const q of d.sizes.subjects) for (const p of q.points) cost("sizes", q.name, p.cost, "message bytes", p.bytes);
    for (const [bytes, bound] of d.sizes.bound) add("sizes", "bound", "bound", bound, d.unit, "message bytes", bytes);
  }
  if (d.loop_chart) d.loop_chart.instructions.forEach((i, k) => {
    for (const q of ["start", "occupies", "latency", "iteration"])
      add("loop", i.text, q, i[q], q === "iteration" ? "" : "cycles", "instruction", k, "unit", d.loop_chart.units[i.unit]);
  });
  for (const m of d.mix) for (const q of ["count", "operations", "occupancy"]) add("mix", m.name, q, m[q], "");
  for (const k of d.distances) {
    add("distance", k.name, "bound", k.bound, d.unit);
    add("distance", k.name, "model", k.model, d.unit);
    cost("distance", k.name, k.measured);
  }
  for (const a of d.accounting) for (const q of ["loads", "stores", "integer", "branches"]) add("accounting", a.name, q, a[q], "instructions a block");
  if (d.profile) for (const r of d.profile.rows) {
    d.profile.functions.forEach((f, k) => add("profile", r.name, f, r.parts[k], d.profile.unit));
    add("profile", r.name, "whole", r.whole, d.profile.unit);
    for (const q of ["text", "data", "bss"]) add("profile", r.name, q, r[q], "bytes");
  }
  for (const o of d.outcomes) add("outcomes", o.name, "variants", o.count, "");
  if (d.search) for (const s of d.search.stages) {
    add("search", s.name, "time", s.seconds, "seconds");
    for (const [many, what] of s.did) add("search", s.name, what, many, "");
  }
  if (d.certificate) for (const q of ["kernel", "level", "constant_time", "sha256", "bytes"]) add("certificate", d.certificate.kernel, q, d.certificate[q], "");
  if (d.machine) for (const [q, v] of Object.entries(d.machine))
    add("machine", "", q, Array.isArray(v) ? v.map((x) => (Array.isArray(x) ? x.join(" ") : x)).join("; ") : v, "");
  return rows;
}

// RFC 4180: a cell with a comma, a quote or a line's end is quoted, and its quotes are doubled.
const csv = (rows) => rows.map((r) => r.map((v) => {
  const text = String(v);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}).join(",")).join("\r\n") + "\r\n";

function save(type, ending, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = `aesmith-${data.problem || "report"}.${ending}`;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
document.getElementById("save-json").addEventListener("click", () => save("application/json", "json", JSON.stringify(data, null, 1)));
document.getElementById("save-csv").addEventListener("click", () => save("text/csv", "csv", csv(csvRows(data))));
document.querySelector(".downloads").hidden = false;
