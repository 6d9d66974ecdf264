import { beforeAll, describe, expect, test } from "vitest";

let tries = 0;

describe("basket", () => {
  test("passes", () => {
    expect(1 + 1).toBe(2);
  });

  test("fails", () => {
    console.log("opened the basket");
    console.error("no lamp in stock");
    expect({ lamps: 2 }).toEqual({ lamps: 3 });
  });

  test("throws", () => {
    throw new TypeError("Cannot read properties of undefined (reading 'price')");
  });

  test.skip("is skipped", () => {});

  test("is flaky", { retry: 1 }, () => {
    tries++;
    if (tries === 1) throw new Error("the shop did not answer");
  });
});

describe("orders", () => {
  beforeAll(() => {
    throw new Error("cannot connect to 127.0.0.1:5432");
  });

  test("lists", () => {});

  test("adds", () => {});
});
