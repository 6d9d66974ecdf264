// The key that the forms of the page send. It is kept for this tab alone, or for this page where the browser keeps nothing, and never in an
// address. All fields for it show the same.
const place = "reference key";

let key = "";
try { key = sessionStorage.getItem(place) ?? ""; } catch { /* it is kept for this page */ }

const shown = () => document.querySelectorAll("input[data-key]");

export const currentKey = () => key;

/**
 * setKey keeps a key, or forgets it when it is empty.
 * @param {string} text
 */
export function setKey(text) {
  key = text.trim();
  try {
    if (key) sessionStorage.setItem(place, key);
    else sessionStorage.removeItem(place);
  } catch { /* it is kept for this page */ }
  for (const field of shown()) if (field.value.trim() !== key) field.value = key;
  for (const form of document.querySelectorAll("form.tried")) form.dispatchEvent(new Event("input"));
}
