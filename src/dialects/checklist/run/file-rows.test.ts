import { expect, test } from "vitest";
import type { ChecklistDefinition, EntryDefinition } from "../definition/index.ts";
import type { FileScan, Instance } from "../../../ports/index.ts";
import type { Item } from "../../../program/index.ts";
import { fileData, fileRows, instanceFacets, instanceRow, reviewPhase, whyUnread, type RowsRequest } from "./file-rows.ts";

const definition = {
  phases: [
    { id: "look", role: "review", required: true },
    { id: "extra", role: "review", required: false },
    { id: "end", role: "summary", required: true },
  ],
  patterns: { createItems: true, groupByGuide: false },
} as unknown as ChecklistDefinition;
const entry = (id: string, more: Partial<EntryDefinition> = {}): EntryDefinition => ({
  id,
  type: "analysis",
  description: id,
  required: true,
  by: "agent",
  phase: "look",
  ...more,
});
const instance: Instance = {
  pattern: "p",
  type: "t",
  auto: false,
  line: 3,
  column: 2,
  endLine: 3,
  endColumn: 9,
  start: 20,
  end: 27,
  text: "old(x)",
  ordinal: 0,
};
const scan = (more: Partial<FileScan> = {}): FileScan => ({ path: "a.al", size: 9, hash: "h", instances: [], problems: [], ...more });
const rows = (more: Partial<RowsRequest> = {}): Item[] =>
  fileRows({
    definition,
    stages: { extra: 1 },
    list: "files",
    scan: scan(),
    priority: 2,
    index: 7,
    entries: [],
    ids: [],
    scanned: true,
    ...more,
  });
const told = (all: readonly Item[]): string[] =>
  all.map(({ id, status, reason }) => `${id} ${status}${reason === undefined ? "" : `: ${reason}`}`);

const scanEntry = entry("scan", { by: "engine" });
const proof = entry("proof", { by: "engine", type: "validation" });

test("what the engine proves itself is done from the beginning where nothing was found", () => {
  expect(told(rows({ entries: [scanEntry, proof] }))).toEqual(["a.al completed", "a.al#scan completed", "a.al#proof completed"]);
  expect(told(rows({ entries: [scanEntry, proof], scan: scan({ instances: [instance] }), ids: ["i1"] }))).toEqual([
    "a.al pending",
    "a.al#scan completed",
    "a.al#proof pending",
    "i1 pending",
  ]);
  expect(told(rows({ entries: [proof], scanned: false }))).toEqual(["a.al pending", "a.al#proof pending"]);
  expect(told(rows({ entries: [entry("look")] }))).toEqual(["a.al pending", "a.al#look pending"]);
});

test("a workflow that makes no items of instances has none, and the file still says that it matched", () => {
  const plain = { ...definition, patterns: { ...definition.patterns, createItems: false } };
  const [file, ...rest] = rows({ definition: plain, scan: scan({ instances: [instance] }), entries: [proof] });
  expect(file?.facets).toEqual({ kind: "file", match: "yes", done: "given_file" });
  expect(told(rest)).toEqual(["a.al#proof completed"]);
  expect(rows({ scan: scan({ objectType: "codeunit" }) })[0]?.facets).toEqual({
    kind: "file",
    match: "no",
    object: "codeunit",
    done: "given_file",
  });
});

test("a file that was not read is skipped with everything in it, and the reason", () => {
  const problems = [{ code: "SCAN_BINARY", message: "It is binary." }] as FileScan["problems"];
  expect(told(rows({ scan: scan({ problems }), entries: [scanEntry, entry("look")] }))).toEqual([
    "a.al skipped: It is binary.",
    "a.al#scan completed",
    "a.al#look skipped: the file was not read: It is binary.",
  ]);
});

test("a file without content was not read, and one with content only if the problem says so", () => {
  const problem = (code: string) => [{ code, message: "m" }] as FileScan["problems"];
  const { hash: _hash, ...gone } = scan();
  expect(whyUnread(gone)).toBe("The file is gone.");
  expect(whyUnread({ ...gone, problems: problem("ANY") })).toBe("m");
  expect(whyUnread(scan({ problems: problem("ANY") }))).toBeUndefined();
  expect(whyUnread(scan({ problems: [...problem("ANY"), { code: "SCAN_BINARY", message: "b" }] }))).toBe("b");
});

