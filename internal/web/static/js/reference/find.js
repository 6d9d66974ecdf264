import { element } from "./element.js";

// The box above the sections hides the operations whose words and paths do not match, and the sections of which none is left. Ctrl+K and /
// lead to it, Enter to the first operation that is left, and the arrow keys to the others.
const place = /** @type {Found} */ (document.querySelector("#sections .find"));
const field = element("input", { type: "search", "aria-label": "Find an operation", placeholder: "Find an operation",
  "aria-keyshortcuts": "Control+K", title: "Ctrl K", autocomplete: "off",
  spellcheck: false });
const note = element("p", { class: "hint", role: "status" });

// pathOf returns the path of the operation of a row, which stands in the article that the row leads to.
function pathOf(row) {
  const [, id] = row.firstElementChild.getAttribute("href").split("#");
  return (id && document.getElementById(id)?.querySelector(".route code")?.textContent.toLowerCase()) ?? "";
}

const shown = () => [.../** @type {any} */ (document.querySelectorAll("#sections li:not([hidden]) a"))];

/** @param {string} text */
function show(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const list of document.querySelectorAll("#sections ul")) {
    const head = /** @type {any} */ (list.previousElementSibling);
    const name = head.textContent.toLowerCase();
    let left = 0;
    for (const row of /** @type {any} */ (list.children)) {
      const said = `${name} ${row.textContent.toLowerCase()} ${pathOf(row)}`;
      row.hidden = !words.every((word) => said.includes(word));
      left += Number(!row.hidden);
    }
    head.hidden = left === 0;
    found += left;
  }
  note.textContent = found === 0 ? "Nothing matches." : "";
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
