/** What each key of patterns, rules and decisions does to a run. */
import { afterEach, describe, expect, test } from "vitest";
import { answer, next, progress, type Position } from "../../src/engine/index.ts";
import { completeChecklist, describeCheck, gatherFacts, previewBatch, reportCheck } from "../../src/dialects/checklist/run/index.ts";
import type { CheckDescription } from "../../src/dialects/checklist/definition/index.ts";
import type { JsonObject } from "../../src/base/index.ts";
import type { Item } from "../../src/program/index.ts";
import { begin, driveToEnd, inHand, oldCalls, review, withWorkflow } from "../support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

type Change = readonly [from: string, to: string];
type World = TestEngine & { readonly begun: Position; readonly run: string };

/** A run of the migration with some of its lines replaced. */
async function run(files: Readonly<Record<string, string>>, changes: readonly Change[] = [], inputs: JsonObject = {}): Promise<World> {
  let text = oldCalls;
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, () => to);
  }
  const opened = await withWorkflow(text, files);
  engine = opened;
  const begun = await begin(opened, "old-calls", inputs);
  return { ...opened, begun, run: begun.run };
}

async function instances({ context, run: id }: World): Promise<readonly (Item & { readonly data: JsonObject })[]> {
  return (await context.store.selectItems(id, { list: "files", query: { facets: { kind: "instance" } }, limit: 100 })) as never;
}

/** What the agent is told about the first instance, file by file. */
async function firstInstance(world: World): Promise<CheckDescription | undefined> {
  const { position } = await progress(world.context, world.caller, { run: world.run, result: "review_by_file" });
  return described(world, position);
}

async function described({ context, run: id }: World, { standing }: Position): Promise<CheckDescription | undefined> {
  return standing.kind === "action" ? describeCheck(context, await context.runs.open(id), standing.action) : undefined;
}

const regex = '      regex: "old\\\\("';
const calls = "old('a');\nlet x;\nlet y;\nold(b);\nlet z;\nOLD('c');\n// old('d')\n";

