import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PatternSpec } from "../ports/index.ts";
import { compileRules } from "./compile-rules.ts";
import { editBytes } from "./text/encode.ts";
import { scanBytes, type BytesScan } from "./scan-file.ts";

function pattern(facts: Partial<PatternSpec>): PatternSpec {
  return { id: "p", name: "P", description: "", contextLines: 2, rules: [], transformations: [], ...facts };
}

function scan(text: string, facts: Partial<PatternSpec> | readonly Partial<PatternSpec>[], path = "src/a.ts"): BytesScan {
  const patterns = (Array.isArray(facts) ? facts : [facts]).map((one, index) =>
    pattern({ id: `p${index}`, ...(one as Partial<PatternSpec>) }),
  );
  return scanBytes(Buffer.from(text), path, compileRules({ patterns }));
}
const texts = (result: BytesScan) => result.instances.map((one) => one.text);

/** The file after every automatic edit. */
function fixed(text: string, result: BytesScan): string {
  const edits = result.instances.flatMap((one) => one.edits ?? []).sort((a, b) => a.start - b.start);
  return Buffer.from(editBytes(Buffer.from(text), "utf-8", edits).bytes).toString();
}

describe("where a pattern looks", () => {
  const source = "log('log(1)'); // log(2)\nlog(3);";

  test("everywhere, in code, in comments or in strings", () => {
    expect(texts(scan(source, { regex: "log\\(" }))).toHaveLength(4);
    expect(scan(source, { regex: "log\\(", in: "code" }).instances.map(({ line, column }) => [line, column])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(scan(source, { regex: "log\\(\\d", in: "comments" }).instances.map(({ text, column }) => [text, column])).toEqual([
      ["log(2", 19],
    ]);
    expect(texts(scan(source, { regex: "log\\(\\d", in: "strings" }))).toEqual(["log(1"]);
  });

  test("what a mask blanks is never part of a match's ends", () => {
    expect(texts(scan("a /* x */ = b", { regex: "a\\s*", in: "code" }))).toEqual(["a "]);
    expect(texts(scan("/* x */a", { regex: "\\s*a", in: "code" }))).toEqual(["a"]);
  });

  test("whole identifiers, also in other scripts", () => {
    expect(
      texts(scan("Error() AddError() Errors() _Error() éError() Error2() x.Error()", { regex: "Error", wholeWord: true })),
    ).toHaveLength(2);
    expect(texts(scan("AddError(Error(1))", { regex: "Error\\([^)]*\\)", wholeWord: true }))).toEqual(["Error(1)"]);
    expect(texts(scan("$a a$ a", { regex: "a", wholeWord: true }))).toHaveLength(1);
    expect(texts(scan("$a a$ a", { regex: "a", wholeWord: true }, "x.cs"))).toHaveLength(3);
  });

  test("only in files that its globs name, without case for AL", () => {
    const rules = { regex: "x", files: ["src/**/*.ts", "**/*.codeunit.al"] };
    expect(texts(scan("x", rules, "src/b/c.ts"))).toHaveLength(1);
    expect(texts(scan("x", rules, "lib/c.ts"))).toHaveLength(0);
    expect(texts(scan("x", rules, "A.Codeunit.AL"))).toHaveLength(1);
    expect(texts(scan("x", rules, "SRC/c.ts"))).toHaveLength(0);
  });

  test("empty matches are none, and never hold the scan", () => {
    expect(texts(scan("b😀ab", { regex: "a*", flags: "u" }))).toEqual(["a"]);
  });

  test("a match never cuts a character in two", () => {
    expect(scan("x😀y", { regex: "[\\ud800-\\udbff]" }).instances).toMatchObject([
      { text: "😀", start: 1, end: 5, column: 2, endColumn: 4 },
    ]);
  });
});

describe("brackets and arguments", () => {
  test("a match that ends inside brackets is widened to their end", () => {
    const source = "f(a, ')', [1, (2)] /* ) */, { b: 3 }) + g(1)";
    expect(texts(scan(source, { regex: "f\\(", balanced: true }))).toEqual(["f(a, ')', [1, (2)] /* ) */, { b: 3 })"]);
    expect(texts(scan(source, { regex: "\\[\\d", balanced: true }))).toEqual(["[1, (2)]"]);
    expect(texts(scan(source, { regex: "g\\(1\\)", balanced: true }))).toEqual(["g(1)"]);
    expect(texts(scan(source, { regex: "\\+ g", balanced: true }))).toEqual(["+ g"]);
  });

  test("brackets that never end leave the match as it is", () => {
    expect(scan("f(a, (b)", { regex: "f\\(", balanced: true }).instances).toMatchObject([{ text: "f(", auto: false }]);
  });

  test("calls are chosen by the number of their arguments", () => {
    const source = "f(); f(1); f(1, g(2, 3)); f(1, 2, 3,); f; f + (1);";
    const chosen = (min: number, max: number) => texts(scan(source, { regex: "\\bf\\b", arguments: { min, max } }));
    expect(chosen(0, 0)).toEqual(["f()"]);
    expect(chosen(1, 2)).toEqual(["f(1)", "f(1, g(2, 3))"]);
    expect(chosen(3, 9)).toEqual(["f(1, 2, 3,)"]);
  });

  test("commas between types separate no arguments", () => {
    expect(texts(scan("f(new Map<string, A<B, C>>(), 1); f(a < b, c > d)", { regex: "f\\(", arguments: { min: 2, max: 2 } }))).toHaveLength(
      2,
    );
  });

  test.each([
    ["string", "'a'"],
    ["string", "/* c */ `a`"],
    ["number", "-1.5e3"],
    ["name", "abc"],
    ["member", "a.b?.c"],
    ["call", "a.b(c, (d))"],
    ["expression", "a + b"],
    ["expression", "f(a)(b)"],
    ["expression", "f(a) + g(b)"],
    ["expression", "`a${b}`"],
  ] as const)("the shape %s is that of %s", (shape, argument) => {
    const kinds = ["string", "number", "name", "call", "member", "expression", "any"] as const;
    const fitting = kinds.filter(
      (kind) => scan(`f(x, ${argument})`, { regex: "f\\(", arguments: { shapes: { "1": kind } } }).instances.length > 0,
    );
    expect(fitting).toEqual([...kinds.filter((kind) => kind === shape), "any"]);
  });

  test("shapes in a language without a lexer", () => {
    expect(texts(scan("f('a, b')", { regex: "f\\(", arguments: { shapes: { "0": "name" } } }, "a.xyz"))).toEqual([]);
    expect(texts(scan("f(ab)", { regex: "f\\(", arguments: { shapes: { "0": "name" } } }, "a.xyz"))).toEqual(["f(ab)"]);
  });
});

describe("exclusion and classification", () => {
  const rules: PatternSpec["rules"] = [
    { name: "literal", pattern: "f\\('[^']*'\\)", action: "Wrap it.", auto: true },
    { name: "number", pattern: "f\\(\\d", action: "Look at it.", auto: false },
  ];

  test("by the text of the match and by its line", () => {
    expect(texts(scan("f(1)\nf(2) // keep\nf(keep)", { regex: "f\\([^)]*\\)", exclude: "keep", flags: "g" }))).toEqual(["f(1)"]);
    // A second file must not inherit anything from the first.
    const compiled = compileRules({ patterns: [pattern({ regex: "f\\(", flags: "gy", exclude: "x" })] });
    for (let round = 0; round < 3; round++) expect(scanBytes(Buffer.from("f( f(x\n f("), "a.ts", compiled).instances).toHaveLength(1);
  });

  test("the first rule that fits names the type, with the flags of the pattern", () => {
    const result = scan("f('a') F('b') f(1) f(x)", { regex: "f\\([^)]*\\)", flags: "gi", rules });
    expect(result.instances.map(({ type, auto, needs, action }) => ({ type, auto, needs, action }))).toEqual([
      { type: "literal", auto: false, needs: "manual", action: "Wrap it." },
      { type: "literal", auto: false, needs: "manual", action: "Wrap it." },
      { type: "number", auto: false, needs: "manual", action: "Look at it." },
      { type: "other", auto: false, needs: "manual", action: undefined },
    ]);
    expect(result.instances[0]?.why).toContain("No transformation");
  });

  test("without rules the pattern is the type", () => {
    expect(scan("f(1)", { regex: "f\\(" }).instances).toMatchObject([{ type: "p0", auto: false, needs: "review" }]);
  });
});

describe("transformations", () => {
  const auto = (template: string, review = false): Partial<PatternSpec> => ({
    regex: "\\bf\\(",
    balanced: true,
    rules: [{ name: "t", pattern: "^f", action: "Do it.", auto: true }],
    transformations: [{ type: "t", template, review }],
  });

  test.each([
    ["g({{original_string}})", "f('a)b')", "g('a)b')"],
    ["g({{original_string}}, [{{params}}])", "f('a', b(1, 2) /* c */, d)", "g('a', [b(1, 2) /* c */, d])"],
    ["g({{constant_name}})", "f(A.b)", "g(A.b)"],
    ["g({{ arg1 }}, {{arg0}})", "f(1, (2, 3))", "g((2, 3), 1)"],
    ["await {{match}}", "f(1)", "await f(1)"],
    ["{{name}}2({{arg0}})", "f( x )", "f2(x)"],
  ])("%s", (template, source, expected) => {
    const text = `a; ${source}; b`;
    const result = scan(text, auto(template));
    expect(result.instances).toMatchObject([{ auto: true, suggestion: expected }]);
    expect(fixed(text, result)).toBe(`a; ${expected}; b`);
  });

  test("named groups, taken from the original text", () => {
    const spec = { ...auto("{{what}}!"), regex: "\\bf\\((?<what>[^)]*)", in: "code" as const };
    expect(scan("f('it')", spec).instances).toMatchObject([{ text: "f('it')", suggestion: "'it'!" }]);
  });

  test.each([
    ["a placeholder without anything to fill it", "g({{params}})", "f(1)", "needs arguments", undefined],
    ["a first argument of another shape", "g({{original_string}})", "f(1)", "needs arguments", undefined],
    ["a comment that would be lost", "g({{arg0}})", "f(/* a */ 1, /* b */ 2)", "drop a comment", "g(/* a */ 1)"],
    ["a match in a comment", "g()", "// f(1)", "is in a comment", "g()"],
    ["a match in a string", "g()", "'f(1)'", "is in a string", "g()"],
    ["a match that begins inside a longer name", "g()", "éf(1)", "longer name", "g()"],
    ["nothing to do", "f({{arg0}})", "f(1)", "already reads", "f(1)"],
    ["brackets that do not end", "g()", "f(1", "not closed", undefined],
  ])("%s is left to a person", (_name, template, source, why, suggestion) => {
    const [instance] = scan(source, auto(template)).instances;
    // In a comment or a string the brackets are not widened over the mask; the template still says what it would read.
    expect(instance).toMatchObject({ auto: false, why: expect.stringContaining(why) as string });
    expect(instance?.edits).toBeUndefined();
    expect(instance?.suggestion).toBe(suggestion);
  });

  test("a directive inside is left to a person", () => {
    const [instance] = scan("x = f(1,\n#if A\n2);", auto("g({{arg0}})"), "a.cs").instances;
    expect(instance).toMatchObject({ auto: false, why: "A directive is in it." });
  });

  test("a review keeps the suggestion and gives no edits", () => {
    expect(scan("f(1)", auto("g({{arg0}})", true)).instances).toMatchObject([{ auto: false, needs: "review", suggestion: "g(1)" }]);
    expect(scan("f(1)", auto("g({{arg0}})", true)).instances[0]?.edits).toBeUndefined();
  });

  test("line ends of the template become those of the file", () => {
    expect(scan("a;\r\nf(1);\r\n", auto("x;\n{{match}}")).instances).toMatchObject([{ suggestion: "x;\r\nf(1)" }]);
  });

  test("the edit is as small as it can be", () => {
    expect(scan("f(1, 2)", auto("f(1, 3, 2)")).instances[0]?.edits).toEqual([{ start: 5, end: 5, text: "3, " }]);
  });

  test("edits that touch are not both kept", () => {
    const result = scan("f(f(1)) f(2)", auto("g({{arg0}})"));
    expect(result.instances.map(({ auto: kept, edits }) => [kept, edits?.length])).toEqual([
      [true, 1],
      [true, 1],
      [true, 1],
    ]);
    const wide = scan("f(f(1)) f(2)", auto("g([{{arg0}}])"));
    expect(wide.instances.map(({ auto: kept }) => kept)).toEqual([true, false, true]);
    expect(wide.instances[1]).toMatchObject({ needs: "review", why: expect.stringContaining("earlier match of `p0`") as string });
    expect(fixed("f(f(1)) f(2)", wide)).toBe("g([f(1)]) g([2])");
  });

  test("no two kept edits touch, whatever patterns there are", () => {
    const templates = ["g({{arg0}})", "f([{{arg0}}])", "{{match}}!", "await {{match}}"];
    const nested = fc.letrec<{ call: string }>((tie) => ({
      call: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("1", "x"),
        tie("call").map((inner) => `f(${inner})`),
      ),
    })).call;
    let several = 0;
    fc.assert(
      fc.property(fc.array(nested, { maxLength: 5 }), fc.subarray(templates, { minLength: 1 }), (calls, chosen) => {
        const result = scan(
          calls.join(" "),
          chosen.map((template) => auto(template)),
        );
        const edits = result.instances.flatMap((one) => one.edits ?? []).sort((a, b) => a.start - b.start || a.end - b.end);
        expect(edits.every((edit, index) => index === 0 || edit.start > (edits[index - 1]?.end ?? 0))).toBe(true);
        expect(result.instances.every((one) => one.auto === (one.edits !== undefined) && (one.auto || one.why !== undefined))).toBe(true);
        if (edits.length > 1) several += 1;
      }),
    );
    expect(several).toBeGreaterThan(10);
  });

  test("what the file's encoding lacks is not written", () => {
    const rules = compileRules({ patterns: [pattern(auto("g('→')"))] });
    const [instance] = scanBytes(Buffer.from("f('\xfc')", "latin1"), "a.ts", rules).instances;
    expect(instance).toMatchObject({ auto: false, needs: "review", why: expect.stringContaining("`→`") as string });
    expect(scanBytes(Buffer.from("f('ü')"), "a.ts", rules).instances[0]?.auto).toBe(true);
  });
});

