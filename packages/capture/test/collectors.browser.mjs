// What the script captures of a page, and what it does not, in Chromium.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { instance, launch, recording, site, tag, until } from "./harness.mjs";

let browser, bugs;
before(async () => { browser = await launch(); bugs = await instance(); });
after(async () => { await browser.close(); bugs.close(); });

// opened opens a page with the script, and returns it with a function that files a report and returns its body.
async function opened(body, more = "", pages = {}, head = "") {
  const shop = await site({ "/": `<!DOCTYPE html><title>Shop</title>${head}${tag(bugs.url, more)}<body>${body}`, ...pages });
  const page = await browser.newPage();
  await page.goto(shop.url);
  const filed = async () => {
    const n = bugs.reports.length;
    await page.evaluate(() => window.Bugslice.file("It fails"));
    return bugs.reports[n];
  };
  return { page, shop, filed, end: async () => { await page.close(); shop.close(); } };
}

test("console, logs, errors and rejections are messages, and an error files a report once", async () => {
  const at = bugs.reports.length;
  const { end } = await opened('<script src="/fails.js"></script>', "", { "/fails.js": `console.warn("low", { stock: 2 });
    window.Bugslice.log("basket opened", "info");
    const fail = () => { throw new Error("total is null"); };
    for (let i = 0; i < 2; i++) setTimeout(fail);
    Promise.reject(new TypeError("no rate"));` });
  await until(() => bugs.reports.length === at + 2, "two reports");
  await new Promise((done) => setTimeout(done, 300));
  const [first, second, third] = bugs.reports.slice(at);
  assert.equal(third, undefined);
  assert.deepEqual([first.summary, second.summary].sort(), ["Error: total is null", "TypeError: no rate"]);
  assert.ok(first.fingerprint.startsWith(first.summary));
  const lines = second.evidence.console.map(({ level, message }) => `${level} ${message}`);
  for (const line of ['warn low {"stock":2}', "info basket opened", "error Error: total is null", "error TypeError: no rate"])
    assert.ok(lines.includes(line), `${line} in ${lines}`);
  await end();
});

test("fetch, XMLHttpRequest and beacons are requests, with texts of those that fail", async () => {
  const fails = (request, response) => response.writeHead(500, { "Content-Type": "application/json" }).end('{"error":"no stock"}');
  const { page, filed, end } = await opened("", "", { "/fails": fails, "/works": "fine", "/beacon": "" });
  await page.evaluate(async () => {
    await fetch("/works?a=1");
    const recorded = () => new Promise((done) => setTimeout(done, 100)); // the text of an answer is read beside the page
    await fetch("/fails", { method: "post", body: '{"item":7}' });
    await recorded();
    await new Promise((done) => {
      const request = new XMLHttpRequest();
      request.open("PUT", "/fails");
      request.onloadend = done;
      request.send("item=8");
    });
    await fetch("http://localhost:1/").catch(() => {});
    navigator.sendBeacon("/beacon", "seen");
    await recorded();
  });
  const entries = (await filed()).evidence.network.log.entries;
  assert.deepEqual(entries.map(({ request, response }) => [request.method, new URL(request.url).pathname, response.status]),
    [["GET", "/works", 200], ["POST", "/fails", 500], ["PUT", "/fails", 500], ["GET", "/", 0], ["POST", "/beacon", 202]]);
  assert.deepEqual(entries.map((e) => [e.request.postData?.text, e.response.content.text]),
    [[undefined, undefined], ['{"item":7}', '{"error":"no stock"}'], ["item=8", '{"error":"no stock"}'], [undefined, undefined],
      [undefined, undefined]]);
  assert.ok(entries.every((e) => !("headers" in e.request)));
  await end();
});

