import assert from "node:assert/strict";
import { test } from "node:test";
import { matching } from "../js/reference/match.js";

const rows = [
  { name: "Slices GET List bug reports /v1/slices listSlices", more: "The newest first." },
  { name: "Slices POST File a bug report /v1/slices createSlice", more: "Evidence is redacted." },
  { name: "Slices DELETE Delete a bug report /v1/slices/{sliceId} deleteSlice", more: "" },
  { name: "Webhooks POST Create a webhook /v1/webhooks createWebhook", more: "Signed by HMAC." },
  { name: "API keys POST Rotate a key /v1/keys/{keyId}/rotate rotateKey", more: "" },
];

test("an operation is found by its name, by other words for it, and by its identifier", () => {
  for (const text of ["create a report", "create a slice", "file a report", "createSlice", "new bug", "Submit Issue"]) {
    assert.deepEqual(matching(text, rows), [1], text);
  }
  assert.deepEqual(matching("remove slice", rows), [2]);
  assert.deepEqual(matching("rotate token", rows), [4]);
  assert.deepEqual(matching("/v1/webhooks", rows), [3]);
});

test("the word of the method is no other word for what a person does", () => {
  const posts = [{ name: "Slices Restore several /v1/slices:restore restoreSlices", more: "" }, ...rows];
  assert.deepEqual(matching("create a report", posts), [2]);
});

test("a description finds an operation only where no name does", () => {
  assert.deepEqual(matching("hmac", rows), [3]);
  assert.deepEqual(matching("evidence redacted", rows), [1]);
  assert.deepEqual(matching("zebra", rows), []);
});
