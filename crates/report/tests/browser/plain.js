// Measures two frames of a page without scripts.
const seen = [];
for (const f of document.querySelectorAll('iframe')) {
  f.style.border = 0;
  f.onload = () => {
    const root = f.contentDocument.documentElement, wide = (e) => e.getBoundingClientRect().width;
    seen.push({
      width: f.width,
      sideways: root.scrollWidth - root.clientWidth,
      lines: [...root.querySelectorAll('svg.front path')].map(wide),
      bars: [...root.querySelectorAll('.track')].map((t) => [...t.querySelectorAll('.mark')].reduce((sum, m) => sum + wide(m), 0) / wide(t)),
    });
    document.documentElement.dataset.outcome = JSON.stringify(seen);
  };
  f.srcdoc = PAGE;
}
