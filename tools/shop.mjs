// shop.mjs BINARY [FOLDER] serves the example shop with the script for other applications, and without it. Lighthouse measures both: the
// script costs no point. A visitor then reports a problem by the keyboard alone, and a developer plays it: the frames of the replay are
// written into the folder as pictures.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import lighthouse, { desktopConfig } from "lighthouse";
import { end, launch, serve, signIn } from "./demo.mjs";

const [binary, folder] = process.argv.slice(2);
const root = fileURLToPath(new URL("..", import.meta.url));
const work = await mkdtemp(join(tmpdir(), "shop-")), shops = [];
const browser = await launch();
const faults = [];

try {
  const [, base, email, password, key] = await serve(binary, ["--demo"],
    /API reference +(\S+)\/docs\nLogin +(\S+) +password (\S+)\n[^]*?(svc_pat_\w+)[^]*"serving"/);
  const api = async (method, path, body) => {
    const answer = await fetch(base + path, { method, headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  execFileSync("go", ["build", "-o", join(work, "shop"), "./examples/shop/serve"], { cwd: root });
  const plain = await shop(18090), site = "http://127.0.0.1:18091";
  const workspace = (await api("GET", "/v1/workspaces")).data.find((w) => w.key === "WEB");
  const source = await api("POST", "/v1/sources", { workspaceId: workspace.id, name: "Shop", origins: [site] });
  const captured = await shop(18091, "-bugslice", base, "-key", source.key);
  await points(plain, captured);
  const report = await visit(captured, api, workspace.id);
  const answer = await fetch(base + "/login", { method: "POST", redirect: "manual", body: new URLSearchParams({ email, password }) });
  await play(report, answer.headers.getSetCookie().map((c) => c.split(";")[0]).join("; "));
} finally {
  for (const it of shops) it.kill();
  await browser.close();
  await end();
  await rm(work, { recursive: true });
}
faults.forEach((fault) => console.error(fault));
process.exitCode = faults.length ? 1 : 0;

// shop starts a shop and returns its address.
async function shop(port, ...flags) {
  const it = spawn(join(work, "shop"), ["-listen", `127.0.0.1:${port}`, ...flags]);
  shops.push(it);
  await once(it.stdout, "data");
  return `http://127.0.0.1:${port}`;
}

// points prints what Lighthouse says about the shop without the script, and with it.
async function points(plain, captured) {
  const port = Number(new URL(browser.wsEndpoint()).port), categories = ["performance", "accessibility", "best-practices"];
  console.log("device   script   " + categories.join("  "));
  for (const [device, config] of Object.entries({ desktop: desktopConfig, mobile: undefined })) {
    const all = [];
    for (const [name, url] of [["without", plain], ["with", captured]]) {
      const { lhr } = await lighthouse(url, { port, onlyCategories: categories, logLevel: "error" }, config);
      const scores = categories.map((c) => Math.round(lhr.categories[c].score * 100));
      console.log(device.padEnd(8), name.padEnd(8), categories.map((c, i) => String(scores[i]).padStart(c.length)).join("  "));
      all.push(scores);
    }
    categories.forEach((c, i) => {
      if (all[1][i] < all[0][i]) faults.push(`${device}: the script costs ${all[0][i] - all[1][i]} points of ${c}`);
    });
  }
}

// visit reports a problem by the keyboard, and returns the address of the report.
async function visit(url, api, workspaceId) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  await page.goto(url);
  await new Promise((done) => setTimeout(done, 3000)); // the visitor looks around
  const began = Date.now(), summary = "The shop shows no matches";
  const tabTo = async (wanted) => {
    for (let n = 0; n < 80; n++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement?.textContent?.trim()) === wanted) return;
    }
    throw new Error(`Tab does not reach ${wanted}`);
  };
  await tabTo("Report a problem");
  await page.keyboard.press("Enter");
  await new Promise((done) => setTimeout(done, 3000)); // the dialog says what it is for
  await page.keyboard.type(summary, { delay: 30 });
  if (folder) await picture(page, "dialog");
  await page.keyboard.press("Enter"); // sends, as in every form of one line
  const found = async () => (await api("GET", `/v1/slices?workspaceId=${workspaceId}&q=${encodeURIComponent("is:visitor")}`)).data[0];
  for (let n = 0; n < 100 && !await found(); n++) await new Promise((done) => setTimeout(done, 200));
  const report = await found();
  if (report?.summary !== summary) throw new Error("the report did not arrive");
  const seconds = (Date.now() - began) / 1000;
  console.log(`a visitor reported a problem by the keyboard in ${seconds.toFixed(1)} s`);
  if (seconds > 60) faults.push("a visitor needs more than a minute");
  if (folder) await picture(page, "arrived");
  await page.close();
  return report.url;
}

// play plays the replay of a report.
async function play(url, cookie) {
  await signIn(browser, url, cookie);
  const page = await browser.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  await page.goto(url);
  await page.waitForSelector("[data-begin]", { timeout: 30_000 });
  await new Promise((done) => setTimeout(done, 1000));
  await page.click("button:has([data-begin])");
  for (let n = 1; n <= 3; n++) {
    await new Promise((done) => setTimeout(done, 1500));
    if (folder) await picture(page, `replay-${n}`);
  }
  const shown = await page.evaluate(() => document.querySelectorAll("iframe").length);
  console.log(`the page of the report has ${shown} frame of the replay`);
  await page.close();
}

async function picture(page, name) {
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
