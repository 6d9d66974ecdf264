// What a browser fills in by itself is masked, also on a page that shows what is typed, in fields that nothing else names. Chromium alone
// fills in on demand, and its shell without windows does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { instance, recording, site, tag } from "../test/harness.mjs";
import puppeteer from "../../../tools/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js";

const card = { number: "4111111111111111", name: "Ada Lovelace", expiryMonth: "07", expiryYear: "2031", cvc: "947" };

test("what the browser fills in is masked", async (t) => {
  const browser = await puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  t.after(() => browser.close());
  const bugs = await instance();
  t.after(() => bugs.close());
  const shop = await site({ "/": `<!DOCTYPE html><title>x</title>${tag(bugs.url, "data-inputs=shown")}<body><form>
    <label>Name on card <input id=a></label><label>Card number <input id=b></label>
    <label>Expiration month <input id=c></label><label>Expiration year <input id=d></label>
    <label>Security code <input id=e></label><label>Your wish <input id=f></label><button>Pay</button></form>` });
  t.after(() => shop.close());
  const page = await browser.newPage();
  await page.goto(shop.url);
  await recording(page);
  await (await page.$("#b")).autofill({ creditCard: card });
  await page.waitForFunction(() => document.getElementById("b").value);
  await page.type("#f", "Gift wrapping");
  const filled = await page.$$eval("input", (all) => all.map((each) => each.value));
  assert.equal(filled[1], card.number);
  await page.evaluate(() => window.Bugslice.file("x"));
  const text = JSON.stringify(bugs.reports.at(-1).evidence);
  assert.ok(text.includes("Gift wrapping"), "what is typed is shown");
  for (const value of filled.filter((each) => each.length > 3 && each !== "Gift wrapping"))
    assert.ok(!text.includes(value), `${value} is in what was sent`);
});