test("rows of a file come in the order of their kinds, and files with priority come first", () => {
  const kinds = ["validation", "custom", "topic_application", "analysis"] as const;
  const entries = kinds.map((type) => entry(type, { type, topic: "t/x" }));
  const made = rows({ entries, scan: scan({ instances: [instance] }), ids: ["i1"] });
  expect(made.toSorted((a, b) => (a.order < b.order ? -1 : 1)).map(({ id }) => id)).toEqual([
    "a.al",
    "a.al#analysis",
    "i1",
    "a.al#topic_application",
    "a.al#custom",
    "a.al#validation",
  ]);
  const order = (priority: number, index: number): string => rows({ priority, index })[0]?.order ?? "";
  expect(order(1, 12) < order(2, 3)).toBe(true);
  expect(order(2, 9) < order(2, 10)).toBe(true);
});

test("an entry is required when it says so and its phase is, and topics are a kind of their own", () => {
  const entries = [
    entry("a"),
    entry("b", { required: false }),
    entry("c", { phase: "extra" }),
    entry("d", { type: "topic_application", topic: "t/x" }),
  ];
  const [, a, b, c, d] = rows({ entries });
  expect([a, b, c]).toMatchObject([{ data: { required: true } }, { data: { required: false } }, { data: { required: false } }]);
  expect([a?.facets, c?.facets]).toEqual([
    { kind: "entry", phase: "look", stage: "0" },
    { kind: "entry", phase: "extra", stage: "1" },
  ]);
  expect(a?.data).not.toHaveProperty("topic_id");
  expect(d).toMatchObject({ data: { kind: "topic", topic_id: "t/x" }, facets: { kind: "topic" }, parent: "a.al", root: "a.al" });
});

test("a file's row keeps only what is known of it", () => {
  expect(fileData(scan(), 1, true)).toEqual({ kind: "file", id: "a.al", path: "a.al", size: 9, priority: 1, scanned: true, hash: "h" });
  const { hash: _hash, ...bare } = scan({ objectType: "page", language: "al", problems: [{ code: "C", message: "m" }] });
  expect(fileData(bare, 2, false)).toEqual({
    kind: "file",
    id: "a.al",
    path: "a.al",
    size: 9,
    priority: 2,
    scanned: false,
    type: "page",
    language: "al",
    problems: [{ code: "C", message: "m" }],
  });
});

test("an instance is filed under how it can be fixed, its older name, and its guide's step", () => {
  expect(instanceFacets(instance)).toEqual({
    kind: "instance",
    type: "t",
    seed: "t",
    fix: "manual",
    pattern: "p",
    seedfix: "t|manual",
    seedtype: "t|t",
  });
  expect(instanceFacets({ ...instance, needs: "review", seedType: "s" })).toMatchObject({
    seed: "s",
    fix: "review",
    seedfix: "s|review",
    seedtype: "s|t",
  });
  expect(instanceFacets({ ...instance, auto: true, needs: "review", guide: "g", step: "BC1-BC2" })).toMatchObject({
    fix: "auto",
    guide: "g",
    step: "BC1-BC2",
    stepfix: "BC1-BC2|auto",
  });
});

test("instances come by their places, and where they are grouped by the steps of their guides first", () => {
  const place = { definition, list: "files", scan: { path: "a.al" }, order: "1" };
  const grouped = { ...place, definition: { ...definition, patterns: { ...definition.patterns, groupByGuide: true } } };
  const late = { ...instance, line: 2, step: "BC2-BC3", guide: "g" };
  const early = { ...instance, line: 9, step: "BC1-BC2", guide: "g" };
  const first = (of: typeof place): string =>
    instanceRow(of, late, "late").order < instanceRow(of, early, "early").order ? "late" : "early";
  expect([first(place), first(grouped)]).toEqual(["late", "early"]);
  expect(instanceRow(place, instance, "i").data).toMatchObject({
    id: "i",
    file: "a.al",
    phase: "extra",
    line: 3,
    end_line: 3,
    text: "old(x)",
  });
  expect(instanceRow(place, instance, "i").data).not.toHaveProperty("guide");
});

test("instances belong to the last review phase, else to the last phase", () => {
  expect(reviewPhase(definition)).toBe("extra");
  expect(reviewPhase({ ...definition, phases: definition.phases.slice(2) })).toBe("end");
  expect(reviewPhase({ ...definition, phases: [] })).toBe("");
});
