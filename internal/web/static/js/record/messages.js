// Watches the console of a page, and its errors that nobody has caught.
import { now, quietly } from "./journal.js";

const longest = 4000; // characters of a message

function text(value) {
  if (value instanceof Error) return String(value);
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch { // it contains itself
    return String(value);
  }
}

// watchConsole adds what the page writes to the console, and writes it there.
export function watchConsole(add) {
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    const write = console[level];
    console[level] = function (...values) {
      quietly(() => add({ level, timestamp: now(), message: values.map(text).join(" ").slice(0, longest),
        stack: values.find((value) => value instanceof Error)?.stack }));
      return write.apply(this, values);
    };
  }
}

// watchErrors adds errors that were not caught to the console, and calls caught with the text of each, and the place where it happened.
export function watchErrors(add, caught) {
  const tell = (error, message, place) => quietly(() => {
    add({ level: "error", timestamp: now(), message: message.slice(0, longest), stack: error?.stack });
    caught(message, place);
  });
  window.addEventListener("error", ({ error, message, filename, lineno }) => {
    const known = message && message !== "Script error."; // nothing is known of a script of another origin
    if (known) tell(error, error ? String(error) : message, `${filename}:${lineno}`);
  });
  window.addEventListener("unhandledrejection", ({ reason }) => {
    tell(reason, text(reason), /https?:\S+?:\d+/.exec(reason?.stack)?.[0] ?? location.pathname);
  });
}
