/**
 * follows says whether a click on a link replaces the page.
 * @param {MouseEvent} event
 * @param {Found} link
 */
export const follows = (event, link) => !(link.target || event.button || event.ctrlKey || event.metaKey || event.shiftKey);
