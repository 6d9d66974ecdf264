import { expect, test } from "@playwright/test";

test.describe("basket", () => {
  test("passes", async ({ page }) => {
    await page.setContent("<h1>Lamp</h1>");
    await expect(page.locator("h1")).toHaveText("Lamp");
  });

  test("fails", async ({ page }, info) => {
    console.log("opened the basket");
    await info.attach("order", { body: '{"lamps":2}', contentType: "application/json" });
    await page.setContent("<h1>Lamp</h1>");
    await expect(page.locator("h1")).toHaveText("Desk", { timeout: 300 });
  });

  test("throws", async () => {
    throw new TypeError("Cannot read properties of undefined (reading 'price')");
  });

  test.skip("is skipped", async () => {});

  test("is flaky", async ({}, info) => {
    test.info().annotations.push({ type: "owner", description: "shop" });
    if (info.retry === 0) throw new Error("the shop did not answer");
  });
});

test.describe("orders", () => {
  test.beforeAll(async () => {
    throw new Error("cannot connect to 127.0.0.1:5432");
  });

  test("lists", async () => {});

  test("adds", async () => {});
});
