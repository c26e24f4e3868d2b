/** What each key of a checklist does to a run: files, phases and entries. */
import { afterEach, describe, expect, test } from "vitest";
import { answer, next, type Position } from "../../src/engine/index.ts";
import { completeChecklist, describeCheck, gatherFacts, reportCheck } from "../../src/dialects/checklist/run/index.ts";
import type { CheckDescription } from "../../src/dialects/checklist/definition/index.ts";
import type { JsonObject } from "../../src/base/index.ts";
import { begin, driveToEnd, review, withWorkflow } from "../support/checklist-sample.ts";
import type { TestEngine } from "../support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

/** A run of the review with some of its lines replaced. */
async function run(
  files: Readonly<Record<string, string>>,
  changes: readonly (readonly [from: string, to: string])[] = [],
  inputs: JsonObject = {},
): Promise<TestEngine & { readonly begun: Position; readonly run: string }> {
  let text = review;
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  const opened = await withWorkflow(text, files);
  engine = opened;
  const begun = await begin(opened, "review", inputs);
  return { ...opened, begun, run: begun.run };
}

/** Files and items in the order in which they are handed out. */
async function order(world: Pick<TestEngine, "context" | "caller"> & { readonly run: string }): Promise<string[]> {
  const seen: string[] = [];
  await driveToEnd(world, world.run, ({ file, item }) => {
    seen.push(`${file} ${item}`);
    return { status: "completed" };
  });
  return seen;
}

async function described({ context }: TestEngine, { run: id, standing }: Position): Promise<CheckDescription | undefined> {
  return standing.kind === "action" ? describeCheck(context, await context.runs.open(id), standing.action) : undefined;
}

const files = { "a.js": "1", "b.js": "2", "src/c.js": "3", "src/d.JS": "4", "lib/e.js": "5" };

describe("which files", () => {
  test("file_patterns take in, file_exclusions leave out, gitignore counts unless switched off", async () => {
    const patterns = ['file_patterns: ["**/*.js"]', 'file_patterns: ["**/*.js"]\nfile_exclusions: ["lib/**"]'] as const;
    const first = await run({ ...files, ".gitignore": "b.js\n" }, [patterns]);
    expect((await order(first)).filter((line) => line.endsWith("analyze"))).toEqual(["a.js analyze", "src/c.js analyze"]);
    await first.close();
    const all = await run({ ...files, ".gitignore": "b.js\n" }, [[patterns[0], `${patterns[1]}\ngitignore: false`]]);
    expect((await gatherFacts(all.context, all.run)).files.total).toBe(3);
  });

  test("a file above max_file_bytes is listed and skipped with the reason, never dropped", async () => {
    const { context, run: id } = await run({ "a.js": "1", "big.js": "x".repeat(200) }, [
      ['file_patterns: ["**/*.js"]', 'file_patterns: ["**/*.js"]\nmax_file_bytes: 100'],
    ]);
    expect((await gatherFacts(context, id)).files).toMatchObject({ total: 2, skipped: 1 });
    const row = await context.store.readItem(id, "files", "big.js");
    expect([row?.status, row?.reason]).toEqual(["skipped", expect.stringMatching(/bytes|large/i)]);
  });

  test("scope directory takes what is below a folder", async () => {
    const { context, run: id } = await run(files, [], { scope: "directory", path: "src" });
    expect((await gatherFacts(context, id)).files.total).toBe(1);
  });

  test("scope files takes exactly the files named, separated by commas", async () => {
    const world = await run(files, [], { scope: "files", path: "lib/e.js, a.js" });
    expect((await order(world)).filter((line) => line.endsWith("analyze")).sort()).toEqual(["a.js analyze", "lib/e.js analyze"]);
  });

  test("include_patterns, exclude_patterns, priority_patterns and max_files shape the inventory; the rest is out of scope", async () => {
    const options = {
      include_patterns: ["**/*.js"],
      exclude_patterns: ["b.js"],
      priority_patterns: ["src/**"],
      max_files: 2,
    };
    const world = await run(files, [], { options });
    expect((await order(world)).filter((line) => line.endsWith("analyze"))).toEqual(["src/c.js analyze", "a.js analyze"]);
    expect((await gatherFacts(world.context, world.run)).files).toMatchObject({ total: 2, outOfScope: 1 });
  });

  test("no file at all is a run that can be completed at once", async () => {
    const { context, caller, begun, run: id } = await run({});
    expect(begun.standing).toMatchObject({ kind: "action", action: { what: "complete_workflow" } });
    expect((await completeChecklist(context, caller, id)).state.status).toBe("completed");
  });
});

