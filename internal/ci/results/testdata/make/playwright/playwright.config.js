import { defineConfig } from "@playwright/test";

export default defineConfig({
  retries: 1,
  workers: 1,
  reporter: [
    ["list"],
    ["junit", { outputFile: "junit.xml", embedAnnotationsAsProperties: true }],
    ["playwright-ctrf-json-reporter", { outputDir: ".", outputFile: "ctrf.json", screenshot: true, annotations: true }],
  ],
  use: {
    browserName: "chromium",
    screenshot: "only-on-failure",
    trace: "off",
    launchOptions: { executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] },
  },
});
