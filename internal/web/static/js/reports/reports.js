// Reports: the selection of a list, the menus that change the selected reports or one report, and the keyboard. The modules listen in
// this order.
import "./changequeue.js";
import "./selection.js";
import "./menus.js";
import "./choices.js";
import "./answers.js";
import "./rendering.js";
import "./notices.js";
import "./commands.js";
import "./rowmenu.js";
