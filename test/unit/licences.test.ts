import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allowedLicences, isAllowed, judgeLicences } from "../../scripts/licences.mjs";

const nothingInstalled = () => undefined;
const judge = (packages: Parameters<typeof judgeLicences>[0]["packages"]) => judgeLicences({ packages }, nothingInstalled).refused;

describe("licences of runtime dependencies", () => {
  test("a planted package with a forbidden licence is refused by its name", () => {
    const refused = judge({ "": {}, "node_modules/good": { license: "MIT" }, "node_modules/@scope/planted": { license: "GPL-3.0-only" } });
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain("`@scope/planted`");
    expect(refused[0]).toContain("`GPL-3.0-only`");
  });

  test("a package deep in the tree is refused too", () => {
    expect(judge({ "node_modules/a/node_modules/deep": { license: "SSPL-1.0" } })[0]).toContain("`deep`");
  });

  test("a package that names no licence is refused", () => {
    expect(judge({ "node_modules/silent": {} })[0]).toContain("no licence");
  });

  test("development dependencies are not judged, optional ones are", () => {
    expect(judge({ "node_modules/tool": { dev: true, license: "GPL-3.0-only" } })).toEqual([]);
    const optional = { license: "GPL-3.0-only", optional: true };
    expect(judge({ "node_modules/extra": optional })).toHaveLength(1);
  });

  test("what is installed counts before what the lock file says", () => {
    const lock = { packages: { "node_modules/swapped": { license: "MIT" } } };
    expect(judgeLicences(lock, () => ({ license: "AGPL-3.0" })).refused).toHaveLength(1);
  });

  test("the older forms of the field are read", () => {
    const lock = { packages: { "node_modules/old": {} } };
    expect(judgeLicences(lock, () => ({ license: { type: "MIT" } })).refused).toEqual([]);
    expect(judgeLicences(lock, () => ({ licenses: [{ type: "GPL-2.0" }, { type: "MIT" }] })).refused).toEqual([]);
    expect(judgeLicences(lock, () => ({ licenses: [{ type: "GPL-2.0" }] })).refused).toHaveLength(1);
    expect(judgeLicences(lock, () => ({ licenses: [] })).refused).toHaveLength(1);
  });

  test("this repository's own production tree passes, and it is not empty", () => {
    const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8")) as Parameters<
      typeof judgeLicences
    >[0];
    const { checked, refused } = judgeLicences(lock, nothingInstalled);
    expect(refused).toEqual([]);
    expect(checked).toBeGreaterThanOrEqual(9);
  });
});

describe("licence expressions", () => {
  test.each([
    ["MIT", true],
    ["(MIT OR GPL-3.0-only)", true],
    ["GPL-3.0-only OR MIT", true],
    ["MIT AND Apache-2.0", true],
    ["MIT AND GPL-3.0-only", false],
    ["MIT OR ISC AND GPL-3.0-only", true],
    ["(MIT OR ISC) AND GPL-3.0-only", false],
    ["MIT OR (ISC", false],
    ["MIT)", false],
    ["MIT ISC", false],
    ["MIT OR", false],
    ["mit", false],
    ["Apache-2.0 WITH LLVM-exception", false],
    ["SEE LICENSE IN LICENSE.md", false],
    ["UNLICENSED", false],
    ["", false],
  ])("`%s` is allowed: %s", (expression, allowed) => {
    expect(isAllowed(expression)).toBe(allowed);
  });

  test("an expression of forbidden licences alone is never allowed", () => {
    const forbidden = fc.constantFrom("GPL-3.0-only", "AGPL-3.0", "SSPL-1.0", "UNLICENSED", "BUSL-1.1");
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4 },
        forbidden,
        fc.tuple(tie("expression"), fc.constantFrom("AND", "OR"), tie("expression")).map(([a, word, b]) => `(${a} ${word} ${b})`),
      ),
    }));
    fc.assert(fc.property(expression, (text) => !isAllowed(text)));
  });

  test("an expression of allowed licences alone is always allowed", () => {
    const licence = fc.constantFrom(...allowedLicences);
    const joined = fc.array(fc.tuple(fc.constantFrom(" AND ", " OR "), licence), { maxLength: 5 });
    fc.assert(fc.property(licence, joined, (first, rest) => isAllowed(first + rest.flat().join(""))));
  });
});
