import { element } from "./element.js";
import { matching } from "./match.js";

// The box above the sections hides the operations whose words and paths do not match, and the sections of which none is left. Ctrl+K and /
// lead to it, Enter to the first operation that is left, and the arrow keys to the others.
const place = /** @type {Found} */ (document.querySelector("#sections .find"));
const field = element("input", { type: "search", "aria-label": "Find an operation", placeholder: "Find an operation",
  "aria-keyshortcuts": "Control+K", title: "Ctrl K", autocomplete: "off",
  spellcheck: false });
const note = element("p", { class: "hint", role: "status" });

// wordsOf returns what a row says, with its section, path and identifier, and what is written of it in the article that it leads to.
function wordsOf(row, section) {
  const [, id] = row.firstElementChild.getAttribute("href").split("#");
  const article = id && document.getElementById(id);
  const path = article?.querySelector(".route code")?.textContent ?? "";
  const written = [...article?.querySelectorAll(":scope > p:not(.route)") ?? []].map((p) => p.textContent).join(" ");
  return { name: `${section} ${row.textContent} ${path} ${id ?? ""}`, more: written };
}

const shown = () => [.../** @type {any} */ (document.querySelectorAll("#sections li:not([hidden]) a"))];

/** @param {string} text */
function show(text) {
  const rows = [], said = [];
  for (const list of document.querySelectorAll("#sections ul")) {
    for (const row of list.children) {
      rows.push(row);
      said.push(wordsOf(row, list.previousElementSibling.textContent));
    }
  }
  const found = text.trim() ? new Set(matching(text, said)) : null;
  rows.forEach((row, i) => { row.hidden = found !== null && !found.has(i); });
  for (const list of document.querySelectorAll("#sections ul")) {
    const head = /** @type {any} */ (list.previousElementSibling);
    head.hidden = [.../** @type {any} */ (list.children)].every((row) => row.hidden);
  }
  note.textContent = found?.size === 0 ? "Nothing matches." : "";
}

field.addEventListener("input", () => show(field.value));
field.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Escape" && field.value !== "") {
    event.preventDefault();
    field.value = "";
    show("");
  } else if (event.key === "Enter" && field.value !== "") {
    event.preventDefault();
    shown()[0]?.click();
  }
});
document.addEventListener("keydown", (event) => {
  const { key, target } = /** @type {any} */ (event), types = target.closest?.("input, textarea, select");
  if (event.isComposing || event.altKey) return;
  const isFind = (event.ctrlKey || event.metaKey) && key.toLowerCase() === "k" || key === "/" && !types && !event.ctrlKey && !event.metaKey;
  if (isFind) {
    event.preventDefault();
    if (!field.checkVisibility()) location.hash = "sections"; // a phone shows the sections in place of the page
    field.focus();
    field.select();
  } else if ((key === "ArrowDown" || key === "ArrowUp") && target.closest?.("#sections") && !event.ctrlKey && !event.metaKey) {
    const links = shown(), at = links.indexOf(target) + (key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    (at < 0 ? field : links[at] ?? target).focus();
  }
});
place.append(field, note);
