// Further comments and files of a report.
import { dispatch, pageOf } from "../app.js";
import { lost } from "./notices.js";
import { report } from "./parts.js";
import { isLeft, within } from "./requests.js";

// Earlier comments are loaded before those that are shown, and more files after them.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-load]");
  if (!link || !within(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  const { reference } = report().dataset, holder = link.closest("[data-part]").id, way = link.closest("div").id;
  try {
    let added = [], next = link;
    for (; next && !added.length; next = document.querySelector(`#${way} a[data-load]`)) {
      const response = await fetch(next.href, { headers: { Accept: "text/html" } });
      const part = (await pageOf(response)).getElementById(holder);
      if (isLeft(reference)) return;
      if (!part) return location.assign(next.href);
      added = [...part.querySelectorAll("[data-entries] > li")].filter((entry) => !entry.id || !document.getElementById(entry.id));
      for (const entry of added) entry.dataset.loaded = part.dataset.until ?? "";
      const list = document.querySelector(`#${holder} [data-entries]`);
      if (way === "report-earlier") list.prepend(...added); else list.append(...added);
      htmx.process(list);
      document.getElementById(way).replaceWith(part.querySelector(`#${way}`));
      document.querySelectorAll(`#${way} a:not([data-load])`).forEach((first) => first.remove());
    }
    (way === "report-earlier" ? document.querySelector("#report-earlier a, #report-conversation .comment-time") :
      added[0]?.querySelector("a"))?.focus({ preventScroll: true });
    dispatch(document, "parts:shown");
  } catch {
    lost();
  } finally {
    link.ariaBusy = null;
  }
}, true);

// An address with a comment that is not shown leads to its part of the conversation.
function findComment() {
  const id = location.hash.slice(1), url = new URL(location.href);
  const more = document.querySelector("#report-conversation :is([data-load], [data-latest])");
  if (!more || !/^cmt_[0-9a-z]{26}$/.test(id) || document.getElementById(id) || url.searchParams.get("comment") === id) return;
  url.searchParams.set("comment", id);
  location.replace(url);
}
addEventListener("hashchange", findComment);
document.addEventListener("htmx:after:swap", findComment);
findComment();
