// The replay keeps its newest parts, each of which begins with a picture of the page, and fits what a report may have.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundle, launch, site } from "./harness.mjs";

let browser, shop;
before(async () => {
  browser = await launch();
  shop = await site({ "/recorder.js": String(await bundle("capturerecorder.js")), "/": "<!DOCTYPE html><title>x</title><body><p id=p>0" });
});
after(async () => { await browser.close(); shop.close(); });

// recorded records changes of an attribute, which are not laid out, and returns what is kept, and the events of at most so many characters.
async function recorded({ every, changes, characters, size = 1 }) {
  const page = await browser.newPage();
  await page.goto(shop.url);
  const result = await page.evaluate(async ({ every, changes, characters, size }) => {
    const { startRecorder } = await import("/recorder.js");
    const shows = () => false;
    const recorder = startRecorder({ region: shows, sensitive: shows, text: shows, showInputs: true, privateByDefault: false }, every);
    for (let i = 1; i <= changes; i++) {
      document.getElementById("p").dataset.x = `change ${i} `.padEnd(size, "x");
      await new Promise((done) => setTimeout(done, 50));
    }
    await new Promise((done) => setTimeout(done, 200));
    const events = await recorder.events(characters);
    return { kept: recorder.kept(), types: events.map((event) => event.type), text: JSON.stringify(events) };
  }, { every, changes, characters, size });
  await page.close();
  return result;
}

test("three parts are kept, the older ones packed", async () => {
  const { kept, types, text } = await recorded({ every: 200, changes: 30, characters: 1 << 20 });
  assert.equal(kept.parts, 3);
  assert.deepEqual(types.slice(0, 2), [4, 2], "it begins with a picture");
  assert.equal(types.filter((type) => type === 2).length, 3, "each part has one");
  assert.match(text, /change 30 /);
  assert.doesNotMatch(text, /"change 2 "/);
});

test("a report has the newest parts that fit", async () => {
  const all = await recorded({ every: 400, changes: 24, characters: 1 << 24, size: 5000 });
  const some = await recorded({ every: 400, changes: 24, characters: all.text.length * 0.7, size: 5000 });
  assert.ok(some.text.length < all.text.length * 0.7 && some.types.length > 2);
  assert.deepEqual(some.types.slice(0, 2), [4, 2]);
  assert.match(some.text, /change 24 /);
});

test("a part that is too large ends early, and memory is bounded", async () => {
  const { kept, types } = await recorded({ every: 60_000, changes: 12, characters: 1 << 30, size: 4 << 20 });
  assert.ok(kept.characters <= 64 << 20, `${kept.characters} characters are kept`);
  assert.deepEqual(types.slice(0, 2), [4, 2]);
  assert.ok(kept.parts > 1, "a picture was made before its time");
});

// grown returns what is kept of a page that has so many elements one after another, and why nothing was recorded then.
async function grown(steps, every) {
  const page = await browser.newPage();
  await page.goto(shop.url);
  const result = await page.evaluate(async ({ steps, every }) => {
    const { startRecorder } = await import("/recorder.js");
    const shows = () => false;
    const place = document.getElementById("p"), shown = [];
    const fill = (n) => { place.innerHTML = "<b class=row>x</b>".repeat(n); };
    fill(steps[0]);
    const recorder = startRecorder({ region: shows, sensitive: shows, text: shows, showInputs: true, privateByDefault: false }, every);
    for (const n of steps.slice(1)) {
      await new Promise((done) => setTimeout(done, every / 2));
      fill(n);
      await new Promise((done) => setTimeout(done, every));
      place.dataset.n = n;
      await new Promise((done) => setTimeout(done, every));
      shown.push(recorder.paused());
    }
    const events = await recorder.events(1 << 24);
    return { paused: shown, types: events.map((event) => event.type), text: JSON.stringify(events) };
  }, { steps, every });
  await page.close();
  return result;
}

test("a page that is too large is not recorded, and says so, until it is small again", async () => {
  const { paused, types, text } = await grown([100, 250_000, 90], 300);
  assert.match(paused[0], /^the page had 2500\d\d elements, and at most 10000 are recorded$/);
  assert.equal(paused[1], "");
  assert.ok(types.filter((type) => type === 2).length >= 2, "it is recorded before and after");
  assert.match(text, /"data-n":"90"/);
  assert.ok(text.length < 200_000, `${text.length} characters`);
});

test("a page that is large from the beginning is not recorded", async () => {
  const { paused, types } = await grown([20_000, 20_001], 100);
  assert.match(paused[0], /^the page had 200\d\d elements/);
  assert.deepEqual(types, []);
});
