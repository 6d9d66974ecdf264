import assert from "node:assert/strict";
import { test } from "node:test";
import { declarations, sheet, sheetPart } from "../js/replay/style.js";

const types = { fullSnapshot: 2, incremental: 3, meta: 4, custom: 5 };
const sources = { mutation: 0, mouseMove: 1, resize: 4, styleRule: 8, font: 10, styleDeclaration: 13, adoptedSheet: 15 };
globalThis.document = { body: { dataset: { events: JSON.stringify({ Types: types,
  Sources: sources, Played: { Types: [2, 3, 4], Sources: [0, 1, 4, 8, 10, 13, 15] } }) } } };
const { sanitize } = await import("../js/replay/sanitizer.js");

test("style loads nothing, whatever its spelling", () => {
  for (const text of ["a { background: url(https://x.example/a) }", "a { background: UR\\4c('//x.example/a') }",
    "@import 'https://x.example/a.css';",
    "@im\\70ort url(//x.example/a);", "a { background: image-set('//x.example/a' 1x) }", "@font-face { src: url(//x.example/a) }",
    "a { background: attr(data-a url) }", "a { background: url(//x.example/a"]) {
    const cleaned = sheet(text);
    assert.doesNotMatch(cleaned, /url\((?!"(?:data|#))|@import|(?<![-\w])image-set\(|attr\(data-a url/i, text);
  }
});

test("style of pictures within it and of names stays as it is", () => {
  for (const text of ["a { color: red; width: calc(1px + 2%) }", 'a::after { content: "b" }',
    'a { background: url("data:image/png;base64,AA==") }',
    'a { mask: url("#b") }', "@media (width > 1px) { a { color: var(--b) } }"]) {
    assert.equal(sheet(text), text);
  }
});

test("an inline style has no comments, and a part of a sheet ends its last name", () => {
  assert.equal(declarations("a/* b */: url(#c)"), 'a : url("#c")');
  assert.equal(sheetPart("a { color: re"), "a { color: re/**/");
});

// elementOf returns the element of a recording whose snapshot has it, sanitized.
function elementOf(tagName, attributes) {
  const node = { type: 2, id: 2, tagName, attributes, childNodes: [] };
  const [event] = sanitize([{ type: 2, timestamp: 1, data: { node: { type: 0, id: 1, childNodes: [node] } } }]);
  return event.data.node.childNodes[0];
}

test("scripts, handlers and addresses of elements are removed", () => {
  assert.equal(elementOf("script", { src: "/a.js" }).tagName, "noscript");
  assert.deepEqual(elementOf("img", { src: "https://x.example/a.png", onerror: "a()", alt: "b" }).attributes, { alt: "b" });
  assert.deepEqual(elementOf("a", { href: "https://x.example/", ping: "/a", target: "_blank" }).attributes,
    { href: "#", target: "_blank" });
  assert.deepEqual(elementOf("iframe", { src: "data:image/png;base64,AA==", srcdoc: "<b>" }).attributes, {});
  assert.deepEqual(elementOf("link", { rel: "preload", href: "/a", media: "print" }).attributes, { media: "print" });
});

test("pictures within the recording, anchors and names stay", () => {
  assert.deepEqual(elementOf("img", { src: "data:image/png;base64,AA==", class: "a" }).attributes,
    { src: "data:image/png;base64,AA==", class: "a" });
  assert.deepEqual(elementOf("a", { href: "#b", title: null }).attributes, { href: "#b", title: null });
});

test("events that are not played keep their time, and are in its order", () => {
  const events = sanitize([{ type: 3, timestamp: 5, data: { source: 9 } },
    { type: 4, timestamp: 3, data: { width: -1, height: "a" } }, { type: 2, timestamp: "x" }]);
  assert.deepEqual(events.map(({ type, timestamp }) => [type, timestamp]), [[4, 3], [5, 5]]);
  assert.deepEqual(events[0].data, { width: 1, height: 1 });
});
