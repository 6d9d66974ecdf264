// After a page has replaced another one, the focus and the scroll are where a new page has them.
document.addEventListener("htmx:after:swap", (event) => {
  if (event.detail?.ctx?.target !== document.body) return;
  const first = document.querySelector("main [aria-invalid]") ?? document.querySelector("main [autofocus]:not(dialog *)") ?? document.getElementById("main");
  first?.focus();
});

// A menu closes when one of its links is followed.
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[popover] a")) event.target.closest("[popover]").hidePopover?.();
});
