// The inbox, and the queue of the reports of visitors: their keys, and what is new. While the reader uses the list, news is
// offered and does not move what is read.
import { pageOf, partial } from "../app.js";

const form = () => document.getElementById("inbox");
const focusable = ".inbox-link, [data-queue-choice]";
const links = () => [...(form()?.querySelectorAll(focusable) ?? [])];
const offer = (on) => document.querySelector("[data-inbox-offer]")?.toggleAttribute("data-open", on);
let at = 0; // the place of the report that had the focus, to which the focus returns

// press presses the button of the key in the row with the focus.
function press(key) {
  const row = document.activeElement?.closest(".inbox-row");
  const button = key === "z" ? document.querySelector("[data-do=z]") : row?.querySelector(`[data-do=${key}]`);
  if (!button) return false;
  at = links().indexOf(row?.querySelector(focusable));
  button.form.requestSubmit(button);
  return true;
}

function move(step) {
  const all = links();
  const row = document.activeElement?.closest(".inbox-row");
  const next = row ? all.indexOf(row.querySelector(focusable)) + step : 0;
  all[Math.max(0, Math.min(next, all.length - 1))]?.focus();
  return all.length > 0;
}

document.addEventListener("shortcut", (event) => {
  if (!form()) return;
  const { key } = event.detail;
  const known = key === "j" || key === "k" ? move(key === "j" ? 1 : -1) : /^[a-z]$/.test(key) && press(key);
  if (!known) return;
  event.preventDefault();
  event.stopImmediatePropagation(); // the keys of lists of reports
}, true);

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("[data-queue-all]")) return;
  for (const choice of form().querySelectorAll("[data-queue-choice]")) choice.checked = target.checked;
});

const inUse = () => Boolean(document.querySelector(".menu:popover-open"))
  || Boolean(form()?.matches(":hover")) || Boolean(form()?.contains(document.activeElement));

async function refresh() {
  const former = form();
  if (!former) return;
  const page = await pageOf(await fetch(location.href, { headers: partial }));
  const next = page.getElementById("inbox");
  if (!next || former !== form() || next.dataset.version === former.dataset.version) return;
  if (inUse()) return offer(true);
  former.replaceWith(next);
  htmx.process(next);
}
for (const type of ["live:inbox", "live:reload"]) document.addEventListener(type, () => { refresh().catch(() => {}); });

document.addEventListener("htmx:after:swap", () => {
  keys();
  if (!form() || at < 0 || form().contains(document.activeElement) || document.activeElement?.id === "main") return;
  links()[Math.min(at, links().length - 1)]?.focus();
});

// keys adds the keys of the inbox to the help.
function keys() {
  const template = document.querySelector("template[data-inbox-keys]");
  const groups = document.querySelector("#shortcuts .keys-groups");
  if (!template || !groups || groups.querySelector("[data-of-inbox]")) return;
  const section = template.content.firstElementChild.cloneNode(true);
  section.dataset.ofInbox = "";
  groups.append(section);
}
keys();
