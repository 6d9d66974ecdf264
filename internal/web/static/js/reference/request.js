// What a form says, as a request and as the line of curl that sends the same.

/**
 * @typedef {{ name: string, in: string, values: string[], list?: boolean }} Param
 * @typedef {{ method: string, path: string, params: Param[], accept?: string, body?: string, file?: File, key: string }} Said
 */

/**
 * pathOf returns the path of a request, with its query. A parameter without a value is left out, and one of the path is its name in
 * braces.
 * @param {Said} said
 */
export function pathOf({ path, params }) {
  const query = new URLSearchParams();
  for (const { name, in: place, values, list } of params) {
    if (place === "path" && values.length > 0) path = path.replace(`{${name}}`, () => encodeURIComponent(values[0]));
    if (place !== "query" || values.length === 0) continue;
    if (list) query.set(name, values.join(","));
    else for (const value of values) query.append(name, value);
  }
  return path + (query.size > 0 ? `?${query}` : "");
}

/**
 * headersOf returns the names and values of the headers of a request.
 * @param {Said} said
 * @returns {[string, string][]}
 */
export function headersOf({ params, accept, body, key }) {
  /** @type {[string, string][]} */
  const headers = [];
  if (key) headers.push(["Authorization", `Bearer ${key}`]);
  if (accept) headers.push(["Accept", accept]);
  if (body) headers.push(["Content-Type", "application/json"]);
  for (const { name, in: place, values } of params)
    if (place === "header" && values.length > 0) headers.push([name, values[0]]);
  return headers;
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const fileName = (name) => `file=@"${name.replace(/["\\]/g, "\\$&")}"`;

/**
 * curl returns the line that sends a request. It names the key as $BUGSLICE_TOKEN, unless it has it.
 * @param {Said} said
 * @param {string} origin
 * @param {boolean} withKey
 */
export function curl(said, origin, withKey) {
  const parts = ["curl"];
  if (said.method !== "GET") parts.push(`-X ${said.method}`);
  parts.push(withKey && said.key ? `-H ${quoted(`Authorization: Bearer ${said.key}`)}` : `-H "Authorization: Bearer $BUGSLICE_TOKEN"`);
  for (const [name, value] of headersOf({ ...said, key: "" })) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (said.body) parts.push(`--data-raw ${quoted(said.body)}`);
  if (said.file) parts.push(`-F ${quoted(fileName(said.file.name))}`);
  return [...parts, quoted(origin + pathOf(said))].join(" ");
}
