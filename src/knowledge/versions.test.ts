import fc from "fast-check";
import { expect, test } from "vitest";
import { coversVersion, parseVersion, parseVersionRanges, stepsBetween, touchesUpgrade } from "./versions.ts";

test.each([
  ["BC21", 21],
  ["21", 21],
  ["21.0", 21],
  [21, 21],
  ["bc 24", 24],
  ["24.3", 24],
  ["latest", undefined],
  ["", undefined],
  [null, undefined],
])("%j as a version is %j", (text, expected) => {
  expect(parseVersion(text)).toBe(expected);
});

test.each([
  ["14+", [{ from: 14 }]],
  ["14..", [{ from: 14 }]],
  ["14..23", [{ from: 14, to: 23 }]],
  ["..23", [{ to: 23 }]],
  ["18-20", [{ from: 18, to: 20 }]],
  [
    "18,20,22",
    [
      { from: 18, to: 18 },
      { from: 20, to: 20 },
      { from: 22, to: 22 },
    ],
  ],
  ["23->24", [{ from: 23, to: 24, step: true }]],
  ["BC23->BC24", [{ from: 23, to: 24, step: true }]],
  ["BC14+", [{ from: 14 }]],
  [
    ["18", "20+"],
    [{ from: 18, to: 18 }, { from: 20 }],
  ],
  [24, [{ from: 24, to: 24 }]],
  ["all", []],
  [undefined, []],
  [null, []],
  ["recent", undefined],
  ["24..18", undefined],
  [{ from: 1 }, undefined],
])("bc_versions %j", (value, expected) => {
  expect(parseVersionRanges(value as never)).toEqual(expected);
});

test("a range covers exactly the versions between its ends, whatever way it is written", () => {
  const version = fc.integer({ min: 10, max: 40 });
  fc.assert(
    fc.property(version, version, version, (a, b, probe) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      const inside = probe >= low && probe <= high;
      for (const text of [`${low}..${high}`, `${low}-${high}`, `BC${low}-BC${high}`, `${low}.0..${high}.0`])
        expect(coversVersion(parseVersionRanges(text) ?? [], probe)).toBe(inside);
      expect(coversVersion(parseVersionRanges(`${low}+`) ?? [], probe)).toBe(probe >= low);
      expect(coversVersion(parseVersionRanges(`..${high}`) ?? [], probe)).toBe(probe <= high);
    }),
  );
});

test("a topic about a step belongs to an upgrade only if the step lies within it", () => {
  const step = parseVersionRanges("23->24") ?? [];
  expect(touchesUpgrade(step, 21, 27)).toBe(true);
  expect(touchesUpgrade(step, 24, 27)).toBe(false);
  expect(touchesUpgrade(step, 21, 23)).toBe(false);
});

test("an upgrade has one step for each version, in order", () => {
  expect(stepsBetween(21, 27)).toEqual(["BC21-BC22", "BC22-BC23", "BC23-BC24", "BC24-BC25", "BC25-BC26", "BC26-BC27"]);
  expect(() => stepsBetween(24, 24)).toThrow(expect.objectContaining({ code: "KNOWLEDGE_VERSION_ORDER" }));
  expect(() => stepsBetween(25, 24)).toThrow(expect.objectContaining({ code: "KNOWLEDGE_VERSION_ORDER" }));
});
