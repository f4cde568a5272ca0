// Draws whatever has data, then checks itself: what was drawn, what was not, and whether the page
// scrolls sideways. The result is in the root element's `data-selfcheck`, for tests and for people.

attempt("figure1", data.figure1, () => drawSurface("figure1", data.figure1));
attempt("figure2", data.figure2, () => drawSurface("figure2", data.figure2));
attempt("convergence", data.convergence, drawConvergence);
attempt("sizes", data.sizes, drawSizes);
attempt("loop", data.loop_chart, () => drawSchedule(data.loop_chart));
for (const id of ["mix", "distance", "times"]) {
  const bars = document.querySelectorAll(`#${id}-plot .mark`);
  if (bars.length) mark(id, [...bars].filter((b) => b.getBoundingClientRect().width >= 1).length);
}
for (const shape of document.querySelectorAll(".plot svg .mark")) {
  const box = shape.getBBox();
  if (!(box.width + box.height > 0)) check.errors.push(`an empty mark in ${shape.closest(".plot").id}`);
  const lane = shape.parentNode.querySelector("rect.lane");
  if (lane && (box.x < lane.x.baseVal.value - 0.5 || box.x + box.width > lane.x.baseVal.value + lane.width.baseVal.value + 0.5))
    check.errors.push(`a mark beyond the axis of ${shape.closest(".plot").id}`);
}
check.sideways = document.documentElement.scrollWidth - document.documentElement.clientWidth;
check.done = true;
report();
