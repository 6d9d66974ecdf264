// The list of reports.
import "./completion.js";
import "./split.js";
