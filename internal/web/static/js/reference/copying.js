// Each example of the reference has a button that copies it.
import { copyText, showOn } from "../clipboard.js";
import { element } from "./element.js";

for (const text of /** @type {any} */ (document.querySelectorAll(".shown > pre, .shown > details > pre"))) {
  const button = element("button", { class: "copy", type: "button", "aria-label": `Copy: ${text.getAttribute("aria-label") ?? "example"}` },
    element("span", { "data-copy-label": "", "aria-live": "polite" }, "Copy"));
  button.addEventListener("click", async () => {
    const copied = await copyText(text.textContent);
    showOn(button, copied ? "Copied" : "Press Ctrl C");
    if (!copied) getSelection().selectAllChildren(text);
  });
  const box = element("div", { class: "example" });
  text.replaceWith(box);
  box.append(text, button);
}
