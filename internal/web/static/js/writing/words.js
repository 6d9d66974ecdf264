/**
 * wordBefore returns the word at the end of a text that can be completed, @name or #word, with its position, null for none. A name may have
 * two parts.
 * @param {string} text
 * @returns {{ text: string, from: number } | null}
 */
export function wordBefore(text) {
  const found = /(?:^|[\s(])(@[\p{L}\d._-]*(?: [\p{L}\d._-]+)?|#[\p{L}\d][\p{L}\d-]*)$/u.exec(text);
  return found && { text: found[1], from: text.length - found[1].length };
}
