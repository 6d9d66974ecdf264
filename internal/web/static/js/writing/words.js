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

/**
 * namesOf returns the names in a text that somebody may take for mentions, and that mention nobody: @name without the address that a
 * mention has. What stands in code is none, and neither is the word that is being typed.
 * @param {string} text
 * @param {number} caret
 * @returns {string[]}
 */
export function namesOf(text, caret) {
  const plain = text.replace(/^(```|~~~)[^]*?(?:^\1|$(?![^]))|`[^`\n]*`/gm, (code) => " ".repeat(code.length));
  const found = [...plain.matchAll(/(?<=^|[\s(])@(?!usr_[0-9a-z]{26})\p{L}[\p{L}\d._-]*(?![\p{L}\d._+@-])/gu)];
  const typed = wordBefore(text.slice(0, Math.max(0, caret)))?.from;
  return [...new Set(found.filter(({ index }) => index !== typed).map(([name]) => name.replace(/[._-]+$/, "")))];
}
