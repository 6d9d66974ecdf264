// After a page has replaced another one, the focus is where a new page has it. The browser minds autofocus when a
// document loads and complains about it later, so it is taken out first.
document.addEventListener("htmx:before:swap", ({ detail }) => {
  if (detail.ctx.target !== document.body) return;
  for (const { fragment } of detail.tasks) {
    for (const field of fragment?.querySelectorAll("[autofocus]") ?? []) {
      field.removeAttribute("autofocus");
      field.dataset.focus = "";
    }
  }
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx.target !== document.body) return;
  const main = document.getElementById("main");
  (main.querySelector("[aria-invalid]") ?? main.querySelector("[data-focus]") ?? main).focus();
});

// A menu closes when one of its links is followed.
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[popover] a")) event.target.closest("[popover]").hidePopover?.();
});

// A form is not sent again while it is being sent: a double click would create a key twice, and show the token of neither.
document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("data-sending")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.method === "post") event.target.dataset.sending = "";
});
document.addEventListener("htmx:before:request", ({ detail }) => {
  if (detail.ctx.sourceElement.matches("form[method=post]")) detail.ctx.sourceElement.dataset.sending = "";
});
for (const end of ["htmx:finally:request", "pageshow"]) {
  addEventListener(end, () => document.querySelectorAll("[data-sending]").forEach((form) => form.removeAttribute("data-sending")));
}

// The script of live updates is loaded by the first page that takes part in them.
function loadLive() {
  const live = document.querySelector("[data-live]");
  if (live) import(live.dataset.live);
}
loadLive();
document.addEventListener("htmx:after:swap", loadLive);
