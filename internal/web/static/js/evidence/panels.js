// The panels of the evidence. Without this script each tab, filter, page of rows and request is a page of its own; with it the
// panels load all rows in pieces, and filter, open and mark them in place. The address of the page has the same state.
import { applyFilter, isFailed, levelsOf } from "./panelfilter.js";
import { fetchPanel, loadPanel, loadRows } from "./panelloading.js";
import { boxOf, evidenceOf, idle, listOf, maxRows, openPanel, panelsOf, rest, stateOf } from "./panelrows.js";
import { inView, mark, seek } from "./timeline.js";

// The address of a page shows the state of its evidence. A report in a pane leaves the address to the page around it.
const ownsAddress = (evidence) => location.pathname === evidence.dataset.path;
function setAddress(evidence, change, push) {
  if (!ownsAddress(evidence)) return;
  const url = new URL(location.href);
  url.searchParams.delete("cursor");
  for (const [name, value] of Object.entries(change)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  if (url.href === location.href) return;
  if (push) history.pushState({ htmx: true }, "", url);
  else history.replaceState(history.state, "", url);
}

let addressTimer;
function filterChanged(panel) {
  applyFilter(panel);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    const evidence = evidenceOf(panel);
    if (evidence)
      setAddress(evidence, { q: panel.querySelector("[name=q]").value.trim(),
        level: levelsOf(panel).join(","), failed: isFailed(panel) ? "true" : "" });
  }, 250);
}

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
  names.sort((a, b) => Number(b === first?.dataset.panel) - Number(a === first?.dataset.panel));
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
