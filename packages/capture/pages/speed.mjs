// speed measures what the script costs a page: the time from a click to the next paint, tasks of more than 50 ms, and memory, with the
// script and without it, in turn, on pages that are hard to record. It prints a table, and what the table cannot show fails: that each
// page was used.
//
//	node packages/capture/pages/speed.mjs [firefox] [PAGE]
//
// A page is named by the beginning of its row.
import assert from "node:assert/strict";
import { firefox, instance, launch, site, tag } from "../test/harness.mjs";

const inFirefox = process.argv[2] === "firefox", only = process.argv[inFirefox ? 3 : 2] ?? "", rounds = 3, clicks = 30;
const text = (n) => Array.from({ length: n }, (_, i) => `<p class=row title="row ${i}">Row <b>${i}</b></p>`).join("");

// Each row: what the page has, and its script, which changes it as long as it is used.
const pages = {
  "a page of 1,000 elements": [text(400), ""],
  "1,000 changes a second": [text(400), `setInterval(() => { for (let n = 0; n < 16; n++) {
    const row = rows[Math.random() * rows.length | 0]; row.lastChild.firstChild.nodeValue = Math.random(); } }, 16);`],
  "1,000 elements added and removed a second": [text(400), `setInterval(() => { for (let n = 0; n < 16; n++) {
    const row = rows[0].cloneNode(true); rows[0].parentNode.append(row); setTimeout(() => row.remove(), 500); } }, 16);`],
  "9,000 elements": [text(4500), ""],
  "250,000 elements": [text(125_000), ""],
  "250,000 elements that come later": ["<div id=later></div>", `setTimeout(() => { later.innerHTML = many; }, 1500);`],
  "50 frames": [text(100), `for (let n = 0; n < 50; n++) { const f = document.body.appendChild(document.createElement("iframe"));
    f.contentDocument.body.innerHTML = "<p>frame " + n;
    setInterval(() => { f.contentDocument.body.firstChild.textContent = Math.random(); }, 100); }`],
  "1,000 shadow trees": [text(100), `for (let n = 0; n < 1000; n++) document.body.appendChild(document.createElement("div"))
    .attachShadow({ mode: "open" }).innerHTML = "<p>tree " + n;`],
  "a canvas that is painted": ["<canvas width=600 height=300></canvas>", `const c = document.querySelector("canvas").getContext("2d");
    (function paint() { c.fillRect(Math.random() * 600, Math.random() * 300, 9, 9); requestAnimationFrame(paint); })();`],
};

const measure = `window.times = []; window.long = [];
  new PerformanceObserver((list) => list.getEntries().forEach((e) => e.name === "click" && times.push(e.duration)))
    .observe({ type: "event", durationThreshold: 16 });
  try {
    new PerformanceObserver((list) => list.getEntries().forEach((e) => long.push(Math.round(e.duration)))).observe({ type: "longtask" });
  } catch {}
  window.onload = () => { const rows = document.querySelectorAll(".row"); const many = MANY; RUN };
  document.addEventListener("click", () => { document.getElementById("said").textContent += "."; });`;

const browser = await (inFirefox ? firefox() : launch());
const bugs = await instance();

async function used(name, captured) {
  const [markup, run] = pages[name];
  const many = name.includes("later") ? JSON.stringify(text(125_000)) : "''";
  const it = await site({ "/run.js": measure.replace("MANY", () => many).replace("RUN", () => run),
    "/": `<!DOCTYPE html><title>x</title>${captured ? tag(bugs.url) : ""}<body><button>Press</button><p id=said></p>${markup}
      <script src=/run.js></script>` });
  const page = await browser.newPage();
  await page.goto(it.url);
  await new Promise((done) => setTimeout(done, 4000)); // the recorder begins
  for (let n = 0; n < clicks; n++) {
    await page.evaluate(() => document.querySelector("button").click());
    await page.mouse.click(20, 20);
    await new Promise((done) => setTimeout(done, 60));
  }
  const found = await page.evaluate(() => ({ times: window.times, long: window.long,
    said: document.getElementById("said").textContent.length }));
  assert.ok(found.said >= clicks, `${name} was not used`);
  const memory = inFirefox ? 0 : (await page.metrics()).JSHeapUsedSize / (1 << 20);
  await page.close();
  it.close();
  return { ...found, memory };
}

// high is the value below which 98 of 100 are, as Interaction to Next Paint counts.
const high = (values) => [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(values.length * 0.98) - 1)] ?? 0;

// median is that of the rounds: a page with many elements needs now 200 ms for a click, now 1,000, with the script and without it.
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

console.log("| page | click to paint, ms: without | with | longest task, ms: without | with | tasks over 100 ms more | memory, MiB more |");
console.log("|---|---|---|---|---|---|---|");
for (const name of Object.keys(pages).filter((each) => each.startsWith(only))) {
  const all = { false: [], true: [] };
  for (let round = 0; round < rounds; round++) for (const captured of [false, true]) all[captured].push(await used(name, captured));
  const each = (value) => [all.false, all.true].map((visits) => median(visits.map(value)));
  const paint = each(({ times }) => high(times)), longest = each(({ long }) => Math.max(0, ...long));
  const over = each(({ long }) => long.filter((ms) => ms > 100).length), memory = each((visit) => visit.memory);
  console.log(`| ${name} | ${paint.join(" | ")} | ${longest.join(" | ")} | ${over[1] - over[0]} | ${Math.round(memory[1] - memory[0])} |`);
}
await browser.close();
bugs.close();
