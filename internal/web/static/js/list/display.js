// How the reader sees lists in this browser: the grouping, the parts of rows, their height, and the groups that are folded. A cookie of the
// pages of lists keeps it, so that the server renders it, and nothing moves while a page is loaded.
const name = "bugslice-display", most = 3000; // characters: the groups that were folded first are forgotten

function read() {
  const kept = document.cookie.split("; ").find((cookie) => cookie.startsWith(`${name}=`));
  return new URLSearchParams(kept?.slice(name.length + 1));
}
function write(values) {
  while (String(values).length > most && values.has("fold")) values.delete("fold", values.get("fold"));
  document.cookie = `${name}=${values}; path=/reports; max-age=31536000; samesite=lax`;
}

// toggle adds a value to those of a name, or removes it.
function toggle(key, value, on) {
  const values = read(), others = values.getAll(key).filter((other) => other !== value);
  values.delete(key);
  for (const other of on ? [...others, value] : others) values.append(key, other);
  write(values);
}

function set(key, value) {
  const values = read();
  values.delete(key);
  if (value) values.set(key, value);
  write(values);
}

const press = (buttons, isPressed) => buttons.forEach((button) => button.setAttribute("aria-pressed", String(isPressed(button))));

document.addEventListener("click", ({ target }) => {
  const of = (selector) => target.closest?.(selector);
  const list = document.querySelector(".reports");
  if (of("[data-group-by]")) set("group", of("[data-group-by]").dataset.groupBy);
  else if (of("[data-density-to]")) {
    const { densityTo } = of("[data-density-to]").dataset;
    set("density", densityTo);
    list.removeAttribute("data-density");
    if (densityTo) list.dataset.density = densityTo;
    press(document.querySelectorAll("[data-density-to]"), (button) => button.dataset.densityTo === densityTo);
  } else if (of("[data-column]")) {
    const button = of("[data-column]"), hides = button.getAttribute("aria-pressed") === "true";
    toggle("hide", button.dataset.column, hides);
    press([button], () => !hides);
    list.dataset.hide = [...document.querySelectorAll("[data-column][aria-pressed=false]")].map((b) => b.dataset.column).join(" ");
  } else if (of("[data-fold]")) {
    const button = of("[data-fold]"), folds = button.getAttribute("aria-expanded") === "true";
    toggle("fold", button.dataset.fold, folds);
    button.setAttribute("aria-expanded", String(!folds));
    button.closest(".group").toggleAttribute("data-folded", folds);
  }
}, true);
