// The npm package. It may be imported on a server, where nothing is captured and every call is ignored.
import { make, type Call } from "./calls.ts";
import { start as startClient, type Client } from "./client.ts";
import type { API, Details, Filed, Identity, Level, Options } from "./types.ts";

export type { API, Details, Filed, Identity, Level, Options };

let client: Client | undefined;
let waiting: Call[] = [];
const inBrowser = () => typeof window !== "undefined" && typeof document !== "undefined";

/** Starts to capture. A second call changes nothing. */
export function start(options: Options): void {
  if (client || !inBrowser()) return;
  client = startClient(options, { recorder: () => import("./recorder.ts"), dialog: () => import("./dialog/dialog.ts"),
    intake: () => import("./intake/intake.ts") });
  for (const call of waiting) make(client, call);
  waiting = [];
}

function later(...call: Call): void {
  if (client) make(client, call);
  else if (inBrowser() && waiting.length < 100) waiting.push(call);
}

const notStarted = () => Promise.reject(new Error("Bugslice is not started."));

export const Bugslice: API = {
  identify: (identity) => later("identify", identity),
  set: (values) => later("set", values),
  log: (message, level) => later("log", message, level),
  report: (details) => later("report", details),
  capture: (error, details) => client?.capture(error, details) ?? notStarted(),
  file: (summary, details) => client?.file(summary, details) ?? notStarted(),
};
