// Each letter that is compared like others.
const letters = new Map(Object.entries({
  a: "ⱥɑ", aa: "ꜳ", ae: "æ", ao: "ꜵ", au: "ꜷ", av: "ꜹ", ay: "ꜽ", b: "ƀɓƃ", c: "ƈȼ", d: "đðɖɗƌ", e: "ɇəǝɛ", f: "ƒ", g: "ǥɠɡ", h: "ħⱨɦ",
  i: "ıɨɩ", j: "ȷɉɟ", k: "ƙⱪ", l: "łƚɫɬⱡ", m: "ɱ", n: "ŋɲƞ", o: "øɵɔ", oe: "œ", ou: "ȣ", p: "ƥᵽ", q: "ĸɋ", r: "ɍɽ", s: "ʂȿ", ss: "ß",
  t: "ŧƭʈⱦ", th: "þ", u: "ʉ", v: "ʋ", w: "ⱳƿ", y: "ɏƴ", z: "ƶȥʒⱬ",
  а: "ә", г: "ґғҕ", ж: "җ", з: "ҙ", к: "қҝҟҡ", н: "ңҥ", о: "өҩ", п: "ҧ", с: "ҫ", т: "ҭ", у: "үұ", х: "ҳһ", ч: "ҷҹ", եւ: "և",
  ك: "ک", ي: "یىے", ه: "ةہھە",
}).flatMap(([plain, same]) => [...same].map((letter) => [letter, plain])));

// The digits of a script are ten in a row.
function digit(c) {
  const code = c.codePointAt(0);
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/**
 * folded returns a text as searches compare it, as package words of the server does: without case, accents and other marks, characters
 * without a form, and the strokes of letters. A search on a page looks for a folded text in folded texts.
 * @param {string} text
 */
export function folded(text) {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFKD").replace(/[\p{M}ـʹ-ˁㅤᅠᅟ]|(?!\u200b)\p{Cf}/gu, "");
  const small = bare.toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return small.replace(/[^\0-\x7f]/gu, (c) => letters.get(c) ?? (/\p{Nd}/u.test(c) ? digit(c) : c))
    .replaceAll("l·l", "ll").normalize("NFC");
}
