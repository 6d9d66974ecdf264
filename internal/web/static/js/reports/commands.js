// The keyboard of lists and reports.
import { assignToMe, menuKey, openDuplicates, openMenu, openedMenu } from "./menus.js";
import { box, current, focusRow, isSelected, list, recordOf, report, rows } from "./rows.js";
import { selectRow } from "./selection.js";

const menuKeys = { e: "resolve", s: "status", a: "assignee", p: "priority", l: "labels" };

function command({ key, shiftKey }) {
  const row = current();
  if (key === "z") document.querySelector("[data-undo]")?.click();
  else if (key === "j" || key === "k") move(row, key === "j" ? 1 : -1);
  else if (key.toLowerCase() === "x" && row && box(row)) selectRow(row, shiftKey);
  else if (menuKeys[key] && (list() || report()))
    openMenu(menuKeys[key], target(row));
  else if (key === "i" && (list() || report())) assignToMe(target(row));
  else if (key === "D" && shiftKey && (list() || report())) openDuplicates(target(row));
  else if (key === "Delete" && rows().some(isSelected)) document.querySelector(".selection [name=delete]").click();
  else if (key === "Escape" && rows().some(isSelected)) document.getElementById("change").reset();
  else return false;
  return true;
}

// target returns what a key changes: the record with the focus, the row, or the report of the page; null for what is selected.
const target = (row) => recordOf(document.activeElement) ?? row ?? (list() ? null : report());

// move gives the focus to the next or the previous row. At the last one it asks for more.
function move(row, step) {
  const all = rows();
  const at = row ? all.indexOf(row) + step : 0;
  if (at === all.length) document.querySelector("#next a")?.click();
  focusRow(all[Math.max(0, Math.min(at, all.length - 1))]);
}

document.addEventListener("shortcut", (event) => { if (command(event.detail)) event.preventDefault(); });
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const menu = openedMenu() ?? event.target.closest("#workspaces, .menu-find");
  if (menu) return menuKey(event, menu);
  if (event.key !== "Escape" || event.target.id !== "q") return;
  event.preventDefault(); // the browser would clear the box, and the list would not
  focusRow(rows()[0]);
});
