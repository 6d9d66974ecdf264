// The menu of a resolution offers originals: those that are similar to its report, and those that are found by what is typed.
import { pageOf, partial } from "../page.js";
import { targets } from "./menus.js";

const isReference = (text) => /^\s*[a-z][a-z0-9]{1,5}-\d+\s*$/i.test(text);
let asking, asked = 0; // the requests so far, of which the last one counts

async function offer(field) {
  const menu = field.closest(".menu"), found = menu.querySelector("[data-found]"), of = targets().map((row) => row.id);
  const request = ++asked;
  if (!found || !of.length) return;
  const query = field.value.trim() ? `?${new URLSearchParams({ q: field.value.trim() })}` : "";
  try {
    const page = await pageOf(await fetch(`/${of[0]}/duplicate${query}`, { headers: partial }));
    if (request !== asked) return;
    const items = [...page.querySelectorAll(".originals-list .menu-item")].filter((item) => !of.includes(item.value)).slice(0, 5);
    for (const item of items) {
      Object.assign(item, { type: "button", name: "" });
      item.dataset.original = item.value;
    }
    found.replaceChildren(...items);
  } catch { /* the reference can be typed */ }
}

document.addEventListener("focusin", ({ target }) => { if (target.matches?.(".menu [name=duplicateOf]")) offer(target); });
document.addEventListener("input", ({ target }) => {
  if (!target.matches?.(".menu [name=duplicateOf]")) return;
  clearTimeout(asking);
  asking = setTimeout(() => offer(target), 150);
});
document.addEventListener("toggle", ({ target, newState }) => {
  if (newState !== "closed" || target.dataset?.menu !== "resolution") return;
  asked++;
  clearTimeout(asking);
  target.querySelector("[data-found]")?.replaceChildren();
}, true);

// mark chooses an original by the field of the menu, which is empty again for the next report.
function mark(field, reference) {
  field.value = reference;
  field.nextElementSibling.click();
  field.value = "";
}
document.addEventListener("click", ({ target }) => {
  const item = target.closest?.("[data-original]");
  if (item) mark(item.closest(".menu").querySelector("[name=duplicateOf]"), item.dataset.original);
});

/**
 * chooseFound chooses the first original that is found by the text of a field. It returns false for a reference, and for other fields.
 * @param {Found} field
 */
export function chooseFound(field) {
  const first = field.closest(".menu").querySelector("[data-original]");
  if (field.name !== "duplicateOf" || isReference(field.value) || !first) return false;
  mark(field, first.dataset.original);
  return true;
}
