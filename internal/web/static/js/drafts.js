// Drafts: the text of a form with data-draft stays in this browser until it is sent. Leaving the page with unsent text asks. A
// browser may refuse to store anything.
const prefix = "draft ";
const drafts = {
  read(key) { try { return JSON.parse(localStorage.getItem(prefix + key)); } catch { return null; } },
  write(key, value) { try { localStorage.setItem(prefix + key, JSON.stringify(value)); } catch { /* it is not stored */ } },
  remove(key) { try { localStorage.removeItem(prefix + key); } catch { /* there is none */ } },
  clear() {
    try { for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key); } catch { /* there is none */ }
  },
};
globalThis.drafts = drafts;

// Whoever signs out leaves no text behind.
document.addEventListener("submit", (event) => {
  if (new URL(event.target.action).pathname === "/logout") drafts.clear();
}, true);

const forms = () => [...document.querySelectorAll("form[data-draft]")];
const fields = (form) => [...form.querySelectorAll("textarea, input[type=text]")].filter((f) => f.name);
const values = (form) => Object.fromEntries(fields(form).map((f) => [f.name, f.value]));
const isChanged = (form) => fields(form).some((f) => f.value !== f.defaultValue);
const note = (form, on) => { const n = form.querySelector("[data-draft-note]"); if (n) n.hidden = !on; };

function save(form) {
  const changed = isChanged(form);
  if (changed) drafts.write(form.dataset.draft, values(form));
  else drafts.remove(form.dataset.draft);
  note(form, changed);
}

// sent drops the draft of a form that was sent, which may have left the page. What another tab has typed since stays.
drafts.sent = (form) => {
  if (JSON.stringify(drafts.read(form.dataset.draft)) === JSON.stringify(values(form))) drafts.remove(form.dataset.draft);
  for (const f of fields(form)) f.defaultValue = f.value;
};

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
  if (!link || link.target || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.closest("[data-fetch], [data-copy-from], .report-evidence")) return;
  if (link.pathname === location.pathname && link.hash || !unsent().length) return;
  if (confirm(unsent()[0].closest("[data-leave]").dataset.leave)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
