// Watches the requests of a page by fetch and XMLHttpRequest. No header is recorded. The texts of a request and of its response are
// recorded when it fails.
import { now, quietly } from "./journal.js";

const longest = 10000; // characters of a text

const body = (text) => (typeof text === "string" ? { postData: { text: text.slice(0, longest) } } : {});
const isText = (type) => /^(text\/|application\/([\w.]+\+)?(json|xml))/.test(type);

function entry({ method, url, sent, started, clock }, { status, statusText, type, text }) {
  const failed = status === 0 || status >= 400;
  return { startedDateTime: started, time: performance.now() - clock,
    request: { method: method.toUpperCase(), url: String(new URL(url, document.baseURI)), ...(failed ? body(sent) : {}) },
    response: { status, statusText, content: { mimeType: type, ...(failed && text ? { text: text.slice(0, longest) } : {}) } } };
}

function watchFetch(add) {
  const original = window.fetch;
  window.fetch = function (...values) {
    const [input, init] = /** @type {any[]} */ (values);
    const method = init?.method ?? input?.method ?? "GET";
    const about = { method, url: input?.url ?? input, sent: init?.body, started: now(), clock: performance.now() };
    const answer = original.apply(this, values);
    const done = async (response) => {
      const type = response.headers.get("Content-Type") ?? "";
      const text = response.status >= 400 && isText(type) ? await response.clone().text() : "";
      add(entry(about, { status: response.status, statusText: response.statusText, type, text }));
    };
    answer.then(done, (error) => add(entry(about, { status: 0, statusText: String(error), type: "", text: "" }))).catch(() => {});
    return answer;
  };
}

function watchXMLHttpRequest(add) {
  const { open, send } = XMLHttpRequest.prototype;
  const opened = new WeakMap();
  XMLHttpRequest.prototype.open = function (...values) {
    const [method, url] = values;
    opened.set(this, { method, url });
    return open.apply(this, /** @type {any} */ (values));
  };
  XMLHttpRequest.prototype.send = function (...values) {
    const about = { ...opened.get(this), sent: values[0], started: now(), clock: performance.now() };
    this.addEventListener("loadend", () => quietly(() => {
      const type = this.getResponseHeader("Content-Type") ?? "";
      const text = isText(type) && ["", "text"].includes(this.responseType) ? this.responseText : "";
      add(entry(about, { status: this.status, statusText: this.statusText, type, text }));
    }));
    return send.apply(this, values);
  };
}

export function watchTraffic(add) {
  if (window.fetch) watchFetch(add);
  if (window.XMLHttpRequest) watchXMLHttpRequest(add);
}
