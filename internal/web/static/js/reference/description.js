// The document of the API, which is read when the first form is opened.

/**
 * @typedef {{ type?: any, enum?: string[], items?: Schema, default?: any, $ref?: string, minimum?: number, maximum?: number,
 *   examples?: any[] }} Schema
 * @typedef {{ name: string, in: string, required?: boolean, description?: string, schema: Schema, style?: string,
 *   example?: any }} Described
 * @typedef {{ id: string, method: string, path: string, summary: string, params: Described[], body?: string, optional?: boolean,
 *   upload: boolean, accepts: string[] }} Operation
 */

let reading;

/** @returns {Promise<any>} */
function read() {
  reading ??= fetch("/openapi.json", { credentials: "omit" }).then((response) => {
    if (!response.ok) throw new TypeError(`The status is ${response.status}.`);
    return response.json();
  });
  reading.catch(() => { reading = undefined; });
  return reading;
}

/**
 * describe returns what the document says about an operation.
 * @param {string} id
 * @returns {Promise<Operation>}
 */
export async function describe(id) {
  const document = await read();
  for (const [path, methods] of Object.entries(document.paths)) {
    const found = Object.entries(methods).find(([, o]) => o.operationId === id);
    if (!found) continue;
    const [method, o] = found;
    const content = o.requestBody?.content ?? {}, upload = Boolean(content["multipart/form-data"]);
    const success = Object.entries(o.responses).find(([status]) => status.startsWith("2"))?.[1];
    const accepts = Object.keys(success?.content ?? {}).filter((type) => !type.includes("*"));
    const example = content["application/json"]?.example;
    return { id, method: method.toUpperCase(), path, summary: o.summary, upload, accepts,
      params: (o.parameters ?? []).filter(({ name }) => !upload || !name.startsWith("Content-"))
        .map((p) => ({ ...p, schema: resolve(document, p.schema), example: p.example ?? exampleOf(document, p) })),
      optional: o.requestBody?.required === false, body: example === undefined ? undefined : JSON.stringify(example, null, 2) };
  }
  throw new TypeError("The document does not have the operation.");
}

// resolve returns a schema with the enums that it names.
function resolve(document, schema) {
  if (schema.$ref) return { ...document.components.schemas[schema.$ref.split("/").pop()], ...schema };
  return schema.items ? { ...schema, items: resolve(document, schema.items) } : schema;
}

// exampleOf returns the identifier that a parameter of the same name has as its example in a path.
function exampleOf(document, { name, in: place }) {
  if (place !== "query") return undefined;
  for (const methods of Object.values(document.paths))
    for (const o of Object.values(methods)) {
      const same = o.parameters?.find((p) => p.in === "path" && p.name === name);
      if (same) return same.example;
    }
}
