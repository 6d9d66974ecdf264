// Sends a report to the instance: the only module that knows its address, its key and its API. A report is sent again under the same
// Idempotency-Key, so that it is filed once.
import type { Filed, Picture } from "./types.ts";

export interface Report { id: string; body: string; pictures: Picture[]; filed?: Filed; at: number }

// Refused is an answer that a report is wrong: to send it again is of no use.
export class Refused extends Error {}

export type Send = (report: Report) => Promise<Filed>;

const again = new Set([408, 409, 425, 429]);

export function sender(instance: string, key: string): Send {
  const request = window.fetch.bind(window); // as it is before it is watched
  const post = async (path: string, id: string, body: BodyInit, headers: Record<string, string>) => {
    const response = await request(new URL(path, instance), { method: "POST", credentials: "omit", body,
      headers: { Authorization: `Bearer ${key}`, "Idempotency-Key": id, ...headers } });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const detail = answer.detail ?? `The instance answered ${response.status}.`;
    throw response.status < 500 && !again.has(response.status) ? new Refused(detail) : new Error(detail);
  };
  return async (report) => {
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
    }
    return report.filed;
  };
}
