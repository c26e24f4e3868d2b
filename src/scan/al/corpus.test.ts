import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Found, TextEdit } from "../finder.ts";
import { findErrorCalls } from "./al-error-call.ts";
import { findNoSeries } from "./al-no-series.ts";
import { readFileCases, readStatementCases, type CorpusCase } from "../../../test/support/al-corpus.ts";
import { readAlTokens } from "./lex-al.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "corpus", name), "utf8");
const statements = readStatementCases(read("error-statements.txt"), read("statement-frame.al.txt"));
const files = readFileCases(read("error-files.txt"));
const noSeries = readFileCases(read("no-series-files.txt"));

function applyAll(text: string, edits: readonly TextEdit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((after, edit) => after.slice(0, edit.start) + edit.text + after.slice(edit.end), text);
}

const levelOf = ({ auto, needs }: Found): string => (auto ? "auto" : (needs ?? "neither"));

function shown(text: string, found: readonly Found[]): readonly unknown[] {
  return found.map((one) => {
    const before = text.slice(0, one.start).split(/\r\n|\n/);
    const place = { line: before.length, column: (before.at(-1) ?? "").length + 1, start: one.start, end: one.end };
    return { type: one.type, level: levelOf(one), ...place, why: one.auto ? "none" : one.why !== undefined };
  });
}

function wanted({ expected }: CorpusCase): readonly unknown[] {
  return expected.map(({ type, level, line, column, start, end }) => ({
    type,
    level,
    line,
    column,
    start,
    end,
    why: level === "auto" ? "none" : true,
  }));
}

describe("Error calls", () => {
  test.each([...statements, ...files].map((one) => [one.name, one] as const))("%s", (_, one) => {
    const facts = { test: one.test, ...(one.runtime === undefined ? {} : { runtime: one.runtime }) };
    const found = findErrorCalls(readAlTokens(one.text), facts);
    expect(shown(one.text, found)).toEqual(wanted(one));
    for (const [at, { after }] of one.expected.entries()) {
      const { suggestion, edits, start = 0, end = 0 } = found[at] ?? {};
      expect(edits === undefined).toBe(after === undefined);
      if (after === undefined) continue;
      expect(suggestion).toBe(after);
      const changed = applyAll(one.text, edits ?? []);
      expect(changed).toBe(one.text.slice(0, start) + after + one.text.slice(end));
    }
  });
});

describe("number series", () => {
  test.each(noSeries.map((one) => [one.name, one] as const))("%s", (_, one) => {
    const found = findNoSeries(readAlTokens(one.text));
    expect(shown(one.text, found)).toEqual(wanted(one));
    const changed = applyAll(
      one.text,
      found.flatMap(({ edits }) => edits ?? []),
    );
    expect(changed).toBe(one.fixed ?? one.text);
    const again = findNoSeries(readAlTokens(changed));
    expect(again.filter(({ auto }) => auto)).toEqual([]);
    for (const { section, action } of found) expect([section, action]).not.toContain(undefined);
  });
});

test("the corpus is large, and nothing in it is missed or false", () => {
  const cases = [...statements, ...files, ...noSeries];
  let expected = 0;
  let found = 0;
  let missed = 0;
  let wrong = 0;
  for (const one of cases) {
    const tokens = readAlTokens(one.text);
    const facts = { test: one.test, ...(one.runtime === undefined ? {} : { runtime: one.runtime }) };
    const all = noSeries.includes(one) ? findNoSeries(tokens) : findErrorCalls(tokens, facts);
    const keys = new Set(one.expected.map((each) => `${each.start}-${each.end} ${each.type} ${each.level}`));
    const seen = new Set(all.map((each) => `${each.start}-${each.end} ${each.type} ${levelOf(each)}`));
    expected += keys.size;
    found += all.length;
    missed += [...keys].filter((key) => !seen.has(key)).length;
    wrong += [...seen].filter((key) => !keys.has(key)).length;
  }
  process.stdout.write(`corpus: ${cases.length} cases, ${expected} places expected, ${found} found, ${missed} missed, ${wrong} false\n`);
  expect(cases.length).toBeGreaterThanOrEqual(300);
  expect({ missed, wrong }).toEqual({ missed: 0, wrong: 0 });
});
