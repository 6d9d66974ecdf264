// The search box completes words, and values of words: those that are listed with the box, and the names in the menus of the page.
import { folded, pageOf, partial } from "../app.js";
import { recentSearches } from "./recent.js";
import { quote, term, titled } from "./terms.js";

const completions = () => document.getElementById("completions");

// The names that the server has found beyond those of the menus, which are the first ones only.
let found = new Document();
let asking, asked = 0; // the requests so far, of which the last one counts
const menuOf = { assignee: "#menu-assignee", reporter: "#menu-assignee",
  mentions: "#menu-assignee", label: "#menu-labels", space: "#menu-space" };

function stopAsking() {
  asked++;
  clearTimeout(asking);
}

function askMore(box) {
  stopAsking();
  const { word, part } = term(box.value, box.selectionStart);
  const text = part.replaceAll('"', "").trim();
  const row = document.querySelector(".row");
  if (!text || !row || document.querySelectorAll(`${menuOf[word] ?? "#words"} .menu-item`).length < 100) return;
  const request = asked;
  asking = setTimeout(async () => {
    try {
      const answer = await fetch(`/reports?${new URLSearchParams({ only: row.id, choices: text })}`, { headers: partial });
      const page = await pageOf(answer);
      if (request !== asked) return;
      found = page;
      if (document.activeElement === box) show(box);
    } catch { /* the names of the menus are offered */ }
  }, 150);
}

// names returns the values of a word that are names: a name that is there twice is completed to the id.
function names(word) {
  const items = (selector) => [document, found].flatMap((page) => [...page.querySelectorAll(`${selector} .menu-item`)]);
  const values = (selector) => [...new Set(items(selector).map((e) => e.textContent.trim()))];
  const people = [...new Map(items("#menu-assignee").filter((e) => e.value && e.textContent.trim() !== "Me")
    .map((e) => [e.value, e.textContent.trim()]))].map(([id, name]) => [name, id]);
  const unique = people.map(([name, id]) => (people.filter((p) => p[0] === name).length > 1 ? id : name));
  return {
    assignee: unique, reporter: unique, mentions: unique, label: values("#menu-labels"), space: values("#menu-space").slice(1),
    workspace: [...document.querySelectorAll("#workspaces code")].map((e) => e.textContent.trim()),
  }[word] ?? [];
}

// examples are the words that an empty box offers, each with a value.
const examples = ["status:open", "assignee:me", "label:flaky", "created:7d", "has:replay", "browser:Chrome", "no:assignee", "is:active"];

// isTab says whether a box has the text of a list by status alone, and nobody has changed it.
const isTab = (box) => box.value.trim() === box.defaultValue.trim() && /^status:[a-z_,]+$/.test(box.value.trim());

function options(box) {
  const { word, part, from, minus } = term(box.value, box.selectionStart);
  if (isTab(box)) return [{ text: "", from: 0, about: "Search all reports, not only these", whole: true }];
  if (!box.value.trim()) return [
    ...recentSearches().map((text) => ({ text, from: 0, about: "Recent search", whole: true })),
    ...examples.map((example) => ({ text: `${example.split(":")[0]}:`, from: 0, about: example })),
  ];
  const wanted = folded(part.replaceAll('"', ""));
  const listed = [...document.querySelectorAll("#words [data-word]")];
  const starts = (text) => ` ${folded(text)} ${folded(text).replaceAll(/[_-]/g, " ")}`.includes(` ${wanted}`);
  let offered;
  if (word === null) {
    const allowed = listed.filter((e) => !minus || "excludes" in e.dataset);
    offered = wanted ? allowed.map((e) => `${e.dataset.word}:`).filter((text) => text.startsWith(wanted)) : [];
  } else {
    const fixed = listed.find((e) => e.dataset.word === word)?.textContent.split(" ").filter(Boolean) ?? [];
    offered = [...fixed.filter(starts), ...names(word).filter(starts).map(quote)];
  }
  if (word !== null && offered.includes(part)) return [];
  return offered.slice(0, 8).map((text) => ({ text, from, first: word !== null || wanted.length > 1 }));
}

function show(box) {
  const list = completions();
  const all = document.activeElement === box && box.selectionStart === box.selectionEnd ? options(box) : [];
  list.replaceChildren(...all.map(({ text, from, about, whole }, i) => {
    const option = document.createElement("div");
    Object.assign(option, { id: `completion-${i}`, className: "completion", role: "option", textContent: titled(text) });
    Object.assign(option.dataset, { from, text, ...(whole && { whole }) });
    if (about) option.append(Object.assign(document.createElement("span"), { className: "completion-about", textContent: about }));
    return option;
  }));
  list.hidden = all.length === 0;
  box.setAttribute("aria-expanded", String(all.length > 0));
  box.removeAttribute("aria-activedescendant");
  if (all[0]?.first) activate(box, list.firstElementChild);
}

function choose(box, option) {
  const { from, text } = option.dataset;
  box.setRangeText(text + (text.endsWith(":") ? "" : " "), Number(from), box.selectionStart, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

function activate(box, option) {
  completions().querySelector("[aria-selected]")?.removeAttribute("aria-selected");
  option.setAttribute("aria-selected", "true");
  box.setAttribute("aria-activedescendant", option.id);
}

document.addEventListener("input", ({ target }) => {
  if (target.id !== "q") return;
  show(target);
  askMore(target);
});
document.addEventListener("focusin", ({ target }) => {
  if (target.id === "q" && (isTab(target) || !target.value.trim())) show(target);
});
document.addEventListener("focusout", ({ target }) => { if (target.id === "q" && completions()) completions().hidden = true; });
document.addEventListener("mousedown", (event) => {
  const option = event.target.closest?.(".completion");
  if (!option) return;
  event.preventDefault(); // the box keeps the focus
  choose(document.getElementById("q"), option);
});
document.addEventListener("keydown", (event) => {
  if (event.target.id !== "q" || event.isComposing) return;
  if (completions().hidden && event.key === "ArrowDown") show(event.target);
  if (completions().hidden) return;
  const all = [...completions().children];
  const at = all.findIndex((o) => o.hasAttribute("aria-selected"));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && all.length) activate(event.target, all[(at + step + all.length) % all.length]);
  else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) choose(event.target, all[at]);
  else if (event.key === "Escape") {
    stopAsking();
    completions().hidden = true;
  } else {
    if (event.key === "Enter") completions().hidden = true;
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}, true);
