// Reports: the selection of a list, the menus that change the selected reports or one report, and the keyboard. Without this script
// the menus of a list change the selected reports.
const list = () => document.querySelector(".results");
const rows = () => [...document.querySelectorAll(".row")];
const rowOf = (element) => element?.closest?.(".row");
const report = () => document.querySelector(".report"); // of the page of one report
const recordOf = (element) => element?.closest?.(".row, .report");
const box = (row) => row.querySelector("[name=items]");
const isSelected = (row) => row.hasAttribute("data-selected");
const focusRow = (row) => row?.querySelector(".row-title").focus();
const current = () => rowOf(document.activeElement);

let only = null; // the id of the report that an open menu changes; null for the selected ones
let last = null; // the id of the row that was selected last

const targets = () => (only ? [document.getElementById(only)].filter(Boolean) : rows().filter(isSelected));

// What is selected is in attributes, too: a style that asks each row for its box makes a long list slow.
function showSelection() {
  for (const row of rows()) row.toggleAttribute("data-selected", box(row).checked);
  const n = document.querySelectorAll(".row[data-selected]").length;
  const bar = document.querySelector(".selection");
  bar?.toggleAttribute("data-open", n > 0);
  if (n) bar.querySelector("[data-count]").textContent = `${n} selected`;
}

// A form sends the report of the menu alone, when the menu was opened for one.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id !== "change" || !only) return;
  const row = document.getElementById(only);
  formData.delete("items");
  if (row) formData.append("items", box(row).value);
});
document.addEventListener("formdata", ({ target, formData }) => { if (target.id === "change") formData.append("only", "true"); });
document.addEventListener("reset", ({ target }) => { if (target.id === "change") setTimeout(showSelection); });

function selectRow(row, range) {
  const all = rows();
  const from = range ? all.findIndex((r) => r.id === last) : -1;
  if (from >= 0) {
    const [a, b] = [from, all.indexOf(row)].sort((x, y) => x - y);
    for (const r of all.slice(a, b + 1)) box(r).checked = true;
  } else {
    box(row).checked = !isSelected(row);
  }
  last = row.id;
  showSelection();
}

document.addEventListener("click", (event) => {
  const label = event.target.closest?.(".row-select");
  if (label && event.shiftKey) {
    event.preventDefault();
    selectRow(rowOf(label), true);
  }
});
document.addEventListener("change", ({ target }) => {
  if (target.name !== "items") return;
  last = rowOf(target).id;
  showSelection();
});

// A menu ticks the values that all of its reports have, and narrows to what is typed.
function openMenu(name, record) {
  const menu = document.getElementById(`${record?.dataset.menus ?? "menu"}-${name}`);
  if (!menu || !(record || rows().some(isSelected))) return;
  only = record && !isSelected(record) ? record.id : null;
  if (menu.matches(":popover-open")) return;
  const source = document.querySelector(`${record === report() ? ".fields" : ".selection"} [popovertarget=${menu.id}]`);
  menu.showPopover({ source: record?.matches(".row") ? record : source });
  enter(menu); // now: the event comes later than the next key
}
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".row-button, .field-button");
  if (button) only = isSelected(recordOf(button)) ? null : recordOf(button).id;
  else if (event.target.closest?.(".selection")) only = null;
}, true);
document.addEventListener("toggle", ({ target, newState }) => {
  if (!target.matches?.(".menu-change")) return;
  if (newState === "open" && !target.contains(document.activeElement)) enter(target);
}, true);

function enter(menu) {
  prepare(menu);
  menu.opener = document.activeElement?.closest(`[popovertarget="${menu.id}"]`);
  (menu.querySelector("[data-filter]") ?? menu.querySelector("[aria-current]") ?? menu.querySelector(".menu-item")).focus();
}

function prepare(menu) {
  const kind = menu.dataset.menu;
  const all = targets();
  for (const item of menu.querySelectorAll(".menu-item")) {
    item.hidden = false;
    if (!item.name) continue;
    let same = false;
    if (kind === "labels") {
      same = all.length > 0 && all.every((row) => row.dataset.labels.split(",").includes(item.value));
      item.name = same ? "removeLabel" : "addLabel";
    } else {
      same = all.length > 0 && all.every((row) => row.dataset[kind] === item.value);
    }
    item.toggleAttribute("aria-current", same);
    if (same) item.setAttribute("aria-current", "true");
  }
  const filter = menu.querySelector("[data-filter]");
  if (filter) filter.value = "";
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("[data-filter]")) return;
  const wanted = target.value.trim().toLowerCase();
  for (const item of target.closest(".menu").querySelectorAll(".menu-item")) {
    item.hidden = !item.textContent.toLowerCase().includes(wanted);
  }
});

// Within a menu the arrows move, and Enter in its field chooses the first item.
function menuKey(event, menu) {
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
  } else if (event.key === "e" && menu.dataset.menu === "resolution" && !event.target.matches("input") && shortcuts(event)) {
    event.preventDefault();
    items[0].click();
  }
}

// After a change the row that had the focus has it again; when it has left the list, the row in its place.
let place = null;
document.addEventListener("submit", ({ target }) => {
  if (target.id !== "change" && !target.querySelector("[data-undo]")) return;
  const row = document.getElementById(only) ?? current() ?? rows().find(isSelected);
  place = row ? { id: row.id, index: rows().indexOf(row) } : { index: 0 };
  if (target.id === "change") for (const r of targets()) r.setAttribute("aria-busy", "true");
  document.querySelector(".menu-change:popover-open")?.hidePopover();
}, true);

