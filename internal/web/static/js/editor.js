// The preview of an editor shows its text as the server renders it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-preview]");
  if (!button) return;
  event.preventDefault();
  const editor = button.closest("[data-editor]"), panel = editor.querySelector(".preview"), field = editor.querySelector("textarea");
  const on = button.ariaPressed !== "true";
  if (on) {
    try {
      const body = new URLSearchParams({ description: field.value });
      const response = await fetch("/new/draft", { method: "POST", body, headers: { Accept: "text/html", "HX-Request-Type": "partial" } });
      if (!response.ok || response.redirected) throw new Error();
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      panel.replaceChildren(...page.querySelector(".preview").childNodes);
    } catch {
      return editor.dispatchEvent(new CustomEvent("preview:failed", { bubbles: true }));
    }
  }
  button.ariaPressed = on ? "true" : "false";
  editor.classList.toggle("previews", on);
  panel.classList.toggle("preview-empty", !on);
  (on ? panel : field).focus();
});
