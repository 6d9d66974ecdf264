// An agent calls three tools of an OpenAPI-to-MCP bridge: it lists reports, files one, and reads it.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

const transport = new StdioClientTransport({
  command: process.execPath,
  args: ["node_modules/@ivotoby/openapi-mcp-server/bin/mcp-server.js",
    "-u", process.env.URL, "-s", "gen/openapi.json", "-H", `Authorization:Bearer ${process.env.TOKEN}`],
})
const client = new Client({ name: "compat", version: "1" })
await client.connect(transport)
const { tools } = await client.listTools()
const call = async (name, input) => {
  const tool = tools.find((t) => t.name === name)
  if (!tool) throw new Error(`no tool ${name} among ${tools.map((t) => t.name).join(" ")}`)
  const answer = await client.callTool({ name: tool.name, arguments: input })
  if (answer.isError) throw new Error(`${tool.name}: ${answer.content[0].text}`)
  return JSON.parse(answer.content[0].text)
}
const made = await call("crt-slice", { summary: "Filed by an agent", labels: ["agent"] })
const read = await call("get-slice", { sliceId: made.id })
const list = await call("lst-slices", { status: ["open", "in_progress"], limit: 5 })
if (!list.data.some((r) => r.id === made.id) || read.id !== made.id) throw new Error("the report is not listed")
await client.close()
console.log(`openapi-mcp-server: ${tools.length} tools; a report is filed and listed`)
