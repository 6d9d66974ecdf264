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
  const field = /** @type {any} */ (main.querySelector("[aria-invalid]") ?? main.querySelector("[data-focus]"));
  if (field) field.focus();
  else main.focus({ preventScroll: true }); // its top is below the bar, which would cover the first lines
});

// A menu closes when one of its links is followed, or a button of it opens something else.
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[popover] :is(a, [data-command])")) event.target.closest("[popover]").hidePopover?.();
});

// A dialog that is a popover closes with a click around it, and when the focus leaves it.
const dialogs = document.getElementsByTagName("dialog");
const light = () => [...dialogs].find((dialog) => dialog.matches(":popover-open"));
document.addEventListener("click", ({ target, clientX, clientY }) => {
  if (target !== light()) return;
  const { left, right, top, bottom } = target.getBoundingClientRect();
  if (clientX < left || clientX > right || clientY < top || clientY > bottom) target.hidePopover();
});
document.addEventListener("focusin", ({ target }) => {
  if (light() && !light().contains(/** @type {Node} */ (target))) light().hidePopover();
});

// A form is not sent again while it is being sent: a double click would create a key twice, and show the token of neither. One with
// data-queues is sent again afterwards, by its script.
document.addEventListener("submit", (event) => {
  if (!event.target.hasAttribute("data-sending") || event.target.hasAttribute("data-queues")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
addEventListener("submit", (event) => {
  if (!event.defaultPrevented && event.target.method === "post") event.target.dataset.sending = "";
});
document.addEventListener("htmx:before:request", ({ detail }) => {
  if (detail.ctx.sourceElement.matches("form[method=post]")) detail.ctx.sourceElement.dataset.sending = "";
});
document.addEventListener("htmx:finally:request", ({ detail }) => detail.ctx.sourceElement.removeAttribute("data-sending"));
addEventListener("pageshow", () => document.querySelectorAll("[data-sending]").forEach((form) => form.removeAttribute("data-sending")));
