// Calls that wait until the script has started.
import type { API } from "./types.ts";

export type Call = { [Name in keyof API]: [Name, ...Parameters<API[Name]>] }[keyof API];

// make calls a method. A call that is wrong says so in the console, and the others go on.
export function make(api: API, [name, ...values]: Call): void {
  try {
    const method = api[name] as ((...values: unknown[]) => unknown) | undefined;
    Promise.resolve(method?.(...values)).catch((why) => console.warn(`Bugslice: ${name}: ${why}`));
  } catch (why) {
    console.warn(`Bugslice: ${name}: ${why}`);
  }
}
