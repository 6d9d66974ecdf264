// interactions.mjs BINARY [NAME…] measures in Chromium, with a processor that is slowed down four times, how long the list of reports
// takes from a key to the next frame, to a frame that shows what happens, and to the result, while it shows 500 rows; and the longest
// task of each. It prints a table, and fails when a frame takes more than 100 ms, or a task. With the beginnings of names (help, "next
// row") it measures those interactions.
import { demo, end, launch, signIn } from "./demo.mjs";

const rows = 500, rounds = 7, slowdown = 4, limit = 100;

// observe records the interactions and the long tasks of a document, and when a condition was first true in a frame.
function observe() {
  const events = [], tasks = [];
  new PerformanceObserver((list) => events.push(...list.getEntries().filter((e) => e.interactionId)))
    .observe({ type: "event", durationThreshold: 16 });
  new PerformanceObserver((list) => tasks.push(...list.getEntries())).observe({ type: "longtask" });
  globalThis.measured = {
    begin(conditions) {
      events.length = tasks.length = 0;
      const from = this.from = performance.now();
      this.seen = {};
      const frame = (now) => {
        for (const [name, condition] of Object.entries(conditions))
          if (!(name in this.seen) && document.querySelector(condition)) this.seen[name] = Math.max(now, performance.now()) - from;
        if (performance.now() - from < 8000 && Object.keys(this.seen).length < Object.keys(conditions).length) requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    },
    // end returns the times in milliseconds. A frame that comes within 16 ms is not reported by the browser.
    end() {
      const longest = (entries) => Math.round(Math.max(0, ...entries.map((e) => e.duration)));
      return { frame: longest(events), task: longest(tasks), ...this.seen };
    },
  };
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];

// nth selects a row of the list, which is in lists of 25.
const nth = (n) => `.rows:nth-child(${Math.ceil(n / 25)}) > .row:nth-child(${((n - 1) % 25) + 1})`;
const focus = (n) => (page) => page.focus(`${nth(n)} .row-title`);
const interactions = [
  { name: "next row (j)", before: focus(40), keys: ["j"], conditions: () => ({ result: `${nth(41)}:focus-within` }) },
  { name: "select (x)", before: focus(40), keys: ["x"], conditions: () => ({ result: `${nth(40)}[data-selected]` }) },
  {
    name: "open beside (Enter)", before: focus(40), keys: ["Enter"],
    conditions: () => ({ shown: `${nth(40)}[data-shown]`, result: "#pane:not([hidden]) h1" }),
  },
  { name: "menu (s)", before: focus(40), keys: ["s"], conditions: () => ({ result: "#menu-status:popover-open" }) },
  {
    name: "resolve (e e)", before: (page, round) => focus(40 + round)(page), keys: ["e", "e"],
    conditions: (round) => ({ shown: `${nth(40 + round)}:is([aria-busy], [data-status=resolved])`,
      result: `${nth(40 + round)}[data-status=resolved]:not([aria-busy])` }),
  },
  {
    name: "filter (type, 50 match)", before: (page) => page.focus("#q"), keys: ["c", "a", "r", "t"],
    conditions: () => ({ shown: "#results[aria-busy], .search[aria-busy]", result: "#results:not([aria-busy]) .chip" }),
  },
  { name: "help (?)", before: focus(40), keys: ["?"], conditions: () => ({ result: "#shortcuts:popover-open" }) },
];

try {
  process.exitCode = await main(...process.argv.slice(2));
} finally {
  await end();
}

async function main(binary, ...names) {
  const { base, Cookie } = await demo(binary);
  await fill(base, Cookie);
  const browser = await launch();
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await signIn(browser, base, Cookie);
  await page.evaluateOnNewDocument(observe);
  const cdp = await page.createCDPSession();
  console.log(`${rows} rows, processor slowed down ${slowdown} times; of ${rounds}: median (most), in ms\n`);
  console.log("interaction".padEnd(28), ["next frame", "shown", "result", "longest task"].map((c) => c.padStart(14)).join(""));
  let faults = 0;
  for (const { name, before, keys, conditions } of interactions.filter((i) => !names.length || names.some((n) => i.name.startsWith(n)))) {
    const all = [];
    for (let round = 0; round < rounds; round++) {
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
      await list(page, base);
      await before?.(page, round);
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
      await pause(500);
      await page.evaluate((c) => measured.begin(c), conditions(round));
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForFunction((n) => Object.keys(measured.seen).length === n, { timeout: 8000 }, Object.keys(conditions(round)).length);
      await pause(700); // the browser reports an interaction after its frame
      all.push(await page.evaluate(() => measured.end()));
    }
    const of = (what) => all.map((one) => Math.round(one[what])).sort((a, b) => a - b);
    const cell = (what) => (all[0][what] === undefined ? "" : `${median(of(what))} (${of(what).at(-1)})`).padStart(14);
    console.log(name.padEnd(28), ["frame", "shown", "result", "task"].map(cell).join(""));
    if (median(of("frame")) > limit || median(of("task")) > limit) faults++;
  }
  await browser.close();
  console.log(faults ? `\n${faults} interactions have a frame or a task of more than ${limit} ms` :
    `\nno interaction has a frame or a task of more than ${limit} ms`);
  return faults ? 1 : 0;
}

// fill files reports until the list has enough.
async function fill(base, Cookie) {
  const form = await (await fetch(`${base}/new?workspace=WEB`, { headers: { Cookie, Accept: "text/html" } })).text();
  const [workspaceId] = form.match(/wsp_\w+/);
  for (let n = 0; n < rows; n += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => file(base, Cookie,
      { workspaceId, summary: `Report ${n + i} of the cart`, labels: "measured" })));
  }
}

async function file(base, Cookie, fields) {
  const answer = await fetch(`${base}/new?workspace=WEB`, {
    method: "POST", redirect: "manual", headers: { Cookie, Prefer: "return=minimal", Accept: "text/html" },
      body: new URLSearchParams(fields),
  });
  if (answer.status !== 204) throw new Error(`filing is answered with ${answer.status}`);
}

// list opens a list and loads its pages until it has enough rows.
async function list(page, base) {
  await page.goto(`${base}/reports?workspace=WEB`);
  for (let n = 50; n < rows; n += 50) {
    await page.waitForSelector("#next a");
    await page.evaluate(() => document.querySelector("#next a").click());
    await page.waitForFunction((least) => document.querySelectorAll(".row").length >= least, {}, n + 50);
  }
}
