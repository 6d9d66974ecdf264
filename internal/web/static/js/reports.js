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
const current = () => rowOf(document.activeElement) ?? (document.activeElement.closest?.("#pane") ? document.querySelector(".row[data-shown]") : null);

let only = null; // the id of the report that an open menu changes; null for the selected ones
let origin = null; // the id of the row that had the focus when the menu opened
let last = null; // the id of the row that was selected last

const targets = () => (only ? [document.getElementById(only)].filter(Boolean) : rows().filter(isSelected));

// What is selected is in attributes, too: a style that asks each row for its box makes a long list slow.
// A rule with :has() would do so, too, and makes the browser look at all elements of the page.
function showSelection(changed = rows()) {
  for (const row of changed) row.toggleAttribute("data-selected", Boolean(box(row)?.checked));
  const n = document.querySelectorAll(".row[data-selected]").length;
  const bar = document.querySelector(".selection");
  bar?.toggleAttribute("data-open", n > 0);
  if (n) bar.querySelector("[data-count]").textContent = `${n} selected`;
  for (const part of document.getElementById("main").children) if (part.matches(".notice")) part.toggleAttribute("data-raised", n > 0);
}

// changes says whether a form changes reports of the list, so that the rows of these alone are the answer.
const changes = (form) => Boolean(list())
  && (form.id === "change" || Boolean(form.querySelector("[data-undo]")) && form.elements.next.value.split("?")[0] === location.pathname);

// A form sends the report of the menu alone, when the menu was opened for one.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id !== "change" || next || !only) return;
  const row = document.getElementById(only);
  formData.delete("items");
  if (row) formData.append("items", box(row).value);
});
document.addEventListener("formdata", ({ target, formData }) => { if (changes(target) && !next) formData.append("only", "true"); });

// A change is marked and painted before it is sent. One that is chosen while another one is being sent is sent after it, with the versions
// that its reports have then.
let queue = []; // changes: their fields, and the id of the row for which the menu was opened
let next = null; // the one that is sent now
let merging = false; // an answer is there, and its rows follow in a task of their own

document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id !== "change" || !next) return;
  for (const name of [...formData.keys()]) formData.delete(name);
  for (const [name, value] of next.fields) {
    const row = name === "items" && document.getElementById(value.split(" ")[0]);
    formData.append(name, row ? box(row).value : value);
  }
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id !== "change" || next) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.submitter?.matches("[data-enter]")) return; // a menu has its own Enter
  const change = { fields: [...new FormData(form, event.submitter)], opener: only ?? origin };
  queue.push(change);
  markBusy(change);
  for (const menu of menus) if (menu.matches(":popover-open")) menu.hidePopover();
  requestAnimationFrame(() => setTimeout(sendNext));
  setTimeout(sendNext, 200); // a page that is not seen has no frames
}, true);
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement?.id === "change" && queue.length) setTimeout(sendNext);
});

function sendNext() {
  const form = document.getElementById("change");
  if (!form) return emptied();
  if (form.hasAttribute("data-sending") || merging || halted || !queue.length) return;
  queue.forEach(markBusy);
  next = queue.shift();
  form.requestSubmit();
  next = null;
  if (!queue.length) emptied();
}

// The browser asks before it leaves a page with such changes.
addEventListener("beforeunload", (event) => { if (queue.length) event.preventDefault(); });

// emptied lets pages follow that wait until each change is sent: a change that has not been sent is lost with its page.
let followers = [];
const emptied = () => followers.splice(0).forEach((follow) => follow());

const markBusy = ({ fields }) => {
  for (const [name, value] of fields) if (name === "items") document.getElementById(value.split(" ")[0])?.setAttribute("aria-busy", "true");
};

// While there is no session, changes wait. The one that was refused is sent again before them, with its own reports, whatever menu is open by
// then. Whoever does not sign in gives them up.
let halted = false;
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement?.id !== "change") {
    sendNext();
    if (ctx.target !== document.body || !queue.length || !document.getElementById("change")) return;
    const send = ctx.fetch;
    ctx.fetch = async (...request) => {
      if (queue.length) await new Promise((follow) => followers.push(follow));
      return send(...request);
    };
    return;
  }
  const fields = [...ctx.request.body];
  ctx.again = () => queue.unshift({ fields });
});
document.addEventListener("session:ended", () => { halted = true; unmark(); });
document.addEventListener("session:closed", ({ detail: { resumed } }) => {
  halted = false;
  if (!resumed) giveUp();
  sendNext();
});
document.addEventListener("reset", ({ target }) => { if (target.id === "change") setTimeout(showSelection); });

