import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillScript } from "./fill-script.ts";

/** What a script comes to with a value; `broken` when the value was run. */
function evaluated(code: string, value: string): unknown {
  const filled = fillScript(code, { "a.output": value, ARGUMENTS: value }, "bun");
  if ("problem" in filled) return filled.problem;
  const world = { broken: false };
  try {
    return runInNewContext(`(() => { ${filled.code}\n })()`, Object.assign(world, { evil: () => (world.broken = true) }), {
      timeout: 1000,
    });
  } finally {
    expect(world.broken, filled.code).toBe(false);
  }
}

function endOf(code: string, value: string): string {
  try {
    evaluated(code, value);
    return "done";
  } catch (error) {
    return (error as Error).name;
  }
}

const places = [
  "return $a.output;",
  "return '$a.output';",
  'return "$a.output";',
  "return `$a.output`;",
  "return `${'$a.output'}`;",
  "return `${`${$a.output}`}`;",
  "return `}` + '$a.output'.slice(0) + `{`.slice(1);".replace("`}` + ", ""),
  "const o = { a: { b: `${1}` } }; return '$a.output';",
  'const r = /[\'"`]/g; return "$a.output";',
  "const r = [1].map((x) => x / 2) / 3 /* ' */; return '$a.output';",
  "// it's `$a.output` \nreturn '$a.output';",
  "/* it's ` */ return String.raw`$a.output`;",
  "return new RegExp(`^x`).test('x') ? '$ARGUMENTS' : 0;",
];

const hostile = [
  "'+evil()+'",
  '"+evil()+"',
  "`+evil()+`",
  "${evil()}",
  "\\",
  "\\'+evil()//",
  "*/evil()/*",
  "\n;evil();",
  "\u2028evil()",
  "😀é",
  "evil()",
  "]/;evil()",
];

describe("a value is the text that it is", () => {
  test.each(places)("in %s", (code) => {
    for (const value of hostile) expect(evaluated(code, value), value).toBe(value);
  });
});

test("in the open JSON is a value, and everything else a text", () => {
  expect(JSON.stringify(evaluated("return $a.output;", '{"a":[1,"x"]}'))).toBe('{"a":[1,"x"]}');
  expect(evaluated("return $a.output + 1;", "3")).toBe(4);
  expect(evaluated("return '$a.output';", "3")).toBe("3");
});

test("no value is ever run, in whatever code it is named", () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    "`",
    "/",
    "*",
    "//",
    "${",
    "{",
    "}",
    "(",
    ")",
    "\\",
    "\n",
    "$a.output",
    "x",
    " ",
    "return ",
    "+",
    "r",
    "[",
    "]",
  );
  const value = fc
    .array(fc.constantFrom("evil()", "'", '"', "`", ";", "${", "}", "\n", "*/", "\\", "+", "]", "/"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), value, (code, held) => {
      expect(["done", "SyntaxError", "ReferenceError", "TypeError"]).toContain(endOf(code.join(""), held));
    }),
    { numRuns: 300 },
  );
});

test("Python: escapes in strings, a reading of JSON in the open, nothing in comments, and raw strings are refused", () => {
  const put = (code: string, value = "'😀"): string => {
    const filled = fillScript(code, { "a.output": value }, "uv");
    return "code" in filled ? filled.code : filled.problem;
  };
  expect(put("x = $a.output")).toBe(String.raw`x = "\x27\U0001f600"`);
  expect(put("x = '''it's $a.output'''")).toBe(String.raw`x = '''it's \x27\U0001f600'''`);
  expect(put("x = f'{1} $a.output'  # it's $a.output")).toBe(String.raw`x = f'{1} \x27\U0001f600'  # it's $a.output`);
  expect(put("x = $a.output", "[1]")).toBe(String.raw`x = __import__("json").loads("\x5b\x31\x5d")`);
  expect(put("x = r'$a.output'")).toContain("raw string");
});