const entries = '  - { id: review_complete, type: validation, description: "Done?", required: true }';

describe("which entries", () => {
  test("conditions: file_pattern and content_pattern decide which files get an entry, phase where it belongs", async () => {
    const world = await run({ "a.js": "secret", "b.js": "plain", "src/c.js": "plain" }, [
      [
        entries,
        `${entries}
  - { id: only_src, type: custom, description: "S", conditions: { file_pattern: "src/**", phase: topics } }
  - { id: only_secret, type: custom, description: "C", conditions: { content_pattern: "secret" } }`,
      ],
    ]);
    expect((await order(world)).filter((line) => line.includes("only"))).toEqual(["a.js only_secret", "src/c.js only_src"]);
    expect((await world.context.store.readItem(world.run, "files", "src/c.js#only_src"))?.facets["phase"]).toBe("topics");
  });

  test("an entry that is not required does not block its file when it fails", async () => {
    const {
      context,
      caller,
      run: id,
    } = await run({ "a.js": "1" }, [
      [
        '- { id: analyze, type: analysis, description: "Analyse it", required: true }',
        '- { id: analyze, type: analysis, description: "Analyse it", required: false }',
      ],
    ]);
    await reportCheck(context, caller, { run: id, status: "failed", error: "no idea" });
    await driveToEnd({ context, caller }, id, () => ({ status: "completed" }));
    expect((await gatherFacts(context, id)).files).toMatchObject({ completed: 1, blocked: 0 });
  });

  test("the description of an entry and the tool of topic_discovery reach the agent, by path", async () => {
    const world = await run({ "a.js": "1" }, [], { options: { bc_version: "BC26" } });
    expect(await described(world, world.begun)).toMatchObject({
      action: "analyze_file",
      item: { description: "Analyse it", type: "analysis" },
      tool: { name: "analyze_code", arguments: { file_path: "a.js", analysis_type: "comprehensive", bc_version: "BC26" } },
      checklist: [{ status: "in_progress" }, { status: "pending" }],
    });
  });

  test("keys of other engines are shown to the agent with the first analysis", async () => {
    const world = await run({ "a.js": "1" }, [["completion_rules:", 'severity_levels: { high: "stop" }\ncompletion_rules:']]);
    expect((await described(world, world.begun))?.guidanceKeys).toMatchObject({ severity_levels: { high: "stop" } });
  });
});

