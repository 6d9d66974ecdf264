import { element } from "./element.js";
import { listOf } from "./seen.js";

/** @typedef {import("./description.js").Described} Described */

const first = 6; // parameters of the query that are shown before the rest is asked for

let count = 0;

/**
 * fieldsOf makes the fields of parameters: those of the path, the first of the query, and the others folded.
 * @param {Described[]} params
 */
export function fieldsOf(params) {
  const rest = params.filter((p) => p.in === "header" || p.name.startsWith("not["));
  const shown = params.filter((p) => !rest.includes(p)).sort((a, b) => Number(b.in === "path") - Number(a.in === "path"));
  const inPath = shown.filter((p) => p.in === "path").length;
  if (shown.length > inPath + first + 2) rest.unshift(...shown.splice(inPath + first));
  const fields = element("div", { class: "fields" }, ...shown.map(field));
  if (rest.length === 0) return [fields];
  return [fields, element("details", { class: "more" }, element("summary", {}, `More parameters (${rest.length})`),
    element("div", { class: "fields" }, ...rest.map(field)))];
}

/**
 * field makes the field of a parameter, with its type, default and description.
 * @param {Described} param
 */
function field(param) {
  const id = `param-${++count}`, { schema } = param;
  const values = schema.items?.enum;
  const hint = element("p", { id: `${id}-hint`, class: "hint" }, ...wordsOf(param));
  const fault = element("p", { id: `${id}-fault`, class: "fault", hidden: true });
  const kind = element("span", { class: "kind" }, kindOf(param));
  const has = { "data-param": param.name, "data-in": param.in };
  if (values) {
    const boxes = values.map((value) => element("label", {}, element("input", { type: "checkbox", value }), value));
    return element("fieldset", { ...has, "data-kind": "several", "aria-describedby": `${id}-hint ${id}-fault` },
      element("legend", {}, element("code", {}, param.name), " ", kind), element("div", { class: "boxes" }, ...boxes), fault, hint);
  }
  const control = controlOf(param);
  control.id = id;
  control.setAttribute("aria-describedby", `${id}-hint ${id}-fault`);
  return element("div", { class: "field", ...has, "data-kind": kindOfField(param) },
    element("label", { for: id }, element("code", {}, param.name), " ", kind), control, fault, hint);
}

// wordsOf returns the description of a parameter with its code. That of a list says how its values are separated, which the field says.
function wordsOf({ description = "", schema }) {
  const words = schema.items?.enum ? description.replace(/ Several values are separated by commas.*$/, "") : description;
  return words.split("`").map((part, i) => i % 2 ? element("code", {}, part) : part);
}

/** @param {Described} param */
const kindOfField = ({ schema, style }) => style === "deepObject" ? "pairs" : schema.type === "array" ? "list" : "one";

/** @param {Described} param */
function controlOf({ schema, style, example, required, in: place }) {
  const choices = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : undefined);
  if (choices) {
    const none = schema.default === undefined ? "not sent" : `not sent (${schema.default})`;
    return element("select", {}, element("option", { value: "" }, none), ...choices.map((value) => element("option", { value }, value)));
  }
  if (style === "deepObject") return element("textarea", { rows: 2, placeholder: "orderId=4711", spellcheck: false });
  const placeholder = place === "path" ? example : String(schema.default ?? schema.examples?.[0] ?? "");
  return element("input", { type: "text", inputMode: schema.type === "integer" ? "numeric" : undefined, placeholder, spellcheck: false,
    autocomplete: "off", autocapitalize: "off", list: listOf(example), "aria-required": required ? "true" : undefined });
}

/** @param {Described} param */
function kindOf({ schema, style, required, in: place }) {
  const { minimum, maximum } = schema;
  const type = style === "deepObject" ? "a line name=value for each" : schema.type === "array" ? "several, with commas" :
    schema.type === "integer" && maximum < 2 ** 31 - 1 ? `integer from ${minimum} to ${maximum}` : schema.type;
  return [schema.items?.enum ? "several" : type, place === "header" ? "header" : "", required ? "required" : "",
    schema.default === undefined ? "" : `default ${schema.default}`].filter(Boolean).join(", ");
}

/**
 * valuesOf returns what the fields of a form say.
 * @param {Found} form
 * @returns {import("./request.js").Param[]}
 */
export function valuesOf(form) {
  return [...form.querySelectorAll("[data-param]")].flatMap((field) => {
    const { param: name, in: place, kind } = field.dataset;
    if (kind === "several")
      return [{ name, in: place, list: true, values: [...field.querySelectorAll("input:checked")].map(({ value }) => value) }];
    const text = field.querySelector("input, select, textarea").value.trim();
    if (kind !== "pairs") return [{ name, in: place, values: text ? [text] : [] }];
    return text.split("\n").filter(Boolean).map((line) => {
      const [member, ...value] = line.split("=");
      return { name: `${name}[${member.trim()}]`, in: place, values: [value.join("=").trim()] };
    });
  });
}

/**
 * mark shows what was refused at the fields that it is about, and takes away what was shown before. It returns the first such field.
 * @param {Found} form
 * @param {{ parameter?: string, detail: string }[]} faults
 */
export function mark(form, faults) {
  let first;
  for (const field of form.querySelectorAll("[data-param]")) {
    const { param } = field.dataset;
    const found = faults.find(({ parameter }) => parameter === param || parameter?.startsWith(`${param}[`));
    const control = field.querySelector("input, select, textarea"), message = field.querySelector(".fault");
    message.textContent = found?.detail ?? "";
    message.hidden = !found;
    if (found) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
    if (!found) continue;
    for (let folded = field.closest("details:not([open])"); folded; folded = folded.parentElement.closest("details:not([open])"))
      folded.open = true;
    first ??= control;
  }
  return first;
}
