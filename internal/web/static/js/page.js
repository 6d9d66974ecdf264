// Only a page of this origin becomes a part of the page that is shown. An answer is one when it has the header with which the server marks
// what it rendered: no file, archive or text that somebody else wrote has it. Every script that makes elements of an answer calls pageOf,
// and htmx gets the texts of marked answers alone (gate.js). The browser enforces it where it knows Trusted Types, and this script
// everywhere.
const mark = "Bugslice-Page";
const answers = new Set(); // the texts of each marked answer that is about to become elements

// partial are the headers of a request for what differs between pages alone.
export const partial = { Accept: "text/html", "HX-Request-Type": "partial" };

/**
 * encoded returns the fields of a form as a browser encodes them.
 * @param {any} form
 */
export const encoded = (form) => new URLSearchParams(/** @type {any} */ (new FormData(form)));

// minimal are those of a form whose answer is the address of the page that follows, without the page.
export const minimal = { ...partial, Prefer: "return=minimal" };

const rules = {
  createHTML(text) {
    if (![...answers].some((texts) => texts.includes(text))) throw new TypeError("This text is no page of Bugslice.");
    return text;
  },
  createScript(text) {
    if (text) throw new TypeError("A page of Bugslice has no script within it.");
    return "";
  },
};
export const policy = globalThis.trustedTypes?.createPolicy("bugslice", rules) ?? rules;

// Scripts are loaded from the files of the program alone.
globalThis.trustedTypes?.createPolicy("default", {
  createScriptURL(text) {
    const url = new URL(text, location.href);
    return url.origin === location.origin && url.pathname.startsWith("/static/") ? url.href : null;
  },
});

function isPage(marked, url) {
  return marked === "1" && new URL(url, location.href).origin === location.origin;
}

/**
 * isMarked says whether a response is a page.
 * @param {Response} response
 */
export const isMarked = (response) => isPage(response.headers.get(mark), response.url);

/**
 * permit lets texts of a marked answer become elements, until refuse.
 * @param {string[]} texts
 */
export function permit(texts) {
  answers.add(texts);
  return texts;
}
/** @param {string[] | undefined} texts */
export const refuse = (texts) => answers.delete(texts);

function parse(text) {
  const texts = permit([text]);
  try {
    return new DOMParser().parseFromString(policy.createHTML(text), "text/html");
  } finally { refuse(texts); }
}

/**
 * pageOf returns the document of an answer, and fails when that is no page.
 * @param {Response} response
 */
export async function pageOf(response) {
  if (!isMarked(response)) throw new TypeError(`${response.url} is no page`);
  return parse(await response.text());
}

/**
 * pageOfUpload is pageOf for an XMLHttpRequest.
 * @param {XMLHttpRequest} request
 */
export function pageOfUpload(request) {
  if (!isPage(request.getResponseHeader(mark), request.responseURL)) throw new TypeError(`${request.responseURL} is no page`);
  return parse(request.responseText);
}
