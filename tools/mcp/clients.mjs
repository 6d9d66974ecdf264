// Lets clients of others call the tools of agents, over HTTP and on standard input: node clients.mjs BINARY.
// Each calls a tool, and makes a call that must be refused.
import { execFile, spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { Client as NewClient, StreamableHTTPClientTransport as NewHTTP } from "@modelcontextprotocol/client"
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as OldHTTP } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

const binary = path.resolve(process.argv[2])
process.chdir(import.meta.dirname)
const run = promisify(execFile)
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bugslice-mcp-"))
const listen = "127.0.0.1:18795", url = `http://${listen}`, endpoint = url + "/mcp"
const bin = (name) => path.resolve("node_modules/.bin", name)
const version = (name) => JSON.parse(fs.readFileSync(`node_modules/${name}/package.json`)).version

const first = await run(binary, ["bootstrap", "--data", dir, "--org", "Acme", "--email", "ada@acme.example", "--workspace", "Web"])
const token = first.stdout.match(/svc_pat_\w+/)[0]
const server = spawn(binary, ["serve", "--data", dir, "--listen", listen, "--rate-limit", "off", "--min-free-disk", "0"],
  { stdio: "ignore" })
process.on("exit", () => { server.kill(); fs.rmSync(dir, { recursive: true, force: true }) })
for (let i = 0; !(await fetch(url + "/readyz").then((r) => r.ok, () => false)); i++) {
  if (i === 100) throw new Error("the server does not answer")
  await new Promise((done) => setTimeout(done, 100))
}

const headers = { Authorization: `Bearer ${token}` }
const expect = (name, what, text, part) => {
  if (!text.includes(part)) throw new Error(`${name}: ${what} lacks ${JSON.stringify(part)}: ${text.slice(0, 500)}`)
}
const textOf = (result) => (result.isError ? "refused: " : "") + result.content.map((c) => c.text ?? "").join("")

let revision = "" // of the last client that says it

// use files a report, finds it and makes a call that must be refused.
const use = async (name, client, transport) => {
  await client.connect(transport)
  revision = client.getNegotiatedProtocolVersion?.() ?? ""
  const { tools } = await client.listTools()
  expect(name, "the list", tools.map((t) => t.name).join(" "), "create_report fetch find_reports")
  const summary = `Filed by ${name}`
  const filed = await client.callTool({ name: "create_report", arguments: { summary } })
  expect(name, "the answer", textOf(filed), `"created":true`)
  const found = await client.callTool({ name: "find_reports", arguments: { text: name } })
  expect(name, "the list", textOf(found), "`" + summary + "`")
  const refused = await client.callTool({ name: "update_report", arguments: { ref: "WEB-1", assignee: "Somebody Unknown" } })
  expect(name, "the refusal", textOf(refused), "refused: Nothing is changed.")
  await client.close()
}

const clients = {
  "@modelcontextprotocol/client": async (name) => {
    const http = () => new NewHTTP(new URL(endpoint), { requestInit: { headers } })
    await use(name, new NewClient({ name, version: "1" }), http())
    const newest = new NewClient({ name, version: "1" }, { versionNegotiation: { mode: "auto" } })
    await use(name + " newest", newest, http())
    expect(name, "the revision", revision, "2026-07-28")
    const stranger = new NewHTTP(new URL(endpoint), { requestInit: { headers: { Authorization: "Bearer svc_pat_x" } } })
    const refusal = await new NewClient({ name, version: "1" }).connect(stranger).then(() => "connected", String)
    expect(name, "the refusal of a wrong key", refusal, "A valid API key is required")
  },
  "@modelcontextprotocol/sdk": (name) =>
    use(name, new OldClient({ name, version: "1" }), new OldHTTP(new URL(endpoint), { requestInit: { headers } })),
  "bugslice mcp": async (name) => {
    const env = { ...process.env, BUGSLICE_URL: url, BUGSLICE_TOKEN: token }
    const start = (...args) => new StdioClientTransport({ command: binary, args: ["mcp", ...args], env })
    await use(name, new OldClient({ name, version: "1" }), start())
    await use(name + " newest", new NewClient({ name, version: "1" }, { versionNegotiation: { mode: "auto" } }),
      new NewStdio({ command: binary, args: ["mcp"], env }))
    expect(name, "the revision", revision, "2026-07-28")
    const reader = new OldClient({ name, version: "1" })
    await reader.connect(start("--read-only"))
    const listed = (await reader.listTools()).tools.map((t) => t.name).join(" ")
    if (listed !== "fetch find_reports get_evidence get_report list_workspaces release_report search")
      throw new Error(`${name} --read-only has ${listed}`)
    await reader.close()
  },
  "mcp-remote": (name) =>
    use(name, new OldClient({ name, version: "1" }), new StdioClientTransport({ command: process.execPath, stderr: "ignore",
      args: ["node_modules/mcp-remote/dist/proxy.js", endpoint, "--transport", "http-only", "--header",
        "Authorization: Bearer ${TOKEN}"], env: { ...process.env, TOKEN: token, MCP_REMOTE_CONFIG_DIR: dir } })),
  mcporter: async (name) => {
    const call = (tool, input) => run(bin("mcporter"), ["call", "--http-url", endpoint, "--allow-http", "--no-oauth", "--header",
      `Authorization=Bearer ${token}`, "--name", "bugslice", "--tool", tool, "--args", JSON.stringify(input)],
      { cwd: dir, timeout: 60_000 }).then((r) => r.stdout, (e) => e.stdout + e.stderr)
    expect(name, "the answer", await call("find_reports", { text: "filed" }), "Next: get_report")
    expect(name, "the refusal", await call("find_reports", { txt: "filed" }), "find_reports takes")
  },
  "@modelcontextprotocol/inspector": async (name) => {
    const call = (...more) => run(bin("mcp-inspector"), ["--cli", endpoint, "--transport", "http", "--header",
      `Authorization: Bearer ${token}`, "--method", ...more], { cwd: dir, timeout: 60_000 })
      .then((r) => r.stdout, (e) => e.stdout + e.stderr)
    expect(name, "the list", await call("tools/list"), "release_report")
    expect(name, "the prompts", await call("prompts/list"), "reproduce_and_fix")
    expect(name, "the answer", await call("tools/call", "--tool-name", "get_report", "--tool-arg", "ref=WEB-1"), "# WEB-1")
    expect(name, "the refusal", await call("tools/call", "--tool-name", "get_report", "--tool-arg", "ref=WEB-99"),
      `"isError": true`)
  },
}

const names = process.argv.slice(3)
for (const [name, test] of Object.entries(clients)) {
  if (names.length > 0 && !names.includes(name)) continue
  await test(name)
  console.log(`ok  ${name}${name.startsWith("bugslice") ? "" : " " + version(name)}`)
}
process.exit(0)
