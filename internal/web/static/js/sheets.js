// The style sheets of pages.

/**
 * loadSheet loads a style sheet, once on each page. It rejects when the sheet can't be loaded.
 * @param {string} href
 */
export function loadSheet(href) {
  if (document.head.querySelector(`link[rel=stylesheet][href="${href}"]`)) return undefined;
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: resolve, onerror: reject });
    document.head.append(link);
  });
}

// loadSheets loads the style sheets that the head of a page names. One that can't be loaded leaves its page without it.
const named = /<link rel="stylesheet" href="(\/static\/[\w.-]+)">/g;
export const loadSheets = (head) => Promise.allSettled([...head.matchAll(named)].map(([, href]) => loadSheet(href)));
