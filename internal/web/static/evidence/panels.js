// The panels of the evidence. Without this script each tab, filter, page of rows and request is a page of its own; with it the
// panels load all rows in pieces, and filter, open and mark them in place. The address of the page has the same state.
const panelStates = new WeakMap(); // of each panel: its rows, their texts, and what marks the current row
const maxRows = 20000; // of a panel that are loaded without being asked for

const evidenceOf = (element) => element?.closest?.(".evidence");
const panelsOf = (evidence) => [...evidence.querySelectorAll(".panel")];
const openPanel = (evidence) => panelsOf(evidence).find((p) => !p.hidden);
const listOf = (panel) => panel.querySelector("[data-rows]");
const boxOf = (panel) => panel.querySelector("[data-rows-box]") ?? listOf(panel);
const rest = () => new Promise((done) => { setTimeout(done); });
// A page that is never idle goes on, too.
const idle = () => new Promise((done) => { globalThis.requestIdleCallback ? requestIdleCallback(done, { timeout: 200 }) : setTimeout(done); });

const stateOf = (panel) => {
  if (!panelStates.has(panel)) panelStates.set(panel, { rows: [], texts: new WeakMap(), byTime: null, current: null, follows: true, scrolls: false });
  return panelStates.get(panel);
};

// The address of a page shows the state of its evidence. A report in a pane leaves the address to the page around it.
const ownsAddress = (evidence) => location.pathname === evidence.dataset.path;
function setAddress(evidence, change, push) {
  if (!ownsAddress(evidence)) return;
  const url = new URL(location);
  url.searchParams.delete("cursor");
  for (const [name, value] of Object.entries(change)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  if (url.href === location.href) return;
  if (push) history.pushState({ htmx: true }, "", url);
  else history.replaceState(history.state, "", url);
}

async function fetchPanel(address) {
  const answer = await fetch(address, { headers: { "HX-Request-Type": "partial", "HX-Target": "panel", Accept: "text/html" } });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const panel = (await pageOf(answer)).querySelector(".panel");
  if (!panel) throw new Error("the session has ended");
  return document.adoptNode(panel);
}

// Rows

// A row takes part in the order of the tabulator only once the arrows have reached it.
function addRows(panel, added) {
  const { rows, texts } = stateOf(panel);
  for (const row of added) {
    rows.push(row);
    texts.set(row, folded(row.textContent));
    for (const link of row.querySelectorAll("a, summary")) link.tabIndex = -1;
  }
  stateOf(panel).byTime = null;
  stateOf(panel).filter = null;
}

// Equal lines on both sides of a seam are one line.
function mergeSeam(last, next) {
  const text = (row) => row.querySelector(".line-text")?.textContent;
  if (!last?.matches(".line") || !next?.matches(".line") || last.dataset.level !== next.dataset.level || text(last) !== text(next)) return false;
  const count = (row) => Number(row.dataset.count ?? 1);
  last.dataset.count = count(last) + count(next);
  let badge = last.querySelector(".line-count");
  if (!badge) last.append(badge = Object.assign(document.createElement("span"), { className: "line-count" }));
  badge.textContent = badge.title = `×${last.dataset.count}`;
  return true;
}

const groupsOf = (panel) => [...(listOf(panel)?.children ?? [])];

// Groups of rows outside of the window are not laid out. Their height is that of their shown rows.
function sizeGroup(panel, group) {
  const rows = [...group.children];
  const shown = rows.filter((row) => !row.hidden).length;
  group.hidden = shown === 0;
  const height = `${shown * (panel.rowHeight ??= rows[0]?.offsetHeight || 29)}px`;
  group.style.containIntrinsicBlockSize = shown < rows.length ? height : `auto ${height}`;
}

async function appendPiece(panel, piece) {
  const groups = groupsOf(piece);
  const next = groups[0]?.firstElementChild;
  if (next && mergeSeam(stateOf(panel).rows.at(-1), next)) next.remove();
  for (const group of groups) {
    const rows = [...group.children];
    addRows(panel, rows);
    filterRows(panel, rows);
    listOf(panel).append(group);
    sizeGroup(panel, group);
    await rest();
  }
  const more = piece.querySelector(".panel-more");
  const former = panel.querySelector(".panel-more");
  if (more) former.replaceWith(more);
  else former?.remove();
}

async function loadRows(panel, limit) {
  const state = stateOf(panel);
  if (state.loading) return state.loading;
  state.loading = (async () => {
    for (let link; (link = panel.querySelector("[data-more]")) && state.rows.length < limit;) {
      const piece = await fetchPanel(link.href);
      await rest();
      await appendPiece(panel, piece);
      panel.dispatchEvent(new CustomEvent("evidence:rows", { bubbles: true }));
      await idle();
      if (!panel.isConnected) return;
    }
    showCount(panel);
  })().catch(() => {}).finally(() => { state.loading = null; }); // the link to more rows stays
  return state.loading;
}

// A panel that begins after its first row, or has only some of them, is replaced by the one with all rows.
async function loadPanel(evidence, name) {
  const former = panelsOf(evidence).find((p) => p.dataset.panel === name);
  if (former && (former.loaded || former.replacing)) return former;
  const partial = former && (former.hasAttribute("data-filtered") || former.querySelector(".panel-first"));
  if (former && !partial) {
    former.loaded = true;
    for (const group of groupsOf(former)) addRows(former, group.children);
    return former;
  }
  if (former) former.replacing = true;
  const panel = await fetchPanel(evidence.querySelector(`[data-tab="${name}"]`).href);
  if (!evidence.isConnected) return null;
  panel.hidden = true;
  panel.loaded = true;
  evidence.querySelector(".panels").append(panel);
  for (const group of groupsOf(panel)) addRows(panel, group.children);
  panel.dispatchEvent(new CustomEvent("evidence:rows", { bubbles: true }));
  if (!former) return panel;
  await loadRows(panel, maxRows);
  panel.querySelector("[name=q]").value = former.querySelector("[name=q]").value;
  setPressed(panel, former);
  const detail = former.querySelector(".request-detail");
  if (detail) {
    panel.querySelector(".network").append(detail);
    panel.toggleAttribute("data-open", true);
  }
  applyFilter(panel);
  panel.hidden = former.hidden;
  former.remove();
  return panel;
}

// Filters

const levelsOf = (panel) => [...panel.querySelectorAll('[data-level][aria-pressed="true"]')].map((a) => a.dataset.level);
const isFailed = (panel) => Boolean(panel.querySelector('[data-failed][aria-pressed="true"]'));
const textOf = (panel) => folded(panel.querySelector("[name=q]")?.value.trim() ?? "");

function setPressed(panel, from) {
  for (const button of panel.querySelectorAll(".level")) {
    const same = from.querySelector(button.dataset.level ? `.level[data-level="${button.dataset.level}"]` : "[data-failed]");
    if (same) button.setAttribute("aria-pressed", same.getAttribute("aria-pressed"));
  }
}

function filterRows(panel, rows) {
  const state = stateOf(panel);
  state.filter ??= { levels: levelsOf(panel), failed: isFailed(panel), text: textOf(panel) };
  const { levels, failed, text } = state.filter;
  for (const row of rows) {
    const shown = (!levels.length || levels.includes(row.dataset.level)) && (!failed || row.dataset.mark === "failed") &&
      (!text || state.texts.get(row)?.includes(text));
    if (row.hidden === shown) row.hidden = !shown;
  }
  state.byTime = null;
}

// A long list is filtered in parts, so that typing stays fluent.
async function applyFilter(panel) {
  const state = stateOf(panel);
  const run = state.run = {};
  state.filter = null;
  for (const [i, group] of groupsOf(panel).entries()) {
    filterRows(panel, group.children);
    sizeGroup(panel, group);
    if (i % 8 === 7) await rest();
    if (state.run !== run) return;
  }
  showCount(panel);
}

function showCount(panel) {
  const { rows } = stateOf(panel);
  const shown = rows.filter((row) => !row.hidden).length;
  const none = panel.querySelector("[data-none]");
  if (none) none.hidden = shown > 0 || rows.length === 0;
  const count = panel.querySelector("[data-shown]");
  if (count) count.textContent = shown < rows.length ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
}

let addressTimer;
function filterChanged(panel) {
  applyFilter(panel);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const evidence = evidenceOf(panel);
    if (evidence) setAddress(evidence, { q: panel.querySelector("[name=q]").value.trim(), level: levelsOf(panel).join(","), failed: isFailed(panel) ? "true" : "" });
  }, 250);
}

