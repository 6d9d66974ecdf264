// A page behind a modal dialog does not scroll. One that has nothing to scroll stays as it is, so that it does not become narrower.
const root = document.documentElement;
function hold() {
  const isOpen = Boolean(document.querySelector("dialog:modal"));
  if (isOpen !== root.hasAttribute("data-held")) root.toggleAttribute("data-held", isOpen && root.scrollHeight > root.clientHeight);
}
for (const type of ["toggle", "close"]) document.addEventListener(type, ({ target }) => { if (target.matches?.("dialog")) hold(); }, true);
document.addEventListener("htmx:after:swap", hold); // which may have taken the dialog away
