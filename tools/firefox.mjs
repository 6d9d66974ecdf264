// firefox.mjs BINARY [FOLDER] uses the main pages of the demo data in Firefox, as people do: sign in, list, report with its replay, panels
// and dialogs, board, overview and settings. It fails when a step does not succeed, when a page logs an error or is wider than its
// window. With a folder it writes a picture of each page.
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { end, serve } from "./demo.mjs";

const [binary, folder] = process.argv.slice(2);
const faults = [];
let at = "start";

const browser = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX_PATH ?? "/usr/bin/firefox-esr",
  headless: true });
try {
  const [, base, email, password] = await serve(binary, ["--demo"], /API reference +(\S+)\/docs\nLogin +(\S+) +password (\S+)\n/);
  const page = await browser.newPage();
  page.on("pageerror", (error) => faults.push(`${at}: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") faults.push(`${at}: ${message.text()}`); });
  const shown = (condition, ...values) => page.waitForFunction(condition, { timeout: 60_000 }, ...values);
  const open = async (path) => { at = path; await page.goto(base + path); };
  const steps = stepsOf({ page, shown, open, email, password });
  for (const [name, step] of Object.entries(steps)) {
    at = name;
    try {
      await page.setViewport({ width: 1440, height: 900 });
      await step();
      for (const width of name.startsWith("sign in") ? [] : [1440, 360]) {
        await page.setViewport({ width, height: 900 });
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (excess > 0) faults.push(`${name}: the page is ${excess} px wider than a window of ${width} px`);
        if (folder) await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, "-")}-${width}.png`) });
      }
      console.log(`${name}: done`);
    } catch (error) {
      faults.push(`${name}: ${error.message}`);
    }
  }
} finally {
  await browser.close();
  await end();
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;

function stepsOf({ page, shown, open, email, password }) {
  const state = (name) => shown((s) => document.querySelector("replay-player")?.dataset.state === s, name);
  const settings = ["profile", "security", "keys", "keys/new", "webhooks", "people", "workspace", "redaction", "audit", "shares"];
  return {
    "sign in": async () => {
      await open("/login");
      await page.type("[name=email]", email);
      await page.type("[name=password]", password);
      await page.keyboard.press("Enter");
      await shown(() => document.querySelector("[data-page=my]"));
    },
    list: async () => {
      await open("/reports?workspace=WEB");
      await page.keyboard.press("j");
      await page.keyboard.press("x");
      await shown(() => document.querySelector(".row[data-selected], .row:has(:checked)"));
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await shown(() => document.querySelector("#pane .report"));
    },
    "menu of the status": async () => {
      await open("/WEB-171");
      await page.keyboard.press("s");
      await shown(() => document.querySelector("#report-status:popover-open")?.contains(document.activeElement));
      const { top, left } = await page.$eval("#report-status", (menu) => menu.getBoundingClientRect().toJSON());
      const button = await page.$eval("#field-status", (b) => b.getBoundingClientRect().toJSON());
      if (Math.abs(top - button.bottom) > 40 && Math.abs(left - button.left) > 300) throw new Error("the menu is not at its button");
      await page.keyboard.press("Escape");
      await shown(() => !document.querySelector(":popover-open"));
    },
    report: async () => {
      await open("/WEB-163?occurrence=2&tab=network&t=25.0");
      await state("paused");
      await page.focus("body");
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press(" ");
      await state("playing");
      await shown(() => document.querySelector("replay-player").time > 25_500);
      await page.keyboard.press(" ");
      await state("paused");
      await page.click(".panel-tabs a[href*='tab=console']");
      await shown(() => document.querySelector("[data-panel=console]:not([hidden]) .line"));
    },
    "share dialog": async () => {
      await open("/WEB-163");
      await page.click("[commandfor=share]");
      await shown(() => document.querySelector("#share:modal"));
      await page.keyboard.press("Escape");
      await shown(() => !document.querySelector("#share:modal"));
      await page.keyboard.press("?");
      await shown(() => document.querySelector("#shortcuts:popover-open"));
      await page.keyboard.press("Escape");
    },
    board: async () => {
      await open("/board?workspace=WEB");
      const card = await page.$eval("[data-group=open] .row", (row) => row.id);
      await drag(page, `[id="${card}"] .row-reference`, "[data-group=in_progress] .column-title");
      await shown((id) => document.querySelector(`[data-group=in_progress] [id="${id}"]:not([aria-busy])`), card);
    },
    overview: async () => {
      await open("/overview?workspace=WEB");
      await shown(() => document.querySelector(".plot-bars a rect").getBoundingClientRect().height > 1);
    },
    ...Object.fromEntries(settings.map((name) => [`settings ${name}`, () => open(`/settings/${name}`)])),
  };
}

async function drag(page, from, to) {
  const middle = async (selector) => {
    const { x, y, width, height } = await page.$eval(selector, (e) => e.getBoundingClientRect().toJSON());
    return [x + width / 2, y + height / 2];
  };
  await page.mouse.move(...await middle(from));
  await page.mouse.down();
  await page.mouse.move(...await middle(to), { steps: 10 });
  await page.mouse.up();
}