// sockets makes a site answer WebSockets: it sends one text frame, and echoes nothing.
function sockets(server) {
  server.on("upgrade", (request, socket) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${accept}`, "", ""]
      .join("\r\n"));
    socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from("hello")]));
    socket.on("error", () => {});
  });
}

for (const asked of [false, true]) test(`frames of WebSockets are counted${asked ? ", and their texts kept when asked" : ""}`, async () => {
  const { page, shop, filed, end } = await opened("", asked ? 'data-frames="text"' : "");
  sockets(shop.server);
  const same = await page.evaluate(() => new Promise((done) => {
    const socket = new WebSocket(`ws://${location.host}/live`);
    socket.onmessage = () => { socket.send("one"); socket.send(new Uint8Array(4)); done(socket instanceof WebSocket &&
      WebSocket.OPEN === 1); };
  }));
  assert.ok(same, "the page sees its own WebSocket");
  const [entry] = (await filed()).evidence.network.log.entries;
  assert.equal(entry.comment, "2 frames sent (7 bytes), 1 received (5 bytes)");
  assert.equal(entry.response.status, 101);
  assert.deepEqual(entry._webSocketMessages?.map(({ type, data }) => [type, data]), asked ? [["receive", "hello"], ["send",
    "one"]] : undefined);
  await end();
});

test("actions have the names of what a person sees, and never a value", async () => {
  const { page, filed, end } = await opened(`<button id="pay">Pay <b>now</b></button><label>Street <input id="street"></label>
    <button aria-label="Close" class="x">×</button><div data-bugslice-mask><button id="secret">Ada Lovelace</button></div>
    <label for="size">Size</label><select id="size"><option>Small<option>Large</select>
    <div contenteditable id="note">typed words</div>`);
  for (const selector of ["#pay", ".x", "#secret", "#note"]) await page.click(selector);
  await page.type("#street", "Baker Street");
  await page.evaluate(() => document.activeElement.blur());
  await page.select("#size", "Large");
  await page.evaluate(() => history.pushState(null, "", "/cart"));
  const actions = (await filed()).evidence.actions;
  const told = actions.map(({ type, text }) => `${type} ${text ?? ""}`.trim());
  for (const line of ["navigate", "click Pay now", "click Close", "change Street", "change Size"]) assert.ok(told.includes(line),
    `${line} in ${told}`);
  assert.equal(new URL(actions.at(-1).url).pathname, "/cart");
  assert.doesNotMatch(JSON.stringify(actions), /Ada|secret|typed words|Baker|Large/);
  await end();
});

test("the order of loading is irrelevant, and identity, metadata and environment are in the report", async () => {
  const { page, filed, end } = await opened("", 'data-release="1.2"', { "/early.js":
    'window.Bugslice = [["identify", { id: "u7", email: "ada@example.com" }], ["set", { plan: "team", gone: 1 }], ["log", "before"]]' },
  '<script src="/early.js"></script>');
  await page.evaluate(() => window.Bugslice.push(["set", { gone: null }], ["nothing"]));
  const report = await filed();
  assert.deepEqual(report.metadata, { "user.id": "u7", "user.email": "ada@example.com", plan: "team" });
  assert.equal(report.evidence.console[0].message, "before");
  assert.equal(report.environment.release, "1.2");
  assert.match(report.environment.viewport, /^\d+x\d+$/);
  const filing = await page.evaluate(() => window.Bugslice.capture(new RangeError("too far")));
  assert.match(filing.reference, /^WEB-\d+$/);
  assert.equal(bugs.reports.at(-1).summary, "RangeError: too far");
  await end();
});

test("a replay begins with a picture of the page and lasts until the report", async () => {
  const { page, filed, end } = await opened("<p id=p>Hello</p>");
  await recording(page);
  await page.evaluate(() => { document.getElementById("p").textContent = "Changed"; });
  const { replay } = (await filed()).evidence;
  assert.deepEqual(replay.slice(0, 2).map((event) => event.type), [4, 2]);
  assert.match(JSON.stringify(replay), /Changed/);
  assert.equal(replay.at(-1).type, 5);
  await end();
});

test("nothing is recorded that a page switches off", async () => {
  const at = bugs.reports.length;
  const { page, filed, end } = await opened("", 'data-replay="off" data-errors="off"');
  await page.evaluate(() => { setTimeout(() => { throw new Error("quiet"); }); });
  await new Promise((done) => setTimeout(done, 1500));
  assert.equal(bugs.reports.length, at);
  assert.deepEqual((await filed()).evidence.replay, []);
  await end();
});
