// The menu of reactions: it opens on the first one, or on that of the reader, and the arrow keys lead around in it. The browser gives the
// focus back when it closes.
const buttons = (menu) => [...menu.querySelectorAll("button")];

document.addEventListener("toggle", ({ target, newState }) => {
  if (newState !== "open" || !target.matches?.(".react")) return;
  (target.querySelector("[aria-pressed=true]") ?? buttons(target)[0])?.focus();
}, true);

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.(".react");
  if (!menu || event.ctrlKey || event.altKey || event.metaKey) return;
  const all = buttons(menu), at = all.indexOf(event.target);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  all.at(to % all.length).focus();
});
