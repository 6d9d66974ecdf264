// The names of elements, as a person would call them. A name never contains a value that somebody typed, nor a text that is masked.
import { editable, type Mask } from "./mask.ts";

const longest = 100;

// visible returns the text of an element without those parts that are masked, typed, or not for people.
function visible(element: Element, mask: Mask): string {
  let text = "";
  const walk = (node: Node) => {
    if (text.length > longest) return;
    if (node.nodeType === 3) text += node.nodeValue;
    if (!(node instanceof Element) || node.matches(`script, style, template, textarea, select, option, ${editable}`)) return;
    if (mask.text(node)) return;
    text += node.matches("img, svg, [aria-label]") ? ` ${own(node)} ` : "";
    for (let child = node.firstChild; child && text.length <= longest; child = child.nextSibling) walk(child);
    if (getComputedStyle(node).display !== "inline") text += " ";
  };
  walk(element);
  return text;
}

const own = (element: Element): string => element.getAttribute("aria-label") || element.getAttribute("alt") || "";

function labelled(element: Element, mask: Mask): string {
  const ids = element.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
  const root = element.getRootNode() as Document | ShadowRoot;
  const named = ids.map((id) => root.getElementById?.(id)).filter((found) => found != null);
  const labels = named.length ? named : [...(element as HTMLInputElement).labels ?? []];
  return labels.map((label) => visible(label, mask)).join(" ");
}

const isField = (element: Element) => element.matches("input, textarea, select");
const isButton = (element: Element) => 
  element.matches("input[type=submit i], input[type=button i], input[type=reset i], input[type=image i]");

// nameOf returns the accessible name of an element, or undefined if it has none or is masked.
export function nameOf(element: Element, mask: Mask): string | undefined {
  if (mask.region(element)) return undefined;
  const button = isButton(element) && !mask.sensitive(element) ? (element as HTMLInputElement).value : "";
  const typed = element.closest(editable) || isField(element);
  const name = labelled(element, mask) || own(element) || button || (typed ? "" : visible(element, mask)) ||
    element.getAttribute("title") || isField(element) && element.getAttribute("placeholder") || "";
  return name.replace(/\s+/g, " ").trim().slice(0, longest) || undefined;
}

// selectorOf returns a selector of an element. It names no identifier of a masked element.
export function selectorOf(element: Element, mask: Mask): string {
  if (!mask.region(element)) {
    if (element.id) return `#${CSS.escape(element.id)}`;
    const name = element.getAttribute("name");
    if (name) return `${element.localName}[name="${CSS.escape(name)}"]`;
  }
  const parent = element.parentElement;
  return parent ? `${selectorOf(parent, mask)} > ${element.localName}` : element.localName;
}
