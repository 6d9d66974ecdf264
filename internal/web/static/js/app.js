// What every page does. The scripts of single pages, which are loaded with them, import from here.
import "./copy.js";
import "./drafts.js";
import "./gate.js";
import "./key.js";
import "./keyboard.js";
import "./modal.js";
import "./navigation.js";
import "./neighbours.js";
import "./newreport.js";
import "./reports/reports.js";
import "./palette/opening.js";
import "./session.js";
import "./sidebar.js";
import "./live/live.js";

export { copyText, showOn } from "./clipboard.js";
export { drafts } from "./draftstore.js";
export { dispatch } from "./events.js";
export { folded } from "./folding.js";
export { follows } from "./links.js";
export { encoded, minimal, pageOf, pageOfUpload, partial } from "./page.js";
export { recent } from "./recent.js";
export { chosen } from "./reports/menus.js";
export { isSelected } from "./reports/rows.js";
export { loadSheet } from "./sheets.js";
