// A divider between two parts is dragged, or moved by the arrow keys, Home and End. A double click gives it
// back its first place. This browser remembers where it was left: early.js reads it, so that nothing moves while a page is loaded. The
// place is the part of the room of both that is before it, in hundredths.
const step = 2;
const style = document.documentElement.style;

const of = (target) => target.closest?.("[data-divider]");
const key = (divider) => `divider ${divider.dataset.divider}`;
const room = (divider) => (divider.closest("[data-divided], .split")).getBoundingClientRect();

// placeOf returns the place of a divider as it is seen.
function placeOf(divider) {
  const { left, width } = room(divider), own = divider.getBoundingClientRect();
  return Math.round(100 * (own.left + own.width / 2 - left) / width);
}

function move(divider, to) {
  const place = Math.round(Math.min(Math.max(to, Number(divider.ariaValueMin)), Number(divider.ariaValueMax)));
  style.setProperty(`--${divider.dataset.divider}-share`, `${place / 100}`);
  divider.ariaValueNow = String(placeOf(divider)); // a narrow window may have no room for it
  try { localStorage.setItem(key(divider), String(place)); } catch { /* it is not remembered */ }
}

function reset(divider) {
  style.removeProperty(`--${divider.dataset.divider}-share`);
  try { localStorage.removeItem(key(divider)); } catch { /* there is nothing to forget */ }
  divider.ariaValueNow = String(placeOf(divider));
}

document.addEventListener("focusin", ({ target }) => {
  const divider = of(target);
  if (divider) divider.ariaValueNow = String(placeOf(divider));
});
document.addEventListener("pointerdown", (event) => {
  const divider = of(event.target);
  if (!divider || event.button) return;
  event.preventDefault();
  divider.focus({ preventScroll: true });
  divider.setPointerCapture(event.pointerId);
  divider.toggleAttribute("data-dragged", true);
});
document.addEventListener("pointermove", ({ target, clientX }) => {
  if (!of(target)?.hasAttribute("data-dragged")) return;
  const { left, width } = room(target);
  move(target, 100 * (clientX - left) / width);
});
document.addEventListener("lostpointercapture", ({ target }) => of(target)?.removeAttribute("data-dragged"));
document.addEventListener("dblclick", ({ target }) => { if (of(target)) reset(target); });
document.addEventListener("keydown", (event) => {
  const divider = of(event.target);
  if (!divider || event.ctrlKey || event.altKey || event.metaKey) return;
  const to = { ArrowLeft: placeOf(divider) - step, ArrowRight: placeOf(divider) + step, Home: 0, End: 100 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  move(divider, to);
});
