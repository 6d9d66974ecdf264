// Single keys are commands. This module decides when: not in fields, menus and dialogs, not while text is composed, not with a modifier,
// and not when the reader has turned them off; Escape is never off. The event shortcut carries the key, and the module that has the
// command cancels it.
import { copyText, showLink } from "./clipboard.js";
import { dispatch } from "./events.js";

const pages = { i: "/inbox", l: "/reports", b: "/board", m: "/my", o: "/overview", t: "/tests", s: "/settings/keys" };
let going = -Infinity; // when g was pressed

// isCovered says whether a dialog or a popover is open. To look for the popover in a long list at each key takes too long.
const dialogs = document.getElementsByTagName("dialog");
const popovers = new Set(); // those that were opened
document.addEventListener("beforetoggle", ({ target }) => popovers.add(target), true);
function isCovered() {
  for (const popover of popovers) if (!popover.matches(":popover-open")) popovers.delete(popover);
  return popovers.size > 0 || [...dialogs].some((dialog) => dialog.open);
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
  const field = event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
  // A field of a dialog or a menu that has just been closed has the focus until the next frame.
  if (field && !field.closest("dialog:not([open]), .menu:not(:popover-open)")) return;
  if (isCovered()) return;
  if (event.key !== "Escape" && !document.body.hasAttribute("data-shortcuts")) return;
  const { key, shiftKey } = event;
  if (go(event) || !dispatch(document, "shortcut", { key, shiftKey })) event.preventDefault();
});

// go opens the page of the key after g, when the sidebar has it. The time between both is that of the typist, also when the page is busy.
function go({ key, timeStamp }) {
  const second = going > timeStamp - 1500;
  going = key === "g" && !second ? timeStamp : -Infinity;
  if (!second) return key === "g";
  const link = [...document.querySelectorAll("#sidebar .nav-link")].find((a) => a.pathname === pages[key]);
  link?.click();
  return Boolean(link);
}

const commands = {
  "?": () => document.querySelector("[commandfor=shortcuts][data-command]")?.click(),
  "/": search,
  c: () => (location.pathname === "/new" ? undefined : document.querySelector("a[data-new]")?.click()),
  y: copyLink,
};
document.addEventListener("shortcut", (event) => {
  if (event.defaultPrevented || !commands[event.detail.key]) return;
  event.preventDefault();
  commands[event.detail.key]();
});

// search gives the focus to the search box of the page, where a further word begins, or opens the palette.
function search() {
  const box = document.getElementById("q");
  if (!box) return document.querySelector("[data-palette]")?.click();
  box.focus();
  if (box.value && !box.value.endsWith(" ")) {
    box.value += " ";
    box.addEventListener("blur", () => { box.value = box.value.trimEnd(); }, { once: true });
  }
  box.setSelectionRange(box.value.length, box.value.length);
}

// copyLink copies the link of the report with the focus, of that beside the list, or of that of the page.
function copyLink() {
  const row = document.activeElement.closest?.(".row")?.querySelector(".row-title");
  const button = document.querySelector('button[aria-keyshortcuts="y"]');
  if (!row && button) return button.click();
  const link = row ?? document.querySelector("#pane:not([hidden]) [data-page-of]");
  if (link) copy(link.origin + link.pathname);
  else if (/^\/[A-Z][A-Z0-9]{1,5}-\d+$/.test(location.pathname)) copy(location.origin + location.pathname);
}

const copy = async (link) => showLink(link, await copyText(link));

// The dialog with the keys takes the focus itself, and shows its begin. In the page, the attribute would give it the focus when the page
// is loaded.
document.addEventListener("beforetoggle", ({ target }) => { if (target.id === "shortcuts") target.autofocus = true; }, true);
