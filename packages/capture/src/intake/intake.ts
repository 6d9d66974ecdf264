// Sends reports to the door for visitors, /intake, with the public key of a source. A report that was sent is sent again
// under the same name, so that it is taken once; its large parts and its files follow in pieces.
import type { Report } from "../send.ts";
import type { Filed } from "../types.ts";
import { upload, type Connection } from "./pieces.ts";
import { solve, type Puzzle } from "./work.ts";

const largest = 200_000; // characters of a report, beyond which its evidence follows in pieces
const patience = 120_000; // milliseconds for a request: a connection may be dead without an end
const fresh = 8 * 60_000; // milliseconds for which a token is kept
const kinds = ["replay", "network", "console", "actions"]; // in the order in which they leave a report

interface Token { token: string; wait: number; work: Puzzle | null; captures: string[]; at: number }
interface Problem { detail?: string; errors?: { parameter?: string }[] }
interface Answer { receipt: string; reporterUrl?: string }
interface Part { part: string; kind: string; name: string; blob: Blob; encoding?: string }

export interface Host {
  instance: string;
  key: string;
  request: typeof fetch; // as it is before it is watched
  refuse(detail: string): Error;
  isRefusal(why: unknown): boolean;
}

export interface Intake {
  /** Asks for a token, so that a report can be sent as soon as it is written. */
  prepare(): void;
  send(report: Report, progress: (share: number) => void): Promise<Filed>;
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

async function packed(text: string): Promise<Blob> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

const again = new Set([408, 409, 425, 429]);

export function startIntake({ instance, key, request, refuse, isRefusal }: Host): Intake {
  const base = `/intake/${key}`;
  const connect: Connection = Object.assign(async (path: string, init: RequestInit) => {
    const response = await request(new URL(path, instance), { credentials: "omit", signal: AbortSignal.timeout(patience), ...init });
    if (response.ok) return response;
    const { detail = `The instance answered ${response.status}.`, errors } = await response.json().catch(() => ({})) as Problem;
    const later = response.status >= 500 || again.has(response.status) || errors?.some(({ parameter }) => parameter === "Submit-Token");
    throw later ? new Error(detail) : refuse(detail);
  }, { isRefusal });
  const post = async <T>(path: string, headers: Record<string, string>, body?: BodyInit): Promise<T> =>
    (await connect(path, { method: "POST", headers, ...(body && { body }) })).json();

  let kept: Promise<Token> | undefined;
  const ask = () => post<Token>(`${base}/token`, {}).then((token) => ({ ...token, at: Date.now() }));
  const prepare = () => {
    kept ??= ask();
    kept.catch(() => { kept = undefined; });
  };
  const token = async (): Promise<Token> => {
    const before = await kept?.catch(() => undefined);
    kept = undefined; // it serves one report
    return before && Date.now() - before.at < fresh ? before : ask();
  };

  // split returns the body of a report, and what follows it: files, and evidence when the report is large.
  const split = async (report: Report, captures: string[]): Promise<{ body: string; parts: Part[] }> => {
    const content = JSON.parse(report.body), evidence: Record<string, unknown> = content.evidence ?? {}, parts: Part[] = [];
    for (const kind of kinds) if (!captures.includes(kind)) delete evidence[kind];
    if (!captures.includes("metadata")) delete content.metadata;
    delete content.labels; // the source has them
    const body = () => JSON.stringify({ report: content, reporter: report.reporter, website: report.website });
    let text = body();
    for (const kind of kinds) {
      const set = JSON.stringify(evidence[kind]);
      if (text.length <= largest || !set || set.length < largest / 20) continue;
      delete evidence[kind];
      parts.push({ part: kind, kind, name: `${kind}.json`, blob: await packed(set), encoding: "gzip" });
      text = body();
    }
    if (captures.includes("picture")) {
      report.pictures.forEach(({ blob, name, kind }, n) => { if (blob.size) parts.push({ part: `file-${n + 1}`, kind, name, blob }); });
    }
    return { body: text, parts };
  };

  const send: Intake["send"] = async (report, progress) => {
    const { token: secret, wait, work, captures, at } = await token();
    const { body, parts } = await split(report, captures);
    const answer = work ? await solve(work) : "";
    await pause(Math.max(0, at + wait * 1000 - Date.now()));
    const { receipt, reporterUrl } = await post<Answer>(`${base}/reports`, { "Content-Type": "application/json",
      "Content-Encoding": "gzip", "Idempotency-Key": report.id, "Submit-Token": secret, ...(answer && { "Submit-Work": answer }) },
    await packed(body));
    const all = parts.reduce((sum, { blob }) => sum + blob.size, 0);
    let sent = 0;
    for (const { part, kind, name, blob, encoding } of parts) {
      await upload(connect, `${base}/uploads`, blob, { receipt, part, kind, filename: name.slice(0, 200), filetype: blob.type,
        ...(encoding && { encoding }) }, (bytes) => progress((sent + bytes) / all));
      sent += blob.size;
    }
    return { id: report.id, ...(reporterUrl && { reporterUrl }) };
  };
  return { prepare, send };
}
