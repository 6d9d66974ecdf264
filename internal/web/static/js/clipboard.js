/**
 * copyText copies a text, and returns whether it is copied. Over http, browsers have no navigator.clipboard, and copy what is selected.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

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

/**
 * showOn shows a word on a button for a while.
 * @param {Found} button
 * @param {string} word
 */
export function showOn(button, word) {
  const label = button.querySelector("[data-copy-label]");
  label.dataset.label ??= label.textContent;
  button.style.minWidth = `${button.offsetWidth}px`; // so that its neighbours stay where they are
  label.textContent = word;
  button.dataset.done = "";
  clearTimeout(button.timer);
  button.timer = setTimeout(() => {
    label.textContent = label.dataset.label;
    button.style.minWidth = "";
    delete button.dataset.done;
  }, 2000);
}

/**
 * showLink says that a link is copied. One that the browser has not copied is shown in a field, selected, until the focus leaves it.
 * @param {string} link
 * @param {boolean} copied
 */
export function showLink(link, copied) {
  const notice = document.querySelector("[data-link-notice]");
  notice.dataset.on = document.querySelector("main").dataset.page;
  const field = notice.querySelector("input");
  const close = () => { notice.hidden = true; };
  notice.querySelector("[data-link]").textContent = field.value = link;
  notice.classList.toggle("notice-good", copied);
  notice.classList.toggle("notice-warning", !copied);
  notice.querySelector("[data-link-copied]").hidden = !copied;
  notice.querySelector("[data-link-uncopied]").hidden = copied;
  notice.hidden = false;
  clearTimeout(notice.timer);
  if (copied) {
    notice.timer = setTimeout(close, 5000);
  } else {
    field.select();
    field.onblur = close;
    field.onkeydown = ({ key }) => { if (key === "Escape") field.blur(); };
  }
}
