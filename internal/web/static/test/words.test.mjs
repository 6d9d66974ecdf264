import assert from "node:assert/strict";
import { test } from "node:test";
import { wordBefore } from "../js/writing/words.js";

test("a mention or a reference at the end of a text can be completed", () => {
  assert.deepEqual(wordBefore("@ma"), { text: "@ma", from: 0 });
  assert.deepEqual(wordBefore("See #WEB-1"), { text: "#WEB-1", from: 4 });
  assert.deepEqual(wordBefore("(@Mara Lind"), { text: "@Mara Lind", from: 1 });
  assert.deepEqual(wordBefore("\n@Zoë"), { text: "@Zoë", from: 1 });
});

test("an address, an anchor and a text after the word cannot", () => {
  for (const text of ["", "mara@example", "a#b", "#", "@mara lind said ", "@ma, "]) assert.equal(wordBefore(text), null, text);
});
