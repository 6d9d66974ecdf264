// What others change on a report, and what the reader changes beside it.
import { lost, showNotice } from "./notices.js";
import { report, showParts } from "./parts.js";
import { after, focusOn, isLeft, within } from "./requests.js";

// A page of the report that others have changed is shown, and what has changed on it is marked for a moment. What the reader types in,
// and what has the focus, stays where it is.
for (const type of /** @type {const} */ (["live:page", "own:page"])) {
  document.addEventListener(type, ({ detail }) => { after(() => follow(detail, type === "live:page")); });
}

function follow(page, isMarked) {
  const next = page.querySelector(".report"), shown = report();
  if (!next)
    return shown && showNotice((page.querySelector("[data-part-deleted]") ??
      shown.querySelector("[data-part-gone]")).content.firstElementChild.cloneNode(true));
  document.querySelector("#main > [data-stays]")?.remove(); // it is restored
  if (isLeft(next.dataset.reference) || Number(next.dataset.version) < Number(shown.dataset.version)) return;
  const former = new Set(told().map(textOf));
  const held = document.activeElement, top = held.getBoundingClientRect().top;
  showParts(page);
  if (!held.isConnected && held.id) focusOn(held.id);
  else if (held.isConnected && held.matches(".report textarea, .report input")) {
    (held.closest("[data-pane]") ?? document.scrollingElement).scrollBy(0, held.getBoundingClientRect().top - top);
  }
  const changed = told().filter((element) => !former.has(textOf(element)));
  if (!isMarked || !changed.length) return;
  const said = shown.querySelector("[data-part-changed]");
  said.textContent = said.dataset.partChanged;
  for (const element of changed) {
    element.dataset.marked = "";
    setTimeout(() => { delete element.dataset.marked; said.textContent = ""; }, 4000);
  }
}

// told are the elements that say one thing each. Their text does not include the time, which passes.
const told = () => [...document.querySelectorAll(
  ".report-title, .fields > div, .report-description > .prose, .report-files > li, .entries > .changes, .comment-body")];
function textOf(element) {
  const copy = element.cloneNode(true);
  copy.querySelectorAll("time").forEach((time) => time.remove());
  return copy.textContent;
}

document.addEventListener("upload:failed", ({ target, detail }) => {
  if (!within(target)) return;
  lost();
  if (detail) document.querySelector("[data-notice] p").textContent = detail;
});
document.addEventListener("preview:failed", ({ target }) => { if (within(target)) lost(); });