function selectRow(row, range) {
  const all = rows();
  const from = range ? all.findIndex((r) => r.id === last) : -1;
  const [a, b] = [from < 0 ? all.indexOf(row) : from, all.indexOf(row)].sort((x, y) => x - y);
  const changed = all.slice(a, b + 1);
  for (const r of changed) box(r).checked = from >= 0 || !isSelected(row);
  last = row.id;
  showSelection(changed);
}

// With Shift, a click selects up to its row. A box that is clicked itself has changed already, and would go back if its click were prevented;
// beside the box, browsers differ in whether the label passes the click on.
document.addEventListener("click", (event) => {
  const label = event.target.closest?.(".row-select");
  if (!label || !event.shiftKey) return;
  if (event.target !== label.control) event.preventDefault();
  label.control.focus({ preventScroll: true });
  selectRow(rowOf(label), true);
});
document.addEventListener("mousedown", (event) => {
  if (event.shiftKey && event.target.closest?.(".row-select")) event.preventDefault(); // which would select the text up to here
});
addEventListener("pageshow", () => { if (list()) showSelection(); }); // the browser may have ticked boxes again
document.addEventListener("change", ({ target }) => {
  if (target.name !== "items") return;
  last = rowOf(target).id;
  showSelection([rowOf(target)]);
});

// openedMenu returns the first open menu of a change. To look for it in a long list at each key takes too long.
const menus = document.getElementsByClassName("menu-change");
const openedMenu = () => [...menus].find((menu) => menu.matches(":popover-open"));

// The switcher of many workspaces opens on its filter, and with all of them.
document.addEventListener("beforetoggle", ({ target, newState }) => {
  const filter = target.id === "workspaces" && newState === "open" && target.querySelector("[data-filter]");
  if (!filter) return;
  Object.assign(filter, { value: "", autofocus: true });
  narrow(target);
}, true);

// A menu ticks the values that all of its reports have, and narrows to what is typed.
function openMenu(name, record) {
  const menu = document.getElementById(`${record?.dataset.menus ?? "menu"}-${name}`);
  if (!menu || !(record || rows().some(isSelected))) return;
  only = record && !isSelected(record) ? record.id : null;
  origin = record?.id;
  if (menu.matches(":popover-open")) return;
  const source = document.querySelector(`${record === report() ? ".fields" : ".selection"} [popovertarget=${menu.id}]`);
  menu.showPopover({ source: record?.matches(".row") ? record : source });
  enter(menu); // now: the event comes later than the next key
}
document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".row-button, .field-button");
  if (button) [only, origin] = [isSelected(recordOf(button)) ? null : recordOf(button).id, recordOf(button).id];
  else if (event.target.closest?.(".selection")) [only, origin] = [null, null];
}, true);
document.addEventListener("toggle", ({ target, newState }) => {
  if (!target.matches?.(".menu-change")) return;
  if (newState === "open" && !target.contains(document.activeElement)) enter(target);
}, true);

// A card that was dropped on a status is changed as by its menu.
document.addEventListener("reports:move", ({ detail: { card, status } }) => {
  if (status === "resolved") return openMenu("resolve", card);
  [only, origin] = [isSelected(card) ? null : card.id, card.id];
  document.querySelector(`#menu-status [name=status][value=${status}]`).click();
});

function enter(menu) {
  prepare(menu);
  const filter = menu.querySelector("[data-filter]");
  if (filter) filter.value = "";
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
      same = all.length > 0 && all.every((row) => row.dataset.labels.split("\n").includes(item.value));
      item.name = same ? "removeLabel" : "addLabel";
    } else {
      same = all.length > 0 && all.every((row) => row.dataset[kind] === item.value);
    }
    item.toggleAttribute("aria-current", same);
    if (same) item.setAttribute("aria-current", "true");
  }
}

