import assert from "node:assert/strict";
import test from "node:test";
import { branchOf } from "../js/reports/branch.js";

test("a branch has the reference and the first words of the title", () => {
  assert.equal(branchOf("WEB-163", "Checkout fails: “TypeError” after a discount"), "web-163-checkout-fails-typeerror-after-a-discount");
  assert.equal(branchOf("WEB-1", "Crème brûlée  / ../etc --force"), "web-1-creme-brulee-etc-force");
  assert.equal(branchOf("WEB-2", "日本語"), "web-2");
  assert.equal(branchOf("WEB-3", ""), "web-3");
});

test("a branch ends with a whole word", () => {
  const name = branchOf("WEB-4", "word ".repeat(40));
  assert.ok(name.length <= 60 && name.endsWith("-word"), name);
});
