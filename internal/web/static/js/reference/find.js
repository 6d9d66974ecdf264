import { element } from "./element.js";

// The box above the sections hides the operations whose words do not match, and the sections of which none is left.
const place = /** @type {Found} */ (document.querySelector("#sections .find"));
const field = element("input", { type: "search", "aria-label": "Filter the sections", placeholder: "Filter", autocomplete: "off",
  spellcheck: false });
const note = element("p", { class: "hint", role: "status" });

/** @param {string} text */
function show(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const list of document.querySelectorAll("#sections ul")) {
    const head = /** @type {any} */ (list.previousElementSibling);
    const name = head.textContent.toLowerCase();
    let left = 0;
    for (const row of /** @type {any} */ (list.children)) {
      const said = `${name} ${row.textContent.toLowerCase()}`;
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
  if (event.key !== "Escape" || field.value === "") return;
  event.preventDefault();
  field.value = "";
  show("");
});
place.append(field, note);
