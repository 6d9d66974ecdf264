const fs = require("node:fs");

jest.retryTimes(1);

let tries = 0;

describe("basket", () => {
  test("passes", () => {
    expect(1 + 1).toBe(2);
  });

  test("fails", () => {
    console.log("opened the basket");
    expect({ lamps: 2, total: 10 }).toEqual({ lamps: 3, total: 10 });
  });

  test("throws", () => {
    throw new TypeError(`Cannot read properties of undefined (reading 'price') at 0x${process.pid.toString(16)}`);
  });

  test.skip("is skipped", () => {});

  test.todo("comes later");

  test("is flaky", () => {
    tries++;
    if (tries === 1) throw new Error("the shop did not answer");
  });
});

describe("orders", () => {
  beforeAll(() => {
    fs.readFileSync("/nonexistent/orders.json");
  });

  test("lists", () => {});

  test("adds", () => {});
});
