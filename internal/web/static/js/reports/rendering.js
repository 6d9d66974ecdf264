// Long lists leave and enter the page in parts.
import { list } from "./rows.js";

// Rows that go leave the page before new ones come, and before the form that their boxes belong to: the other way round the browser looks
// for the form of each box in the whole page, which takes a slow machine half a second with 500 rows.
addEventListener("htmx:before:swap", (event) => {
  const { target, swap, sourceElement } = event.detail.ctx;
  if (event.defaultPrevented || !target?.matches?.("body, #results") || /morph/i.test(swap)) return;
  for (const part of target.querySelectorAll(".rows")) if (!part.contains(sourceElement)) part.remove();
});

// The lists of rows below the window leave it before that, each in a task of its own: 25 rows take a slow machine 5 ms. What follows
// replaces the others.
document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  if (!ctx.target?.matches?.("body, #results") || !list()) return;
  const send = ctx.fetch;
  ctx.fetch = async (...request) => {
    const response = await send(...request), text = response.text.bind(response);
    response.text = () => text().then(async (body) => {
      if (response.ok && ctx.request.method === "GET") await removeUnseen();
      return body;
    });
    return response;
  };
});
async function removeUnseen() {
  const unseen = [...document.querySelectorAll(".pages > .rows")].filter((part) => part.getBoundingClientRect().top > innerHeight);
  for (const part of unseen.reverse()) {
    part.remove();
    await (globalThis.scheduler?.yield?.() ?? new Promise((done) => { setTimeout(done); }));
  }
}

// Of what a search finds, the first list of rows is inserted with the answer. The others follow, each in a frame of its own; until then
// they have the height of their rows.
document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
  if (ctx.target?.id !== "results" || !ctx.sourceElement?.matches?.(".search")) return;
  const later = tasks.flatMap(({ fragment }) => [...(fragment?.querySelectorAll(".pages > .rows") ?? [])].slice(1));
  const rows = later.map((part) => [...part.children]);
  for (const part of later) {
    Object.assign(part.style, { display: "block", height: `calc(${part.childElementCount} * var(--row))` });
    part.replaceChildren();
  }
  const insert = () => {
    if (!later[0]?.isConnected) return;
    later[0].append(...rows.shift());
    later[0].removeAttribute("style");
    htmx.process(later.shift());
    requestAnimationFrame(() => setTimeout(insert));
  };
  requestAnimationFrame(() => setTimeout(insert));
});
