// The counts of the views and spaces in the sidebar. They arrive after the page, and are kept in this tab: they are asked for again when
// the workspaces have changed, but not all the time, or when they are a minute old.
import { pageOf, partial } from "./page.js";

const key = "counts", most = 60_000, least = 10_000; // milliseconds
const list = () => document.querySelector("[data-counts]");
const position = () => document.getElementById("main")?.dataset.position;
let asking, due = Infinity, shown = { address: "", position: "", at: 0, numbers: {} };
try { shown = JSON.parse(sessionStorage.getItem(key)) ?? shown; } catch { /* the browser keeps nothing */ }

function show() {
  if (!list()) return;
  const numbers = shown.address === list().dataset.counts ? shown.numbers : {};
  for (const place of list().querySelectorAll("[data-count-of]")) place.textContent = numbers[place.dataset.countOf] ?? "";
}

async function ask() {
  const address = list()?.dataset.counts, at = position();
  if (!address) return;
  try {
    const page = await pageOf(await fetch(address, { headers: partial }));
    const numbers = Object.fromEntries([...page.querySelectorAll("[data-count]")].map((e) => [e.dataset.count, e.textContent]));
    shown = { address, position: at, at: Date.now(), numbers };
    sessionStorage.setItem(key, JSON.stringify(shown));
  } catch { /* what was counted before stays */ }
  show();
}

// askLater asks after a time, once for all that happens until then.
function askLater(after) {
  const at = Date.now() + after;
  if (at >= due) return;
  clearTimeout(asking);
  due = at;
  asking = setTimeout(() => {
    due = Infinity;
    ask();
  }, after);
}

function begin() {
  show();
  if (!list()) return;
  const age = Date.now() - shown.at;
  if (shown.address !== list().dataset.counts || age > most) askLater(100);
  else if (shown.position !== position()) askLater(Math.max(100, least - age));
}
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => { if (ctx.target === document.body) begin(); });
document.addEventListener("reports:changed", () => askLater(500));
document.addEventListener("live:change", () => askLater(least));
begin();
