// Records the page of an application, and files reports with what happened in its last minute. The page loads it before its own scripts:
//
//	<script src="https://bugs.example.com/static/record.js" data-key="svc_wst_…"></script>
//
// An error that nobody has caught files a report, each error once and at most five for a page; not with data-errors="off". The page files
// others by bugslice.file("The total is wrong"), which returns the reference and the address of the report. What is typed is masked in the
// replay, unless the element has data-inputs="shown". data-release names the release of the application.
import { editable, watchActions } from "./actions.js";
import { journal, quietly } from "./journal.js";
import { watchConsole, watchErrors } from "./messages.js";
import { watchTraffic } from "./traffic.js";

const script = /** @type {HTMLScriptElement} */ (document.currentScript);
const { key, release, errors, inputs } = script.dataset;
const endpoint = new URL("/v1/slices", script.src).href;
const send = window.fetch?.bind(window); // as it is before it is watched
const warn = console.warn.bind(console);

const maxErrors = 5;
const checkout = 30000; // milliseconds between two complete pictures of the page; the replay begins at the last but one
const maxReplay = 8 << 20; // characters
const settle = 1000; // milliseconds that a replay goes on after an error

const messages = journal(500), requests = journal(200), actions = journal(200);
let replay = [[]];

function record(event, isCheckout) {
  if (isCheckout && event.type === 4) replay = [replay.at(-1), []]; // 4: a picture begins
  replay.at(-1).push(event);
}

// recorded returns the events of the replay, or those since the last picture, or none, so that they are not too many.
function recorded() {
  const fits = (events) => events.length <= 50000 && JSON.stringify(events).length <= maxReplay;
  return [replay.flat(), replay.at(-1)].find(fits) ?? [];
}

function environment() {
  return { userAgent: navigator.userAgent, viewport: `${innerWidth}x${innerHeight}`, screen: `${screen.width}x${screen.height}`,
    devicePixelRatio, locale: navigator.language, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, release };
}

/**
 * file files a report, and returns its reference and address. It throws why the report is refused.
 * @param {{ description?: string, labels?: string[], fingerprint?: string }} more
 */
async function file(summary = "", more = {}) {
  const { description, labels, fingerprint } = more;
  quietly(() => rrwebRecord.addCustomEvent("filed", {})); // the replay lasts until now, also where nothing has changed since
  const title = String(summary || `A report of ${document.title || location.host}`).slice(0, 200);
  const body = { summary: title, description, labels, fingerprint,
    sourceUrl: location.href.slice(0, 2048), environment: environment(), evidence: { console: messages.entries, actions: actions.entries,
      network: { log: { version: "1.2", creator: { name: "record.js", version: "1" }, entries: requests.entries } }, replay: recorded() } };
  const response = await send(endpoint, { method: "POST", credentials: "omit", body: JSON.stringify(body),
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return { reference: answer.reference, url: answer.url };
}

function explain(error) {
  if (error instanceof TypeError) {
    warn(`Bugslice did not get the report. It takes reports from this page when it is started with --cors-origin ${location.origin}`);
  } else warn(`Bugslice refused the report: ${error.message}`);
}

const filed = new Set();

function caught(message, place) {
  const fingerprint = `${message.slice(0, 100)}@${place.slice(-99)}`;
  if (errors === "off" || filed.has(fingerprint) || filed.size >= maxErrors) return;
  filed.add(fingerprint);
  setTimeout(() => file(message, { fingerprint }).catch(explain), settle);
}

watchConsole(messages.add);
watchErrors(messages.add, caught);
watchTraffic(requests.add);
watchActions(actions.add);
rrwebRecord({ emit: record, checkoutEveryNms: checkout, maskAllInputs: inputs !== "shown",
  maskTextSelector: inputs === "shown" ? undefined : editable, blockSelector: "input[type=hidden]" });
window.bugslice = Object.freeze({ file });
