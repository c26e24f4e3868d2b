/** Rules that hold for any output, cut into any chunks. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { isWaymarkError } from "../../base/index.ts";
import type { Finding, Region } from "../../ports/index.ts";
import { findingsOf, type Read } from "../../../test/support/findings-of.ts";
import { writeSarif, type ReportedFinding } from "../index.ts";
import type { Reading } from "./reading.ts";

type Json = Readonly<Record<string, unknown>>;

async function* cut(text: string, at: readonly number[]): AsyncGenerator<string, void, undefined> {
  const places = [...new Set(at.map((place) => place % (text.length + 1)))].sort((one, two) => one - two);
  let from = 0;
  for (const place of [...places, text.length]) {
    yield text.slice(from, place);
    from = place;
  }
}

/** Findings, or the sentence of the refusal. */
async function outcome(chunks: AsyncIterable<string>, format: Reading["format"]): Promise<readonly Read[] | string> {
  try {
    return await findingsOf(chunks, { format, pattern: "^(?<file>[^:]+):(?<line>\\d+)" });
  } catch (error) {
    if (isWaymarkError(error)) return error.message;
    throw error;
  }
}

const words = fc.string({
  unit: fc.constantFrom(...Array.from("ab \\\"'{}[],:\n\t/%#\u00e9\u{1f600}\u2028\u0000")),
  minLength: 1,
  maxLength: 12,
});
/** On one line: others are changed. */
const ruleNames = fc.string({ unit: fc.constantFrom(...Array.from('ab-/@()"\\{}[]é😀')), minLength: 1, maxLength: 12 });
const name = fc
  .string({ unit: fc.constantFrom(...Array.from("abC[]#% é😀+")), minLength: 1, maxLength: 6 })
  .filter((text) => text.trim() !== "");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const places = fc.array(fc.nat(5000), { maxLength: 12 });
const line = fc.integer({ min: 1, max: 9 });

const region: fc.Arbitrary<Region> = fc.oneof(
  line.map((at) => ({ line: at })),
  fc.tuple(line, line).map(([at, column]) => ({ line: at, column })),
  fc.tuple(line, line, line, line).map(([at, column, lines, width]) => ({ line: at, column, endLine: at + lines, endColumn: width })),
  fc.tuple(fc.nat(99), fc.nat(9)).map(([offset, length]) => ({ offset, length, unit: "utf16" as const })),
);

const suppressed = fc.option(fc.record({ kind: fc.constantFrom("in_source" as const, "external" as const), reason: words }), {
  nil: undefined,
});
const finding: fc.Arbitrary<Finding> = fc
  .record(
    {
      tool: fc.constant("tool"),
      rule: ruleNames,
      severity: fc.constantFrom("error" as const, "warning" as const, "info" as const),
      message: words,
      path,
      region,
      suppressed,
      fix: fc.option(
        fc.array(
          fc.record({
            region: fc.tuple(fc.nat(99), fc.nat(9)).map(([offset, length]) => ({ offset, length, unit: "utf16" as const })),
            text: words,
          }),
          { minLength: 1, maxLength: 2 },
        ),
        { nil: undefined },
      ),
    },
    { requiredKeys: ["tool", "rule", "severity", "message", "path", "region"] },
  )
  .map((each) => JSON.parse(JSON.stringify(each)) as Finding);

/** Keys in another order, and what a reader passes over among them. */
function shuffled(object: Json, seed: number, more: Json = {}): Json {
  const entries = Object.entries({ ...object, ...more }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries
      .map((entry, index) => [(index * 7 + seed) % 11, entry] as const)
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry),
  );
}

const clutter: Json = { contents: { text: '"}]\\' }, codeFlows: [[{ a: ['\\"', 1.5e3, null] }]], extra: "\u0000" };

function sarifRegion(at: Region): Json {
  if (!("line" in at)) return { charOffset: at.offset, charLength: at.length };
  return { startLine: at.line, startColumn: at.column, endLine: at.endLine, endColumn: at.endColumn };
}

function sarifOf(findings: readonly Finding[], seed: number): string {
  const levels = { error: "error", warning: "warning", info: "note", critical: "error" };
  const at = (uri: string): Json => ({ uri: uri.split("/").map(encodeURIComponent).join("/") });
  const results = findings.map(({ rule, severity, message, path: uri, region: place, fix, suppressed: by }) =>
    shuffled(
      {
        ruleId: rule,
        level: levels[severity],
        message: { text: message },
        locations: [{ physicalLocation: shuffled({ artifactLocation: at(uri), region: sarifRegion(place) }, seed, clutter) }],
        suppressions: by === undefined ? [] : [{ kind: by.kind === "in_source" ? "inSource" : "external", justification: by.reason }],
        fixes: fix && [
          {
            artifactChanges: [
              {
                artifactLocation: at(uri),
                replacements: fix.map((edit) => ({ deletedRegion: sarifRegion(edit.region), insertedContent: { text: edit.text } })),
              },
            ],
          },
        ],
      },
      seed,
      clutter,
    ),
  );
  const run = shuffled({ tool: { driver: { name: "x" } }, results, columnKind: "utf16CodeUnits", artifacts: [clutter] }, seed, clutter);
  return JSON.stringify(shuffled({ version: "2.1.0", runs: [run] }, seed, clutter), undefined, seed % 3);
}

