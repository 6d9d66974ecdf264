// The script violates no policy of a strict page. A control shows that violations are seen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { instance, launch, recording, site, tag } from "./harness.mjs";

let browser, bugs;
before(async () => { browser = await launch(); bugs = await instance(); });
after(async () => { await browser.close(); bugs.close(); });

const watch = `window.violations = [];
  document.addEventListener("securitypolicyviolation", (e) => violations.push(e.effectiveDirective + " " + e.blockedURI));`;
const use = `const p = document.createElement("p"); p.textContent = "later"; document.body.append(p);`;
const offend = `document.body.setAttribute("style", "color: red"); new Image().src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
  try { document.body.innerHTML = "<p>x"; } catch {}`;

async function violations(script) {
  const shop = await site({ "/watch.js": watch, "/use.js": script, "/": `<!DOCTYPE html><title>Shop</title><script src="/watch.js"></script>
    ${tag(bugs.url)}<body><h1>Cart</h1><input><canvas></canvas><script src="/use.js"></script>` }, {
    "Content-Security-Policy": `default-src 'self'; script-src 'self' ${bugs.url}; connect-src 'self' ${bugs.url};` +
      "require-trusted-types-for 'script'; trusted-types 'none'",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
  });
  const page = await browser.newPage();
  const said = [];
  page.on("console", (message) => message.type() === "error" && !message.text().includes("favicon") && said.push(message.text()));
  await page.goto(shop.url);
  await recording(page);
  assert.ok(await page.evaluate(() => crossOriginIsolated), "the page is isolated");
  await page.type("input", "two");
  const { reference } = await page.evaluate(() => window.Bugslice.file("It fails"));
  assert.match(reference, /^WEB-/);
  assert.ok(bugs.reports.at(-1).evidence.replay.length > 2, "there is a replay");
  const found = await page.evaluate(() => window.violations);
  await page.close();
  shop.close();
  return { found, said: said.filter((text) => !text.includes("404")) };
}

test("no violation under a strict policy, Trusted Types and isolation", async () => {
  assert.deepEqual(await violations(use), { found: [], said: [] });
});

test("violations of the page itself are seen", async () => {
  const { found } = await violations(offend);
  for (const directive of ["style-src-attr", "img-src data", "require-trusted-types-for"])
    assert.ok(found.some((violation) => violation.startsWith(directive)), `${directive} in ${found}`);
});
