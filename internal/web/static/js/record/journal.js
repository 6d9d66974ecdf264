// What a page did lately, as a report has it. Each list keeps its newest entries.

export const now = () => new Date().toISOString();

export function journal(most) {
  const entries = [];
  return {
    add(entry) {
      entries.push(entry);
      if (entries.length > most) entries.shift();
    },
    entries,
  };
}

// quietly calls a function for its effect. The page that is recorded never sees what fails in it.
export function quietly(f, ...values) {
  try {
    f(...values);
  } catch {
    return;
  }
}
