// The style sheets of pages.

const loading = new WeakMap(); // what has been promised of a link

/**
 * loadSheet loads a style sheet, once on each page, for media, or for all without it. It resolves when the page has the sheet, and
 * rejects when that can't be loaded.
 * @param {string} href
 */
export function loadSheet(href, media = "") {
  const there = document.head.querySelector(`link[rel=stylesheet][href="${href}"]`);
  if (there) {
    if (!media) there.media = "";
    return loading.get(there) ?? Promise.resolve();
  }
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, media });
  loading.set(link, new Promise((resolve, reject) => Object.assign(link, { onload: resolve, onerror: reject })));
  document.head.append(link);
  return loading.get(link);
}

// loadSheets loads the style sheets that a page names, for media. One that can't be loaded leaves its page without it.
const named = /<link rel="stylesheet" href="(\/static\/[\w.-]+)">/g;
export const loadSheets = (text, media) => Promise.allSettled([...text.matchAll(named)].map(([, href]) => loadSheet(href, media)));

// A page that replaces another one has the style sheets that it names, and no others.
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx.target !== document.body) return;
  for (const link of document.head.querySelectorAll("link[rel=stylesheet]")) {
    if (ctx.text.includes(link.getAttribute("href"))) link.media = "";
    else link.remove();
  }
});
