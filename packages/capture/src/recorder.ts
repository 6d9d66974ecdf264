// Records the page for the replay: its last two to three minutes, in parts that each begin with a complete picture of the page. It is
// loaded when the page is idle.
import { record } from "@rrweb/record";
import type { Mask } from "./mask.ts";
import { maskEvent, type Mirror, type RawEvent } from "./replaymask.ts";
import type { ReplayEvent } from "./types.ts";

const between = 60_000; // milliseconds between two pictures of the page
const most = 3; // parts
const largestPart = 16 << 20, largest = 64 << 20; // characters: a part that is larger ends early, and older parts go first

export interface Recorder {
  /** The newest parts that have together at most so many characters. */
  events(characters: number): Promise<ReplayEvent[]>;
  stop(): void;
  /** The estimated size of what is kept, in characters, and its parts. */
  kept(): { characters: number; parts: number };
}

interface Part { events: ReplayEvent[]; size: number; packed?: Blob }

// sizeOf estimates the characters of a value as JSON.
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 6;
  let n = 2;
  for (const key in value) n += (Array.isArray(value) ? 1 : key.length + 4) + sizeOf((value as Record<string, unknown>)[key]);
  return n;
}

async function pack(part: Part): Promise<void> {
  if (typeof CompressionStream === "undefined") return;
  const text = new Blob([JSON.stringify(part.events)]).stream().pipeThrough(new CompressionStream("gzip"));
  part.packed = await new Response(text).blob();
  part.events = [];
}

async function unpack(part: Part): Promise<ReplayEvent[]> {
  return part.packed ? await new Response(part.packed.stream().pipeThrough(new DecompressionStream("gzip"))).json() : part.events;
}

const charactersOf = (part: Part): number => part.packed ? part.packed.size : part.size;

export function startRecorder(mask: Mask, every = between): Recorder {
  let parts: Part[] = [{ events: [], size: 0 }], stopped = false, early = false;
  const last = () => parts[parts.length - 1]!;
  const total = () => parts.reduce((sum, part) => sum + charactersOf(part), 0);
  const mirror = record.mirror as Mirror;
  const emit = (event: RawEvent, isCheckout?: boolean) => {
    maskEvent(event, mirror, mask);
    if (isCheckout && event.type === 4) { // 4: a picture begins
      const done = last();
      parts = [...parts, { events: [], size: 0 }].slice(-most);
      pack(done).catch(() => {});
    }
    const part = last();
    part.events.push(event);
    part.size += sizeOf(event.data) + 40;
    while (parts.length > 1 && total() > largest) parts.shift();
    if (part.size > largest) return stop(); // one picture of the page is larger than what is kept
    if (part.size > largestPart && !early && event.type === 3) {
      early = true;
      queueMicrotask(() => {
        if (!stopped) record.takeFullSnapshot(true);
        early = false;
      });
    }
  };
  const end = record({ emit: emit as never, checkoutEveryNms: every, maskAllInputs: !mask.showInputs,
    blockSelector: "[data-bugslice-dialog]", inlineImages: false, recordCanvas: false, collectFonts: false,
    sampling: { scroll: 150, media: 800 }, errorHandler: () => true });
  function stop() {
    stopped = true;
    end?.();
    parts = [{ events: [], size: 0 }];
  }
  return {
    stop,
    kept: () => ({ characters: total(), parts: parts.length }),
    async events(characters) {
      if (!stopped) record.addCustomEvent("filed", {}); // the replay lasts until now, also where nothing has changed since
      const kept = [...parts];
      let found: ReplayEvent[] = [], size = 0;
      for (const part of kept.reverse()) {
        const events = await unpack(part);
        size += JSON.stringify(events).length;
        if (size > characters || found.length + events.length > 50_000) break;
        found = [...events, ...found];
      }
      return found;
    },
  };
}
