// The split view: on a wide screen a report of the list opens beside it, as the page of the report has it. The address is the state:
// open names the report, and the parameters that the list does not have are those of its page. On a narrow screen, and without this
// script, a row leads to the page.
import { dispatch, loadSheet, pageOf, partial } from "../app.js";
import { addressWith, isOfList, openedIn } from "./address.js";

const wide = matchMedia("(min-width: 1200px)");
const parts = { select: "#main > *", selectOOB: ".bar-action:innerHTML:#pane-actions", push: "false", replace: "false" };
const bars = ["pane-fields", "pane-actions"]; // what the bar of the pane has of the report

let loaded = ""; // the path and query of the report in the pane
let list = ""; // the address of the list that is shown, without a report
const titles = { list: document.title, report: "" };

const pane = () => document.getElementById("pane");
const content = () => document.getElementById("pane-content");
const rows = () => [...document.querySelectorAll("#results .row")];
const rowOf = (path) => document.getElementById(path.slice(1).split("?")[0]);
const pathOf = (url) => url.pathname + url.search;
const isOf = (url, path) => path !== "" && `${url.pathname}/`.startsWith(`${path.split("?")[0]}/`);

const opened = () => openedIn(location.search);
const addressOf = (path) => addressWith(location, path);

// go shows a report, or none, and makes it a part of the address once it is painted. One that follows the focus takes the place of the
// one before in the history.
function go(path, follows = false) {
  show(path);
  afterFrame(() => {
    if (path !== loaded) return;
    if (!history.state?.htmx) history.replaceState({ htmx: true }, "", location.href);
    history[follows ? "replaceState" : "pushState"]({ htmx: true }, "", addressOf(path));
  });
}

// The report beside the list is that of the row with the focus, which the keys change: it follows the focus once that rests. A change that
// was made in the report leaves it there, also when its row leaves the list.
const rest = 150; // milliseconds
let following, wasInPane = false;
document.addEventListener("focusin", ({ target }) => {
  const row = target.matches?.(".row-title:focus-visible") && target.closest("#results .row");
  if (target.closest?.("#pane")) wasInPane = true;
  if (!row) return;
  clearTimeout(following);
  if (loaded && wide.matches && !wasInPane) following = setTimeout(() => {
    if (loaded && row.contains(document.activeElement) && rowOf(loaded) !== row) go(`/${row.id}`, true);
  }, rest);
  wasInPane = false;
});

// show shows the report of a path, or none. The pane, which covers the end of the rows, is painted first. The rows that are seen become
// narrower in the next frame. The other rows, and the request, follow it. The row of the report stays where it is seen.
function show(path) {
  if (!pane()) return;
  const former = loaded;
  const row = rowOf(path || former), top = row && isSeen(row) ? row.getBoundingClientRect().top : null;
  const isAtTop = scrollY === 0; // what is above the rows stays in sight, too
  const stay = () => {
    if (top === null) return;
    if (isAtTop) row.scrollIntoView({ block: "nearest", behavior: "instant" });
    else scrollBy({ top: row.getBoundingClientRect().top - top, behavior: "instant" });
  };
  pane().hidden = !path;
  mark(path);
  loaded = path;
  if (path && path !== former) content().setAttribute("aria-busy", "true");
  afterFrame(() => {
    if (!pane() || path !== loaded) return;
    pane().parentElement.toggleAttribute("data-split", Boolean(path));
    if (narrow(Boolean(path), lists().filter(isSeen))) stay();
    afterFrame(() => {
      if (!pane() || path !== loaded) return;
      if (narrow(Boolean(path), lists())) stay();
      if (path && path !== former) load(path, "innerHTML");
    });
  });
  if (path || !former) return;
  content().removeAttribute("aria-busy");
  for (const part of [content(), ...bars.map((id) => document.getElementById(id))]) part.replaceChildren();
  document.title = titles.list;
}

