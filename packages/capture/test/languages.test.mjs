// Each language of the dialog has each text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const root = new URL("../../../", import.meta.url);

test("ten languages have all texts", async () => {
  const source = execFileSync("go", ["tool", "-modfile=tools/go.mod", "esbuild",
    "packages/capture/src/dialog/languages.ts", "--format=esm"],
    { cwd: root, encoding: "utf8" });
  const { languages, wordsOf } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  assert.equal(languages.length, 10);
  const english = wordsOf(["en"]).words;
  for (const language of languages) {
    const { words } = wordsOf([`${language}-X`]);
    for (const name of Object.keys(english)) assert.ok(words[name], `${name} in ${language}`);
    for (const [name, part] of [["there", "{reference}"], ["refused", "{reason}"]])
      assert.ok(words[name].includes(part), `${part} in ${language}`);
    if (language !== "en") assert.notEqual(words.title, english.title);
  }
  assert.equal(wordsOf(["xx", "fr-CH"]).language, "fr");
});
