// The notices of a list, and the mark of a search that is being answered.
import { list } from "./rows.js";

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  document.querySelector("[data-lost]")?.setAttribute("hidden", "");
  if (ctx.sourceElement?.matches?.(".search")) list()?.setAttribute("aria-busy", "true");
});
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement?.matches?.(".search")) list()?.removeAttribute("aria-busy");
});

// A notice with Undo goes after 10 seconds, unless somebody points at it. One that a report is gone stays.
export function expire() {
  const notice = document.querySelector("[data-notice]:not([data-stays])");
  if (!notice || notice.timer) return;
  const remove = () => { if (notice.matches(":hover, :focus-within")) notice.timer = setTimeout(remove, 1000); else notice.remove(); };
  notice.timer = setTimeout(remove, 10000);
}
expire();
document.addEventListener("notice:shown", expire);
