// Puts the parts together: what the page did, and the reports of it.
import { watchActions } from "./actions.ts";
import type { openDialog } from "./dialog/dialog.ts";
import { environment } from "./environment.ts";
import { newMask, type Mask } from "./mask.ts";
import { longest, placeOf, text, watchConsole, watchErrors } from "./messages.ts";
import type { startIntake } from "./intake/intake.ts";
import { newQueue, type Steps } from "./queue.ts";
import type { Recorder, startRecorder } from "./recorder.ts";
import { now, ring } from "./ring.ts";
import { isPublic, sender } from "./send.ts";
import { watchSockets } from "./sockets.ts";
import { watchTraffic } from "./traffic.ts";
import type { API, Action, Details, Entry, Exchange, Filed, Identity, Options, Part, Picture } from "./types.ts";

const maxErrors = 5;
const maxReplay = 7 << 20; // characters: a report has at most 10 MiB
const settle = 1000; // milliseconds that a replay goes on after an error

/** Loads the parts that are not needed at once. */
export interface Loaders {
  recorder(): Promise<{ startRecorder: typeof startRecorder }>;
  dialog(): Promise<{ openDialog: typeof openDialog }>;
  intake(): Promise<{ startIntake: typeof startIntake }>;
}

/** What a person adds to a report, and leaves out of it. */
export interface Choice { without: Part[]; pictures: Picture[]; email: string; website?: string }

export interface Evidence { console: Entry[]; network: Exchange[]; actions: Action[]; replay: unknown[] }

const sizeOfExchange = ({ request, response }: Exchange) =>
  request.url.length + (request.postData?.text.length ?? 0) + (response.content.text?.length ?? 0) + 200;

export interface Client extends API {
  /** The evidence that a report filed now would have. */
  evidence(): Promise<Evidence>;
  send(details: Details, choice: Choice, steps: Steps): Promise<Filed>;
  readonly mask: Mask;
}

const randomId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export function start(options: Options, loaders: Loaders): Client {
  const { instance, key, release, fileErrors = true, privateByDefault = false, showInputs = false, replay = true } = options;
  const warn = console.warn.bind(console);
  const sending = sender(instance, key, loaders.intake), queue = newQueue(sending);
  const mask = newMask(privateByDefault, showInputs && !privateByDefault);
  const messages = ring<Entry>(500, 1 << 20, (e) => e.message.length + (e.stack?.length ?? 0) + 60);
  const requests = ring<Exchange>(200, 1 << 20, sizeOfExchange);
  const actions = ring<Action>(300, 1 << 19, (a) => a.url.length + (a.selector?.length ?? 0) + 160);
  const metadata = new Map<string, string>();
  let recorder: Recorder | undefined, identity: Identity = {};

  const set: API["set"] = (values) => {
    for (const [name, value] of Object.entries(values)) {
      if (value == null) metadata.delete(name);
      else if (metadata.size < 40 || metadata.has(name)) metadata.set(name.slice(0, 100), String(value).slice(0, 500));
    }
  };
  const evidence = async (): Promise<Evidence> => ({ console: messages.all(), network: requests.all(), actions: actions.all(),
    replay: await recorder?.events(maxReplay).catch(() => []) ?? [] });

  const send: Client["send"] = async (details, { without, pictures, email, website }, steps) => {
    const { console, network, actions, replay } = await evidence();
    const paused = without.includes("replay") ? "" : recorder?.paused();
    const kept = <T>(part: Part, value: T): T | undefined => without.includes(part) ? undefined : value;
    const title = details.summary?.trim() || `A report of ${document.title || location.host}`;
    const body = { summary: title.slice(0, 200), description: details.description, labels: details.labels, fingerprint: details.fingerprint,
      sourceUrl: location.href.slice(0, 2048), environment: kept("environment", environment(release)),
      metadata: Object.fromEntries([...metadata, ...(paused ? [["replay", paused] as const] : []),
        ...(email && !isPublic(key) ? [["reporter.email", email.slice(0, 320)] as const] : [])]),
      evidence: { console: kept("console", console), actions: kept("actions", actions), replay: kept("replay", replay),
        network: kept("network", { log: { version: "1.2", creator: { name: "@bugslice/capture", version: "1" }, entries: network } }) } };
    const visitor = isPublic(key) ? { reporter: { ...identity, ...(email && { email }) }, ...(website && { website }) } : {};
    return queue.file({ id: randomId(), body: JSON.stringify(body), pictures, at: Date.now(), ...visitor }, steps);
  };
  const explain = (why: unknown) => {
    if (why instanceof TypeError && navigator.onLine) {
      warn(`Bugslice did not get the report. It takes reports from this page when ${isPublic(key) ?
        `its source is not paused and allows ${location.origin}` : `it is started with --cors-origin ${location.origin}`}`);
    }
  };
  const file = (summary?: string, details: Details = {}): Promise<Filed> =>
    send({ ...details, summary: String(summary || details.summary || "") }, { without: [], pictures: [], email: "" }, { waiting: explain });
  const refused = (error: Error) => warn(`Bugslice refused the report: ${error.message}`);

  const filed = new Set<string>();
  const caught = (message: string, place: string) => {
    const fingerprint = `${message.slice(0, 100)}@${place.slice(-99)}`;
    if (!fileErrors || filed.has(fingerprint) || filed.size >= maxErrors) return;
    filed.add(fingerprint);
    setTimeout(() => file(message, { fingerprint }).catch(refused), settle);
  };
  const log: API["log"] = (message, level = "log") =>
    messages.add({ level, timestamp: now(), message: String(message).slice(0, longest) });

  watchConsole(messages.add);
  watchErrors(messages.add, caught);
  watchTraffic({ add: requests.add, texts: !privateByDefault });
  watchSockets(requests.add, !!options.webSocketText && !privateByDefault);
  const acts = () => watchActions(actions.add, mask);
  document.documentElement ? acts() : document.addEventListener("DOMContentLoaded", acts);
  if (replay) whenIdle(() => {
    loaders.recorder().then((module) => { recorder = module.startRecorder(mask);
      }).catch((why) => warn(`Bugslice records no replay: ${why}`));
  });
  const languages = () =>
    [options.language, document.documentElement.lang, ...navigator.languages].filter((tag) => tag != null && tag !== "");
  const client: Client = {
    mask, set, log, file, send, evidence,
    identify(who) {
      identity = { ...who };
      if (!isPublic(key)) set({ "user.id": who.id ?? null, "user.name": who.name ?? null, "user.email": who.email ?? null });
    },
    capture(error, details = {}) {
      const message = text(error);
      log(message, "error");
      return file(details.summary || message, { fingerprint: `${message.slice(0, 100)}@${placeOf(error).slice(-99)}`, ...details });
    },
    report(details = {}) {
      sending.prepare();
      loaders.dialog().then((module) => module.openDialog(client, details, languages() as string[]))
        .catch((why) => warn(`Bugslice cannot open its dialog: ${why}`));
    },
  };
  return client;
}

// whenIdle calls a function when the page has nothing else to do, at most two seconds after its document is read.
function whenIdle(f: () => void): void {
  const then = () => "requestIdleCallback" in window ? requestIdleCallback(f, { timeout: 2000 }) : setTimeout(f, 200);
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", then, { once: true }) : then();
}
