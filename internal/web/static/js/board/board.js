// The board. A card moves to another column by dragging, with a mouse or after a long press; the change is that of its menu, with the
// rules of the list (reports/changequeue.js). The arrow keys move the focus. What moves, here or by other people, is announced.
import { dispatch } from "../app.js";

const board = () => document.querySelector(".board");
const columnOf = (status) => board()?.querySelector(`[data-group="${status}"]`);
const cardsOf = (column) => [...column.querySelectorAll(".row")];

// put shows a card in the column of a status, in the order of the list.
function put(card, status) {
  const rows = columnOf(status)?.querySelector(".rows");
  if (!rows) return;
  const follows = (a, b) => (board().hasAttribute("data-descending") ? a < b : a > b);
  const next = cardsOf(rows).find((other) => other !== card && follows(other.dataset.order, card.dataset.order)) ??
    rows.querySelector(".next");
  if (card.parentElement !== rows || card.nextElementSibling !== next) rows.insertBefore(card, next);
}

// The columns of the cards that were announced last.
let columns = new Map();
const remember = () => { columns = new Map([...document.querySelectorAll(".board .row")].map((card) => [card.id, card.dataset.status])); };

function announce(references) {
  const region = document.querySelector("[data-moved]");
  const texts = [];
  for (const reference of references) {
    const card = document.getElementById(reference);
    if (!region || !card || columns.get(reference) === card.dataset.status) continue;
    const column = card.closest(".column"), cards = cardsOf(column);
    const values = { report: reference, column: column.querySelector(".column-name").textContent,
      place: cards.indexOf(card) + 1, count: cards.length };
    texts.push(region.dataset.moved.replace(/\{(\w+)\}/g, (_, name) => values[name]));
  }
  if (texts.length) region.textContent = texts.slice(0, 5).join(". ");
  remember();
}

document.addEventListener("reports:put", ({ detail: card }) => put(card, card.dataset.status));
document.addEventListener("reports:changed", ({ detail }) => { if (board()) announce(detail); });
document.addEventListener("live:replaced", ({ detail: card }) => {
  if (!card.closest(".board")) return;
  put(card, card.dataset.status);
  announce([card.id]);
});

// A card that was dropped, and whose change failed, is in the column of its status again.
function putBack() {
  for (const card of board()?.querySelectorAll(".row") ?? []) {
    if (card.closest(".column").dataset.group !== card.dataset.status) put(card, card.dataset.status);
  }
}
for (const failure of ["htmx:error", "session:ended"]) document.addEventListener(failure, putBack);

// A card that was moved here is not repeated by the next page of its column.
document.addEventListener("htmx:after:swap", () => {
  const shown = new Set();
  for (const card of document.querySelectorAll(".board .row")) {
    if (shown.has(card.id)) card.remove();
    shown.add(card.id);
  }
  remember();
});
remember();

let drag = null; // the press of a card: card, pointer, x, y, and once it is dragged ghost, over and at, where the pointer is

document.addEventListener("pointerdown", (event) => {
  const card = event.target.closest?.(".board .row");
  if (drag || !card || event.button || !event.isPrimary || event.target.closest("button, input, label, .label") ||
    card.matches("[aria-busy], [data-left]")) return;
  drag = { card, pointer: event.pointerId, x: event.clientX, y: event.clientY, touch: event.pointerType === "touch" };
  if (drag.touch) drag.timer = setTimeout(lift, 350);
});

// lift shows the card under the pointer. What else changes follows in a frame of its own, because both together are a slow frame.
function lift() {
  const { card, x, y } = drag;
  const box = card.getBoundingClientRect();
  const ghost = card.cloneNode(true);
  for (const element of [ghost, ...ghost.querySelectorAll("*")])
    for (const name of ["id", "name", "form", "data-report"]) element.removeAttribute(name);
  ghost.inert = true;
  ghost.style.width = `${box.width}px`;
  const parent = document.createElement("ul");
  parent.className = "board-ghost board";
  parent.append(ghost);
  Object.assign(drag, { ghost, dx: x - box.left, dy: y - box.top, at: [x, y] });
  move();
  document.getElementById("main").append(parent);
  inNextFrame(begin);
}

const inNextFrame = (then) => requestAnimationFrame(() => requestAnimationFrame(then)); // an event and the first are in the same one

function begin() {
  if (!drag?.ghost) return;
  drag.card.setAttribute("data-dragging", "");
  if (!drag.touch) drag.card.setPointerCapture(drag.pointer); // no other card is told that the pointer is over it
  document.querySelector(".drops").toggleAttribute("data-open", true);
  move();
  requestAnimationFrame(follow);
}

