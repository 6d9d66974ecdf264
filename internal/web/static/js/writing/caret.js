// Where the caret of a text field is.
const copied = ["boxSizing", "width", "paddingTop", "paddingRight", "paddingBottom", "paddingLeft", "borderTopWidth", "borderRightWidth",
  "borderBottomWidth", "borderLeftWidth", "borderStyle", "fontFamily", "fontSize", "fontWeight", "fontFeatureSettings", "letterSpacing",
  "lineHeight", "tabSize", "wordSpacing"];

/**
 * caretAt returns the place below a character of a field, from the corner of what the field is placed in.
 * @param {Found} field
 * @param {number} index
 */
export function caretAt(field, index) {
  const mirror = document.createElement("div"), mark = document.createElement("span"), style = getComputedStyle(field);
  for (const name of copied) mirror.style[name] = style[name];
  Object.assign(mirror.style, { position: "absolute", top: "0", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "break-word" });
  mark.textContent = field.value.slice(index) || ".";
  mirror.append(field.value.slice(0, index), mark);
  document.body.append(mirror);
  const { offsetLeft: left, offsetTop: top } = mark, line = parseFloat(style.lineHeight) || 20;
  mirror.remove();
  return { left: field.offsetLeft + left, top: field.offsetTop + top + line - field.scrollTop };
}
