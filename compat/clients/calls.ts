// Calls, without a cast, the operations that pages, pipelines and agents need, and holds each answer against the document with ajv in
// its strict mode: records with every nullable member null and set, problems, and Markdown.
import fs from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import createClient, { type Middleware } from "openapi-fetch"
import type { components, paths } from "../gen/schema"

type Status = components["schemas"]["Status"]
type Result = components["schemas"]["BatchResult"]

const document = JSON.parse(fs.readFileSync("gen/openapi.json", "utf8"))
const ajv = new Ajv2020({ strict: true, allErrors: true })
formats.default(ajv)
ajv.addKeyword({ keyword: "x-extensible-enum", schemaType: "array" })
ajv.addVocabulary(Object.keys(document))
ajv.addSchema(document, "document")
for (const name of Object.keys(document.components.schemas)) ajv.getSchema(`document#/components/schemas/${name}`)

const step = (name: string) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))
const called = new Map<string, Set<number>>()
const holds: Middleware = {
  async onResponse({ request, response, schemaPath }) {
    const method = request.method.toLowerCase(), operation = document.paths[schemaPath][method]
    called.set(operation.operationId, (called.get(operation.operationId) ?? new Set()).add(response.status))
    const declared = operation.responses[response.status]
    const at = declared?.$ref ?? `#/paths/${step(schemaPath)}/${method}/responses/${response.status}`
    const content = declared?.$ref ? document.components.responses[declared.$ref.split("/").pop()].content : declared?.content
    const media = response.headers.get("content-type")?.split(";")[0]
    if (!declared || (media ? !content?.[media] : content))
      throw new Error(`${method} ${request.url}: ${response.status} ${media} is not in the document`)
    if (!media?.endsWith("json")) return
    const valid = ajv.getSchema(`document${at}/content/${step(media)}/schema`)!
    if (!valid(await response.clone().json()))
      throw new Error(`${method} ${request.url}: ${response.status} ${ajv.errorsText(valid.errors)}`)
  },
}
const clientOf = (token: string) => {
  const client = createClient<paths>({ baseUrl: process.env.URL, headers: { Authorization: `Bearer ${token}` } })
  client.use(holds)
  return client
}
const { GET, POST, PATCH, DELETE } = clientOf(process.env.TOKEN!)

const equal = (what: string, got: unknown, expected: unknown) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${what}: ${a}, want ${b}`)
}
const ok = async <T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> => {
  const { data, error, response } = await call
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(error)}`)
  return data as T
}
const refused = async (status: number, code: string, call: Promise<{ error?: { code: string }; response: Response }>) => {
  const { error, response } = await call
  equal(`${response.url}`, [response.status, error?.code], [status, code])
}

// A workspace and its spaces, members and labels.
const me = await ok(GET("/v1/me"))
const workspaceId = (await ok(GET("/v1/workspaces"))).data[0].id
const inWorkspace = { path: { workspaceId } }
const space = await ok(POST("/v1/workspaces/{workspaceId}/spaces", { params: inWorkspace, body: { name: "Checkout" } }))
const inSpace = { path: { workspaceId, spaceId: space.id } }
equal("space", (await ok(GET("/v1/workspaces/{workspaceId}/spaces/{spaceId}", { params: inSpace }))).name, "Checkout")
equal("renamed", (await ok(PATCH("/v1/workspaces/{workspaceId}/spaces/{spaceId}", { params: inSpace, body: { name: "Cart" } }))).name,
  "Cart")
equal("members", (await ok(GET("/v1/workspaces/{workspaceId}/members", { params: { ...inWorkspace, query: { q: "a" } } }))).data.length, 1)

// A report with every member, of two occurrences with evidence, and one with none.
const at = new Date().toISOString()
const full = await ok(POST("/v1/slices", { params: { query: { hints: true } }, body: {
  summary: "Checkout does nothing", description: "**Twice**", status: "resolved",
    resolution: "duplicate", priority: "urgent", severity: "blocker",
  labels: ["checkout"], assigneeId: me.id, spaceId: space.id, sourceUrl: "https://shop.example.com/cart",
  environment: { browser: "Firefox 144", release: "2026.11.3" }, metadata: { order: "4711" }, externalId: "ci-1",
} }))
const none = await ok(POST("/v1/slices", { body: { summary: "Nothing is known",
  description: null, priority: null, severity: null, resolution: null,
  labels: null, assigneeId: null, spaceId: null, sourceUrl: null, environment: null, metadata: null, externalId: null, duplicateOfId: null,
  fingerprint: null, evidence: null } }))
equal("nulls", [none.priority, none.severity, none.resolution, none.lastOccurrence, none.redaction], [null, null, null, null, null])
const seen = () => POST("/v1/slices", { body: { summary: "TypeError in the cart",
  fingerprint: "TypeError@cart", environment: { release: "1" }, evidence: {
  console: [{ level: "error", message: "TypeError: cart is undefined", timestamp: at }],
    actions: [{ type: "click", selector: "#buy", timestamp: at }],
  replay: [{ type: 4, timestamp: Date.parse(at), data: { href: "https://shop.example.com", width: 800, height: 600 } }],
  network: { log: { version: "1.2", creator: { name: "x", version: "1" }, entries: [] } } } } })
