import { expect, test } from "vitest";
import type { Finding, Instance } from "../ports/index.ts";
import { compileRules } from "./compile-rules.ts";
import { scanBytes } from "./scan-file.ts";

const rules = compileRules({ patterns: [] });
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const finding = (region: Finding["region"], more: Partial<Finding> = {}): Finding => ({
  tool: "t",
  rule: "r",
  severity: "error",
  message: "m",
  path: "a.ts",
  region,
  ...more,
});
const scan = (text: string | Uint8Array, findings: readonly Finding[]) =>
  scanBytes(typeof text === "string" ? utf8(text) : text, "a.ts", rules, { findings });
const textsOf = (instances: readonly Instance[]): string[] => instances.map(({ text }) => text);

test("places are found by lines and columns, offsets, characters and bytes, behind a byte order mark", () => {
  const text = "\uFEFFlet 😀é = any;\r\n  call(any);\r\n";
  const { instances, encoding } = scan(text, [
    finding({ line: 1, column: 11, endLine: 1, endColumn: 14 }),
    finding({ line: 1, column: 10, endLine: 1, endColumn: 13, columns: "characters" }, { rule: "by-characters" }),
    finding({ line: 1, column: 14, endLine: 1, endColumn: 17, columns: "bytes" }, { rule: "by-bytes" }),
    finding({ offset: 10, length: 3, unit: "utf16" }, { rule: "offset" }),
    finding({ offset: 9, length: 3, unit: "characters" }, { rule: "offset-characters" }),
    finding({ offset: 13, length: 3, unit: "bytes" }, { rule: "offset-bytes" }),
  ]);
  expect(encoding).toBe("utf-8-bom");
  expect(textsOf(instances)).toEqual(["any", "any", "any", "any", "any", "any"]);
  expect(instances[0]).toMatchObject({ line: 1, column: 11, start: 16, end: 19, pattern: "t/r", type: "r", tool: "t", message: "m" });
  const bytes = utf8(text);
  for (const { start, end } of instances) expect(new TextDecoder().decode(bytes.subarray(start, end))).toBe("any");
});

test("without a column it is what is written on the line, without an end the word; beyond the file its end", () => {
  const { instances } = scan("  let a_1 = 2;\n\tx();\n", [
    finding({ line: 1 }),
    finding({ line: 1, column: 7 }, { rule: "word" }),
    finding({ line: 1, column: 11 }, { rule: "sign" }),
    finding({ line: 1, column: 3, endLine: 2 }, { rule: "lines" }),
    finding({ line: 99, column: 4 }, { rule: "beyond" }),
  ]);
  expect(instances.map(({ type, text }) => [type, text])).toEqual([
    ["r", "let a_1 = 2;"],
    ["lines", "let a_1 = 2;\n\tx();"],
    ["word", "a_1"],
    ["sign", "="],
    ["beyond", ""],
  ]);
});

test("the same rule, place and message is one instance; equal texts differ by their ordinal; suppressed ones are apart", () => {
  const { instances, suppressed } = scan("a; a; a;", [
    finding({ line: 1, column: 1 }),
    finding({ line: 1, column: 1 }),
    finding({ line: 1, column: 1 }, { message: "another" }),
    finding({ line: 1, column: 4 }),
    finding({ line: 1, column: 7 }, { suppressed: { kind: "in_source", reason: "why" } }),
  ]);
  expect(instances.map(({ column, ordinal, message }) => [column, ordinal, message])).toEqual([
    [1, 0, "m"],
    [1, 1, "another"],
    [4, 2, "m"],
  ]);
  expect(suppressed).toMatchObject([{ column: 7, suppressed: { kind: "in_source", reason: "why" } }]);
});

