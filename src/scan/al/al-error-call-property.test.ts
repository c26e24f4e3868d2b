import fc from "fast-check";
import { expect, test } from "vitest";
import type { TextEdit } from "../finder.ts";
import { findErrorCalls } from "./al-error-call.ts";
import { lexAl, readAlTokens } from "./lex-al.ts";

/** A generated stretch of code; calls know their type and whether they are fixed. */
interface Piece {
  readonly parts: readonly string[];
  readonly type?: string;
  readonly auto?: boolean;
}

const gap = fc.constantFrom("", "", "", " ", "  ", "\n        ", " /* it's ) */ ", " // , 'x\n", "\t");
const casing = fc.constantFrom("Error", "ERROR", "error", "eRRor");
const words = fc.constantFrom("a", "it''s", "(b)", "c, d", "50 % e", "// f", "/* g", '"h"', "Error(''x'')", "ü", "名", "; end", "\\n");
const plain = fc.array(words, { minLength: 1, maxLength: 4 }).map((list) => `'${list.join(" ")}'`);
const format = fc.tuple(plain, fc.constantFrom("%1", "%2", "#1##")).map(([text, mark]) => `${text.slice(0, -1)} ${mark}'`);
const value: fc.Arbitrary<readonly string[]> = fc.constantFrom<readonly string[]>(
  ["No"],
  ["Cust", ".", '"No. (2), x"'],
  ["F", "(", "1", ",", "'a)b'", ")"],
  ["Texts", "[", "1", ",", "2", "]"],
  ["(", "A", "+", "'b'", ")", "*", "2"],
  ["''"],
  ["X", "::", "Error"],
);
const values = fc.array(value, { minLength: 1, maxLength: 10 }).map((list) => list.flatMap((one) => [",", ...one]));

