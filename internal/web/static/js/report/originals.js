// The dialog that looks for the original of a duplicate.
import { encoded, pageOf } from "../app.js";
import { lost } from "./notices.js";
import { report } from "./parts.js";
import { isLeft, within } from "./requests.js";

async function originals(url) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  return (await pageOf(response)).getElementById("originals");
}
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-originals]");
  if (!link || !within(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  link.closest(".menu")?.hidePopover();
  const { reference } = report().dataset;
  try {
    const dialog = await originals(link.href);
    if (isLeft(reference)) return;
    if (!dialog) return location.assign(link.href);
    dialog.removeAttribute("open");
    document.getElementById("report-originals").replaceChildren(dialog);
    dialog.showModal();
    dialog.querySelector("[type=search]").focus();
  } catch { lost(); }
}, true);
let finding = 0;
document.addEventListener("input", ({ target }) => {
  const form = target.closest?.(".originals-search");
  if (!form) return;
  clearTimeout(finding);
  finding = setTimeout(async () => {
    try {
      const found = await originals(`${form.action}?${encoded(form)}`);
      const shown = document.getElementById("originals");
      if (found && shown && target.value === found.querySelector("[type=search]").value.trim())
        shown.querySelector("#originals-form").replaceWith(found.querySelector("#originals-form"));
    } catch { /* the list stays */ }
  }, 200);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".originals-search") || !document.querySelector("#originals:modal")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  document.querySelector("#originals .originals-list button")?.click();
}, true);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#originals [data-close]");
  if (!link || !link.closest("dialog:modal")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  link.closest("dialog").close();
}, true);
document.addEventListener("keydown", (event) => {
  const dialog = event.target.closest?.("#originals");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!dialog || !step) return;
  const all = [dialog.querySelector("[type=search]"), ...dialog.querySelectorAll(".originals-list button")];
  event.preventDefault();
  all[Math.max(0, Math.min(all.indexOf(document.activeElement) + step, all.length - 1))].focus();
});
