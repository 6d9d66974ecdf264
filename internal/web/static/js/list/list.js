// The list of reports.
import "./completion.js";
import "./display.js";
import "./filtering.js";
import "./recent.js";
import "./stale.js";
import "./split.js";
