// The menu of filters: what it offers is asked for when it opens. Each choice is a link to the list with another text, which is put
// into the search box. The menu stays open for further values.
import { pageOf, partial } from "../app.js";

const menu = () => document.getElementById("menu-filter");
const box = () => /** @type {any} */ (document.getElementById("q"));
let asked = 0; // the requests so far, of which the last one counts
let shown = ""; // the address of the menu that is shown

/**
 * begin opens the menu of an address below an element.
 * @param {string} address
 * @param {Element} opener
 */
export async function begin(address, opener) {
  const text = box().value.trim();
  const at = new URL(address, location.href);
  if (opener.matches(".filter-button")) at.searchParams.set("q", text); // which may be newer than the page
  if (!await load(at)) return;
  const { left, bottom } = opener.getBoundingClientRect();
  menu().showPopover();
  const { width, height } = menu().getBoundingClientRect();
  Object.assign(menu().style, { positionArea: "none", margin: 0, left: `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`,
    top: `${Math.max(8, Math.min(bottom + 4, innerHeight - height - 8))}px` });
  enter();
}

// load shows the menu of an address. It returns false when another one was asked for meanwhile, and opens what is no menu.
async function load(at) {
  const request = ++asked;
  const address = at.pathname + at.search;
  let page;
  try {
    const answer = await fetch(address, { headers: partial });
    page = await pageOf(answer);
    if (request !== asked) return false;
  } catch { return void location.assign(address); }
  const next = page.querySelector("[data-filter-menu]");
  if (!next || !menu()) return void location.assign(address);
  shown = address;
  menu().replaceChildren(...next.children);
  return true;
}

function enter(value) {
  const items = [...menu().querySelectorAll(".menu-item")];
  const same = value === undefined ? null : items.find((item) => item.dataset.value === value);
  (same ?? menu().querySelector("[data-filter]") ?? menu().querySelector("[aria-current].menu-item") ?? items[0] ??
    menu().querySelector("a, input"))?.focus();
}

// search shows the list of a text.
function search(text) {
  if (box().value === text) return;
  box().value = text;
  box().form.requestSubmit();
}

async function choose(link) {
  const text = new URL(link.href).searchParams.get("q") ?? "", { value } = link.dataset;
  search(text);
  const at = new URL(shown, location.href);
  at.searchParams.set("q", text);
  for (const name of ["from", "until", "value", "show"]) at.searchParams.delete(name);
  if (await load(at)) enter(value);
}

async function open(link) {
  if (await load(new URL(link.href))) enter();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#menu-filter a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if ("filterTo" in link.dataset) choose(link);
  else if ("filterBy" in link.dataset) open(link);
}, true);

// A form of the menu has the days, or a value that is typed. Its answer has the text as it is then.
document.addEventListener("submit", async (event) => {
  const form = event.target.closest?.("#menu-filter form");
  if (!form) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const at = new URL(form.action);
  at.search = String(new URLSearchParams(/** @type {any} */ (new FormData(/** @type {any} */ (form), event.submitter))));
  if (!await load(at)) return;
  search(menu().querySelector("[data-filter-text]").dataset.filterText);
  enter();
}, true);

// Left leads back to all filters. The box whose chips were replaced gives the focus to the button.
document.addEventListener("keydown", (event) => {
  const back = event.key === "ArrowLeft" && event.target.closest?.("#menu-filter") && !event.target.matches("input") &&
    menu().querySelector("[data-filter-by='']");
  if (!back) return;
  event.preventDefault();
  open(back);
}, true);
document.addEventListener("toggle", ({ target, newState }) => {
  if (target.id !== "menu-filter" || newState !== "closed") return;
  asked++;
  const at = document.activeElement; // in the closed menu until the next frame
  if (at === document.body || menu()?.contains(at)) document.querySelector(".filter-button")?.focus();
}, true);
