// The menus that change the selected reports, or one report. Without this script the menus of a list change the selected reports.
import { folded } from "../folding.js";
import { isSelected, recordOf, report, rows } from "./rows.js";

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
  const source = document.querySelector(`${record === report() ? ".fields" : ".selection"} [popovertarget=${menu.id}]`);
  menu.showPopover({ source: record?.matches(".row") ? record : source });
  enter(menu); // now: the event comes later than the next key
}
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".row-button, .field-button");
  if (button) chosen.set(isSelected(recordOf(button)) ? null : recordOf(button).id, recordOf(button).id);
  else if (event.target.closest?.(".selection")) chosen.set(null, null);
}, true);
document.addEventListener("toggle", ({ target, newState }) => {
  if (!target.matches?.(".menu-change")) return;
  if (newState === "open" && !target.contains(document.activeElement)) enter(target);
}, true);

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
  const wanted = folded(menu.querySelector("[data-filter]").value).split(/[^\p{L}\p{N}]+/u);
  for (const item of menu.querySelectorAll(".menu-item:not([data-more])")) {
    const text = folded(item.textContent);
    item.hidden = !wanted.every((word) => text.includes(word));
  }
}

const acceptsKeys = (event) => document.body.hasAttribute("data-shortcuts") &&
  !event.isComposing && !event.ctrlKey && !event.altKey && !event.metaKey;

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
    event.target.nextElementSibling.click();
  } else if (event.key === "e" && menu.dataset.menu === "resolution" && !event.target.matches("input") && acceptsKeys(event)) {
    event.preventDefault();
    items[0].click();
  } else if (/^[\p{L}\p{N}]$/u.test(event.key) && !event.target.matches("input") && !event.ctrlKey && !event.altKey && !event.metaKey) {
    const named = items.filter((item) => folded(item.textContent.trim()).startsWith(folded(event.key)));
    (named.find((item) => items.indexOf(item) > at) ?? named[0])?.focus();
  }
}
