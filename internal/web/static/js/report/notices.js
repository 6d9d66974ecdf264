import { dispatch } from "../app.js";
import { report } from "./parts.js";

// showNotice shows a notice in the place of others.
export function showNotice(notice) {
  const main = document.getElementById("main");
  main.querySelectorAll(":scope > .notice:not([data-lost])").forEach((n) => n.remove());
  if (!notice) return;
  notice.dataset.notice = "";
  main.append(notice);
  htmx.process(notice);
  dispatch(document, "notice:shown");
}

// lost says that nothing was answered.
export function lost() {
  const template = report()?.querySelector("template[data-part-lost]");
  if (template) showNotice(template.content.firstElementChild.cloneNode(true));
}
