import { copyText, showLink, showOn } from "./clipboard.js";

// A button with data-copy copies the text of the element that it names, and one with data-copy-text its own. A text that the browser does
// not copy is shown and selected, ready for the keys that copy.
document.addEventListener("click", async ({ target }) => {
  const button = target.closest?.("[data-copy], [data-copy-text]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = button.dataset.copyText ?? source.textContent;
  const { copied, selected } = button.querySelector("[data-copy-label]").dataset;
  if (await copyText(text)) return showOn(button, copied);
  if (!source) return showLink(text, false);
  source.closest("details")?.setAttribute("open", "");
  source.scrollIntoView({ block: "nearest" });
  getSelection().selectAllChildren(source);
  showOn(button, selected);
});
