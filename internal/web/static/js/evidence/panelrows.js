// The rows of a panel, and what is known of them.
import { folded } from "../app.js";

const panelStates = new WeakMap(); // of each panel: its rows, their texts, and what marks the current row
export const maxRows = 20000; // of a panel that are loaded without being asked for

export const evidenceOf = (element) => element?.closest?.(".evidence");
export const panelsOf = (evidence) => [...evidence.querySelectorAll(".panel")];
export const openPanel = (evidence) => panelsOf(evidence).find((p) => !p.hidden);
export const listOf = (panel) => panel.querySelector("[data-rows]");
export const boxOf = (panel) => panel.querySelector("[data-rows-box]") ?? listOf(panel);
export const rest = () => new Promise((done) => { setTimeout(done); });

// A page that is never idle goes on, too.
export const idle = () => new Promise((done) => {
  globalThis.requestIdleCallback ? requestIdleCallback(done, { timeout: 200 }) : setTimeout(done);
});

export const stateOf = (panel) => {
  if (!panelStates.has(panel))
    panelStates.set(panel, { rows: [], texts: new WeakMap(), byTime: null, current: null, follows: true, scrolls: false });
  return panelStates.get(panel);
};

// A row takes part in the order of the tabulator only once the arrows have reached it.
export function addRows(panel, added) {
  const { rows, texts } = stateOf(panel);
  for (const row of added) {
    rows.push(row);
    texts.set(row, folded(row.textContent));
    for (const link of row.querySelectorAll("a, summary")) link.tabIndex = -1;
  }
  stateOf(panel).byTime = null;
  stateOf(panel).filter = null;
}

// Equal lines on both sides of a seam are one line.
export function mergeSeam(last, next) {
  const text = (row) => row.querySelector(".line-text")?.textContent;
  if (!last?.matches(".line") || !next?.matches(".line") || last.dataset.level !== next.dataset.level || text(last) !== text(next))
    return false;
  const count = (row) => Number(row.dataset.count ?? 1);
  last.dataset.count = count(last) + count(next);
  let badge = last.querySelector(".line-count");
  if (!badge) last.append(badge = Object.assign(document.createElement("span"), { className: "line-count" }));
  badge.textContent = badge.title = `×${last.dataset.count}`;
  return true;
}

export const groupsOf = (panel) => [...(listOf(panel)?.children ?? [])];

// Groups of rows outside of the window are not laid out. Their height is that of their shown rows.
export function sizeGroup(panel, group) {
  const rows = [...group.children];
  const shown = rows.filter((row) => !row.hidden).length;
  group.hidden = shown === 0;
  const height = `${shown * (panel.rowHeight ??= rows[0]?.offsetHeight || 29)}px`;
  group.style.containIntrinsicBlockSize = shown < rows.length ? height : `auto ${height}`;
}
