import assert from "node:assert/strict";
import { test } from "node:test";
import { quote, term } from "../js/list/terms.js";

// at returns the term before the sign | of a text.
const at = (text) => term(text.replace("|", ""), text.indexOf("|"));

test("a term before the caret has a word, and its last value", () => {
  assert.deepEqual(at("sta|"), { word: null, part: "sta", from: 0, minus: false });
  assert.deepEqual(at("status:op|"), { word: "status", part: "op", from: 7, minus: false });
  assert.deepEqual(at("status:open,res|"), { word: "status", part: "res", from: 12, minus: false });
  assert.deepEqual(at("cart Label:a|"), { word: "label", part: "a", from: 11, minus: false });
});

test("what is behind the caret is no part of the term", () => {
  assert.deepEqual(at("status:op|en priority:high"), { word: "status", part: "op", from: 7, minus: false });
});

test("spaces, commas and colons in quotation marks divide nothing", () => {
  assert.deepEqual(at('label:"a b:c, d|'), { word: "label", part: '"a b:c, d', from: 6, minus: false });
  assert.deepEqual(at('label:"a b",|'), { word: "label", part: "", from: 12, minus: false });
});

test("a minus before a word leaves reports out, and one within it does not", () => {
  assert.deepEqual(at("-label:a|"), { word: "label", part: "a", from: 7, minus: true });
  assert.deepEqual(at("-la|"), { word: null, part: "la", from: 1, minus: true });
  assert.deepEqual(at("a-b|"), { word: null, part: "a-b", from: 0, minus: false });
});

test("values are quoted when they would be divided or mean something else", () => {
  assert.deepEqual(["checkout", "front end", "a,b", 'say "hi"', "me", "none"].map(quote),
    ["checkout", '"front end"', '"a,b"', '"say \\"hi\\""', '"me"', '"none"']);
});
