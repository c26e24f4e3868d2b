import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import type { CheckAction } from "./action-view.ts";
import type { ChecklistFacts } from "../definition/index.ts";
import { madeFacts, madeFiles, madeItem, madeMigration, madePhases, madeTypes } from "../../../../test/support/made-facts.ts";
import type { PositionView } from "../../../views/position-view.ts";
import { blockedReply, nextReply, startReply } from "./replies.ts";

const cost = ({ text, data }: PositionView): number => Math.max(encode(text).length, encode(JSON.stringify(data)).length);

const run = "wf-error-to-errorinfo-migration-2024-01-11-abc123";

const decision: CheckAction = {
  action: "choose_approach",
  actionId: "d1",
  instruction:
    "2,341 Error() calls were found in 847 files; 1,879 can be wrapped without a change of meaning. A bare wrap alone brings no documented benefit: labels for literals make messages translatable and keep their text in telemetry. Present both ways and ask which approach the user prefers.",
  options: [
    { id: "apply_auto_first", label: "Apply 1,879 auto-fixes first", description: "Wrap the certain cases, then go through the rest." },
    {
      id: "label_route",
      label: "Make labels instead",
      description: "Extract a Label with a Comment for each literal; more work, more worth.",
    },
    { id: "review_by_file", label: "Review file by file", description: "More control, takes longer." },
    { id: "review_by_type", label: "Review by type", description: "Similar places together." },
  ],
  recommended: "apply_auto_first",
  next_call: { tool: "workflow_progress", arguments: { run_id: run, action_id: "d1" } },
  fill_in: { result: "the id of the option that the user chose" },
};

const instance: CheckAction = {
  action: "convert_instance",
  actionId: "a17",
  item: "e3f1c09ab2",
  file: "src/Posting/SalesPost.Codeunit.al",
  line: 1247,
  column: 13,
  instance_type: "label",
  match_text: "Error(SalesPostErr)",
  context: "        if not TempSalesLine.Find('-') then\n            Error(SalesPostErr);\n        TempSalesLine.DeleteAll();",
  suggested_fix: "Error(ErrorInfo.Create(SalesPostErr))",
  specialist_guidance:
    "Telemetry keeps the text only for a Label that is passed as it is; wrap it only where a record, an action or a title is added.",
  instruction: "Check whether SalesPostErr is used elsewhere, then apply the fix, or skip it with a reason.",
  next_call: { tool: "workflow_progress", arguments: { run_id: run, action_id: "a17" } },
  fill_in: { status: "completed, or skipped + skip_reason" },
};

const extras = { completed: true, durationMs: 8423.4, filesNeeding: { auto: 623, review: 156, manual: 89 } };