describe("phases", () => {
  const [analysis, topics] = [
    "  - { id: analysis, name: Analysis, description: d, required: true, available_actions: [analyze_file] }",
    "  - { id: topics, name: Topics, description: d, required: true, available_actions: [apply_topic] }",
  ];

  test("without entry conditions the phases of a file are done together, with them every file of the earlier phase comes first", async () => {
    const together = await run({ "a.js": "1", "b.js": "2" });
    expect(await order(together)).toEqual(["a.js analyze", "a.js review_complete", "b.js analyze", "b.js review_complete"]);
    await together.close();
    const apart = await run({ "a.js": "1", "b.js": "2" }, [
      [topics, topics.replace("required: true", 'required: true, entry_conditions: ["analysis phase completed"]')],
    ]);
    expect(await order(apart)).toEqual(["a.js analyze", "b.js analyze", "a.js review_complete", "b.js review_complete"]);
  });

  test("an entry condition that only a person can judge, and the lines of a phase, are shown with its items", async () => {
    const world = await run({ "a.js": "1" }, [
      [analysis, analysis.replace("required: true", 'required: true, entry_conditions: ["The build is green."], checklist: ["Be brief."]')],
    ]);
    expect((await described(world, world.begun))?.phase).toEqual(["The build is green.", "Be brief."]);
  });

  test("mode agent_driven hands the phase out as one action with its lines and available actions", async () => {
    const {
      context,
      caller,
      begun,
      run: id,
    } = await run({ "a.js": "1" }, [
      [
        analysis,
        `${analysis}\n  - { id: survey, name: Survey, description: "Look around.", mode: agent_driven, checklist: ["Read the docs."], available_actions: [record_finding] }`,
      ],
    ]);
    const phases: JsonObject[] = [];
    for (let position = begun; ; position = await next(context, caller, { run: id })) {
      const { standing } = position;
      if (standing.kind !== "action" || standing.action.what === "complete_workflow") break;
      if (standing.action.what === "run_phase") phases.push(standing.action.args);
      await reportCheck(context, caller, { run: id, status: "completed", result: "read" });
    }
    expect(phases).toEqual([
      { phase: "survey", name: "Survey", description: "Look around.", checklist: ["Read the docs."], actions: ["record_finding"] },
    ]);
  });

  test("each phase has a status that follows the work", async () => {
    const world = await run({ "a.js": "1" });
    const states = async (): Promise<string[]> =>
      (await gatherFacts(world.context, world.run)).phases.map(({ id, status, mode }) => `${id} ${mode} ${status}`);
    expect(await states()).toEqual([
      "inventory autonomous completed",
      "analysis guided in_progress",
      "topics guided pending",
      "summary autonomous pending",
    ]);
    await order(world);
    await completeChecklist(world.context, world.caller, world.run);
    expect(await states()).toEqual([
      "inventory autonomous completed",
      "analysis guided completed",
      "topics guided completed",
      "summary autonomous completed",
    ]);
  });

  test("hard_stop: no agent lets the run into the phase", async () => {
    const {
      context,
      caller,
      begun,
      run: id,
    } = await run({ "a.js": "1" }, [[analysis, analysis.replace("required: true", "required: true, hard_stop: true")]]);
    expect(begun.standing).toMatchObject({ kind: "question", decision: { answerBy: "person" } });
    const decision = begun.standing.kind === "question" ? begun.standing.decision.id : "";
    await expect(answer(context, caller, { run: id, decision, answer: "go_on", relayed: true })).rejects.toMatchObject({
      code: "DECISION_FOR_PERSON",
    });
    expect((await gatherFacts(context, id)).files.completed).toBe(0);
  });
});

describe("topics", () => {
  const discovery = "topic_discovery: { enabled: true, tool: analyze_code, auto_expand_checklist: false, min_relevance_score: 0.6 }";
  const code =
    "export async function load() {\n  items.forEach(async (item) => {\n    try { await save(item); } catch (error) {}\n  });\n}\n";

  test("auto_expand_checklist adds the topics that the file calls for, none below min_relevance_score", async () => {
    const world = await run({ "a.js": code }, [
      [discovery, discovery.replace("auto_expand_checklist: false", "auto_expand_checklist: true")],
    ]);
    await reportCheck(world.context, world.caller, { run: world.run, status: "completed", result: "read" });
    const rows = await world.context.store.selectItems(world.run, { list: "files", query: { facets: { kind: "topic" } }, limit: 20 });
    expect(rows.length).toBeGreaterThan(0);
    for (const { data } of rows) expect((data as JsonObject)["relevance"]).toBeGreaterThanOrEqual(0.6);
  });

  test("without auto_expand_checklist only topics that the agent names are added", async () => {
    const world = await run({ "a.js": code });
    await reportCheck(world.context, world.caller, { run: world.run, status: "completed", result: "read" });
    expect((await gatherFacts(world.context, world.run)).topics).toMatchObject({ suggested: 0 });
  });

  test("enabled: false takes no topics, and says so", async () => {
    const { context, caller, run: id } = await run({ "a.js": "1" }, [[discovery, discovery.replace("enabled: true", "enabled: false")]]);
    const reported = await reportCheck(context, caller, {
      run: id,
      status: "completed",
      topics: [{ topic: "general/async-errors", relevance: 0.9 }],
    });
    expect(reported).toMatchObject({ expanded: [], dropped: [{ topic: "general/async-errors" }] });
  });
});
