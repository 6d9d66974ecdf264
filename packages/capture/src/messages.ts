// Watches the console of a page, and its errors that nobody has caught.
import { now, quietly } from "./ring.ts";
import type { Entry, Level } from "./types.ts";

export const longest = 4000; // characters of a message

export function text(value: unknown): string {
  if (value instanceof Error || typeof value !== "object" || value === null) return String(value);
  if (value instanceof Element) return `<${value.localName}>`; // its content may be masked
  try {
    return JSON.stringify(value) ?? String(value);
  } catch { // it contains itself
    return String(value);
  }
}

// watchConsole adds what the page writes to the console, and writes it there.
export function watchConsole(add: (entry: Entry) => void): void {
  for (const level of ["debug", "log", "info", "warn", "error"] as Level[]) {
    const write = console[level];
    console[level] = function (this: Console, ...values: unknown[]) {
      quietly(() => add({ level, timestamp: now(), message: values.map(text).join(" ").slice(0, longest),
        stack: values.find((value) => value instanceof Error)?.stack }));
      return write.apply(this, values);
    };
  }
}

// placeOf returns where an error happened, as its stack says.
export const placeOf = (error: unknown): string => /https?:\S+?:\d+/.exec((error as Error)?.stack ?? "")?.[0] ?? location.pathname;

// watchErrors adds errors that were not caught to the console, and calls caught with the text of each, and the place where it happened.
export function watchErrors(add: (entry: Entry) => void, caught: (message: string, place: string) => void): void {
  const tell = (error: unknown, message: string, place: string) => quietly(() => {
    add({ level: "error", timestamp: now(), message: message.slice(0, longest), stack: (error as Error)?.stack });
    caught(message, place);
  });
  window.addEventListener("error", ({ error, message, filename, lineno }) => {
    const known = message && message !== "Script error."; // nothing is known of a script of another origin
    if (known) tell(error, error ? text(error) : message, `${filename}:${lineno}`);
  });
  window.addEventListener("unhandledrejection", ({ reason }) => tell(reason, text(reason), placeOf(reason)));
}
