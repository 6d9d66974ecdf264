// In the form of a new key: a preset ticks its scopes at once, and the workspace is sent for a token of one alone.
document.addEventListener("click", (event) => {
  const preset = event.target.closest?.("[data-scopes]");
  if (!preset) return;
  event.preventDefault();
  const chosen = preset.dataset.scopes.trim().split(" ");
  for (const box of preset.form.querySelectorAll("[name=scopes]")) box.checked = chosen.includes(box.value);
});

const typeOfKey = () => {
  const type = document.querySelector("[data-key-type]");
  const workspace = type?.querySelector("[name=workspaceId]");
  if (workspace) workspace.disabled = !type.querySelector("[value=wst]").checked;
};
document.addEventListener("change", (event) => { if (event.target.closest?.("[data-key-type]")) typeOfKey(); });
document.addEventListener("htmx:after:swap", typeOfKey);
typeOfKey();
