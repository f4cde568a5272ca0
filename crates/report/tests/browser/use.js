const page = f.contentDocument, root = page.documentElement, view = f.contentWindow;
const drawn = root.dataset.selfcheck;
let read = 0;
for (const plot of page.querySelectorAll('.plot')) {
  const target = plot.querySelector('canvas') || plot.querySelector('.gantt > svg:last-child') || plot.querySelector('svg[tabindex]');
  const inputs = [...plot.querySelectorAll('input')];
  for (const input of [...inputs, ...inputs, inputs[1], inputs[0]].filter(Boolean)) {
    input.click();
    const live = plot.querySelector('canvas, .gantt, svg[tabindex]');
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown'])
      live.dispatchEvent(new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }
  const live = target.isConnected ? target : plot.querySelector('svg[tabindex]');
  const box = live.getBoundingClientRect();
  let said = false;
  for (let i = 1; i < 20; i++) {
    live.dispatchEvent(new view.PointerEvent('pointermove', { clientX: box.left + box.width * i / 20, clientY: box.top + Math.min(box.height, 300) / 2, bubbles: true }));
    said ||= /[0-9]/.test(plot.querySelector('output').textContent);
  }
  read += said;
}
const before = JSON.parse(drawn), after = JSON.parse(root.dataset.selfcheck);
const files = [];
view.URL.createObjectURL = (file) => { files.push(file); return '#'; };
view.HTMLAnchorElement.prototype.click = () => {};
for (const button of page.querySelectorAll('.downloads:not([hidden]) button')) button.click();
Promise.all(files.map((file) => file.text())).then((saved) => {
  document.documentElement.dataset.outcome = JSON.stringify({ ...before, errors: [...before.errors, ...after.errors], read, saved });
});
