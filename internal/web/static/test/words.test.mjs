import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf, wordBefore } from "../js/writing/words.js";

test("a mention or a reference at the end of a text can be completed", () => {
  assert.deepEqual(wordBefore("@ma"), { text: "@ma", from: 0 });
  assert.deepEqual(wordBefore("See #WEB-1"), { text: "#WEB-1", from: 4 });
  assert.deepEqual(wordBefore("(@Mara Lind"), { text: "@Mara Lind", from: 1 });
  assert.deepEqual(wordBefore("\n@Zoë"), { text: "@Zoë", from: 1 });
});

test("an address, an anchor and a text after the word cannot", () => {
  for (const text of ["", "mara@example", "a#b", "#", "@mara lind said ", "@ma, "]) assert.equal(wordBefore(text), null, text);
});

test("a name without an address is told apart from a mention", () => {
  const names = (text, caret = -1) => namesOf(text, caret);
  assert.deepEqual(names("Ask @Bob, or (@Zoë). And @Bob again"), ["@Bob", "@Zoë"]);
  assert.deepEqual(names("@mara@northwind.example, @usr_01m8djag0re3ksqa4scjfambtp and mara@northwind.example"), []);
  assert.deepEqual(names("`@media` and\n```\n@Override\n```\n@done"), ["@done"]);
  assert.deepEqual(names("@Bo", 3), []);
});
