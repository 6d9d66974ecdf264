// One time line: the last shown row at or before the moment is the current one.
import { dispatch } from "../app.js";
import { boxOf, evidenceOf, listOf, openPanel, stateOf } from "./panelrows.js";

export function mark(panel, time) {
  const state = stateOf(panel);
  if (!listOf(panel) || time === undefined) return;
  state.byTime ??= state.rows.filter((row) => !row.hidden).map((row) => [Number(row.dataset.time), row]).sort((a, b) => a[0] - b[0]);
  let [low, high] = [0, state.byTime.length]; // half a millisecond, because the replay rounds
  while (low < high) {
    const middle = (low + high) >> 1;
    if (state.byTime[middle][0] <= time + 0.5) low = middle + 1;
    else high = middle;
  }
  const row = state.byTime[low - 1]?.[1] ?? null;
  if (row === state.current && row?.hasAttribute("aria-current")) return;
  state.current?.removeAttribute("aria-current");
  state.current = row;
  row?.setAttribute("aria-current", "time");
  if (row && state.follows) inView(panel, row);
}

// The list scrolls until the row is seen; the page does not.
export function inView(panel, row) {
  const [box, state] = [boxOf(panel), stateOf(panel)];
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top >= outer.top + 32 && inner.bottom <= outer.bottom) return;
  state.scrolls = true;
  box.scrollTop += inner.top - outer.top - outer.height / 2;
}

// Who scrolls away from the current row stays there until the row is in view again.
document.addEventListener("scroll", ({ target }) => {
  const panel = target.closest?.(".panel");
  if (!panel || target !== boxOf(panel)) return;
  const state = stateOf(panel);
  if (state.scrolls) {
    state.scrolls = false;
    return;
  }
  if (!state.current) return;
  const [outer, inner] = [target.getBoundingClientRect(), state.current.getBoundingClientRect()];
  state.follows = inner.bottom > outer.top && inner.top < outer.bottom;
}, true);

document.addEventListener("evidence:time", ({ target, detail }) => {
  const evidence = evidenceOf(target);
  if (!evidence) return;
  evidence.now = detail.time;
  const panel = openPanel(evidence);
  if (panel) mark(panel, detail.time);
});

export function seek(evidence, row) {
  const time = Number(row.dataset.time);
  evidence.now = time;
  const panel = row.closest(".panel");
  stateOf(panel).follows = true;
  mark(panel, time);
  dispatch(evidence, "evidence:seek", { time });
  return ((time - Number(evidence.dataset.zero)) / 1000).toFixed(1);
}
