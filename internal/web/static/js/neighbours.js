// The page of a report leads to its neighbours in the list that it was opened from, which this tab remembers.
const key = "reports of the list";
const nav = () => document.querySelector(".neighbours");

function read() {
  try { return JSON.parse(sessionStorage.getItem(key)) ?? []; } catch { return []; }
}

document.addEventListener("click", ({ target }) => {
  const row = target.closest?.(".row-title")?.closest(".row") ?? (target.closest?.("#pane") && document.querySelector(".row[data-shown]"));
  if (!row) return;
  const paths = [...(row.closest(".results") ?? row.closest(".rows")).querySelectorAll(".row-title")].map((link) => link.pathname);
  try { sessionStorage.setItem(key, JSON.stringify(paths)); } catch { /* the browser keeps nothing */ }
}, true);

function show() {
  if (!nav()) return;
  const paths = read();
  const at = paths.indexOf(location.pathname);
  nav().hidden = at < 0;
  if (at < 0) return;
  nav().querySelector(".neighbours-place").textContent = `${at + 1} / ${paths.length}`;
  for (const [rel, path] of [["prev", paths[at - 1]], ["next", paths[at + 1]]]) {
    const link = nav().querySelector(`[rel=${rel}]`);
    if (path) link.href = path;
    link.toggleAttribute("aria-disabled", !path);
    htmx.process(link);
  }
}

document.addEventListener("shortcut", (event) => {
  const rel = { "[": "prev", "]": "next" }[event.detail.key];
  if (event.defaultPrevented || !rel || !nav() || nav().hidden) return;
  event.preventDefault();
  nav().querySelector(`[rel=${rel}][href]`)?.click();
});
document.addEventListener("htmx:after:swap", show);
show();