function eslintOf(findings: readonly Finding[], seed: number): string {
  const messageOf = ({ rule, severity, message, region: place, fix, suppressed: by }: Finding): Json =>
    shuffled(
      {
        ruleId: rule,
        severity: severity === "error" ? 2 : 1,
        message,
        ...("line" in place ? place : {}),
        fix: fix && {
          range: "offset" in fix[0]!.region ? [fix[0]!.region.offset, fix[0]!.region.offset + fix[0]!.region.length] : [],
          text: fix[0]!.text,
        },
        suppressions: by && [{ kind: by.kind === "in_source" ? "directive" : "file", justification: by.reason }],
      },
      seed,
      clutter,
    );
  const files = findings.map((each) => {
    const key = each.suppressed === undefined ? "messages" : "suppressedMessages";
    return shuffled({ messages: [], suppressedMessages: [], filePath: `/w/${each.path}`, [key]: [messageOf(each)] }, seed, {
      source: 'x"]}\\',
    });
  });
  return JSON.stringify(files, undefined, seed % 3);
}

test("SARIF that is written from findings gives them back, in any order of keys, cut anywhere", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(finding, { maxLength: 4 }), fc.nat(10), places, async (findings, seed, at) => {
      expect(await outcome(cut(sarifOf(findings, seed), at), "sarif")).toEqual(findings);
    }),
    { numRuns: 40 },
  );
});

test("ESLint's JSON too", async () => {
  const byLine = finding.filter(
    ({ region: place, severity, fix }) => "line" in place && severity !== "info" && (fix === undefined || fix.length === 1),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(byLine, { maxLength: 4 }), fc.nat(10), places, async (findings, seed, at) => {
      expect(await outcome(cut(eslintOf(findings, seed), at), "eslint")).toEqual(findings);
    }),
    { numRuns: 40 },
  );
});

test("a document that is damaged anywhere gives the same outcome however it is cut, and no other error than its own", async () => {
  const damage = fc.tuple(
    fc.nat(3000),
    fc.nat(6),
    fc.constantFrom("", '"', "}", "]", "{", "[", ",", ":", "\\", "\n", "nul", "1", "\0", "\uD800", "\u{1f600}"),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(finding, { minLength: 1, maxLength: 2 }),
      fc.constantFrom("sarif" as const, "eslint" as const, "lines" as const),
      damage,
      places,
      async (findings, format, [at, length, text], chunks) => {
        const sound = format === "sarif" ? sarifOf(findings, at % 11) : eslintOf(findings, at % 11);
        const place = at % sound.length;
        const damaged = sound.slice(0, place) + text + sound.slice(place + length);
        const expected = await outcome(cut(damaged, []), format);
        expect(await outcome(cut(damaged, chunks), format)).toEqual(expected);
        expect(
          await outcome(
            cut(
              damaged,
              Array.from(damaged, (_each, index) => index),
            ),
            format,
          ),
        ).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});

test("any text at all is read or refused", async () => {
  const json = fc.json({ maxDepth: 5 });
  const text = fc.oneof(
    json,
    words,
    fc.array(fc.nat(0xffff), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes)),
    json.map((each) => `[{"filePath":"a","messages":[${each}]}]`),
    json.map((each) => `{"version":"2.1.0","runs":[{"results":[${each}]}]}`),
  );
  await fc.assert(
    fc.asyncProperty(text, places, fc.constantFrom("sarif" as const, "eslint" as const, "lines" as const), async (any, at, format) => {
      expect(await outcome(cut(any, at), format)).toEqual(await outcome(cut(any, []), format));
    }),
    { numRuns: 40 },
  );
});

test("the SARIF that we write is read back: rule, severity, message, place, fix and suppression", async () => {
  const reported: fc.Arbitrary<ReportedFinding> = fc
    .record(
      {
        file: path,
        line,
        column: line,
        severity: fc.constantFrom("critical" as const, "error" as const, "warning" as const, "info" as const),
        rule: ruleNames,
        message: words,
        autoFixable: fc.boolean(),
        fingerprint: fc.uuid(),
        suppressed,
        help: fc.constant("https://example.org/rule"),
        fixes: fc.array(
          fc.record({ line, column: line, text: words }).map((edit) => ({ ...edit, endLine: edit.line + 1, endColumn: 1 })),
          { minLength: 1, maxLength: 2 },
        ),
      },
      { requiredKeys: ["file", "line", "column", "severity", "rule", "message", "autoFixable", "fingerprint"] },
    )
    .map((each) => JSON.parse(JSON.stringify({ ...each, endLine: each.line, endColumn: each.column + 3 })) as ReportedFinding);
  await fc.assert(
    fc.asyncProperty(fc.array(reported, { maxLength: 4 }), async (findings) => {
      const about = { workflow: "w", version: "1", root: "/w", rules: [], summary: () => ({}) };
      const texts = writeSarif(
        (async function* () {
          yield* findings;
        })(),
        about,
      );
      const helpful = new Map(findings.toReversed().map(({ rule, help }) => [rule, help]));
      const expected = findings.map(({ file, severity, rule, message, line: at, column, endLine, endColumn, suppressed: by, fixes }) => ({
        tool: "tool",
        rule,
        severity,
        message,
        path: file,
        region: { line: at, column, endLine, endColumn },
        ...(helpful.get(rule) === undefined ? {} : { help: helpful.get(rule) }),
        ...(by === undefined ? {} : { suppressed: by }),
        ...(fixes === undefined ? {} : { fix: fixes.map(({ text, ...place }) => ({ region: place, text })) }),
      }));
      expect(await findingsOf(texts, { format: "sarif" })).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});
