// The command palette: Ctrl K or ⌘K, or the button Search, opens it. What it lists is loaded when it is opened first.
import { current } from "../reports/rows.js";

let opened = 0; // how often the palette was opened

async function open() {
  const palette = document.getElementById("palette"), field = /** @type {any} */ (document.getElementById("palette-text"));
  if (palette.matches(":popover-open") || document.querySelector("dialog:modal")) return;
  document.getElementById("sidebar")?.hidePopover?.();
  field.value = "";
  const row = current();
  palette.showPopover();
  field.focus(); // a key that follows is text, also before the list is there
  const time = ++opened;
  let isEntered = false;
  const enter = (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    isEntered = true;
  };
  field.addEventListener("keydown", enter);
  try {
    const { begin } = await import(palette.dataset.script);
    if (time === opened && palette.matches(":popover-open")) begin(row, isEntered);
  } catch {
    location.assign("/search");
  } finally {
    field.removeEventListener("keydown", enter);
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
