// Watches what the user of a page does. What is typed is not recorded.
import { now, quietly } from "./journal.js";

function selector(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const name = element.getAttribute("name");
  if (name) return `${element.localName}[name="${CSS.escape(name)}"]`;
  return element.parentElement ? `${selector(element.parentElement)} > ${element.localName}` : element.localName;
}

// editable finds the elements whose text somebody types.
export const editable = "[contenteditable]:not([contenteditable=false])";

export function watchActions(add) {
  const act = (type, target, more) => {
    if (target && !(target instanceof Element)) return;
    const of = target && selector(target);
    add({ type, timestamp: now(), url: location.href, selector: of?.slice(0, 1000), ...more });
  };
  const listen = (name, then) => document.addEventListener(name, (event) => quietly(then, event), { capture: true, passive: true });
  listen("click", ({ target }) => {
    const element = target.closest("a, button, label, summary") ?? target;
    const typed = element.closest(editable) ?? element.querySelector(editable);
    act("click", element, { text: (!typed && element.innerText?.trim().slice(0, 100)) || undefined });
  });
  listen("change", ({ target }) => act("change", target));
  listen("submit", ({ target }) => act("submit", target));
  for (const name of ["popstate", "hashchange"]) window.addEventListener(name, () => quietly(act, "navigate"));
  act("navigate");
}
