// The reference of the API lets its readers try an operation. A form is made when its part is opened.
import { describe } from "./description.js";
import "./copying.js";
import { element } from "./element.js";
import "./find.js";
import { formOf } from "./form.js";
import "./place.js";

const parts = "details.try";

async function fill(part) {
  if (part.childElementCount > 1) return;
  const note = element("p", { class: "hint", role: "status" }, "The form is being made …");
  part.append(note);
  try {
    const form = formOf(await describe(part.closest("article").id), part.dataset.effect);
    note.replaceWith(form);
  } catch (error) {
    note.remove();
    part.append(element("p", { class: "fault", role: "alert" }, `The form cannot be made: ${error.message}. Close it and open it again.`));
  }
}

document.addEventListener("toggle", ({ target }) => {
  const part = /** @type {any} */ (target);
  if (!part.matches(parts)) return;
  if (part.open) fill(part);
  else part.querySelector(":scope > .fault")?.remove();
}, true);
for (const part of document.querySelectorAll(`${parts}[open]`)) fill(part); // before this script came