// What is typed into a menu narrows it. The server is asked for more when the menu has as many choices as a page lists at most.
let asking;
document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("[data-filter]")) return;
  const menu = target.closest(".menu");
  narrow(menu);
  clearTimeout(asking);
  const more = menu.dataset.find ? find : menu.matches(".menu-change") ? isFull(menu) && ask : menu.querySelector("[data-more]") && askWorkspaces;
  if (more && target.value.trim()) asking = setTimeout(() => more(menu, target.value.trim()).catch(() => {}), 150);
});

const isFull = (menu) => menu.querySelectorAll(".menu-item").length >= 100;

// An item stays when it has each word of the text. The way to further items always stays.
function narrow(menu) {
  const wanted = folded(menu.querySelector("[data-filter]").value).split(/[^\p{L}\p{N}]+/u);
  for (const item of menu.querySelectorAll(".menu-item:not([data-more])")) {
    const text = folded(item.textContent);
    item.hidden = !wanted.every((word) => text.includes(word));
  }
}

// askWorkspaces adds the workspaces that the search finds to the switcher.
async function askWorkspaces(menu, text) {
  const answer = await fetch(`/search?${new URLSearchParams({ q: text })}`, { headers: { Accept: "text/html", "HX-Request-Type": "partial" } });
  const page = await pageOf(answer);
  const known = new Set([...menu.querySelectorAll("code")].map((key) => key.textContent));
  const more = menu.querySelector("[data-more]").parentElement;
  for (const found of page.querySelectorAll(".menu-item:has(code)")) {
    const key = found.querySelector("code").textContent;
    if (known.has(key)) continue;
    const entry = more.previousElementSibling.cloneNode(true);
    const link = entry.querySelector("a");
    link.href = link.getAttribute("href").replace(/workspace=.*/, `workspace=${key}`);
    link.removeAttribute("aria-current");
    entry.querySelector(".menu-tick").replaceChildren();
    entry.querySelector(".menu-text").textContent = found.querySelector(".menu-text").textContent;
    entry.querySelector("code").textContent = key;
    more.before(entry);
  }
  narrow(menu);
}

// ask adds the choices that a text finds in the workspace of the reports of the menu.
async function ask(menu, text) {
  const one = targets()[0];
  if (!one) return;
  const answer = await fetch(`/reports?${new URLSearchParams({ only: one.dataset.reference ?? one.id, choices: text })}`, { headers: { Accept: "text/html", "HX-Request-Type": "partial" } });
  const page = await pageOf(answer);
  const known = new Set([...menu.querySelectorAll(".menu-item")].map((item) => item.value));
  const form = menu.querySelector(".menu-item").getAttribute("form");
  const last = menu.querySelector("hr");
  for (const item of page.querySelectorAll(`#menu-${menu.dataset.menu} .menu-item`)) {
    if (known.has(item.value)) continue;
    item.setAttribute("form", form);
    menu.insertBefore(item.closest(".menu-row") ?? item, last);
  }
  prepare(menu);
  narrow(menu);
}

// find adds the choices that a text finds for a field: the form is asked for them.
async function find(menu, text) {
  const address = new URL(menu.dataset.ask, location);
  address.searchParams.set("find", text);
  const answer = await fetch(address, { headers: { Accept: "text/html", "HX-Request-Type": "partial" } });
  const page = await pageOf(answer);
  const known = new Set([...menu.querySelectorAll(".menu-item")].map((item) => item.value));
  for (const choice of page.querySelectorAll(`#${menu.dataset.find} :is(option, .check)`)) {
    const value = choice.value ?? choice.querySelector("input").value;
    if (!value || known.has(value)) continue;
    const item = Object.assign(document.createElement("button"), { type: "button", className: "menu-item", value, textContent: choice.textContent });
    item.choice = document.importNode(choice, true);
    menu.append(item);
  }
  narrow(menu);
  menu.querySelector("[data-none]").hidden = Boolean(menu.querySelector(".menu-item:not([hidden])"));
}
document.addEventListener("click", ({ target }) => {
  const item = target.closest?.("[data-find] .menu-item");
  if (!item) return;
  const menu = item.closest(".menu"), field = document.getElementById(menu.dataset.find);
  menu.hidePopover();
  if (field.matches("select")) {
    if (![...field.options].some((option) => option.value === item.value)) field.add(new Option(item.textContent, item.value));
    field.value = item.value;
    field.focus();
    return field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const box = field.querySelector(`input[value="${item.value}"]`) ?? item.choice.querySelector("input");
  if (!box.isConnected) field.querySelector(".checks").append(item.choice);
  box.checked = true;
  box.focus();
});

// Within a menu the arrows move, and Enter in its field chooses the first item. In one without a field a letter leads to the next item that
// begins with it.
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
  } else if (/^[\p{L}\p{N}]$/u.test(event.key) && !event.target.matches("input") && !event.ctrlKey && !event.altKey && !event.metaKey) {
    const named = items.filter((item) => folded(item.textContent.trim()).startsWith(folded(event.key)));
    (named.find((item) => items.indexOf(item) > at) ?? named[0])?.focus();
  }
}

