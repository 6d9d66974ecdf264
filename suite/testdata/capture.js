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

  function act(type, element, more) {
    send("action", { type, timestamp: new Date().toISOString(), selector: selector(element), url: location.href, ...more });
  }

  // Typing is one action: it is told when it pauses, or when something else happens.
  let typing, pause;
  function typed() {
    clearTimeout(pause);
    if (typing) send("action", typing);
    typing = undefined;
  }
  function type(element) {
    if (typing && typing.selector !== selector(element)) typed();
    clearTimeout(pause);
    typing = { type: "input", timestamp: new Date().toISOString(), selector: selector(element), url: location.href, value: element.value };
    pause = setTimeout(typed, 500);
  }

  function listen(name, then) {
    document.addEventListener(name, (event) => {
      if (!event.isTrusted) return;
      if (name !== "input") typed();
      then(event);
    }, { capture: true, passive: true });
  }

  listen("click", (event) => {
    const element = event.target.closest("a, button, input, label, summary") ?? event.target;
    act("click", element, { text: (element.innerText ?? "").trim().slice(0, 100) || undefined });
  });
  listen("input", (event) => type(event.target));
  listen("change", (event) => act("change", event.target, { value: event.target.value }));
  listen("submit", (event) => act("submit", event.target));
  listen("keydown", (event) => {
    if (event.key.length > 1) act("keydown", event.target, { value: event.key });
  });

  let scrolled;
  listen("scroll", (event) => {
    clearTimeout(scrolled);
    scrolled = setTimeout(() => act("scroll", event.target, { value: `${Math.round(window.scrollX)},${Math.round(window.scrollY)}` }), 150);
  });
  window.addEventListener("pagehide", typed);
  window.addEventListener("popstate", () => act("navigate"));
  window.addEventListener("hashchange", () => act("navigate"));
  act("navigate");

  rrweb.record({ emit: (event) => send("replay", event), recordAfter: "DOMContentLoaded" });
})();
