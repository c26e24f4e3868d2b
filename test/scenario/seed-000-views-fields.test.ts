/** Fields of replies, sessions and guides that clients know by name, and the older names of types. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { gatherFacts, previewBatch } from "../../src/dialects/checklist/run/index.ts";
import type { JsonObject } from "../../src/base/index.ts";
import { completeReply, sessionJson, statusReply } from "../../src/dialects/checklist/views/index.ts";
import { madeFacts, madeItem, madeRows } from "../support/made-facts.ts";
import { bundledKnowledge } from "../support/bundled-knowledge.ts";
import { openChecklistWorld, type ChecklistWorld } from "../support/checklist-world.ts";

let world: ChecklistWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe("replies", () => {
  test("status names the session, the workflow and both times", () => {
    expect(statusReply(madeFacts(), {}).data).toMatchObject({
      session_id: "wf-code-review-2024-01-11-abc123",
      workflow_type: "code-review",
      status: "in_progress",
      created_at: "2024-01-11T10:00:00.000Z",
      updated_at: "2024-01-11T10:15:32.000Z",
      progress: {
        phase: "analysis",
        files_completed: 12,
        files_total: 47,
        files_in_progress: 1,
        files_pending: 34,
        percent_complete: 25.5,
      },
    });
  });

  test("completion names when it was completed and how long it took", () => {
    const createdAt = Date.UTC(2024, 0, 11, 10, 30);
    const facts = madeFacts({ status: "completed", createdAt, endedAt: createdAt + 135 * 60_000 });
    expect(completeReply(facts, { topIssues: [] }).data).toMatchObject({
      status: "completed",
      completed_at: "2024-01-11T12:45:00.000Z",
      duration_minutes: 135,
    });
  });
});

const code = `codeunit 50100 Forms
{
    procedure Run(Amount: Decimal)
    begin
        Error(GetLastErrorText());
        Error(StrSubstNo(MissingErr, Amount));
        Error(MissingErr);
        Error('Amount %1 is wrong', Amount);
        Error('No date');
        Error(Build());
        Error('A' + 'B');
    end;

    local procedure Build(): Text
    begin
    end;

    var
        MissingErr: Label 'Customer %1 is missing';
}
`;

test("every older name of a type stands beside the precise one, and filters take both, aliases too", async () => {
  world = await openChecklistWorld({
    workflows: ["error-to-errorinfo-migration"],
    files: { "app.json": '{ "runtime": "13.0" }', "src/Forms.Codeunit.al": code },
  });
  const { call } = await world.client();
  const started = await call("workflow_start", { workflow_type: "error-to-errorinfo-migration" });
  const run: string = started.data.session_id;
  const { context, caller } = world.engine;
  const rows = await context.store.selectItems(run, { list: "files", query: { facets: { kind: "instance" } }, limit: 20 });
  expect(rows.map(({ facets }) => `${facets["type"]} ${facets["seed"]}`)).toEqual([
    "getlasterror getlasterror",
    "strsubstno_label strsubstno_with_constant",
    "label text_constant",
    "literal_args strsubstno",
    "literal literal",
    "function_call function_call",
    "concat other",
  ]);
  expect(started.data.analysis_summary).toMatchObject({ files_scanned: 1, files_with_matches: 1, total_instances: 7 });
  const chosen = async (type: string): Promise<number> =>
    (await previewBatch(context, caller, { run, operation: "flag_for_review", filter: { instance_types: [type] } })).plan.instances;
  for (const type of [
    "system_function",
    "getlasterror",
    "strsubstno_with_constant",
    "strsubstno_label",
    "text_constant",
    "other",
    "concat",
  ])
    expect([type, await chosen(type)]).toEqual([type, 1]);
  expect((await gatherFacts(context, run)).files.byType).toEqual({ Codeunit: 1 });
});

describe("a session", () => {
  test("a run that has not come to its first decision is initializing; an item keeps what was reported about it", async () => {
    const file = "src/A.Codeunit.al";
    const entry = { kind: "entry", entry: "analyze", type: "analysis", description: "Look" };
    const rows = madeRows({
      files: [madeItem("files", file, {}, { status: "in_progress" })],
      below: [
        madeItem("files", `${file}#analyze`, entry, { parent: file, status: "completed", result: { status: "completed", findings: 2 } }),
      ],
    });
    const parts: string[] = [];
    for await (const part of sessionJson(madeFacts({ status: "initializing" }), rows)) parts.push(part);
    const session = JSON.parse(parts.join("")) as JsonObject;
    expect(session).toMatchObject({
      status: "initializing",
      file_inventory: [{ path: file, checklist: [{ id: "analyze", result: { status: "completed", findings: 2 } }] }],
    });
  });
});

test("what is extracted from a guide has the names that clients know", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waymark-fields-"));
  try {
    const knowledge = bundledKnowledge(folder, join(import.meta.dirname, "../../knowledge"), folder);
    const { guides } = await knowledge.guides({ source_version: "BC21", target_version: "BC27" });
    const patterns = guides.flatMap((guide) => guide.patterns);
    const [rewritten] = patterns.filter(({ transformations }) => transformations.length > 0);
    expect(rewritten).toMatchObject({
      id: expect.any(String),
      description: expect.any(String),
      search_patterns: expect.any(Array),
      transformations: [{ before_pattern: expect.any(String), after_template: expect.any(String), requires_review: true }],
      topic_id: expect.stringContaining("conversion-guide"),
    });
    expect(patterns.flatMap(({ transformations }) => transformations).filter((each) => !each.requires_review)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
