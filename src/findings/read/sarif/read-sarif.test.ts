import { describe, expect, test } from "vitest";
import { chunksOf, findingsOf, type Read } from "../../../../test/support/findings-of.ts";
import type { Reading } from "../reading.ts";

type Json = Readonly<Record<string, unknown>>;

const region = { startLine: 2, startColumn: 3, endLine: 2, endColumn: 9 };

function resultIn(uri: string, more: Json = {}): Json {
  return {
    ruleId: "r",
    message: { text: "said" },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
    ...more,
  };
}

function runOf(results: readonly Json[], more: Json = {}): Json {
  return { tool: { driver: { name: "x" } }, results, ...more };
}

function document(...runs: readonly Json[]): string {
  return JSON.stringify({ $schema: "https://example.org/sarif.json", version: "2.1.0", runs });
}

const read = (text: string, reading: Partial<Reading> = {}): Promise<Read[]> => findingsOf(text, { format: "sarif", ...reading });

async function one(result: Json, run: Json = {}, reading: Partial<Reading> = {}): Promise<Read | undefined> {
  const all = await read(document(runOf([result], run)), reading);
  expect(all.length).toBeLessThan(2);
  return all[0];
}

const rules = (...list: readonly Json[]): Json => ({ tool: { driver: { name: "x", rules: list } } });

test("a result is a finding with rule, severity, message, place and help", async () => {
  const found = await one(resultIn("src/a.ts", { level: "error" }), rules({ id: "r", helpUri: "https://example.org/r" }));
  expect(found).toEqual({
    tool: "tool",
    rule: "r",
    severity: "error",
    message: "said",
    help: "https://example.org/r",
    path: "src/a.ts",
    region: { line: 2, column: 3, endLine: 2, endColumn: 9 },
  });
});

describe("severity", () => {
  test.each([
    ["error", "error"],
    ["warning", "warning"],
    ["note", "info"],
    ["none", "info"],
    ["high", "error"],
    ["whatever", "warning"],
    [undefined, "warning"],
    [null, "warning"],
  ])("the level %s is %s", async (level, severity) => {
    expect(await one(resultIn("a", { level }))).toMatchObject({ severity });
  });

  test("without a level it is the one of the rule, found by index, by id, by the part of the tool that has it", async () => {
    const rule = { id: "r", defaultConfiguration: { level: "error" } };
    const other = { id: "other", defaultConfiguration: { level: "note" } };
    expect(await one(resultIn("a", { ruleId: undefined, ruleIndex: 1 }), rules(other, rule))).toMatchObject({
      rule: "r",
      severity: "error",
    });
    expect(await one(resultIn("a"), rules(other, rule))).toMatchObject({ severity: "error" });
    expect(await one(resultIn("a", { ruleId: undefined, rule: { id: "r" } }), rules(other, rule))).toMatchObject({ severity: "error" });
    expect(await one(resultIn("a", { ruleId: "r/part" }), rules(other, rule))).toMatchObject({ rule: "r/part", severity: "error" });
    const parts = {
      tool: {
        driver: { name: "x", rules: [other] },
        extensions: [
          { name: "e0", rules: [other] },
          { name: "e1", guid: "g", rules: [rule] },
        ],
      },
    };
    for (const toolComponent of [{ index: 1 }, { name: "e1" }, { guid: "g" }]) {
      expect(await one(resultIn("a", { ruleId: undefined, rule: { index: 0, toolComponent } }), parts)).toMatchObject({
        rule: "r",
        severity: "error",
      });
    }
    expect(await one(resultIn("a"), parts)).toMatchObject({ severity: "error" });
  });

  test("an index that leads to a rule of another name is not believed", async () => {
    const list = rules({ id: "other", defaultConfiguration: { level: "note" } }, { id: "r", defaultConfiguration: { level: "error" } });
    expect(await one(resultIn("a", { ruleIndex: 0 }), list)).toMatchObject({ severity: "error" });
    expect(await one(resultIn("a", { ruleIndex: 9 }), list)).toMatchObject({ severity: "error" });
  });

  test("our own one is read back", async () => {
    expect(await one(resultIn("a", { level: "error", properties: { waymarkSeverity: "critical" } }))).toMatchObject({
      severity: "critical",
    });
    expect(await one(resultIn("a", { level: "error", properties: { waymarkSeverity: "x" } }))).toMatchObject({ severity: "error" });
  });
});

test("what passed, or is gone since the baseline, is no finding", async () => {
  for (const kind of ["pass", "open", "review", "notApplicable", "informational"])
    expect(await one(resultIn("a", { kind }))).toBeUndefined();
  expect(await one(resultIn("a", { kind: "fail" }))).toBeDefined();
  expect(await one(resultIn("a", { baselineState: "absent" }))).toBeUndefined();
  for (const baselineState of ["new", "unchanged", "updated"]) expect(await one(resultIn("a", { baselineState }))).toBeDefined();
});

