// The rows of a list, and the report of a page.
export const list = () => document.querySelector(".results");
// Rows of a group that is folded are not there for the keys.
export const rows = () => [...document.querySelectorAll(".row")].filter((row) => !row.closest("[data-folded]"));
/** @param {EventTarget | null} element */
export const rowOf = (element) => element?.closest?.(".row");
export const report = () => document.querySelector(".report"); // of the page of one report
/** @param {EventTarget | null} element */
export const recordOf = (element) => element?.closest?.(".row, .report") ?? (element?.closest?.(".pane-bar") ? report() : null);
/** @param {Found} row */
export const box = (row) => row.querySelector("[name=items]");
/** @param {Found} row */
export const isSelected = (row) => row.hasAttribute("data-selected");
/** @param {Found | null | undefined} row */
export const focusRow = (row) => row?.querySelector(".row-title").focus();

// current returns the row with the focus, or that of the report beside the list.
export const current = () =>
  rowOf(document.activeElement) ?? (document.activeElement.closest?.("#pane") ? document.querySelector(".row[data-shown]") : null);

/**
 * changes says whether a form changes reports of the list, so that the rows of these alone are the answer.
 * @param {EventTarget} form
 */
export const changes = (form) => Boolean(list())
  && (form.id === "change" || Boolean(form.querySelector("[data-undo]")) && form.elements.next.value.split("?")[0] === location.pathname);
