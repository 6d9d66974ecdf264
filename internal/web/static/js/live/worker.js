// The live stream of a browser. All of its pages share this worker, and so one connection: over HTTP/1.1 a browser has six for an
// origin. The stream is open while a page is visible. Without shared workers each page has a worker, and a stream, of its own.
import { format, parse } from "./position.js";

const pages = new Set(); // ports of visible pages
const silence = 40000; // of a stream that is lost; the server writes every 15 s
let position = {}; // sequences by workspace; the stream continues after it
let user = ""; // of the stream; empty while none is open
let stream = null; // the controller of the request
let failures = 0;
let retrying, heard;

const post = (message) => { for (const page of pages) page.postMessage(message); };

function attach(port) {
  const leave = () => {
    pages.delete(port);
    if (!pages.size) stop();
  };
  port.onmessage = ({ data }) => { if (data.type === "leave") leave(); else follow(port, data); };
  port.onclose = leave; // a page that has crashed
  port.start?.();
}

// A page follows from its own position. If the stream is ahead of it, it is opened again from there: pages drop what they know.
function follow(port, data) {
  const from = parse(data.position);
  const ahead = Object.keys(position).filter((key) => !(from[key] >= position[key]));
  if (!pages.size) position = from;
  const first = !pages.size;
  pages.add(port);
  if (!first) {
    for (const key of ahead) if (key in from) position[key] = from[key]; else delete position[key];
  }
  if (!stream || first || data.renew || ahead.length || Date.now() - heard > silence / 2) open();
  else if (user) port.postMessage({ type: "open", user });
}

function stop() {
  clearTimeout(retrying);
  const former = stream;
  stream = null;
  user = "";
  former?.abort();
}

function open() {
  stop();
  stream = new AbortController();
  heard = Date.now();
  read(stream);
}

async function read(controller) {
  let refused = false;
  try {
    const response = await fetch("/live", { headers: { Accept: "text/event-stream", "Last-Event-ID": format(position) },
      cache: "no-store", signal: controller.signal });
    if (controller === stream && response.status === 401) {
      stop();
      post({ type: "ended" });
      return;
    }
    if (!response.ok) throw new Error(String(response.status));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done || controller !== stream) break;
      heard = Date.now();
      const messages = (text + value).split("\n\n");
      text = messages.pop();
      for (const message of messages) refused = receive(message) === "problem" || refused;
    }
  } catch {
    // the connection is lost
  }
  if (controller === stream) retry(refused);
}

function receive(message) {
  const fields = Object.fromEntries(message.split("\n").map((line) => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  }));
  if (!fields.event) return "";
  const data = JSON.parse(fields.data);
  if (fields.id) position = parse(fields.id);
  if (fields.event === "ready") {
    [failures, user] = [0, data.user];
    post({ type: "open", user });
  } else if (fields.event !== "problem") {
    post({ type: fields.event, position: fields.id, ...data });
  }
  return fields.event;
}

// After a restart of the server not all browsers come back at once. A stream that was refused is opened at once, because the
// browser may have another session by now; otherwise the answer says that it has none.
function retry(refused) {
  stop();
  failures++;
  if (failures > 1) post({ type: "lost" });
  retrying = setTimeout(open, refused && failures === 1 ? 0 : Math.min(1000 * 2 ** (failures - 1), 30000) * (0.5 + Math.random()));
}

// After sleep a connection may be lost without a sign.
setInterval(() => { if (stream && Date.now() - heard > silence) retry(false); }, 10000);

if ("SharedWorkerGlobalScope" in self) addEventListener("connect", (/** @type {MessageEvent} */ { ports }) => attach(ports[0]));
else attach(self);
