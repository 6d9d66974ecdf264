import { dispatch, pageOf } from "../app.js";
import { lost, showNotice } from "./notices.js";
import { report, showParts } from "./parts.js";

const isSignIn = (response) => response.redirected && new URL(response.url).pathname === "/login";

/** @type {Promise<unknown>} */
let asked = Promise.resolve(); // the last request

/**
 * ask asks for a page, and shows its parts, unless the reader has gone on to another page meanwhile. It returns whether the answer is the
 * page that was asked for. One request follows the other. When the session has ended, again asks once more after the password.
 * @param {string} reference
 * @param {string} url
 * @param {() => void} again
 * @param {() => URLSearchParams} [body]
 */
export const ask = (reference, url, again, body) => (asked = asked.then(() => request(reference, url, again, body)));

/**
 * after acts after the requests so far. An error in it does not keep later requests from being sent.
 * @param {() => void} act
 */
export function after(act) {
  asked = asked.then(act).catch(reportError);
}

async function request(reference, url, again, body) {
  const shown = report();
  const options = body && { method: "POST", body: body() };
  if (shown) shown.ariaBusy = "true";
  try {
    const response = await fetch(url, { ...options, headers: { Accept: "text/html" } });
    if (isSignIn(response)) return dispatch(document, "session:ended", { again }), false;
    const page = await pageOf(response);
    const next = page.querySelector(".report");
    const isAsked = next?.dataset.reference === reference;
    if (isLeft(reference)) {
      if (options && !response.ok) showNotice(page.querySelector("main > .notice"));
      return response.ok && isAsked;
    }
    if (!isAsked) { // a report that is deleted, a session that has ended, a problem
      if (response.redirected || !options) return location.assign(response.url), false;
      const deleted = page.querySelector("[data-part-deleted]");
      if (deleted) return showNotice(deleted.content.firstElementChild.cloneNode(true)), false;
      const text = page.querySelector("main h1")?.textContent ?? "";
      lost();
      const notice = document.querySelector("[data-notice] p");
      if (notice && text) notice.textContent = text;
      return false;
    }
    showParts(page);
    showNotice(page.querySelector("main > .notice"));
    return response.ok;
  } catch {
    lost();
    return false;
  } finally {
    if (shown) shown.ariaBusy = null;
  }
}

/** @param {string | undefined} reference */
export const isLeft = (reference) => report()?.dataset.reference !== reference;
/**
 * within returns whether an element is one of the report, which may be in the bar above it.
 * @param {any} element
 */
export const within = (element) => element && report()
  && (report().closest("main, [data-pane]").contains(element) || Boolean(element.closest(".pane-bar, .bar-action")));
/** @param {string} id */
export const focusOn = (id) => document.getElementById(id)?.focus();
