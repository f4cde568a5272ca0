// Paper is narrower than a screen and always light: what was drawn for the screen is drawn again for it.

const COLUMN = 335, WIDE = 700; // CSS pixels within the margins of A4
window.addEventListener("beforeprint", () => {
  document.documentElement.dataset.print = "";
  redraws.forEach(({ host, draw }) => draw(host.closest(".pair > :not(:only-child)") ? COLUMN : WIDE));
});
window.addEventListener("afterprint", () => {
  delete document.documentElement.dataset.print;
  redraws.forEach(({ host, draw }) => draw(host.clientWidth));
});
