// Watches the requests of a page by fetch, XMLHttpRequest and sendBeacon. No header is recorded. The texts of a request and of its response
// are recorded when it fails, unless the page is private by default.
import { now, quietly } from "./ring.ts";
import type { Exchange } from "./types.ts";

const longest = 10_000; // characters of a text
const largest = 1 << 20; // bytes of a response that is read for its text

interface About { method: string; url: unknown; sent: unknown; started: string; clock: number }
interface Answer { status: number; statusText: string; type?: string; text?: string }

const body = (sent: unknown) => {
  const text = sent instanceof URLSearchParams ? String(sent) : sent;
  return typeof text === "string" ? { postData: { text: text.slice(0, longest) } } : {};
};
const isText = (type: string) => /^(text\/|application\/([\w.]+\+)?(json|xml))/.test(type);
const begun = (method: unknown, url: unknown, sent: unknown): About =>
  ({ method: String(method), url, sent, started: now(), clock: performance.now() });

export interface Traffic { add(exchange: Exchange): void; texts: boolean }

function entry({ texts }: Traffic, { method, url, sent, started, clock }: About, { status, statusText, type = "",
  text }: Answer): Exchange {
  const told = texts && (status === 0 || status >= 400);
  return { startedDateTime: started, time: performance.now() - clock,
    request: { method: method.toUpperCase(), url: new URL(String(url), document.baseURI).href, ...(told ? body(sent) : {}) },
    response: { status, statusText, content: { mimeType: type, ...(told && text ? { text: text.slice(0, longest) } : {}) } } };
}

function watchFetch(to: Traffic): void {
  const original = window.fetch;
  window.fetch = function (this: unknown, ...values: Parameters<typeof fetch>) {
    const [input, init] = values;
    const request = input instanceof Request ? input : undefined;
    const about = begun(init?.method ?? request?.method ?? "GET", request?.url ?? input, init?.body);
    const answer = original.apply(this as Window, values);
    const done = async (response: Response) => {
      const type = response.headers.get("Content-Type") ?? "";
      const small = Number(response.headers.get("Content-Length") ?? 0) <= largest;
      const read = to.texts && response.status >= 400 && isText(type) && small;
      const text = read ? await response.clone().text() : "";
      to.add(entry(to, about, { status: response.status, statusText: response.statusText, type, text }));
    };
    answer.then(done, (error) => to.add(entry(to, about, { status: 0, statusText: String(error) }))).catch(() => {});
    return answer;
  };
}

function watchXMLHttpRequest(to: Traffic): void {
  const { open, send } = XMLHttpRequest.prototype;
  const opened = new WeakMap<XMLHttpRequest, [unknown, unknown]>();
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...values: unknown[]) {
    opened.set(this, [values[0], values[1]]);
    return open.apply(this, values as Parameters<typeof open>);
  } as typeof open;
  XMLHttpRequest.prototype.send = function (...values) {
    const [method, url] = opened.get(this) ?? ["GET", ""];
    const about = begun(method, url, values[0]);
    this.addEventListener("loadend", () => quietly(() => {
      const type = this.getResponseHeader("Content-Type") ?? "";
      const text = isText(type) && ["", "text"].includes(this.responseType) ? this.responseText : "";
      to.add(entry(to, about, { status: this.status, statusText: this.statusText, type, text }));
    }), { once: true });
    return send.apply(this, values);
  };
}

// The browser shows no response of a beacon: its status says whether the browser took it.
function watchBeacon(to: Traffic): void {
  const original = navigator.sendBeacon;
  navigator.sendBeacon = function (this: Navigator, ...values) {
    const about = begun("POST", values[0], values[1]);
    const taken = original.apply(this, values);
    quietly(() => to.add({ ...entry(to, about, { status: taken ? 202 : 0,
      statusText: taken ? "queued by the browser" : "refused by the browser" }),
      _resourceType: "beacon" }));
    return taken;
  };
}

export function watchTraffic(to: Traffic): void {
  if ("fetch" in window) watchFetch(to);
  if ("XMLHttpRequest" in window) watchXMLHttpRequest(to);
  if (typeof navigator.sendBeacon === "function") watchBeacon(to);
}
