// A position is the sequences that a page has seen, by workspace. Its text is that of the header Last-Event-ID.
export const parse = (text) => Object.fromEntries(text.split(",").filter(Boolean).map((part) => {
  const dot = part.lastIndexOf(".");
  return [part.slice(0, dot), Number(part.slice(dot + 1))];
}));
export const format = (position) => Object.entries(position).map(([key, sequence]) => `${key}.${sequence}`).join();
