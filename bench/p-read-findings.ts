/** (p) Reading what linters print, 100,000 results: time against `JSON.parse` of the same text, memory while nobody holds the text, and time that grows with the text and no faster. */
import { readFindings } from "../src/findings/index.ts";
import { takeTurns, type Round } from "./rounds.ts";
import { Verdict } from "./verdict.ts";

const results = 100_000;
const perFile = 50;
const chunkSize = 64 * 1024;
type Format = Parameters<typeof readFindings>[1]["format"];
const pattern = String.raw`^(?<file>[^(]+)\((?<line>\d+),(?<column>\d+)\): (?<severity>error|warning) (?<rule>TS\d+): (?<message>.*)$`;

async function read(text: AsyncIterable<string>, format: Format, fitting: string = pattern): Promise<number> {
  let count = 0;
  for await (const found of readFindings(text, { tool: "bench", format, pattern: fitting, workspace: "/srv/app" }))
    count += "path" in found ? 1 : 0;
  return count;
}

async function* pieces(text: string): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < text.length; at += chunkSize) yield text.slice(at, at + chunkSize);
}

async function* inChunks(parts: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let held = "";
  for (const part of parts) {
    held += part;
    if (held.length < chunkSize) continue;
    yield held;
    held = "";
  }
  yield held;
}

const line = 'export const label = (name: string): string => `a "quoted" ${name}\\n`; // ü\n';
const source = line.repeat(250);

/** A copy of each file beside its messages, as ESLint writes it. */
function* eslint(): Generator<string, void, undefined> {
  for (let file = 0; file < results / perFile; file += 1) {
    const messages = Array.from({ length: perFile }, (_each, at) => ({
      ruleId: `rule-${at % 20}`,
      severity: 1 + (at % 2),
      message: `Unexpected thing number ${at} in "this" place.`,
      line: at + 1,
      column: 7,
      nodeType: "Identifier",
      messageId: "unexpected",
      endLine: at + 1,
      endColumn: 12,
      fix: { range: [at * 80, at * 80 + 5], text: "other" },
    }));
    const entry = {
      filePath: `/srv/app/src/area-${file % 40}/file-${file}.ts`,
      messages,
      suppressedMessages: [],
      errorCount: 25,
      source,
      usedDeprecatedRules: [],
    };
    yield `${file === 0 ? "[" : ","}${JSON.stringify(entry)}`;
  }
  yield "]";
}

/** Results in front of the rules and of the unit of columns, with the code around each. */
function* sarif(): Generator<string, void, undefined> {
  yield '{"version":"2.1.0","runs":[{"results":[';
  for (let at = 0; at < results; at += 1) {
    const physical = (uri: string): object => ({
      artifactLocation: { uri, uriBaseId: "SRC", index: at % 2000 },
      region: { startLine: 3 + (at % 500), startColumn: 5, endLine: 3 + (at % 500), endColumn: 17, snippet: { text: line.repeat(4) } },
    });
    const uri = `src/area-${at % 40}/file-${at % 2000}.ts`;
    const result = {
      ruleId: `rule-${at % 50}`,
      ruleIndex: at % 50,
      message: { text: `Unexpected thing number ${at} in "this" place.` },
      locations: [{ physicalLocation: physical(uri) }],
      relatedLocations: [{ id: 1, physicalLocation: physical(uri) }],
      partialFingerprints: { primary: `${at}:1` },
    };
    yield `${at === 0 ? "" : ","}${JSON.stringify(result)}`;
  }
  const rules = Array.from({ length: 50 }, (_each, at) => ({
    id: `rule-${at}`,
    defaultConfiguration: { level: "error" },
    help: { text: line.repeat(10) },
  }));
  const artifacts = Array.from({ length: 2000 }, (_each, at) => ({ location: { uri: `src/file-${at}.ts` }, contents: { text: source } }));
  yield `],"tool":{"driver":{"name":"bench","rules":${JSON.stringify(rules)}}},"originalUriBaseIds":{"SRC":{"uri":"file:///srv/app/"}},"artifacts":[`;
  for (const [at, artifact] of artifacts.entries()) yield `${at === 0 ? "" : ","}${JSON.stringify(artifact)}`;
  yield '],"columnKind":"utf16CodeUnits"}]}';
}

