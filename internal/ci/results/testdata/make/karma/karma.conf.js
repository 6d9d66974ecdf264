module.exports = (config) =>
  config.set({
    frameworks: ["jasmine"],
    plugins: ["karma-jasmine", "karma-chrome-launcher", "karma-junit-reporter"],
    files: ["shop.spec.js"],
    browsers: ["Headless"],
    customLaunchers: { Headless: { base: "ChromeHeadless", flags: ["--no-sandbox"] } },
    reporters: ["progress", "junit"],
    junitReporter: { outputDir: ".", outputFile: "junit.xml", useBrowserName: false },
    singleRun: true,
  });
