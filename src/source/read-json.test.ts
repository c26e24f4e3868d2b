import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "./read-json.ts";

const read = (text: string): ReturnType<typeof readJson> => readJson({ path: "f.json", text });

describe("what is not JSON is told with its place", () => {
  test.each([
    ['{\n  // why\n  "a": 1\n}', 2, 3, "no comments"],
    ['{\n  "a": 1, /* why */\n  "b": 2\n}', 2, 11, "no comments"],
    ['{ "a": 1 }\n# end', 2, 1, "no comments"],
    ['{\n  "a": [1, 2,],\n}', 2, 13, "comma before `]`"],
    ['{ "a": 1, }', 1, 9, "comma before `}`"],
    ["{ 'a': 1 }", 1, 3, "single quotes"],
    ["{ a: 1 }", 1, 3, "key in double quotes"],
    ['{ "a" 1 }', 1, 7, "no colon"],
    ['{ "a": True }', 1, 8, "`True` is not a word"],
    ['{ "a": 01 }', 1, 8, "value is missing"],
    ['{ "a": 1 "b": 2 }', 1, 10, "comma or `}` is missing"],
    ['{ "a": "x\n" }', 1, 8, "does not end on its line"],
    ['{ "a": "\\d" }', 1, 9, "backslash does not begin an escape"],
    ['{ "a": 1', 1, 9, "ends before `}`"],
    ["", 1, 1, "empty"],
    ["{} {}", 1, 4, "ends before this place"],
  ])("%j", (text, line, column, words) => {
    const { problems, broken, root } = read(text);
    expect(broken).toBe(true);
    expect(root).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ fault: "syntax", place: { file: "f.json", line, column } });
    expect(problems[0]?.message).toContain(words);
  });

  test("keys twice, keys of the machinery and too many levels are faults of their own", () => {
    expect(read('{"a":1,\n"a":2}').problems).toMatchObject([{ fault: "duplicate_key", place: { line: 2, column: 1 } }]);
    expect(read('{"__proto__":1}')).toMatchObject({ broken: false, problems: [{ fault: "forbidden_key" }], root: { value: {} } });
    expect(read(`${"[".repeat(5000)}${"]".repeat(5000)}`).problems).toMatchObject([{ fault: "too_deep" }]);
  });
});

test("values have the places of their keys and of themselves, in any line ending and behind a byte order mark", () => {
  const { file } = read('\uFEFF{\r\n  "a": {\r\n    "b": [10, "xyz"]\r\n  }\r\n}');
  expect(file.placeOf(["a", "b"], "key")).toMatchObject({ line: 3, column: 5, endLine: 3, endColumn: 8 });
  expect(file.placeOf(["a", "b", 1], "value")).toMatchObject({ line: 3, column: 15, endColumn: 20 });
  expect(file.placeInText(["a", "b", 1], 1, 1)).toMatchObject({ line: 3, column: 17, endColumn: 18 });
  expect(file.placeOf(["a", "gone"], "value")).toMatchObject({ line: 2, column: 8 });
});

test("it reads what JSON.parse reads, and refuses what JSON.parse refuses", () => {
  const nothing = Symbol("no JSON");
  const parsed = (text: string): unknown => {
    try {
      // A number beyond all bounds is read as infinite there, and refused here.
      return JSON.parse(text, (_key, value: unknown) => {
        fc.pre(typeof value !== "number" || Number.isFinite(value));
        return value;
      });
    } catch (error) {
      if (fc.PreconditionFailure.isFailure(error)) throw error;
      return nothing;
    }
  };
  const agrees = (text: string): void => {
    const { root, problems } = read(text);
    fc.pre(problems.every(({ fault }) => fault === "syntax"));
    expect(root === undefined ? nothing : root.value).toEqual(parsed(text));
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      agrees(JSON.stringify(value, null, indent));
    }),
  );
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"b"',
    "1",
    "-0.5e3",
    "null",
    "tru",
    " ",
    "\n",
    "//",
    '"\\u00e4"',
    "\\",
    '"',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => agrees(parts.join(""))),
    { numRuns: 2000 },
  );
});
