// What the command palette lists (opening.js opens it): the reports that were opened last, what can be done to the report with the focus,
// the actions of the page (data-command), the pages, the workspaces, the other actions and what the search finds. After > it lists what
// can be done alone. The focus stays in the field; the arrow keys move along the results, Enter opens one.
import { chosen, folded, isSelected, pageOf, partial, recent } from "../app.js";

let pending, timer, entered; // entered: Enter waits for the results
let row = null; // the row that had the focus when the palette was opened

const palette = () => document.getElementById("palette");
const field = () => document.getElementById("palette-text");
const list = () => document.getElementById("palette-list");
const options = () => [...list().querySelectorAll("[role=option]")];

/**
 * begin lists what there is for the text in the field, after the palette was opened, and opens the first of it when Enter was pressed.
 * @param {HTMLElement | null} focused
 * @param {boolean} isEntered
 */
export function begin(focused, isEntered) {
  row = focused;
  drop();
  show([], !field().value.trim());
  if (isEntered) enter();
  else if (field().value.trim()) search();
}

// enter opens the selected option, or the first one that is found.
function enter() {
  const selected = options().find((item) => item.getAttribute("aria-selected") === "true");
  if (selected) return selected.click();
  entered = true;
  search();
}

// group returns a labelled group of options, null without one.
function group(label, items) {
  if (!items.length) return null;
  const box = document.createElement("div");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  const title = document.createElement("p");
  title.className = "menu-title";
  title.textContent = label;
  title.setAttribute("aria-hidden", "true");
  box.append(title, ...items);
  return box;
}

// Before the pages come the actions of the page and a new report, after them the other ones, with the themes last.
const isNear = (element) => Boolean(element.closest("main, .bar-action, [data-new]"));
const isOfPage = (element) => isNear(element) && !("new" in element.dataset);
const isTheme = (element) => element.name === "theme";

// blank returns an icon without a shape, beside which a label is aligned; that of a new report is a plus.
function blank(isNew) {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("class", "icon");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(icon.namespaceURI, "path");
  shape.setAttribute("d", isNew ? "M5 12h14M12 5v14" : "");
  icon.append(shape);
  return icon;
}

// The keys of what has no attribute that says its key. Those of the pages follow g.
const keys = { "report-status": "s", "report-assignee": "a", "report-priority": "p", "report-labels": "l", shortcuts: "?" };
const pageKeys = { "/inbox": "i", "/reports": "l", "/board": "b", "/my": "m", "/overview": "o", "/tests": "t" };

// keyOf returns the key of a source, as it is shown; nothing when the reader has turned keys off.
function keyOf(source) {
  if (!document.body.hasAttribute("data-shortcuts")) return "";
  const said = source.getAttribute?.("aria-keyshortcuts");
  if (said) return said.length === 1 ? said : "";
  if (source.matches?.(".nav-link")) return pageKeys[source.pathname] ? `g ${pageKeys[source.pathname]}` : "";
  if (source.matches?.("[data-new]")) return "c";
  return keys[source.getAttribute?.("popovertarget") ?? source.getAttribute?.("commandfor")] ?? "";
}

// option returns an entry: the icon of its source, a label and its key. It clicks on the source, or is a link.
function option(label, source, key = keyOf(source)) {
  const isLink = source.href && !source.dataset?.command;
  const item = /** @type {any} */ (document.createElement(isLink ? "a" : "div"));
  item.className = "menu-item";
  const icon = source.querySelector?.(":is(.icon, .avatar):not(.menu-tick *)");
  const text = Object.assign(document.createElement("span"), { className: "menu-text", textContent: label });
  item.append(icon?.cloneNode(true) ?? blank("new" in (source.dataset ?? {})), text);
  for (const one of key?.split(" ").filter(Boolean) ?? []) {
    item.append(Object.assign(document.createElement("kbd"), { textContent: one.toLowerCase() }));
  }
  if (isLink) item.href = source.href;
  else item.command = source;
  return item;
}

// ofRow returns what can be done to the row with the focus: the entries of its menu, and with a text also the values of its fields.
function ofRow(matches, text) {
  if (!row?.isConnected) return [];
  const entries = [...document.querySelectorAll("#menu-row .menu-item:not(a)")].map((e) =>
    [(e.firstElementChild ?? e).textContent.trim(), e, e.querySelector("kbd")?.textContent]);
  const values = !text ? [] : [...document.querySelectorAll("[id^=menu-][data-choice-of]")].flatMap((menu) =>
    [...menu.querySelectorAll(".menu-item[name]")]
      .map((e) => [`${menu.dataset.choiceOf} ${e.querySelector(".menu-text").textContent}`, e]));
  return [...entries, ...values].filter(([label]) => matches(label)).slice(0, 12).map(([label, source, key]) => {
    const item = option(label, source, key);
    item.row = row;
    return item;
  });
}

