import { copyText, showOn } from "../app.js";
import { lost } from "./notices.js";

// A link with data-copy-from copies its page, or leads to it where the browser does not copy.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy-from]");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    const response = await fetch(button.href);
    if (!response.ok || response.redirected) throw new Error();
    if (await copyText(await response.text())) showOn(button, button.querySelector("[data-copy-label]").dataset.copied);
    else location.assign(button.href);
  } catch { lost(); }
}, true);
