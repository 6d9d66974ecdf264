// With the public key of a source a report goes through the door for visitors: by a token, with work where it is asked
// for, its large parts in pieces that go on after a failure. The door of this test answers as that of Bugslice; suite/
// has the story with the program.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { instance, launch, site, until } from "./harness.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const key = "svc_pub_test";
const keep = (upload, body) => { for (const byte of body) upload.push(byte); };

// newDoor takes reports and files. answer says which failure a request meets, if any: a status, or "break" for a connection that breaks.
function newDoor({ work = null, captures = ["console", "network", "replay", "picture", "actions", "metadata"],
  fail = () => undefined } = {}) {
  const door = { reports: new Map(), uploads: new Map(), used: new Map(), asked: 0, tokens: 0, broken: 0 };
  door.answer = async (request, response) => {
    const { pathname } = new URL(request.url, "http://x"), { method, headers, socket } = request;
    for (const [name, value] of Object.entries({
      Origin: headers.origin ?? "",
      Headers: "*, Content-Type, Content-Encoding, Idempotency-Key, Submit-Token, Submit-Work, Tus-Resumable, " +
        "Upload-Length, Upload-Metadata, Upload-Offset",
      Methods: "POST, HEAD, PATCH",
    })) {
      response.setHeader(`Access-Control-Allow-${name}`, value);
    }
    response.setHeader("Access-Control-Expose-Headers", "Location, Upload-Offset, Upload-Length");
    if (method === "OPTIONS") return response.end();
    const failure = fail({ method, pathname, n: ++door.asked });
    const parts = [], most = failure === "break" ? 3000 : Infinity;
    let size = 0;
    for await (const part of request) {
      parts.push(part);
      if ((size += part.length) >= most) break;
    }
    const body = Buffer.concat(parts).subarray(0, most);
    const json = (status, value) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    const upload = door.uploads.get(pathname);
    if (failure === "break") {
      door.broken++;
      if (method === "PATCH" && upload && Number(headers["upload-offset"]) === upload.length) keep(upload, body);
      return void socket.destroy();
    }
    if (failure) return json(failure, { detail: "refused" });
    if (pathname.endsWith("/token")) return json(200, { token: `t${++door.tokens}`, wait: 0, work, captures });
    if (pathname.endsWith("/reports")) {
      const token = headers["submit-token"], name = headers["idempotency-key"];
      if (work) {
        const sum = createHash("sha256").update(`${work.salt}.${headers["submit-work"]}`).digest().readUInt32BE();
        if (Math.clz32(sum) < work.bits) return json(400, { detail: "no work", errors: [{ parameter: "Submit-Token" }] });
      }
      if ((door.used.get(token) ?? name) !== name) return json(400, { detail: "used", errors: [{ parameter: "Submit-Token" }] });
      door.used.set(token, name);
      door.reports.set(name, JSON.parse(headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
      return json(201, { receipt: `receipt-${name}` });
    }
    if (pathname.endsWith("/uploads")) {
      const metadata = Object.fromEntries(headers["upload-metadata"].split(",").map((pair) => pair.split(" "))
        .map(([name, text]) => [name, String(Buffer.from(text, "base64"))]));
      const path = `${pathname}/${metadata.receipt}-${metadata.part}`;
      if (!door.uploads.has(path)) door.uploads.set(path, Object.assign([], { metadata, size: Number(headers["upload-length"]) }));
      return response.writeHead(201, { Location: path, "Upload-Offset": door.uploads.get(path).length }).end();
    }
    if (method === "HEAD") return response.writeHead(200, { "Upload-Offset": upload.length, "Upload-Length": upload.size }).end();
    if (Number(headers["upload-offset"]) !== upload.length) return json(409, { detail: "another offset" });
    keep(upload, body);
    return response.writeHead(204, { "Upload-Offset": upload.length }).end();
  };
  return door;
}

async function opened(door, page = "") {
  const bugs = await instance(door.answer);
  const shop = await site({ "/": `<!DOCTYPE html><title>Shop</title><script src="${bugs.url}/capture/v1.js" data-key="${key}"
    data-replay="off"></script><body>${page}` });
  const tab = await browser.newPage();
  await tab.goto(shop.url);
  return { bugs, page: tab, end: async () => { await tab.close(); shop.close(); bugs.close(); } };
}

const fill = (page, messages) => page.evaluate((n) => {
  const random = () => Array.from(crypto.getRandomValues(new Uint8Array(1500)), (byte) => byte.toString(36)).join("");
  for (let i = 0; i < n; i++) window.Bugslice.log(random());
}, messages);

test("a small report is one request, with who reports, and no labels", async () => {
  const door = newDoor(), { page, bugs, end } = await opened(door);
  await page.evaluate(() => {
    window.Bugslice.identify({ id: "c7", name: "Ada", signature: "00" });
    window.Bugslice.set({ plan: "team" });
    return window.Bugslice.file("It fails", { labels: ["spam"] });
  });
  const [{ report, reporter }] = door.reports.values();
  assert.deepEqual([report.summary, report.metadata, report.labels, reporter],
    ["It fails", { plan: "team" }, undefined, { id: "c7", name: "Ada", signature: "00" }]);
  assert.deepEqual([door.asked, door.uploads.size, bugs.reports.length], [2, 0, 0]);
  await end();
});

test("work is done when it is asked for, and what the source does not record is not sent", async () => {
  const door = newDoor({ work: { salt: "abcdefghijklmnopqrstuvwxyz", bits: 12 }, captures: ["actions"] });
  const { page, end } = await opened(door);
  await page.evaluate(() => { window.Bugslice.set({ plan: "team" }); window.Bugslice.log("x"); return window.Bugslice.file("It fails"); });
  const [{ report }] = door.reports.values();
  assert.deepEqual([report.metadata, Object.keys(report.evidence)], [undefined, ["actions"]]);
  await end();
});

test("of a large report, pieces go on where they were when connections break, and all is there once", async () => {
  let n = 0;
  const door = newDoor({ fail: ({ method }) => (method === "PATCH" || method === "POST") && ++n % 3 === 0 ? "break" : undefined });
  const { page, end } = await opened(door);
  await fill(page, 120);
  await page.evaluate(() => window.Bugslice.file("It fails"));
  assert.equal(door.reports.size, 1);
  assert.ok(door.broken > 2, `${door.broken} connections broke`);
  const [[, file]] = door.uploads;
  assert.deepEqual([file.length, file.metadata.kind, file.metadata.encoding], [file.size, "console", "gzip"]);
  assert.equal(JSON.parse(gunzipSync(Buffer.from(file))).length, 120);
  await end();
});

test("a token that was used or has expired is replaced, and a refusal for good is heard", async () => {
  const door = newDoor(), { page, end } = await opened(door);
  door.used.set("t1", "another report");
  await page.evaluate(() => window.Bugslice.file("It fails"));
  assert.deepEqual([door.reports.size, door.tokens], [1, 2]);
  await end();
  const closed = newDoor({ fail: ({ pathname }) => pathname.endsWith("/reports") ? 403 : undefined }), other = await opened(closed);
  assert.equal(await other.page.evaluate(() => window.Bugslice.file("x").catch((why) => why.message)), "refused");
  await other.end();
});

test("a report that was interrupted goes on in the next page, with the bytes that have arrived", async () => {
  let away = false;
  const door = newDoor({ fail: ({ method }) => away && method === "PATCH" ? "break" : undefined });
  const { page, end } = await opened(door);
  await fill(page, 120);
  away = true;
  await page.evaluate(() => { window.Bugslice.file("It fails"); });
  await until(() => door.broken > 0, "a piece has broken");
  await page.reload();
  away = false;
  await until(() => [...door.uploads.values()].some((file) => file.length === file.size), "the file is there");
  assert.deepEqual([door.reports.size, door.uploads.size], [1, 1]);
  const [[, file]] = door.uploads;
  assert.equal(JSON.parse(gunzipSync(Buffer.from(file))).length, 120);
  await end();
});
