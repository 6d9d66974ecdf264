// Style of which nothing is loaded, whatever its spelling. It is read by tokens, as the CSS Syntax module defines them, and written anew
// where it is more than names and numbers: escapes are read, strings and addresses are ended, and only addresses that are data or a part of
// the document are kept. Where browsers may divide names in different ways, the worst of them counts.

const escape = String.raw`\\(?:[\da-fA-F]{1,6}(?:\r\n|[ \t\n\r\f])?|[^\n\r\f\da-fA-F])`;
const name = String.raw`(?:[-\w\0\x80-\uffff]+|${escape})+`;
const token = new RegExp(String.raw`(\/\*[\s\S]*?(?:\*\/|$))|(["'])|@(${name})|(${name})(\()?|[^-\w\0\x80-\uffff\\"'@\/{};]+|[\s\S]`, "y");
const plain = /[^\\"'@/(]*[^-\w\0\x80-\uffff\\"'@/(]/y; // names and more, up to a name that may go on or be that of a function
const text = { '"': /(?:[^"\\\n\r\f]+|\\(?:\r\n|[\s\S]))*/y, "'": /(?:[^'\\\n\r\f]+|\\(?:\r\n|[\s\S]))*/y };
const space = /[ \t\n\r\f]*/y, end = /[ \t\n\r\f]*(?:\)|$)/y;
const bare = new RegExp(String.raw`(?:[^"'()\\ \t\n\r\f\x00-\x08\x0b\x0e-\x1f\x7f]+|${escape})*`, "y");
const rest = /(?:[^)\\]+|\\[\s\S])*(?:\)|$)/y; // of an address that is none
const attribute = new RegExp(String.raw`[ \t\n\r\f]*${name}[ \t\n\r\f]*(?:[,)]|$)`, "y");

// Ends of names of functions.
const address = /url$/, loading = /(?:src|image|image-set|cross-fade|element|expression)$/, attributed = /attr$/;
const loadingRule = /^(?:import|namespace)(?![-\w])/;
const kept = /^(?:data:(?:image|font|application\/(?:x-)?font)|#)/i;
const notable = /[\\"'@]|\/\*|(?:url|src|image|image-set|cross-fade|element|expression|attr)\(/i; // other style says what it seems to

const decode = (s) => s.includes("\\") ? s.replace(/\\(?:([\da-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([\s\S]))/gi,
  (_, hex, newline, char) => {
  const code = parseInt(hex, 16);
  if (hex) return code && code < 0x110000 && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  return newline ? "" : char;
}) : s;
// A string is a string also to readers that look for brackets, comments and rules without reading strings, as the player does.
const encode = (s) => `"${s.replace(/["\\\n\r\f(*@\0]/g, (c) => `\\${c.charCodeAt(0).toString(16)} `)}"`;

class Reader {
  at = 0;
  out = [];
  font = 0; // how deep the reader is in a font-face rule; -1 before its bracket

  constructor(source, comments) {
    this.source = source;
    this.comments = comments;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found) this.at += found[0].length;
    return found;
  }

  // string returns the value of a string whose quotation mark was read.
  string(quote) {
    const [raw] = this.match(text[quote]);
    if (this.source[this.at] === quote) this.at++;
    return decode(raw);
  }

  // address reads what follows "url(".
  address() {
    this.match(space);
    const quote = this.source[this.at];
    let value;
    if (quote === '"' || quote === "'") {
      this.at++;
      value = this.string(quote);
      if (!this.match(end)) return `blocked(${encode(value)} `; // with modifiers
    } else {
      value = decode(this.match(bare)[0]);
      if (!this.match(end)) {
        this.match(rest);
        value = "";
      }
    }
    if (kept.test(value.trim())) return `url(${encode(value.trim())})`;
    return this.font > 0 ? `local("")` : `url("data:,")`; // a font that is no font would be reported in the console
  }

  call(written) {
    const called = decode(written).toLowerCase();
    if (address.test(called)) return this.address();
    if (loading.test(called) || attributed.test(called) && !this.isPlain()) return "blocked(";
    return `${written}(`;
  }

  // isPlain returns whether attr() has a name alone: with a type, it would read an attribute as style.
  isPlain() {
    const { at } = this, plain = this.match(attribute);
    this.at = at;
    return plain;
  }

  rule(written) {
    const called = decode(written).toLowerCase();
    if (loadingRule.test(called)) return "@blocked";
    if (called === "font-face") this.font = -1;
    return `@${written}`;
  }

  other(c) {
    if (this.font && c === "{") this.font = Math.abs(this.font) + (this.font > 0 ? 1 : 0);
    else if (this.font > 0 && c === "}" || this.font < 0 && c === ";") this.font = Math.max(this.font - 1, 0);
    return c;
  }

  read() {
    while (this.at < this.source.length) {
      const run = this.font ? null : this.match(plain);
      if (run) this.out.push(run[0]);
      if (this.at === this.source.length) break;
      const [raw, comment, quote, rule, word, call] = this.match(token);
      if (comment) this.out.push(!this.comments ? " " : comment.length > 3 && comment.endsWith("*/") ? comment : "/**/");
      else if (quote) this.out.push(encode(this.string(quote)));
      else if (rule) this.out.push(this.rule(rule));
      else if (call) this.out.push(this.call(word));
      else this.out.push(word ?? this.other(raw));
    }
    return this.out.join("");
  }
}

function clean(source, comments) {
  if (typeof source !== "string" || !notable.test(source)) return source;
  let end = source.length;
  while (source[end - 1] === "\\") end--;
  const isCut = (source.length - end) % 2; // in an escape
  return new Reader(isCut ? source.slice(0, -1) : source, comments).read();
}

// sheet returns a style sheet, or a rule of one.
export const sheet = (source) => clean(source, true);

// sheetPart returns a part of a style sheet which others may follow: none of its names goes on in the next one.
export function sheetPart(source) {
  if (typeof source !== "string") return source;
  const part = source.split("/* rr_split */").map((s) => {
    const cleaned = clean(s, true);
    return /(?:^|[;{}\s])$/.test(cleaned) && !/\\[\s\S]?$/.test(cleaned) &&
      !/\\[\da-fA-F]{1,6}\s$/.test(cleaned) ? cleaned : `${cleaned}/**/`;
  });
  return part.join("/* rr_split */");
}

// declarations returns the style of an element, or the value of a property. It has no comments, because the player removes them, and what
// they divide would be one name.
export const declarations = (source) => clean(source, false);
