const assert = require("node:assert");
const fs = require("node:fs");

describe("shop", () => {
  describe("basket", () => {
    it("passes", () => {
      assert.equal(1 + 1, 2);
    });

    it("fails", () => {
      console.log("opened the basket");
      assert.deepEqual({ lamps: 2 }, { lamps: 3 });
    });

    it("throws", () => {
      throw new TypeError("Cannot read properties of undefined (reading 'price')");
    });

    it.skip("is skipped", () => {});

    let tries = 0;
    it("is flaky", function () {
      this.retries(1);
      tries++;
      if (tries === 1) throw new Error("the shop did not answer");
    });

    it("has a picture", function () {
      fs.writeFileSync("screenshot.png", "\x89PNG");
      this.test.attachments = [`${process.cwd()}/screenshot.png`];
      assert.fail("the picture differs");
    });
  });

  describe("orders", () => {
    beforeEach(() => {
      throw new Error("cannot connect to 127.0.0.1:5432");
    });

    it("lists", () => {});

    it("adds", () => {});
  });
});
