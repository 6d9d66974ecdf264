// What follows a change: its answer has the rows of its reports alone, and the row that had the focus has it again.
import { dispatch } from "../events.js";
import { isQueued, mergeLater, sendNext, sending } from "./changequeue.js";
import { showCounts } from "./counts.js";
import { chosen, openedMenu, refresh } from "./menus.js";
import { expire } from "./notices.js";
import { box, changes, current, focusRow, isSelected, list, rowOf, rows } from "./rows.js";
import { showSelection } from "./selection.js";

// After a change the row that had the focus has it again; when it has left the list, the next one that is left.
let place = null; // the ids of the rows, in the order in which they get the focus
document.addEventListener("submit", ({ target }) => {
  if (!changes(target)) return;
  const all = rows();
  place = placeFrom(all.indexOf(here() ?? document.getElementById(sending?.opener) ?? all.find(isSelected)));
}, true);

// here returns the row with the focus, or that of the menu with the focus.
const here = () => current() ?? (openedMenu() && document.getElementById(chosen.origin));

// placeFrom returns the ids of the rows from a position to the end, then of those above it.
function placeFrom(at) {
  const all = rows();
  return [...all.slice(Math.max(at, 0)), ...all.slice(0, Math.max(at, 0)).reverse()].map((row) => row.id);
}

// Whoever has gone on meanwhile, to a field, a menu or a dialog, keeps the focus there.
const isElsewhere = () => Boolean(document.querySelector("dialog[open]") ||
  document.querySelector(".menu:popover-open") || document.activeElement.matches("input:not([type=checkbox]), textarea, select"));

function refocus(changed) {
  showSelection(changed);
  if (!place || !list()) return;
  const id = place.find((each) => document.getElementById(each));
  place = null;
  if (isElsewhere()) return expire();
  chosen.set(null, null);
  const row = id ? document.getElementById(id) : rows()[0];
  row ? focusRow(row) : document.getElementById("main").focus();
  expire();
}
let left = null; // the id of the row that had the focus when the results of a search replaced it
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.id === "results") left = rowOf(document.activeElement)?.id;
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.closest?.("#pane")) return; // the list is as it was
  if (ctx.target?.matches?.("body, #main, #results")) removed = [];
  if (left && ctx.target?.id === "results" && document.activeElement === document.body)
    focusRow(document.getElementById(left) ?? rows()[0]);
  left = null;
  if (place) document.getElementById("change")?.reset();
  refocus();
});

// The answer to a change has the rows of its reports alone. They replace those of the list, and one that is not among them has left
// the list. An undo puts it back where it was.
let removed = []; // the rows that have left their place, the last one first: reference, group and the row below

function merge(page) {
  const results = page.getElementById("results");
  const group = (element) => element.closest(".group")?.dataset.group;
  const groupOf = (value) => list().querySelector(value === undefined ? ".group" : `[data-group="${value}"]`);
  const put = (row, value) => {
    if (row.dataset.order) return dispatch(document, "reports:put", row); // the board has an order
    const place = removed.find((r) => r.reference === row.id && r.value === value);
    const below = place && document.getElementById(place.below);
    if (below && group(below) === value) below.before(row);
    else if (place) [...groupOf(value).querySelectorAll(".rows")].at(-1).append(row);
    else groupOf(value).querySelector(".rows").prepend(row);
    removed = removed.filter((r) => r !== place);
  };
  const order = (reference) => removed.findIndex((r) => r.reference === reference);
  for (const reference of results.dataset.changed.split(",").sort((a, b) => order(a) - order(b))) {
    const [former, row] = [document.getElementById(reference), page.getElementById(reference)];
    const value = row && group(row);
    if (row && !groupOf(value)) addGroup(results, value);
    if (former && row && group(former) === value) {
      former.replaceWith(row);
      if (row.dataset.order) put(row, value);
    } else {
      if (former) removed.unshift({ reference, value: group(former), below: former.nextElementSibling?.id });
      former?.remove();
      if (row) put(row, value);
    }
    if (row) htmx.process(row);
    if (row && former && openedMenu()) stay(former, row);
  }
  for (const section of list().querySelectorAll("[data-group]")) {
    if (!results.querySelector(`[data-group="${section.dataset.group}"] .group-count`)) section.remove();
  }
  showCounts(page);
  notify(page.querySelector("[data-notice]"));
  dispatch(document, "reports:changed", results.dataset.changed.split(","));
}

// stay lets the row of a menu that is still open be marked and selected as the former one was.
function stay(former, row) {
  row.toggleAttribute("data-target", former.hasAttribute("data-target"));
  if (openedMenu().dataset.menu !== "labels" || !isSelected(former)) return;
  box(row).checked = true;
  showSelection([row]);
}

// notify shows the notice of an answer.
function notify(notice) {
  document.querySelector("[data-notice]")?.remove();
  if (!notice) return;
  for (const field of notice.querySelectorAll("[name=next]")) field.value = location.pathname + location.search;
  notice.toggleAttribute("data-raised", rows().some(isSelected));
  document.getElementById("main").append(notice); // before the rows it would make the browser match the styles of all of them again
  htmx.process(notice);
}

// A group that is not in the list yet is added where it is in the answer, without its rows.
function addGroup(results, value) {
  const values = [...results.querySelectorAll("[data-group]")].map((section) => section.dataset.group);
  const added = results.querySelector(`[data-group="${value}"]`).cloneNode(true);
  for (const row of added.querySelectorAll(".row")) row.remove();
  const before = values.slice(0, values.indexOf(value)).map((v) => list().querySelector(`[data-group="${v}"]`)).filter(Boolean).at(-1);
  if (before) before.after(added);
  else list().querySelector(".group").before(added);
  htmx.process(added);
}

// keepPlace lets the row get the focus again that the reader has gone on to.
function keepPlace() {
  const at = here();
  if (place && at) place = placeFrom(rows().indexOf(at));
}

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx: { text, sourceElement }, tasks } = event.detail;
  if (!sourceElement?.matches?.("form") || !changes(sourceElement)) return;
  keepPlace();
  if (!text.includes("data-changed")) return;
  if (!list().querySelector(".rows") || !text.includes('class="rows"')) return; // an empty list, and a complete answer
  event.preventDefault();
  const main = tasks.find(({ type }) => type === "main");
  mergeLater(() => {
    if (!list()) return;
    keepPlace(); // the reader may have gone on since the answer
    merge(main.fragment);
    const restored = main.fragment.getElementById("results").dataset.changed.split(",");
    if (restored.length === 1 && sourceElement.querySelector("[data-undo]")) place = [...restored, ...place ?? []];
    refocus([]); // the rows that were replaced are not selected
    if (!isQueued()) refresh();
    sendNext();
  });
});