describe("a pattern", () => {
  test("every match becomes an item with place, text, type and whether the engine can fix it", async () => {
    const world = await run({ "a.js": calls });
    expect((await instances(world)).map(({ data, status, parent }) => ({ ...pick(data), status, parent }))).toEqual([
      { pattern: "old-call", line: 1, column: 1, text: "old('a')", type: "text", auto: true, status: "pending", parent: "a.js" },
      { pattern: "old-call", line: 4, column: 1, text: "old(b)", type: "other", auto: false, status: "pending", parent: "a.js" },
    ]);
    const facts = await gatherFacts(world.context, world.run);
    expect(facts.instances).toMatchObject({ total: 2, open: { auto: 1, review: 0, manual: 1 } });
    expect(facts.files).toMatchObject({ total: 1, withMatches: 1 });
  });

  test("regex_flags, exclude_regex and in decide what is a match", async () => {
    const world = await run({ "a.js": calls }, [
      [regex, `${regex}\n      regex_flags: gi\n      exclude_regex: "b"`],
      ["      in: code\n", ""],
    ]);
    expect((await instances(world)).map(({ data }) => data["line"])).toEqual([1, 6, 7]);
  });

  test("five lines of code are shown on either side, and context_lines asks for more", async () => {
    const lines = [
      ...Array.from({ length: 8 }, (_, at) => `above ${at}`),
      "old(b)",
      ...Array.from({ length: 8 }, (_, at) => `below ${at}`),
    ];
    const usual = await run({ "a.js": lines.join("\n") });
    expect((await firstInstance(usual))?.context).toBe(lines.slice(3, 14).join("\n"));
    await usual.close();
    const wide = await run({ "a.js": lines.join("\n") }, [[regex, `${regex}\n      context_lines: 7`]]);
    expect((await firstInstance(wide))?.context).toBe(lines.slice(1, 16).join("\n"));
  });

  test("name, description, suggested_action, specialist and topic_id reach the agent; guidance comes once for each type", async () => {
    const world = await run({ "a.js": "old(a)\nold(b)\n" }, [
      [regex, `${regex}\n      specialist: sam-coder\n      topic_id: general/modern-javascript`],
    ]);
    const first = await firstInstance(world);
    expect(first).toMatchObject({
      action: "convert_instance",
      item: { action: "Look at it" },
      pattern: { name: "Old call", description: "old() is gone", specialist: "sam-coder", topic: "general/modern-javascript" },
      guidance: expect.stringContaining("general/modern-javascript"),
    });
    await reportCheck(world.context, world.caller, { run: world.run, status: "skipped", skipReason: "stays" });
    const second = await described(world, await next(world.context, world.caller, { run: world.run }));
    expect(second?.item["line"]).toBe(2);
    expect(second?.guidance).toBeUndefined();
  });

  test("a template is filled from the call; requires_review and auto_fixable: false leave it to a person", async () => {
    const sure = await run({ "a.js": "old('it (is)');\n" });
    const plan = await previewBatch(sure.context, sure.caller, { run: sure.run, operation: "apply_fixes", filter: {} });
    expect(plan.plan.files[0]?.items[0]).toMatchObject({ before: "old('it (is)')", after: "fresh('it (is)')" });
    await sure.close();
    const look = await run({ "a.js": "old('a');\n" }, [["requires_review: false", "requires_review: true"]]);
    expect((await instances(look))[0]?.data).toMatchObject({ auto: false, needs: "review", suggestion: "fresh('a')" });
    await look.close();
    const never = await run({ "a.js": "old('a');\n" }, [["auto_fixable: true", "auto_fixable: false"]]);
    expect((await instances(never))[0]?.data).toMatchObject({ auto: false, suggestion: "fresh('a')" });
  });

  test("create_instance_items: false makes no items of matches, and counts the files that have them", async () => {
    const world = await run({ "a.js": calls }, [
      ["create_instance_items: true", "create_instance_items: false"],
      [
        '- { id: scan, type: analysis, description: "Scan", required: true }',
        '- { id: scan, type: analysis, description: "Scan", required: true, by: engine }',
      ],
    ]);
    expect(await instances(world)).toEqual([]);
    expect((await gatherFacts(world.context, world.run)).files).toMatchObject({ total: 1, withMatches: 1 });
  });

  test("group_identical tells how many read the same, without it nothing is grouped", async () => {
    const same = { "a.js": "old(a)\nold( a )\n", "b.js": "old(a)\nold(c)\n" };
    const grouped = await run(same);
    expect((await firstInstance(grouped))?.identical).toBe(1);
    await grouped.close();
    const apart = await run(same, [["group_identical: true", "group_identical: false"]]);
    expect((await firstInstance(apart))?.identical).toBe(0);
  });

  test("pattern_discovery.enabled: false scans for nothing", async () => {
    const world = await run({ "a.js": calls }, [
      ["pattern_discovery:\n  enabled: true", "pattern_discovery:\n  enabled: false"],
      ["  - { id: scan, name: Scan, description: d, required: true }\n", ""],
      ["  - { id: batch_auto, name: Batch, description: d, required: false }\n", ""],
    ]);
    expect(await instances(world)).toEqual([]);
    expect(inHand(world.begun)).toMatchObject({ file: "a.js", item: "scan" });
  });

  test("scan_all_patterns: false leaves each file to be scanned when it is handed out", async () => {
    const world = await run({ "a.js": "old(b)\n", "b.js": "old(c)\n" }, [], { initial_processing: { scan_all_patterns: false } });
    const scanned = async (path: string): Promise<unknown> =>
      ((await world.context.store.readItem(world.run, "files", path)) as { readonly data: JsonObject }).data["scanned"];
    expect(inHand(world.begun)).toMatchObject({ file: "a.js", type: "other" });
    expect([await scanned("a.js"), await scanned("b.js")]).toEqual([true, false]);
    await driveToEnd(world, world.run, () => ({ status: "skipped", skipReason: "stays" }));
    expect((await instances(world)).map(({ status, parent }) => `${parent} ${status}`)).toEqual(["a.js skipped", "b.js skipped"]);
  });
});

function pick({ pattern, line, column, text, type, auto }: JsonObject): JsonObject {
  return { pattern, line, column, text, type, auto } as JsonObject;
}

