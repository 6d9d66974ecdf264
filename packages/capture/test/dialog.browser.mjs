// The dialog: what it sends, what it leaves out, what its picture shows, and that it violates no policy.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { instance, launch, recording, site, tag, until } from "./harness.mjs";

let browser, bugs;
before(async () => { browser = await launch(); bugs = await instance(); });
after(async () => { await browser.close(); bugs.close(); });

const shop = `<style nonce=x>body { margin: 0; background: #fff } .red { background: #f00; width: 200px; height: 100px }
  .blue { background: #00f; width: 200px; height: 100px; color: #fff }</style><div class=red></div>
  <div class=blue data-bugslice-mask>MMMMMMMMMMMMMMMMMMMMMM</div><p>Total 12 EUR</p><input value="Baker Street">`;
const policy = () => ({ "Content-Security-Policy": `default-src 'self'; script-src 'self' ${bugs.url}; connect-src 'self' ${bugs.url};` +
  "style-src 'nonce-x'; require-trusted-types-for 'script'; trusted-types 'none'" });
const watch = `window.violations = [];
  document.addEventListener("securitypolicyviolation", (e) => violations.push(e.effectiveDirective + " " + e.blockedURI));
  // Tests look into the dialog, whose root is closed, through this.
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) { 
    window.mode = init.mode;
    return window.root = attach.call(this, init);
  };`;

async function opened(more = "", width = 1000) {
  const head = `<!DOCTYPE html><title>Shop</title><script src="/watch.js"></script>${tag(bugs.url, more)}`;
  const pages = await site({ "/watch.js": watch, "/": `${head}<body>${shop}` }, policy());
  const page = await browser.newPage();
  await page.setViewport({ width, height: 800 });
  await page.goto(pages.url);
  await recording(page);
  await page.evaluate(() => { console.log("basket"); window.Bugslice.report(); });
  await until(() => page.evaluate(() => window.root?.querySelector("dialog")?.open), "the dialog is open");
  return { page, end: async () => { await page.close(); pages.close(); } };
}

const inside = (page, f, ...values) => page.evaluate((f, values) => new Function("root", "values", f)(window.root, values), f, values);
const status = (page) => inside(page, "return root.querySelector('[role=status]').textContent");

// pixels returns the colours of the picture that was sent, at points of the page.
const pixels = (page, bytes, points) => page.evaluate(async (bytes, points) => {
  const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
  const canvas = new OffscreenCanvas(picture.width, picture.height), ctx = canvas.getContext("2d");
  ctx.drawImage(picture, 0, 0);
  return points.map(([x, y]) => [...ctx.getImageData(x, y, 1, 1).data].slice(0, 3).join(" "));
}, [...bytes], points);