test("fixes are edits by byte; of fixes that touch each other at most one is kept", () => {
  const fix = (offset: number, length: number, text: string): NonNullable<Finding["fix"]> => [
    { region: { offset, length, unit: "utf16" }, text },
  ];
  const { instances } = scan("\uFEFFé = bad + bad;", [
    finding({ offset: 4, length: 3, unit: "utf16" }, { fix: fix(4, 3, "good") }),
    finding({ offset: 4, length: 9, unit: "utf16" }, { rule: "wide", fix: fix(4, 9, "x") }),
    finding({ offset: 10, length: 3, unit: "utf16" }, { fix: [...fix(10, 3, "a"), ...fix(11, 1, "b")] }),
    finding({ offset: 10, length: 3, unit: "utf16" }, { rule: "none" }),
  ]);
  expect(instances.map(({ type, auto, edits, suggestion, why }) => ({ type, auto, edits, suggestion, why }))).toEqual([
    { type: "r", auto: true, edits: [{ start: 8, end: 11, text: "good" }], suggestion: "good", why: undefined },
    { type: "wide", auto: false, edits: undefined, suggestion: "x", why: "Its change touches that of an earlier match of `t/r`." },
    { type: "r", auto: false, edits: undefined, suggestion: undefined, why: "The fix that t offers overlaps itself." },
    { type: "none", auto: false, edits: undefined, suggestion: undefined, why: "t offers no fix for it." },
  ]);
});

test("a UTF-16 file is placed and edited in its own bytes", () => {
  const text = "x = bad;\r\n";
  const bytes = new Uint8Array([0xff, 0xfe, ...Array.from(text).flatMap((each) => [each.charCodeAt(0), 0])]);
  const fix = [{ region: { offset: 4, length: 3, unit: "utf16" as const }, text: "good" }];
  const { instances } = scan(bytes, [finding({ line: 1, column: 5, endColumn: 8 }, { fix })]);
  expect(instances).toMatchObject([{ text: "bad", start: 10, end: 16, edits: [{ start: 10, end: 16, text: "good" }] }]);
});

test.each([
  [{ offset: 0, length: 99, unit: "utf16" }, "does not fit"],
  [{ offset: 50, length: 0, unit: "utf16" }, "does not fit"],
  [{ offset: 12, length: 1, unit: "characters" }, "does not fit"],
  [{ offset: 0, length: 1, unit: "bytes" }, "does not fit"],
  [{ line: 9, column: 1, endLine: 9, endColumn: 1 }, "does not fit"],
  [{ line: 1, column: 9, endLine: 1, endColumn: 9 }, "does not fit"],
  [{ line: 1, column: 5, endLine: 1, endColumn: 6, columns: "characters" }, "does not fit"],
  [{ line: 1, column: 8, endLine: 1, endColumn: 9, columns: "bytes" }, "does not fit"],
  [{ offset: 2, length: 2, unit: "utf16" }, "cuts a character"],
  [{ line: 1, column: 1, endLine: 2, endColumn: 3 }, undefined],
  [{ line: 1, column: 5, endLine: 1, endColumn: 6 }, undefined],
  [{ line: 1, column: 4, endLine: 1, endColumn: 5, columns: "characters" }, undefined],
  [{ line: 1, column: 7, endLine: 1, endColumn: 8, columns: "bytes" }, undefined],
  [{ line: 1, column: 5, endLine: 1 }, undefined],
  [{ offset: 11, length: 0, unit: "utf16" }, undefined],
] as const)("a fix of %j is planned only where the text has it", (region, why) => {
  const { instances } = scan("a\u{1f600}b \ncd\nefg", [
    finding({ line: 1, column: 1, endLine: 1, endColumn: 2 }, { fix: [{ region, text: "x" }] }),
  ]);
  expect(instances[0]?.auto).toBe(why === undefined);
  expect(instances[0]?.why ?? "").toContain(why ?? "");
});

test("many findings on one long line, as in minified code, are placed one by one", () => {
  const count = 4000;
  const text = "const a = 1; ".repeat(count);
  const all = Array.from({ length: count }, (_each, at) => finding({ line: 1, column: 13 * at + 7, endLine: 1, endColumn: 13 * at + 8 }));
  const { instances } = scan(text, all);
  expect(instances).toHaveLength(count);
  expect(instances.every((instance) => instance.text === "a")).toBe(true);
});