describe("completion rules", () => {
  const rules = "require_all_files: true, require_all_checklist_items: true, allow_skip_with_reason: true";
  const cases: readonly (readonly [rules: string, ends: string])[] = [
    ["require_all_files: true, require_all_checklist_items: true", "is refused"],
    ["require_all_files: true, require_all_checklist_items: false", "is refused"],
    ["require_all_files: false, require_all_checklist_items: true", "is refused"],
    ["require_all_files: false, require_all_checklist_items: false", "ends the run"],
  ];

  test.each(cases)("%s: completing with work open %s", async (given, ends) => {
    const opened = await withWorkflow(review.replace(rules, `${given}, allow_skip_with_reason: true`), { "a.js": "1", "b.js": "2" });
    engine = opened;
    const { run: id } = await begin(opened, "review");
    const outcome = await completeChecklist(opened.context, opened.caller, id).then(
      ({ state }) => state.status as string,
      ({ code }: { readonly code: string }) => code,
    );
    expect(outcome).toBe(ends === "is refused" ? "RUN_NOT_DONE" : "completed");
    const { files } = await gatherFacts(opened.context, id);
    expect(files.pending + files.inProgress + files.completed + files.skipped + files.blocked).toBe(2);
  });

  test("allow_skip_with_reason: true takes a skip with a reason and none without", async () => {
    const { context, caller, run: id } = await run({ "a.js": "old(b)\n" });
    await progress(context, caller, { run: id, result: "review_by_file" });
    await expect(reportCheck(context, caller, { run: id, status: "skipped" })).rejects.toMatchObject({ code: "ENGINE_OFF_COURSE" });
    await expect(reportCheck(context, caller, { run: id, status: "skipped", skipReason: "  " })).rejects.toMatchObject({
      code: "ENGINE_OFF_COURSE",
    });
    await reportCheck(context, caller, { run: id, status: "skipped", skipReason: "vendor code" });
    expect((await gatherFacts(context, id)).instances).toMatchObject({ skipped: 1 });
  });

  test("allow_skip_with_reason: false takes no skip at all", async () => {
    const {
      context,
      caller,
      run: id,
    } = await run({ "a.js": "old(b)\n" }, [["allow_skip_with_reason: true", "allow_skip_with_reason: false"]]);
    await progress(context, caller, { run: id, result: "review_by_file" });
    await expect(reportCheck(context, caller, { run: id, status: "skipped", skipReason: "vendor code" })).rejects.toMatchObject({
      code: "ENGINE_OFF_COURSE",
    });
  });
});

describe("the decision", () => {
  test("approach: advice, options, recommended and answer_by reach whoever decides", async () => {
    const {
      context,
      caller,
      begun,
      run: id,
    } = await run({ "a.js": "old(b)\n" }, [
      [
        "completion_rules:",
        'approach:\n  advice: "It is worth it."\n  options: [review_by_file, { id: review_by_type, label: "By kind" }]\n  recommended: review_by_type\n  answer_by: person\ncompletion_rules:',
      ],
    ]);
    const decision = begun.standing.kind === "question" ? begun.standing.decision : undefined;
    expect(decision).toMatchObject({
      question: expect.stringContaining("It is worth it."),
      options: [{ value: "review_by_file" }, { value: "review_by_type", label: "By kind" }],
      answerBy: "person",
    });
    await expect(
      answer(context, caller, { run: id, decision: decision?.id ?? "", answer: "review_by_file", relayed: true }),
    ).rejects.toMatchObject({
      code: "DECISION_FOR_PERSON",
    });
  });

  test("nothing found, nothing asked: every file is done at once", async () => {
    const { context, begun, run: id } = await run({ "a.js": "fresh()\n" });
    expect(begun.standing).toMatchObject({ kind: "action", action: { what: "complete_workflow" } });
    expect((await gatherFacts(context, id)).files).toMatchObject({ total: 1, completed: 1 });
  });
});

test("sub_workflows: another checklist is called on the same files before the end", async () => {
  const parent = review.replace("completion_rules:", "sub_workflows: [old-calls]\ncompletion_rules:");
  const child = oldCalls.replace("  - { id: batch_auto, name: Batch, description: d, required: false }\n", "");
  engine = await openTestEngine({
    ".waymark/workflows/review.workflow.yaml": parent,
    ".waymark/workflows/old-calls.workflow.yaml": child,
    "a.js": "old(b)\n",
    "lib/x.js": "old(c)\n",
  });
  const { context, caller } = engine;
  const { run: id } = await begin(engine, "review", { options: { exclude_patterns: ["lib/**"] } });
  const seen: string[] = [];
  await driveToEnd({ context, caller }, id, ({ file, item, type }) => {
    seen.push(`${file} ${type}`);
    return item.startsWith("i") ? { status: "skipped", skipReason: "stays" } : { status: "completed" };
  });
  expect(seen).toEqual(["a.js analysis", "a.js validation", "a.js other"]);
  expect((await completeChecklist(context, caller, id)).state.status).toBe("completed");
  const rows = await context.store.selectItems(id, { list: "old-calls/files", query: {}, limit: 10 });
  expect(rows.find((row) => row.facets["kind"] === "instance")).toMatchObject({ status: "skipped", reason: "stays" });
});
