// The menu of a row, at a click of the right button or by the key for it, and the keys that copy what names a report.
import { copyText, showLink } from "../clipboard.js";
import { branchOf } from "./branch.js";
import { chosen, openMenu } from "./menus.js";
import { current, report, rowOf } from "./rows.js";

const menu = () => document.getElementById("menu-row");

document.addEventListener("contextmenu", (event) => {
  const row = rowOf(event.target);
  if (event.defaultPrevented || !row?.closest(".results") || !menu() || event.shiftKey || String(getSelection()) ||
    /** @type {any} */ (event).pointerType === "touch" || document.querySelector(":popover-open")) return;
  event.preventDefault();
  menu().querySelector("a").href = row.querySelector(".row-title").href;
  menu().querySelector("[data-row-copy=reference] .menu-text").textContent = row.id;
  openMenu("row", row);
  const { width, height } = menu().getBoundingClientRect();
  const left = Math.min(event.clientX, innerWidth - width - 8), top = Math.min(event.clientY, innerHeight - height - 8);
  Object.assign(menu().style, { positionArea: "none", left: `${left}px`, top: `${Math.max(8, top)}px`, margin: 0 });
});

document.addEventListener("click", (event) => {
  const item = event.target.closest?.("#menu-row .menu-item");
  if (!item) return;
  const row = document.getElementById(chosen.origin), { rowMenu, rowCopy } = item.dataset;
  if (!rowMenu && !rowCopy) return item.matches("a") ? menu().hidePopover() : undefined;
  event.preventDefault();
  menu().hidePopover();
  if (rowMenu) openMenu(rowMenu, row);
  else copy(rowCopy, row.id, row.querySelector(".row-title"));
});

// copy copies the link, the reference or the branch of a report.
async function copy(what, reference, title) {
  const text = { link: `${location.origin}/${reference}`, reference, branch: branchOf(reference, title.textContent.trim()) }[what];
  showLink(text, await copyText(text));
}

// Ctrl . and ⌘ . copy the reference of the report with the focus, or of that of the page, and with Shift its branch.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.code !== "Period" || event.altKey || !(event.ctrlKey || event.metaKey)) return;
  const row = current(), shown = report();
  const title = row ? row.querySelector(".row-title") : shown?.querySelector(".report-title h1");
  if (!title) return;
  event.preventDefault();
  copy(event.shiftKey ? "branch" : "reference", row?.id ?? shown.dataset.reference, title);
});
