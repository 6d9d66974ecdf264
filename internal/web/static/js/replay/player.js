// Plays a replay in a document of an opaque origin, which the frame around it makes. The page sends load, play, pause, seek and speed;
// this document answers with ready, meta, time, finish and error. Times are milliseconds after the first event.
import { AdoptingReplayer } from "./adopting.js";
import { types } from "./known.js";
import { sanitize } from "./sanitizer.js";

const idleAfter = 3000, idleMargin = 500; // milliseconds
let port, replayer, size = { width: 1024, height: 768 }, duration = 0, playing = false, wanted = null, seeks = 0;

for (const name of ["debug", "log", "info", "warn", "error"]) console[name] = () => {}; // what is played writes nothing to the console
const send = (type, content) => port?.postMessage({ type, ...content });
const fail = (event) => { event.preventDefault?.(); send("error"); };
addEventListener("error", fail);
addEventListener("unhandledrejection", fail);

// idle returns the spans in which nothing was recorded: nothing was done, and nothing has changed.
function idle(events) {
  const spans = [], start = events[0].timestamp;
  for (let i = 1; i < events.length; i++) {
    const from = events[i - 1].timestamp, to = events[i].timestamp;
    if (to - from > idleAfter) spans.push([from - start + idleMargin, to - start - idleMargin]);
  }
  return spans;
}

function fit() {
  const scale = Math.min(innerWidth / size.width, innerHeight / size.height);
  const x = (innerWidth - size.width * scale) / 2, y = (innerHeight - size.height * scale) / 2;
  replayer.wrapper.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
}

// current is the time at which the replay is. That of rrweb lies before the first event until it has played.
const current = () => Math.min(Math.max(replayer.getCurrentTime(), 0), duration);
const sendTime = () => send("time", { time: current(), seeks });

function frame() {
  if (!playing) return;
  sendTime();
  requestAnimationFrame(frame);
}

function play() {
  if (playing) return;
  playing = true;
  replayer.play(current());
  requestAnimationFrame(frame);
}

function pause() {
  playing = false;
  replayer.pause();
}

// seek goes to the last one of the times that have been asked for. The times that are sent name it, so that the page tells them from
// those before.
function seek({ time, number }) {
  const waits = wanted !== null;
  wanted = { to: Math.min(Math.max(Number(time) || 0, 0), duration), number };
  if (waits) return;
  setTimeout(() => {
    const { to } = wanted;
    seeks = wanted.number;
    wanted = null;
    if (playing) replayer.play(to); else replayer.pause(to);
    sendTime();
  });
}

const commands = { play, pause, seek, speed: ({ speed }) => replayer.setConfig({ speed }) };

function load({ events: bytes, background }) {
  const events = sanitize(JSON.parse(new TextDecoder().decode(bytes)).events);
  if (events.length < 2 || !events.some((e) => e.type === types.fullSnapshot)) return send("error");
  document.documentElement.style.background = background;
  duration = events[events.length - 1].timestamp - events[0].timestamp;
  replayer = new AdoptingReplayer(events, { root: document.body, mouseTail: false, triggerFocus: false, showWarning: false,
    UNSAFE_replayCanvas: false, useVirtualDom: true });
  replayer.on("resize", (now) => {
    size = { width: Number(now.width), height: Number(now.height) };
    fit();
  });
  replayer.on("finish", () => {
    if (playing) send("finish");
    playing = false;
  });
  let shown = false;
  replayer.on("fullsnapshot-rebuilded", () => {
    if (shown) return;
    shown = true;
    send("meta", { start: events[0].timestamp, duration, idle: idle(events) });
    send("ready");
  });
  addEventListener("resize", fit);
  if (!events.some((e) => e.type === types.meta)) replayer.handleResize(size);
  fit();
  port.onmessage = ({ data }) => commands[data.type]?.(data);
}

addEventListener("message", ({ source, data, ports }) => {
  if (source !== parent || port || data?.type !== "load") return;
  port = ports[0];
  try { load(data); } catch { send("error"); }
});
parent.postMessage({ type: "loaded" }, "*");
