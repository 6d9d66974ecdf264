import assert from "node:assert/strict";
import { test } from "node:test";
import { pastedFiles } from "../js/writing/clipboard.js";

const picture = { name: "image.png", type: "image/png" }, report = { name: "report.pdf", type: "application/pdf" };

// paste pastes files and a text into a field, and returns the names of the files that are added, and whether the text is left out.
function paste(files, text, isField = true) {
  let prevented = false;
  const event = { clipboardData: { files, getData: () => text }, target: { closest: () => (isField ? {} : null) },
    preventDefault: () => { prevented = true; } };
  return [pastedFiles(event).map(({ name }) => name), prevented];
}

test("files are added in the place of a text that names them", () => {
  assert.deepEqual(paste([picture], ""), [["image.png"], true]);
  assert.deepEqual(paste([report], "report.pdf"), [["report.pdf"], true]);
  assert.deepEqual(paste([report], "/home/ada/report.pdf"), [["report.pdf"], true]);
  assert.deepEqual(paste([{ name: "a b.pdf", type: "application/pdf" }], "file:///home/ada/a%20b.pdf"), [["a b.pdf"], true]);
});

test("a picture of a text is not added beside the text", () => {
  assert.deepEqual(paste([picture], "a cell\tof a table"), [[], false]);
});

test("outside of a field the text is not pasted, and the picture is", () => {
  assert.deepEqual(paste([picture], "a cell", false), [["image.png"], true]);
});

test("a paste without files changes nothing", () => {
  assert.deepEqual(paste([], "a text"), [[], false]);
});
