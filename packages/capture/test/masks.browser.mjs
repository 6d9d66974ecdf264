// The ways in which recorders told what a page hides. Each has a control: the same markup where the page hides nothing, in which the
// text must be found, or the test would prove nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { instance, launch, recording, site, tag } from "./harness.mjs";

let browser, bugs;
before(async () => { browser = await launch(); bugs = await instance(); });
after(async () => { await browser.close(); bugs.close(); });

const type = (page, id, secret) => page.type(`#${id}`, secret);
const set = (script) => (page, id, secret) => page.evaluate((f, id, secret) => new Function("x", "s", f)(document.getElementById(id),
  secret),
  script, id, secret);

// Each row: what it is; the markup, in which M is the mask, S the secret and X the identifier; and what happens then.
const masked = [
  ["a text", "<p M>S</p>"],
  ["a text below", "<div M><ul><li><b>S</b></ul></div>"],
  ["a text that is added later", "<div M id=X></div>", set('x.append(Object.assign(document.createElement("p"), { textContent: s }))')],
  ["a text that changes", "<p M id=X>before</p>", set('x.firstChild.nodeValue = s')],
  ["a title", "<p M title=S>.</p>"],
  ["a title that changes", "<p M id=X title=a>.</p>", set('x.title = s')],
  ["a placeholder", "<div M><input placeholder=S></div>"],
  ["an aria-label", "<button M aria-label=S>.</button>"],
  ["an attribute of the application", "<div M data-customer=S>.</div>"],
  ["an alternative text", "<img M alt=S src=/none.png>"],
  ["an address of a picture", "<img M src='/S.png'>"],
  ["an address of a link", "<a M href='/S'>.</a>"],
  ["an address in a style", "<div M style=\"background: url('/S.png')\">.</div>"],
  ["the label of a button", "<input M type=submit value=S>"],
  ["a text in a shadow tree", "<div M id=X></div>", set('x.attachShadow({ mode: "open" }).innerHTML = s')],
  ["a text in a frame", "<iframe M id=X></iframe>", set('x.contentDocument.body.textContent = s')],
  ["a click on a text", "<div M><button id=X>S</button></div>", (page, id) => page.click(`#${id}`)],
  ["an identifier in a selector", "<div M><button id=S>.</button></div>", (page, id, secret) => page.click(`#${secret}`)],
];
const field = [
  ["what is typed", "<input id=X>", type],
  ["what is typed into an area", "<textarea id=X></textarea>", type],
  ["what is typed into an element", "<div id=X contenteditable>.</div>", type],
  ["the value of a field", "<input value=S>"],
  ["the value of an area", "<textarea>S</textarea>"],
  ["the value of an option", "<select><option value=S>.</select>"],
  ["the value of a checkbox", "<input type=checkbox value=S>"],
  ["a value that a script sets", "<input id=X>", set('x.value = s')],
];
const sensitive = [
  ["a password", "<input id=X type=password>", "<input id=X>", type],
  ["a password that is shown", "<input id=X type=password>", "<input id=X>", async (page, id, secret) => {
    await page.type(`#${id}`, secret.slice(0, 4));
    await page.evaluate((id) => { document.getElementById(id).type = "text"; }, id);
    await page.type(`#${id}`, secret.slice(4));
  }],
  ["a hidden field", "<input type=hidden value=S>", "<input type=text value=S>"],
  ["a hidden field that changes", "<input type=hidden id=X>", "<input id=X>", set('x.setAttribute("value", s)')],
  ["a card", "<input id=X autocomplete='billing cc-number'>", "<input id=X>", type],
  ["a name by autocomplete", "<input id=X autocomplete=name>", "<input id=X>", type],
  ["a card by its name", "<input id=X name=cardNumber>", "<input id=X>", type],
];

const secretOf = (n) => `Lovelace${1815 + n}End`;

// report files a report of a page with all rows, and returns its replay and its actions.
async function report(more, rows) {
  const filled = (markup, n) => markup.replaceAll("S", secretOf(n)).replaceAll("X", `x${n}`);
  const shop = await site({ "/": `<!DOCTYPE html><title>x</title>${tag(bugs.url, more)}<body>
    ${rows.map(([markup], n) => `<section>${filled(markup, n)}</section>`).join("")}` });
  const page = await browser.newPage();
  await page.goto(shop.url);
  await recording(page);
  for (const [n, [, act]] of rows.entries()) await act?.(page, `x${n}`, secretOf(n));
  await page.evaluate(() => { document.activeElement?.blur?.(); return new Promise((done) => setTimeout(done, 80)); });
  await page.evaluate(() => window.Bugslice.file("x"));
  await page.close();
  shop.close();
  const { evidence } = bugs.reports.at(-1);
  assert.ok(evidence.replay.length > 2, "there is a replay");
  return JSON.stringify([evidence.replay, evidence.actions]);
}

const tells = (text, n) => text.includes(secretOf(n)) || text.includes(secretOf(n).slice(4));
const shown = 'data-inputs="shown"';

// hides compares two reports of rows: the name, the markup, that of the control, and what happens.
async function hides(t, [more, controlMore], rows) {
  const report1 = await report(more, rows.map(([, markup, , act]) => [markup, act]));
  const report2 = await report(controlMore, rows.map(([, , control, act]) => [control, act]));
  for (const [n, [name]] of rows.entries()) await t.test(name, () => {
    assert.ok(!tells(report1, n), "the report tells it");
    assert.ok(tells(report2, n), "the control does not tell it");
  });
}

test("a masked element tells nothing", (t) => hides(t, [shown, shown],
  masked.map(([name, markup, act]) => [name, markup.replace(" M", " data-bugslice-mask"), markup.replace(" M", ""), act])));
test("fields tell nothing by default", (t) => hides(t, ["", shown], field.map(([name, markup, act]) => [name, markup, markup, act])));
test("sensitive fields tell nothing although inputs are shown", (t) => hides(t, [shown, shown], sensitive));
test("a page that is private by default tells what it shows alone", async (t) => {
  await hides(t, ["data-private", shown], [["a title and a text", "<p title=S>S", "<p title=S>S"], ["a field", "<input value=S>",
    "<input value=S>"]]);
  await hides(t, ["data-private", "data-private"], [["a mask in what is shown", "<p data-bugslice-show>.<b data-bugslice-mask>S</b>",
    "<p data-bugslice-show>.<b>S</b>"]]);
});
test("addresses of blobs are left out", async () => {
  const show = (page, id) => page.evaluate((id) => { document.getElementById(id).src = URL.createObjectURL(new Blob(["x"])); }, id);
  assert.doesNotMatch(await report("", [["<img id=X>", show]]), /blob:/);
});