// local returns the groups that the page has: those that match the text.
function local(typed) {
  const text = typed.replace(/^>\s*/, ""), isCommand = text !== typed;
  const matches = (label) => folded(label).includes(folded(text));
  const labels = palette().dataset;
  const actions = [...document.querySelectorAll("[data-command]")].filter((e) => matches(e.dataset.command))
    .sort((a, b) => Number(isOfPage(b)) - Number(isOfPage(a)) || Number(isTheme(a)) - Number(isTheme(b)));
  const near = actions.filter(isNear), other = actions.filter((e) => !isNear(e));
  const listed = (elements) => elements.map((e) => option(e.dataset.command, e));
  const of = (selector) => [...document.querySelectorAll(selector)]
    .map((e) => [e.querySelector("span:not(.menu-tick), bdi").textContent.trim(), e])
    .filter(([label]) => matches(label));
  const links = (selector) => of(selector).slice(0, 12).map(([label, e]) => option(label, e));
  return [
    group(labels.recent, isCommand || text ? [] : recent().map(({ path, title }) => option(title, { href: path }))),
    group(row ? row.id : "", ofRow(matches, text)),
    group(labels.actions, listed(near)),
    group(labels.pages, isCommand ? [] : links("#sidebar .nav-link")),
    group(labels.workspaces, isCommand || !text ? [] : links("#workspaces a.menu-item:not([data-more])")),
    group(near.length ? `More ${labels.actions.toLowerCase()}` : labels.actions, listed(other)),
  ].filter(Boolean);
}

// show lists found groups after those of the page, and keeps the selection. Complete results may be none.
function show(found, complete) {
  const at = complete ? options().findIndex((item) => item.getAttribute("aria-selected") === "true") : 0;
  list().replaceChildren(...local(field().value.trim()), ...found);
  const all = [...list().querySelectorAll(".menu-item")];
  all.forEach((item, i) => {
    item.id = `palette-${i}`;
    item.setAttribute("role", "option");
    item.tabIndex = -1;
  });
  list().hidden = !all.length;
  field().setAttribute("aria-expanded", String(all.length > 0));
  document.getElementById("palette-status").textContent = all.length || !complete ? "" : "Nothing is found.";
  select(Math.max(at, 0));
  if (complete && entered) options()[0]?.click();
  if (complete) entered = false;
}

function select(index) {
  const all = options();
  all.forEach((item, i) => item.setAttribute("aria-selected", String(i === index)));
  if (all[index]) {
    field().setAttribute("aria-activedescendant", all[index].id);
    all[index].scrollIntoView({ block: "nearest" });
  } else field().removeAttribute("aria-activedescendant");
}

// What was asked for is not shown any more once the palette is closed.
document.addEventListener("beforetoggle", ({ target, newState }) => {
  if (target.id === "palette" && newState === "closed") drop();
}, true);
function drop() {
  entered = false;
  pending?.abort();
  clearTimeout(timer);
}

async function search() {
  pending = new AbortController();
  const text = field().value.trim();
  if (!text || text.startsWith(">")) return show([], true);
  try {
    const answer = await fetch(`/search?q=${encodeURIComponent(text)}`, { headers: partial, signal: pending.signal });
    const found = (await pageOf(answer)).getElementById("found");
    if (!found) throw new Error("no results");
    const labels = palette().dataset; // a page that the palette has by itself is not listed twice
    const listed = new Set([...list().querySelectorAll(`[aria-label="${labels.pages}"] a`)].map((a) => a.pathname));
    show([...found.querySelectorAll("[data-group]")].map((g) => group(g.dataset.group, [...g.querySelectorAll(".menu-item")]
      .filter((item) => g.dataset.group !== labels.pages || !listed.has(item.pathname)))).filter(Boolean), true);
  } catch (error) {
    if (error.name === "AbortError") return;
    entered = false;
    document.getElementById("palette-status").textContent = "The search failed. Try again.";
  }
}

document.addEventListener("keydown", (event) => {
  if (event.target.id !== "palette-text" || event.isComposing) return;
  const all = options();
  const at = all.findIndex((item) => item.getAttribute("aria-selected") === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && all.length) select((at + step + all.length) % all.length);
  else if (event.key === "Enter" && all[at]) all[at].click();
  else if (event.key === "Enter") entered = true;
  else return;
  event.preventDefault();
});
document.addEventListener("input", (event) => {
  if (event.target.id !== "palette-text") return;
  drop();
  show([], false);
  timer = setTimeout(search, 120);
});
document.addEventListener("click", (event) => {
  const item = event.target.closest?.("#palette [role=option]");
  if (!item) return;
  palette().hidePopover();
  if (item.row) chosen.set(isSelected(item.row) ? null : item.row.id, item.row.id);
  item.command?.scrollIntoView({ block: "nearest" }); // a menu opens beside its button
  item.command?.click();
}, true);
