// Fields that are buttons: a menu chooses the value of a list, or the labels of a text field. The hidden list or field is what the form
// sends, and without this script what people see.
const fieldOf = (pick) => pick.querySelector(`[name="${pick.dataset.pick}"]`);
const labelsOf = (text) => [...new Set(text.split(",").map((label) => label.trim()).filter(Boolean))];

/**
 * showPicks shows the values of the fields of a form on their buttons.
 * @param {ParentNode} form
 */
export function showPicks(form) {
  for (const pick of form.querySelectorAll("[data-pick]")) show(pick);
}

const isShown = (node) => !node.matches?.(".menu-tick");

function show(pick) {
  const field = fieldOf(pick), shown = pick.querySelector(".pick-value");
  const item = [...pick.querySelectorAll(".menu-item")].find(({ value }) => value === field.value);
  if (!field.matches("select")) shown.querySelector("bdi").textContent = labelsOf(field.value).join(", ");
  else if (item) shown.replaceChildren(...[...item.childNodes].filter(isShown).map((node) => node.cloneNode(true)));
  pick.querySelector(".pick-button").toggleAttribute("data-chosen", Boolean(field.value));
}

document.addEventListener("change", ({ target }) => {
  const pick = target.closest?.("[data-pick]");
  if (pick && target === fieldOf(pick)) show(pick);
});

// A menu opens with all of its items, on the value that is chosen, or on the field that narrows it.
document.addEventListener("beforetoggle", ({ target, newState }) => {
  const menu = newState === "open" && target.closest?.(".menu-pick");
  if (!menu || menu !== target) return;
  const field = fieldOf(menu.closest("[data-pick]")), filter = menu.querySelector("[data-filter]");
  const chosen = field.matches("select") ? [field.value] : labelsOf(field.value);
  if (filter) filter.value = "";
  menu.querySelector("[data-created]")?.remove();
  if (!field.matches("select")) for (const label of chosen) addLabel(menu, label);
  const items = [...menu.querySelectorAll(".menu-item")];
  for (const item of items) {
    item.hidden = false;
    tick(item, chosen.includes(item.value));
    item.autofocus = !filter && item.ariaCurrent === "true";
  }
  if (!filter && !items.some((item) => item.autofocus)) items[0].autofocus = true;
}, true);

function tick(item, on) {
  if (on) item.setAttribute("aria-current", "true");
  else item.removeAttribute("aria-current");
}

// addLabel lists a label in a menu unless it is there.
function addLabel(menu, label) {
  if ([...menu.querySelectorAll(".menu-item")].some(({ value }) => value === label)) return;
  const create = menu.querySelector("[data-create]"), item = create.content.querySelector(".menu-item").cloneNode(true);
  item.value = item.querySelector(".menu-text").textContent = label;
  create.before(item);
}

// The menu of labels stays open for the next one.
document.addEventListener("click", ({ target }) => {
  const item = target.closest?.(".menu-pick[data-labels] .menu-item");
  if (!item) return;
  const menu = item.closest(".menu"), pick = menu.closest("[data-pick]");
  const field = fieldOf(pick), filter = menu.querySelector("[data-filter]");
  const chosen = labelsOf(field.value), added = labelsOf(item.value);
  const removes = chosen.includes(item.value);
  field.value = (removes ? chosen.filter((label) => label !== item.value) : [...new Set([...chosen, ...added])]).join(", ");
  if (item.matches("[data-created]")) item.remove();
  for (const label of added) addLabel(menu, label);
  for (const each of menu.querySelectorAll(".menu-item")) if (added.includes(each.value)) tick(each, !removes);
  show(pick);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  filter.value = "";
  filter.dispatchEvent(new Event("input", { bubbles: true }));
  filter.focus();
});
