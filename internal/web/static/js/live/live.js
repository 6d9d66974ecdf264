// Live updates. A page takes part with an element [data-live], which names this script and that of the worker. Within it each element with
// data-report and data-version shows a version of a report. When the report has a newer one, the page is fetched again, and the
// element is replaced by the one with the same id (or, without an id, the same data-report in the same data-live-list), and marked.
// An element that the reader is using is replaced later. An element with data-live-whole is not replaced: its event live:page has the
// fetched page. When the report is not on the fetched page any more, the element stays, marked with data-left.
// With data-live-only the page answers ?only= with the elements of some reports alone. data-live-new says which reports that the page does
// not show are looked for: created ones, or any; those that it would show are offered by [data-live-offer].
// Each change is also an event live:change of the element [data-live], with the reference, the version and the kind; live:replaced has an
// element that has replaced another one; live:reload says that changes are missing.
import { dispatch } from "../events.js";
import { pageOf, partial } from "../page.js";
import { showCounts } from "../reports/counts.js";

const root = () => document.querySelector("[data-live]");
const main = () => document.getElementById("main");
const parts = (reference) => [...root().querySelectorAll(`[data-report="${reference}"]`)];

let port = null; // to the worker
let following = false;
let rendered; // the position that the page was rendered at
let view = ""; // that, and the address
let position = ""; // after the last message
const pending = new Map(); // what to look at: the last change by reference
const waiting = new Set(); // references of elements that the reader was using
const offered = new Set(); // references of reports that the page would show
let all = false; // whether changes are missing, so that everything has to be looked at
let timer = null, pause = 500; // between two requests
let halted = false; // there is no session
let accepted = []; // what the reader has asked for by the offer

function connect({ renew = false, swapped = false } = {}) {
  const at = main()?.dataset.position;
  if (view !== `${at} ${location.pathname}${location.search}`) {
    view = `${at} ${location.pathname}${location.search}`;
    for (const set of [pending, waiting, offered]) set.clear();
    all = false;
  }
  const moved = at !== rendered;
  if (moved) rendered = position = at;
  if (!root() || at === undefined || document.visibilityState === "hidden") {
    if (following) port.postMessage({ type: "leave" });
    following = false;
    return;
  }
  if (swapped && following && !moved) return;
  if (!port) {
    const url = root().dataset.liveWorker;
    port = "SharedWorker" in window ? new SharedWorker(url).port : new Worker(url);
    port.onmessage = ({ data }) => { if (following && root()) receive[data.type](data); };
  }
  following = true;
  port.postMessage({ type: "follow", position, renew });
}

const receive = {
  open({ user }) {
    lost(false);
    halted = user !== main().dataset.user;
    if (halted) return receive.ended(); // another user has signed in
    dispatch(document, "session:resumed");
    root().dataset.followed = "";
    schedule();
  },
  lost() { lost(true); },
  ended() {
    lost(false);
    halted = true;
    dispatch(document, "session:ended", {});
  },
  changes(message) {
    position = message.position;
    for (const change of message.changes) {
      dispatch(root(), "live:change", change);
      if (concerns(change)) pending.set(change.reference, change);
    }
    schedule();
  },
  inbox(message) {
    position = message.position;
    const text = message.unread > 99 ? "99+" : String(message.unread || "");
    for (const place of document.querySelectorAll("[data-unread]")) place.textContent = text;
    document.title = (text && `(${text}) `) + document.title.replace(/^\(\d+\+?\) /, "");
    dispatch(document, "live:inbox");
  },
  reload(message) {
    position = message.position;
    all = true;
    dispatch(root(), "live:reload");
    schedule();
  },
};

function lost(on) {
  const notice = document.querySelector("[data-connection]");
  if (notice) notice.hidden = !on;
}

// Whether the page has to look at a change: it shows an older version, or might show the report.
function concerns({ reference, version, kind }) {
  const shown = parts(reference);
  if (shown.length) return shown.some((part) => Number(part.dataset.version) < version) || kind === "deleted";
  if (kind === "deleted") offered.delete(reference);
  const workspace = new URLSearchParams(location.search).get("workspace");
  if (kind === "deleted" || workspace && !reference.startsWith(workspace + "-")) return false;
  const wanted = root().dataset.liveNew;
  return wanted === "any" || wanted === "created" && kind === "created";
}

function schedule() {
  offer();
  if ((pending.size || all) && timer === null && !halted) timer = setTimeout(refresh, pause * (0.75 + Math.random() / 2));
}

// A page asks about up to 100 reports at once, and for at most a fiftieth of the time, so that many pages do not load a slow server.
async function refresh() {
  timer = null;
  if (!root() || !following) return;
  timer = 0; // no other request meanwhile
  const at = view;
  const url = new URL(location.href);
  let batch = [...pending.keys()];
  const asked = new Set(root().querySelectorAll("[data-report]"));
  const complete = all;
  all = false;
  if (complete) {
    batch = [...new Set([...root().querySelectorAll("[data-report]")].map((part) => part.dataset.report))];
    for (const reference of batch) pending.set(reference, { reference, version: Infinity });
  }
  if ("liveOnly" in root().dataset) {
    batch = batch.slice(0, 100);
    url.searchParams.delete("cursor");
    if (batch.length) url.searchParams.set("only", batch.join());
  }
  const known = new Map(pending);
  const started = performance.now();
  try {
    const page = await fetched(url);
    if (view === at && root()) {
      for (const reference of batch) {
        update(reference, page, asked);
        const change = pending.get(reference); // another one may have come meanwhile
        if (change === known.get(reference) || !concerns(change)) pending.delete(reference);
      }
      if (complete && "liveOnly" in root().dataset) await discover(url, at);
      else if (complete) find(page);
      showCounts(page);
    }
    pause = Math.min(Math.max(500, 50 * (performance.now() - started)), 30000);
  } catch {
    all = all || complete;
    pause = Math.min(4 * pause, 30000);
  }
  timer = null;
  if (root() && following) schedule();
}

