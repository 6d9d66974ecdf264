// demo.mjs starts servers with temporary databases, for lighthouse.mjs and pictures.mjs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

// launch starts Chromium, which ends with this process.
export const launch = () => puppeteer.launch({ executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

const dir = await mkdtemp(join(tmpdir(), "bugslice-pages-"));
const servers = [];

// end stops the servers and removes their data.
export async function end() {
  for (const server of servers) server.kill();
  await Promise.all(servers.map((server) => server.exitCode === null && once(server, "exit")));
  await rm(dir, { recursive: true, force: true });
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => end().then(() => process.exit(1)));

// demo starts an instance with demo data, and returns its address and the cookies of its owner.
export async function demo(binary) {
  const [, base, email, password] = await serve(binary, ["--demo"], /API reference +(\S+)\/docs\nLogin +(\S+) +password (\S+)\n/);
  const answer = await fetch(base + "/login", { method: "POST", redirect: "manual", body: new URLSearchParams({ email, password }) });
  if (answer.status !== 303) throw new Error(`signing in is answered with ${answer.status}`);
  return { base, Cookie: answer.headers.getSetCookie().map((c) => c.split(";")[0]).join("; ") };
}

// signIn gives a browser the cookies of a page, if there are any, and no others. A header is not in the requests of its scripts and
// workers.
export async function signIn(browser, url, Cookie) {
  await browser.deleteCookie(...await browser.cookies());
  if (!Cookie) return;
  const { hostname } = new URL(url);
  await browser.setCookie(...Cookie.split("; ").map((c) => ({ name: c.slice(0, c.indexOf("=")),
    value: c.slice(c.indexOf("=") + 1), domain: hostname, path: "/" })));
}

// serve starts a server with an empty database. It returns the match of a pattern in its output.
export async function serve(binary, flags, pattern) {
  const data = join(dir, String(servers.length));
  const server = spawn(binary, ["serve", "--listen", `127.0.0.1:${await freePort()}`, "--data", data, ...flags]);
  servers.push(server);
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk) => {
      text += chunk;
      const match = text.match(pattern);
      if (match) resolve(match);
    };
    server.stdout.on("data", read);
    server.stderr.on("data", read);
    server.on("exit", () => reject(new Error("the server ended: " + text)));
  });
}

async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  return port;
}
