import { copyText, showOn } from "../clipboard.js";
import { sizeOf } from "../writing/sizes.js";
import { element } from "./element.js";
import { pretty } from "./json.js";
import { remember } from "./seen.js";

// The answer to a request is shown as one text. Its colours are ranges of it, so nothing in it becomes an element.

const shownBytes = 1 << 20, colouredWords = 20_000;

const textual = /^(text\/|application\/([a-z.-]+\+)?json\b)/;

/**
 * answerPart makes the part of a form that shows the answers of an operation.
 * @param {string} summary
 */
export function answerPart(summary) {
  return element("section", { class: "answer", "aria-label": `Answer: ${summary}`, hidden: true },
    element("p", { class: "status", role: "status" }),
    element("div", { class: "problem", hidden: true }),
    element("div", { class: "buttons" }),
    element("details", { class: "headers", hidden: true }, element("summary", {}, "Headers"),
      element("pre", { tabIndex: 0, "aria-label": "Headers" })),
    element("pre", { class: "body", tabIndex: 0, "aria-label": "Body of the answer", hidden: true }));
}

/**
 * clear empties the part, and says what happens.
 * @param {Found} part
 * @param {string} words
 */
export function clear(part, words) {
  part.hidden = false;
  part.querySelector(".status").textContent = words;
  for (const inner of [".problem", ".headers", ".body"]) part.querySelector(inner).hidden = true;
  part.querySelector(".problem").replaceChildren();
  forgetFile(part);
  part.querySelector(".buttons").replaceChildren();
}

function forgetFile(part) {
  const link = part.querySelector("a[download]");
  if (link) URL.revokeObjectURL(link.href);
}

/**
 * show shows a response while it arrives, and returns its problem, or its JSON where it is some.
 * @param {Found} part
 * @param {Response} response
 * @param {number} began
 */
export async function show(part, response, began) {
  const type = response.headers.get("Content-Type") ?? "", pre = part.querySelector(".body");
  const waited = Math.round(performance.now() - began);
  const say = (bytes, more) => {
    const status = element("strong", { class: response.ok ? "good" : "bad" }, `${response.status} ${response.statusText}`.trim());
    part.querySelector(".status").replaceChildren(status, ` in ${waited} ms${bytes ? `, ${sizeOf(bytes)}` : ", no body"}${more}`);
  };
  const headers = part.querySelector(".headers");
  headers.hidden = false;
  headers.querySelector("pre").textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  if (!textual.test(type)) {
    const bytes = await response.arrayBuffer();
    say(bytes.byteLength, type && bytes.byteLength ? `, ${type}` : "");
    if (bytes.byteLength) offerFile(part, bytes, response.headers.get("Content-Disposition"));
    return undefined;
  }
  say(0, "");
  const text = new Text();
  pre.replaceChildren(text);
  pre.hidden = false;
  const { bytes, cut } = await read(response, (words) => text.appendData(words));
  say(bytes, cut ? `. More than ${sizeOf(shownBytes)} is not shown` : "");
  if (!text.data) pre.hidden = true;
  offerCopy(part, text);
  remember(text.data);
  const made = /json/.test(type) && !cut && pretty(text.data);
  if (!made) return undefined;
  const value = JSON.parse(text.data);
  text.data = made.text;
  colour(text, made.marks);
  if (!response.ok) showProblem(part, value);
  return value;
}

// read reads what is shown of a text.
async function read(response, add) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes, cut: false };
    bytes += new Blob([value]).size;
    add(value);
    if (bytes <= shownBytes) continue;
    await reader.cancel();
    return { bytes, cut: true };
  }
}

// colour colours the words of a text. Colours of texts that are gone go with them.
function colour(text, marks) {
  const { highlights } = /** @type {any} */ (CSS);
  if (!highlights || marks.length > colouredWords) return;
  const kinds = {};
  for (const { kind, from, to } of marks) (kinds[kind] ??= []).push(new StaticRange(rangeOf(text, from, to)));
  for (const [kind, ranges] of Object.entries(kinds)) {
    const name = `json-${kind}`;
    if (!highlights.has(name)) highlights.set(name, new globalThis.Highlight());
    const all = highlights.get(name);
    for (const old of [...all]) if (!old.startContainer.isConnected) all.delete(old);
    for (const range of ranges) all.add(range);
  }
}

const rangeOf = (node, startOffset, endOffset) => ({ startContainer: node, startOffset, endContainer: node, endOffset });

function showProblem(part, { title, code, detail, errors, requestId }) {
  const problem = part.querySelector(".problem");
  const known = typeof code === "string" && document.getElementById(code)?.matches("tr");
  const named = element("code", {}, String(code ?? ""));
  problem.append(element("p", {}, element("strong", {}, String(title ?? "Problem")), " ",
    known ? element("a", { href: `#${code}` }, named) : named));
  const said = [title, ...Array.isArray(errors) ? errors.map((fault) => fault.detail) : []];
  if (detail && !said.includes(detail)) problem.append(element("p", {}, String(detail)));
  if (Array.isArray(errors) && errors.length > 0)
    problem.append(element("ul", {}, ...errors.map((fault) =>
      element("li", {}, element("code", {}, String(fault.pointer ?? fault.parameter ?? fault.code)), ` ${fault.detail}`))));
  if (requestId) problem.append(element("p", { class: "hint" }, `Request ${requestId}`));
  problem.hidden = false;
}

function offerCopy(part, text) {
  if (!text.data) return;
  const button = copyButton("Copy answer", () => text.data);
  part.querySelector(".buttons").append(button);
}

/**
 * copyButton makes a button that copies a text.
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  const button = element("button", { type: "button" },
    element("span", { "data-copy-label": "", "aria-live": "polite" }, label));
  button.onclick = async () => showOn(button, await copyText(text()) ? "Copied" : "Not copied");
  return button;
}

// offerFile offers bytes to be saved. Their type is none that a browser opens.
function offerFile(part, bytes, disposition) {
  const download = disposition?.match(/filename="([^"]+)"/)?.[1] ?? "answer";
  const href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  part.querySelector(".buttons").append(element("a", { class: "button", href, download }, "Save the file"));
}