describe("the reply to a start", () => {
  test("has the fields that clients know, and sums that hold, for a migration", () => {
    const { data } = startReply(madeMigration(false, { stage: "analysis_complete" }), decision, extras);
    expect(data).toMatchObject({
      session_id: run,
      workflow_type: "error-to-errorinfo-migration",
      status: "analysis_complete",
      autonomous_processing: { completed: true, phases_run: ["inventory"], duration_ms: 8423 },
      file_inventory: { total: 847, with_matches: 623, by_type: { Codeunit: 312, Page: 245, Report: 112, Table: 89, Query: 89 } },
      analysis_summary: {
        total_instances: 2341,
        by_type: {
          literal: { count: 1245, auto_fixable: true },
          strsubstno: { count: 634, auto_fixable: true },
          text_constant: { count: 312, auto_fixable: false, needs: "review" },
          function_call: { count: 98, auto_fixable: false, needs: "manual" },
          other: { count: 52, auto_fixable: false, needs: "manual" },
        },
        batch_options: [
          { action: "apply_all_auto", instances: 1879, files: 623 },
          { action: "review_text_constants", instances: 312, files: 156 },
          { action: "flag_manual", instances: 150, files: 89 },
        ],
      },
      next_action: { type: "user_decision", action: "choose_approach", recommended: "apply_auto_first" },
    });
    expect(data["phases"]).toContainEqual({ id: "manual_review", name: "Manual Review", status: "pending", mode: "guided" });
    expect(data["agent_instructions"]).toContain("Do not process files before the answer");
  });

  test("the text is enough alone: counts, types, options and the call", () => {
    const { text } = startReply(madeMigration(false), decision, extras);
    for (const part of [
      "847 files",
      "2,341 instances: 1,879 auto-fixable, 312 to review, 150 by hand",
      "literal 1,245 (auto)",
      "- label_route: Make labels",
    ])
      expect(text).toContain(part);
    expect(text).toContain("(recommended)");
    const call = JSON.stringify({ run_id: run, action_id: "d1" });
    expect(text).toContain(`Then call workflow_progress(${call}) with \`result\`: the id of the option that the user chose`);
  });

  test("costs under 1,500 tokens, and the same for 100 and 10,000 files", () => {
    const sized = (files: number): ChecklistFacts => {
      const facts = madeMigration(false);
      return { ...facts, files: { ...facts.files, total: files, pending: files - 224 } };
    };
    const small = cost(startReply(sized(1000), decision, extras));
    const large = cost(startReply(sized(99_999), decision, extras));
    expect(large).toBeLessThan(1500);
    expect(large - small).toBeLessThanOrEqual(8);
  });

  test("stays under 1,500 tokens with 60 types, 30 phases, long names and a long decision", () => {
    const types = Object.fromEntries(Array.from({ length: 60 }, (_, place) => [`some_rather_long_type_name_${place}`, [3, 2, 1] as const]));
    const migration = madeMigration(false);
    const facts: ChecklistFacts = {
      ...migration,
      phases: madePhases(...Array.from({ length: 30 }, (_, place) => `phase_with_a_long_name_${place}`)),
      files: madeFiles({
        total: 9000,
        completed: 0,
        byType: Object.fromEntries(Array.from({ length: 40 }, (_, place) => [`Extension${place}`, 40 - place])),
      }),
      instances: { ...migration.instances!, byType: madeTypes(types) },
      upgrade: {
        source: "BC21",
        target: "BC27",
        guidesTotal: 6,
        guidesCompleted: 0,
        withoutGuide: ["BC21-BC22", "BC22-BC23"],
        steps: Array.from({ length: 6 }, (_, place) => ({
          step: `BC${21 + place}-BC${22 + place}`,
          guides: [],
          instances: 3891,
          files: 1247,
          auto: 1,
          byHand: 1,
          skipped: 1,
          open: 3000,
        })),
      },
    };
    const wordy = { ...decision, instruction: decision.instruction.repeat(6), options: [...decision.options!, ...decision.options!] };
    const reply = startReply(facts, wordy, extras);
    expect(cost(reply)).toBeLessThan(1500);
    const summary = reply.data["analysis_summary"] as { by_type: Record<string, { count: number; auto?: number }> };
    expect(Object.values(summary.by_type).reduce((sum, { count }) => sum + count, 0)).toBe(360);
    const inventory = reply.data["file_inventory"] as { by_type: Record<string, number> };
    expect(Object.values(inventory.by_type).reduce((sum, count) => sum + count, 0)).toBe(820);
  });

  test("a type that is partly auto says how much", () => {
    const facts = madeMigration(false);
    const mixed = {
      ...facts,
      instances: { ...facts.instances!, byType: madeTypes({ literal: [10, 0, 4], label: [0, 3, 0], name: [0, 1, 0] }) },
    };
    expect(startReply(mixed, decision, { completed: true, durationMs: 1 }).data["analysis_summary"]).toMatchObject({
      by_type: { literal: { count: 14, auto_fixable: false, needs: "manual", auto: 10, manual: 4 } },
      batch_options: [{ action: "apply_all_auto" }, { action: "review_remaining", instances: 312 }, { action: "flag_manual" }],
    });
  });

  test("a review starts with a file and no decision; work that goes on is said", () => {
    const action: CheckAction = {
      action: "analyze_file",
      actionId: "a1",
      item: "analyze",
      file: "src/CustomerMgt.Codeunit.al",
      instruction: "Call analyze_al_code for this file.",
      tool_call: { tool: "analyze_al_code", arguments: { file_path: "src/CustomerMgt.Codeunit.al" } },
    };
    const files = [{ path: "src/CustomerMgt.Codeunit.al", size: 4523, priority: 1 }];
    const { data } = startReply(madeFacts(), action, { completed: false, durationMs: 234, files });
    expect(data).toMatchObject({
      status: "in_progress",
      autonomous_processing: { completed: false },
      file_inventory: { total: 47, files },
      next_action: {
        action: "analyze_file",
        file: "src/CustomerMgt.Codeunit.al",
        checklist_item_id: "analyze",
        tool_call: { tool: "analyze_al_code", args: { file_path: "src/CustomerMgt.Codeunit.al" } },
      },
    });
    expect(data).not.toHaveProperty("analysis_summary");
    expect(data["agent_instructions"]).toContain("still working");
  });
});

