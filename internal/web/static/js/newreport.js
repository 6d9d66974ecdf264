// The way to a new report: where there is room, a link to the form opens it in a dialog.
import { follows } from "./links.js";
import { pageOf, partial } from "./page.js";
import { loadSheet } from "./sheets.js";

let opening = false; // the form is being fetched

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || !follows(event, link)) return;
  if (link.origin !== location.origin || link.pathname !== "/new" || location.pathname === "/new" || innerWidth <= 760) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const former = link.closest("dialog");
  former?.requestClose();
  if (opening || former?.open) return;
  opening = true;
  const main = document.getElementById("main");
  let form = null;
  try {
    const response = await fetch(link.href, { headers: partial });
    const parsed = (await pageOf(response)).querySelector("report-form");
    await Promise.all([import(parsed.dataset.script), loadSheet(parsed.dataset.sheet)]); // a script that is parsed does not run
    form = parsed;
  } catch { /* the link is followed */ } finally { opening = false; }
  if (!main.isConnected) return; // another page is there by now
  if (!form) return location.assign(link.href);
  const dialog = document.createElement("dialog");
  dialog.className = "dialog dialog-wide";
  dialog.ariaLabel = form.querySelector("h1").textContent;
  dialog.append(form);
  dialog.addEventListener("cancel", (e) => {
    if (e.target === dialog && form.files.length && !form.sent && !confirm(form.dataset.leave)) e.preventDefault();
  });
  dialog.addEventListener("close", (e) => { if (e.target === dialog) dialog.remove(); });
  document.body.append(dialog);
  dialog.showModal();
}, true);