const move = () => { drag.ghost.style.transform = `translate(${drag.at[0] - drag.dx}px, ${drag.at[1] - drag.dy}px) rotate(1.5deg)`; };

const target = (x, y) => document.elementFromPoint(x, y)?.closest("[data-drop], .board [data-group]");

// follow moves the card to the pointer once in each frame, and marks the status below it. It looks before it moves the card, while the
// layout of the page is known.
function follow() {
  if (!drag?.ghost) return;
  mark();
  move();
  requestAnimationFrame(follow);
}

function mark() {
  const [x, y] = drag.at;
  const over = target(x, y);
  if (over !== drag.over) {
    drag.over?.removeAttribute("data-over");
    over?.setAttribute("data-over", "");
    drag.over = over;
  }
  const edge = 56;
  if (y < edge) scrollBy(0, -16);
  else if (y > innerHeight - edge && !over?.dataset.drop) scrollBy(0, 16);
}

document.addEventListener("pointermove", (event) => {
  if (!drag || !event.isPrimary) return;
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
  if (!drag.ghost && drag.touch && far > 10) return end();
  if (!drag.ghost && !drag.touch && far > 5) lift();
  if (drag.ghost) drag.at = [event.clientX, event.clientY];
});

// end ends the press, and returns the status on which the card was dropped.
function end() {
  if (!drag) return null;
  const { card, ghost, timer, pointer } = drag;
  clearTimeout(timer);
  if (ghost) mark(); // where it was dropped, also between two frames
  const { over } = drag;
  drag = null;
  if (!ghost) return null;
  if (card.hasPointerCapture(pointer)) card.releasePointerCapture(pointer);
  ghost.parentElement.remove();
  over?.removeAttribute("data-over");
  card.removeAttribute("data-dragging");
  document.querySelector(".drops").removeAttribute("data-open");
  const stop = (event) => { event.preventDefault(); event.stopPropagation(); };
  addEventListener("click", stop, { capture: true, once: true }); // the end of a drag is no click
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
  return over?.dataset.drop ?? over?.dataset.group;
}

document.addEventListener("pointerup", ({ isPrimary, clientX, clientY }) => {
  const card = drag?.card;
  if (drag && isPrimary) drag.at = [clientX, clientY];
  const status = isPrimary && end();
  if (!status || status === card.dataset.status || !card.isConnected) return;
  setTimeout(() => { // after the click, which is no choice of a menu
    const moved = card.matches("[data-selected]") ? document.querySelectorAll(".board .row[data-selected]") : [card];
    dispatch(document, "reports:move", { card, status });
    if (status !== "resolved") for (const each of moved) put(each, status);
  });
});
document.addEventListener("pointercancel", end);
document.addEventListener("touchmove", (event) => { if (drag?.ghost) event.preventDefault(); }, { passive: false });
for (const type of ["dragstart", "contextmenu"]) {
  document.addEventListener(type, (event) => { if (drag && (type === "dragstart" || drag.touch)) event.preventDefault(); });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drag?.ghost) return void end();
  const card = document.activeElement.closest?.(".board .row");
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !card) return;
  if (!document.activeElement.matches(".row-title") || document.querySelector(":popover-open")) return;
  const column = card.closest(".column"), cards = cardsOf(column), at = cards.indexOf(card);
  let next;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") next = cards[at + (event.key === "ArrowDown" ? 1 : -1)];
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const all = [...board().querySelectorAll(".column")].filter((other) => other === column || cardsOf(other).length);
    const beside = all[all.indexOf(column) + (event.key === "ArrowRight" ? 1 : -1)];
    next = beside && cardsOf(beside)[Math.min(at, cardsOf(beside).length - 1)];
  } else return;
  event.preventDefault();
  next?.querySelector(".row-title").focus();
});

// A column is shut and opened by its button. The browser keeps which ones are shut, and early.js marks them before the page is shown.
const shut = () => new Set((document.documentElement.dataset.shut ?? "").split(" ").filter(Boolean));
function showShut() {
  for (const button of document.querySelectorAll("[data-shut-column]"))
    button.setAttribute("aria-expanded", String(!shut().has(button.dataset.shutColumn)));
}
document.addEventListener("click", ({ target }) => {
  const status = target.closest?.("[data-shut-column]")?.dataset.shutColumn;
  if (!status) return;
  const all = shut();
  if (!all.delete(status)) all.add(status);
  document.documentElement.dataset.shut = [...all].join(" ");
  try { localStorage.setItem("shut", document.documentElement.dataset.shut); } catch { /* it is kept for this page */ }
  showShut();
});
document.addEventListener("htmx:after:swap", showShut);
showShut();
