// The last searches that the reader has made in this browser, the newest first.
const most = 5;
const key = () => `searches ${document.getElementById("main").dataset.user}`;

/** @returns {string[]} */
export function recentSearches() {
  try {
    const kept = JSON.parse(localStorage.getItem(key()) ?? "[]");
    return Array.isArray(kept) ? kept.filter((text) => typeof text === "string").slice(0, most) : [];
  } catch { return []; }
}

// A text is a search of the reader once the box is left, or Enter is pressed and the list is there. One that is refused is none.
let entered = "";
function keep(text) {
  if (!text || document.querySelector("#results .fault")) return;
  const others = recentSearches().filter((other) => other !== text && !text.startsWith(other));
  try { localStorage.setItem(key(), JSON.stringify([text, ...others].slice(0, most))); } catch { /* the browser keeps nothing */ }
}
document.addEventListener("focusout", ({ target }) => { if (target.id === "q") keep(target.value.trim()); });
document.addEventListener("submit", ({ target }) => { if (target.matches(".search")) entered = target.elements.q.value.trim(); });
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.id !== "results") return;
  keep(entered);
  entered = "";
});
