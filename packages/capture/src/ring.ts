// The newest entries of a list, bounded by their number and by their characters.

export const now = (): string => new Date().toISOString();

export interface Ring<T> { add(entry: T): void; all(): T[] }

export function ring<T>(most: number, characters: number, size: (entry: T) => number): Ring<T> {
  let entries: T[] = [], sizes: number[] = [], total = 0;
  return {
    add(entry) {
      const n = size(entry);
      entries.push(entry);
      sizes.push(n);
      total += n;
      let drop = 0;
      while (entries.length - drop > most || (total > characters && entries.length - drop > 1)) total -= sizes[drop++]!;
      if (drop > 0) {
        entries = entries.slice(drop);
        sizes = sizes.slice(drop);
      }
    },
    all: () => [...entries],
  };
}

// quietly calls a function for its effect. The page never sees what fails in it.
export function quietly<A extends unknown[]>(f: (...values: A) => void, ...values: A): void {
  try {
    f(...values);
  } catch {
    return;
  }
}
