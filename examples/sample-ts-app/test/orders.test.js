const { test } = require("node:test");

test.only("orders are found", () => {
  // FIXME needs a database
});

test.skip("orders are paid", () => {});
