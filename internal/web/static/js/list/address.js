// The address of a list with a report beside it: the parameter open names the report, and the parameters that the list does not have are
// those of the report's page.
const listParameters = ["workspace", "q", "group", "cursor", "view", "open", "only"];
const reference = /^[A-Za-z][A-Za-z0-9]{1,5}-[1-9]\d*$/;

/** @param {string} name of a parameter */
export const isOfList = (name) => listParameters.includes(name);

const withQuery = (path, values) => `${path}${values.size ? `?${values}` : ""}`;

/**
 * openedIn returns the path and query of the report that the query of an address opens, empty for none.
 * @param {string} search
 */
export function openedIn(search) {
  const values = new URLSearchParams(search);
  const open = values.get("open") ?? "";
  for (const name of listParameters) values.delete(name);
  return reference.test(open) ? withQuery(`/${open}`, values) : "";
}

/**
 * addressWith returns the address of a list with the report of a path and query beside it, or with none.
 * @param {{ pathname: string, search: string }} list
 * @param {string} path
 */
export function addressWith(list, path) {
  const values = new URLSearchParams(list.search);
  for (const name of [...values.keys()]) if (name === "open" || !isOfList(name)) values.delete(name);
  if (path) {
    const [report, query] = path.split("?");
    values.set("open", report.slice(1));
    for (const [name, value] of new URLSearchParams(query)) if (!isOfList(name)) values.append(name, value);
  }
  return withQuery(list.pathname, values);
}
