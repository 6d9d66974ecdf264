// The proof of work: the loop of our own computes SHA-256, and finds the answer that the instance knows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";

const source = execFileSync("go", ["tool", "-modfile=tools/go.mod", "esbuild", "packages/capture/src/intake/work.ts", "--format=esm"],
  { cwd: new URL("../../../", import.meta.url), encoding: "utf8" });
const { digest, solve } = await import(`data:text/javascript,${encodeURIComponent(source)}`);

test("the digest is SHA-256, for every length of a text within one block", () => {
  for (let length = 0; length <= 55; length++) {
    const text = randomBytes(length).toString("hex").slice(0, length);
    assert.equal(digest(text), createHash("sha256").update(text).digest().readUInt32BE(), text);
  }
});

test("an answer is that of the instance (internal/proofofwork), and gives the page time", async () => {
  globalThis.document = { hidden: true };
  globalThis.window = {};
  const now = performance.now, wait = globalThis.setTimeout;
  let clock = 0, turns = 0;
  performance.now = () => clock += 8; // 200 hashes take 8 ms
  globalThis.setTimeout = (done) => { turns++; return wait(done); };
  try {
    const puzzle = { salt: "abcdefghijklmnopqrstuvwxyz", bits: 12 };
    assert.equal(await solve(puzzle), "398");
    turns = 0;
    const answer = await solve({ ...puzzle, bits: 18 });
    assert.ok(Math.clz32(createHash("sha256").update(`${puzzle.salt}.${answer}`).digest().readUInt32BE()) >= 18);
    assert.ok(turns >= answer / 400 - 1 && turns > 2, `the page was busy: ${turns} turns for ${answer} hashes`);
  } finally {
    performance.now = now;
    globalThis.setTimeout = wait;
    delete globalThis.document;
    delete globalThis.window;
  }
});
