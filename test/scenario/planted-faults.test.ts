/** What is planted in the sample applications is found by the bundled workflows, through the real workspace. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { parseChecklist, type ChecklistDefinition } from "../../src/dialects/checklist/definition/index.ts";
import { patternsOf } from "../../src/knowledge/index.ts";
import type { FileScan, Instance, PatternSpec, ScanRules } from "../../src/ports/index.ts";
import { finders } from "../../src/scan/index.ts";
import { createWorkspace } from "../../src/workspace/index.ts";
import { bundledKnowledge } from "../support/bundled-knowledge.ts";

const root = join(import.meta.dirname, "../..");
const workspace = createWorkspace({ workers: 0 });
const scratch = mkdtempSync(join(tmpdir(), "waymark-planted-"));
const knowledge = bundledKnowledge(scratch, join(root, "knowledge"), scratch);
afterAll(async () => {
  await workspace.close();
  rmSync(scratch, { recursive: true, force: true });
});

interface Place {
  readonly file: string;
  readonly line: number;
}
interface Fault extends Place {
  readonly workflow: string;
  readonly pattern: string;
  readonly type?: string;
  readonly auto?: boolean;
}
interface Planted {
  readonly faults: readonly Fault[];
  readonly error_calls: readonly (Place & { readonly type: string; readonly auto: boolean; readonly test?: boolean })[];
  readonly no_series: readonly (Place & { readonly what: string })[];
}
type Found = Instance & Place;

const audits: readonly (readonly [workflow: string, app: string])[] = [
  ["performance-audit", "sample-al-app"],
  ["security-audit", "sample-al-app"],
  ["typescript-migration", "sample-ts-app"],
  ["codebase-review", "sample-ts-app"],
];

function plantedIn(app: string): Planted {
  return parse(readFileSync(join(root, "examples", app, "planted-faults.yaml"), "utf8")) as Planted;
}

function definitionOf(workflow: string): ChecklistDefinition {
  const path = `${workflow}.workflow.yaml`;
  const { definition, diagnostics } = parseChecklist(
    { path, text: readFileSync(join(root, "workflows", path), "utf8") },
    { source: "bundled", finders: [...finders.keys()] },
  );
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return definition as ChecklistDefinition;
}

/** Everything that a workflow finds in a sample, on the files that its inventory lists. */
async function scan(
  app: string,
  workflow: string,
  more: readonly PatternSpec[] = [],
): Promise<{ readonly files: readonly FileScan[]; readonly found: readonly Found[] }> {
  const folder = join(root, "examples", app);
  const { filePatterns, fileExclusions, gitignore, maxFileBytes, patterns } = definitionOf(workflow);
  const inventory = await workspace.inventory({
    root: folder,
    patterns: filePatterns,
    exclusions: fileExclusions,
    scope: { kind: "workspace" },
    priority: [],
    gitignore,
  });
  const rules: ScanRules = {
    patterns: [...(patterns.patterns as unknown as readonly PatternSpec[]), ...more],
    maxFileBytes,
    ...(patterns.leaveOut === undefined ? {} : { leaveOut: patterns.leaveOut }),
  };
  const files: FileScan[] = [];
  for await (const file of workspace.scan({ root: folder, paths: inventory.files.map(({ path }) => path), rules })) files.push(file);
  return { files, found: files.flatMap(({ path, instances }) => instances.map((instance) => ({ ...instance, file: path }))) };
}

function isFault(each: Found, { pattern, type = each.type, auto = each.auto, ...place }: Fault): boolean {
  return at(each) === at(place) && each.pattern === pattern && each.type === type && each.auto === auto;
}

/** Counts are part of what this file proves, so they are printed. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const at = ({ file, line }: Place): string => `${file}:${line}`;
const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => (a < b ? -1 : 1));

test.each(audits)("%s finds what is planted for it in %s, at least five faults", async (workflow, app) => {
  const planted = plantedIn(app).faults.filter((fault) => fault.workflow === workflow);
  const { files, found } = await scan(app, workflow);
  const missed = planted.filter((fault) => !found.some((each) => isFault(each, fault)));
  const hits = planted.length - missed.length;
  say(`${app}, ${workflow}: ${files.length} files, ${found.length} places, ${hits} of ${planted.length} planted faults`);
  expect(missed).toEqual([]);
  expect(hits).toBeGreaterThanOrEqual(5);
  expect(files.flatMap(({ path, problems }) => problems.map(({ code }) => `${path} ${code}`))).toEqual([]);
});

test("every planted fault belongs to a workflow that is scanned here", () => {
  const idle = ["sample-al-app", "sample-ts-app"].flatMap((app) =>
    plantedIn(app).faults.filter((fault) => !audits.some(([workflow, of]) => workflow === fault.workflow && of === app)),
  );
  expect(idle).toEqual([]);
});

test("the error migration finds every call of Error, with its form, and no other", async () => {
  const { error_calls: planted } = plantedIn("sample-al-app");
  const { found } = await scan("sample-al-app", "error-to-errorinfo-migration");
  const told = (each: Place & { readonly type: string; readonly auto: boolean }): string => `${at(each)} ${each.type} auto=${each.auto}`;
  say(
    `sample-al-app, error-to-errorinfo-migration: ${found.length} calls of ${planted.length} planted, ${found.filter(({ auto }) => auto).length} automatic`,
  );
  expect(sorted(found.map(told))).toEqual(sorted(planted.map(told)));
  const tests = planted.filter(({ test: isTest }) => isTest === true).map(at);
  expect(tests.length).toBeGreaterThan(0);
  for (const each of found.filter((one) => tests.includes(at(one))))
    expect([each.auto, each.why]).toEqual([false, expect.stringMatching(/\btest|asserterror/i)]);
});

test("the version upgrade finds every use of the old number series codeunit", async () => {
  const { no_series: planted } = plantedIn("sample-al-app");
  const { guides } = await knowledge.guides({ source_version: "BC23", target_version: "BC24" });
  const patterns = guides.flatMap((guide) => patternsOf(guide));
  const { found } = await scan("sample-al-app", "bc-version-upgrade", patterns);
  const uses = found.filter(({ guide }) => guide?.endsWith("bc24-no-series-conversion-guide") === true);
  const names = (text: string, what: string): boolean => what === "declaration" || what === "event" || text.includes(`${what}(`);
  const missed = planted.filter((use) => !uses.some((each) => at(each) === at(use) && names(each.text, use.what)));
  say(
    `sample-al-app, bc-version-upgrade BC23-BC24: ${uses.length} places from the number series guide, ${planted.length - missed.length} of ${planted.length} planted uses, ${uses.filter(({ auto }) => auto).length} automatic`,
  );
  expect(missed).toEqual([]);
  expect(new Set(uses.map(({ step }) => step))).toEqual(new Set(["BC23-BC24"]));
});
