// The server shows times in the zone of the browser, unless the reader has chosen one. A shared report sets no cookie.
if (!location.pathname.startsWith("/s/"))
  document.cookie = `bugslice-zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax`;

// Dividers are where this browser has left them. It may refuse to tell.
try {
  for (const name of ["list", "stage"]) {
    const place = Number(localStorage.getItem(`divider ${name}`));
    if (place) document.documentElement.style.setProperty(`--${name}-share`, String(place / 100));
  }
} catch { /* they are in their first place */ }
// The columns of the board that the reader has shut are so from the first frame on.
try { document.documentElement.dataset.shut = localStorage.getItem("shut") ?? ""; } catch { /* all are open */ }

// Keys and clicks that come before the script that carries them out are not lost. The head loads this script first. Single keys, and
// buttons that only a script carries out, are repeated when the modules of the page have run. A button of a custom element is repeated
// when the element is defined, the last one only.
// Keys after the one for searching are its text, and no commands. A script that is there already does not see what is repeated later.
(() => {
  let early = [], searched = false;
  const isNative = "[popovertarget], [commandfor], :not([type=button])";
  const key = (event) => {
    if (!event.isTrusted || event.isComposing || event.ctrlKey || event.altKey ||
      event.metaKey || event.key.length > 1 || event.key === " ") return;
    event.stopImmediatePropagation();
    const { key, shiftKey, target } = event;
    early.push(() => {
      const field = document.activeElement;
      if (searched && target === document.body) return field.setRangeText?.(key, field.selectionEnd, field.selectionEnd, "end");
      searched ||= key === "/";
      (target.isConnected ? target : document.body)
        .dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
    });
  };
  const click = (event) => {
    const button = event.target.closest?.("button"), host = button?.closest(":not(:defined)");
    if (!event.isTrusted || !button || !host && (!early || button.matches(isNative))) return;
    if (!host) {
      event.stopImmediatePropagation();
      return void early.push(() => button.click());
    }
    if (!host.early) customElements.whenDefined(host.localName).then(() => host.early.click());
    host.early = button;
  };
  addEventListener("keydown", key, true);
  addEventListener("click", click, true);
  // htmx begins in a task after this event.
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => {
    const all = early;
    early = null;
    removeEventListener("keydown", key, true);
    for (const again of all) again();
  }));
})();
