// The paper's Figures 1 and 2: a cost over two dimensions, as a heat map or as a surface to turn. Cells
// that may be as fast as the fastest, as far as the noise lets one say, are dotted.

function drawSurface(id, s) {
  const host = document.getElementById(`${id}-plot`);
  if (!host) return;
  const nx = s.x.values.length, ny = s.y.values.length;
  const cell = (i, j) => {
    const c = s.cells[j * nx + i];
    return c && finite(c.cost) && c.cost > 0 ? c : null;
  };
  const costs = s.cells.filter((c) => c && finite(c.cost) && c.cost > 0).map((c) => c.cost);
  const low = Math.min(...costs), high = Math.max(...costs);
  const where = costs.length ? s.cells.findIndex((c) => c && c.cost === low) : -1;
  const best = [where % nx, Math.floor(where / nx)];
  const level = (c) => finite(s.noise) && c.cost <= low * (1 + s.noise);
  let yaw = 0.62, pitch = 0.55, cursor = null, points = [], stops = ramp();

  const view = switches(host, "View", [
    { type: "radio", label: "heat map", checked: true }, { type: "radio", label: "surface" }],
    () => { say(); draw(host.clientWidth); });
  const canvas = el(host, "canvas", { tabindex: 0, role: "img" });
  canvas.setAttribute("aria-label", `${s.title}: ${PAPER_UNIT} over ${s.x.name} and ${s.y.name}, ` +
    `lowest ${cost(low)} at ${s.x.name} ${s.x.values[best[0]]}, ${s.y.name} ${s.y.values[best[1]]}. ` +
    "Arrow keys turn the surface or move over the heat map. The numbers follow as a table.");
  // Colours span a quarter of the lowest cost at least, heights all from zero: what differs by little
  // looks alike.
  const most = Math.max(high, low * 1.25);
  const tint = (v) => colour((v - low) / (most - low), stops);
  const scale = el(host, "div", { class: "scale" });
  el(scale, "span", {}, cost(low));
  const key = el(scale, "i");
  key.style.background = "linear-gradient(90deg,var(--r0),var(--r1),var(--r2),var(--r3),var(--r4))";
  el(scale, "span", {}, cost(most));
  el(scale, "span", {}, PAPER_UNIT);
  const tell = readout(host, "Point at or tap a cell to read it, or use the arrow keys; the surface turns. The ring marks the lowest.");
  const share = (v) => v / high;

  function say() {
    const c = cursor && cell(...cursor);
    if (!cursor) return tell("");
    const place = `${s.x.name} ${s.x.values[cursor[0]]}, ${s.y.name} ${s.y.values[cursor[1]]}: `;
    if (!c) return tell(place + "not measured");
    const bound = finite(s.bound) ? `, ${(c.cost / s.bound).toFixed(3)} times the bound` : "";
    const near = level(c) && c.cost > low ? "; within the noise of the lowest" : "";
    tell(`${place}${cost(c.cost)} ${PAPER_UNIT}${bound} (best of ${whole(c.variants)} variant${c.variants === 1 ? "" : "s"}${near})`);
  }

  function paint(width) {
    const paper = "print" in document.documentElement.dataset;
    const height = Math.round(Math.min(width * (paper ? 0.58 : view(1) ? 0.82 : 0.66), 420)), dpr = paper ? 3 : Math.min(3, window.devicePixelRatio || 1);
    stops = ramp();
    canvas.width = width * dpr;
    canvas.height = height * dpr;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.classList.toggle("flat", view(0));
    const g = canvas.getContext("2d", { willReadFrequently: true });
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "11px system-ui, sans-serif";
    g.lineJoin = "round";
    const ink = { text: css("--soft"), rule: css("--rule"), strong: css("--ink"), paper: css("--paper") };
    return (view(0) ? heat : solid)(g, width, height, ink);
  }

  // Paints, and counts the pixels that were reached: for the self-check, not while something moves.
  function draw(width) {
    const marks = paint(width), g = canvas.getContext("2d");
    const pixels = g.getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
    let inked = 0;
    for (let p = 0; p < pixels.length; p += 4)
      if (pixels[p + 3] > 127) { inked++; seen.add((pixels[p] << 16) | (pixels[p + 1] << 8) | pixels[p + 2]); }
    mark(id, marks, { inked: inked / (pixels.length / 4), colours: seen.size });
  }

  function ring(g, x, y, ink, radius, wide) {
    g.beginPath(); g.arc(x, y, radius, 0, 7);
    g.lineWidth = wide + 2; g.strokeStyle = ink.paper; g.stroke();
    g.lineWidth = wide; g.strokeStyle = ink.strong; g.stroke();
  }

  // Every label that fits: as many of n values as have room.
  const stride = (n, room, each) => [1, 2, 3, 4, 5, 10, 20, 50, 100].find((k) => (n / k) * each <= room) || n;

  function heat(g, width, height, ink) {
    const left = 46, top = 8, right = 8, bottom = 42;
    const w = (width - left - right) / nx, h = (height - top - bottom) / ny;
    let marks = 0;
    points = [];
    for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) {
      const x = left + i * w, y = top + (ny - 1 - j) * h, c = cell(i, j);
      points.push({ i, j, x: x + w / 2, y: y + h / 2, w, h });
      if (c) {
        g.fillStyle = tint(c.cost);
        g.fillRect(x + 0.5, y + 0.5, Math.max(0.5, w - 1), Math.max(0.5, h - 1));
        if (level(c)) { g.fillStyle = ink.paper; g.beginPath(); g.arc(x + w / 2, y + h / 2, Math.min(2.5, w / 5, h / 5), 0, 7); g.fill(); }
        marks++;
      } else {
        g.strokeStyle = ink.rule; g.lineWidth = 1;
        g.beginPath(); g.moveTo(x + 2, y + h - 2); g.lineTo(x + w - 2, y + 2); g.stroke();
      }
      if (cursor && cursor[0] === i && cursor[1] === j) {
        g.lineWidth = 4; g.strokeStyle = ink.paper; g.strokeRect(x, y, w, h);
        g.lineWidth = 2; g.strokeStyle = ink.strong; g.strokeRect(x, y, w, h);
      }
    }
    ring(g, left + (best[0] + 0.5) * w, top + (ny - best[1] - 0.5) * h, ink, Math.min(9, Math.min(w, h) * 0.28), 1.5);
    g.fillStyle = ink.text; g.textAlign = "center"; g.textBaseline = "top";
    const kx = stride(nx, width - left - right, 24), ky = stride(ny, height - top - bottom, 14);
    for (let i = 0; i < nx; i += kx) g.fillText(s.x.values[i], left + (i + 0.5) * w, height - bottom + 5);
    g.fillText(s.x.name, left + (nx * w) / 2, height - 17);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (let j = 0; j < ny; j += ky) g.fillText(s.y.values[j], left - 6, top + (ny - j - 0.5) * h);
    g.save(); g.translate(9, top + (ny * h) / 2); g.rotate(-Math.PI / 2); g.textAlign = "center";
    g.fillText(s.y.name, 0, 0); g.restore();
    return marks;
  }

  function solid(g, width, height, ink) {
    // x and y in -1..1, z in 0..1 upwards; orthographic. A larger depth is nearer to the eye.
    const tall = 1.3, sin = Math.sin(pitch), cos = Math.cos(pitch), sy = Math.sin(yaw), cy = Math.cos(yaw);
    const unit = Math.min((width - 76) / 2.83, (height - 62) / (2.83 * sin + tall * cos));
    const middle = height / 2 - 6 + (tall * cos * unit) / 2;
    const project = (x, y, z) => {
      const a = x * cy - y * sy, b = x * sy + y * cy;
      return { x: width / 2 + a * unit, y: middle + (b * sin - z * tall * cos) * unit, depth: b * cos + z * tall * sin };
    };
    const u = (i) => (nx < 2 ? 0 : (2 * i) / (nx - 1) - 1), v = (j) => (ny < 2 ? 0 : 1 - (2 * j) / (ny - 1));
    const line = (a, b, style, wide = 1) => {
      g.beginPath(); g.moveTo(a.x, a.y); g.lineTo(b.x, b.y); g.lineWidth = wide; g.strokeStyle = style; g.stroke();
    };
    // The sides of the box that face away are its walls; the others carry the labels.
    const farX = project(1, 0, 0).depth < project(-1, 0, 0).depth ? 1 : -1;
    const farY = project(0, 1, 0).depth < project(0, -1, 0).depth ? 1 : -1;
    const ticks = roundTicks(0, high, 5).filter((t) => t <= high);
    for (const t of ticks) {
      const z = share(t);
      line(project(-1, farY, z), project(1, farY, z), ink.rule);
      line(project(farX, -1, z), project(farX, 1, z), ink.rule);
    }
    for (let i = 0; i < nx; i++) line(project(u(i), -1, 0), project(u(i), 1, 0), ink.rule, 0.5);
    for (let j = 0; j < ny; j++) line(project(-1, v(j), 0), project(1, v(j), 0), ink.rule, 0.5);

    const faces = [];
    points = [];
    for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) {
      const c = cell(i, j);
      if (!c) continue;
      points.push({ i, j, cost: c.cost, ...project(u(i), v(j), share(c.cost)) });
    }
    const at = new Map(points.map((p) => [p.j * nx + p.i, p])), used = new Set();
    for (let j = 0; j + 1 < ny; j++) for (let i = 0; i + 1 < nx; i++) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([a, b]) => at.get(b * nx + a)).filter(Boolean);
      if (corners.length < 3) continue;
      corners.forEach((p) => used.add(p));
      faces.push({ corners, depth: corners.reduce((t, p) => t + p.depth, 0) / corners.length,
        cost: corners.reduce((t, p) => t + p.cost, 0) / corners.length });
    }
    // A cell whose neighbours are missing carries no face: it is a dot of its own.
    for (const p of points) if (!used.has(p)) faces.push({ corners: [p], depth: p.depth, cost: p.cost });
    const marks = faces.length, lowest = at.get(best[1] * nx + best[0]);
    // The ring is painted right after the faces that it lies on, so that what is in front hides it.
    if (lowest) faces.push({ ring: lowest, depth: 1e-6 + Math.max(...faces.filter((f) => f.corners.includes(lowest)).map((f) => f.depth)) });
    faces.sort((a, b) => a.depth - b.depth);
    for (const f of faces) {
      if (f.ring) { ring(g, f.ring.x, f.ring.y, ink, 5, 1.5); continue; }
      g.beginPath();
      if (f.corners.length === 1) g.arc(f.corners[0].x, f.corners[0].y, 3, 0, 7);
      else f.corners.forEach((p, k) => (k ? g.lineTo(p.x, p.y) : g.moveTo(p.x, p.y)));
      g.closePath();
      g.fillStyle = tint(f.cost); g.fill();
      g.lineWidth = 0.6; g.globalAlpha = 0.5; g.strokeStyle = ink.paper; g.stroke(); g.globalAlpha = 1;
    }

    g.fillStyle = ink.text; g.textBaseline = "middle";
    const label = (text, p, dx, dy, align = "center") => {
      g.textAlign = align; g.fillText(text, p.x + dx, p.y + dy);
    };
    const out = 1.09, side = (p) => (p.x < width / 2 ? "right" : "left");
    const edge = (n, vals, f) => {
      const a = f(0), b = f(n - 1), k = stride(n, Math.hypot(a.x - b.x, a.y - b.y), 22);
      for (let i = 0; i < n; i += k) label(vals[i], f(i), 0, 3);
    };
    edge(nx, s.x.values, (i) => project(u(i), -farY * out, 0));
    edge(ny, s.y.values, (j) => project(-farX * out, v(j), 0));
    // A name stands beyond its edge's labels, on the side away from the middle.
    const named = (name, p) => {
      const centre = project(0, 0, 0), away = Math.hypot(p.x - centre.x, p.y - centre.y) || 1;
      const dx = (p.x - centre.x) / away, dy = (p.y - centre.y) / away, long = g.measureText(name).width;
      const x = p.x + 30 * dx + (dx * long) / 2, y = p.y + 34 * dy;
      g.textAlign = "center"; g.fillStyle = ink.strong;
      g.fillText(name, Math.min(width - long / 2 - 2, Math.max(long / 2 + 2, x)), Math.min(height - 8, y));
      g.fillStyle = ink.text;
    };
    named(s.x.name, project(0, -farY, 0));
    named(s.y.name, project(-farX, 0, 0));
    // Costs stand on the upright edge that is outermost.
    const posts = [[farX, -farY], [-farX, farY]].map(([x, y]) => ({ x, y, p: project(x, y, 0) }));
    const post = posts.sort((a, b) => a.p.x - b.p.x)[0];
    line(project(post.x, post.y, 0), project(post.x, post.y, 1), ink.rule);
    for (const t of ticks) {
      const p = project(post.x, post.y, share(t));
      label(plain(t), p, -6, 0, side(p));
    }
    const chosen = cursor && at.get(cursor[1] * nx + cursor[0]);
    if (chosen) {
      line(chosen, project(u(chosen.i), v(chosen.j), 0), ink.strong, 1);
      g.beginPath(); g.arc(chosen.x, chosen.y, 5, 0, 7);
      g.fillStyle = ink.paper; g.fill(); g.lineWidth = 2; g.strokeStyle = ink.strong; g.stroke();
    }
    return marks;
  }

  // The nearest point under the pointer; of those close together the one in front.
  function pick(e) {
    const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
    let found = null;
    for (const p of points) {
      const inside = p.w ? Math.abs(p.x - x) <= p.w / 2 && Math.abs(p.y - y) <= p.h / 2 : Math.hypot(p.x - x, p.y - y) < 22;
      if (!inside) continue;
      const rank = p.w ? 0 : Math.hypot(p.x - x, p.y - y) - 12 * p.depth;
      if (!found || rank < found.rank) found = { rank, p };
    }
    return found && [found.p.i, found.p.j];
  }
  let drag = null;
  const show = () => { say(); paint(host.clientWidth); };
  canvas.addEventListener("pointerdown", (e) => {
    drag = { x: e.clientX, y: e.clientY };
    canvas.setPointerCapture(e.pointerId);
    cursor = pick(e) || cursor;
    show();
  });
  canvas.addEventListener("pointermove", (e) => {
    if (drag && view(1)) {
      yaw += (e.clientX - drag.x) * 0.009;
      pitch = Math.min(1.45, Math.max(0.12, pitch + (e.clientY - drag.y) * 0.007));
      drag = { x: e.clientX, y: e.clientY };
    } else cursor = pick(e) || cursor;
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { drag = null; });
  // A finger that is lifted leaves too; what it tapped stays.
  canvas.addEventListener("pointerleave", (e) => { if (!drag && e.pointerType === "mouse") { cursor = null; show(); } });
  canvas.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (!step) return;
    e.preventDefault();
    if (view(0)) {
      const [i, j] = cursor || best;
      cursor = [Math.min(nx - 1, Math.max(0, i + step[0])), Math.min(ny - 1, Math.max(0, j + step[1]))];
    } else {
      yaw += step[0] * 0.12;
      pitch = Math.min(1.45, Math.max(0.12, pitch - step[1] * 0.08));
    }
    show();
  });
  keepDrawn(host, draw);
}