async function fetched(url) {
  const response = await fetch(url, { headers: partial });
  if (response.status === 401) receive.ended();
  if (![200, 403, 404, 410].includes(response.status)) throw new Error(String(response.status));
  return pageOf(response);
}

// After a gap the first page of a list is compared with what is shown.
async function discover(url, at) {
  url.searchParams.delete("only");
  const page = await fetched(url);
  if (view === at && root()) find(page);
}

function find(page) {
  if (!root().dataset.liveNew) return;
  for (const part of page.querySelectorAll("[data-live] [data-report]")) {
    if (!parts(part.dataset.report).length) offered.add(part.dataset.report);
  }
}

// update shows what a page has of a report. The page says nothing about an element that was not shown when it was asked for: a change of
// the reader may have put it there since.
function update(reference, page, asked) {
  const shown = parts(reference);
  if (!shown.length && page.querySelector(`[data-live] [data-report="${reference}"]`)) offered.add(reference);
  for (const part of shown) {
    const list = part.closest("[data-live-list]");
    const next = part.id ? page.getElementById(part.id) :
      page.querySelector(`[data-live-list="${list?.dataset.liveList}"] [data-report="${reference}"]`);
    if (next && Number(next.dataset.version) <= Number(part.dataset.version)) continue;
    if (!next && ("left" in part.dataset || !asked.has(part))) continue;
    if (inUse(part)) waiting.add(reference);
    else if ("liveWhole" in part.dataset) dispatch(part, "live:page", page);
    else if (next) replace(part, next);
    else leave(part);
  }
}

// A menu is open, or the part is used: a text of a whole report is selected; the pointer is over a row or a card, it is selected or being
// changed, or a field in it has the focus.
function inUse(part) {
  if (document.querySelector(".menu:popover-open")) return true;
  if ("liveWhole" in part.dataset) return !getSelection().isCollapsed && part.contains(getSelection().anchorNode);
  const typing = part.contains(document.activeElement) && document.activeElement.matches("input:not([type=checkbox]), textarea, select");
  return typing || part.matches(":hover, [data-selected], [data-dragging], [aria-busy]");
}

function replace(part, next) {
  const controls = (element) => [...element.querySelectorAll("a, button, input")].filter((control) => !control.matches(".label"));
  const at = controls(part).indexOf(document.activeElement);
  part.replaceWith(next);
  dispatch(document, "live:replaced", next);
  htmx.process(next);
  controls(next)[at]?.focus({ preventScroll: true });
  mark(next);
}

function mark(part) {
  part.dataset.marked = "";
  setTimeout(() => delete part.dataset.marked, 4000);
}

// What has left the list stays where it is until the list is loaded again, so that nothing moves under the pointer.
function leave(part) {
  part.dataset.left = "";
  const note = document.getElementById("live-left")?.content.firstElementChild;
  if (note) part.querySelector(".row-title")?.after(note.cloneNode(true));
}

function offer() {
  const notice = document.querySelector("[data-live-offer]");
  if (!notice || !root()) return;
  for (const reference of offered) if (parts(reference).length) offered.delete(reference);
  notice.toggleAttribute("data-open", offered.size > 0);
  notice.querySelector("[data-new]").textContent = String(offered.size || "");
}

document.addEventListener("click", ({ target }) => { if (target.closest?.("[data-live-offer]")) accepted = [...offered]; });
document.addEventListener("htmx:after:swap", () => {
  connect({ swapped: true });
  if (!root()) return;
  if (accepted.length) {
    const added = [...root().querySelectorAll("[data-report]")].filter((part) => accepted.includes(part.dataset.report));
    added.forEach(mark);
    (added[0]?.querySelector(".row-title") ?? main()).focus();
    accepted = [];
  }
  offer();
});

// What the reader was using is looked at again once the reader has gone on.
function release() {
  if (!root()) return waiting.clear();
  for (const reference of [...waiting]) {
    if (parts(reference).some(inUse)) continue;
    waiting.delete(reference);
    pending.set(reference, { reference, version: Infinity });
  }
  if (pending.size) schedule();
}
for (const type of ["pointerout", "focusout", "change", "reset", "toggle"]) {
  document.addEventListener(type, () => { if (waiting.size) setTimeout(release); }, true);
}

document.addEventListener("visibilitychange", () => connect());
document.addEventListener("session:resume", () => connect({ renew: true }));
for (const type of ["pageshow", "online"]) addEventListener(type, () => connect());
addEventListener("pagehide", () => {
  if (following) port.postMessage({ type: "leave" });
  following = false;
});
connect();
