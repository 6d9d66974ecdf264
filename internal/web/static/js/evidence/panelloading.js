// The rows of a panel are loaded in pieces.
import { dispatch, pageOf } from "../app.js";
import { applyFilter, filterRows, setPressed, showCount } from "./panelfilter.js";
import { addRows, groupsOf, idle, listOf, maxRows, mergeSeam, panelsOf, rest, sizeGroup, stateOf } from "./panelrows.js";

export async function fetchPanel(address) {
  const answer = await fetch(address, { headers: { "HX-Request-Type": "partial", "HX-Target": "panel", Accept: "text/html" } });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const panel = (await pageOf(answer)).querySelector(".panel");
  if (!panel) throw new Error("the session has ended");
  return document.adoptNode(panel);
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

export async function loadRows(panel, limit) {
  const state = stateOf(panel);
  if (state.loading) return state.loading;
  state.loading = (async () => {
    for (let link; (link = panel.querySelector("[data-more]")) && state.rows.length < limit;) {
      const piece = await fetchPanel(link.href);
      await rest();
      await appendPiece(panel, piece);
      dispatch(panel, "evidence:rows");
      await idle();
      if (!panel.isConnected) return;
    }
    showCount(panel);
  })().catch(() => {}).finally(() => { state.loading = null; }); // the link to more rows stays
  return state.loading;
}

// A panel that begins after its first row, or has only some of them, is replaced by the one with all rows.
export async function loadPanel(evidence, name) {
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
  dispatch(panel, "evidence:rows");
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
