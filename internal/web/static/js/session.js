// When the session has ended, a dialog asks for the password. The page stays as it is, and what was refused is sent again afterwards.
// Another script says so with the event session:ended, whose detail may have again, which sends its request again. The event session:closed
// says whether there is a session again.
import { dispatch } from "./events.js";
import { encoded, pageOf } from "./page.js";

const dialog = () => document.getElementById("session");
let refused = []; // functions that send a request again
let asking = false; // whether the dialog was shown, and its end is not told yet
// Whether the dialog was shown, and there is no session since: it opens again for what the reader does, and not by itself.
let asked = false;

document.addEventListener("session:ended", ({ detail }) => {
  if (!dialog()) return;
  settle();
  if (detail.again) refused.push(detail.again);
  if (dialog().open) return;
  if (asked && !detail.again) return closed(false);
  asked = asking = true;
  document.querySelector(":popover-open")?.hidePopover();
  dialog().showModal();
  dialog().querySelector("[name=password]").focus();
});

// There is a session again.
document.addEventListener("session:resumed", () => {
  asked = false;
  if (dialog()?.open) resume();
});

function resume() {
  const again = refused;
  refused = [];
  asked = false;
  dialog().close();
  for (const send of again) send();
  end(true);
}

// The event close follows its dialog, which may be open again by then, or gone with its page. What was refused before that is given up.
document.addEventListener("close", ({ target }) => { if (target === dialog()) settle(); }, true);
function settle() {
  if (asking && !dialog().open) end(false);
}

function end(resumed) {
  asking = false;
  refused = [];
  dialog().querySelector("form").reset();
  fault("");
  closed(resumed);
}

function closed(resumed) {
  dispatch(document, "session:closed", { resumed });
}

function fault(text) {
  const notice = dialog().querySelector("[data-fault]");
  notice.hidden = !text;
  notice.querySelector("p").textContent = text;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.parentElement !== dialog()) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button.ariaDisabled) return;
  button.ariaDisabled = "true";
  try {
    const response = await fetch(form.action, { method: "POST", body: encoded(form),
      headers: { Accept: "text/html" }, redirect: "manual" });
    if (response.type === "opaqueredirect") {
      resume();
      dispatch(document, "session:resume");
    } else {
      const page = await pageOf(response);
      fault((page.querySelector("main .notice p") ?? page.querySelector("main h1"))?.textContent ?? "");
      form.elements.password.select();
    }
  } catch {
    fault(dialog().dataset.unanswered);
  } finally {
    button.ariaDisabled = null;
  }
});

// htmx leaves the page as it is when its request was refused for want of a session. A script may have put its own way to send it again
// into ctx.
document.addEventListener("htmx:before:swap", (event) => {
  const { sourceElement, request, response, again: own } = event.detail.ctx;
  if (response?.status !== 401 || !dialog()) return;
  event.preventDefault();
  const again = own ?? (() => {
    if (!sourceElement.isConnected) return;
    if (sourceElement.matches("form")) sourceElement.requestSubmit(request.submitter?.isConnected ? request.submitter : null);
    else sourceElement.click();
  });
  dispatch(document, "session:ended", { again });
});
