const assert = require("node:assert");
const { Given, Then } = require("@cucumber/cucumber");

let tries = 0;

Given("a basket with {int} lamps", function (n) {
  this.lamps = n;
});

Then("it has {int} lamps", function (n) {
  assert.equal(this.lamps, n);
});

Given("a shop that answers at the second time", () => {
  tries++;
  if (tries === 1) throw new Error("the shop did not answer");
});
