// showCounts shows the counts of a fetched page of the list: of its reports, its groups and its tabs.
export function showCounts(page) {
  const show = (former, next) => {
    if (former && next && former.textContent !== next.textContent) former.replaceChildren(...next.cloneNode(true).childNodes);
  };
  show(document.querySelector(".total"), page.querySelector(".total"));
  const [former, next] = [document, page].map((of) => of.getElementById("others"));
  former?.replaceWith(next ?? "");
  for (const { dataset: { group } } of document.querySelectorAll("[data-group]")) {
    const counted = `[data-group="${group}"] .group-count`;
    show(document.querySelector(counted), page.querySelector(counted));
  }
  const tabs = page.querySelectorAll(".list-tabs .number");
  document.querySelectorAll(".list-tabs .number").forEach((tab, i) => show(tab, tabs[i]));
}
