import { answerPart, clear, copyButton, show } from "./answer.js";
import { element } from "./element.js";
import { fieldsOf, mark, valuesOf } from "./fields.js";
import { currentKey, setKey } from "./key.js";
import { curl, headersOf, pathOf } from "./request.js";

/** @typedef {import("./description.js").Operation} Operation */

let count = 0;

/**
 * formOf makes the form that tries an operation.
 * @param {Operation} operation
 * @param {string | undefined} effect what it does to what is stored: changes, deletes, or nothing
 */
export function formOf(operation, effect) {
  const id = `try-${++count}`, { keys } = document.body.dataset;
  const keyField = element("input", { id: `${id}-key`, type: "password", "data-key": "", value: currentKey(), autocomplete: "off",
    spellcheck: false, "aria-describedby": `${id}-key-hint` });
  keyField.oninput = () => setKey(keyField.value);
  const forget = element("button", { type: "button" }, "Forget the key");
  forget.onclick = () => { setKey(""); keyField.focus(); };
  const line = element("pre", { class: "curl", tabIndex: 0, "aria-label": "Command for a terminal" });
  const withKey = element("input", { type: "checkbox", "data-with-key": "" });
  const copy = copyButton("Copy command", () => line.textContent);
  const send = element("button", { type: "submit", class: "primary" }, "Send");
  const stop = element("button", { type: "button", class: "stop", hidden: true }, "Stop");
  const form = element("form", { class: "tried", noValidate: true, autocomplete: "off", "aria-label": `Try it: ${operation.summary}` },
    element("div", { class: "field" }, element("label", { for: keyField.id }, "API key"),
      element("div", { class: "row" }, keyField, forget),
      element("p", { id: `${id}-key-hint`, class: "hint" }, "It stays in this tab, and is sent to this instance alone. ",
        keys ? element("a", { href: keys }, "Create a key") : null)),
    ...operation.params.length > 0 ? fieldsOf(operation.params) : [],
    accepting(operation, id), ...bodyOf(operation, id),
    effect ? element("p", { class: "effect" }, `This request ${effect} what is stored on this instance.`) : null,
    line,
    element("div", { class: "buttons" }, send, stop, copy,
      element("label", { class: "check" }, withKey, "with the key")),
    answerPart(operation.summary));
  const write = () => {
    const request = said(form, operation);
    line.textContent = curl(request, location.origin, withKey.checked);
    copy.disabled = lacking(request).length > 0;
    copy.title = copy.disabled ? "Fill in the path first" : "";
  };
  form.addEventListener("input", write);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (stop.hidden) submit(form, operation, effect);
  });
  write();
  return form;
}

function accepting({ accepts }, id) {
  if (accepts.length < 2) return null;
  return element("div", { class: "field" }, element("label", { for: `${id}-accept` }, "Answer as"),
    element("select", { id: `${id}-accept`, "data-accept": "" }, ...accepts.map((type) => element("option", {}, type))));
}

/**
 * @param {Operation} operation
 * @param {string} id
 */
function bodyOf({ body, optional, upload }, id) {
  if (upload)
    return [element("div", { class: "field" }, element("label", { for: `${id}-file` }, "File"),
      element("input", { id: `${id}-file`, type: "file" }))];
  if (body === undefined) return [];
  return [element("div", { class: "field" },
    element("label", { for: `${id}-body` }, "Body ", element("span", { class: "kind" }, optional ? "JSON; sent unless empty" : "JSON")),
    element("textarea", { id: `${id}-body`, "data-body": "", value: body, spellcheck: false, autocomplete: "off", autocapitalize: "off",
      rows: Math.min(body.split("\n").length + 1, 18) }))];
}

/**
 * said returns the request that a form describes.
 * @returns {import("./request.js").Said}
 */
function said(form, { method, path }) {
  return { method, path, params: valuesOf(form), key: currentKey(), accept: form.querySelector("[data-accept]")?.value,
    body: form.querySelector("[data-body]")?.value.trim() || undefined, file: form.querySelector("input[type=file]")?.files[0] };
}

// lacking returns the faults of a form without which there is no request.
function lacking({ params }) {
  return params.filter((p) => p.in === "path" && [undefined, ".", ".."].includes(p.values[0]))
    .map(({ name }) => ({ parameter: name, detail: "is a part of the path" }));
}

async function submit(form, operation, effect) {
  const request = said(form, operation), refused = mark(form, lacking(request));
  if (refused) return refused.focus();
  if (operation.upload && !request.file) return form.querySelector("input[type=file]").focus();
  const path = pathOf(request), target = `${operation.method} ${path.split("?")[0]}`;
  if (effect && form.dataset.asked !== target) {
    if (!await ask(form, target, effect)) return;
    form.dataset.asked = target;
  }
  const value = await send(form, path, request);
  mark(form, Array.isArray(value?.errors) ? value.errors : []);
  offerNext(form, value);
}

// ask asks whether a request that changes something is to be sent.
function ask(form, target, effect) {
  form.querySelector(".asking")?.remove();
  const { promise, resolve } = Promise.withResolvers();
  const yes = element("button", { type: "button", class: effect === "deletes" ? "danger" : "primary" }, "Send it");
  const no = element("button", { type: "button" }, "Cancel");
  const asking = element("div", { class: "asking", role: "group", tabIndex: -1, "aria-label": "Confirm" },
    element("p", {}, "This is no example: ", element("code", {}, target), ` ${effect} what is stored on this instance.`),
    element("div", { class: "buttons" }, yes, no));
  const end = (answer) => () => {
    asking.remove();
    form.querySelector("button[type=submit]").focus();
    resolve(answer);
  };
  yes.onclick = end(true);
  no.onclick = end(false);
  asking.onkeydown = (event) => { if (event.key === "Escape") no.click(); };
  form.querySelector(".answer").before(asking);
  asking.focus();
  return promise;
}

// send sends a request with the key alone, and shows what comes back. It returns JSON that is in it.
async function send(form, path, request) {
  const part = form.querySelector(".answer"), stop = form.querySelector(".stop"), stopped = new AbortController();
  stop.hidden = false;
  stop.onclick = () => stopped.abort();
  clear(part, "Sending …");
  try {
    const began = performance.now(), response = await fetch(path, { method: request.method, headers: headersOf(request),
      body: request.file ? fileForm(request.file) : request.body, signal: stopped.signal,
      credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" });
    return await show(part, response, began);
  } catch (error) {
    const words = error.name === "AbortError" ? "Stopped." : `There is no answer: ${error.message}.`;
    part.querySelector(".status").replaceChildren(words);
  } finally {
    if (document.activeElement === stop) form.querySelector("button[type=submit]").focus();
    stop.hidden = true;
  }
}

function fileForm(file) {
  const form = new FormData();
  form.append("file", file);
  return form;
}

// offerNext offers the next page of a list.
function offerNext(form, value) {
  const cursor = value?.pagination?.hasMore && value.pagination.cursor;
  const field = form.querySelector("[data-param=cursor] input");
  if (typeof cursor !== "string" || !field) return;
  const next = element("button", { type: "button" }, "Next page");
  next.onclick = () => {
    field.value = cursor;
    form.dispatchEvent(new Event("input"));
    form.requestSubmit();
    form.querySelector("button[type=submit]").focus();
  };
  form.querySelector(".answer .buttons").append(next);
}
