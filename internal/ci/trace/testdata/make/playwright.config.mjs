export default {
  testDir: '.',
  outputDir: process.env.OUTPUT,
  reporter: 'line',
  use: {
    trace: 'on',
    screenshot: 'only-on-failure',
    viewport: { width: 320, height: 240 },
    launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] },
  },
};
