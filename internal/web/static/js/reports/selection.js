// The selection of a list.
import { box, isSelected, list, rowOf, rows } from "./rows.js";

let last = null; // the id of the row that was selected last

// What is selected is in attributes, too: a style that asks each row for its box makes a long list slow.
// A rule with :has() would do so, too, and makes the browser look at all elements of the page.
export function showSelection(changed = rows()) {
  for (const row of changed) row.toggleAttribute("data-selected", Boolean(box(row)?.checked));
  const n = document.querySelectorAll(".row[data-selected]").length;
  const bar = document.querySelector(".selection");
  bar?.toggleAttribute("data-open", n > 0);
  if (n) bar.querySelector("[data-count]").textContent = `${n} selected`;
  for (const part of document.getElementById("main").children) if (part.matches(".notice")) part.toggleAttribute("data-raised", n > 0);
}

document.addEventListener("reset", ({ target }) => { if (target.id === "change") setTimeout(showSelection); });

export function selectRow(row, range) {
  const all = rows();
  const from = range ? all.findIndex((r) => r.id === last) : -1;
  const [a, b] = [from < 0 ? all.indexOf(row) : from, all.indexOf(row)].sort((x, y) => x - y);
  const changed = all.slice(a, b + 1);
  for (const r of changed) box(r).checked = from >= 0 || !isSelected(row);
  last = row.id;
  showSelection(changed);
}

// With Shift, a click on the box of a row, or on its room beside the controls, selects up to that row. A box that is clicked itself has
// changed already, and would go back if its click were prevented; beside the box, browsers differ in whether the label passes the click on.
function rangeEnd({ shiftKey, target }) {
  const row = shiftKey && rowOf(target);
  return row && box(row) && (target.closest(".row-select") || !target.closest("a, button, input, label")) ? row : null;
}
document.addEventListener("click", (event) => {
  const row = rangeEnd(event);
  if (!row) return;
  if (event.target !== box(row)) event.preventDefault();
  box(row).focus({ preventScroll: true });
  selectRow(row, true);
});
document.addEventListener("mousedown", (event) => {
  if (rangeEnd(event)) event.preventDefault(); // which would select the text up to here
});
addEventListener("pageshow", () => { if (list()) showSelection(); }); // the browser may have ticked boxes again
document.addEventListener("change", ({ target }) => {
  if (target.name !== "items") return;
  last = rowOf(target).id;
  showSelection([rowOf(target)]);
});
