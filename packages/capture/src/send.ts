// Sends a report to the instance: the only module that knows its address and its key. With the public key of a source it goes through the
// door for visitors, which intake/ knows; with a key that files only, to the API. A report is sent again under the same Idempotency-Key, so
// that it is filed once.
import type { Intake, startIntake } from "./intake/intake.ts";
import type { Filed, Picture, Reporter } from "./types.ts";

export interface Report {
  id: string;
  body: string;
  pictures: Picture[];
  filed?: Filed;
  at: number;
  reporter?: Reporter;
  website?: string; // of a program that fills every field
}

// Refused is an answer that a report is wrong: to send it again is of no use.
export class Refused extends Error {}

/** Sends a report, and calls progress with the share of its files that has arrived. */
export interface Sender {
  /** Says that a report will be sent soon. */
  prepare(): void;
  send(report: Report, progress: (share: number) => void): Promise<Filed>;
}

const again = new Set([408, 409, 425, 429]);

export function sender(instance: string, key: string, load: () => Promise<{ startIntake: typeof startIntake }>): Sender {
  const request = window.fetch.bind(window); // as it is before it is watched
  return isPublic(key) ? visitors(instance, key, request, load) : api(instance, key, request);
}

// isPublic reports whether a key is that of a source, for which the site need not be named to the instance.
export const isPublic = (key: string) => key.startsWith("svc_pub_");

function visitors(instance: string, key: string, request: typeof fetch, load: () => Promise<{ startIntake: typeof startIntake }>): Sender {
  let loaded: Promise<Intake> | undefined;
  const intake = () => {
    loaded ??= load().then(({ startIntake }) => startIntake({ instance, key, request,
      refuse: (detail) => new Refused(detail), isRefusal: (why) => why instanceof Refused }));
    loaded.catch(() => { loaded = undefined; }); // the next report loads it again
    return loaded;
  };
  return { prepare: () => void intake().then(({ prepare }) => prepare()).catch(() => {}),
    send: async (report, progress) => (await intake()).send(report, progress) };
}

function api(instance: string, key: string, request: typeof fetch): Sender {
  const post = async (path: string, id: string, body: BodyInit, headers: Record<string, string>) => {
    const response = await request(new URL(path, instance), { method: "POST", credentials: "omit", body,
      headers: { Authorization: `Bearer ${key}`, "Idempotency-Key": id, ...headers } });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const detail = answer.detail ?? `The instance answered ${response.status}.`;
    throw response.status < 500 && !again.has(response.status) ? new Refused(detail) : new Error(detail);
  };
  const send: Sender["send"] = async (report, progress) => {
    if (!report.filed) {
      const { id, reference, url } = await post("/v1/slices", report.id, report.body, { "Content-Type": "application/json" });
      report.filed = { id, reference, url };
    }
    const path = `/v1/slices/${report.filed.id}/attachments`;
    for (const [n, { blob, name, kind }] of report.pictures.entries()) {
      const form = new FormData();
      form.set("kind", kind);
      form.set("file", blob, name);
      await post(path, `${report.id}-${n + 1}`, form, {});
      progress((n + 1) / report.pictures.length);
    }
    return report.filed;
  };
  return { prepare: () => {}, send };
}
