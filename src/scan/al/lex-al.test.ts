import fc from "fast-check";
import { expect, test } from "vitest";
import { lexAl, lexAlGaps, readAlTokens } from "./lex-al.ts";

const shown = (text: string): readonly string[] => lexAl(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

test("tells names, numbers, strings, quoted names and symbols apart", () => {
  expect(shown(`if "No. ""x""" = 'it''s' then A_1 := 1.5 + 0D;`)).toEqual([
    "name if",
    'quoted_name "No. ""x"""',
    "symbol =",
    "string 'it''s'",
    "name then",
    "name A_1",
    "symbol :=",
    "number 1.5",
    "symbol +",
    "number 0D",
    "symbol ;",
  ]);
});

test("a range is no decimal point, and a member no range", () => {
  expect(shown("1..5 A.B X::Y")).toEqual([
    "number 1",
    "symbol ..",
    "number 5",
    "name A",
    "symbol .",
    "name B",
    "name X",
    "symbol ::",
    "name Y",
  ]);
});

test("comments end at the line or at the first end mark", () => {
  expect(shown("a // b 'c\r\nd /* e /* f */ g /* h")).toEqual([
    "name a",
    "comment // b 'c",
    "name d",
    "comment /* e /* f */",
    "name g",
    "comment /* h",
  ]);
});

test("a directive begins its line and ends with it", () => {
  expect(shown("#if X // it's\n  #endif\nA #B\n/**/ #C")).toEqual([
    "directive #if X // it's",
    "directive #endif",
    "name A",
    "symbol #",
    "name B",
    "comment /**/",
    "symbol #",
    "name C",
  ]);
});

test("a string or a quoted name without its end stops at the line, a string of several lines does not", () => {
  expect(shown("'a\nb \"c\r\nd @'e\nf''g' h @'i\nj")).toEqual([
    "string 'a",
    "name b",
    'quoted_name "c',
    "name d",
    "string @'e\nf''g'",
    "name h",
    "string @'i\nj",
  ]);
});

test("letters of every script belong to names, other signs do not", () => {
  expect(shown("Größe ÄÖ_1 名前 e\u0301x 𝐀b «🙂A» a\u00a0b")).toEqual([
    "name Größe",
    "name ÄÖ_1",
    "name 名前",
    "name e\u0301x",
    "name 𝐀b",
    "symbol «",
    "symbol 🙂",
    "name A",
    "symbol »",
    "name a",
    "name b",
  ]);
});

test("an empty text, or one of spaces, has no tokens", () => {
  for (const text of ["", " ", "\n\t ", "\ufeff", "  \r\n   "]) expect([lexAl(text), readAlTokens(text).count]).toEqual([[], 0]);
});

const part = fc.constantFrom(
  "'",
  '"',
  "@'",
  "//",
  "/*",
  "*/",
  "#",
  "#if",
  "\n",
  "\r\n",
  " ",
  "Error",
  "ä",
  "🙂",
  "(",
  ")",
  "::",
  ":=",
  "..",
  "1",
  ".",
  ",",
  "_",
);

test("tokens ascend, cover everything but spaces, and both forms agree", () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }).map((parts) => parts.join("")),
      (text) => {
        let at = 0;
        for (const { start, end } of lexAl(text)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          expect(text.slice(at, start).trim()).toBe("");
          at = end;
        }
        expect(text.slice(at).trim()).toBe("");
        const { count, starts, ends, directives } = readAlTokens(text);
        const flat = Array.from({ length: count }, (_, index) => `${starts[index]}-${ends[index]}`);
        const full = lexAl(text).filter(({ kind }) => kind !== "comment" && kind !== "directive");
        expect(flat).toEqual(full.map(({ start, end }) => `${start}-${end}`));
        expect(directives.length).toBe(lexAl(text).filter(({ kind }) => kind === "directive").length);
      },
    ),
    { numRuns: 400 },
  );
});

test("gaps are the comments, directives, strings and quoted names", () => {
  const spaced = fc.oneof(part, fc.constantFrom("\r", "\t", "\u00a0", "\u200b", "\u0001", "x", "{"));
  fc.assert(
    fc.property(
      fc.array(spaced, { maxLength: 40 }).map((parts) => parts.join("")),
      (text) => {
        const gaps: number[] = [];
        for (const { kind, start, end } of lexAl(text)) {
          if (!["comment", "directive", "string", "quoted_name"].includes(kind)) continue;
          if (gaps.at(-1) === start) gaps[gaps.length - 1] = end;
          else gaps.push(start, end);
        }
        expect(lexAlGaps(text)).toEqual(gaps);
      },
    ),
    { numRuns: 2000 },
  );
});

test("texts of every length follow each other", () => {
  for (const length of [10, 100_000, 3, 400_000, 5, 262_142, 262_143, 262_144, 20]) {
    const text = `'${"a".repeat(length)}' b`;
    expect(lexAl(text)).toEqual([
      { kind: "string", start: 0, end: length + 2 },
      { kind: "name", start: length + 3, end: length + 4 },
    ]);
    expect(lexAl("b".repeat(length))).toEqual([{ kind: "name", start: 0, end: length }]);
  }
});
