/**
 * term returns the term of a query before the caret: its word, the part of its last value, or of its word, that is typed, where that
 * begins, and whether it has the minus that leaves reports out.
 * @param {string} text
 * @param {number} caret
 * @returns {{ word: string | null, part: string, from: number, minus: boolean }}
 */
export function term(text, caret) {
  const before = text.slice(0, caret);
  let [from, word, quoted, minus] = [0, null, false, false];
  for (let i = 0; i < before.length; i++) {
    const c = before[i];
    if (c === '"') quoted = !quoted;
    if (quoted) continue;
    if (/\s/.test(c)) [from, word, minus] = [i + 1, null, false];
    else if (c === "-" && word === null && i === from && !minus) [from, minus] = [i + 1, true];
    else if (c === ":" && word === null) [word, from] = [before.slice(from, i).toLowerCase(), i + 1];
    else if (c === "," && word !== null) from = i + 1;
  }
  return { word, part: before.slice(from), from, minus };
}

/**
 * quote returns a value as a query has it: in quotation marks when it has signs that divide values, or is a word with a meaning.
 * @param {string} text
 */
export const quote = (text) => (/[\s,"]/.test(text) || ["me", "none"].includes(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : text);

/**
 * titled returns a value as a person reads it: in_progress is In progress.
 * @param {string} text
 */
export const titled = (text) => (/^[a-z]+_[a-z_]+$/.test(text) ? (text[0].toUpperCase() + text.slice(1)).replaceAll("_", " ") : text);
