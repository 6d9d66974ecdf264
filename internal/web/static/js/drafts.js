// Drafts: the text of a form with data-draft stays in this browser until it is sent. Leaving the page with unsent text asks.
import { drafts, fields, values } from "./draftstore.js";

// Whoever signs out leaves no text behind.
document.addEventListener("submit", (event) => {
  if (new URL(event.target.action).pathname === "/logout") drafts.clear();
}, true);

const forms = () => [...document.querySelectorAll("form[data-draft]")];
const isChanged = (form) => fields(form).some((f) => f.value !== f.defaultValue);
const note = (form, on) => { const n = form.querySelector("[data-draft-note]"); if (n) n.hidden = !on; };

function save(form) {
  const changed = isChanged(form);
  if (changed) drafts.write(form.dataset.draft, values(form));
  else drafts.remove(form.dataset.draft);
  note(form, changed);
}

// restore fills in the drafts of forms that are new on the page. A form that the server has filled in has what was typed.
function restore() {
  for (const form of forms()) {
    if (form.restored) continue;
    form.restored = true;
    const draft = form.querySelector(".conflict, .fault") ? null : drafts.read(form.dataset.draft);
    for (const f of fields(form)) if (draft && typeof draft[f.name] === "string") f.value = draft[f.name];
    note(form, Boolean(draft));
  }
}
restore();
document.addEventListener("htmx:after:swap", restore);
document.addEventListener("parts:shown", restore);

document.addEventListener("input", ({ target }) => { if (target.form?.dataset.draft) save(target.form); });

const unsent = () => forms().filter(isChanged);
addEventListener("beforeunload", (event) => { if (unsent().some((f) => !f.sent)) event.preventDefault(); });

// A form that is sent without the script of its page has no draft any more.
addEventListener("submit", ({ target, defaultPrevented }) => {
  if (!target.dataset.draft || defaultPrevented) return;
  target.sent = true;
  drafts.remove(target.dataset.draft);
});

// htmx replaces a page without unloading it, so that a link asks here. A link of the evidence replaces no text, or the browser asks.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || link.target || event.button || event.ctrlKey || event.metaKey ||
    event.shiftKey || link.closest("[data-fetch], [data-copy-from], .report-evidence")) return;
  if (link.pathname === location.pathname && link.hash || !unsent().length) return;
  if (confirm(unsent()[0].closest("[data-leave]").dataset.leave)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
