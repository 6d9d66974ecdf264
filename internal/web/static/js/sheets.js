// The style sheets of pages.

/**
 * loadSheet loads a style sheet, once on each page, for media, or for all without it. It rejects when the sheet can't be loaded.
 * @param {string} href
 */
export function loadSheet(href, media = "") {
  if (document.head.querySelector(`link[rel=stylesheet][href="${href}"]`)) return undefined;
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, media, onload: resolve, onerror: reject });
    document.head.append(link);
  });
}

// loadSheets loads the style sheets that the head of a page names; they style nothing yet. One that can't be loaded leaves its page
// without it.
const named = /<link rel="stylesheet" href="(\/static\/[\w.-]+)">/g;
export const loadSheets = (head) => Promise.allSettled([...head.matchAll(named)].map(([, href]) => loadSheet(href, "not all")));

// A page that replaces another one has the style sheets that it names, and no others.
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx.target !== document.body) return;
  for (const link of document.head.querySelectorAll("link[rel=stylesheet]")) {
    if (ctx.text.includes(link.getAttribute("href"))) link.media = "";
    else link.remove();
  }
});
