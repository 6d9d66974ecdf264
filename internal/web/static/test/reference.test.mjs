import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { pretty } from "../js/reference/json.js";
import { curl, headersOf, pathOf } from "../js/reference/request.js";

const said = (more) => ({ method: "GET", path: "/v1/slices/{sliceId}", params: [], key: "svc_pat_1", ...more });

test("a path has its parameters, and a query those with a value", () => {
  const params = [{ name: "sliceId", in: "path", values: ["a/b?c"] },
    { name: "status", in: "query", list: true, values: ["open", "closed"] },
    { name: "q", in: "query", values: ["a&b"] }, { name: "limit", in: "query", values: [] },
    { name: "metadata[a]", in: "query", values: ["1"] }, { name: "metadata[a]", in: "query", values: ["2"] }];
  assert.equal(pathOf(said({ params })), "/v1/slices/a%2Fb%3Fc?status=open%2Cclosed&q=a%26b&metadata%5Ba%5D=1&metadata%5Ba%5D=2");
  assert.equal(pathOf(said({ params: [{ name: "sliceId", in: "path", values: ["$&"] }] })), "/v1/slices/%24%26");
  assert.equal(pathOf(said({ params: [{ name: "sliceId", in: "path", values: [] }] })), "/v1/slices/{sliceId}");
});

test("headers are those that have a value", () => {
  const params = [{ name: "If-Match", in: "header", values: ['"3"'] }, { name: "Idempotency-Key", in: "header", values: [] }];
  assert.deepEqual(headersOf(said({ params, body: "{}", accept: "text/markdown" })), [["Authorization", "Bearer svc_pat_1"],
    ["Accept", "text/markdown"], ["Content-Type", "application/json"], ["If-Match", '"3"']]);
  assert.deepEqual(headersOf(said({ key: "" })), []);
});

// argumentsOf returns the arguments of a command as a shell reads them.
const argumentsOf = (line) => execFileSync("bash", ["--norc", "-c", line.replace(/^curl/, "printf '%s\\0'")],
  { env: { PATH: process.env.PATH, BUGSLICE_TOKEN: "from the shell" } }).toString().split("\0").slice(0, -1);

test("a shell reads the command as the request, and the key is in it when it is asked for", () => {
  const body = `{"summary":"it's $HOME \`id\` \\"\n@x"}`;
  const request = said({ method: "POST", path: "/v1/slices", body });
  assert.deepEqual(argumentsOf(curl(request, "https://bugs.example.com", false)), ["-X", "POST", "-H",
    "Authorization: Bearer from the shell", "-H", "Content-Type: application/json", "--data-raw", body,
    "https://bugs.example.com/v1/slices"]);
  assert.ok(!curl(request, "https://bugs.example.com", false).includes("svc_pat_1"));
  assert.equal(argumentsOf(curl({ ...request, key: "a'$(id)" }, "", true))[3], "Authorization: Bearer a'$(id)");
  assert.equal(argumentsOf(curl(said({ path: "/v1", file: { name: `a"b'.png` } }), "", false))[3], `file=@"a\\"b'.png"`);
});

test("JSON is shown with its numbers as they are, and with the signs that turn a text", () => {
  const shown = pretty('{"a":[1.0e2,12345678901234567890,{}],"b\\"":"\u202ex:","c":[],"d":null}');
  assert.equal(shown.text, `{
  "a": [
    1.0e2,
    12345678901234567890,
    {}
  ],
  "b\\"": "\\u202ex:",
  "c": [],
  "d": null
}`);
  assert.deepEqual(shown.marks.map(({ kind, from, to }) => [kind, shown.text.slice(from, to)]), [["name", '"a"'], ["number", "1.0e2"],
    ["number", "12345678901234567890"], ["name", '"b\\""'],
    ["string", '"\\u202ex:"'], ["name", '"c"'], ["name", '"d"'], ["word", "null"]]);
  assert.equal(pretty("no JSON"), null);
});
