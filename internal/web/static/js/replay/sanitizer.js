// sanitize returns the events of a recording of which nothing runs and nothing connects. The policy of the frame forbids both, but a
// browser connects for some elements before it asks the policy: for links, and for frames and objects.
import { known } from "./known.js";
import { declarations, sheet, sheetPart } from "./style.js";

const element = 2; // a type of nodes
const { fullSnapshot, incremental, meta, custom } = known.Types, source = known.Sources;
const [playedTypes, playedSources] = [new Set(known.Played.Types), new Set(known.Played.Sources)]; // no canvas, no custom element
const embedding = new Set(["iframe", "frame", "object", "embed", "portal", "fencedframe", "applet"]);
const empty = new Set(["script", "meta", "base"]);
const dropped = new Set(["srcdoc", "action", "formaction", "ping", "manifest", "code", "codebase", "archive", "classid", "http-equiv", "is",
  "rr_src", "attributionsrc", "imagesrcset", "autofocus", "__proto__"]);
const address = new Set(["src", "srcset", "poster", "background", "data", "lowsrc", "dynsrc", "rr_dataurl"]);
const linked = new Set(["href", "xlink:href"]);
// Attributes of SVG that are style, and elements that change an attribute of another one.
const styled = new Set(["fill", "stroke", "filter", "clip-path", "mask", "marker", "marker-start", "marker-mid", "marker-end", "cursor",
  "color-profile", "shape-inside", "shape-subtract", "from", "to", "by", "values"]);
const styleTags = ["style", "link"]; // whose text is style: a link is played as its style
const inline = /^data:(?:image|font|audio|video)\//i;

const isObject = (v) => typeof v === "object" && v !== null;
const list = (v) => Array.isArray(v) ? v.filter(isObject) : [];
const length = (v) => Math.min(Math.max(Number(v) || 0, 1), 10_000);

// styles returns a value with its strings read as style by a function.
function styles(value, read) {
  if (typeof value === "string") return read(value);
  if (Array.isArray(value)) return value.map((v) => styles(v, read));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, styles(v, read)]));
}

// attributes returns those of an element that has, or had at some time, one of the tags. An element of unknown tags keeps no address.
function attributes(tags, given) {
  const kept = {};
  if (!isObject(given) || tags.some((tag) => empty.has(tag))) return kept;
  const embeds = !tags.length || tags.some((tag) => embedding.has(tag));
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase();
    const safe = isDropped(tags, name, value) ? undefined : safeValue(name, value, embeds);
    if (safe !== undefined) kept[written] = safe;
  }
  return kept;
}

function isDropped(tags, name, value) {
  if (name.startsWith("on") || dropped.has(name) || isObject(value) && name !== "style") return true;
  if (name === "inert" && tags.includes("dialog")) return true;
  return tags.includes("link") && name !== "media" && !(name === "_csstext" && value);
}

// safeValue returns the value with which an attribute is played, undefined for none.
function safeValue(name, value, embeds) {
  if (address.has(name) || linked.has(name)) {
    const text = typeof value === "string" ? value : "";
    if (inline.test(text) && !embeds) return value;
    if (!linked.has(name) || value === null) return undefined;
    return text.startsWith("#") ? text : "#";
  }
  if (name === "attributename") return /(?:href|src)\s*$/i.test(value) ? undefined : value;
  if (name === "_csstext") return styles(value, sheetPart);
  return name === "style" || styled.has(name) ? styles(value, declarations) : value;
}

// each calls fn for every node of an event, with the id of its parent.
function each(event, fn) {
  const data = isObject(event.data) ? event.data : {};
  let left = [];
  if (event.type === fullSnapshot) left = [[data.node]];
  if (event.type === incremental && data.source === source.mutation) left = list(data.adds).map((added) => [added.node, added.parentId]);
  for (let next; (next = left.pop());) {
    const [node, parent] = next;
    if (!isObject(node)) continue;
    fn(node, parent);
    for (const child of list(node.childNodes)) left.push([child, node.id]);
  }
}

// isStyle returns whether a text is style: one of its parents has, or had at some time, such a tag, or is unknown.
const isStyle = (id, { tags, parents }) =>
  [...parents.get(id) ?? [undefined]].some((parent) => !tags.has(parent) || styleTags.some((tag) => tags.get(parent).has(tag)));

function node(n, scope) {
  if (n.type !== element) {
    n.childNodes = list(n.childNodes);
    if (isStyle(n.id, scope)) n.textContent = sheetPart(n.textContent);
    return;
  }
  const { tags } = scope;
  const tag = String(n.tagName).toLowerCase();
  n.tagName = tag === "script" ? "noscript" : n.isSVG ? String(n.tagName) : tag;
  n.attributes = attributes([...tags.get(n.id)], n.attributes);
  n.childNodes = tag === "script" ? [] : list(n.childNodes);
  if (tag === "dialog") n.attributes.inert = ""; // a dialog that opens would take the focus from the page
  delete n.isCustom;
}

function change(event, scope) {
  const data = event.data;
  switch (data.source) {
    case source.mutation:
      for (const name of ["adds", "removes", "texts", "attributes"]) data[name] = list(data[name]);
      for (const text of data.texts) if (isStyle(text.id, scope)) text.value = sheetPart(text.value);
      for (const m of data.attributes) m.attributes = attributes([...scope.tags.get(m.id) ?? []], m.attributes);
      break;
    case source.resize:
      [data.width, data.height] = [length(data.width), length(data.height)];
      break;
    case source.styleRule: case source.font: case source.styleDeclaration: case source.adoptedSheet:
      event.data = styles(data, sheet);
      break;
  }
}

// scopes returns the tags of elements and the parents of texts, by id, that count for each event. Ids begin anew with a full snapshot;
// until the next one an event may change a node by its id alone, and an id may have several tags and parents in turn.
function scopes(events) {
  let scope = { tags: new Map(), parents: new Map() };
  const add = (map, id, value) => { if (map.has(id)) map.get(id).add(value); else map.set(id, new Set([value])); };
  return events.map((event) => {
    if (event.type === fullSnapshot) scope = { tags: new Map(), parents: new Map() };
    each(event, (n, parent) => {
      if (n.type === element) add(scope.tags, n.id, String(n.tagName).toLowerCase());
      else add(scope.parents, n.id, parent);
    });
    return scope;
  });
}

export function sanitize(recorded) {
  const plays = (e) => isObject(e.data) && playedTypes.has(e.type) && (e.type !== incremental || playedSources.has(e.data.source));
  const events = list(recorded).filter((e) => Number.isFinite(e.timestamp))
    .map((e) => plays(e) ? e : { type: custom, timestamp: e.timestamp, data: { tag: "", payload: {} } }); // its time counts
  events.sort((a, b) => a.timestamp - b.timestamp);
  const at = scopes(events);
  events.forEach((event, i) => {
    each(event, (n) => node(n, at[i]));
    if (event.type === incremental) change(event, at[i]);
    if (event.type === meta) [event.data.width, event.data.height] = [length(event.data.width), length(event.data.height)];
  });
  return events;
}
