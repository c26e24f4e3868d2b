import { expect, test } from "vitest";
import { readName, resolveName } from "./read-name.ts";

const names = ["feature-development", "acme-fix-issue", "standards:fix", "delivery", "code-review", "codebase-review"];

test.each([
  ["feature-development: add dark mode", "feature-development", "add dark mode"],
  ["Feature-Development: add dark mode", "feature-development", "add dark mode"],
  ["feature-development:add dark mode", "feature-development", "add dark mode"],
  ["run feature-development add dark mode", "feature-development", "add dark mode"],
  ["Please start the feature-development workflow: add dark mode", "feature-development", "add dark mode"],
  ["use `feature-development` to add dark mode", "feature-development", "to add dark mode"],
  ["/feature-development add dark mode", "feature-development", "add dark mode"],
  ["feature-development", "feature-development", "feature-development"],
  ["fix-issue: the menu is gone", "acme-fix-issue", "the menu is gone"],
  ["run fix-issue on #12", "acme-fix-issue", "on #12"],
  ["standards:fix: all files", "standards:fix", "all files"],
  ["run standards:fix", "standards:fix", "run standards:fix"],
  ["delivery: the new report", "delivery", "the new report"],
  ["start delivery, the new report", "delivery", "the new report"],
  ["feature-development:\nfirst line\nsecond line", "feature-development", "first line\nsecond line"],
])("%j names %s", (text, workflow, rest) => {
  expect(readName(text, names)).toEqual({ workflow, text: rest });
});

test.each([
  "delivery",
  "delivery of the parcel is late",
  "use delivery notes",
  "review: look at my code",
  "issue: the menu is gone",
  "feature-development is great",
  "what does feature-development do?",
  "run feature-development?",
  "run the tests",
  "deploy: now",
  ":",
  "/",
  "run",
  "",
])("%j names none", (text) => {
  expect(readName(text, names)).toBeUndefined();
});

test("a command may give the end of a name, also one word, if only one workflow ends so", () => {
  expect(resolveName("development", names, 1)).toBe("feature-development");
  expect(resolveName("issue", names, 1)).toBe("acme-fix-issue");
  expect(resolveName("review", names, 1)).toBeUndefined();
  expect(resolveName("opment", names, 1)).toBeUndefined();
  expect(resolveName("nonsense-opment", names, 1)).toBeUndefined();
  expect(resolveName("xx-issue", ["a-fix-issue"], 1)).toBeUndefined();
});

test("of names that differ in case only the same one is meant", () => {
  expect(resolveName("Build", ["build", "Build"])).toBe("Build");
  expect(resolveName("BUILD", ["build", "Build"])).toBeUndefined();
});