// Tabs and requests

async function showTab(evidence, name) {
  const tab = evidence.querySelector(`[data-tab="${name}"]`);
  if (!tab) return null;
  let panel;
  try {
    panel = await loadPanel(evidence, name);
  } catch {
    location.assign(tab.href);
    return null;
  }
  for (const link of evidence.querySelectorAll("[data-tab]")) {
    if (link === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const other of panelsOf(evidence)) other.hidden = other !== panel;
  await rest(); // it is seen before it scrolls
  mark(panel, evidence.now);
  return panel;
}

async function openRequest(panel, row) {
  const address = row.querySelector(".request-path").href;
  const wanted = panel.wanted = row.dataset.request;
  for (const other of panel.querySelectorAll("[data-current]")) other.removeAttribute("data-current");
  row.setAttribute("data-current", "");
  try {
    const detail = (await fetchPanel(address)).querySelector(".request-detail");
    if (panel.wanted !== wanted) return;
    panel.querySelector(".request-detail")?.remove();
    panel.querySelector(".network").append(detail);
    panel.setAttribute("data-open", "");
    detail.focus({ preventScroll: true });
    inView(panel, row);
  } catch {
    location.assign(address);
  }
}

function closeRequest(panel) {
  panel.wanted = null;
  panel.querySelector(".request-detail")?.remove();
  panel.removeAttribute("data-open");
  const row = panel.querySelector("[data-current]");
  row?.removeAttribute("data-current");
  if (row) {
    inView(panel, row);
    row.querySelector(".request-path").focus({ preventScroll: true });
  }
}

// One time line: the last shown row at or before the moment is the current one.

function mark(panel, time) {
  const state = stateOf(panel);
  if (!listOf(panel) || time === undefined) return;
  state.byTime ??= state.rows.filter((row) => !row.hidden).map((row) => [Number(row.dataset.time), row]).sort((a, b) => a[0] - b[0]);
  let [low, high] = [0, state.byTime.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (state.byTime[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  const row = state.byTime[low - 1]?.[1] ?? null;
  if (row === state.current && row?.hasAttribute("aria-current")) return;
  state.current?.removeAttribute("aria-current");
  state.current = row;
  row?.setAttribute("aria-current", "time");
  if (row && state.follows) inView(panel, row);
}

// The list scrolls until the row is seen; the page does not.
function inView(panel, row) {
  const [box, state] = [boxOf(panel), stateOf(panel)];
  const [outer, inner] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top >= outer.top + 32 && inner.bottom <= outer.bottom) return;
  state.scrolls = true;
  box.scrollTop += inner.top - outer.top - outer.height / 2;
}

// Who scrolls away from the current row stays there until the row is in view again.
document.addEventListener("scroll", ({ target }) => {
  const panel = target.closest?.(".panel");
  if (!panel || target !== boxOf(panel)) return;
  const state = stateOf(panel);
  if (state.scrolls) {
    state.scrolls = false;
    return;
  }
  if (!state.current) return;
  const [outer, inner] = [target.getBoundingClientRect(), state.current.getBoundingClientRect()];
  state.follows = inner.bottom > outer.top && inner.top < outer.bottom;
}, true);

document.addEventListener("evidence:time", ({ target, detail }) => {
  const evidence = evidenceOf(target);
  if (!evidence) return;
  evidence.now = detail.time;
  const panel = openPanel(evidence);
  if (panel) mark(panel, detail.time);
});

function seek(evidence, row) {
  const time = Number(row.dataset.time);
  evidence.now = time;
  const panel = row.closest(".panel");
  stateOf(panel).follows = true;
  mark(panel, time);
  evidence.dispatchEvent(new CustomEvent("evidence:seek", { bubbles: true, detail: { time } }));
  return ((time - Number(evidence.dataset.zero)) / 1000).toFixed(1);
}

// Events

document.addEventListener("click", (event) => {
  const evidence = evidenceOf(event.target);
  if (!evidence || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const tab = event.target.closest("[data-tab]");
  const panel = event.target.closest(".panel");
  const row = event.target.closest("[data-rows] li");
  if (tab) {
    event.preventDefault();
    setAddress(evidence, { tab: tab.dataset.tab, q: "", level: "", failed: "", request: "" }, true);
    showTab(evidence, tab.dataset.tab);
  } else if (event.target.closest(".level")) {
    event.preventDefault();
    const button = event.target.closest(".level");
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    filterChanged(panel);
  } else if (event.target.closest("[data-clear]")) {
    event.preventDefault();
    panel.querySelector("[name=q]").value = "";
    for (const button of panel.querySelectorAll(".level")) button.setAttribute("aria-pressed", "false");
    filterChanged(panel);
  } else if (event.target.closest("[data-more]")) {
    event.preventDefault();
    loadRows(panel, stateOf(panel).rows.length + maxRows);
  } else if (event.target.closest("[data-close]")) {
    event.preventDefault();
    closeRequest(panel);
    setAddress(evidence, { request: "" }, true);
  } else if (row && (getSelection().isCollapsed || event.target.closest("a"))) {
    clickRow(event, evidence, panel, row);
  }
});

function clickRow(event, evidence, panel, row) {
  if (event.target.closest("a")) event.preventDefault();
  const change = { tab: panel.dataset.panel, t: row.dataset.time ? seek(evidence, row) : "" };
  const opens = row.matches(".request") && !event.target.closest(".moment");
  if (opens) {
    openRequest(panel, row);
    change.request = row.dataset.request;
  }
  setAddress(evidence, change, opens);
}

document.addEventListener("input", ({ target }) => {
  if (target.matches?.(".panel-tools [name=q]")) filterChanged(target.closest(".panel"));
});
document.addEventListener("submit", (event) => {
  if (event.target.matches(".panel-tools")) event.preventDefault();
}, true);

// In a list the arrows move from row to row; Escape closes a request.
document.addEventListener("keydown", (event) => {
  const panel = event.target.closest?.(".panel");
  if (!panel || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape" && panel.hasAttribute("data-open") && !event.target.matches("input")) {
    event.preventDefault();
    panel.querySelector("[data-close]").click();
  } else if (event.key === " " && event.target.matches(".level")) {
    event.preventDefault();
    event.target.click();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && boxOf(panel)?.contains(event.target)) {
    const { rows, current } = stateOf(panel);
    const step = event.key === "ArrowDown" ? 1 : -1;
    const from = event.target.closest("[data-rows] li");
    let at = from ? rows.indexOf(from) + step : Math.max(0, rows.indexOf(current));
    while (rows[at]?.hidden) at += step;
    const row = rows[at];
    if (!row) return;
    event.preventDefault();
    row.querySelector(".request-path, .moment").focus({ preventScroll: true });
    inView(panel, row);
  }
});

// Back and forward: the state of the address is shown without loading the page again.
async function showAddress(evidence) {
  const query = new URLSearchParams(location.search);
  const panel = await showTab(evidence, query.get("tab") ?? evidence.dataset.first);
  if (!panel) return;
  const field = panel.querySelector("[name=q]");
  if (field) field.value = query.get("q") ?? "";
  for (const button of panel.querySelectorAll(".level")) {
    const on = button.dataset.level ? (query.get("level") ?? "").split(",").includes(button.dataset.level) : query.get("failed") === "true";
    button.setAttribute("aria-pressed", String(on));
  }
  applyFilter(panel);
  const row = panel.querySelector(`[data-request="${Number(query.get("request"))}"]`);
  if (row && !row.hasAttribute("data-current")) await openRequest(panel, row);
  else if (!row && panel.hasAttribute("data-open")) closeRequest(panel);
}
const shownEvidence = () => [...document.querySelectorAll(".evidence")].find(ownsAddress);
const sameOccurrence = (evidence) => [null, evidence.dataset.occurrence].includes(new URLSearchParams(location.search).get("occurrence"));
document.addEventListener("htmx:before:history:restore", (event) => {
  const evidence = shownEvidence();
  if (evidence && sameOccurrence(evidence)) event.preventDefault();
});
addEventListener("popstate", () => {
  const evidence = shownEvidence();
  if (evidence && sameOccurrence(evidence)) showAddress(evidence);
});

// Of an evidence that is new in the page, the open panel loads its rows first, and then the others theirs: the time line shows the
// marks of all of them.
async function start(evidence) {
  if (evidence.started) return;
  evidence.started = true;
  const first = openPanel(evidence);
  const seconds = new URLSearchParams(location.search).get("t");
  if (ownsAddress(evidence) && seconds && evidence.dataset.zero) {
    evidence.now = Number(evidence.dataset.zero) + Number(seconds) * 1000 + 50; // it is rounded
    if (first) mark(first, evidence.now);
  }
  const names = [...evidence.querySelectorAll("[data-tab]")].map((a) => a.dataset.tab);
  names.sort((a, b) => (b === first?.dataset.panel) - (a === first?.dataset.panel));
  for (const name of names) {
    await idle();
    if (!evidence.isConnected) return;
    try {
      const panel = await loadPanel(evidence, name);
      if (panel && listOf(panel)) await loadRows(panel, maxRows);
      if (panel && !panel.hidden) mark(panel, evidence.now);
    } catch { /* the tab is a link */ }
  }
  evidence.dataset.loaded = "";
}
const startAll = () => document.querySelectorAll(".evidence").forEach(start);
document.addEventListener("htmx:after:swap", startAll);
startAll();
