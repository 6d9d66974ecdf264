// Keeps reports in the browser until they are filed: over reloads, and while there is no network. Where the browser keeps nothing, a report
// is sent from memory.
import { Refused, type Report, type Sender } from "./send.ts";
import type { Filed } from "./types.ts";

const name = "bugslice-capture", table = "reports";
const most = 10; // reports
const oldest = 7 * 24 * 3600_000; // milliseconds
const waits = [2_000, 10_000, 60_000, 300_000];

function open(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const asked = indexedDB.open(name, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(table, { keyPath: "id" });
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
}

async function store<T>(mode: IDBTransactionMode, act: (reports: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const db = await open();
  try {
    return await new Promise<T>((done, fail) => {
      const transaction = db.transaction(table, mode);
      const asked = act(transaction.objectStore(table));
      transaction.oncomplete = () => done(asked.result);
      transaction.onabort = transaction.onerror = () => fail(transaction.error);
    });
  } finally {
    db.close();
  }
}

const put = (report: Report) => store("readwrite", (reports) => reports.put(report)).catch(() => {});
const remove = (id: string) => store("readwrite", (reports) => reports.delete(id)).catch(() => {});
const all = (): Promise<Report[]> => store("readonly", (reports) => reports.getAll()).catch(() => []);

/** What is told while a report is sent: why it waits, and the share of its files that has arrived. */
export interface Steps { waiting(why: unknown): void; progress?(share: number): void }

export interface Queue {
  /** Files a report, now or when there is a network again. It is rejected when the instance refuses the report. */
  file(report: Report, { waiting, progress }: Steps): Promise<Filed>;
}

export function newQueue({ send }: Sender): Queue {
  const busy = new Set<string>();
  const attempt = async (report: Report, progress: (share: number) => void = () => {}): Promise<Filed> => {
    busy.add(report.id);
    try {
      const filed = await send(report, progress);
      await remove(report.id);
      return filed;
    } catch (error) {
      await (error instanceof Refused ? remove(report.id) : put(report));
      throw error;
    } finally {
      busy.delete(report.id);
    }
  };
  const pause = (ms: number) => new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    window.addEventListener("online", () => { clearTimeout(timer); done(); }, { once: true });
  });
  const resume = async () => {
    const reports = (await all()).sort((a, b) => b.at - a.at);
    for (const [n, report] of reports.entries()) {
      if (busy.has(report.id)) continue;
      if (n >= most || Date.now() - report.at > oldest) await remove(report.id);
      else await attempt(report).catch(() => {});
    }
  };
  // One page of the origin sends what others left.
  const alone = () => navigator.locks ? navigator.locks.request(name, { ifAvailable: true },
    (lock) => lock ? resume() : undefined) : resume();
  const start = () => void alone().catch(() => {});
  setTimeout(start, 1000);
  window.addEventListener("online", start);
  return {
    async file(report, { waiting, progress }) {
      busy.add(report.id);
      await put(report);
      for (let n = 0; ; n++) {
        try {
          return await attempt(report, progress);
        } catch (error) {
          if (error instanceof Refused) throw error;
          waiting(error);
          busy.add(report.id); // this page sends it
          await pause(waits[Math.min(n, waits.length - 1)]!);
        }
      }
    },
  };
}
