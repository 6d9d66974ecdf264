// Draws the icons of an installed Bugslice from its mark: node tools/icons.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { launch } from "./demo.mjs"

const folder = new URL("../internal/web/static/icons/", import.meta.url)
const mark = readFileSync(new URL("../mark.svg", folder), "utf8")
const shapes = mark.slice(mark.indexOf("<path"), mark.indexOf("</svg>"))

// A system cuts its own form out of an icon: the colour reaches the edges, and the bug stays within the middle 80 %.
const icon = size => `<!doctype html><style>* { margin: 0 } svg { display: block }</style>
<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="-3 -3 30 30">
<rect x="-3" y="-3" width="30" height="30" fill="#5b4ce0"/>${shapes}</svg>`

const browser = await launch()
const page = await browser.newPage()
for (const size of [180, 512]) {
  await page.setViewport({ width: size, height: size })
  await page.setContent(icon(size))
  writeFileSync(new URL(`icon-${size}.png`, folder), await page.screenshot())
}
await browser.close()
