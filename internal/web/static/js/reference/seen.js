// Identifiers that answers had are offered by the fields for identifiers of their kind.
const identifier = /\b([a-z]{3})_[0-9a-hjkmnp-tv-z]{26}\b/g;
const most = 50; // of a kind

/**
 * listOf returns the id of the list of identifiers of the kind that an example has, or undefined when the example is none.
 * @param {any} example
 */
export function listOf(example) {
  const kind = String(example ?? "").match(/^([a-z]{3})_/)?.[1];
  if (!kind) return undefined;
  const id = `seen-${kind}`;
  if (!document.getElementById(id)) document.body.append(Object.assign(document.createElement("datalist"), { id }));
  return id;
}

/**
 * remember keeps the identifiers of a text for the lists.
 * @param {string} text
 */
export function remember(text) {
  for (const [one, kind] of text.matchAll(identifier)) {
    const list = document.getElementById(listOf(`${kind}_`));
    if (list.childElementCount >= most || [...list.children].some((option) => /** @type {any} */ (option).value === one)) continue;
    list.append(Object.assign(document.createElement("option"), { value: one }));
  }
}
