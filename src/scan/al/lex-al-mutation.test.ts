import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findErrorCalls } from "./al-error-call.ts";
import { readFileCases, readStatementCases, type CorpusCase } from "../../../test/support/al-corpus.ts";
import { alLexRules, type AlLexRules } from "./al-characters.ts";
import { readAlTokens } from "./lex-al.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "corpus", name), "utf8");
const cases = [
  ...readStatementCases(read("error-statements.txt"), read("statement-frame.al.txt")),
  ...readFileCases(read("error-files.txt")),
];

function holds(one: CorpusCase, rules: AlLexRules): boolean {
  const found = findErrorCalls(readAlTokens(one.text, rules), {
    test: one.test,
    ...(one.runtime === undefined ? {} : { runtime: one.runtime }),
  });
  const seen = found.map(({ start, end, type, auto, needs }) => `${start}-${end} ${type} ${auto ? "auto" : needs}`);
  return seen.join() === one.expected.map(({ start, end, type, level }) => `${start}-${end} ${type} ${level}`).join();
}

test("every case holds with all rules, and each rule switched off breaks at least one", () => {
  const broken = (rules: AlLexRules): number => cases.filter((one) => !holds(one, rules)).length;
  expect(broken(alLexRules)).toBe(0);
  const names = Object.keys(alLexRules) as (keyof AlLexRules)[];
  const counts = names.map((name) => [name, broken({ ...alLexRules, [name]: false })] as const);
  const noticed = counts.filter(([, count]) => count > 0).length;
  process.stdout.write(
    `lexer rules: ${names.length} switched off one by one, ${noticed} noticed (${counts.map(([name, count]) => `${name} ${count}`).join(", ")})\n`,
  );
  expect(counts.filter(([, count]) => count === 0)).toEqual([]);
});
