// Lets the conformance suite of the protocol test the endpoint of agents: node conformance.mjs BINARY. A check may fail
// only where conformance.json says why it does not apply, and must fail there. To show that a fault is found, the suite
// also tests an endpoint whose tools have lost their schemas.
import { execFile, spawn } from "node:child_process"
import fs from "node:fs"
import http from "node:http"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"

const binary = path.resolve(process.argv[2])
process.chdir(import.meta.dirname)
const run = promisify(execFile)
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bugslice-conformance-"))
const port = 18796, listen = `127.0.0.1:${port + 1}`, url = `http://127.0.0.1:${port}`

const first = await run(binary, ["bootstrap", "--data", dir, "--org", "Acme", "--email", "ada@acme.example", "--workspace", "Web"])
const token = first.stdout.match(/svc_pat_\w+/)[0]
const server = spawn(binary, ["serve", "--data", dir, "--listen", listen, "--base-url", url, "--rate-limit", "off",
  "--min-free-disk", "0", "--insecure-http"], { stdio: "ignore" })
process.on("exit", () => { server.kill(); fs.rmSync(dir, { recursive: true, force: true }) })

// The suite sends no key. A proxy adds it, and takes the schemas of the tools away from the damaged endpoint.
http.createServer((request, response) => {
  const isDamaged = request.url.startsWith("/damaged")
  const headers = { ...request.headers, authorization: `Bearer ${token}` }
  const address = `http://${listen}${request.url.replace("/damaged", "")}`
  const forwarded = http.request(address, { method: request.method, headers }, (answer) => {
    if (!isDamaged) {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
      return
    }
    let text = ""
    answer.setEncoding("utf8").on("data", (part) => { text += part }).on("end", () => {
      response.writeHead(answer.statusCode, { "content-type": answer.headers["content-type"] ?? "text/plain" })
      response.end(text.replaceAll(`"inputSchema"`, `"lost"`))
    })
  })
  forwarded.on("error", () => response.writeHead(502).end())
  request.pipe(forwarded)
}).listen(port, "127.0.0.1")
for (let i = 0; !(await fetch(url + "/readyz").then((r) => r.ok, () => false)); i++) {
  if (i === 100) throw new Error("the server does not answer")
  await new Promise((done) => setTimeout(done, 100))
}

// check runs scenarios, and returns their checks by name, each with what was wrong, empty for nothing.
const check = async (endpoint, ...chosen) => {
  const out = fs.mkdtempSync(path.join(dir, "results-"))
  const said = await run(path.resolve("node_modules/node/bin/node"), ["node_modules/@modelcontextprotocol/conformance/dist/index.js",
    "server", "--url", endpoint, "--output-dir", out, ...chosen], { maxBuffer: 64 << 20 })
    .then((r) => r.stdout, (e) => e.stdout + e.stderr)
  const checks = new Map()
  for (const folder of fs.readdirSync(out)) {
    const scenario = folder.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "")
    for (const one of JSON.parse(fs.readFileSync(path.join(out, folder, "checks.json")))) {
      const name = `${scenario}/${one.id}`
      if (one.status === "FAILURE") checks.set(name, one.errorMessage ?? "fails")
      else if (!checks.has(name)) checks.set(name, "")
    }
  }
  if (checks.size === 0) throw new Error(`the suite tested nothing: ${said.slice(-2000)}`)
  return checks
}

const faults = []
const reasons = new Map() // why a check does not apply, by its name or that of its scenario
for (const [reason, names] of Object.entries(JSON.parse(fs.readFileSync("conformance.json")))) {
  for (const name of names) reasons.set(name, reason)
}
const used = new Set()
for (const revision of ["2025-11-25", "2026-07-28"]) {
  const checks = await check(url + "/mcp", "--requirements", revision)
  let passed = 0, excused = 0
  for (const [name, wrong] of checks) {
    const reason = [name, name.split("/")[0]].find((n) => reasons.has(n))
    if (wrong === "") passed++
    else if (reason === undefined) faults.push(`${revision} ${name}: ${wrong}`)
    else { used.add(reason); excused++ }
  }
  console.log(`${revision}: ${passed} checks passed, ${excused} do not apply`)
}
for (const name of reasons.keys()) {
  if (!used.has(name)) faults.push(`conformance.json excuses ${name}, which does not fail`)
}
const damaged = await check(url + "/damaged/mcp", "--scenario", "tools-list")
if (![...damaged.values()].some((wrong) => wrong !== "")) faults.push("the suite finds no fault in tools without schemas")
for (const fault of faults) console.error(fault)
process.exit(faults.length > 0 ? 1 : 0)