const first = await seen(), again = await seen()
equal("occurrences", [first.response.status, again.response.status, again.data?.occurrenceCount], [201, 200, 2])
const sliceId = first.data!.id, inSlice = { path: { sliceId } }
equal("list of occurrences", (await ok(GET("/v1/slices/{sliceId}/occurrences", { params: inSlice }))).data.map((o) => o.number), [2, 1])
for (const occurrence of [undefined, 1, 2]) {
  const params = { ...inSlice, query: { occurrence } }
  equal("console", (await ok(GET("/v1/slices/{sliceId}/console", { params }))).data.map((row) => row.occurrence), [occurrence ?? 2])
  await ok(GET("/v1/slices/{sliceId}/network", { params }))
  await ok(GET("/v1/slices/{sliceId}/actions", { params }))
  await ok(GET("/v1/slices/{sliceId}/replay", { params }))
  await ok(GET("/v1/slices/{sliceId}/network.har", { params }))
}
const markdown = await ok(GET("/v1/slices/{sliceId}", { params: inSlice, headers: { Accept: "text/markdown" }, parseAs: "text" }))
if (!String(markdown).startsWith(`# ${first.data!.reference} `)) throw new Error(`Markdown: ${markdown}`)

// Lists, counts, statistics, similar reports, labels.
const list = (query: paths["/v1/slices"]["get"]["parameters"]["query"]) =>
  ok(GET("/v1/slices", { params: { query: { workspaceId, ...query } } })).then((page) => page.data.map((s) => s.id))
equal("has", await list({ has: ["console_error", "replay"] }), [sliceId])
equal("by priority", await list({ sort: "priority", reference: [none.reference, full.reference] }), [full.id, none.id])
equal("no priority", await list({ priority: ["none"], reference: [none.reference, full.reference] }), [none.id])
for (const by of ["status", "priority", "severity", "label", "assignee", "space", "release"] as const)
  await ok(GET("/v1/slices/counts", { params: { query: { workspaceId, by } } }))
const today = at.slice(0, 10)
await ok(GET("/v1/workspaces/{workspaceId}/statistics", { params: { ...inWorkspace,
  query: { from: today, to: today, timezone: "Europe/Stockholm" } } }))
equal("draft", (await ok(POST("/v1/slices/similar", { body: { workspaceId,
  summary: "TypeError in the cart", description: null, sourceUrl: null, errors: ["TypeError: cart is undefined"] } }))).data[0]?.id,
    sliceId)
await ok(GET("/v1/slices/{sliceId}/similar", { params: inSlice }))
equal("labels", (await ok(GET("/v1/workspaces/{workspaceId}/labels",
  { params: { ...inWorkspace, query: { q: "check" } } }))).data.map((l) => l.label), ["checkout"])

// Every move, one by one; a batch with a problem in its place; deletion and restoration.
const statuses: Status[] = ["open", "in_progress", "resolved", "closed"]
for (const from of statuses) for (const to of statuses) {
  await ok(PATCH("/v1/slices/{sliceId}", { params: inSlice, body: { status: from } }))
  const moved = await ok(PATCH("/v1/slices/{sliceId}", { params: inSlice, body: { status: to } }))
  equal(`${from} to ${to}`, [moved.status, moved.resolution !== null], [to, to === "resolved" || to === "closed"])
}
const gone = "slc_00000000000000000000000000"
const told = ({ results }: { results: Result[] }) => results.map((r) => r.problem?.code ?? r.slice?.status ?? r.status)
equal("batch update", told(await ok(POST("/v1/slices/batch-update", { body: { items: [
  { id: sliceId, patch: { status: "open", priority: null } }, { id: gone, patch: { status: "open" } },
  { id: none.id, ifMatch: '"999"', patch: { severity: null } }, { id: full.id, patch: { summary: "" } } ] } }))),
    ["open", "not_found", "precondition_failed", "invalid_body"])
equal("batch delete", told(await ok(POST("/v1/slices/batch-delete",
  { body: { items: [{ id: sliceId }, { id: gone }, { id: none.id, ifMatch: '"999"' }] } }))), [204, "not_found", "precondition_failed"])
equal("batch restore", told(await ok(POST("/v1/slices/batch-restore", { body: { items: [{ id: sliceId }, { id: gone }] } }))),
  ["open", "not_found"])
for (const id of [sliceId, full.id, none.id]) await ok(GET("/v1/slices/{sliceId}/activity", { params: { path: { sliceId: id } } }))
await ok(GET("/v1/events", { params: { query: { workspaceId } } }))

// Problems. A key of one scope is created for those that need one.
await refused(400, "invalid_parameter", GET("/v1/slices", { params: { query: { limit: 1000 } } }))
await refused(400, "invalid_cursor", GET("/v1/slices", { params: { query: { cursor: "x" } } }))
await refused(404, "not_found", GET("/v1/slices/{sliceId}", { params: { path: { sliceId: gone } } }))
await refused(412, "precondition_failed", PATCH("/v1/slices/{sliceId}",
  { params: { ...inSlice, header: { "If-Match": '"999"' } }, body: { priority: "low" } }))
await refused(422, "invalid_body", POST("/v1/slices", { body: { summary: "" } }))
const key = await ok(POST("/v1/api-keys", { body: { type: "pat", name: "calls", scopes: ["user:read"], expiresAt: null } }))
await refused(403, "insufficient_scope", clientOf(key.token).GET("/v1/slices"))
await refused(401, "unauthorized", clientOf("svc_pat_none").GET("/v1/me"))

await ok(DELETE("/v1/workspaces/{workspaceId}/spaces/{spaceId}", { params: inSpace }))
for (const id of [sliceId, full.id, none.id]) await ok(DELETE("/v1/slices/{sliceId}", { params: { path: { sliceId: id } } }))
const answers = [...called.values()].reduce((sum, all) => sum + all.size, 0)
console.log(`${called.size} operations, ${answers} kinds of answers`)
