import assert from "node:assert/strict";
import { test } from "node:test";
import { addressWith, openedIn } from "../js/list/address.js";

test("a list opens the report of its address, with the parameters of the report's page", () => {
  assert.equal(openedIn("?workspace=WEB&q=a+b&open=WEB-7"), "/WEB-7");
  assert.equal(openedIn("?open=WEB-7&tab=network&t=1.5"), "/WEB-7?tab=network&t=1.5");
});

test("an address opens nothing but a report", () => {
  for (const open of ["", "settings", "WEB-0", "WEB-", "../WEB-7", "//example.com", "WEB-7/files"]) {
    assert.equal(openedIn(`?${new URLSearchParams({ open })}`), "", open);
  }
});

test("a report beside a list replaces the former one with its parameters, and the list's stay", () => {
  const list = { pathname: "/reports", search: "?workspace=WEB&q=label%3Aa&open=WEB-1&tab=network" };
  assert.equal(addressWith(list, "/WEB-2?tab=console"), "/reports?workspace=WEB&q=label%3Aa&open=WEB-2&tab=console");
  assert.equal(addressWith(list, ""), "/reports?workspace=WEB&q=label%3Aa");
  assert.equal(addressWith({ pathname: "/reports", search: "?open=WEB-1" }, ""), "/reports");
});

test("a report's parameter with the name of one of the list is left out", () => {
  assert.equal(addressWith({ pathname: "/reports", search: "" }, "/WEB-2?q=a&t=1"), "/reports?open=WEB-2&t=1");
});

test("the address with a report opens this report", () => {
  for (const path of ["/WEB-2", "/WEB-2?tab=console&q=", "/A1B2C3-19?show=att_1"]) {
    const address = new URL(addressWith({ pathname: "/board", search: "?group=status" }, path), "http://localhost");
    assert.equal(openedIn(address.search), path.replace("&q=", ""));
  }
});
