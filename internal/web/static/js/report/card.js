// The card of a report: it opens beside a reference in a text after the pointer rests on it, or when it gets the focus by the keyboard.
// It stays while the pointer is on either. Escape closes it, and leaves the focus where it is.
import { pageOf, partial } from "../app.js";

const references = "a.reference, .connected a";
const [rest, leave] = [350, 200]; // ms until a card opens, and closes
let link = null; // whose card is shown, or awaited
let timer, pending;

const card = () => document.getElementById("card");

function hide() {
  clearTimeout(timer);
  pending?.abort();
  link?.removeAttribute("aria-describedby");
  link = null;
  card()?.remove();
}

async function show(of) {
  hide();
  link = of;
  pending = new AbortController();
  try {
    const answer = await fetch(`${new URL(of.href).pathname}/card`, { headers: partial, signal: pending.signal });
    const content = (await pageOf(answer)).getElementById("card-content");
    if (!content || link !== of || !of.isConnected) return;
    const box = /** @type {any} */ (Object.assign(document.createElement("div"), { id: "card", className: "card", role: "tooltip" }));
    box.popover = "manual";
    box.append(content);
    document.getElementById("main").append(box); // within a landmark
    box.showPopover({ source: of });
    of.setAttribute("aria-describedby", "card");
  } catch { /* the link leads to the report */ }
}

function after(delay, act) {
  clearTimeout(timer);
  timer = setTimeout(act, delay);
}

document.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType !== "mouse") return;
  const of = target.closest?.(references);
  if (of && of === link || target.closest?.("#card")) clearTimeout(timer);
  else if (of) after(rest, () => show(of));
  else if (link) after(leave, hide);
  else clearTimeout(timer);
});
document.addEventListener("focusin", ({ target }) => {
  const of = target.closest?.(references);
  if (of?.matches(":focus-visible")) after(rest, () => show(of));
  else if (link && !target.closest?.("#card")) hide();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !card()) return;
  hide();
  event.preventDefault();
  event.stopPropagation();
}, true);
document.addEventListener("click", hide, true);
document.addEventListener("scroll", () => { if (link) hide(); }, { capture: true, passive: true });
document.addEventListener("htmx:after:swap", () => { if (link && !link.isConnected) hide(); });
