// What is typed into a menu narrows it, and the server is asked for more choices.
import { pageOf, partial } from "../page.js";
import { narrow, prepare, targets } from "./menus.js";

// What is typed into a menu narrows it. The server is asked for more when the menu has as many choices as a page lists at most.
let asking;
document.addEventListener("input", ({ target }) => {
  if (!target.matches?.("[data-filter]")) return;
  const menu = target.closest(".menu");
  narrow(menu);
  clearTimeout(asking);
  const more = menu.dataset.ask ? find :
    menu.matches(".menu-change") ? isFull(menu) && ask : menu.querySelector("[data-more]") && askWorkspaces;
  if (more && target.value.trim()) asking = setTimeout(() => more(menu, target.value.trim()).catch(() => {}), 150);
});

const isFull = (menu) => menu.querySelectorAll(".menu-item").length >= 100;

// askWorkspaces adds the workspaces that the search finds to the switcher.
async function askWorkspaces(menu, text) {
  const answer = await fetch(`/search?${new URLSearchParams({ q: text })}`, { headers: partial });
  const page = await pageOf(answer);
  const known = new Set([...menu.querySelectorAll("code")].map((key) => key.textContent));
  const more = menu.querySelector("[data-more]").parentElement;
  for (const found of page.querySelectorAll(".menu-item:has(code)")) {
    const key = found.querySelector("code").textContent;
    if (known.has(key)) continue;
    const entry = more.previousElementSibling.cloneNode(true);
    const link = entry.querySelector("a");
    link.href = link.getAttribute("href").replace(/workspace=.*/, `workspace=${key}`);
    link.removeAttribute("aria-current");
    entry.querySelector(".menu-tick").replaceChildren();
    entry.querySelector(".menu-text").textContent = found.querySelector(".menu-text").textContent;
    entry.querySelector("code").textContent = key;
    more.before(entry);
  }
  narrow(menu);
}

// ask adds the choices that a text finds in the workspace of the reports of the menu.
async function ask(menu, text) {
  const one = targets()[0];
  if (!one) return;
  const answer = await fetch(`/reports?${new URLSearchParams({ only: one.dataset.reference ?? one.id, choices: text })}`,
    { headers: partial });
  const page = await pageOf(answer);
  const known = new Set([...menu.querySelectorAll(".menu-item")].map((item) => item.value));
  const form = menu.querySelector(".menu-item").getAttribute("form");
  const last = menu.querySelector("hr, [data-create]");
  for (const item of page.querySelectorAll(`#menu-${menu.dataset.menu} .menu-item`)) {
    if (known.has(item.value)) continue;
    item.setAttribute("form", form);
    menu.insertBefore(item.closest(".menu-row") ?? item, last);
  }
  prepare(menu);
  narrow(menu);
}

// find adds the choices that a text finds for a field: the form is asked for them.
async function find(menu, text) {
  const address = new URL(menu.dataset.ask, location.href);
  address.searchParams.set("find", text);
  const answer = await fetch(address, { headers: partial });
  const page = await pageOf(answer);
  const known = new Set([...menu.querySelectorAll(".menu-item")].map((item) => item.value));
  for (const choice of page.querySelectorAll(`#${menu.dataset.find} :is(option, .check)`)) {
    const value = choice.value ?? choice.querySelector("input").value;
    if (!value || known.has(value)) continue;
    const item = Object.assign(document.createElement("button"),
      { type: "button", className: "menu-item", value, textContent: choice.textContent });
    item.choice = document.importNode(choice, true);
    menu.append(item);
  }
  narrow(menu);
  menu.querySelector("[data-none]").hidden = Boolean(menu.querySelector(".menu-item:not([hidden])"));
}
document.addEventListener("click", ({ target }) => {
  const item = target.closest?.("[data-find] .menu-item");
  if (!item) return;
  const menu = item.closest(".menu"), field = (menu.closest("form") ?? document).querySelector(`#${menu.dataset.find}`);
  menu.hidePopover();
  if (field.matches("select")) {
    if (![...field.options].some((option) => option.value === item.value)) field.add(new Option(item.textContent, item.value));
    field.value = item.value;
    field.focus();
    return field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  const box = field.querySelector(`input[value="${item.value}"]`) ?? item.choice.querySelector("input");
  if (!box.isConnected) field.querySelector(".checks").append(item.choice);
  box.checked = true;
  box.focus();
});