// narrow makes the rows of lists as wide as what the pane leaves of them, in two lines, or as they were. It returns whether any was not.
const lists = () => [...document.querySelectorAll("#results .rows")];
function narrow(on, parts) {
  const changed = parts.filter((part) => part.hasAttribute("data-narrow") !== on);
  for (const part of changed) part.toggleAttribute("data-narrow", on);
  return changed.length > 0;
}
function isSeen(part) {
  const { top, bottom } = part.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

// afterFrame acts once a frame has been painted. A page that is not seen has no frames.
function afterFrame(act) {
  let done = false;
  const once = () => {
    if (!done) act();
    done = true;
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, 200);
}

// mark marks the row of the report.
function mark(path) {
  const former = document.querySelector("#results .row[data-shown]");
  former?.removeAttribute("data-shown");
  former?.querySelector(".row-title").removeAttribute("aria-current");
  if (!path) return;
  rowOf(path)?.setAttribute("data-shown", "");
  rowOf(path)?.querySelector(".row-title").setAttribute("aria-current", "true");
  for (const link of pane().querySelectorAll("[data-page-of]")) link.href = path;
  pane().querySelector(".pane-reference").textContent = path.slice(1).split("?")[0];
}

function load(path, swap) {
  document.querySelector("#main > [data-stays]")?.remove();
  content().setAttribute("aria-busy", "true");
  htmx.ajax("GET", path, { ...parts, source: pane(), target: content(), swap });
}

function close() {
  const row = document.activeElement.closest?.(".row") ?? rowOf(loaded) ?? rows()[0];
  go("");
  row?.querySelector(".row-title").focus({ preventScroll: true });
}

// step opens the report above or below the one in the pane, or the one with the focus when that has left the list.
function step(by) {
  const at = rows().indexOf(rowOf(loaded));
  const row = at < 0 ? document.activeElement.closest?.(".row") ?? rows()[0] : rows()[at + by];
  if (!row) return;
  row.querySelector(".row-title").focus();
  go(`/${row.id}`);
}

const follows = (event) => !(event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#results .row-title");
  if (!link || !follows(event) || !pane() || !wide.matches) return;
  event.preventDefault();
  event.stopPropagation();
  if (link.pathname === loaded.split("?")[0]) return content().focus({ preventScroll: true });
  link.focus();
  go(link.pathname);
}, true);
document.addEventListener("click", (event) => {
  if (event.target.closest?.("[data-pane-close]")) close();
  else if (event.target.closest?.("[data-pane-step]")) step(Number(event.target.closest("[data-pane-step]").dataset.paneStep));
});
// The room of a row that is no control opens its report.
document.addEventListener("click", (event) => {
  const row = event.target.closest?.("#results .row");
  if (!row || !follows(event) || event.target.closest("a, button, input, label") || String(getSelection())) return;
  row.querySelector(".row-title").click();
});

document.addEventListener("shortcut", (event) => {
  const { key } = event.detail;
  if (event.defaultPrevented || !loaded || !wide.matches) return;
  if (key === "Escape") close();
  else if (key === "[" || key === "]") step(key === "]" ? 1 : -1);
  else return;
  event.preventDefault();
});

// Requests of the report that would replace the page replace what is in the pane. Those of the list keep the report beside it.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  if (!pane() || !loaded) return;
  const { sourceElement: source, request } = ctx;
  const url = new URL(request.action, location.href);
  if (pane().contains(source)) {
    ctx.report = loaded.split("?")[0];
    if (source !== pane() && !source.matches("[data-page-of]") && isOf(url, ctx.report) &&
      [document.body, document.getElementById("main")].includes(ctx.target)) {
      Object.assign(ctx, parts, { target: content(), swap: "innerHTML" });
    }
  } else if (source.closest?.(".reports") && url.pathname === location.pathname) {
    const values = new URLSearchParams(addressOf(loaded).split("?")[1]);
    for (const [name, value] of values) if (name === "open" || !isOfList(name)) url.searchParams.set(name, value);
    request.action = pathOf(url);
  }
});

// A response for the pane is about the report that is still shown. Relative addresses in it are those of its page.
document.addEventListener("htmx:before:swap", (event) => {
  const { ctx, tasks } = event.detail;
  if (!pane() || ctx.target !== content()) return;
  const url = new URL(ctx.response.raw.url, location.href);
  if (!ctx.text.includes('data-page="login"') && !isOf(url, ctx.report)) location.assign(url);
  if (!isOf(url, loaded)) return event.preventDefault();
  titles.report = ctx.title;
  if (pathOf(url) !== loaded && url.pathname === ctx.report) {
    loaded = pathOf(url);
    history[ctx.request.method === "GET" ? "pushState" : "replaceState"]({ htmx: true }, "", addressOf(loaded));
    mark(loaded);
  }
  for (const { fragment } of tasks) {
    fragment.querySelectorAll("link[rel=stylesheet]").forEach((link) => link.remove()); // the page has it
    for (const field of fragment.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
    for (const link of fragment.querySelectorAll('[href^="?"]')) link.setAttribute("href", url.pathname + link.getAttribute("href"));
    for (const form of fragment.querySelectorAll('form:is([action^="?"], [action=""], :not([action]))')) {
      form.setAttribute("action", url.pathname + (form.getAttribute("action") || url.search));
    }
  }
  if (ctx.swap !== "innerHTML") return;
  pane().scrollTop = 0;
  const fields = tasks.map(({ fragment }) => fragment.querySelector("#report-fields")).find(Boolean);
  document.getElementById("pane-fields").replaceChildren(...[fields].filter(Boolean));
  tasks.forEach(({ fragment }) => insertLater(fragment.querySelector(".report-body")));
});

// What is below the evidence follows the rest of a report after a frame: together they block a slow machine for more than 100 ms.
let whole; // is resolved once the report in the pane has all its parts
function insertLater(body) {
  if (!body) return;
  const rest = [...body.childNodes];
  body.replaceChildren();
  whole = new Promise((/** @type {(done?: void) => void} */ resolve) => afterFrame(() => {
    resolve();
    if (!body.isConnected) return;
    body.append(...rest);
    htmx.process(body);
    dispatch(document, "parts:shown");
  }));
}

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (pane() && ctx.target === content() && isOf(new URL(ctx.request.action, location.href), loaded))
    content().removeAttribute("aria-busy");
});
document.addEventListener("htmx:before:history:update", (event) => {
  const { history: action, sourceElement } = event.detail;
  const url = new URL(action.path, location.href);
  if (!pane()?.contains(sourceElement) || sourceElement.matches("[data-page-of]") || url.pathname !== loaded.split("?")[0]) return;
  event.preventDefault();
  loaded = pathOf(url);
  history[action.type === "push" ? "pushState" : "replaceState"]({ htmx: true }, "", addressOf(loaded));
  mark(loaded);
});

