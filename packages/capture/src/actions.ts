// Watches what the user of a page does, and to which page the application turns. What is typed is not recorded.
import type { Mask } from "./mask.ts";
import { nameOf, selectorOf } from "./names.ts";
import { now, quietly } from "./ring.ts";
import type { Action } from "./types.ts";

const keys = new Set(["Enter", "Escape", "Tab"]);

export function watchActions(add: (action: Action) => void, mask: Mask): void {
  const act = (type: string, target?: EventTarget | null, more: Partial<Action> = {}) => {
    if (target && !(target instanceof Element)) return;
    const element = target as Element | undefined;
    add({ type, timestamp: now(), url: location.href.slice(0, 2048),
      ...(element && { selector: selectorOf(element, mask).slice(0, 1000), text: nameOf(element, mask) }), ...more });
  };
  const listen = (name: string, then: (event: Event, target: Element) => void) => document.addEventListener(name, (event) => quietly(() => {
    const target = event.composedPath()[0] ?? event.target;
    if (target instanceof Element && !target.closest("[data-bugslice-dialog]")) then(event, target);
  }), { capture: true, passive: true });
  listen("click", (_, target) => act("click",
    target.closest("a, button, label, summary, [role=button], [role=tab], [role=menuitem]") ?? target));
  listen("change", (_, target) => act("change", target));
  listen("submit", (_, target) => act("submit", target));
  listen("keydown", (event, target) => {
    const { key } = event as KeyboardEvent;
    if (keys.has(key)) act("keydown", target, { text: [key, nameOf(target, mask)].filter(Boolean).join(" in ") });
  });
  watchNavigation(() => act("navigate"));
}

// watchNavigation tells of the first page and of each one that the application turns to without loading it.
function watchNavigation(tell: () => void): void {
  let last = location.href;
  const turned = () => {
    if (location.href === last) return;
    last = location.href;
    tell();
  };
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (this: History, ...values) {
      original.apply(this, values);
      quietly(turned);
    };
  }
  for (const name of ["popstate", "hashchange"]) window.addEventListener(name, () => quietly(turned));
  tell();
}
