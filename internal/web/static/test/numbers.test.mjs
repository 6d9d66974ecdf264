import assert from "node:assert/strict";
import { test } from "node:test";
import { clock } from "../js/evidence/clock.js";
import { format, parse } from "../js/live/position.js";
import { sizeOf } from "../js/writing/sizes.js";

test("a clock has hours when there are any", () => {
  assert.deepEqual([0, 999, 61_000, 3_599_999, 3_600_000, 90_061_000].map(clock), ["0:00", "0:00", "1:01", "59:59", "1:00:00", "25:01:01"]);
});

test("sizes have one digit behind the point below ten", () => {
  assert.deepEqual([0, 999, 1000, 9_960, 12_345, 1_500_000, 2e12].map(sizeOf),
    ["0 B", "999 B", "1.0 kB", "10.0 kB", "12 kB", "1.5 MB", "2000 GB"]);
});

test("a position is what its text says", () => {
  assert.deepEqual(parse("wsp_1.7,wsp_2.19"), { wsp_1: 7, wsp_2: 19 });
  assert.deepEqual(parse(""), {});
  assert.equal(format(parse("wsp_1.7,wsp_2.19")), "wsp_1.7,wsp_2.19");
  assert.equal(format({}), "");
});
