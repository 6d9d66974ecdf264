// While somebody types @name or #word into an editor, people and reports are offered. The arrow keys choose, Enter or Tab completes.
import { folded, pageOf, partial } from "../app.js";
import { caretAt } from "./caret.js";
import { namesOf, wordBefore } from "./words.js";

const limit = 6;
const wordOf = (field) => wordBefore(field.value.slice(0, field.selectionStart));
let asked = 0; // counts the requests, of which the last one counts

// The people of the page are offered at once, and then those whom the search finds beyond them in the workspace of the text.
function people(text) {
  const wanted = folded(text.slice(1));
  const items = [...document.querySelectorAll("#report-assignee [name=assigneeId], #assigneeId option")];
  return items.filter((e) => e.value && e.textContent.trim() !== "Me")
    .map((e) => ({ label: e.textContent.trim(), text: `@${e.dataset.email ?? e.value}`, id: e.value, picture: pictureOf(e) }))
    .filter(({ label }) => ` ${folded(label)}`.includes(` ${wanted}`)).slice(0, limit);
}

// pictureOf returns the picture of a person of a menu, or the initials in its place.
const pictureOf = (item) => (item.querySelector(".avatar") ??
  document.querySelector(`#pick-assigneeId .menu-item[value="${CSS.escape(item.value)}"] .avatar`))?.cloneNode(true);

async function morePeople(field, text, known) {
  const workspaceId = field.form?.elements.workspaceId?.value ?? field.closest(".report")?.dataset.workspace;
  if (text.length < 2 || known.length >= limit || !workspaceId) return known;
  const page = await search(text.slice(1), { workspaceId });
  const found = [...page.querySelectorAll("#found [data-group=People] .menu-item")].map((e) => {
    const email = e.querySelector(".found-more")?.textContent;
    return { label: e.querySelector(".menu-text").textContent, text: `@${email ?? e.dataset.user}`, id: e.dataset.user,
      picture: e.querySelector(".icon")?.cloneNode(true) };
  });
  return [...known, ...found.filter(({ id }) => !known.some((one) => one.id === id))].slice(0, limit);
}

async function search(q, more = {}) {
  const response = await fetch(`/search?${new URLSearchParams({ q, ...more })}`, { headers: partial });
  return response.ok && !response.redirected ? pageOf(response) : new Document();
}

async function reports(text) {
  const page = await search(text.slice(1));
  return [...page.querySelectorAll("#found [data-group=Reports] .menu-item")].slice(0, limit).map((e) => {
    const reference = e.querySelector(".row-reference").textContent;
    return { label: `${reference} ${e.querySelector(".menu-text").textContent}`, text: reference };
  });
}

const listOf = (field) => field.closest("[data-editor]").querySelector(".completions");

function show(field, all, from) {
  let list = listOf(field);
  if (!list) {
    list = document.createElement("div");
    Object.assign(list, { id: `${field.id}-completions`, className: "completions",
      role: "listbox", ariaLabel: field.ariaLabel ?? field.labels[0]?.textContent ?? "" });
    field.after(list);
    field.setAttribute("aria-controls", list.id);
    field.setAttribute("aria-autocomplete", "list");
  }
  list.replaceChildren(...all.map(({ label, text, picture }, i) => {
    const option = document.createElement("div");
    Object.assign(option, { id: `${list.id}-${i}`, className: "completion", role: "option", textContent: label });
    Object.assign(option.dataset, { text, from });
    if (picture) option.prepend(picture);
    return option;
  }));
  list.hidden = all.length === 0;
  if (all.length) moveToCaret(list, field, from);
  if (all.length) select(field, list.firstElementChild);
  else field.removeAttribute("aria-activedescendant");
}

// moveToCaret places a list below the word that it completes.
function moveToCaret(list, field, from) {
  const { left, top } = caretAt(field, from);
  list.style.top = `${Math.min(top, field.offsetTop + field.offsetHeight)}px`;
  list.style.left = `${Math.max(0, Math.min(left, list.offsetParent.clientWidth - 240))}px`;
}

function select(field, option) {
  listOf(field).querySelector("[aria-selected]")?.removeAttribute("aria-selected");
  option.setAttribute("aria-selected", "true");
  field.setAttribute("aria-activedescendant", option.id);
}

function choose(field, option) {
  const { text, from } = option.dataset;
  field.focus();
  field.setSelectionRange(Number(from), field.selectionStart);
  if (!document.execCommand("insertText", false, `${text} `)) field.setRangeText(`${text} `, Number(from), field.selectionStart, "end");
  show(field, [], 0);
}

// close closes the list, also for what is asked for.
function close(field) {
  asked++;
  show(field, [], 0);
}

const isEditor = (element) => element.matches?.("[data-editor] textarea");
document.addEventListener("input", async ({ target, isComposing }) => {
  if (!isEditor(target) || isComposing) return;
  const request = ++asked, word = wordOf(target);
  if (!word) return listOf(target) && show(target, [], 0);
  const offer = (all) => {
    if (request !== asked || wordOf(target)?.text !== word.text || document.activeElement !== target || all.length === 0 && !listOf(target))
      return;
    show(target, all.filter(({ text }) => text !== word.text), word.from);
  };
  if (word.text[0] !== "@") return offer(await reports(word.text).catch(() => []));
  const known = people(word.text);
  offer(known);
  const all = await morePeople(target, word.text, known).catch(() => known);
  if (all.length === known.length) return;
  const at = [...(listOf(target)?.children ?? [])].findIndex((option) => option.hasAttribute("aria-selected"));
  offer(all);
  if (at > 0 && request === asked) select(target, listOf(target).children[at]);
});
// A name without an address mentions nobody, which is said below the text.
let checking;
document.addEventListener("input", (event) => {
  const target = /** @type {any} */ (event.target);
  if (!isEditor(target)) return;
  clearTimeout(checking);
  checking = setTimeout(() => sayNobody(target, target.selectionStart), 400);
});
document.addEventListener("focusout", ({ target }) => { if (isEditor(target)) sayNobody(target, -1); });

function sayNobody(field, caret) {
  const hint = field.closest("[data-editor]")?.querySelector("[data-nobody]");
  if (!hint) return;
  const names = namesOf(field.value, caret);
  const text = names.length ? hint.dataset.nobody.replace("{name}", () => names.join(", ")) : "";
  if (hint.textContent !== text) hint.textContent = text;
  hint.hidden = !text;
}

document.addEventListener("focusout", ({ target }) => { if (isEditor(target) && listOf(target)) close(target); });
document.addEventListener("mousedown", (event) => {
  const option = event.target.closest?.("[data-editor] .completion");
  if (!option) return;
  event.preventDefault();
  choose(option.closest("[data-editor]").querySelector("textarea"), option);
});
document.addEventListener("keydown", (event) => {
  const field = event.target;
  if (!isEditor(field) || event.isComposing || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape") asked++;
  const list = listOf(field);
  if (!list || list.hidden) return;
  if (wordOf(field)?.from !== Number(list.firstElementChild.dataset.from)) return close(field); // the caret has left the word
  const all = [...list.children], at = all.findIndex((o) => o.hasAttribute("aria-selected"));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) select(field, all[(at + step + all.length) % all.length]);
  else if (event.key === "Enter" || event.key === "Tab") choose(field, all[at]);
  else if (event.key === "Escape") close(field);
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);
