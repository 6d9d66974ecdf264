// terminal.mjs BINARY writes the picture of a terminal session of the README: the commands run in a terminal, against a
// server with demo data, and their output becomes an SVG file for each theme.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { end, serve } from "./demo.mjs";

const commands = [
  "bugslice slice list label:checkout --limit 5",
  "bugslice slice view WEB-163 --evidence --from 17.9 --to 18.4",
  "bugslice slice start WEB-163",
  "bugslice slice resolve --comment 'The terms of a finished campaign are null: 4f2a9c1.'",
];

const columns = 100;
const [cell, line, margin] = [8.4, 19, 20];
const themes = {
  light: { back: "#ffffff", border: "#d0d7de", text: "#1f2328", 31: "#c4161c", 32: "#1a7f37", 33: "#9a6700", 34: "#0550ae",
    35: "#8250df", 36: "#0b6e75", dim: "#656d76" },
  dark: { back: "#0d1117", border: "#30363d", text: "#e6edf3", 31: "#ff7b72", 32: "#56d364", 33: "#e3b341", 34: "#79c0ff",
    35: "#d2a8ff", 36: "#39c5cf", dim: "#8b949e" },
};

// shown returns what a command shows in a terminal.
function shown(command, cwd, env) {
  const run = spawnSync("script", ["-qec", `stty cols ${columns} rows 60; ${command}`, "/dev/null"], { cwd, env, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${command}: ${run.stdout}${run.stderr}`);
  return run.stdout.replaceAll("\r", "").trimEnd().split("\n");
}

// parts returns a line as texts with the code of their colour, wrapped as a terminal wraps it.
function parts(text) {
  const lines = [[]];
  let [style, at] = ["0", 0];
  for (const [i, chunk] of text.split("\x1b[").entries()) {
    const code = i > 0 ? chunk.slice(0, chunk.indexOf("m") + 1) : "";
    style = code.slice(0, -1) || (code ? "0" : style);
    for (const char of chunk.slice(code.length)) {
      if (at === columns) {
        lines.push([]);
        at = 0;
      }
      const last = lines.at(-1);
      if (last.at(-1)?.style === style) last.at(-1).text += char;
      else last.push({ style, at, text: char });
      at++;
    }
  }
  return lines;
}

// The spaces are those that SVG does not fold.
const escape = (text) => text.replaceAll(" ", "\u00a0").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function span({ style, at, text }, theme) {
  const fill = style === "2" ? theme.dim : theme[style];
  return `<tspan x="${(margin + at * cell).toFixed(1)}"${fill ? ` fill="${fill}"` : ""}${style === "1" ? ' font-weight="bold"' : ""}` +
    ` textLength="${(text.length * cell).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escape(text)}</tspan>`;
}

function picture(lines, theme) {
  const [width, height] = [Math.ceil(columns * cell + 2 * margin), lines.length * line + 2 * margin];
  const rows = lines.map((row, i) => `<text y="${margin + i * line + 14}">${row.map((part) => span(part, theme)).join("")}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${theme.text}"` +
    `>\n<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.back}" ` +
    `stroke="${theme.border}"/>\n${rows.join("\n")}\n</svg>\n`;
}

const binary = resolve(process.argv[2]);
const dir = await mkdtemp(join(tmpdir(), "bugslice-terminal-"));
try {
  const [, url, token] = await serve(binary, ["--demo"], /Bugslice is at +(\S+)[^]*?(svc_pat_\w+)[^]*?service token/);
  const env = { PATH: dirname(binary) + delimiter + process.env.PATH, HOME: dir, TERM: "xterm-256color", LANG: "C.UTF-8", PAGER: "cat",
    BUGSLICE_URL: url, BUGSLICE_TOKEN: token };
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: dir });
  const lines = [];
  for (const command of commands) {
    if (lines.length > 0) lines.push([]);
    lines.push(...parts(`\x1b[2m$\x1b[0m \x1b[1m${command}\x1b[0m`));
    for (const text of shown(command, dir, env)) lines.push(...parts(text));
  }
  for (const [name, theme] of Object.entries(themes)) await writeFile(`docs/terminal-${name}.svg`, picture(lines, theme));
} finally {
  await end();
  await rm(dir, { recursive: true, force: true });
}