describe("the next reply", () => {
  const facts = madeMigration(true, { phase: "manual_review" });

  test("an instance carries place, match, context, fix, guidance, instruction and item id under 400 tokens", () => {
    const { specialist_guidance: guidance, ...later } = instance;
    const reply = nextReply(facts, later);
    expect(cost(reply)).toBeLessThan(400);
    expect(reply.data["next_action"]).toEqual({
      action: "convert_instance",
      file: "src/Posting/SalesPost.Codeunit.al",
      line: 1247,
      column: 13,
      checklist_item_id: "e3f1c09ab2",
      instance_type: "label",
      match_text: "Error(SalesPostErr)",
      context: "if not TempSalesLine.Find('-') then\n    Error(SalesPostErr);\nTempSalesLine.DeleteAll();",
      suggested_fix: "Error(ErrorInfo.Create(SalesPostErr))",
      instruction: instance.instruction,
    });
    const first = nextReply(facts, instance);
    expect(cost(first)).toBeLessThan(400);
    expect(first.data["next_action"]).toMatchObject({
      match_text: instance.match_text,
      suggested_fix: instance.suggested_fix,
      specialist_guidance: guidance,
    });
    for (const part of ["SalesPost.Codeunit.al:1247:13", "e3f1c09ab2", "Suggested: Error(ErrorInfo", "462 instances left", "Then call"])
      expect(reply.text).toContain(part);
  });

  test("any code in an instance stays under 400 tokens, and a fix is whole or absent", () => {
    const code = fc.oneof(
      fc.string({ maxLength: 600 }),
      fc.stringMatching(/^[a-z ]{0,400}$/),
      fc.stringMatching(/^[a-zA-Z0-9+/_]{0,400}$/),
      fc.string({ unit: "binary", maxLength: 300 }),
      fc
        .array(fc.constantFrom("Error(", "'%1 of %2'", "Customer", "\n    ", "0x7F31ac99", "名前", "é", "😀", "))", "::", '"No."'), {
          maxLength: 200,
        })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(code, code, code, (match, context, fix) => {
        const reply = nextReply(facts, { ...instance, match_text: match, context, suggested_fix: fix, instruction: context });
        expect(cost(reply)).toBeLessThan(400);
        expect([undefined, fix]).toContain((reply.data["next_action"] as { suggested_fix?: string }).suggested_fix);
      }),
      { numRuns: 100 },
    );
  });

  test("a text that is cut is its beginning, and how much of it is there is known", () => {
    const long = {
      ...instance,
      match_text: "Error(StrSubstNo(TooLongErr, A, B)); ".repeat(40),
      instruction: "Look at it closely. ".repeat(40),
    };
    const { cut = [], data } = nextReply(facts, long);
    expect(cut.map(({ name }) => name)).toContain("match_text");
    for (const { name, text, shown } of cut) {
      if (name === "context") continue;
      expect(long[name as keyof CheckAction]).toBe(text);
      expect((data["next_action"] as Record<string, string>)[name] ?? "").toBe(text.slice(0, shown));
    }
    expect(data["next_action"]).toMatchObject({ cut: cut.filter(({ spare }) => spare === true).map(({ name }) => name) });
  });

  test("five lines around the match are there in either direction, and what is far from it goes first", () => {
    const lines = (text: string): readonly string[] =>
      Array.from({ length: 11 }, (_, at) => (at === 5 ? instance.match_text : `${text} ${at}`) ?? "");
    const shown = (text: string): string => {
      const context = lines(text).join("\n");
      const reply = nextReply(facts, { ...instance, context, context_line: (instance.line ?? 0) - 5 });
      expect(cost(reply)).toBeLessThan(400);
      return (reply.data["next_action"] as { context: string }).context;
    };
    expect(shown("Amount := Line.Amount;")).toBe(lines("Amount := Line.Amount;").join("\n"));
    const long = "Amount := Amount + GetAmountOf(SalesLine, PurchaseLine, Item) - Discount;";
    const kept = shown(long).split("\n");
    expect(kept.length).toBeLessThan(11);
    expect(kept).toContain(instance.match_text);
    const at = lines(long).indexOf(kept[0] ?? "");
    expect(Math.abs(5 - at - (at + kept.length - 6))).toBeLessThanOrEqual(1);
    expect(kept).toEqual(lines(long).slice(at, at + kept.length));
  });

  test("an instruction of anything but an instance is whole while there is room", () => {
    const instruction = "Read every file of the task and write down what you find. ".repeat(15);
    const action: CheckAction = { action: "role", actionId: "a3", instruction };
    expect(nextReply(madeFacts(), action)).toMatchObject({ data: { next_action: { instruction } } });
    expect(nextReply(madeFacts(), action)).not.toHaveProperty("cut");
  });

  test("the text of a guide comes on top, in its own measure", () => {
    const guided = {
      ...instance,
      guide_section: "Step 4: Event Migration Strategy",
      guide_content: "Replace the subscriber by a direct call. ".repeat(80),
    };
    const reply = nextReply(facts, guided);
    expect(cost(reply)).toBeLessThan(720);
    const shown = (reply.data["next_action"] as { guide_content: string }).guide_content;
    expect(guided.guide_content.startsWith(shown)).toBe(true);
    expect(reply.cut).toContainEqual({ name: "guide_content", text: guided.guide_content, shown: shown.length });
  });

  test("a file comes with its checklist, percentages have one decimal", () => {
    const file = "src/SalesOrder.Page.al";
    const entry = (id: string, description: string, status: "completed" | "pending", topic?: string) =>
      madeItem("files", `${file}#${id}`, { description, ...(topic === undefined ? {} : { topic }) }, { parent: file, status });
    const checklist = [
      entry("analyze", "Run analyze_al_code", "completed"),
      entry("topic-setloadfields", "Apply topic: setloadfields", "pending", "perf/setloadfields"),
      entry("review-complete", "Mark review complete", "pending"),
    ];
    const action: CheckAction = {
      action: "apply_topic",
      actionId: "a2",
      file,
      item: "topic-setloadfields",
      topic_id: "perf/setloadfields",
      instruction: "Call retrieve_bc_knowledge and apply the topic to this file.",
      tool_call: { tool: "retrieve_bc_knowledge", arguments: { topic_id: "perf/setloadfields" } },
    };
    const { data } = nextReply(madeFacts({ files: madeFiles({ completed: 3 }) }), action, checklist);
    expect(data).toMatchObject({
      status: "in_progress",
      progress: { phase: "analysis", files_completed: 3, files_total: 47, percent_complete: 6.4 },
      current_file: {
        path: file,
        status: "in_progress",
        checklist: [
          { id: "analyze", description: "Run analyze_al_code", status: "completed" },
          { id: "topic-setloadfields", description: "Apply topic: setloadfields", status: "pending", topic_id: "perf/setloadfields" },
          { id: "review-complete", description: "Mark review complete", status: "pending" },
        ],
      },
      next_action: { action: "apply_topic", topic_id: "perf/setloadfields", tool_call: { tool: "retrieve_bc_knowledge" } },
    });
    const long = Array.from({ length: 100 }, (_, place) =>
      entry(`t${place}`, `Apply topic: number ${place}`, "pending", `perf/topic-${place}`),
    );
    const window = nextReply(madeFacts(), { ...action, item: "t50" }, long);
    expect(cost(window)).toBeLessThan(600);
    const shown = window.data["current_file"] as { checklist: { id: string }[]; checklist_total: number };
    expect(shown.checklist.map(({ id }) => id)).toContain("t50");
    expect(shown.checklist_total).toBe(100);
  });

  test("when all is done it asks for completion", () => {
    const facts47 = madeFacts({ stage: "ready_for_completion", phase: "summary", files: madeFiles({ completed: 47, inProgress: 0 }) });
    const { data } = nextReply(facts47, {
      action: "complete_workflow",
      actionId: "a9",
      instruction: "Call workflow_complete.",
      tool_call: { tool: "workflow_complete", arguments: { session_id: facts47.run, generate_report: true } },
    });
    expect(data).toMatchObject({
      status: "ready_for_completion",
      progress: { phase: "summary", percent_complete: 100 },
      next_action: { action: "complete_workflow", tool_call: { tool: "workflow_complete", args: { generate_report: true } } },
    });
  });
});

describe("a blocked run", () => {
  test("gives reason, files and ways out, however many files there are", () => {
    const files = Array.from({ length: 300 }, (_, place) => `src/File${place}.al`);
    const reply = blockedReply(
      madeFacts({ status: "blocked", blocked: { reason: "300 files failed", files, ways: ["Fix them and call workflow_retry"] } }),
    );
    expect(reply.data).toMatchObject({
      status: "blocked",
      blocked_reason: "300 files failed",
      blocked_files_total: 300,
      resolution_options: ["Fix them and call workflow_retry"],
    });
    expect(cost(reply)).toBeLessThan(250);
    expect(reply.text).toContain("and 290 more");
  });
});
