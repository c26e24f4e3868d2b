import { expect, test } from "vitest";
import { chunksOf, findingsOf, type Read } from "../../../test/support/findings-of.ts";

type Json = Readonly<Record<string, unknown>>;

const unwanted: Json = { ruleId: "no-var", severity: 2, message: "Unexpected var.", line: 1, column: 1, endLine: 1, endColumn: 11 };

function fileOf(messages: readonly Json[], more: Json = {}): Json {
  return { filePath: "/w/src/a.js", messages, suppressedMessages: [], errorCount: 1, ...more };
}

const read = (...files: readonly Json[]): Promise<Read[]> => findingsOf(JSON.stringify(files), { format: "eslint" });
const one = async (message: Json, more: Json = {}): Promise<Read | undefined> => (await read(fileOf([message], more)))[0];

test("a message is a finding; severity 2 is an error and 1 a warning", async () => {
  expect(await read(fileOf([unwanted, { ...unwanted, severity: 1 }]))).toEqual([
    {
      tool: "tool",
      rule: "no-var",
      severity: "error",
      message: "Unexpected var.",
      path: "src/a.js",
      region: { line: 1, column: 1, endLine: 1, endColumn: 11 },
    },
    expect.objectContaining({ severity: "warning" }),
  ]);
});

test("a file that could not be parsed is a finding with a rule of its own, also without a line", async () => {
  const fatal = { ruleId: null, fatal: true, severity: 2, message: "Parsing error: Unexpected token" };
  expect(await one({ ...fatal, line: 3, column: 7 })).toMatchObject({
    rule: "parse-error",
    severity: "error",
    region: { line: 3, column: 7 },
  });
  expect(await one(fatal)).toMatchObject({ rule: "parse-error", path: "src/a.js", region: { line: 1 } });
});

test("a message about no line is counted, not placed; one without a rule has a name for it", async () => {
  expect(await one({ ruleId: null, severity: 1, message: "File ignored.", fatal: false })).toMatchObject({
    unplaced: "no_file",
    rule: "unnamed",
  });
  expect(await one({ ruleId: null, severity: 1, message: "Unused directive.", line: 4, column: 1 })).toMatchObject({
    rule: "unnamed",
    path: "src/a.js",
  });
  expect(await one(unwanted, { filePath: "<text>" })).toMatchObject({ unplaced: "no_file" });
  expect(await one(unwanted, { filePath: "/else/a.js" })).toMatchObject({ unplaced: "outside", named: "/else/a.js" });
});

test("its fix is taken, suggestions are not", async () => {
  expect(await one({ ...unwanted, fix: { range: [4, 10], text: "let" } })).toMatchObject({
    fix: [{ region: { offset: 4, length: 6, unit: "utf16" }, text: "let" }],
  });
  const suggestions = [{ desc: "Use it.", fix: { range: [0, 1], text: "x" } }];
  expect(await one({ ...unwanted, suggestions })).not.toHaveProperty("fix");
});

test("an edit of the byte order mark, or of half a character, is no fix", async () => {
  for (const fix of [
    { range: [-1, 0], text: "" },
    { range: [0, 0], text: "\uFEFF" },
    { range: [5, 2], text: "" },
    { range: [0, 1], text: "\ud83d" },
  ]) {
    expect(await one({ ...unwanted, fix })).not.toHaveProperty("fix");
  }
});

test("suppressed messages say why", async () => {
  const of = (kind: string, justification: string): Json => ({ ...unwanted, suppressions: [{ kind, justification }] });
  const all = await read(fileOf([], { suppressedMessages: [of("directive", "old browsers"), of("file", "")] }));
  expect(all.map(({ suppressed }) => suppressed)).toEqual([{ kind: "in_source", reason: "old browsers" }, { kind: "external" }]);
});

test("the order of keys and the place of the cuts make no difference, and sources are passed over", async () => {
  const { filePath, ...rest } = fileOf([{ ...unwanted, message: 'A "quoted" \\ \ud83d\ude00 \u2028 text\n' }], {
    source: 'const s = "}]\\"";\n'.repeat(50),
    output: '"{',
  });
  const first = JSON.stringify([{ filePath, ...rest }, fileOf([])], undefined, 1);
  const last = JSON.stringify([{ ...rest, filePath }, fileOf([])]);
  const whole = await findingsOf(first, { format: "eslint" });
  expect(whole).toHaveLength(1);
  for (const text of [first, last]) {
    for (const size of [1, 2, 3, 7]) expect(await findingsOf(chunksOf(text, size), { format: "eslint" })).toEqual(whole);
  }
});

test("a rule is a name on one line, and a message has an end", async () => {
  const [rule, message] = [`a\n\u001b[31mb ${"x".repeat(300)}`, "y".repeat(5000)];
  const found = await one({ ...unwanted, ruleId: rule, message });
  expect(found?.rule).toBe(`a \\u001b[31mb ${"x".repeat(183)}...`);
  expect(found?.message).toBe(`${"y".repeat(4000)}... (5000 characters)`);
  expect(await one({ ...unwanted, ruleId: " " })).toMatchObject({ rule: "unnamed" });
});

test("no file is no finding", async () => {
  expect(await read()).toEqual([]);
});
