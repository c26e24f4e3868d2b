import { next, start, type Position, type Caller } from "../../src/engine/index.ts";
import { reportCheck, type CheckReport } from "../../src/dialects/checklist/run/index.ts";
import type { JsonObject } from "../../src/base/index.ts";
import { openTestEngine, type TestEngine } from "./test-engine.ts";

/** A migration of `old(...)` to `fresh(...)` in text files: calls with a text are certain, others need a look. */
export const oldCalls = `type: old-calls
name: "Old calls"
description: "Turns old() into fresh()."
file_patterns: ["**/*.js"]
phases:
  - { id: inventory, name: Inventory, description: d, required: true }
  - { id: scan, name: Scan, description: d, required: true }
  - { id: batch_auto, name: Batch, description: d, required: false }
  - { id: manual_review, name: Review, description: d, required: true }
  - { id: verification, name: Verification, description: d, required: true }
  - { id: summary, name: Summary, description: d, required: true }
per_file_checklist:
  - { id: scan, type: analysis, description: "Scan", required: true }
  - { id: review_complete, type: validation, description: "All calls dealt with", required: true }
topic_discovery: { enabled: false, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.5 }
pattern_discovery:
  enabled: true
  create_instance_items: true
  group_identical: true
  patterns:
    - id: old-call
      name: "Old call"
      description: "old() is gone"
      regex: "old\\\\("
      in: code
      whole_word: false
      balanced: true
      instance_classifier:
        rules:
          - { name: text, pattern: "^old\\\\('[^']*'\\\\)$", suggested_action: "Rename it", auto_fixable: true }
          - { name: other, pattern: "old", suggested_action: "Look at it", auto_fixable: false }
      transformations:
        - { instance_type: text, template: "fresh({{arg0}})", requires_review: false }
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;

/** A review of text files with one analysis and one validation for each. */
export const review = `type: review
name: "Review"
description: "Looks at every file."
file_patterns: ["**/*.js"]
phases:
  - { id: inventory, name: Inventory, description: d, required: true }
  - { id: analysis, name: Analysis, description: d, required: true, available_actions: [analyze_file] }
  - { id: topics, name: Topics, description: d, required: true, available_actions: [apply_topic] }
  - { id: summary, name: Summary, description: d, required: true }
per_file_checklist:
  - { id: analyze, type: analysis, description: "Analyse it", required: true }
  - { id: review_complete, type: validation, description: "Done?", required: true }
topic_discovery: { enabled: true, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.6 }
completion_rules: { require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true }
`;

export function withWorkflow(text: string, files: Readonly<Record<string, string>>): Promise<TestEngine> {
  const name = /^type: (\S+)/m.exec(text)?.[1] ?? "x";
  return openTestEngine({ [`.waymark/workflows/${name}.workflow.yaml`]: text, ...files });
}

export async function begin({ context, caller }: TestEngine, workflow: string, inputs: JsonObject = {}): Promise<Position> {
  return start(context, caller, { workflow, inputs });
}

/** What the caller has in hand: the action's word, the file and the item. */
export function inHand(position: Position): { what: string; file: string; item: string; type: string } {
  const { standing } = position;
  if (standing.kind !== "action") return { what: standing.kind, file: "", item: "", type: "" };
  const item = (standing.action.args["item"] ?? {}) as Readonly<Record<string, string>>;
  return {
    what: standing.action.what,
    file: item["file"] ?? item["path"] ?? "",
    item: item["entry"] ?? item["id"] ?? "",
    type: item["type"] ?? "",
  };
}

export function another(engine: TestEngine, name: string): Caller {
  return { ...engine.caller, holder: { ...engine.caller.holder, session: name }, leaseOwner: `${engine.caller.leaseOwner}-${name}` };
}

/** Reports what is open until nothing but the end is left; answers how many reports it took. */
export async function driveToEnd(
  { context, caller }: Pick<TestEngine, "context" | "caller">,
  run: string,
  report: (hand: ReturnType<typeof inHand>) => Omit<CheckReport, "run"> | Promise<Omit<CheckReport, "run">>,
): Promise<number> {
  for (let reports = 0; ; reports += 1) {
    const hand = inHand(await next(context, caller, { run, waitMs: 1_000 }));
    if (hand.what !== "check" || reports > 1_000) return reports;
    // Whatever else is said of an analysis, it was read.
    await reportCheck(context, caller, { run, ...(hand.type === "analysis" ? { result: "read" } : {}), ...(await report(hand)) });
  }
}
