// copyText copies a text, and returns whether it is copied. Over http, browsers have no navigator.clipboard, and copy what is selected.
globalThis.copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
};

// copySelected copies by a field that has the focus meanwhile.
function copySelected(text) {
  const former = document.activeElement;
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  Object.assign(field.style, { position: "fixed", top: 0, left: 0, opacity: 0, whiteSpace: "pre" }); // its spaces are copied as they are
  document.body.append(field);
  field.focus({ preventScroll: true });
  field.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch { /* it is not copied */ }
  field.remove();
  former?.focus({ preventScroll: true });
  return copied;
}

// showOn shows a word on a button for a while.
globalThis.showOn = (button, word) => {
  const label = button.querySelector("[data-copy-label]");
  label.dataset.label ??= label.textContent;
  label.textContent = word;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { label.textContent = label.dataset.label; }, 2000);
};

// A button with data-copy copies the text of the element that it names, and one with data-copy-text its own. A text that the browser does not
// copy is shown and selected, ready for the keys that copy.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy], [data-copy-text]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = button.dataset.copyText ?? source.textContent;
  const { copied, selected } = button.querySelector("[data-copy-label]").dataset;
  if (await copyText(text)) return showOn(button, copied);
  if (!source) return showLink(text, false);
  source.closest("details")?.setAttribute("open", "");
  source.scrollIntoView({ block: "nearest" });
  getSelection().selectAllChildren(source);
  showOn(button, selected);
});
