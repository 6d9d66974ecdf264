// The evidence of a report: its panels, its pictures and its replay.
import "./panels.js";
import "./player.js";
import "./pictures.js";