function png(body) {
  const from = body.indexOf(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  return body.subarray(from, body.indexOf("IEND", from) + 8);
}

test("it sends what is written, and says the reference when the report is there", async () => {
  const { page, end } = await opened();
  assert.equal(await page.evaluate(() => window.mode), "closed");
  await page.keyboard.press("Enter");
  assert.equal(await status(page), "Please say what is wrong.");
  await page.keyboard.type("The total is wrong");
  await inside(page, "root.querySelector('[name=email]').value = 'ada@example.com'; root.querySelector('[value=console]').click();");
  const files = bugs.files.length;
  await page.keyboard.press("Enter");
  await until(async () => (await status(page)).startsWith("Your report has arrived: WEB-"), "it is there");
  const report = bugs.reports.at(-1);
  assert.equal(report.summary, "The total is wrong");
  assert.equal(report.metadata["reporter.email"], "ada@example.com");
  assert.equal(report.evidence.console, undefined);
  assert.ok(report.evidence.replay.length > 2 && report.evidence.actions.length > 0);
  assert.doesNotMatch(JSON.stringify(report.evidence.actions), /Report a problem|What is wrong/);
  assert.equal(bugs.files.length, files + 1);
  const [red, masked, text] = await pixels(page, png(bugs.files.at(-1).body), [[50, 50], [30, 110], [150, 190]]);
  assert.deepEqual([red, masked, text], ["255 0 0", "107 114 128", "0 0 255"], "the picture has the page, and a cover where it is masked");
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  await page.keyboard.press("Enter"); // Close has the focus
  await until(() => page.evaluate(() => !document.querySelector("[data-bugslice-dialog]")), "it is closed");
  await end();
});

test("a cover is part of the picture, drawn by pointer or keyboard", async () => {
  const { page, end } = await opened();
  await inside(page, "root.querySelector('[value=hide]').click(); root.querySelector('canvas').focus()");
  await page.keyboard.press("Enter"); // from a third of the picture, a quarter wide and a sixth high
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowUp");
  const rect = await inside(page, "const { x, y, width } = root.querySelector('canvas').getBoundingClientRect(); return { x, y, width }");
  const at = (x, y) => [rect.x + x * rect.width / 1000, rect.y + y * rect.width / 1000];
  await page.mouse.move(...at(20, 20));
  await page.mouse.down();
  await page.mouse.move(...at(120, 80), { steps: 3 });
  await page.mouse.up();
  await inside(page, "root.querySelector('[name=summary]').value = 'x'; root.querySelector('button.main').click()");
  await until(async () => (await status(page)).includes("arrived"));
  const [pointer, beside, keyboard] = await pixels(page, png(bugs.files.at(-1).body), [[60, 50], [150, 50], [400, 300]]);
  assert.deepEqual([pointer, beside, keyboard], ["17 24 39", "255 0 0", "17 24 39"]);
  await end();
});

test("it has ten languages, one of them from right to left, and fits a telephone", async () => {
  for (const [language, direction, title] of [["ar-EG", "rtl", "الإبلاغ عن مشكلة"], ["de", "ltr", "Problem melden"]]) {
    const { page, end } = await opened(`data-language="${language}"`, 390);
    const [dir, heading, overflow] = await inside(page, `const dialog = root.querySelector("dialog");
      return [dialog.dir, root.querySelector("h2").textContent, dialog.scrollWidth > dialog.clientWidth]`);
    assert.deepEqual([dir, heading, overflow], [direction, title, false]);
    const nameless = await inside(page, `return [...root.querySelectorAll("input:not([hidden]), textarea")].filter((field) =>
      !field.labels.length && !field.ariaLabel).length`);
    assert.equal(nameless, 0, "each field has a name");
    if (process.env.PICTURES) {
      await mkdir(process.env.PICTURES, { recursive: true });
      await page.screenshot({ path: `${process.env.PICTURES}/dialog-${direction}.png` });
    }
    await page.keyboard.press("Escape");
    await until(() => page.evaluate(() => !document.querySelector("[data-bugslice-dialog]")), "it is closed");
    await end();
  }
});

test("a site that a recording link opens shows a button for a report, without the mark in its address", async () => {
  const head = `<!DOCTYPE html><title>Shop</title><script src="/watch.js"></script>${tag(bugs.url)}`;
  const pages = await site({ "/watch.js": watch, "/": `${head}<body>${shop}` }, policy());
  const page = await browser.newPage();
  await page.goto(`${pages.url}?item=2#bugslice-record`);
  await until(() => page.evaluate(() => window.root?.querySelector("aside")), "the button is shown");
  assert.equal(await page.evaluate(() => location.search + location.hash), "?item=2");
  assert.match(await inside(page, "return root.textContent"), /You were asked to show a problem/);
  await inside(page, "root.querySelector('button.main').click()");
  await until(() => page.evaluate(() => window.root.querySelector("dialog")?.open), "the dialog is open");
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  await page.goto(`${pages.url}#elsewhere`);
  await recording(page);
  assert.equal(await page.evaluate(() => location.hash + String(document.querySelector("[data-bugslice-dialog]"))), "#elsewherenull");
  await page.close();
  pages.close();
});
