// The parts of the page of a report, which are replaced by those of another page of it that have another version.
import { dispatch } from "../app.js";

export const report = () => document.querySelector(".report");

const isUnsent = (form) => !form.sending && [...form.querySelectorAll("textarea, input[type=text]")]
  .some((f) => f.value !== f.defaultValue);

// showParts shows the parts of a page. A part or a comment with unsent text stays.
export function showParts(page) {
  const next = page.querySelector(".report");
  const shown = report();
  for (const { name, value } of next.attributes) if (name.startsWith("data-")) shown.setAttribute(name, value);
  for (const part of page.querySelectorAll("[data-part][id]")) {
    const former = document.getElementById(part.id);
    if (part.id === "report-head") showEnvironment(part);
    if (!former || former.outerHTML === part.outerHTML) continue;
    const unsent = [...former.querySelectorAll("form[data-draft]")].filter(isUnsent).map((form) => form.closest("li[id]"));
    if (unsent.includes(null)) continue;
    if (part.id === "report-conversation" && isOtherConversation(former, part)) continue;
    if (part.id === "report-files") keepFiles(former, part);
    for (const comment of unsent) part.querySelector(`#${comment.id}`)?.replaceWith(comment);
    former.replaceWith(part);
    htmx.process(part);
  }
  offerEvidence(next);
  if (page.title) document.title = page.title;
  dispatch(document, "parts:shown");
}

// showEnvironment shows in a head the system of the occurrence whose evidence the page shows. The head may be that of a page with
// another one.
function showEnvironment(head) {
  head?.querySelector(".environment")?.remove();
  head?.querySelector(".report-about").append(document.querySelector("#report-evidence > [data-environment]").content.cloneNode(true));
}

// keepFiles keeps the further files that were loaded. The way to more begins again after the first ones when files were added or removed.
function keepFiles(former, part) {
  const loaded = [...former.querySelectorAll("[data-loaded]")].filter((file) => !part.querySelector(`#${file.id}`));
  part.querySelector("[data-entries]").append(...loaded);
  if (loaded.length && former.dataset.count === part.dataset.count)
    part.querySelector("#report-more-files").replaceWith(former.querySelector("#report-more-files"));
}

// offerEvidence offers evidence that a later page of the report has: more of a kind, or a newer one in the place of another. Where
// nothing was captured, it is shown at once, unless the reader is there.
function offerEvidence(next) {
  const [box, later] = [document.getElementById("report-evidence"), next.querySelector("#report-evidence")];
  const [shown, counts] = [box, later].map((element) => element.dataset.evidence.split(" ").map(Number));
  if (!counts.some((n, i) => n > shown[i]) && later.dataset.newestEvidence <= box.dataset.newestEvidence) return;
  const offer = box.querySelector("[data-evidence-offer]");
  if (shown.some(Boolean) || box.contains(document.activeElement)) offer.dataset.open = "";
  else offer.querySelector("a").click();
}
let accepted = false; // whether the reader has asked for evidence with the focus on the offer
document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-evidence-offer]")) accepted = target.matches(":focus");
}, true);
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => { // the stage that is shown is not the one to preserve
  if (ctx.target?.id === "report-evidence") ctx.target.querySelector("report-stage")?.removeAttribute("id");
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.id !== "report-evidence") return;
  showEnvironment(document.getElementById("report-head"));
  if (!accepted) return;
  accepted = false;
  const evidence = document.getElementById("report-evidence");
  const first = evidence.querySelector("[data-tab][aria-current]") ?? evidence.querySelector("[data-play], .viewer-screen");
  first?.focus({ preventScroll: true });
});

// isOtherConversation returns whether a part of the conversation is another one than that which is shown. Then its comments are
// replaced. Otherwise the earlier comments that were loaded stay before it.
function isOtherConversation(former, part) {
  const entries = (element) => [...element.querySelectorAll(".entries > li")];
  const { until } = part.dataset;
  if (until !== former.dataset.until) {
    const loaded = entries(former).filter((entry) => entry.dataset.loaded === until && entry.id);
    for (const entry of loaded.length ? loaded : entries(former)) {
      const next = entry.id && part.querySelector(`#${entry.id}`);
      if (next && next.outerHTML !== entry.outerHTML) {
        if (loaded.length) next.dataset.loaded = until;
        entry.replaceWith(next);
        htmx.process(next);
      } else if (!next && loaded.length) entry.remove();
    }
    return true;
  }
  const first = entries(part).find((entry) => entry.id);
  const at = entries(former).findIndex((entry) => first && entry.id === first.id);
  if (at > 0 && former.querySelector("[data-loaded]")) {
    for (const entry of entries(part).slice(0, entries(part).indexOf(first))) entry.remove();
    part.querySelector(".entries").prepend(...entries(former).slice(0, at));
    part.querySelector("#report-earlier").replaceWith(former.querySelector("#report-earlier"));
  }
  return false;
}
