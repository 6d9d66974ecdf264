// The menus that change the selected reports, or one report. Without this script the menus of a list change the selected reports.
import { folded } from "../folding.js";
import { chooseFound } from "./duplicates.js";
import { focusRow, isSelected, list, recordOf, report, rows } from "./rows.js";

// What an open menu changes.
export const chosen = {
  only: null, // the id of the report that it changes; null for the selected ones
  origin: null, // the id of the row that had the focus when it opened
  set(only, origin) { Object.assign(chosen, { only, origin }); },
};

export const targets = () => (chosen.only ? [document.getElementById(chosen.only)].filter(Boolean) : rows().filter(isSelected));

// openedMenu returns the first open menu of a change. To look for it in a long list at each key takes too long.
export const menus = document.getElementsByClassName("menu-change");
export const openedMenu = () => [...menus].find((menu) => menu.matches(":popover-open"));

// The switcher of many workspaces opens on its filter, and with all of them.
document.addEventListener("beforetoggle", ({ target, newState }) => {
  const filter = target.id === "workspaces" && newState === "open" && target.querySelector("[data-filter]");
  if (!filter) return;
  Object.assign(filter, { value: "", autofocus: true });
  narrow(target);
}, true);

/**
 * openMenu opens a menu of a record, or of the selected reports. It ticks the values that all of its reports have, and narrows to what is
 * typed.
 * @param {string} name
 * @param {Found | null} record
 */
export function openMenu(name, record) {
  const menu = document.getElementById(`${record?.dataset.menus ?? "menu"}-${name}`);
  if (!menu || !(record || rows().some(isSelected))) return;
  chosen.set(record && !isSelected(record) ? record.id : null, record?.id);
  if (menu.matches(":popover-open")) return;
  place(menu, record?.matches(".row") ? record : null);
  const source = document.querySelector(`${record === report() ? ".fields" : ".selection"} [popovertarget=${menu.id}]`);
  menu.showPopover({ source: record?.matches(".row") ? anchorIn(record, menu) : source });
  enter(menu); // now: the event comes later than the next key
}

// anchorIn returns the part of a row that shows what a menu changes, or the row.
const anchors = { resolution: "[popovertarget=menu-status]", labels: ".row-labels" };
function anchorIn(row, menu) {
  const part = row.querySelector(anchors[menu.dataset.menu] ?? `[popovertarget=${menu.id}]`);
  return part?.checkVisibility() ? part : row;
}

// place lets the menu of a row open above it, so that the next row is seen. The row keeps its mark while the menu is open.
function place(menu, row) {
  menu.toggleAttribute("data-above", Boolean(row));
  row?.setAttribute("data-target", "");
}

// assignToMe assigns a record, or the selected reports, to the reader.
export function assignToMe(record) {
  if (!(record || rows().some(isSelected))) return;
  chosen.set(record && !isSelected(record) ? record.id : null, record?.id);
  const me = document.getElementById("main").dataset.user;
  document.querySelector(`#${record?.dataset.menus ?? "menu"}-assignee [name=assigneeId][value="${me}"]`)?.click();
}

// openDuplicates opens the menu of a resolution at its search for the original. The page of a report has a dialog for it.
export function openDuplicates(record) {
  if (record === report() && record) return document.querySelector("[data-originals]")?.click();
  openMenu("resolve", record);
  openedMenu()?.querySelector("[name=duplicateOf]")?.focus();
}
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".row-button, .field-button");
  if (button) {
    const record = recordOf(button), menu = document.getElementById(button.getAttribute("popovertarget"));
    chosen.set(isSelected(record) ? null : record.id, record.id);
    if (menu && !menu.matches(":popover-open")) place(menu, record.matches(".row") ? record : null);
  } else if (event.target.closest?.(".selection")) chosen.set(null, null);
}, true);
document.addEventListener("toggle", ({ target, newState }) => {
  if (!target.matches?.(".menu-change")) return;
  if (newState === "open" && !target.contains(document.activeElement)) enter(target);
  if (newState === "closed" && !openedMenu()) leave(target);
}, true);

// leave takes the mark from the row of a menu. A row that was replaced meanwhile gets the focus that its former version had.
function leave(menu) {
  for (const row of document.querySelectorAll("[data-target]")) row.removeAttribute("data-target");
  const { activeElement } = document; // in the closed menu until the next frame
  if (activeElement !== document.body && !menu.contains(activeElement)) return;
  activeElement.blur();
  if (list()) focusRow(document.getElementById(chosen.origin));
}

// A card that was dropped on a status is changed as by its menu.
document.addEventListener("reports:move", ({ detail: { card, status } }) => {
  if (status === "resolved") return openMenu("resolve", card);
  chosen.set(isSelected(card) ? null : card.id, card.id);
  document.querySelector(`#menu-status [name=status][value=${status}]`).click();
});

function enter(menu) {
  prepare(menu);
  const filter = menu.querySelector("[data-filter]");
  if (filter) filter.value = "";
  menu.querySelector("[data-created]")?.remove();
  menu.opener = document.activeElement?.closest(`[popovertarget="${menu.id}"]`);
  (menu.querySelector("[data-filter]") ?? menu.querySelector("[aria-current]") ?? menu.querySelector(".menu-item")).focus();
}

