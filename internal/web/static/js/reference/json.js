const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;
const closing = { "{": "}", "[": "]" };

// Signs that turn the direction of a text, so that it reads as another one, are shown by their numbers. JSON means the same by them.
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const numbered = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * pretty returns a JSON text with a member or value on each line, and where its words are: no number is read, and none is rounded. It is
 * null for a text that is no JSON.
 * @param {string} text
 * @returns {{ text: string, marks: { kind: string, from: number, to: number }[] } | null}
 */
export function pretty(text) {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const all = text.match(token), marks = [];
  let out = "", depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (let i = 0; i < all.length; i++) {
    const word = all[i];
    if (closing[word] && all[i + 1] === closing[word]) {
      out += word + closing[word];
      i++;
    } else if (closing[word]) {
      depth++;
      out += word + line();
    } else if (word === "}" || word === "]") {
      depth--;
      out += line() + word;
    } else if (word === ",") out += word + line();
    else if (word === ":") out += ": ";
    else {
      const shown = word.replace(turning, numbered);
      marks.push({ kind: kindOf(word, all[i + 1]), from: out.length, to: out.length + shown.length });
      out += shown;
    }
  }
  return { text: out, marks };
}

function kindOf(word, next) {
  if (word[0] === '"') return next === ":" ? "name" : "string";
  return /[tfn]/.test(word[0]) ? "word" : "number";
}
