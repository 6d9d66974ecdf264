// The command palette: Ctrl K or ⌘K, or the button Search, opens it. What it lists is loaded when it is opened first.
import { current } from "../reports/rows.js";

async function open() {
  const palette = document.getElementById("palette"), field = /** @type {any} */ (document.getElementById("palette-text"));
  if (palette.matches(":popover-open") || document.querySelector("dialog:modal")) return;
  document.getElementById("sidebar")?.hidePopover?.();
  field.value = "";
  const row = current();
  palette.showPopover();
  field.focus(); // a key that follows is text, also before the list is there
  try {
    const { begin } = await import(palette.dataset.script);
    if (palette.matches(":popover-open")) begin(row);
  } catch {
    location.assign("/search");
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  if (!document.getElementById("palette")) return;
  event.preventDefault();
  open();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-palette]") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  open();
}, true);
