// What a page hides. Each question is answered yes in case of doubt: an element that cannot be examined is masked.
//
// An element with data-bugslice-mask hides itself and all it contains. Fields for passwords, cards, codes and personal data hide their
// value, also after their type was changed. When the page is private by default, everything is hidden that is not in an element with
// data-bugslice-show; data-bugslice-mask within it hides again.

const hidden = "data-bugslice-mask", shown = "data-bugslice-show";

// editable finds the elements whose text somebody types.
export const editable = "[contenteditable]:not([contenteditable=false])";

const sensitiveKinds = new Set(["current-password", "new-password", "one-time-code", "cc-name", "cc-given-name", "cc-additional-name",
  "cc-family-name", "cc-number", "cc-exp", "cc-exp-month", "cc-exp-year", "cc-csc", "cc-type", "name", "honorific-prefix", "given-name",
  "additional-name", "family-name", "nickname", "username", "email", "tel", "tel-national", "tel-local", "bday", "bday-day", "bday-month",
  "bday-year", "sex", "street-address", "address-line1", "address-line2", "address-line3", "address-level1", "address-level2",
    "postal-code",
  "transaction-amount", "impp"]);

const sensitiveName = /pass(word|wd|phrase|code)?|secret|token|card.?(num|no)|cc.?(num|csc|cvc|exp)|\b(cvc|cvv|csc|ssn|iban|pin|otp)\b/i;

export interface Mask {
  /** Whether the element is in a region whose texts, names and pictures are hidden. */
  region(element: Element | null | undefined): boolean;
  /** Whether the value of a field is hidden although the page shows what is typed. */
  sensitive(element: Element): boolean;
  /** Whether a text of the element is hidden: that of a region, or one that somebody types. */
  text(element: Element | null | undefined): boolean;
  readonly showInputs: boolean;
  readonly privateByDefault: boolean;
}

function masks(privateByDefault: boolean, from: Element): boolean {
  for (let element: Element | null = from; element; element = parentOf(element)) {
    if (element.hasAttribute(hidden)) return true;
    if (privateByDefault && element.hasAttribute(shown)) return masks(false, element);
  }
  return privateByDefault;
}

// parentOf returns the parent of an element, through the roots of shadow trees and the documents of frames.
function parentOf(element: Element): Element | null {
  const parent = element.parentNode;
  if (!parent || parent.nodeType === 1) return parent as Element | null;
  return (parent as ShadowRoot).host ?? (parent as Document).defaultView?.frameElement ?? null;
}

export function newMask(privateByDefault: boolean, showInputs: boolean): Mask {
  const passwords = new WeakSet<Element>(); // fields that were of type password once
  const region = (element: Element | null | undefined): boolean => {
    try {
      return !element || masks(privateByDefault, element);
    } catch {
      return true;
    }
  };
  const sensitive = (element: Element): boolean => {
    try {
      const type = element.getAttribute("type")?.toLowerCase();
      if (type === "password") passwords.add(element);
      if (type === "hidden" || passwords.has(element) || region(element) || element.matches(":autofill")) return true;
      const kinds = element.getAttribute("autocomplete")?.toLowerCase().split(/\s+/) ?? [];
      if (kinds.some((kind) => sensitiveKinds.has(kind))) return true;
      return sensitiveName.test(`${element.getAttribute("name") ?? ""} ${element.id}`);
    } catch {
      return true;
    }
  };
  const watch = () => {
    // The type of a field that shows its password is changed: its value stays hidden.
    const seen = (root: ParentNode) => root.querySelectorAll("input[type=password i]").forEach((field) => passwords.add(field));
    seen(document);
    new MutationObserver((changes) => {
      for (const { target, oldValue, addedNodes } of changes) {
        if (oldValue?.toLowerCase() === "password") passwords.add(target as Element);
        for (const node of addedNodes) {
          if (node.nodeType !== 1) continue;
          const element = node as Element;
          if (element.matches("input[type=password i]")) passwords.add(element);
          if (element.firstElementChild) seen(element);
        }
      }
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
  };
  if (typeof document !== "undefined") watch();
  return {
    region, sensitive, showInputs, privateByDefault,
    text: (element) => region(element) || !showInputs && !!element!.closest(editable),
  };
}
