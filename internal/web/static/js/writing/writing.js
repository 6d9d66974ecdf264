// Editors of Markdown and forms with files.
import "./annotate.js";
import "./editor.js";
import "./fileform.js";
import "./markdown.js";
import "./mentions.js";
import "./newreport.js";