function call(
  first: fc.Arbitrary<readonly string[]>,
  rest: fc.Arbitrary<readonly string[]>,
  type: string,
  auto: boolean,
): fc.Arbitrary<Piece> {
  const head = fc.oneof(
    casing.map((name) => [name]),
    casing.map((name) => ["Dialog", ".", name]),
  );
  return fc.tuple(head, first, rest).map(([name, one, more]) => ({ parts: [...name, "(", ...one, ...more, ")"], type, auto }));
}
const one = (text: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> => text.map((part) => [part]);
const fixed = (...parts: string[]): fc.Arbitrary<readonly string[]> => fc.constant(parts);
const none = fixed();

const calls = fc.oneof(
  { weight: 4, arbitrary: call(one(plain), none, "literal", true) },
  { weight: 4, arbitrary: call(one(format), values, "literal_args", true) },
  call(one(format), none, "literal_mismatch", false),
  call(one(plain), values, "literal_mismatch", false),
  call(fixed("''"), none, "silent_abort", false),
  call(fixed("LateErr"), none, "label", false),
  call(fixed("this", ".", "LateErr"), values, "label_args", false),
  call(fixed("LocalTxt"), none, "text_var", false),
  call(fixed('"Local Txt"'), none, "text_var", false),
  call(fixed("Own"), none, "function_call", false),
  call(fixed("Cust", ".", "Name"), none, "member", false),
  call(fixed("Texts", "[", "1", "]"), none, "indexed", false),
  call(fixed("GetLastErrorText", "(", ")"), none, "getlasterror", false),
  call(fixed("StrSubstNo", "(", "LateErr", ",", "No", ")"), none, "strsubstno_label", false),
  call(fixed("'a'", "+", "LocalTxt"), none, "concat", false),
  call(fixed("Nowhere"), none, "unresolved", false),
  call(fixed("Info"), none, "", false),
  call(fixed("ErrorInfo", ".", "Create", "(", "'x'", ")"), none, "", false),
);
const noise: fc.Arbitrary<Piece> = fc
  .constantFrom<readonly string[]>(
    ["AddError", "(", "'x'", ")"],
    ["Cust", ".", "Error", "(", "'x'", ")"],
    ["Kind", ":=", "Kind", "::", "Error"],
    ["X", ":=", "'Error(''x'')'"],
    ['"Error(1)"', ":=", "1"],
    ["Log", "(", "'Error(', '// '", ")"],
    ["X", ":=", "@'Error(''x'')\n//'"],
  )
  .map((parts) => ({ parts }));
const aside = fc.constantFrom("// Error('x');\n", "/* Error('x'); */ ", "#region Don't Error('x')\n", "#pragma it's\n", "");

interface Generated {
  readonly text: string;
  readonly calls: readonly { start: number; end: number; type: string; auto: boolean }[];
}

const statement = fc.tuple(aside, fc.oneof({ weight: 3, arbitrary: calls }, noise), fc.infiniteStream(gap));
const generated: fc.Arbitrary<Generated> = fc
  .tuple(fc.array(fc.array(statement, { maxLength: 6 }), { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([procedures, crlf]) => write(procedures, crlf ? "\r\n" : "\n"));

function write(procedures: readonly (readonly (readonly [string, Piece, Iterable<string>])[])[], lineEnd: string): Generated {
  const found: { start: number; end: number; type: string; auto: boolean }[] = [];
  let text = `codeunit 1 A${lineEnd}{${lineEnd}`;
  const add = (part: string): void => void (text += part.replaceAll("\n", lineEnd));
  for (const [number, statements] of procedures.entries()) {
    add(
      `    procedure P${number}(Info: ErrorInfo; No: Code[20])\n    var\n        LocalTxt, "Local Txt": Text[50];\n        Texts: array[2, 2] of Text;\n    begin\n`,
    );
    for (const [before, piece, gaps] of statements) {
      add(`\n${before}`);
      const stream = gaps[Symbol.iterator]();
      const start = text.length;
      let end = start;
      for (const part of piece.parts) {
        add(part);
        end = text.length;
        add(String(stream.next().value));
      }
      if (piece.type !== undefined && piece.type !== "") found.push({ start, end, type: piece.type, auto: piece.auto === true });
      add(";\n");
    }
    add("    end;\n\n");
  }
  add("    local procedure Own(): Text\n    begin\n    end;\n\n    var\n        LateErr: Label 'Error(''late'')';\n}\n");
  return { text, calls: found };
}

const facts = { runtime: 15, test: false };

test("all generated calls are found with their places and types, and nothing else", () => {
  let total = 0;
  fc.assert(
    fc.property(generated, ({ text, calls: expected }) => {
      const found = findErrorCalls(readAlTokens(text), facts);
      expect(found.map(({ start, end, type, auto }) => ({ start, end, type, auto }))).toEqual(expected);
      total += expected.length;
    }),
    { numRuns: 300 },
  );
  expect(total).toBeGreaterThan(300);
});

test("after all fixes nothing is left to fix, only code was added, and no comment or string changed", () => {
  fc.assert(
    fc.property(generated, ({ text }) => {
      const edits = findErrorCalls(readAlTokens(text), facts).flatMap((found) => found.edits ?? []);
      const after = apply(text, edits);
      const again = findErrorCalls(readAlTokens(after), facts);
      expect(again.filter(({ auto }) => auto)).toEqual([]);
      expect(again.length).toBe(findErrorCalls(readAlTokens(text), facts).length - edits.length / 2);
      expect(parts(after)).toEqual(withAdded(text, edits));
      expect(edits.every(({ start, end }) => start === end)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

function apply(text: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((after, edit) => after.slice(0, edit.start) + edit.text + after.slice(edit.end), text);
}

const parts = (text: string): readonly string[] => lexAl(text).map(({ start, end }) => text.slice(start, end));

/** Tokens of the text with those of each edit between the two where it is inserted. */
function withAdded(text: string, edits: readonly TextEdit[]): readonly string[] {
  const left = [...edits];
  return lexAl(text).flatMap(({ start, end }) => {
    const due = left.filter((edit) => edit.start <= start);
    left.splice(0, due.length);
    return [...due.flatMap((edit) => parts(edit.text)), text.slice(start, end)];
  });
}
