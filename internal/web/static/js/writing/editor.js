import { dispatch, pageOf, partial } from "../app.js";
import { pastedFiles } from "./clipboard.js";

// The preview of an editor shows its text as the server renders it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-preview]");
  if (!button) return;
  event.preventDefault();
  const editor = button.closest("[data-editor]"), panel = editor.querySelector(".preview"), field = editor.querySelector("textarea");
  const on = button.ariaPressed !== "true";
  if (on) {
    try {
      const body = new URLSearchParams({ description: field.value });
      const response = await fetch("/new/draft", { method: "POST", body, headers: partial });
      if (!response.ok || response.redirected) throw new Error();
      const page = await pageOf(response);
      panel.replaceChildren(...page.querySelector(".preview").childNodes);
    } catch {
      return dispatch(editor, "preview:failed");
    }
  }
  button.ariaPressed = on ? "true" : "false";
  editor.classList.toggle("previews", on);
  panel.classList.toggle("preview-empty", !on);
  (on ? panel : field).focus();
});

// Pasted and dropped files are added to the report, and their Markdown takes the place of a note in the text.
const insert = (field, text) => {
  field.focus();
  if (!document.execCommand("insertText", false, text)) field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
};
const replace = (field, note, text) => {
  const at = field.value.indexOf(note);
  if (at < 0) return;
  const { selectionStart: from, selectionEnd: to } = field;
  field.setRangeText(text, at, at + note.length, "preserve");
  if (from > at) field.setSelectionRange(from + text.length - note.length, to + text.length - note.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
let uploads = 0;

// upload puts a file into a text. A form has its unfinished uploads, which whoever sends it waits for.
function upload(form, field, file) {
  const done = transfer(form, field, file).finally(() => form.uploads.delete(done));
  (form.uploads ??= new Set()).add(done);
}

// transfer returns whether the file was uploaded.
async function transfer(form, field, file) {
  const name = !file.name || file.name === "image.png" ? "screenshot.png" : file.name;
  const note = `[${document.querySelector("template[data-part-uploading]").innerHTML.replace("{name}",
    () => `${name.replace(/[[\]]/g, "")} ${++uploads}`)}]()`;
  const lead = field.selectionStart && field.value[field.selectionStart - 1] !== "\n" ? "\n" : "";
  insert(field, `${lead}${note}\n`);
  const body = new FormData();
  body.append("once", crypto.getRandomValues(new Uint32Array(4)).join(""));
  body.append("files", file, name);
  try {
    const response = await fetch(form.dataset.pictures, { method: "POST", body, headers: { Accept: "text/html" } });
    if (response.redirected && new URL(response.url).pathname === "/login") {
      replace(field, note, "");
      dispatch(document, "session:ended", { again: () => upload(form, field, file) });
      return false;
    }
    if (response.redirected) throw new Error();
    if (!response.ok) {
      const detail = (await pageOf(response)).querySelector(".problem-detail, main h1")?.textContent;
      replace(field, note, "");
      dispatch(form, "upload:failed", detail);
      return false;
    }
    replace(field, note, (await response.text()).trim());
    return true;
  } catch {
    replace(field, note, "");
    dispatch(form, "upload:failed");
    return false;
  }
}

const fieldOf = (event) => event.target.closest?.("[data-pictures] [data-editor] textarea");
document.addEventListener("paste", (event) => {
  const field = fieldOf(event);
  if (field) for (const file of pastedFiles(event)) upload(field.form, field, file);
});
document.addEventListener("drop", (event) => {
  const field = fieldOf(event), files = [...event.dataTransfer?.files ?? []];
  if (!field || !files.length) return;
  event.preventDefault();
  for (const file of files) upload(field.form, field, file);
});
