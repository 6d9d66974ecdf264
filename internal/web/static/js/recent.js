// The reports that the reader has opened last in this tab, for the palette.
const most = 5;

const key = () => `recent ${document.getElementById("main")?.dataset.user ?? ""}`;

/**
 * recent returns the reports that were opened last, without the one that is shown.
 * @returns {{ path: string, title: string }[]}
 */
export function recent() {
  try {
    return (JSON.parse(sessionStorage.getItem(key())) ?? []).filter(({ path }) => path !== location.pathname).slice(0, most);
  } catch { return []; }
}

function remember() {
  const report = document.querySelector(".report[data-reference]"), title = report?.querySelector(".report-title h1")?.textContent.trim();
  if (!title) return;
  const { reference } = report.dataset, path = `/${reference}`;
  try {
    const all = [{ path, title: `${reference} ${title}` }, ...recent().filter((other) => other.path !== path)];
    sessionStorage.setItem(key(), JSON.stringify(all.slice(0, most + 1)));
  } catch { /* it is not listed */ }
}
document.addEventListener("htmx:after:swap", remember);
remember();
