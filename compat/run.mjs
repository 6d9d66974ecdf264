// Drives the program with the tools that users bring, and writes docs/compat.md: node run.mjs BINARY.
import { execFile, spawn } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"

process.chdir(import.meta.dirname)
const binary = path.resolve(process.env.INIT_CWD ?? "..", process.argv[2])
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bugslice-compat-"))
const run = promisify(execFile)
const url = "http://127.0.0.1:18790", proxy = "http://127.0.0.1:18791"
const bin = (name) => path.join("node_modules/.bin", name)
const version = (name) => JSON.parse(fs.readFileSync(`node_modules/${name}/package.json`)).version
const children = []
const start = (command, args) => children.push(spawn(command, args, { stdio: "ignore" }))
const reachable = async (address) => {
  for (let i = 0; i < 120; i++) {
    if (await fetch(address).then(() => true, () => false)) return
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`${address} does not answer`)
}

const first = await run(binary, ["bootstrap", "--data", dir, "--org", "Acme", "--email", "ada@acme.example", "--workspace", "Web"])
const env = { ...process.env, URL: url, TOKEN: first.stdout.match(/svc_pat_\w+/)[0],
  REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
start(binary, ["serve", "--data", dir, "--listen", "127.0.0.1:18790", "--base-url", url, "--rate-limit", "off"])
const command = async (name, args, more = {}) => {
  const { stdout } = await run(name, args, { env: { ...env, ...more }, timeout: 600_000, maxBuffer: 64 << 20, cwd: more.cwd })
  return stdout.trim()
}
const client = (name, more) => command(bin("tsx"), [`clients/${name}.ts`], more)

// portman sends each query parameter with a value of its own, unless it is told the names, those of an object by its members.
const portmanConfig = (document) => {
  const names = new Set()
  for (const methods of Object.values(document.paths))
    for (const operation of Object.values(methods))
      for (const p of operation.parameters ?? []) if (p.in === "query")
        for (const member of p.style === "deepObject" ? Object.keys(p.example) : [""]) names.add(p.name + (member && `[${member}]`))
  const checks = { statusSuccess: { enabled: true }, contentType: { enabled: true },
    jsonBody: { enabled: true }, schemaValidation: { enabled: true } }
  return {
    version: 1.0, globals: { securityOverwrites: { bearer: { token: env.TOKEN } } },
    tests: { contractTests: [{ openApiOperation: "*::/*", ...checks }] },
    overwrites: [{ openApiOperation: "*::/*", overwriteRequestQueryParams: [...names].map((key) => ({ key, disable: true })) }],
  }
}

const calls = "lists two statuses, pages, creates, patches, uploads and deletes"
const steps = [
  ["Redocly", version("@redocly/cli"), "valid", async () => {
    await command(bin("redocly"), ["lint", "gen/openapi.json"])
    return "valid"
  }],
  ["Spectral, `spectral:oas`", version("@stoplight/spectral-cli"), "fails on three schemas that were lists of all types", async () => {
    await command(bin("spectral"), ["lint", "--fail-severity", "warn", "--ruleset", "spectral.yaml", "gen/openapi.json"])
    return "no error, no warning"
  }],
  ["openapi-typescript + openapi-fetch", `${version("openapi-typescript")}, ${version("openapi-fetch")}`,
    "400 for two statuses, which it repeats", async () => {
      await command(bin("openapi-typescript"), ["gen/openapi.json", "-o", "gen/schema.d.ts"])
      await client("openapi-fetch")
      return calls
    }],
  ["ajv, strict", version("ajv"), "not tried", async () => {
    await command(bin("tsc"), ["-p", "tsconfig.json"])
    return `each answer is valid: ${await client("calls")}; the calls compile without a cast`
  }],
  ["@hey-api/openapi-ts", version("@hey-api/openapi-ts"), "an upload is stored as `[object Object]`, with 201", async () => {
    await command(bin("openapi-ts"), ["-i", "./gen/openapi.json", "-o", "gen/hey", "-c", "@hey-api/client-fetch"])
    await client("hey-api")
    return calls
  }],
  ["orval", version("orval"), "a form that it does not encode is stored as `[object Object]`, with 201", async () => {
    await command(bin("orval"), ["--config", "orval.config.json"])
    await client("orval")
    return `${calls}; it uploads a Blob, because it does not encode the form: its \`[object Object]\` is refused`
  }],
  ["oapi-codegen", "2.8.2", "fails on the three schemas", async () => {
    const cwd = "oapi-codegen"
    fs.mkdirSync(`${cwd}/client`, { recursive: true })
    await command("go", ["tool", "oapi-codegen", "-config", "config.yaml", "../gen/openapi.json"], { cwd })
    await command("go", ["run", "."], { cwd })
    return `${calls}; it needs \`skip-prune\`, because it drops the schemas that only webhooks use`
  }],
  ["ogen", "1.24.0", "generates nothing when a patch in a batch is any of two objects", async () => {
    const cwd = "ogen"
    fs.mkdirSync(`${cwd}/client`, { recursive: true })
    await command("go", ["tool", "ogen", "--target", "client", "--package", "client", "--clean", "../gen/openapi.json"], { cwd })
    await command("go", ["run", "."], { cwd })
    return `${calls}; changes several and reads problems; it refuses answers that are not what the document says`
  }],
  ["portman + newman", `${version("@apideck/portman")}, ${version("newman")}`, "four example bodies are refused with 422", async () => {
    fs.writeFileSync("gen/portman.json", JSON.stringify(portmanConfig(JSON.parse(fs.readFileSync("gen/openapi.json")))))
    await command(bin("portman"), ["--local", "gen/openapi.json", "-b",
      url, "-o", "gen/postman.json", "-c", "gen/portman.json", "--filterFile",
      "portman-filter.json", "-s", "portman-postman.json"])
    const out = await command(bin("newman"), ["run", "gen/postman.json",
      "--reporters", "json", "--reporter-json-export", "gen/newman.json"])
    const { stats } = JSON.parse(fs.readFileSync("gen/newman.json")).run
    return `${stats.requests.total} requests with the examples of the document, ${stats.assertions.total} assertions${out}`
  }],
  ["prism as a validating proxy", version("@stoplight/prism-cli"),
    "no violation of its own; the clients fail as they do without it: 400 for two statuses, `[object Object]`", async () => {
    start(bin("prism"), ["proxy", "gen/openapi.json", url, "--errors", "--port", "18791"])
    await reachable(`${proxy}/v1/me`)
    for (const name of ["openapi-fetch", "hey-api", "orval"]) await client(name, { URL: proxy })
    return "the three clients above through it, without a violation"
  }],
  ["openapi-mcp-server", version("@ivotoby/openapi-mcp-server"),
    "67 tools; a report is filed and listed with a key of a workspace, 422 with the one that bootstrap prints",
      async () => (await command("node", ["mcp.mjs"])).replace(/^.*?: /, "")],
]

let failed = false
try {
  await reachable(`${url}/readyz`)
  fs.mkdirSync("gen", { recursive: true })
  fs.writeFileSync("gen/openapi.json", await fetch(`${url}/openapi.json`).then((r) => r.text()))
  let table = "| tool | version | before | now |\n|---|---|---|---|\n"
  for (const [tool, release, before, step] of steps) {
    const now = await step().catch((e) => ((failed = true),
      `**fails**: ${String(e.stderr || e.stdout || e.message).trim().split("\n").slice(-12).join(" ").slice(0, 600)}`))
    console.log(`${tool}: ${now}`)
    table += `| ${tool} | ${release} | ${before} | ${now.replaceAll("|", "\\|")} |\n`
  }
  const page = fs.readFileSync("../docs/compat.md", "utf8")
  const [head] = page.split("<!-- table -->\n")
  fs.writeFileSync("../docs/compat.md", `${head}<!-- table -->\n\nRun on ${new Date()
    .toISOString().slice(0, 10)} with Node.js ${process.version}.\n\n${table}`)
} finally {
  for (const child of children) child.kill()
  fs.rmSync(dir, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
