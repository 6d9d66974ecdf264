// While somebody types, what is shown stays, dimmed and without its count, until something is found: a half word that finds nothing, or
// that is refused, is shown only when the typing has paused. Enter shows it at once.
const pause = 700;
let typed = false, pausing;

const search = () => document.querySelector(".search");

document.addEventListener("input", ({ target }) => {
  if (target.id !== "q") return;
  typed = true;
  clearTimeout(pausing);
});
document.addEventListener("submit", ({ target }) => { if (target.matches(".search")) typed = false; }, true);
document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement, response, text } = event.detail.ctx;
  if (!sourceElement?.matches?.(".search")) return;
  clearTimeout(pausing);
  const shown = document.querySelector("#results .rows, #results .columns");
  if (!typed || !shown || response.status !== 422 && !text.includes("data-nothing")) return;
  event.preventDefault();
  const results = document.getElementById("results"), total = results.querySelector(".total");
  results.toggleAttribute("data-stale", true);
  if (total && results.dataset.none) total.textContent = results.dataset.none;
  const completes = !document.getElementById("completions").hidden;
  if (!completes || response.status !== 422) pausing = setTimeout(() => search()?.requestSubmit(), pause);
});
