// The button Filter, its key f and the chips open the menu of filters, whose script is loaded when it opens first.
const button = () => document.querySelector(".filter-button");

async function open(link) {
  try {
    const { begin } = await import(button().dataset.script);
    await begin(link.href, link);
  } catch { location.assign(link.href); }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-filter-open]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  open(link);
}, true);
document.addEventListener("shortcut", (event) => {
  if (event.defaultPrevented || event.detail.key !== "f" || !button() || document.activeElement.closest?.("#pane")) return;
  event.preventDefault();
  open(button());
});
// The menu is on its way as soon as somebody points at the button.
document.addEventListener("pointerover", ({ target }) => { if (target.closest?.(".filter-button")) import(button().dataset.script); });
