import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { drafts } from "../js/draftstore.js";

// A storage as browsers have it: its keys are its properties.
class Storage {
  getItem(key) { return this[key] ?? null; }
  setItem(key, value) { this[key] = value; }
  removeItem(key) { delete this[key]; }
}

beforeEach(() => { globalThis.localStorage = new Storage(); });

// formOf returns a form of one text with its draft.
const formOf = (value) => {
  const field = { name: "body", value, defaultValue: "" };
  return { dataset: { draft: "comment" }, querySelectorAll: () => [field, { name: "", value: "unnamed" }], field };
};

test("a draft stays until it is removed", () => {
  drafts.write("comment", { body: "a" });
  assert.deepEqual(drafts.read("comment"), { body: "a" });
  drafts.remove("comment");
  assert.equal(drafts.read("comment"), null);
});

test("signing out removes drafts, and nothing else", () => {
  drafts.write("comment", { body: "a" });
  localStorage.setItem("theme", "dark");
  drafts.clear();
  assert.deepEqual(Object.keys(localStorage), ["theme"]);
});

test("a form that was sent has no draft, unless another tab has typed since", () => {
  const form = formOf("a");
  drafts.write("comment", { body: "a" });
  drafts.sent(form);
  assert.equal(drafts.read("comment"), null);
  assert.equal(form.field.defaultValue, "a");
  drafts.write("comment", { body: "typed elsewhere" });
  drafts.sent(form);
  assert.deepEqual(drafts.read("comment"), { body: "typed elsewhere" });
});

test("a browser that stores nothing, or something else, breaks nothing", () => {
  localStorage.setItem("draft comment", "no JSON");
  assert.equal(drafts.read("comment"), null);
  const refuse = () => { throw new Error("The storage is refused."); };
  globalThis.localStorage = { getItem: refuse, setItem: refuse, removeItem: refuse };
  drafts.write("comment", { body: "a" });
  drafts.remove("comment");
  assert.equal(drafts.read("comment"), null);
});