// Back and forward between reports of the same list leave the list as it is. The browser takes the focus away afterwards. It would also
// scroll to where the list was when its rows had another height.
document.addEventListener("htmx:before:history:restore", (event) => {
  if (!pane() || addressOf("") !== list) return;
  event.preventDefault();
  const [at, former] = [document.activeElement, loaded];
  history.scrollRestoration = "manual";
  afterFrame(() => afterFrame(() => { history.scrollRestoration = "auto"; }));
  show(opened());
  const focus = () => {
    const stays = at.isConnected && at !== document.body && !at.closest(".row") && !(pane().hidden && pane().contains(at));
    (stays ? at : rowOf(loaded || former)?.querySelector(".row-title"))?.focus({ preventScroll: true });
  };
  if (window.navigation?.transition) navigation.transition.finished.then(focus, () => {});
  else focus();
});

// A report that was changed is fetched again: its parts that have changed are replaced, so that evidence and unsent texts stay. One that
// the reader has deleted, or restored, is loaded.
async function refresh(isOwn) {
  const path = loaded;
  const response = await fetch(path, { headers: partial });
  const page = await pageOf(response);
  await whole;
  const isGone = [403, 404, 410].includes(response.status);
  if (path !== loaded || !(response.ok || isGone) || response.redirected) return;
  const next = page.querySelector("#main [data-record]");
  if (isGone && !isOwn) { // what is shown stays, with a notice
    if (content().querySelector("[data-record]")) dispatch(document, "live:page", page);
    return;
  }
  if (!next || !content().querySelector("[data-record]")) return load(path, "innerHTML");
  if (Number(next.dataset.version) < versionShown()) return; // the answer to a later request was faster
  dispatch(document, isOwn ? "own:page" : "live:page", page);
}
const versionShown = () => Number(content()?.querySelector("[data-record]")?.dataset.version ?? 0);
const isShown = (changed) => loaded && changed === loaded.slice(1).split("?")[0];
document.addEventListener("reports:changed", ({ detail }) => { if (detail.some(isShown)) refresh(true).catch(() => {}); });
document.addEventListener("live:change", ({ detail }) => {
  if (isShown(detail.reference) && (detail.version > versionShown() || detail.kind === "deleted")) refresh(false).catch(() => {});
});
document.addEventListener("live:reload", () => { if (loaded) refresh(false).catch(() => {}); });
// A row that was replaced is marked again.
document.addEventListener("htmx:after:process", ({ target }) => { if (isShown(target.id)) mark(loaded); });

// The style sheet of reports is loaded early: a sheet that comes or goes makes the browser match the styles of the rows again.
function loadSheetOfReports() {
  if (pane() && wide.matches) loadSheet(pane().dataset.sheet).catch(() => {});
}

// begin shows the report of a list that was loaded.
function begin() {
  if (!pane()) return void (loaded = "");
  (globalThis.requestIdleCallback ?? setTimeout)(loadSheetOfReports);
  list = addressOf("");
  if (opened() && !wide.matches) location.replace(opened());
  else show(opened());
}
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target === document.body) loaded = "";
  if (!pane() || ctx.target !== content()) begin();
});
document.addEventListener("htmx:finally:swap", ({ detail: { ctx } }) => {
  if (!pane() || !ctx.title) return;
  if (ctx.target !== content()) titles.list = ctx.title;
  document.title = loaded ? titles.report || ctx.title : titles.list;
});
begin();
