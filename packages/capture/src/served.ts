// The script that an instance serves. A page loads it beside itself, or without async before its own scripts:
//
//	<script async src="https://bugs.example.com/capture/v1.js" data-key="svc_pub_…"></script>
//
// data-release names the release of the application. data-errors="off" files no report of an error that nobody caught, data-inputs="shown"
// shows in the replay what people type into fields that are not sensitive, data-private masks everything, data-replay="off" records no
// replay, data-frames="text" keeps the texts of WebSocket frames, and data-language is that of the dialog. Scripts that run earlier, or
// need not know which is first, write (window.Bugslice ||= []).push(["set", { plan: "team" }]).
import { make, type Call } from "./calls.ts";
import { start } from "./client.ts";

declare const CHUNKS: { recorder: string; dialog: string; intake: string };

const script = document.currentScript as HTMLScriptElement;
const { key = "", release, errors, inputs, replay, frames, language } = script.dataset;

if (key && !Object.hasOwn(window.Bugslice ?? {}, "capture")) {
  // Some browsers remember that an address could not be loaded.
  let failed = 0;
  const chunk = (name: string) => import(new URL(failed ? `${name}?${failed}` : name, script.src).href).catch((why) => {
    failed++;
    throw why;
  });
  const client = start({ instance: new URL("/", script.src).href, key, fileErrors: errors !== "off", showInputs: inputs === "shown",
    privateByDefault: "private" in script.dataset, replay: replay !== "off", webSocketText: frames === "text",
    ...(release && { release }), ...(language && { language }) },
  { recorder: () => chunk(CHUNKS.recorder), dialog: () => chunk(CHUNKS.dialog), intake: () => chunk(CHUNKS.intake) });
  const calls = [...Array.isArray(window.Bugslice) ? window.Bugslice as Call[] : []];
  const { identify, set, log, report, capture, file } = client;
  const api = Object.freeze({ identify, set, log, report, capture, file, push: (...more: Call[]) => more.forEach((call) => make(api,
    call)) });
  window.Bugslice = api;
  window.bugslice = api; // as earlier versions of the script named it
  calls.forEach((call) => make(api, call));
}

declare global {
  interface Window { Bugslice?: unknown; bugslice?: unknown }
}
