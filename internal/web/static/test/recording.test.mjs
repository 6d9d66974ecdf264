import assert from "node:assert/strict";
import test from "node:test";
import { bitsPerSecond, maxSeconds, megabytes, nameOf, timeOf } from "../js/record/limits.js";

test("the longest recording fits the limit of a file", () => {
  for (const bytes of [10 << 20, 25 << 20, 100 << 20, 1e12]) assert.ok(bitsPerSecond(bytes) / 8 * maxSeconds <= bytes, String(bytes));
  assert.equal(bitsPerSecond(1e12), 2_500_000);
});

test("times and names", () => {
  assert.deepEqual([0, 9.9, 61, 300].map(timeOf), ["0:00", "0:09", "1:01", "5:00"]);
  assert.deepEqual(["video/webm;codecs=vp8", "video/mp4"].map(nameOf), ["recording.webm", "recording.mp4"]);
  assert.equal(megabytes(1_250_000), "1.3 MB");
});
