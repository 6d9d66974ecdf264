/**
 * element makes an element with properties, attributes and children. A text among the children stays a text.
 * @param {string} tag
 * @param {Record<string, any>} [has] properties; attributes are those with a dash, role, for and class
 * @param {...(Node | string | null | undefined)} children
 * @returns {Found}
 */
export function element(tag, has = {}, ...children) {
  const made = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(has)) {
    if (value === undefined || value === null) continue;
    if (name.includes("-") || ["class", "for", "role", "list"].includes(name)) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
