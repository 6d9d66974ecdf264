// What scripts find on a page. A selector does not say which kind of element it finds, so that a found one has the members of each kind.
import type { Details } from "../events.js";

declare global {
  interface Found extends HTMLElement, Kept {
    action: string;
    alt: string;
    checked: boolean;
    content: DocumentFragment;
    defaultValue: string;
    disabled: boolean;
    elements: any;
    form: any;
    href: string;
    media: string;
    method: string;
    name: string;
    open: boolean;
    origin: string;
    pathname: string;
    hash: string;
    selectionEnd: number;
    selectionStart: number;
    src: string;
    target: string;
    type: string;
    value: any;
    options: HTMLOptionsCollection;
    control: Found;
    files: FileList;
    max: string | number;
    height: number;
    naturalHeight: number;
    naturalWidth: number;
    width: number;
    add(option: HTMLOptionElement): void;
    cloneNode(deep?: boolean): Found;
    close(): void;
    getContext(kind: "2d"): CanvasRenderingContext2D;
    toBlob(done: BlobCallback, type: string, quality: number): void;
    requestClose(): void;
    requestSubmit(submitter?: HTMLElement | null): void;
    reset(): void;
    select(): void;
    setRangeText(text: string, from: number, to: number, selection?: SelectionMode): void;
    setSelectionRange(from: number, to: number): void;
    showModal(): void;
  }

  // What scripts keep on an element while it is on the page.
  interface Kept {
    at?: number[]; // of the text field of an annotation: the point of the picture where it is
    choice?: Node; // of an item of a menu: what the form gets
    command?: HTMLElement; // of an item of the palette: the button that it clicks
    row?: Found | null; // of an entry of the palette: the row that it changes
    early?: HTMLElement; // of a custom element that is not defined yet: the button that was clicked last
    loaded?: boolean; // of a panel of evidence: whether its rows are known
    now?: number; // of evidence: the time that is shown
    opener?: HTMLElement; // of a menu: the button that opened it
    replacing?: boolean; // of a panel: whether one with all rows is being fetched
    restored?: boolean; // of a form: whether its draft was filled in
    rowHeight?: number; // of a panel
    sending?: boolean; // of a form
    sent?: boolean; // of a form
    started?: boolean; // of evidence and custom elements
    timer?: number; // until a notice or a word goes
    uploads?: Set<Promise<boolean>>; // of a form
    waiting?: boolean; // of a form, for its uploads
    wanted?: string; // of a panel: the request that the reader has opened last
  }

  interface ParentNode {
    querySelector(selectors: string): Found | null;
    querySelectorAll(selectors: string): NodeListOf<Found>;
  }
  interface Element extends Kept {
    cloneNode(deep?: boolean): Found;
    closest(selectors: string): Found | null;
  }
  interface NonElementParentNode { getElementById(id: string): Found | null; }
  interface Document {
    getElementById(id: string): Found | null;
    getElementsByClassName(names: string): HTMLCollectionOf<Found>;
    readonly activeElement: Found;
  }
  interface DocumentFragment { getElementById(id: string): Found | null; }

  // The target of an event is an element, or a document, which has none of these.
  interface EventTarget {
    action?: string;
    ariaBusy?: string | null;
    autofocus?: boolean;
    click?(): void;
    closest?(selectors: string): Found | null;
    contains?(other: Node | null): boolean;
    control?: any;
    dataset?: DOMStringMap;
    elements?: any;
    form?: any;
    getBoundingClientRect?(): DOMRect;
    hasAttribute?(name: string): boolean;
    hidden?: any;
    hidePopover?(): void;
    href?: any;
    id?: string;
    isConnected?: boolean;
    matches?(selectors: string): boolean;
    method?: string;
    name?: string;
    nextElementSibling?: Element | null;
    parentElement?: HTMLElement | null;
    querySelector?(selectors: string): Found | null;
    sending?: boolean;
    sent?: boolean;
    uploads?: Set<Promise<boolean>>;
    value?: any;
  }

  type Events = { [Name in keyof Details]: CustomEvent<Details[Name]> };
  interface DocumentEventMap extends Events, HtmxEvents {}
  interface HTMLElementEventMap extends Events {}
  interface WindowEventMap extends HtmxEvents {}
}
