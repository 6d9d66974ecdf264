// pictures.mjs BINARY takes the pictures of the README from the pages that BINARY serves with demo data.
import { writeFile } from "node:fs/promises";
import { demo, end, launch } from "./demo.mjs";

const pictures = [
  { file: "docs/keys", path: "/settings/keys", width: 1280, height: 720 },
  { file: "docs/newkey", path: "/settings/keys/new?type=wst&preset=ci&name=Deploy+pipeline&workspace=WEB", width: 1280, height: 980 },
];

try {
  const { base, Cookie } = await demo(process.argv[2]);
  const browser = await launch();
  const page = await browser.newPage();
  await browser.setCookie(...Cookie.split("; ").map((c) => ({ domain: "127.0.0.1", name: c.slice(0, c.indexOf("=")), value: c.slice(c.indexOf("=") + 1) })));
  for (const { file, path, width, height } of pictures) {
    await page.setViewport({ width, height, deviceScaleFactor: 2 });
    for (const theme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      await page.goto(base + path, { waitUntil: "networkidle0" });
      await page.evaluate(() => document.activeElement.blur());
      await writeFile(`${file}-${theme}.png`, await page.screenshot());
    }
  }
  await browser.close();
} finally {
  await end();
}
