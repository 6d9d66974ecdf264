// The list of reports.
import "./completion.js";
import "./recent.js";
import "./stale.js";
import "./split.js";