test.each([
  [[{ kind: "inSource", justification: "wanted" }], { kind: "in_source", reason: "wanted" }],
  [[{ kind: "external", status: "accepted" }], { kind: "external" }],
  [[{ kind: "inSource", justification: "" }], { kind: "in_source" }],
  [[{ kind: "external", status: "underReview" }], undefined],
  [[{ kind: "inSource" }, { kind: "external", status: "rejected" }], undefined],
  [[], undefined],
  [null, undefined],
])("suppressions %j settle as %j", async (suppressions, suppressed) => {
  const found = await one(resultIn("a", { suppressions }));
  expect(found?.suppressed).toEqual(suppressed);
});

describe("message", () => {
  const message = async (value: Json, run: Json = {}, more: Json = {}): Promise<string | undefined> =>
    (await one(resultIn("a", { message: value, ...more }), run))?.message;

  test("placeholders are filled only where there are arguments", async () => {
    expect(await message({ text: "use `{0}` or {{}}", arguments: ["x"] })).toBe("use `x` or {}");
    expect(await message({ text: "use {0} and {1}", arguments: ["x"] })).toBe("use x and {1}");
    expect(await message({ text: "use `{0}` or {{}}" })).toBe("use `{0}` or {{}}");
  });

  test("by id it comes from the rule, else from the tool", async () => {
    const run = {
      tool: {
        driver: {
          name: "x",
          rules: [{ id: "r", messageStrings: { m: { text: "of {0}" } } }],
          globalMessageStrings: { g: { markdown: "*all*" } },
        },
      },
    };
    expect(await message({ id: "m", arguments: ["a"] }, run)).toBe("of a");
    expect(await message({ id: "g" }, run)).toBe("*all*");
  });

  test("without one of its own it is what the rule is about, else the name of the rule", async () => {
    expect(await message({ id: "none" }, rules({ id: "r", shortDescription: { text: "About it." } }))).toBe("About it.");
    expect(await message({ id: "constructor" })).toBe("r");
    expect(await message({ markdown: "**bold**" })).toBe("**bold**");
  });

  test("a link to a place of the result becomes words; other brackets stay", async () => {
    const more = { relatedLocations: [{ id: 1 }] };
    expect(await message({ text: "from [user \\[0\\]](1), not a[0](2)" }, {}, more)).toBe("from user [0], not a[0](2)");
    expect(await message({ text: "call a[0](1)" })).toBe("call a[0](1)");
  });

  test("half a character becomes a mark of replacement", async () => {
    expect(await message({ text: "x\ud800y" })).toBe("x\ufffdy");
  });
});

