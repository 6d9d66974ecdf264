// A report reaches the instance although the network or the page went away, and is filed once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { instance, launch, site, tag, until } from "./harness.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function opened() {
  const bugs = await instance();
  const shop = await site({ "/": `<!DOCTYPE html><title>Shop</title>${tag(bugs.url, 'data-replay="off"')}<body>` });
  const page = await browser.newPage();
  await page.goto(shop.url);
  const waiting = () => page.evaluate(() => new Promise((done) => {
    const asked = indexedDB.open("bugslice-capture", 1);
    asked.onsuccess = () => {
      const all = asked.result.transaction("reports").objectStore("reports").getAll();
      all.onsuccess = () => { asked.result.close(); done(all.result.length); };
    };
  }));
  return { bugs, page, waiting, end: async () => { await page.close(); shop.close(); bugs.close(); } };
}

test("a report is filed after the page was loaded again", async () => {
  const { bugs, page, waiting, end } = await opened();
  bugs.away = true;
  await page.evaluate(() => { window.Bugslice.file("It fails"); });
  await until(async () => await waiting() === 1, "the report waits");
  await page.reload();
  bugs.away = false;
  await until(() => bugs.reports.length === 1, "the report is there");
  await until(async () => await waiting() === 0, "nothing waits");
  await page.reload();
  await new Promise((done) => setTimeout(done, 1500));
  assert.deepEqual([bugs.reports.length, bugs.reports[0].summary], [1, "It fails"]);
  await end();
});

test("a report that waits is sent when the network is back, under the same key", async () => {
  const { bugs, page, end } = await opened();
  bugs.status = 503;
  await page.evaluate(() => { window.filed = window.Bugslice.file("It fails"); });
  await new Promise((done) => setTimeout(done, 200));
  bugs.status = 201;
  await page.evaluate(() => { window.dispatchEvent(new Event("online")); });
  assert.equal((await page.evaluate(() => window.filed)).reference, "WEB-1");
  assert.equal(bugs.keys.length, 1);
  await end();
});

test("a refused report is not kept, and the page hears why", async () => {
  const { bugs, page, waiting, end } = await opened();
  bugs.status = 422;
  assert.equal(await page.evaluate(() => window.Bugslice.file("x").catch((why) => why.message)), "refused");
  assert.equal(await waiting(), 0);
  await end();
});
