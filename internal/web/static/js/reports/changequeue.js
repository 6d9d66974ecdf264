// The changes of reports, one after the other.
import { menus, chosen } from "./menus.js";
import { box, changes, rows } from "./rows.js";

// A form sends the report of the menu alone, when the menu was opened for one.
document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id !== "change" || sending || !chosen.only) return;
  const row = document.getElementById(chosen.only);
  formData.delete("items");
  if (row) formData.append("items", box(row).value);
});
document.addEventListener("formdata", ({ target, formData }) => { if (changes(target) && !sending) formData.append("only", "true"); });

// A change is marked and painted before it is sent. One that is chosen while another one is being sent is sent after it, with the versions
// that its reports have then.
/** @type {{ fields: [string, any][], opener?: string }[]} */
let queue = []; // changes: their fields, and the id of the row for which the menu was opened
/** @type {{ fields: [string, any][], opener?: string } | null} */
export let sending = null; // the one that is sent now
let merging = false; // an answer is there, and its rows follow in a task of their own

document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id !== "change" || !sending) return;
  for (const name of [...formData.keys()]) formData.delete(name);
  for (const [name, value] of sending.fields) {
    const row = name === "items" && document.getElementById(value.split(" ")[0]);
    formData.append(name, row ? box(row).value : value);
  }
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id !== "change" || sending) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (event.submitter?.matches("[data-enter]")) return; // a menu has its own Enter
  const change = { fields: [...new FormData(/** @type {any} */ (form), event.submitter)], opener: chosen.only ?? chosen.origin };
  queue.push(change);
  markBusy(change);
  for (const menu of menus) if (menu.matches(":popover-open") && menu.dataset.menu !== "labels") menu.hidePopover();
  requestAnimationFrame(() => setTimeout(sendNext));
  setTimeout(sendNext, 200); // a page that is not seen has no frames
}, true);
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement?.id === "change" && queue.length) setTimeout(sendNext);
});

export function sendNext() {
  const form = document.getElementById("change");
  if (!form) return emptied();
  if (form.hasAttribute("data-sending") || merging || halted || !queue.length) return;
  queue.forEach(markBusy);
  sending = queue.shift();
  form.requestSubmit();
  sending = null;
  if (!queue.length) emptied();
}

/**
 * mergeLater lets the rows of an answer follow in a task of their own. Until then no change is sent.
 * @param {() => void} merge
 */
export function mergeLater(merge) {
  merging = true;
  setTimeout(() => {
    merging = false;
    merge();
  });
}

// The browser asks before it leaves a page with such changes.
addEventListener("beforeunload", (event) => { if (queue.length) event.preventDefault(); });

// emptied lets pages follow that wait until each change is sent: a change that has not been sent is lost with its page.
const followers = [];
const emptied = () => followers.splice(0).forEach((follow) => follow());

// isQueued says whether a change waits for another one.
export const isQueued = () => queue.length > 0;

const markBusy = ({ fields }) => {
  for (const [name, value] of fields) if (name === "items") document.getElementById(value.split(" ")[0])?.setAttribute("aria-busy", "true");
};

// While there is no session, changes wait. The one that was refused is sent again before them, with its own reports, whatever menu is
// open by then. Whoever does not sign in gives them up.
let halted = false;
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement?.id !== "change") {
    sendNext();
    if (ctx.target !== document.body || !queue.length || !document.getElementById("change")) return;
    const send = ctx.fetch;
    ctx.fetch = async (...request) => {
      if (queue.length) await new Promise((follow) => followers.push(follow));
      return send(...request);
    };
    return;
  }
  const fields = [...ctx.request.body];
  ctx.again = () => queue.unshift({ fields });
});
document.addEventListener("session:ended", () => { halted = true; unmark(); });
document.addEventListener("session:closed", ({ detail: { resumed } }) => {
  halted = false;
  if (!resumed) giveUp();
  sendNext();
});

// A request without an answer leaves the list as it is.
function giveUp() {
  queue = [];
  emptied();
}
const unmark = () => rows().forEach((row) => row.removeAttribute("aria-busy"));
document.addEventListener("htmx:error", ({ detail }) => {
  const lost = document.querySelector("[data-lost]");
  if (!lost || !detail.ctx) return;
  lost.hidden = false;
  giveUp();
  unmark();
});