// After a change the row that had the focus has it again; when it has left the list, the next one that is left.
let place = null; // the ids of the rows, in the order in which they get the focus
document.addEventListener("submit", ({ target }) => {
  if (!changes(target)) return;
  const all = rows();
  place = placeFrom(all.indexOf(current() ?? document.getElementById(next?.opener) ?? all.find(isSelected)));
}, true);

// placeFrom returns the ids of the rows from a position to the end, then of those above it.
function placeFrom(at) {
  const all = rows();
  return [...all.slice(Math.max(at, 0)), ...all.slice(0, Math.max(at, 0)).reverse()].map((row) => row.id);
}

// Whoever has gone on meanwhile, to a field, a menu or a dialog, keeps the focus there.
const isElsewhere = () => Boolean(document.querySelector("dialog[open]") || document.querySelector(".menu:popover-open") || document.activeElement.matches("input:not([type=checkbox]), textarea, select"));

function refocus(changed) {
  showSelection(changed);
  if (!place || !list()) return;
  const id = place.find((each) => document.getElementById(each));
  place = null;
  if (isElsewhere()) return expire();
  [only, origin] = [null, null];
  const row = id ? document.getElementById(id) : rows()[0];
  row ? focusRow(row) : document.getElementById("main").focus();
  expire();
}
let left = null; // the id of the row that had the focus when the results of a search replaced it
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => { if (ctx.target?.id === "results") left = rowOf(document.activeElement)?.id; });
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.closest?.("#pane")) return; // the list is as it was
  if (ctx.target?.matches?.("body, #main, #results")) removed = [];
  if (left && ctx.target?.id === "results" && document.activeElement === document.body) focusRow(document.getElementById(left) ?? rows()[0]);
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
    if (row.dataset.order) return document.dispatchEvent(new CustomEvent("reports:put", { detail: row })); // the board has an order
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
  }
  list().querySelector(".total").replaceWith(results.querySelector(".total"));
  for (const section of list().querySelectorAll("[data-group]")) {
    const counted = results.querySelector(`[data-group="${section.dataset.group}"] .group-count`);
    if (counted) section.querySelector(".group-count").textContent = counted.textContent;
    else section.remove();
  }
  notify(page.querySelector("[data-notice]"));
  document.dispatchEvent(new CustomEvent("reports:changed", { detail: results.dataset.changed.split(",") }));
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

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx: { text, sourceElement }, tasks } = event.detail;
  if (!sourceElement?.matches?.("form") || !changes(sourceElement)) return;
  const at = rowOf(document.activeElement);
  if (place && at) place = placeFrom(rows().indexOf(at));
  if (!text.includes("data-changed")) return;
  if (!list().querySelector(".rows") || !text.includes('class="rows"')) return; // an empty list, and a complete answer
  event.preventDefault();
  merging = true;
  const main = tasks.find(({ type }) => type === "main");
  setTimeout(() => {
    merging = false;
    if (!list()) return;
    merge(main.fragment);
    refocus([]); // the rows that were replaced are not selected
    sendNext();
  });
});

