// The page of a report leads to the list that it was opened from, and to its neighbours there. This tab remembers the list
// when a link is followed, and not when the report opens beside the list.
const key = "list";
const nav = () => document.querySelector(".neighbours");

function read() {
  try { return JSON.parse(sessionStorage.getItem(key)) ?? { paths: [] }; } catch { return { paths: [] }; }
}

document.addEventListener("click", ({ target }) => {
  const row = target.closest?.(".row-title")?.closest(".row") ?? (target.closest?.("#pane") && document.querySelector(".row[data-shown]"));
  if (!row) return;
  const paths = [...(row.closest(".results") ?? row.closest(".rows")).querySelectorAll(".row-title")]
    .map((link) => link.getAttribute("href"));
  try {
    const all = document.querySelector(".total .number")?.textContent;
    sessionStorage.setItem(key, JSON.stringify({ address: location.pathname + location.search, paths, all }));
  } catch { /* the browser keeps nothing */ }
});

function show() {
  if (!nav()) return;
  const { address, paths, all } = read();
  const at = paths.indexOf(location.pathname);
  nav().hidden = at < 0;
  if (at < 0) return;
  const list = document.querySelector("[data-list]");
  list.href = address;
  htmx.process(list);
  nav().querySelector(".neighbours-place").textContent = `${at + 1} / ${all ?? paths.length}`;
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

// Escape closes an open request, and otherwise goes back to the list. In the panel of the request it is the panel's.
document.addEventListener("shortcut", (event) => {
  const main = document.querySelector("main[data-page=report]");
  if (event.defaultPrevented || event.detail.key !== "Escape" || !main || document.activeElement.closest(".panel[data-open]")) return;
  event.preventDefault();
  (main.querySelector(".panel[data-open] [data-close]") ?? document.querySelector("[data-list]")).click();
});
document.addEventListener("htmx:after:swap", show);
show();