describe("place", () => {
  const at = async (artifactLocation: Json, run: Json = {}, reading: Partial<Reading> = {}): Promise<string | undefined> => {
    const found = await one({ message: { text: "m" }, locations: [{ physicalLocation: { artifactLocation, region } }] }, run, reading);
    return found === undefined || "unplaced" in found ? `${found?.unplaced}: ${found?.named}` : found.path;
  };

  test.each([
    ["src/a.ts", "src/a.ts"],
    ["./src/../a.ts", "a.ts"],
    ["/w/src/a.ts", "src/a.ts"],
    ["file:///w/src/a.ts", "src/a.ts"],
    ["file://localhost/w/a.ts", "a.ts"],
    ["file:/w/a.ts", "a.ts"],
    ["file:///w/a%20b/%C3%BC%23.ts", "a b/ü#.ts"],
    ["sub dir/b%20.ts", "sub dir/b%20.ts"],
    ["100%.ts", "100%.ts"],
    ["app/[id]/page.ts", "app/[id]/page.ts"],
    ["src\\a.ts", "src/a.ts"],
    ["/other/a.ts", "outside: /other/a.ts"],
    ["../a.ts", "outside: ../a.ts"],
    ["/w", "outside: /w"],
    ["/wide/a.ts", "outside: /wide/a.ts"],
    ["https://example.org/w/a.ts", "outside: https://example.org/w/a.ts"],
    ["file:///w/a%00.ts", "outside: /w/a\0.ts"],
  ])("%s is %s", async (uri, path) => {
    expect(await at({ uri })).toBe(path);
  });

  test.each([
    ["C:\\Work\\app", "file:///C:/Work/app/src/A.ts", "src/A.ts"],
    ["C:\\Work\\app", "file:///c%3A/work/APP/src/A.ts", "src/A.ts"],
    ["C:\\Work\\app", "file://C:/Work/app/a.ts", "a.ts"],
    ["C:/Work/app", "C:\\Work\\app\\src\\a.ts", "src/a.ts"],
    ["C:/Work/app", "D:/Work/app/a.ts", "outside: D:/Work/app/a.ts"],
    ["\\\\server\\share", "file://server/share/a.ts", "a.ts"],
    ["/w", "C:/w/a.ts", "outside: C:/w/a.ts"],
  ])("in %s, %s is %s", async (workspace, uri, path) => {
    expect(await at({ uri }, {}, { workspace })).toBe(path);
  });

  test("bases stand in front of each other, and one that is not known is the workspace", async () => {
    const originalUriBaseIds = {
      ROOT: { uri: "file:///w/" },
      SRC: { uri: "src/", uriBaseId: "ROOT" },
      A: { uri: "a/", uriBaseId: "B" },
      B: { uri: "b/", uriBaseId: "A" },
      OPEN: {},
    };
    const run = { originalUriBaseIds };
    expect(await at({ uri: "a.ts", uriBaseId: "SRC" }, run)).toBe("src/a.ts");
    expect(await at({ uri: "a.ts", uriBaseId: "OPEN" }, run)).toBe("a.ts");
    expect(await at({ uri: "a.ts", uriBaseId: "%SRCROOT%" }, run)).toBe("a.ts");
    expect(await at({ uri: "/w/a.ts", uriBaseId: "SRC" }, run)).toBe("a.ts");
    expect(await at({ uri: "x.ts", uriBaseId: "A" }, run)).toContain("x.ts");
  });

  test("by its index in the list of files", async () => {
    const run = {
      artifacts: [{ location: { uri: "zero.ts" } }, {}, { location: { uri: "two.ts", uriBaseId: "S" } }],
      originalUriBaseIds: { S: { uri: "/w/s" } },
    };
    expect(await at({ index: 2 }, run)).toBe("s/two.ts");
    expect(await at({ index: 1 }, run)).toBe("no_file: undefined");
    expect(await at({ index: 7 }, run)).toBe("no_file: undefined");
    expect(await at({ index: -1 }, run)).toBe("no_file: undefined");
  });

  test("a result without a file is there all the same", async () => {
    expect(await one({ ruleId: "r", message: { text: "No tests." } })).toEqual({
      tool: "tool",
      rule: "r",
      severity: "warning",
      message: "No tests.",
      unplaced: "no_file",
    });
  });
});

describe("region", () => {
  const of = async (value: Json | undefined, run: Json = {}): Promise<unknown> => {
    const found = await one(
      { message: { text: "m" }, locations: [{ physicalLocation: { artifactLocation: { uri: "a" }, region: value } }] },
      run,
    );
    return found !== undefined && "region" in found ? found.region : undefined;
  };

  test.each([
    [undefined, { line: 1 }],
    [{}, { line: 1 }],
    [{ startLine: 0 }, { line: 1 }],
    [{ startLine: 4 }, { line: 4 }],
    [
      { startLine: 4, endLine: 6 },
      { line: 4, endLine: 6 },
    ],
    [
      { startLine: 4, startColumn: 2 },
      { line: 4, column: 2 },
    ],
    [{ startLine: 4, startColumn: 0 }, { line: 4 }],
    [
      { startLine: 4, startColumn: 2, endColumn: 5 },
      { line: 4, column: 2, endLine: 4, endColumn: 5 },
    ],
    [
      { startLine: 4, endColumn: 5 },
      { line: 4, column: 1, endLine: 4, endColumn: 5 },
    ],
    [
      { startLine: 4, startColumn: 9, endColumn: 5 },
      { line: 4, column: 9 },
    ],
    [
      { startLine: 4, startColumn: 9, endLine: 3, endColumn: 50 },
      { line: 4, column: 9, endLine: 4, endColumn: 50 },
    ],
    [
      { charOffset: 7, charLength: 3 },
      { offset: 7, length: 3, unit: "utf16" },
    ],
    [{ charOffset: 7 }, { offset: 7, length: 0, unit: "utf16" }],
    [
      { charOffset: -1, byteOffset: 4, byteLength: 2 },
      { offset: 4, length: 2, unit: "bytes" },
    ],
    [{ startLine: 4, byteOffset: 4, byteLength: 2 }, { line: 4 }],
  ])("%j is %j", async (value, expected) => {
    expect(await of(value)).toEqual(expected);
  });

  test("the unit of columns may be named behind the results, and some tools count otherwise than they say", async () => {
    const exact = { line: 2, column: 3, endLine: 2, endColumn: 9 };
    expect(await of(region, { columnKind: "unicodeCodePoints" })).toEqual({ ...exact, columns: "characters" });
    expect(await of(region, { columnKind: "utf16CodeUnits" })).toEqual(exact);
    expect(await of({ charOffset: 1 }, { columnKind: "unicodeCodePoints" })).toEqual({ offset: 1, length: 0, unit: "characters" });
    expect(await of(region, { tool: { driver: { name: "oxlint" } }, columnKind: "unicodeCodePoints" })).toEqual({
      ...exact,
      columns: "bytes",
    });
    expect(await of(region, { tool: { driver: { name: "Biome" } } })).toEqual({ ...exact, columns: "characters" });
    expect(await of({ startLine: 3 }, { columnKind: "unicodeCodePoints" })).toEqual({ line: 3 });
  });
});

