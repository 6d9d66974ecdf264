// Removes from the events of rrweb what the page hides, before they are kept. It asks the elements themselves, so that a text which is
// added later to a masked element is masked. An element that is no longer there is taken for masked.
import type { Mask } from "./mask.ts";

interface Serialized {
  type: number; id: number; tagName?: string; textContent?: string; isStyle?: boolean;
  attributes?: Record<string, unknown>; childNodes?: Serialized[];
}

interface Mutation {
  texts: { id: number; value: string | null }[];
  attributes: { id: number; attributes: Record<string, unknown> }[];
  adds: { parentId: number; node: Serialized }[];
}

export interface Mirror { getNode(id: number): Node | null }

export interface RawEvent { type: number; timestamp: number; data: unknown }

const elementNode = 2, textNode = 3, cdataNode = 4, commentNode = 5;
const fullSnapshot = 2, incremental = 3, mutation = 0, input = 5;

// plain are the attributes that a masked element keeps: those by which it has its place and its look.
const plain = new Set(["class", "type", "role", "dir", "width", "height", "rows", "cols", "size", "colspan", "rowspan", "viewBox", "d", "x",
  "y", "r", "cx", "cy", "fill", "stroke", "hidden", "open", "rel", "rr_width", "rr_height", "rr_scrollLeft", "rr_scrollTop", "_cssText"]);

const stars = (text: string): string => text.replace(/\S/gu, "*");

const isBlob = (value: unknown) => typeof value === "string" && /(^|[\s("',])blob:/i.test(value);

// withoutAddresses removes the addresses from a style. A style in parts, as rrweb has a changed one, is treated like its text.
function withoutAddresses(style: unknown): unknown {
  return JSON.parse(JSON.stringify(style ?? "").replace(/url\((?:[^()"\\]|\\.)*\)?/gi, "none"));
}

function maskedAttributes(attributes: Record<string, unknown>, link: boolean): void {
  for (const name of Object.keys(attributes)) {
    if (name === "style") attributes[name] = withoutAddresses(attributes[name]);
    else if (!plain.has(name) && !(link && name === "href")) delete attributes[name];
  }
}

// value says what the replay shows of a typed text: nothing of a sensitive one, and as many stars as it has characters of others.
const value = (text: string, element: Element, mask: Mask): string =>
  mask.sensitive(element) ? "" : mask.showInputs ? text : "*".repeat(text.length);

const isButton = (type: unknown) => /^(submit|button|reset)$/i.test(String(type));

function fieldAttributes(element: Element, attributes: Record<string, unknown>, mask: Mask): void {
  const sensitive = mask.sensitive(element);
  if (sensitive) for (const name of ["placeholder", "title", "checked", "min", "max", "pattern", "list"]) delete attributes[name];
  if (!("value" in attributes) || !sensitive && (mask.showInputs || isButton(element.getAttribute("type")))) return;
  const choice = /^(checkbox|radio)$/i.test(String(element.getAttribute("type")));
  if (choice || typeof attributes.value !== "string") delete attributes.value;
  else attributes.value = value(attributes.value, element, mask);
}

function attributes(element: Element | null, all: Record<string, unknown>, mask: Mask): void {
  if (!element || mask.region(element)) maskedAttributes(all, element?.localName === "link");
  for (const name of Object.keys(all)) if (isBlob(all[name])) delete all[name];
  if (!element) return;
  const tag = element.localName;
  if (/^(input|textarea|select)$/.test(tag)) fieldAttributes(element, all, mask);
  if (tag === "option" && (!mask.showInputs || mask.sensitive(element.closest("select") ?? element))) {
    delete all.selected;
    delete all.value;
  }
}

export function maskNode(node: Serialized, mirror: Mirror, mask: Mask, parent?: Element | null): void {
  const live = mirror.getNode(node.id);
  const element = live?.nodeType === 1 ? live as Element : null;
  if (node.type === elementNode && node.attributes) attributes(element, node.attributes, mask);
  if (node.type === commentNode) node.textContent = "";
  if ((node.type === textNode || node.type === cdataNode) && node.textContent) {
    const around = live?.parentElement ?? parent;
    if (around?.localName !== "style") node.textContent = maskedText(node.textContent, live, around, mask);
  }
  for (const child of node.childNodes ?? []) maskNode(child, mirror, mask, element);
}

function maskedText(text: string, live: Node | null, around: Element | null | undefined, mask: Mask): string {
  const parent = around ?? (live?.parentNode as ShadowRoot | null)?.host;
  if (parent?.localName === "textarea") return value(text, parent, mask);
  return mask.text(parent) ? stars(text) : text;
}

function maskMutation({ texts, attributes: changed, adds }: Mutation, mirror: Mirror, mask: Mask): void {
  const live = (id: number) => mirror.getNode(id);
  for (const text of texts) {
    const node = live(text.id);
    if (text.value && node?.parentElement?.localName !== "style") text.value = maskedText(text.value, node, node?.parentElement, mask);
  }
  for (const change of changed) attributes(live(change.id) as Element | null, change.attributes, mask);
  for (const { parentId, node } of adds) maskNode(node, mirror, mask, live(parentId) as Element | null);
}

// maskEvent changes an event so that it has nothing that the page hides.
export function maskEvent(event: RawEvent, mirror: Mirror, mask: Mask): void {
  if (event.type === fullSnapshot) return maskNode((event.data as { node: Serialized }).node, mirror, mask);
  if (event.type !== incremental) return;
  const data = event.data as { source: number };
  if (data.source === mutation) return maskMutation(data as unknown as Mutation, mirror, mask);
  if (data.source !== input) return;
  const typed = data as unknown as { id: number; text: string; isChecked: boolean };
  const element = mirror.getNode(typed.id) as Element | null;
  if (!element || mask.sensitive(element)) typed.isChecked = false;
  typed.text = element ? value(typed.text, element, mask) : "";
}