function* lines(): Generator<string, void, undefined> {
  for (let at = 0; at < results; at += 1) {
    yield `src/area-${at % 40}/file-${at % 2000}.ts(${at % 900},5): error TS2322: Type 'string' is not assignable to type '${"number | ".repeat(6)}'.\n`;
    yield "  The expected type comes from the property that is declared here.\n";
  }
}

const outputs: Readonly<Record<Format, () => Generator<string, void, undefined>>> = { sarif, eslint, lines };
const verdict = new Verdict();
const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

verdict.title(`(p) reading what tools print, ${results} results`);
const before = megabytes(process.resourceUsage().maxRSS * 1000);
for (const format of ["eslint", "lines", "sarif"] as const) {
  verdict.exactly(`${format}: findings`, await read(inChunks(outputs[format]()), format), results);
  verdict.count(
    `${format}: peak memory of the process in MB (${before} before)`,
    megabytes(process.resourceUsage().maxRSS * 1000),
    format === "sarif" ? 300 : 200,
  );
}

for (const [format, limit] of [
  ["eslint", 8],
  ["sarif", 8],
  ["lines", undefined],
] as const) {
  const text = [...outputs[format]()].join("");
  // Lines are not JSON: there, splitting and matching by the engine is the measure.
  const regex = new RegExp(pattern);
  const reference =
    format === "lines" ? () => text.split("\n").filter((each) => regex.exec(each) !== null).length : () => JSON.parse(text) as unknown;
  const rounds = await takeTurns(
    { reader: { turn: () => read(pieces(text), format) }, reference: { turn: reference } },
    { rounds: 5, turns: 1, warmUp: 1 },
  );
  verdict.compare(rounds, {
    what: `${format}, ${megabytes(text.length)} million characters`,
    shown: {
      [`read in pieces of ${chunkSize / 1024} KB`]: of("reader"),
      [format === "lines" ? "split and RegExp" : "JSON.parse"]: of("reference"),
    },
    ratio: (round) => of("reader")(round) / of("reference")(round),
    ratioName: format === "lines" ? "reader / split and RegExp" : "reader / JSON.parse",
    ...(limit === undefined ? {} : { limit }),
  });
}

/** Texts of a size that a careless reader would look at again and again. */
const shapes: Readonly<Record<string, readonly [Format, (size: number) => string]>> = {
  "backslashes in a text": ["sarif", (size) => `{"x":"${"\\\\".repeat(size / 2)}"}`],
  "quotes that are escaped": ["sarif", (size) => `{"x":"${'\\"'.repeat(size / 2)}"}`],
  "one long line of values": ["sarif", (size) => `{"x":0${',"y":1'.repeat(size / 6)}}`],
  "line breaks": ["sarif", (size) => `{${"\n".repeat(size)}}`],
  "a list in a list that is cut off": ["eslint", (size) => `[{"messages":[${"{},".repeat(size / 3)}`],
  "an escape of a terminal without an end": ["lines", (size) => "\u001b]".repeat(size / 2)],
  "lines that nearly fit in many ways": ["lines", (size) => `${"a".repeat(999)}\n`.repeat(size / 1000)],
};
for (const [shape, [format, make]] of Object.entries(shapes)) {
  const [one, four] = [make(1_000_000), make(4_000_000)];
  const turn = (text: string) => async (): Promise<unknown> =>
    read(pieces(text), format, "(?<file>(?:a|a)*)*(?<line>\\d)").catch(() => undefined);
  const rounds = await takeTurns({ one: { turn: turn(one) }, four: { turn: turn(four) } }, { rounds: 5, turns: 1, warmUp: 1 });
  verdict.compare(rounds, {
    what: shape,
    shown: { "1 million characters": of("one"), "4 million": of("four") },
    ratio: (round) => of("four")(round) / of("one")(round),
    ratioName: "4 million / 1 million",
    limit: 8,
  });
}
verdict.finish();

function of(name: string): (round: Round) => number {
  return (round) => round[name] ?? Number.NaN;
}
