import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import type { ChecklistRows } from "../definition/index.ts";
import { madeFacts, madeItem, madeRows } from "../../../../test/support/made-facts.ts";
import { sessionJson } from "./session-json.ts";

const done = "src/CustomerMgt.Codeunit.al";
const open = "src/SalesOrder.Page.al";

function entry(file: string, id: string, data: JsonObject, changes: Partial<Item> = {}): Item {
  return madeItem("files", `${file}#${id}`, data, { parent: file, ...changes });
}

const rows = madeRows({
  files: [
    madeItem("files", done, {}, { status: "completed" }),
    madeItem("files", open, {}, { status: "in_progress" }),
    madeItem("files", "src/Broken.Codeunit.al", {}, { status: "failed", reason: "It has syntax errors." }),
    madeItem("files", "src/Waits.Codeunit.al", {}, { status: "pending", reason: "Wait.", blockedUntil: 9 }),
    madeItem("files", "src/Item.Table.al", {}, { reason: "a batch was undone" }),
  ],
  below: [
    entry(
      done,
      "analyze",
      { kind: "entry", entry: "analyze", type: "analysis", description: "Run analyze_al_code" },
      { status: "completed" },
    ),
    entry(
      done,
      "topic:perf/sift-patterns",
      {
        entry: "topic-sift",
        type: "topic_application",
        description: "Apply topic: sift-patterns",
        topic_id: "perf/sift-patterns",
        relevance: 0.95,
      },
      { status: "completed" },
    ),
    entry(
      open,
      "i1",
      {
        pattern: "error-call",
        type: "label",
        seedType: "text_constant",
        auto: false,
        line: 12,
        column: 5,
        endLine: 12,
        text: "Error(PostErr)",
        context: "if X then\n  Error(PostErr);",
        suggestion: "Error(ErrorInfo.Create(PostErr))",
        guide: "g",
        step: "BC23-BC24",
      },
      { status: "skipped", reason: "Used elsewhere" },
    ),
  ],
  findings: [
    madeItem("findings", "f1", { file: done, line: 45, severity: "warning", description: "Manual summation", related_topic: "perf/sift" }),
  ],
  changes: [
    madeItem("changes", "c1", {
      file: done,
      line_start: 45,
      line_end: 52,
      original_code: "a\n",
      proposed_code: "",
      impact: "high",
      auto_applicable: true,
    }),
  ],
});

async function whole(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

describe("the exported session", () => {
  test("has the shape that clients know", async () => {
    const facts = madeFacts({ options: { bc_version: "BC26", max_files: null } });
    const session = JSON.parse(await whole(sessionJson(facts, rows)));
    expect(Object.keys(session)).toEqual([
      "id",
      "workflow_type",
      "status",
      "created_at",
      "updated_at",
      "file_glob_pattern",
      "file_inventory",
      "current_phase",
      "current_file_index",
      "files_completed",
      "files_total",
      "findings",
      "proposed_changes",
      "options",
    ]);
    expect(session).toMatchObject({
      status: "in_progress",
      file_glob_pattern: "**/*.al",
      current_phase: "analysis",
      current_file_index: 1,
    });
    expect(session).toMatchObject({ files_completed: 12, files_total: 47, options: { bc_version: "BC26", max_files: null } });
    expect(session.file_inventory[0]).toEqual({
      path: done,
      status: "completed",
      checklist: [
        { id: "analyze", type: "analysis", description: "Run analyze_al_code", status: "completed" },
        {
          id: "topic-sift",
          type: "topic_application",
          description: "Apply topic: sift-patterns",
          status: "completed",
          topic_id: "perf/sift-patterns",
          topic_relevance_score: 0.95,
        },
      ],
      findings: [{ line: 45, severity: "warning", description: "Manual summation", related_topic: "perf/sift" }],
      proposed_changes: [
        {
          line_start: 45,
          line_end: 52,
          original_code: "a\n",
          proposed_code: "",
          impact: "high",
          auto_applicable: true,
          status: "proposed",
        },
      ],
    });
    expect(session.findings).toEqual([
      { file: done, line: 45, severity: "warning", description: "Manual summation", related_topic: "perf/sift" },
    ]);
    expect(session.proposed_changes[0].file).toBe(done);
  });

  test("an instance carries its match, its types and why it was skipped", async () => {
    const session = JSON.parse(await whole(sessionJson(madeFacts(), rows)));
    expect(session.file_inventory[1].checklist).toEqual([
      {
        id: "i1",
        type: "pattern_instance",
        description: "Line 12: Error(PostErr)",
        status: "skipped",
        pattern_match: {
          pattern_id: "error-call",
          line_number: 12,
          column: 5,
          end_line: 12,
          match_text: "Error(PostErr)",
          match_context: "if X then\n  Error(PostErr);",
          instance_type: "text_constant",
          precise_type: "label",
          suggested_replacement: "Error(ErrorInfo.Create(PostErr))",
          requires_manual_review: true,
          guide: "g",
          version_step: "BC23-BC24",
        },
        skip_reason: "Used elsewhere",
      },
    ]);
  });

  test("a failed file, and one that waits for a time, is blocked and says why; one that was opened again is not", async () => {
    const session = JSON.parse(await whole(sessionJson(madeFacts(), rows)));
    const files = session.file_inventory.map(({ status, error }: { status: string; error?: string }) => [status, error]);
    expect(files.slice(2)).toEqual([
      ["blocked", "It has syntax errors."],
      ["blocked", "Wait."],
      ["pending", undefined],
    ]);
    expect(session.file_inventory[4].note).toBe("a batch was undone");
  });

  test("a cancelled run is stored as failed and says that it was cancelled; several globs become one", async () => {
    const session = JSON.parse(await whole(sessionJson(madeFacts({ status: "cancelled", glob: ["**/*.al", "docs/*.md"] }), madeRows({}))));
    expect(session).toMatchObject({ status: "failed", cancelled: true, file_glob_pattern: "{**/*.al,docs/*.md}", file_inventory: [] });
  });

  test("files pass through one at a time", async () => {
    let given = 0;
    const many: ChecklistRows = {
      ...madeRows({}),
      files: async function* () {
        for (; given < 1000; given += 1) yield madeItem("files", `f${given}.al`, {});
      },
    };
    const ahead: number[] = [];
    let seen = 0;
    for await (const piece of sessionJson(madeFacts(), many)) {
      seen += piece.includes('"path"') ? 1 : 0;
      ahead.push(given - seen);
    }
    expect(seen).toBe(1000);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(1);
  });
});
