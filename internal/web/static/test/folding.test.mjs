import assert from "node:assert/strict";
import { test } from "node:test";
import { folded } from "../js/folding.js";

// TestBrowserFolding compares each letter with the server.
test("texts are compared without case, accents, strokes and forms", () => {
  for (const [text, want] of [["Checkout", "checkout"], ["ÉCLAIR", "eclair"],
    ["Łódź", "lodz"], ["ＡＢＣ１", "abc1"], ["٣", "3"], ["ΣΊΣΥΦΟΣ", "σισυφοσ"],
    ["straße", "strasse"], ["paral·lel", "parallel"], ["", ""]]) {
    assert.equal(folded(text), want);
  }
});
