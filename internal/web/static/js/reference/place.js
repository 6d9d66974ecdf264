// The list of sections marks the one that is read, and keeps it in sight.
const list = /** @type {any} */ (document.getElementById("sections"));
const links = new Map([...list.querySelectorAll("a[href^='#']")].map((link) => [link.getAttribute("href").slice(1), link]));
const content = document.getElementById("content");
const parts = [...links.keys()].map((id) => document.getElementById(id)).filter((part) => part && part !== content);
let current = null;

// chosen is the part that the address names. It is the current one while its begin is in sight where the address put it: a part that is
// short, or the last one, is not above the line alone.
const named = () => parts.find((part) => `#${part.id}` === location.hash) ?? null;
let chosen = named();
function isAtChosen(line) {
  if (!chosen) return false;
  const { top } = chosen.getBoundingClientRect(), isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  return top > -8 && top < (isAtEnd ? innerHeight : line);
}

// mark marks the chosen part, or the last one that begins above the upper third of the window.
function mark() {
  const line = innerHeight / 3;
  let at = parts.length;
  for (let low = 0; low < at;) { // parts follow each other
    const middle = (low + at) >> 1;
    if (parts[middle].getBoundingClientRect().top <= line) low = middle + 1;
    else at = middle;
  }
  const link = links.get(isAtChosen(line) ? chosen.id : parts[at - 1]?.id);
  if (link === current) return;
  current?.removeAttribute("aria-current");
  current = link;
  if (!link) return;
  link.setAttribute("aria-current", "true");
  if (list.contains(document.activeElement) || list.matches(":hover")) return;
  const { top, bottom } = link.getBoundingClientRect(), room = list.getBoundingClientRect();
  if (top < room.top + 40 || bottom > room.bottom - 40) list.scrollTop += top - room.top - room.height / 2;
}

addEventListener("hashchange", () => { chosen = named(); mark(); });
let waits = false;
addEventListener("scroll", () => {
  if (waits) return;
  waits = true;
  requestAnimationFrame(() => { waits = false; mark(); });
}, { passive: true });
mark();
