// The command palette: Ctrl K or ⌘K, or the button Search, opens it. It lists the actions (data-command), first those of the page, the
// pages and what the search finds. The focus stays in the field; the arrow keys move along the results, Enter opens one.
import { folded } from "./folding.js";
import { pageOf, partial } from "./page.js";

let pending, timer, entered; // entered: Enter waits for the results

const palette = () => document.getElementById("palette");
const field = () => document.getElementById("palette-text");
const list = () => document.getElementById("palette-list");
const options = () => [...list().querySelectorAll("[role=option]")];

function open() {
  if (!palette() || palette().matches(":popover-open") || document.querySelector("dialog:modal")) return;
  document.getElementById("sidebar")?.hidePopover?.();
  field().value = "";
  show([], true);
  palette().showPopover();
  field().focus();
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

const isOfPage = (element) => Boolean(element.closest("main, .bar-action"));

// local returns the actions of the page and the pages that match the text.
function local(text) {
  const matches = (label) => folded(label).includes(folded(text));
  const option = (label, source) => {
    const item = document.createElement(source.dataset.command ? "div" : "a");
    item.className = "menu-item";
    item.textContent = label;
    if (source.dataset.command) item.command = source;
    else item.href = source.href;
    return item;
  };
  const actions = [...document.querySelectorAll("[data-command]")].filter((e) => matches(e.dataset.command))
    .sort((a, b) => Number(isOfPage(b)) - Number(isOfPage(a)));
  const pages = [...document.querySelectorAll("#sidebar .nav-link")].filter((e) => matches(e.textContent.trim()));
  return [
    group("Actions", actions.map((e) => option(e.dataset.command, e))),
    group("Pages", pages.slice(0, 12).map((e) => option(e.textContent.trim(), e))),
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
  if (!text) return show([], true);
  try {
    const answer = await fetch(`/search?q=${encodeURIComponent(text)}`, { headers: partial, signal: pending.signal });
    const found = (await pageOf(answer)).getElementById("found");
    if (!found) throw new Error("no results");
    show([...found.querySelectorAll("[data-group]")].map((g) => group(g.dataset.group, [...g.querySelectorAll(".menu-item")])), true);
  } catch (error) {
    if (error.name === "AbortError") return;
    entered = false;
    document.getElementById("palette-status").textContent = "The search failed. Try again.";
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && palette()) {
    event.preventDefault();
    return open();
  }
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
  if (event.target.closest?.("[data-palette]") && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    event.stopPropagation();
    return open();
  }
  const item = event.target.closest?.("#palette [role=option]");
  if (!item) return;
  palette().hidePopover();
  item.command?.scrollIntoView({ block: "nearest" }); // a menu opens beside its button
  item.command?.click();
}, true);
