// Serves a page of one origin, and the script and the API of an instance at another one, and opens the page in Chromium.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import puppeteer from "../../../tools/node_modules/puppeteer-core/lib/esm/puppeteer/puppeteer-core.js";

const built = new URL("../../../internal/web/static/built/", import.meta.url);
export const bundle = (name) => readFile(new URL(name, built));

const shell = "/usr/bin/chromium-headless-shell";
export const firefox = () => puppeteer.launch({ browser: "firefox", executablePath: "/usr/bin/firefox-esr" });
export const launch = () => puppeteer.launch({ executablePath: process.env.CHROME_PATH ?? (existsSync(shell) ? shell : "/usr/bin/chromium"),
  args: ["--no-sandbox"] });

const listen = (answer) => new Promise((done) => {
  const server = createServer(answer);
  server.unref(); // a test that fails leaves it open
  server.listen(0, "127.0.0.1", () => done({ server, port: server.address().port }));
});

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
};

// instance answers as Bugslice does. It keeps the reports and files that it gets, and refuses connections while it is
// away. door answers the requests below /intake.
export async function instance(door = (request, response) => response.writeHead(404).end()) {
  const it = { reports: [], files: [], keys: [], away: false, status: 201 };
  const { server, port } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Access-Control-Allow-Headers", "authorization, content-type, idempotency-key");
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    const script = /^\/capture\/(?:(v1)|(\w+))\.js$/.exec(pathname);
    if (script) {
      response.setHeader("Content-Type", "text/javascript");
      return response.end(await bundle(script[1] ? "capture.js" : `capture${script[2]}.js`));
    }
    if (pathname.startsWith("/intake/")) return door(request, response);
    if (request.method === "OPTIONS") return response.end();
    const body = await bodyOf(request);
    if (it.away) return request.socket.destroy();
    response.setHeader("Content-Type", "application/json");
    if (it.status !== 201) return response.writeHead(it.status).end(JSON.stringify({ detail: "refused" }));
    const key = request.headers["idempotency-key"];
    if (!it.keys.includes(key)) {
      it.keys.push(key);
      if (pathname === "/v1/slices") it.reports.push(JSON.parse(body));
      else it.files.push({ path: pathname, body });
    }
    response.writeHead(201).end(JSON.stringify({ id: "slc_1", reference: `WEB-${it.reports.length}`,
      url: `${it.url}/WEB-${it.reports.length}` }));
  });
  return Object.assign(it, { url: `http://127.0.0.1:${port}`, close: () => { server.closeAllConnections(); server.close(); } });
}

// site serves pages: a path, and the markup, or a function that answers.
export async function site(pages, headers = {}) {
  const { server, port } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    const page = pages[pathname];
    if (page === undefined) return response.writeHead(404, { "Content-Type": "text/plain" }).end("no such page");
    if (typeof page === "function") return page(request, response);
    response.writeHead(200, { "Content-Type": pathname.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8",
      ...headers }).end(page);
  });
  return { url: `http://localhost:${port}`, close: () => { server.closeAllConnections(); server.close(); }, server };
}

// tag is the element that loads the script.
export const tag = (url, more = "") => `<script src="${url}/capture/v1.js" data-key="svc_wst_test" ${more}></script>`;

export async function until(condition, what = "the condition", most = 15000) {
  for (const end = Date.now() + most; ;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what} does not hold after ${most} ms`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

// recording waits until the replay has begun. The client has loaded its recorder when the page has asked for it.
export const recording = (page) => until(() => page.evaluate(() =>
  performance.getEntriesByType("resource").some((entry) => entry.name.includes("/capture/recorder"))), "the recorder is loaded")
  .then(() => new Promise((done) => setTimeout(done, 300)));
