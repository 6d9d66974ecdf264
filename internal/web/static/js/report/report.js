// The page of a report: its forms are sent, and its links to forms followed, without loading the page. Of the answer, the parts that
// have another version replace those that are shown. Unsent texts stay, and so does evidence until the reader asks for what is new.
import "./changes.js";
import "./forms.js";
import "./entries.js";
import "./copying.js";
import "./card.js";
import "./originals.js";
import "./reactions.js";
