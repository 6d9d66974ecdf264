// The filter of a panel: text, levels, and failed requests.
import { folded } from "../app.js";
import { groupsOf, rest, sizeGroup, stateOf } from "./panelrows.js";

export const levelsOf = (panel) => [...panel.querySelectorAll('[data-level][aria-pressed="true"]')].map((a) => a.dataset.level);
export const isFailed = (panel) => Boolean(panel.querySelector('[data-failed][aria-pressed="true"]'));
const textOf = (panel) => folded(panel.querySelector("[name=q]")?.value.trim() ?? "");

export function setPressed(panel, from) {
  for (const button of panel.querySelectorAll(".level")) {
    const same = from.querySelector(button.dataset.level ? `.level[data-level="${button.dataset.level}"]` : "[data-failed]");
    if (same) button.setAttribute("aria-pressed", same.getAttribute("aria-pressed"));
  }
}

export function filterRows(panel, rows) {
  const state = stateOf(panel);
  state.filter ??= { levels: levelsOf(panel), failed: isFailed(panel), text: textOf(panel) };
  const { levels, failed, text } = state.filter;
  for (const row of rows) {
    const shown = (!levels.length || levels.includes(row.dataset.level)) && (!failed || row.dataset.mark === "failed") &&
      (!text || state.texts.get(row)?.includes(text));
    if (row.hidden === shown) row.hidden = !shown;
  }
  state.byTime = null;
}

// A long list is filtered in parts, so that typing stays fluent.
export async function applyFilter(panel) {
  const state = stateOf(panel);
  const run = state.run = {};
  state.filter = null;
  for (const [i, group] of groupsOf(panel).entries()) {
    filterRows(panel, group.children);
    sizeGroup(panel, group);
    if (i % 8 === 7) await rest();
    if (state.run !== run) return;
  }
  showCount(panel);
}

export function showCount(panel) {
  const { rows } = stateOf(panel);
  const shown = rows.filter((row) => !row.hidden).length;
  const none = panel.querySelector("[data-none]");
  if (none) none.hidden = shown > 0 || rows.length === 0;
  const count = panel.querySelector("[data-shown]");
  if (count) count.textContent = shown < rows.length ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
}
