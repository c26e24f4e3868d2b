import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { openChecklistWorld, type ChecklistWorld } from "../../../../test/support/checklist-world.ts";
import type { TestClient } from "../../../../test/process/mcp-client.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

interface Seen {
  readonly status: string;
  readonly done: string | undefined;
  readonly type: string | undefined;
  readonly fix: string | undefined;
}

/** Every instance of the run, by its id. */
async function instancesOf({ engine }: ChecklistWorld, run: string): Promise<ReadonlyMap<string, Seen>> {
  const rows = await engine.context.store.selectItems(run, { list: "files", query: { facets: { kind: "instance" } }, limit: 100_000 });
  return new Map(rows.map(({ id, status, facets }) => [id, { status, done: facets["done"], type: facets["type"], fix: facets["fix"] }]));
}

const tally = (values: readonly (string | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value ?? ""] = (counts[value ?? ""] ?? 0) + 1;
  return counts;
};

/** Previews and confirms; what changed must be what was shown, in the rows and in every count that a client gets. */
async function exactBatch(opened: ChecklistWorld, call: TestClient["call"], session: string, filter: object): Promise<number> {
  const before = await instancesOf(opened, session);
  const statusBefore = (await call("workflow_status", { session_id: session })).data.progress;
  const dry = await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter });
  const { preview, later } = dry.data;
  expect(dry.isError, dry.text).toBe(false);
  if (later === undefined) return 0;
  const done = await call("workflow_batch", later.arguments);
  const after = await instancesOf(opened, session);
  // The batch may have been the answer to the open question: then the first instance of the rest is in hand.
  const changed = [...after].filter(([id, { status }]) => before.get(id)?.status !== status && status !== "in_progress");
  expect(changed.map(([, { status, done: by }]) => `${status} ${by}`)).toEqual(changed.map(() => "completed auto"));
  expect(tally(changed.map(([, { type }]) => type))).toEqual(preview.by_instance_type);
  expect(changed).toHaveLength(preview.instances_affected);
  expect(done.data.result).toMatchObject({
    instances_previewed: changed.length,
    instances_modified: changed.length,
    instances_failed: 0,
    instances_left_out: 0,
  });
  const status = (await call("workflow_status", { session_id: session })).data.progress;
  expect(status.auto_fixed).toBe(statusBefore.auto_fixed + changed.length);
  expect(status.instances_remaining).toBe(statusBefore.instances_remaining - changed.length);
  const report = (await call("workflow_complete", { session_id: session, interim: true })).data.summary;
  expect(report.auto_fixed).toBe(status.auto_fixed);
  return changed.length;
}

describe("a batch changes exactly what its preview showed", () => {
  test("the bundled upgrade: every call that goes with its declaration is listed as certain, shown and counted", async () => {
    world = await openChecklistWorld({ workflows: ["bc-version-upgrade"], sample: "sample-al-app" });
    const { call } = await world.client();
    const started = await call("workflow_start", {
      workflow_type: "bc-version-upgrade",
      options: { source_version: "BC23", target_version: "BC24" },
    });
    const session: string = started.data.session_id;
    const certain = [...(await instancesOf(world, session)).values()].filter(({ fix }) => fix === "auto");
    const offered = started.data.analysis_summary.batch_options.find(({ action }: { action: string }) => action === "apply_all_auto");
    expect(offered.instances).toBe(certain.length);
    expect(certain.length).toBeGreaterThan(1);
    expect(await exactBatch(world, call, session, { auto_fixable_only: true })).toBe(certain.length);
  });

  test("a part that is skipped, flagged or left out by the filter: what changes together is shown, or left out by name", async () => {
    const uses = ["M.GetNextNo(S, 0D, true);", "M.TestManual(S);", "if M.ManualNoAllowed(S) then;"];
    const files = { "src/a.al": numbering(uses), "src/b.al": numbering(uses), "src/c.al": numbering(uses) };
    world = await openChecklistWorld({ workflows: ["bc-version-upgrade"], files });
    const { call } = await world.client();
    const options = { source_version: "BC23", target_version: "BC24" };
    const session: string = (await call("workflow_start", { workflow_type: "bc-version-upgrade", options })).data.session_id;
    const mark = async (operation: string, file: string): Promise<void> => {
      const filter = { file_patterns: [file], instance_types: ["get_next_no"] };
      await call(
        "workflow_batch",
        (await call("workflow_batch", { session_id: session, operation, filter, reason: "r" })).data.later.arguments,
      );
    };
    await mark("flag_for_review", "src/a.al");
    await mark("skip_instances", "src/b.al");
    const filter = { instance_types: ["declaration"] };
    const dry = await call("workflow_batch", { session_id: session, operation: "apply_fixes", filter });
    expect(dry.data.preview.by_instance_type).toEqual({ declaration: 1, get_next_no: 1, test_manual: 1, manual_no_allowed: 1 });
    expect(dry.data.left_out_beforehand.reasons).toEqual({
      "It is changed together with line 7, which is flagged for review.": 1,
      "It is changed together with line 7, which is skipped.": 1,
    });
    expect(await exactBatch(world, call, session, filter)).toBe(4);
    expect(await world.text("src/a.al")).toBe(files["src/a.al"]);
    expect(await world.text("src/b.al")).toBe(files["src/b.al"]);
  });

  test("for any sample: uses of the old codeunit, and patterns that meet in one place", async () => {
    world = await openChecklistWorld({
      workflows: ["bc-version-upgrade"],
      definitions: { [`.waymark/workflows/m.workflow.yaml`]: meeting },
    });
    const opened = world;
    const { call } = await opened.client();
    let round = 0;
    const start = async (workflow: string, files: readonly string[], options: object): Promise<string> => {
      round += 1;
      const folder = `r${round}`;
      await mkdir(join(opened.folder, folder));
      for (const [at, text] of files.entries()) await writeFile(join(opened.folder, folder, `f${at}.al`), text);
      const started = await call("workflow_start", { workflow_type: workflow, scope: "directory", path: folder, options });
      expect(started.isError, started.text).toBe(false);
      return started.data.session_id;
    };
    const filters = fc.constantFrom(
      {},
      { auto_fixable_only: true },
      { instance_types: ["declaration", "call"] },
      { file_patterns: ["**/f1*"] },
    );
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(uses, { minLength: 12, maxLength: 12 }),
        fc.array(lines, { minLength: 20, maxLength: 20 }),
        filters,
        async (al, js, filter) => {
          const upgrade = await start("bc-version-upgrade", al.map(numbering), { source_version: "BC23", target_version: "BC24" });
          changed += await exactBatch(opened, call, upgrade, filter);
          changed += await exactBatch(
            opened,
            call,
            await start(
              "meeting",
              js.map((each) => each.join("\n")),
              {},
            ),
            filter,
          );
        },
      ),
      { numRuns: 2, seed: 24, endOnFailure: true },
    );
    expect(changed).toBeGreaterThan(25);
  });
});