describe("files", () => {
  test("binary ones are reported", () => {
    expect(scan("a\0b", { regex: "a" })).toMatchObject({ instances: [], problems: [{ code: "SCAN_BINARY" }] });
  });

  test("AL files have an object type and say whether they are tests", () => {
    const facts = (text: string, path: string) => {
      const { objectType, test: isTest, language } = scan(text, { regex: "zzz" }, path);
      return { objectType, isTest, language };
    };
    expect(facts("codeunit 50100 A\n{\n}", "src/A.al")).toEqual({ objectType: "Codeunit", isTest: undefined, language: "al" });
    expect(facts("codeunit 50100 A\n{\n  Subtype = Test;\n}", "src/A.al")).toMatchObject({ isTest: true });
    expect(facts("page 1 A\n{\n}", "Tests/A.al")).toMatchObject({ objectType: "Page", isTest: true });
    expect(facts(`/* ${"x\n".repeat(3000)} */ table 1 A\n{\n}`, "A.Page.al")).toMatchObject({ objectType: "Table" });
  });

  test("a finder gives instances like any pattern; exclude applies to it", () => {
    const text = "codeunit 50100 A\n{\n  procedure P()\n  begin\n    Error('x');\n    Error('keep');\n  end;\n}";
    const rules = (facts: Partial<PatternSpec>, bcVersion?: string) =>
      compileRules({
        patterns: [pattern({ finder: "al-error-call", guide: "g", step: "s", section: "t", ...facts })],
        ...(bcVersion && { bcVersion }),
      });
    const [first, second] = scanBytes(Buffer.from(text), "A.al", rules({}), { runtime: 12 }).instances;
    expect(first).toMatchObject({ pattern: "p", type: "literal", auto: true, line: 5, column: 5, guide: "g", step: "s", section: "t" });
    expect(second).toMatchObject({ text: "Error('keep')" });
    expect(scanBytes(Buffer.from(text), "A.al", rules({ exclude: "keep" }, "BC24")).instances).toMatchObject([
      { text: "Error('x')", auto: true },
    ]);
    expect(scanBytes(Buffer.from(text), "A.al", rules({}, "BC18")).instances).toMatchObject([{ auto: false }, { auto: false }]);
  });

  test("a pattern that was cut off is left out with its name; others are announced before they run", () => {
    const compiled = compileRules({ patterns: [pattern({ id: "a", regex: "x" }), pattern({ id: "b", regex: "y" })] });
    const entered: number[] = [];
    const context = { cutOff: new Set(["a"]), entering: (index: number) => void entered.push(index) };
    expect(scanBytes(Buffer.from("xy"), "a.ts", compiled, context)).toMatchObject({
      instances: [{ pattern: "b" }],
      problems: [{ code: "SCAN_CUT_OFF", pattern: "a" }],
    });
    expect(entered).toEqual([1]);
  });

  test("more matches than anybody reads are cut, and said so", () => {
    const result = scan("x".repeat(20_001), { regex: "x" });
    expect(result.instances).toHaveLength(20_000);
    expect(result.problems).toMatchObject([{ code: "SCAN_TOO_MANY", pattern: "p0" }]);
  });

  test("a pattern that the engine cannot run is reported, and the others run", () => {
    // So long a run overflows the stack on which the engine keeps its choices.
    const result = scan(`${"a".repeat(6_000_000)}xyz`, [{ regex: "^(?:(a)|b|c)*d" }, { regex: "xyz" }]);
    expect(result.problems).toMatchObject([{ code: "SCAN_PATTERN_FAILED", pattern: "p0" }]);
    expect(result.instances).toMatchObject([{ pattern: "p1" }]);
  });

  const encodings = {
    "utf-8": (text: string) => Buffer.from(text),
    "utf-8-bom": (text: string) => Buffer.from(`\ufeff${text}`),
    "utf-16le": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
    "utf-16be": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  };

  test("places and bytes are right in every encoding and with every line end", () => {
    const piece = fc.constantFrom("foo(1)", "FOO(2)", "é", "😀", "\n", "\r\n", "\r", " ", "'foo(3)'", "x");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.constantFrom(...Object.values(encodings)), (pieces, encode) => {
        const text = pieces.join("");
        const bytes = encode(text);
        const result = scanBytes(bytes, "a.ts", compileRules({ patterns: [pattern({ regex: "foo\\(\\d\\)", flags: "i" })] }));
        const expected = [...text.matchAll(/foo\(\d\)/gi)];
        expect(result.instances.map((one) => one.text)).toEqual(expected.map(([match]) => match));
        for (const [index, { index: at }] of expected.entries()) {
          const instance = result.instances[index];
          const before = text.slice(0, at).split(/\r\n|\n|\r/);
          expect(instance).toMatchObject({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1 });
          expect(bytes.subarray(instance?.start, instance?.end).equals(encode(instance?.text ?? "").subarray(encode("").length))).toBe(
            true,
          );
        }
      }),
    );
  });
});

test("ordinals tell instances of one pattern with the same text apart, whatever its white space", () => {
  const spec = { regex: "f\\([^)]*\\)" };
  const ordinals = (text: string) => scan(text, [spec, { regex: "f\\(1\\)" }]).instances.map((one) => `${one.pattern} ${one.ordinal}`);
  expect(ordinals("f(1,\n 2) f(1, 2) f(3) f( 3 )")).toEqual(["p0 0", "p0 1", "p0 0", "p0 0"]);
  expect(ordinals("f(1) f(2) f(1) f(2) f(1)")).toEqual(["p0 0", "p1 0", "p0 0", "p0 1", "p1 1", "p0 1", "p0 2", "p1 2"]);
});
