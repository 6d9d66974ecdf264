// A form with data-apply is sent when a choice in it is made. Without this script, its button sends it.
document.addEventListener("change", ({ target }) => {
  if (target.form?.matches("[data-apply]")) target.form.requestSubmit();
});