/** A procedure with a variable of the old codeunit and what is done with it. */
const numbering = (uses: readonly string[]): string =>
  [
    "codeunit 50100 A",
    "{",
    "    procedure P(S: Code[20])",
    "    var",
    "        M: Codeunit NoSeriesManagement;",
    "    begin",
    ...uses,
    "    end;",
    "}",
    "",
  ].join("\n");

const uses = fc.array(
  fc.constantFrom(
    "        X := M.GetNextNo(S, WorkDate(), true);",
    "        X := M.GetNextNo(S, WorkDate(), false);",
    "        M.TestManual(S);",
    "        M.TestManualWithDocumentNo(S, X);",
    "        if M.ManualNoAllowed(S) then;",
    "        Clear(M);",
    "        Q(M.GetNextNo(S, D, true), M.GetNextNo(S, D, true));",
    "        N.GetNextNo(S, D, true);",
    "        M.SetSeries(S);",
    "#if OTHER\n        M.TestManual(S);\n#endif",
  ),
  { maxLength: 4 },
);

const lines = fc.array(
  fc.constantFrom(
    "foo(a);",
    "foo(a); foo(a);",
    "foo(b);",
    "foo(foo(a));",
    "b := foo(b);",
    "again(a);",
    "a;",
    "twice(foo(a));",
    "twice(a);",
  ),
  { minLength: 1, maxLength: 6 },
);

/** Patterns that find what others change: certain ones that meet, one that finds its own result again, and one that needs a look. */
const meeting = `type: meeting
name: Meeting
description: Patterns that meet in one place.
file_patterns: ["**/*.al"]
phases:
  - { id: inventory, name: I, description: d, required: true }
  - { id: scan, name: S, description: d, required: true }
  - { id: batch_auto, name: B, description: d, required: false }
  - { id: manual_review, name: R, description: d, required: true }
  - { id: summary, name: E, description: d, required: true }
per_file_checklist:
  - { id: scan, type: analysis, description: Scan, required: true }
  - { id: done, type: validation, description: Done, required: true }
topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.5 }
pattern_discovery:
  enabled: true
  create_instance_items: true
  group_identical: true
  patterns:
${[
  ["calls", "foo\\\\(", "call", "bar({{arg0}})"],
  ["wide", "twice\\\\(", "wide", "once({{arg0}})"],
  ["grows", "again\\\\(", "again", "again({{arg0}})"],
  ["inner", "foo\\\\(a", "inner", undefined],
  ["names", "\\\\bb\\\\b", "name", undefined],
]
  .map(
    ([id, regex, type, template]) => `    - id: ${id}
      name: ${id}
      description: d
      regex: "${regex}"
      in: code
      balanced: ${template !== undefined}
      instance_classifier: { rules: [{ name: ${type}, pattern: "[\\\\s\\\\S]", suggested_action: Change it, auto_fixable: ${template !== undefined} }] }
      transformations: [${template === undefined ? "" : `{ instance_type: ${type}, template: "${template}", requires_review: false }`}]
`,
  )
  .join("")}
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;
