// A page behind a modal dialog does not scroll. The room of its scrollbar stays, so that nothing moves.
const root = document.documentElement;
function hold() {
  const isOpen = Boolean(document.querySelector("dialog:modal"));
  if (isOpen === root.hasAttribute("data-held")) return;
  if (isOpen) root.dataset.held = innerWidth > root.clientWidth ? "gutter" : "";
  else delete root.dataset.held;
}
for (const type of ["toggle", "close"]) document.addEventListener(type, ({ target }) => { if (target.matches?.("dialog")) hold(); }, true);
document.addEventListener("htmx:after:swap", hold); // which may have taken the dialog away
