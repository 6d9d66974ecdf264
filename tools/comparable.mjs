// Writes an OpenAPI document so that a tool which compares documents takes no harmless change for a breaking one:
// node comparable.mjs DOCUMENT.
//   - An enum that allows null stands in its place, as a list of types, so that both forms have the same values.
//   - The message of a webhook is a response: the service sends it, so that a further member breaks no receiver.
import fs from "node:fs"

const document = JSON.parse(fs.readFileSync(process.argv[2], "utf8"))
const named = (ref) => document.components.schemas[ref?.replace("#/components/schemas/", "")]

for (const [name, { post }] of Object.entries(document.webhooks ?? {})) {
  const headers = Object.fromEntries(post.parameters.map(({ name, in: _, ...header }) => [name, header]))
  const message = { description: post.description, headers, content: post.requestBody.content }
  document.paths[`/webhooks/${name}`] = { get: { operationId: post.operationId, responses: { 200: message } } }
}
delete document.webhooks

console.log(JSON.stringify(document, (_, value) => {
  const [first, second, ...more] = value?.anyOf ?? []
  const { type, enum: values } = named(first?.$ref) ?? {}
  if (!values || second?.type !== "null" || more.length) return value
  const { anyOf, ...rest } = value
  return { ...rest, type: [type, "null"], enum: [...values, null] }
}, 2))
