// The forms of a report are sent, and its links to forms followed, without loading the page.
import { drafts } from "../app.js";
import { report } from "./parts.js";
import { ask, focusOn, isLeft, within } from "./requests.js";

// fieldsOf returns the fields of a form that waited for a request, with the version of the report since.
function fieldsOf(form, fields) {
  const next = !form.isConnected && form.id && document.getElementById(form.id);
  if (next && fields.has("version")) fields.set("version", next.elements.version.value);
  return new URLSearchParams(fields);
}

async function send(form, submitter, reference = report().dataset.reference) {
  const menu = submitter?.closest(".menu");
  const opener = menu && (menu.opener ?? document.querySelector(`:is(.report, .pane-bar) [popovertarget="${menu.id}"]`))?.id;
  const editor = form.closest(".comment, [data-part]");
  const fields = new FormData(form, submitter), text = form.querySelector("textarea")?.value;
  if (menu?.dataset.menu !== "labels") menu?.hidePopover(); // that of labels stays open for the next one
  form.sending = true;
  const sent = await ask(reference, form.action, () => send(form, submitter, reference), () => fieldsOf(form, fields));
  form.sending = false;
  if (isLeft(reference)) {
    if (sent && form.dataset.draft) drafts.remove(form.dataset.draft);
    return;
  }
  if (!sent) {
    const invalid = report()?.querySelector(".conflict .code, [aria-invalid]");
    invalid?.focus();
    return;
  }
  drafts.sent(form);
  if (form.id === "comment-form") beginComment(form, text);
  else refocus(submitter, opener, editor);
  document.getElementById("originals")?.closest("dialog")?.close();
}

// refocus gives the focus to what follows a change: the ticked task, the menu that is still open, its button, or the edited part.
function refocus(submitter, opener, editor) {
  const menu = submitter?.closest(".menu");
  if (submitter?.name === "task") {
    document.getElementById(editor.id)?.querySelector(`.task[value="${submitter.value}"]`)?.focus();
  } else if (menu?.matches(":popover-open")) {
    menu.querySelector("[data-filter]").focus();
  } else if (submitter?.matches(".reaction")) {
    focusOn(document.getElementById(submitter.id) ? submitter.id : `to-react-${editor.id}`);
  } else if (opener) {
    focusOn(opener);
  } else if (editor) {
    (document.getElementById(editor.id)?.querySelector(".edit") ?? document.getElementById("main")).focus();
  }
}

// beginComment empties the form of a comment that was sent. What was typed while it was being sent stays.
function beginComment(form, sent) {
  const field = form.querySelector("textarea"), later = field.value.startsWith(sent) ?
    field.value.slice(sent.length).trimStart() : field.value;
  form.reset();
  field.value = field.defaultValue = "";
  form.elements.once.value = crypto.getRandomValues(new Uint32Array(4)).join("");
  form.querySelector("[data-draft-note]").hidden = true;
  if (later) {
    field.value = later;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  document.querySelector(".entries > .comment:last-of-type")?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const undo = form.matches("[action='/reports/undo']") && form.elements.next?.value.split("?")[0] === `/${report()?.dataset.reference}`;
  if (!undo && !(report() && form.matches("[data-restore]")) && !(form.matches("[data-send]") && within(form))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form.uploads?.size) sendUploaded(form, event.submitter);
  else if (!form.sending || form.id === "report-change") send(form, event.submitter);
}, true);

// sendUploaded sends a form once its pictures are uploaded: until then its text has notes in their place.
async function sendUploaded(form, submitter) {
  if (form.waiting) return;
  form.waiting = true;
  const uploaded = await Promise.all(form.uploads);
  form.waiting = false;
  if (form.isConnected && uploaded.every(Boolean)) form.requestSubmit(submitter?.isConnected ? submitter : null);
}

// A link to a form shows it in its place, and the link back shows the part without it. An unsent text is dropped by Cancel alone.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-fetch]");
  if (!link || !within(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const holder = link.closest("[data-part]").id, comment = link.closest("li[id]")?.id;
  const form = link.closest("form[data-draft]"), { reference } = report().dataset;
  if ("cancel" in link.dataset && form) {
    drafts.sent(form);
    for (const field of form.querySelectorAll("textarea, input[type=text]")) field.defaultValue = field.value;
  }
  if (!await ask(reference, link.href, () => link.click()) || isLeft(reference)) return;
  const part = document.getElementById(comment ?? holder);
  (part.querySelector("form textarea, form input[type=text]") ?? part.querySelector(".edit"))?.focus();
}, true);
