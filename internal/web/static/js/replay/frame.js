// The frame of a replay, the same for every one. It makes the document that plays it, whose origin is opaque because its address is
// its content, and passes the events and a port from the page to it. What is played cannot reach the page, its cookies or its storage.
const absolute = (list) => list.split(" ").map((path) => new URL(path, location.href).href);
const { scripts, sheets, events } = document.currentScript.dataset;
const head = absolute(sheets).map((url) => `<link rel="stylesheet" href="${url}">`).join("");
const body = absolute(scripts).map((url) => `<script src="${url}"></script>`).join("");
const player = document.createElement("iframe");
player.title = "Replay";
player.src = "data:text/html;charset=utf-8," + encodeURIComponent(
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Replay</title>${head}</head>` +
  `<body data-events='${events}'>${body}</body></html>`);

addEventListener("message", ({ source, origin, data, ports }) => {
  if (source === player.contentWindow && data?.type === "loaded") parent.postMessage({ type: "loaded" }, location.origin);
  if (source === parent && origin === location.origin && data?.type === "load") {
    player.contentWindow.postMessage(data, "*", [data.events, ports[0]]); // "*" is the only name of an opaque origin
  }
});
document.body.append(player);
