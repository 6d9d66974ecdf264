// Writes an OpenAPI document in which each enum that allows null stands in its place, as a list of types, so that a tool which compares
// documents sees the same values in both forms: node enums.mjs DOCUMENT.
import fs from "node:fs"

const document = JSON.parse(fs.readFileSync(process.argv[2], "utf8"))
const named = (ref) => document.components.schemas[ref?.replace("#/components/schemas/", "")]
console.log(JSON.stringify(document, (_, value) => {
  const [first, second, ...more] = value?.anyOf ?? []
  const { type, enum: values } = named(first?.$ref) ?? {}
  if (!values || second?.type !== "null" || more.length) return value
  const { anyOf, ...rest } = value
  return { ...rest, type: [type, "null"], enum: [...values, null] }
}, 2))
