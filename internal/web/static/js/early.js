// Keys and clicks that come before the script that carries them out are not lost. The head loads this script first. Single keys, and buttons
// that only a script carries out, are repeated when the modules of the page have run. A button of a custom element is repeated when the element
// is defined, the last one only.
(() => {
  let early = [];
  const isNative = "[popovertarget], [commandfor], [type=submit], [type=reset], :not([type])";
  const key = (event) => {
    if (!event.isTrusted || event.isComposing || event.ctrlKey || event.altKey || event.metaKey || event.key.length > 1 || event.key === " ") return;
    const { key, code, shiftKey, target } = event;
    early.push(() => (target.isConnected ? target : document.body).dispatchEvent(new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true })));
  };
  const click = ({ isTrusted, target }) => {
    const button = target.closest?.("button"), host = button?.closest(":not(:defined)");
    if (!isTrusted || !button) return;
    if (!host) return void (early && !button.matches(isNative) && early.push(() => button.click()));
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
