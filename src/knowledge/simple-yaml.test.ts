import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, parseDocument } from "yaml";
import { readSimpleYaml } from "./simple-yaml.ts";

test("it reads front matter as topics have it", () => {
  const text = [
    'title: "Load fewer fields"',
    "domain: performance",
    "difficulty: beginner # not advanced",
    "bc_versions: 17+",
    "tags: [performance, 'sift', \"a b\"]",
    "",
    "# a remark",
    "relevance_signals:",
    "  constructs: [FindSet, Codeunit.Run]",
    "  keywords:",
    "    - wide table",
    '    - "load: fields"',
    "  anti_pattern_indicators: []",
    "related_topics:",
    "- a/b",
    "relevance_threshold: 0.6",
    "urgent: true",
    "nothing:",
  ].join("\n");
  const withoutRemark = text.replace(" # not advanced", "");
  expect(readSimpleYaml(withoutRemark)).toEqual(parse(withoutRemark));
  expect(readSimpleYaml(text)).toBeUndefined();
});

test.each([
  "a: {b: 1}",
  "a: &x 1",
  "a: |\n  text",
  "a: yes",
  "a: 0x1f",
  "a: 1e3",
  "a: .5",
  "a: b: c",
  "a: 'it''s'",
  'a: "\\n"',
  "a: 1\na: 2",
  "a:\n  b:\n    c: 1",
  "- a",
  "a",
  "? a",
  "a: [1, [2]]",
  "a: [1,",
  "\ta: 1",
  "a: b\n c: d",
  "a:\n  - b\n c: d",
])("what is unusual is left to the real parser: %j", (text) => {
  expect(readSimpleYaml(text)).toBeUndefined();
});

/** Pieces that lie near the borders of the simple form, put together at random. */
const piece = fc.constantFrom(
  "a",
  "key",
  "b_c",
  ":",
  ": ",
  " ",
  "  ",
  "\n",
  "\n  ",
  "\n- ",
  "\n  - ",
  "-",
  "[",
  "]",
  ",",
  ", ",
  '"',
  "'",
  "1",
  "0.5",
  "14+",
  "14..23",
  "true",
  "null",
  "~",
  "#",
  " #",
  "no",
  "x y",
  "{",
  "}",
  "*",
  "&",
  "%",
  "@",
  "`",
  "|",
  ">",
  "\\",
  "?",
  "\t",
  "/",
  "(",
  ".",
  "->",
);

test("whatever it reads, the real parser reads the same", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `k: ${pieces.join("")}`;
      const simple = readSimpleYaml(text);
      if (simple === undefined) return;
      read += 1;
      const document = parseDocument(text);
      expect(document.errors.map(({ message }) => message)).toEqual([]);
      expect(simple).toEqual(JSON.parse(JSON.stringify(document.toJS())));
    }),
    { numRuns: 4000 },
  );
  expect(read).toBeGreaterThan(100);
});

test("the same for whole documents", () => {
  const name = fc.constantFrom("title", "tags", "domain", "nested", "list");
  const scalar = fc.constantFrom(
    "plain",
    "two words",
    '"quoted: yes"',
    "'single'",
    "12",
    "0.25",
    "false",
    "14..",
    "18-20",
    "23->24",
    "a/b-c",
    "FindSet()",
    "x: y",
    "#",
    "[a, b]",
    "[]",
    "",
  );
  const block = fc.tuple(name, fc.constantFrom("inline", "items", "map"), fc.array(scalar, { maxLength: 3 })).map(([key, kind, values]) => {
    if (kind === "inline") return `${key}: ${values[0] ?? ""}`;
    if (kind === "items") return [`${key}:`, ...values.map((value) => `  - ${value}`)].join("\n");
    return [`${key}:`, ...values.map((value, at) => `  k${at}: ${value}`)].join("\n");
  });
  fc.assert(
    fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
      const text = blocks.join("\n");
      const simple = readSimpleYaml(text);
      if (simple === undefined) return;
      const document = parseDocument(text);
      expect(document.errors).toEqual([]);
      expect(simple).toEqual(JSON.parse(JSON.stringify(document.toJS() ?? {})));
    }),
    { numRuns: 1000 },
  );
});