describe("fixes", () => {
  const change = (uri: string, ...replacements: readonly Json[]): Json => ({ artifactLocation: { uri }, replacements });
  const edit = (text: string, deletedRegion: Json = region): Json => ({ deletedRegion, insertedContent: { text } });
  const fixOf = async (...fixes: readonly Json[]): Promise<unknown> => {
    const found = await one(resultIn("src/a.ts", { fixes }));
    return found !== undefined && "fix" in found ? found.fix : undefined;
  };
  const exact = { line: 2, column: 3, endLine: 2, endColumn: 9 };

  test("the first one is taken, with all its edits", async () => {
    const edits = [edit("x"), { deletedRegion: { charOffset: 0, charLength: 1 } }];
    const changes = [change("src/a.ts", ...edits), change("file:///w/src/a.ts", edit("y"))];
    expect(await fixOf({ artifactChanges: changes }, { artifactChanges: [change("src/a.ts", edit("other"))] })).toEqual([
      { region: exact, text: "x" },
      { region: { offset: 0, length: 1, unit: "utf16" }, text: "" },
      { region: exact, text: "y" },
    ]);
  });

  test("lines without columns go to the end of the line", async () => {
    expect(await fixOf({ artifactChanges: [change("src/a.ts", edit("", { startLine: 5 }))] })).toEqual([
      { region: { line: 5, column: 1, endLine: 5 }, text: "" },
    ]);
    expect(await fixOf({ artifactChanges: [change("src/a.ts", edit("", { startLine: 5, startColumn: 3 }))] })).toEqual([
      { region: { line: 5, column: 3, endLine: 5 }, text: "" },
    ]);
  });

  test("one that touches another file, or is about bytes or no place, is not taken", async () => {
    for (const place of [{ byteOffset: 3, byteLength: 1 }, {}, { startLine: 0 }])
      expect(await fixOf({ artifactChanges: [change("src/a.ts", edit("x", place))] })).toBeUndefined();
    expect(await fixOf({ artifactChanges: [change("src/a.ts", edit("x")), change("src/b.ts", edit("x"))] })).toBeUndefined();
    expect(
      await fixOf({ artifactChanges: [change("src/a.ts", { deletedRegion: region, insertedContent: { binary: "AAAA" } })] }),
    ).toBeUndefined();
    expect(await fixOf({ artifactChanges: [change("src/a.ts", edit("\udc00"))] })).toBeUndefined();
    expect(await fixOf({ artifactChanges: [] })).toBeUndefined();
  });
});

test("errors that the tool had itself are findings: a file that it could not read", async () => {
  const notification = (level: string): Json => ({
    level,
    message: { text: `${level} said` },
    descriptor: { id: "E1" },
    locations: resultIn("a.ts")["locations"],
  });
  const invocations = [
    {
      executionSuccessful: false,
      toolConfigurationNotifications: [notification("error"), notification("warning")],
      toolExecutionNotifications: [{ level: "error", message: { text: "lost" } }],
    },
  ];
  const all = await read(document(runOf([], { invocations })));
  expect(all).toMatchObject([
    { rule: "tool-error", severity: "error", message: "lost", unplaced: "no_file" },
    { rule: "E1", severity: "error", message: "error said", path: "a.ts" },
  ]);
});

test("runs stay apart, and what comes behind the results counts for them", async () => {
  const early = {
    results: [resultIn("a.ts", { ruleIndex: 0, ruleId: undefined, level: undefined })],
    columnKind: "unicodeCodePoints",
    tool: { driver: { name: "x", rules: [{ id: "late", defaultConfiguration: { level: "error" } }] } },
  };
  const text = document(early, runOf([resultIn("b.ts", { ruleIndex: 0, ruleId: undefined })]));
  expect(await read(text)).toMatchObject([
    { rule: "late", severity: "error", region: { columns: "characters" } },
    { rule: "unnamed", severity: "warning", path: "b.ts" },
  ]);
  expect(await findingsOf(chunksOf(text, 1), { format: "sarif" })).toEqual(await read(text));
});

test("a byte order mark, and an order of keys with the version last, are read", async () => {
  const { version, ...rest } = JSON.parse(document(runOf([resultIn("a")]))) as Json;
  expect(await read(`\uFEFF${JSON.stringify({ ...rest, version }, undefined, 2)}\n`)).toHaveLength(1);
});