function refocus() {
  showSelection();
  if (!place || !list()) return;
  const { id, index } = place;
  [place, only] = [null, null];
  const all = rows();
  const row = all.find((r) => r.id === id) ?? all[Math.min(index, all.length - 1)];
  row ? focusRow(row) : document.getElementById("main").focus();
  expire();
}
document.addEventListener("htmx:after:swap", () => {
  if (place) document.getElementById("change")?.reset();
  refocus();
});

// The answer to a change has the rows of its reports alone. They replace those of the list, and one that is not among them has left
// the list.
function merge(page) {
  const results = page.getElementById("results");
  const group = (element) => element.closest(".group")?.dataset.group;
  const groupOf = (value) => list().querySelector(value === undefined ? ".group" : `[data-group="${value}"]`);
  for (const reference of results.dataset.changed.split(",")) {
    const [former, row] = [document.getElementById(reference), page.getElementById(reference)];
    const value = row && group(row);
    if (row && !groupOf(value)) addGroup(results, value);
    if (!row) former?.remove();
    else if (former && group(former) === value) former.replaceWith(row);
    else {
      former?.remove();
      groupOf(value).querySelector(".rows").prepend(row);
    }
    if (row) htmx.process(row);
  }
  list().querySelector(".total").replaceWith(results.querySelector(".total"));
  for (const section of list().querySelectorAll("[data-group]")) {
    const counted = results.querySelector(`[data-group="${section.dataset.group}"] .group-count`);
    if (counted) section.querySelector(".group-count").textContent = counted.textContent;
    else section.remove();
  }
  document.querySelector("[data-notice]")?.remove();
  const notice = page.querySelector("[data-notice]");
  if (!notice) return;
  for (const field of notice.querySelectorAll("[name=next]")) field.value = location.pathname + location.search;
  document.getElementById("main").prepend(notice);
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

document.addEventListener("htmx:before:swap", (event) => {
  const { text, sourceElement } = event.detail.ctx;
  if (sourceElement?.id !== "change" || !text.includes("data-changed")) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!page.querySelector("#results .rows")) return; // the list is empty now, and the answer is complete
  event.preventDefault();
  merge(page);
  refocus();
});

// When the session has ended, the page is loaded anew, which leads to the page to sign in and from there back.
document.addEventListener("htmx:before:swap", (event) => {
  const { target, text, request } = event.detail.ctx;
  if (!list() || target === document.body || !text.includes('data-page="login"')) return;
  event.preventDefault();
  location.assign(request.method === "GET" ? request.action : location.href);
});

// A request without an answer leaves the list as it is.
document.addEventListener("htmx:error", ({ detail }) => {
  const lost = document.querySelector("[data-lost]");
  if (!lost || !detail.ctx) return;
  lost.hidden = false;
  for (const row of rows()) row.removeAttribute("aria-busy");
});
document.addEventListener("htmx:before:request", () => document.querySelector("[data-lost]")?.setAttribute("hidden", ""));

// A notice with Undo goes after 10 seconds, unless somebody points at it.
function expire() {
  const notice = document.querySelector("[data-notice]");
  if (!notice || notice.timer) return;
  const remove = () => { if (notice.matches(":hover, :focus-within")) notice.timer = setTimeout(remove, 1000); else notice.remove(); };
  notice.timer = setTimeout(remove, 10000);
}
expire();
document.addEventListener("notice:shown", expire);

const shortcuts = (event) => document.body.hasAttribute("data-shortcuts") && !event.isComposing && !event.ctrlKey && !event.altKey && !event.metaKey;

const menuKeys = { e: "resolve", s: "status", a: "assignee", p: "priority", l: "labels" };
const places = { l: "/reports", m: "/my", o: "/overview", s: "/settings/keys" };
let going = -Infinity; // when g was pressed

function command(event) {
  const { key } = event;
  const row = current();
  if (going > performance.now() - 1500) {
    going = -Infinity;
    const link = [...document.querySelectorAll("#sidebar .nav-link")].find((a) => a.pathname === places[key]);
    link?.click();
    return Boolean(link);
  }
  if (key === "g") going = performance.now();
  else if (key === "/") document.getElementById("q")?.focus();
  else if (key === "?") showHelp(document.getElementById("shortcuts"));
  else if (key === "c") document.querySelector('.bar-action [href^="/new"]')?.click();
  else if (key === "z") document.querySelector("[data-undo]")?.click();
  else if (key === "j" || key === "k") move(row, key === "j" ? 1 : -1);
  else if (key.toLowerCase() === "x" && row) selectRow(row, event.shiftKey);
  else if (key === "y" && report()) report().querySelector("[data-copy-text]").click();
  else if (menuKeys[key] && (list() || report())) openMenu(menuKeys[key], row ?? recordOf(event.target) ?? (list() ? null : report()));
  else if (key === "Escape" && rows().some(isSelected)) document.getElementById("change").reset();
  else return false;
  return true;
}

function showHelp(dialog) {
  dialog?.showModal();
  dialog?.querySelector("[command=close]").focus();
}

function move(row, step) {
  const all = rows();
  const at = row ? all.indexOf(row) + step : 0;
  focusRow(all[Math.max(0, Math.min(at, all.length - 1))]);
}

document.addEventListener("keydown", (event) => {
  const menu = document.querySelector(".menu-change:popover-open");
  if (menu) return menuKey(event, menu);
  if (document.querySelector("dialog[open], :popover-open")) return;
  const typing = event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (typing) {
    if (event.key === "Escape" && event.target.id === "q") focusRow(rows()[0]);
    return;
  }
  if (shortcuts(event) && command(event)) event.preventDefault();
});
