const assert = require("node:assert");
const { describe, it, before } = require("node:test");

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

  it("is skipped", { skip: "needs a printer" }, () => {});

  it("comes later", { todo: "the price list" }, () => {
    throw new Error("no price list");
  });
});

describe("orders", () => {
  before(() => {
    throw new Error("cannot connect to 127.0.0.1:5432");
  });

  it("lists", () => {});

  it("adds", () => {});
});
