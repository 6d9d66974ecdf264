// htmx makes elements of the texts of marked answers alone (page.js).
import { isMarked, permit, policy, refuse } from "./page.js";
import { loadSheets } from "./sheets.js";

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
    if (response.status !== 204 && !isMarked(response)) {
      const isShown = ctx.target === document.body || response.status < 500;
      if (!isShown || ctx.request.method !== "GET" && !response.redirected) throw new TypeError(`${response.url} is no page`);
      location.assign(response.url);
      throw new DOMException("The browser opens it.", "AbortError");
    }
    const read = response.text.bind(response);
    response.text = async () => {
      const text = await read();
      if (/<hx-/i.test(text)) throw new TypeError("A page of Bugslice has no parts for other places.");
      await loadSheets(text, ctx.target === document.body ? "not all" : ""); // before it is seen; those of a page style nothing yet
      ctx.texts = permit(partsOf(text));
      return text;
    };
    return response;
  };
}, true);
document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => refuse(ctx.texts), true);

// htmx runs nothing that an attribute says.
const forbid = function () { throw new TypeError("No attribute runs a script."); };
htmx.registerExtension("gate", { init: (api) => api.initSecurity(policy, forbid, forbid) });
