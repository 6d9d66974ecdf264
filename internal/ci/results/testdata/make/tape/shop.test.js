const test = require("tape");

test("passes", (t) => {
  t.equal(1 + 1, 2, "adds");
  t.end();
});

test("fails", (t) => {
  t.comment("opened the basket");
  t.deepEqual({ lamps: 2 }, { lamps: 3 }, "has three lamps");
  t.end();
});

test.skip("is skipped", (t) => t.end());
