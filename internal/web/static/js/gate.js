// Only a page of this origin becomes a part of the page that is shown. An answer is one when it has the header with which the server marks
// what it rendered: no file, archive or text that somebody else wrote has it. Every script that makes elements of an answer calls pageOf, and
// htmx gets the texts of marked answers alone. The browser enforces it where it knows Trusted Types, and this script everywhere.
const mark = "Bugslice-Page";
const answers = new Set(); // the texts of each marked answer that is about to become elements

function isPage(marked, url) {
  return marked === "1" && new URL(url, location.href).origin === location.origin;
}

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
const policy = globalThis.trustedTypes?.createPolicy("bugslice", rules) ?? rules;

// Scripts are loaded from the files of the program alone.
globalThis.trustedTypes?.createPolicy("default", {
  createScriptURL(text) {
    const url = new URL(text, location.href);
    return url.origin === location.origin && url.pathname.startsWith("/static/") ? url.href : null;
  },
});

function parse(text) {
  const texts = [text];
  answers.add(texts);
  try {
    return new DOMParser().parseFromString(policy.createHTML(text), "text/html");
  } finally { answers.delete(texts); }
}

// pageOf returns the document of an answer, and fails when that is no page.
globalThis.pageOf = async (response) => {
  if (!isPage(response.headers.get(mark), response.url)) throw new TypeError(`${response.url} is no page`);
  return parse(await response.text());
};

// pageOfUpload is pageOf for an XMLHttpRequest.
globalThis.pageOfUpload = (request) => {
  if (!isPage(request.getResponseHeader(mark), request.responseURL)) throw new TypeError(`${request.responseURL} is no page`);
  return parse(request.responseText);
};

// htmx makes elements of the head of an answer and of what is around it, or of the latter within a template.
const head = /<head(\s[^>]*)?>[\s\S]*?<\/head>/i;
function partsOf(text) {
  const rest = text.replace(head, "");
  return [text.match(head)?.[0], rest, `<template>${rest}</template>`].filter((part) => part !== undefined);
}

// An answer that is no page is opened by the browser instead, which asks for it again. One to a change is lost, as one that never came.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  const send = ctx.fetch;
  ctx.fetch = async (...request) => {
    const response = await send(...request);
    if (response.status !== 204 && !isPage(response.headers.get(mark), response.url)) {
      const isShown = ctx.target === document.body || response.status < 500;
      if (!isShown || ctx.request.method !== "GET" && !response.redirected) throw new TypeError(`${response.url} is no page`);
      location.assign(response.url);
      throw new DOMException("The browser opens it.", "AbortError");
    }
    const read = response.text.bind(response);
    response.text = async () => {
      const text = await read();
      if (/<hx-/i.test(text)) throw new TypeError("A page of Bugslice has no parts for other places.");
      answers.add(ctx.texts = partsOf(text));
      return text;
    };
    return response;
  };
}, true);
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => answers.delete(ctx.texts), true);

// htmx runs nothing that an attribute says.
const refuse = function () { throw new TypeError("No attribute runs a script."); };
htmx.registerExtension("gate", { init: (api) => api.initSecurity(policy, refuse, refuse) });
