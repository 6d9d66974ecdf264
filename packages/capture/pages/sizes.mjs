// sizes prints how much a browser downloads, packed by gzip: the script for other applications and what it loads later, beside packages of
// peers, each bundled for browsers with what it needs to record and to ask for feedback.
//
//	node packages/capture/pages/sizes.mjs
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url)), root = fileURLToPath(new URL("../../..", import.meta.url));
const built = (name) => readFileSync(`${root}/internal/web/static/built/${name}.js`);
const later = ["capturerecorder", "capturedialog", "captureintake"].map(built);

// Each peer: what a page bundles, and what it loads later.
const peers = {
  "@sentry/browser": ['import * as S from "@sentry/browser"; ' +
    'S.init({ integrations: [S.feedbackIntegration(), S.replayIntegration()] });', ""],
  "posthog-js": ['import p from "posthog-js"; p.init("x", {});', 'import "posthog-js/dist/posthog-recorder";'],
  "@openreplay/tracker": ['import T from "@openreplay/tracker"; new T({ projectKey: "x" }).start();', ""],
};

const kB = (...texts) => (texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1000).toFixed(1);
console.log("| script | at once, kB | in all, kB |\n|---|---:|---:|");
console.log(`| Bugslice: console, errors, requests, actions; then recorder, dialog and sending | ${kB(built("capture"))} ` +
  `| ${kB(built("capture"), ...later)} |`);
for (const [name, uses] of Object.entries(peers)) {
  const bundle = (use) => execFileSync("go", ["tool", `-modfile=${root}/tools/go.mod`, "esbuild", "--bundle", "--minify", "--format=iife",
    "--target=es2022", "--log-level=error"], { cwd: here, input: use, maxBuffer: 1 << 26 });
  const { version } = JSON.parse(readFileSync(`${here}/node_modules/${name}/package.json`));
  console.log(`| ${name} ${version} | ${kB(bundle(uses[0]))} | ${kB(...uses.map(bundle))} |`);
}
