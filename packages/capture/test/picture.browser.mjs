// What the picture of the page tells of what the page masks: every text that is painted is compared, with a control that masks nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { instance, launch, site, tag, until } from "./harness.mjs";

let browser, bugs;
before(async () => { browser = await launch(); bugs = await instance(); });
after(async () => { await browser.close(); bugs.close(); });

// Rows: what it is; the markup with the mask, and that of the control. S is the secret.
const rows = [
  ["a text", "<p data-bugslice-mask>S</p>", "<p>S</p>"],
  ["a text below", "<div data-bugslice-mask><p><b>S</b></p></div>", "<div><p><b>S</b></p></div>"],
  ["a text that is positioned", "<div data-bugslice-mask><b style='position: relative; z-index: 3'>S</b></div>",
    "<b style='position: relative; z-index: 3'>S</b>"],
  ["the label of a button", "<input type=button data-bugslice-mask value=S>", "<input type=button value=S>"],
  ["a placeholder", "<div data-bugslice-mask><input placeholder=S></div>", "<input placeholder=S>"],
  ["a typed text", "<input value=S>", "<input value=S data-shown>"],
  ["an area", "<textarea>S</textarea>", "<textarea data-shown>S</textarea>"],
  ["a choice", "<select><option>S</select>", "<select data-shown><option>S</select>"],
  ["a password", "<input type=password value=S>", "<input value=S data-shown>"],
  ["what is typed into an element", "<p contenteditable>S</p>", "<p contenteditable data-shown>S</p>"],
  ["a text in a shadow tree", "<div data-bugslice-mask><template shadowrootmode=open><p>S</p></template></div>",
    "<div><template shadowrootmode=open><p>S</p></template></div>"],
];

const watch = `window.painted = [];
  for (const name of ["fillText", "strokeText"]) {
    const original = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (text, ...more) { painted.push(text); return original.call(this, text, ...more); };
  }`;

async function painted(more, markups) {
  const body = markups.map((markup, n) => markup.replaceAll("S", `Secret${n}end`)).join("");
  const shop = await site({ "/watch.js": watch, "/": `<!DOCTYPE html><title>x</title><script src="/watch.js"></script>
    ${tag(bugs.url, `data-replay="off" ${more}`)}<body>${body}<p data-bugslice-show>seen</p>` });
  const page = await browser.newPage();
  await page.setViewport({ width: 1000, height: 1200 });
  await page.goto(shop.url);
  await page.evaluate(() => window.Bugslice.report());
  const open = () => document.querySelector("[data-bugslice-dialog]") && window.painted.includes("seen");
  await until(() => page.evaluate(open), "it is painted");
  const texts = await page.evaluate(() => window.painted.join("\n"));
  await page.close();
  shop.close();
  return texts;
}

test("the picture tells nothing that is masked", async (t) => {
  const masked = await painted("", rows.map(([, markup]) => markup));
  const control = await painted('data-inputs="shown"', rows.map(([, , markup]) => markup));
  const hidden = await painted("data-private", rows.map(([, , markup]) => markup));
  for (const [n, [name]] of rows.entries()) await t.test(name, () => {
    assert.ok(!masked.includes(`Secret${n}end`), "the picture tells it");
    assert.ok(control.includes(`Secret${n}end`), "the control does not tell it");
    assert.ok(!hidden.includes(`Secret${n}end`), "the picture of a private page tells it");
  });
});
