// Pages that are made with the tools of React, Vue, Svelte and Angular, and one without a framework, load the script or import the package.
// Each is used, and what arrives is compared with what was done. A control without the script files nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { build } from "vite";
import { firefox, instance, launch, recording, site, tag, until } from "../test/harness.mjs";

const here = fileURLToPath(new URL(".", import.meta.url)), root = join(here, "../../..");
const pages = { react: { entry: "main.jsx", imports: true }, vue: { entry: "main.js", imports: true, plugins: [vue()] },
  svelte: { entry: "main.js", plugins: [svelte()] }, angular: { entry: "main.js" }, plain: { entry: "main.js" } };

let browser, bugs, dir;
before(async () => {
  browser = await (process.env.BROWSER === "firefox" ? firefox() : launch());
  bugs = await instance();
  dir = await mkdtemp(join(tmpdir(), "pages-"));
  execFileSync(join(root, "scripts/capture-package"), [join(dir, "package")]);
});
after(async () => { await browser.close(); bugs.close(); await rm(dir, { recursive: true }); });

// built returns the files of a page by their addresses.
async function built(name, { entry, plugins = [] }) {
  const out = join(dir, name);
  await build({ root: join(here, name), logLevel: "error", configFile: false, plugins, base: "/",
    resolve: { alias: { "@bugslice/capture": join(dir, "package/index.js"),
      "@rrweb/record": join(root, "tools/node_modules/@rrweb/record") } },
    build: { outDir: out, emptyOutDir: true, rollupOptions: { input: join(here, name, entry), output: { entryFileNames: "main.js" } } } });
  const files = {};
  for (const file of await readdir(out, { recursive: true }))
    if (file.endsWith(".js")) files[`/${file}`] = String(await readFile(join(out, file)));
  return files;
}

// shop serves a page, with the script where it does not import the package.
async function shop(name, { captured = true } = {}) {
  const files = await built(name, pages[name]);
  const script = !captured ? "" : pages[name].imports ? `<script>window.instance = ${JSON.stringify(bugs.url)}</script>` : tag(bugs.url);
  return site({ ...files, "/api/deliver": (request, response) => response.writeHead(503).end("no driver"),
    "/": `<!DOCTYPE html><html lang=en><title>Shop</title>${script}<div id=app></div><script type=module src=/main.js></script>` });
}

const press = (page, name) => page.locator(`::-p-aria(${name})`).click();

// buy uses a page until it fails.
async function buy(page) {
  await press(page, "Add Coffee");
  await page.locator("input").fill("no milk");
  await press(page, "Change customer");
  await press(page, "Deliver");
  await press(page, "Go to checkout");
  await press(page, "Pay");
}

for (const name of Object.keys(pages)) test(name, async () => {
  const it = await shop(name), page = await browser.newPage(), thrown = [];
  page.on("pageerror", (error) => thrown.push(error.message));
  const before = bugs.reports.length;
  await page.goto(it.url);
  await (pages[name].imports ? until(() => page.evaluate(() => performance.getEntriesByType("resource")
    .some((entry) => /recorder-[\w-]+\.js/.test(entry.name))), "the recorder is loaded")
    .then(() => new Promise((done) => setTimeout(done, 300))) : recording(page));
  await buy(page);
  await until(() => bugs.reports.length > before, "a report of the error");
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(bugs.reports.length, before + 1, "the error files one report");
  const { summary, metadata, sourceUrl, evidence } = bugs.reports.at(-1);
  assert.match(summary, /amount/);
  assert.deepEqual(metadata, { framework: name === "plain" ? "none" : name });
  assert.match(sourceUrl, /\/checkout$/);
  const did = evidence.actions.map((action) => `${action.type} ${action.text ?? ""}`.trim());
  for (const wanted of ["click Add Coffee", "click Change customer", "click Go to checkout", "click Pay"])
    assert.ok(did.includes(wanted), `${wanted} in ${did.join(", ")}`);
  const failed = evidence.network.log.entries.find((entry) => entry.request.url.endsWith("/api/deliver"));
  assert.equal(failed.response.status, 503);
  assert.match(JSON.stringify(evidence.console), /amount/);
  const replay = JSON.stringify(evidence.replay);
  assert.match(replay, /In the basket: /);
  assert.match(replay, /\b7 letters/.test(replay) ? /7 letters/ : /"7"/);
  assert.doesNotMatch(replay, /Ada Lovelace|Grace Hopper|no milk/);
  assert.ok(thrown.every((message) => message.includes("amount")), thrown.join());
  await page.close();
  it.close();
});

test("a page without the script files nothing", async () => {
  const it = await shop("svelte", { captured: false }), page = await browser.newPage(), before = bugs.reports.length;
  await page.goto(it.url);
  await buy(page);
  await new Promise((done) => setTimeout(done, 2000));
  assert.equal(bugs.reports.length, before);
  await page.close();
  it.close();
});
