// Records the page for the replay: its last two to three minutes, in parts that each begin with a complete picture of the page. It is
// loaded when the page is idle.
import { record } from "@rrweb/record";
import type { Mask } from "./mask.ts";
import { maskEvent, type Mirror, type RawEvent } from "./replaymask.ts";
import type { ReplayEvent } from "./types.ts";

const between = 60_000; // milliseconds between two pictures of the page
const most = 3; // parts
const mostElements = 10_000; // of a page: a picture of more of them takes longer than a tenth of a second
const largestPart = 16 << 20, largest = 64 << 20; // characters: a part that is larger ends early, and older parts go first

export interface Recorder {
  /** The newest parts that have together at most so many characters. */
  events(characters: number): Promise<ReplayEvent[]>;
  /** Why nothing is recorded now; empty while something is. */
  paused(): string;
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

// growth calls a function when a page may have more than the most elements. It counts what is added, and the page when that may be too
// many. It is asked before an observer that is made later, and what it ends is told nothing of the same change.
function growth(tooLarge: () => void): MutationObserver {
  let known = mostElements;
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes)
      if (node.nodeType === 1) known += 1 + (node as Element).getElementsByTagName("*").length;
    if (known <= mostElements) return;
    known = elements();
    if (known > mostElements) tooLarge();
  });
  return observer;
}

const elements = (): number => document.getElementsByTagName("*").length;

export function startRecorder(mask: Mask, every = between): Recorder {
  let parts: Part[] = [{ events: [], size: 0 }], early = false, why = "", end: (() => void) | undefined;
  const last = () => parts[parts.length - 1]!;
  const total = () => parts.reduce((sum, part) => sum + charactersOf(part), 0);
  const mirror = record.mirror as Mirror;
  const next = () => {
    const done = last();
    parts = [...parts, { events: [], size: 0 }].slice(-most);
    pack(done).catch(() => {});
  };
  const emit = (event: RawEvent, isCheckout?: boolean) => {
    maskEvent(event, mirror, mask);
    if (isCheckout && event.type === 4) next(); // 4: a picture begins
    const part = last();
    part.events.push(event);
    part.size += sizeOf(event.data) + 40;
    while (parts.length > 1 && total() > largest) parts.shift();
    if (part.size > largest) return stop("one picture of the page is larger than what is kept");
    if (part.size > largestPart && !early && event.type === 3) {
      early = true;
      queueMicrotask(() => {
        if (end) record.takeFullSnapshot(true);
        early = false;
      });
    }
  };
  // A page that is too large is not recorded until it is small again. What was recorded before is kept.
  const pause = () => {
    why = `the page had ${elements()} elements, and at most ${mostElements} are recorded`;
    end?.();
    end = undefined;
    watch.disconnect();
  };
  const watch = growth(pause);
  const begin = () => {
    if (end) return;
    if (elements() > mostElements) return pause();
    if (last().events.length > 0) next();
    watch.observe(document, { childList: true, subtree: true });
    end = record({ emit: emit as never, checkoutEveryNms: every, maskAllInputs: !mask.showInputs,
      blockSelector: "[data-bugslice-dialog]", inlineImages: false, recordCanvas: false, collectFonts: false,
      sampling: { scroll: 150, media: 800 }, errorHandler: () => true });
  };
  function stop(because = "it was stopped") {
    clearInterval(timer);
    pause();
    why = because;
    parts = [{ events: [], size: 0 }];
  }
  const timer = window.setInterval(begin, every);
  begin();
  return {
    stop: () => stop(),
    paused: () => end ? "" : why,
    kept: () => ({ characters: total(), parts: parts.length }),
    async events(characters) {
      if (end) record.addCustomEvent("filed", {}); // the replay lasts until now, also where nothing has changed since
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