export function prepare(menu) {
  const kind = menu.dataset.menu;
  const all = targets();
  for (const item of menu.querySelectorAll(".menu-item")) {
    item.hidden = false;
    if (!item.name) continue;
    let same;
    if (kind === "labels") {
      same = all.length > 0 && all.every((row) => row.dataset.labels.split("\n").includes(item.value));
      item.name = same ? "removeLabel" : "addLabel";
    } else {
      same = all.length > 0 && all.every((row) => row.dataset[kind] === item.value);
    }
    item.toggleAttribute("aria-current", same);
    if (same) item.setAttribute("aria-current", "true");
  }
}

// An item stays when it has each word of the text. The way to further items always stays.
export function narrow(menu) {
  menu.querySelector("[data-created]")?.remove();
  const typed = menu.querySelector("[data-filter]").value.trim();
  const wanted = folded(typed).split(/[^\p{L}\p{N}]+/u);
  for (const item of menu.querySelectorAll(".menu-item:not([data-more])")) {
    const text = folded(item.textContent);
    item.hidden = !wanted.every((word) => text.includes(word));
  }
  offerNew(menu, typed);
}

// offerNew offers to create the label that is typed into a menu, unless there is one with its text.
function offerNew(menu, text) {
  const create = menu.querySelector("[data-create]");
  if (!create || !text || [...menu.querySelectorAll("[name$=Label]")].some((item) => item.value === text)) return;
  const item = create.content.querySelector(".menu-item").cloneNode(true);
  item.value = text;
  item.dataset.created = "";
  item.querySelector(".menu-text").textContent = create.dataset.create.replace("{label}", () => text);
  create.before(item);
}

// The menu of labels stays open for the next one. A label that is chosen has its tick at once, and one that is created is listed.
document.addEventListener("submit", ({ submitter }) => {
  const item = submitter?.closest?.("[data-menu=labels] .menu-item");
  if (item) setTimeout(() => choose(item)); // once its name is sent
}, true);
function choose(item) {
  const menu = item.closest(".menu"), filter = menu?.querySelector("[data-filter]");
  if (!menu?.matches(":popover-open")) return;
  if (item.matches("[data-created]")) {
    item.removeAttribute("data-created");
    item.querySelector(".menu-text").textContent = item.value;
  }
  const added = item.name === "addLabel";
  item.name = added ? "removeLabel" : "addLabel";
  item.toggleAttribute("aria-current", added);
  if (added) item.setAttribute("aria-current", "true");
  filter.value = "";
  narrow(menu);
  if (!menu.contains(document.activeElement)) filter.focus();
}

// refresh shows in an open menu the values that its reports have now, and closes it when they have left the list.
export function refresh() {
  const menu = openedMenu();
  if (!menu) return;
  if (!targets().length) return menu.hidePopover();
  prepare(menu);
  if (menu.querySelector("[data-filter]")) narrow(menu);
}
document.addEventListener("parts:shown", () => { if (openedMenu()?.dataset.menu === "labels") refresh(); });

const acceptsKeys = (event) => document.body.hasAttribute("data-shortcuts") &&
  !event.isComposing && !event.ctrlKey && !event.altKey && !event.metaKey;

// The items of a menu have numbers where no name begins with one.
const isNumbered = (menu) => ["resolution", "status", "priority", "severity", "assignee"].includes(menu.dataset.menu);
const isUnfilled = (field) => !field.matches("input") || field.matches("[data-filter]") && !field.value;

// Within a menu the arrows move, and Enter in its field chooses the first item. In one without a field a letter leads to the next item that
// begins with it.
export function menuKey(event, menu) {
  const items = [...menu.querySelectorAll(".menu-item")].filter((i) => !i.hidden);
  const at = items.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && items.length) {
    event.preventDefault();
    items[(at + step + items.length) % items.length].focus();
  } else if (event.key === "Enter" && event.target.matches("[data-filter]")) {
    event.preventDefault();
    items[0]?.click();
  } else if (event.key === "Enter" && event.target.matches(".menu-field input")) {
    event.preventDefault();
    if (!chooseFound(event.target)) event.target.nextElementSibling.click();
  } else if (event.key === "e" && menu.dataset.menu === "resolution" && !event.target.matches("input") && acceptsKeys(event)) {
    event.preventDefault();
    items[0].click();
  } else if (/^[1-9]$/.test(event.key) && isNumbered(menu) && acceptsKeys(event) && isUnfilled(event.target)) {
    event.preventDefault();
    items[Number(event.key) - 1]?.click();
  } else if (/^[\p{L}\p{N}]$/u.test(event.key) && !event.target.matches("input") && !event.ctrlKey && !event.altKey && !event.metaKey) {
    const named = items.filter((item) => folded(item.textContent.trim()).startsWith(folded(event.key)));
    (named.find((item) => items.indexOf(item) > at) ?? named[0])?.focus();
  }
}
