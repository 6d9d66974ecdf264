// A button with data-copy copies the text of the element that it names.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const label = button.querySelector("[data-copy-label]");
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    source.closest("details")?.setAttribute("open", "");
    getSelection().selectAllChildren(source); // without the right, or over http: ready for the keyboard
    return;
  }
  label.dataset.label ??= label.textContent;
  label.textContent = label.dataset.copied;
  clearTimeout(button.copied);
  button.copied = setTimeout(() => { label.textContent = label.dataset.label; }, 2000);
});
