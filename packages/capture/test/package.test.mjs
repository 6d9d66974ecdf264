// The package: its sizes, and its import where there is no page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const root = new URL("../../../", import.meta.url);
const size = (name) => gzipSync(readFileSync(new URL(`internal/web/static/built/${name}.js`, root)), { level: 9 }).length;

test("the script is at most 12 kB, and 56 kB with all that it loads", () => {
  const first = size("capture"), all = first + size("capturerecorder") + size("capturedialog") + size("captureintake");
  assert.ok(first <= 12_000, `${first} bytes are loaded at once`);
  assert.ok(all <= 56_000, `${all} bytes are loaded in all`);
});

test("the package may be imported on a server, where calls do nothing", async () => {
  const dir = mkdtempSync(join(tmpdir(), "capture-"));
  try {
    execFileSync("scripts/capture-package", [dir], { cwd: root });
    const { start, Bugslice } = await import(join(dir, "index.js"));
    start({ instance: "https://bugs.example.com", key: "x" });
    Bugslice.set({ plan: "team" });
    Bugslice.report();
    await assert.rejects(Bugslice.capture(new Error("x")), /not started/);
    assert.match(readFileSync(join(dir, "index.d.ts"), "utf8"), /Bugslice: API/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
