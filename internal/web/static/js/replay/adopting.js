// AdoptingReplayer plays style sheets that documents and shadow roots adopt, also those that were adopted before the shadow root was there,
// and those of a host that was removed and added again: rrweb records an adoption once.
import { sources, types } from "./known.js";

export class AdoptingReplayer extends rrwebReplay.Replayer {
  #adoptions = new Map(); // the last one of each document or host, by id

  // The first snapshot is built before its event is played, and what was adopted before it would be lost. It plays with it.
  constructor(events, config) {
    const first = events.find((e) => e.type === types.fullSnapshot);
    const isEarly = (e) => e.timestamp < first.timestamp && e.type === types.incremental && e.data.source === sources.adoptedSheet;
    const early = events.filter(isEarly).map((e) => ({ ...e, timestamp: first.timestamp }));
    const rest = events.filter((e) => !isEarly(e));
    rest.splice(rest.indexOf(first) + 1, 0, ...early);
    super(rest, config);
    this.on("flush", () => this.#adoptAll()); // a seek has built what was added meanwhile
  }

  rebuildFullSnapshot(event, isSync) {
    this.#adoptions?.clear(); // ids begin anew; the first snapshot is built in the constructor
    super.rebuildFullSnapshot(event, isSync);
  }

  // applyAdoptedStyleSheet makes the sheets of an adoption, and adopts them when their root is there.
  applyAdoptedStyleSheet(data) {
    this.#adoptions.set(data.id, data.styleIds);
    this.#makeSheets(data);
    this.#adopt(data.id);
  }

  #makeSheets({ id, styles }) {
    const node = this.mirror.getNode(id);
    const view = node?.defaultView ?? node?.ownerDocument?.defaultView ?? this.iframe.contentWindow;
    for (const { styleId, rules } of styles ?? []) {
      const made = new view.CSSStyleSheet();
      this.styleMirror.add(made, styleId);
      this.applyStyleSheetRule({ adds: rules }, made);
    }
  }

  #adopt(id) {
    const node = this.mirror.getNode(id);
    const root = node?.nodeName === "#document" ? node : node?.shadowRoot;
    if (!root) return;
    const adopted = this.#adoptions.get(id).map((styleId) => this.styleMirror.getStyle(styleId)).filter(Boolean);
    try { root.adoptedStyleSheets = adopted; } catch { /* a frame's document refuses sheets of another document */ }
  }

  #adoptAll() { for (const id of this.#adoptions.keys()) this.#adopt(id); }

  // A mutation may add documents and hosts.
  applyMutation(data, isSync) {
    super.applyMutation(data, isSync);
    if (!this.usingVirtualDom && data.adds.some(({ node }) => node.isShadow || node.isShadowHost || node.type === 0)) this.#adoptAll();
  }
}
