// Records a page for a test: what its user does, and its replay. Runs before the page's own
// scripts, after rrweb. Values are recorded as they are typed, secrets too: to remove them
// is the server's work.
(() => {
  "use strict";
  if (window !== window.top) return;

  const send = (kind, data) => window.captured(JSON.stringify({ kind, data }));

  function selector(element) {
    if (!(element instanceof Element)) return undefined;
    if (element.id) return `#${CSS.escape(element.id)}`;
    const tag = element.localName;
    if (element.getAttribute("name")) return `${tag}[name="${CSS.escape(element.getAttribute("name"))}"]`;
    if (!element.parentElement) return tag;
    const alike = [...element.parentElement.children].filter((e) => e.localName === tag);
    const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : "";
    return `${selector(element.parentElement)} > ${tag}${place}`;
  }

  // The value of a checkbox or a radio button does not say whether it is checked.
  function valueOf({ type, checked, value }) {
    if (type !== "checkbox" && type !== "radio") return value;
    return checked ? "checked" : "unchecked";
  }

  function act(type, element, more) {
    tellAll();
    send("action", { type, timestamp: new Date().toISOString(), selector: selector(element), url: location.href, ...more });
  }

  // What comes in bursts, typing and scrolling, is one action: it is told when it pauses, or
  // when something else happens.
  const bursts = new Map();
  function tell(type) {
    const burst = bursts.get(type);
    if (!burst) return;
    clearTimeout(burst.pause);
    bursts.delete(type);
    send("action", burst.action);
  }
  function tellAll() {
    [...bursts.keys()].forEach(tell);
  }
  function burst(type, element, value) {
    if (bursts.has(type) && bursts.get(type).action.selector !== selector(element)) tell(type);
    clearTimeout(bursts.get(type)?.pause);
    const action = { type, timestamp: new Date().toISOString(), selector: selector(element), url: location.href, value };
    bursts.set(type, { action, pause: setTimeout(tell, 100, type) });
  }

  function listen(name, then) {
    document.addEventListener(name, (event) => event.isTrusted && then(event), { capture: true, passive: true });
  }

  listen("click", (event) => {
    const element = event.target.closest("a, button, input, label, summary") ?? event.target;
    act("click", element, { text: (element.innerText ?? "").trim().slice(0, 100) || undefined });
  });
  listen("input", (event) => burst("input", event.target, valueOf(event.target)));
  listen("scroll", (event) => burst("scroll", event.target, `${Math.round(window.scrollX)},${Math.round(window.scrollY)}`));
  listen("change", (event) => act("change", event.target, { value: valueOf(event.target) }));
  listen("submit", (event) => act("submit", event.target));
  listen("keydown", (event) => {
    if (event.key.length > 1) act("keydown", event.target, { value: event.key });
  });
  window.addEventListener("pagehide", tellAll);
  window.addEventListener("popstate", () => act("navigate"));
  window.addEventListener("hashchange", () => act("navigate"));
  act("navigate");

  window.addEventListener("load", () => {
    const { domContentLoadedEventStart: onContentLoad, loadEventStart: onLoad } = performance.getEntriesByType("navigation")[0];
    send("page", { title: document.title, onContentLoad, onLoad });
  });
  rrweb.record({ emit: (event) => send("replay", event), recordAfter: "DOMContentLoaded" });

  // The reporter takes a screenshot: an action, and a mark in the replay.
  window.takesScreenshot = (name) => {
    rrweb.record.addCustomEvent("screenshot", { name });
    act("screenshot", undefined, { text: name });
  };
})();
