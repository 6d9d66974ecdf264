// The events by which modules speak to each other. Each is dispatched here, and TypeScript checks its details and those that listen.

/**
 * Details are the details of each event.
 *
 * - shortcut: a single key that is a command. The module that has the command cancels the event.
 * - session:ended: a request was refused for want of a session; again sends it again.
 * - session:resumed: the live stream has a session again.
 * - session:closed: the dialog for the password was closed, with a session again or without one.
 * - session:resume: the reader has signed in by the dialog.
 * - reports:changed: the references of the reports that the reader has changed, once the list shows them.
 * - reports:put: a row of a list with an order, which has to be put in its place.
 * - reports:move: a card was dropped on a status.
 * - live:change: somebody has changed a report.
 * - live:inbox: the notices of the reader have changed.
 * - live:reload: changes are missing.
 * - live:replaced: an element that has replaced an older version.
 * - live:page: a page of the report that is shown, which others have changed.
 * - own:page: a page of the report that is shown, which the reader has changed.
 * - parts:shown: parts of the page were replaced or added.
 * - notice:shown: a notice was added to the page.
 * - annotate: the reader wants to annotate a picture.
 * - preview:failed: the server has not answered with a preview.
 * - upload:failed: a file was not uploaded, with what the server says about it.
 * - evidence:rows: a panel has more rows.
 * - evidence:seek: the reader has chosen a time, in milliseconds since the epoch.
 * - evidence:time: the replay is at a time, in milliseconds since the epoch.
 *
 * @typedef {{
 *   "shortcut": { key: string, shiftKey: boolean },
 *   "session:ended": { again?: () => void },
 *   "session:resumed": null,
 *   "session:closed": { resumed: boolean },
 *   "session:resume": null,
 *   "reports:changed": string[],
 *   "reports:put": HTMLElement,
 *   "reports:move": { card: Found, status: string },
 *   "live:change": { reference: string, version: number, kind: string },
 *   "live:inbox": null,
 *   "live:reload": null,
 *   "live:replaced": HTMLElement,
 *   "live:page": Document,
 *   "own:page": Document,
 *   "parts:shown": null,
 *   "notice:shown": null,
 *   "annotate": Picture,
 *   "preview:failed": null,
 *   "upload:failed": string | undefined,
 *   "evidence:rows": null,
 *   "evidence:seek": { time: number },
 *   "evidence:time": { time: number },
 * }} Details
 */

/**
 * A picture that is annotated: its file without marks, and what follows.
 * @typedef {object} Picture
 * @property {File} file
 * @property {string} name
 * @property {import("./writing/annotate.js").Mark[]} marks
 * @property {Found} template of the dialog
 * @property {(file: File, marks: import("./writing/annotate.js").Mark[], dialog: Found) => void} done
 * @property {() => void} refused the browser cannot read the picture
 */

/**
 * dispatch dispatches an event, and returns whether nobody has cancelled it.
 * @template {keyof Details} Name
 * @param {EventTarget} target
 * @param {Name} name
 * @param {Details[Name]} [detail]
 */
export function dispatch(target, name, detail) {
  return target.dispatchEvent(new CustomEvent(name, { bubbles: true, cancelable: name === "shortcut", detail }));
}
