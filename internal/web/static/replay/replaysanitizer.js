// sanitize returns the events of a recording of which nothing runs and nothing connects. The policy of the frame forbids both, but a
// browser connects for some elements before it asks the policy: for links, and for frames and objects.
const { sanitize } = (() => {
  const element = 2, fullSnapshot = 2, incremental = 3, meta = 4, custom = 5; // types of rrweb
  const source = { mutation: 0, resize: 4, styleRule: 8, font: 10, styleDeclaration: 13, adoptedSheet: 15 };
  const passed = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15]); // of an incremental event: no canvas, no custom element
  const embedding = new Set(["iframe", "frame", "object", "embed", "portal", "fencedframe", "applet"]);
  const empty = new Set(["script", "meta", "base"]);
  const dropped = new Set(["srcdoc", "action", "formaction", "ping", "manifest", "code", "codebase", "archive", "classid", "http-equiv", "is",
    "rr_src", "attributionsrc", "imagesrcset", "__proto__"]);
  const address = new Set(["src", "srcset", "poster", "background", "data", "lowsrc", "dynsrc", "rr_dataurl"]);
  const linked = new Set(["href", "xlink:href"]);
  const inline = /^data:(?:image|font|audio|video)\//i;

  const isObject = (v) => typeof v === "object" && v !== null;
  const list = (v) => Array.isArray(v) ? v.filter(isObject) : [];
  const length = (v) => Math.min(Math.max(Number(v) || 0, 1), 10_000);

  // css returns a style without addresses of other hosts. They would be refused, and each refusal written to the console.
  function css(text) {
    if (typeof text !== "string" || !/url\(|@import/i.test(text)) return text;
    return text.replace(/@import[^;]*;?/gi, "").replace(/url\(\s*(?!["']?\s*(?:data:(?:image|font)\/|#))(?:"[^"]*"|'[^']*'|[^)]*)\s*\)/gi, "url(data:,)");
  }

  // Walks the strings of a value that is all style.
  function styles(value) {
    if (typeof value === "string") return css(value);
    if (Array.isArray(value)) return value.map(styles);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, styles(v)]));
  }

  // attributes returns those of an element that has, or had at some time, one of the tags. An element of unknown tags keeps no address.
  function attributes(tags, given) {
    const kept = {};
    if (!isObject(given) || tags.some((tag) => empty.has(tag))) return kept;
    const isLink = tags.includes("link"), embeds = !tags.length || tags.some((tag) => embedding.has(tag));
    for (const [written, value] of Object.entries(given)) {
      const name = written.toLowerCase();
      if (name.startsWith("on") || dropped.has(name) || isObject(value) && name !== "style") continue;
      if (isLink && name !== "media" && !(name === "_csstext" && value)) continue;
      if (address.has(name) || linked.has(name)) {
        const text = typeof value === "string" ? value : "";
        if (inline.test(text) && !embeds) kept[written] = value;
        else if (linked.has(name) && value !== null) kept[written] = text.startsWith("#") ? text : "#";
      } else {
        kept[written] = name === "style" || name === "_csstext" ? styles(value) : value;
      }
    }
    return kept;
  }

  // each calls fn for a node and every node in it.
  function each(root, fn) {
    const left = isObject(root) ? [root] : [];
    for (let node; (node = left.pop());) {
      fn(node);
      left.push(...list(node.childNodes));
    }
  }

  const roots = (event) => {
    const data = isObject(event.data) ? event.data : {};
    if (event.type === fullSnapshot) return [data.node];
    return event.type === incremental && data.source === source.mutation ? list(data.adds).map((added) => added.node) : [];
  };

  function node(n, tags) {
    if (n.type !== element) {
      n.childNodes = list(n.childNodes);
      n.textContent = css(n.textContent);
      return;
    }
    const tag = String(n.tagName).toLowerCase();
    n.tagName = tag === "script" ? "noscript" : n.isSVG ? String(n.tagName) : tag;
    n.attributes = attributes([...tags.get(n.id)], n.attributes);
    n.childNodes = tag === "script" ? [] : list(n.childNodes);
    delete n.isCustom;
  }

  function change(event, tags) {
    const data = event.data;
    switch (data.source) {
      case source.mutation:
        for (const name of ["adds", "removes", "texts", "attributes"]) data[name] = list(data[name]);
        for (const text of data.texts) text.value = css(text.value);
        for (const m of data.attributes) m.attributes = attributes([...tags.get(m.id) ?? []], m.attributes);
        break;
      case source.resize:
        [data.width, data.height] = [length(data.width), length(data.height)];
        break;
      case source.styleRule: case source.font: case source.styleDeclaration: case source.adoptedSheet:
        event.data = styles(data);
        break;
    }
  }

  // scopes returns the tags by id that count for each event. Ids begin anew with a full snapshot; until the next one an event may
  // change an element by its id alone, and an id may have several tags in turn.
  function scopes(events) {
    let tags = new Map();
    return events.map((event) => {
      if (event.type === fullSnapshot) tags = new Map();
      for (const root of roots(event)) each(root, (n) => {
        if (n.type !== element) return;
        if (!tags.has(n.id)) tags.set(n.id, new Set());
        tags.get(n.id).add(String(n.tagName).toLowerCase());
      });
      return tags;
    });
  }

  function sanitize(recorded) {
    const events = list(recorded).filter((e) => Number.isFinite(e.timestamp) && isObject(e.data)
      && (e.type === fullSnapshot || e.type === meta || e.type === custom || e.type === incremental && passed.has(e.data.source)));
    events.sort((a, b) => a.timestamp - b.timestamp);
    const tags = scopes(events);
    events.forEach((event, i) => {
      for (const root of roots(event)) each(root, (n) => node(n, tags[i]));
      if (event.type === incremental) change(event, tags[i]);
      if (event.type === meta) [event.data.width, event.data.height] = [length(event.data.width), length(event.data.height)];
    });
    return events;
  }
  return { sanitize };
})();
