// longtasks.mjs BINARY measures the panels of a report with 10,000 rows of the console and 2,000 requests, and a board of 172 cards, and
// fails when a task of the page takes more than 100 ms while its rows are loaded, scrolled, filtered and followed, or while a card is
// dragged with the processor slowed down four times. A task is measured by the processor
// time of its thread, which other work on the machine changes little; the observer of the browser counts by the clock, and is printed
// beside it. Only processes that have loaded the report count: the new tab of the browser is a page, too.
import { demo, end, launch, signIn } from "./demo.mjs";

const most = 100; // milliseconds
const panel = ".panel:not([hidden])";
const processes = new Set(); // those that have loaded the report

try {
  process.exitCode = await main(process.argv[2]);
} finally {
  await end();
}

async function main(binary) {
  const { base, Cookie } = await demo(binary);
  const list = await (await fetch(base + "/reports?q=Live+stock", { headers: { Cookie } })).text();
  const [, path] = list.match(/class="row-title" href="([^"]+)"/);
  const browser = await launch();
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await signIn(browser, base, Cookie);
  await page.evaluateOnNewDocument(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((e) => e.duration)))
      .observe({ type: "longtask", buffered: true });
  });
  let slow = 0;
  for (const [name, act] of Object.entries(phases(page, base + path))) {
    const { longest, tasks, observed } = await measure(page, base, act);
    if (longest > most) slow++;
    console.log(name.padEnd(8), `longest task ${longest.toFixed(0)} ms of the processor, ${tasks} over 50 ms; observed ${Math.max(0,
      ...observed).toFixed(0)} ms`);
  }
  await browser.close();
  return slow ? 1 : 0;
}

function pause(ms) { return new Promise((done) => { setTimeout(done, ms); }); }
function phases(page, address) {
  const frames = (count, act) => page.evaluate(`(async () => {
    for (let i = 0; i < ${count}; i++) {
      (${act})(i);
      await new Promise(requestAnimationFrame);
    }
  })()`);
  const scroll = (i) => {
    const l = document.querySelector(".panel:not([hidden]) [data-rows]");
    (l.closest("[data-rows-box]") ?? l).scrollTop = i * 6000;
  };
  const play = (i) => {
    const e = document.querySelector(".evidence");
    e.dispatchEvent(new CustomEvent("evidence:time", { bubbles: true, detail: { time: Number(e.dataset.zero) + i * 90 } }));
  };
  const type = async () => {
    await page.focus(`${panel} [name=q]`);
    await page.keyboard.type("attempt 99", { delay: 100 });
    await pause(500);
    for (let i = 0; i < 10; i++) await page.keyboard.press("Backspace", { delay: 100 });
    await pause(500);
  };
  const toggle = async (button) => {
    for (let i = 0; i < 2; i++) {
      await page.click(`${panel} ${button}`);
      await pause(600);
    }
  };
  return {
    load: async () => {
      await page.goto(address + "?tab=console", { waitUntil: "load" });
      await page.waitForSelector(".evidence[data-loaded]", { timeout: 300_000 });
    },
    scroll: () => frames(40, scroll),
    type,
    level: () => toggle(".level-error"),
    play: () => frames(200, play),
    network: async () => { await page.click("[data-tab=network]"); await pause(500); },
    requests: () => frames(20, scroll),
    failed: () => toggle("[data-failed]"),
    board: async () => {
      await page.goto(new URL("/board?workspace=WEB", address).href, { waitUntil: "networkidle0" });
      await page.emulateCPUThrottling(4);
    },
    drag: () => drag(page),
  };
}

// drag takes a card through all columns and back, and prints the longest time between two frames meanwhile.
async function drag(page) {
  const columns = await page.$$eval(".column", (all) => all.map((c) => c.getBoundingClientRect()).map((r) => r.x + r.width / 2));
  const card = await (await page.$(".board .row")).boundingBox();
  await page.mouse.move(card.x + 60, card.y + 10);
  await page.mouse.down();
  await page.evaluate(() => {
    globalThis.gaps = [];
    let last = performance.now();
    const frame = (at) => {
      gaps.push(at - last);
      last = at;
      if (globalThis.gaps) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (const x of [...columns, ...columns.toReversed()]) await page.mouse.move(x, card.y + 200 + 100 * Math.random(), { steps: 25 });
  const gaps = (await page.evaluate("gaps.splice(0)")).sort((a, b) => b - a);
  if (!await page.$(".board-ghost")) throw new Error("no card is dragged");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  console.log(`${gaps.length} frames while a card was dragged:`, `median ${gaps[gaps.length >> 1].toFixed(0)} ms,`,
    `longest ${gaps[0].toFixed(0)} ms`);
}

async function measure(page, base, act) {
  await page.tracing.start({ categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await act();
  const { traceEvents } = JSON.parse(Buffer.from(await page.tracing.stop()).toString());
  for (const e of traceEvents) if (e.name === "CommitLoad" && e.args.data?.url?.startsWith(base)) processes.add(e.pid);
  if (!processes.size) throw new Error("the trace does not have the page");
  const main = new Set(traceEvents.filter((e) => e.name === "thread_name" &&
    e.args.name === "CrRendererMain" && processes.has(e.pid)).map((e) => `${e.pid} ${e.tid}`));
  const tasks = traceEvents.filter((e) => e.name === "RunTask" && e.tdur && main.has(`${e.pid} ${e.tid}`)).map((e) => e.tdur / 1000);
  const observed = await page.evaluate("longTasks.splice(0)");
  return { longest: Math.max(0, ...tasks), tasks: tasks.filter((ms) => ms > 50).length, observed };
}
