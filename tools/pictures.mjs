// pictures.mjs BINARY takes the pictures of the README from the pages that BINARY serves with demo data.
import { writeFile } from "node:fs/promises";
import { demo, end, launch, signIn } from "./demo.mjs";

const pictures = [
  { file: "docs/report", path: "/WEB-163?occurrence=2&tab=network&t=25.0", width: 1440, height: 860, shown: "[data-state=paused]" },
  { file: "docs/reports", path: "/reports?workspace=WEB&q=status:open,in_progress&open=WEB-171",
    width: 1440, height: 860, shown: "#pane .evidence[data-loaded]" },
];

try {
  const { base, Cookie } = await demo(process.argv[2]);
  const browser = await launch();
  const page = await browser.newPage();
  await signIn(browser, base, Cookie);
  for (const { file, path, width, height, shown } of pictures) {
    await page.setViewport({ width, height, deviceScaleFactor: 2 });
    for (const theme of ["light", "dark"]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      await page.goto(base + path, { waitUntil: "networkidle0" });
      await page.waitForSelector(shown);
      await page.evaluate(() => document.activeElement.blur());
      await writeFile(`${file}-${theme}.png`, await page.screenshot());
    }
  }
  await browser.close();
} finally {
  await end();
}