// Rows that go leave the page before new ones come, and before the form that their boxes belong to: the other way round the browser looks
// for the form of each box in the whole page, which takes a slow machine half a second with 500 rows.
addEventListener("htmx:before:swap", (event) => {
  const { target, swap, sourceElement } = event.detail.ctx;
  if (event.defaultPrevented || !target?.matches?.("body, #results") || /morph/i.test(swap)) return;
  for (const part of target.querySelectorAll(".rows")) if (!part.contains(sourceElement)) part.remove();
});

// The lists of rows below the window leave it before that, each in a task of its own: 25 rows take a slow machine 5 ms. What follows replaces
// the others.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (!ctx.target?.matches?.("body, #results") || !list()) return;
  const send = ctx.fetch;
  ctx.fetch = async (...request) => {
    const response = await send(...request), text = response.text.bind(response);
    response.text = () => text().then(async (body) => {
      if (response.ok && ctx.request.method === "GET") await removeUnseen();
      return body;
    });
    return response;
  };
});
async function removeUnseen() {
  const unseen = [...document.querySelectorAll(".pages > .rows")].filter((part) => part.getBoundingClientRect().top > innerHeight);
  for (const part of unseen.reverse()) {
    part.remove();
    await (globalThis.scheduler?.yield?.() ?? new Promise((done) => { setTimeout(done); }));
  }
}

// Of what a search finds, the first list of rows is inserted with the answer. The others follow, each in a frame of its own; until then
// they have the height of their rows.
document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
  if (ctx.target?.id !== "results" || !ctx.sourceElement?.matches?.(".search")) return;
  const later = tasks.flatMap(({ fragment }) => [...(fragment?.querySelectorAll(".pages > .rows") ?? [])].slice(1));
  const rows = later.map((part) => [...part.children]);
  for (const part of later) {
    Object.assign(part.style, { display: "block", height: `calc(${part.childElementCount} * var(--row))` });
    part.replaceChildren();
  }
  const insert = () => {
    if (!later[0]?.isConnected) return;
    later[0].append(...rows.shift());
    later[0].removeAttribute("style");
    htmx.process(later.shift());
    requestAnimationFrame(() => setTimeout(insert));
  };
  requestAnimationFrame(() => setTimeout(insert));
});

// A request without an answer leaves the list as it is.
function giveUp() {
  queue = [];
  emptied();
}
const unmark = () => rows().forEach((row) => row.removeAttribute("aria-busy"));
document.addEventListener("htmx:error", ({ detail }) => {
  const lost = document.querySelector("[data-lost]");
  if (!lost || !detail.ctx) return;
  lost.hidden = false;
  giveUp();
  unmark();
});
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  document.querySelector("[data-lost]")?.setAttribute("hidden", "");
  if (ctx.sourceElement?.matches?.(".search")) list()?.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => { if (ctx.sourceElement?.matches?.(".search")) list()?.removeAttribute("aria-busy"); });

// A notice with Undo goes after 10 seconds, unless somebody points at it. One that a report is gone stays.
function expire() {
  const notice = document.querySelector("[data-notice]:not([data-stays])");
  if (!notice || notice.timer) return;
  const remove = () => { if (notice.matches(":hover, :focus-within")) notice.timer = setTimeout(remove, 1000); else notice.remove(); };
  notice.timer = setTimeout(remove, 10000);
}
expire();
document.addEventListener("notice:shown", expire);

const shortcuts = (event) => document.body.hasAttribute("data-shortcuts") && !event.isComposing && !event.ctrlKey && !event.altKey && !event.metaKey;

const menuKeys = { e: "resolve", s: "status", a: "assignee", p: "priority", l: "labels" };

function command({ key, shiftKey }) {
  const row = current();
  if (key === "z") document.querySelector("[data-undo]")?.click();
  else if (key === "j" || key === "k") move(row, key === "j" ? 1 : -1);
  else if (key.toLowerCase() === "x" && row && box(row)) selectRow(row, shiftKey);
  else if (menuKeys[key] && (list() || report())) openMenu(menuKeys[key], recordOf(document.activeElement) ?? row ?? (list() ? null : report()));
  else if (key === "Delete" && rows().some(isSelected)) document.querySelector(".selection [name=delete]").click();
  else if (key === "Escape" && rows().some(isSelected)) document.getElementById("change").reset();
  else return false;
  return true;
}

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
