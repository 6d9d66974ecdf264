// Words for the same thing, of which each finds what another one names. The words of a row say less than readers ask for.
const same = [["create", "file", "new", "add", "make", "submit"], ["slice", "report", "bug", "issue", "ticket"],
  ["delete", "remove", "destroy"], ["get", "view", "read", "show", "fetch"], ["update", "change", "edit", "patch", "set"],
  ["list", "all"], ["find", "search", "query"], ["attach", "upload"], ["key", "token", "credential"],
  ["user", "member", "person", "people"],
  ["webhook", "hook"], ["invite", "invitation"], ["rotate", "renew"], ["revoke", "end"]];
const empty = new Set(["a", "an", "the", "of", "to", "for", "in", "with", "my", "how", "do", "i"]);

/** @param {string} text */
const normal = (text) => text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();

/** @param {string} word */
function alternatives(word) {
  const stem = word.replace(/s$/, "");
  return [word, ...same.filter((words) => words.includes(word) || words.includes(stem)).flat()];
}

/**
 * matching returns the rows that a text finds, by their positions: those whose names have each word, or another one for it. Only without
 * such a row does it return those of which the description has the words.
 * @param {string} text
 * @param {{name: string, more: string}[]} rows
 */
export function matching(text, rows) {
  const all = normal(text).split(/\s+/).filter(Boolean), told = all.filter((word) => !empty.has(word));
  const words = told.length ? told : all;
  const names = rows.map(({ name }) => normal(name)), begin = (said, word) => said.split(/[^a-z0-9]+/).some((w) => w.startsWith(word));
  const by = (has) => rows.map((_, i) => i).filter((i) => words.every((word) => has(i, word)));
  const alike = by((i, word) => names[i].includes(word) || alternatives(word).slice(1).some((other) => begin(names[i], other)));
  return alike.length ? alike : by((i, word) => `${names[i]} ${normal(rows[i].more)}`.includes(word));
}
