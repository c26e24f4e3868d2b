/** Seed 002, graphs: everything that counts says the same of a graph that calls workflows with items of their own. */
import { afterEach, expect, test } from "vitest";
import { describeRun, nodeRows } from "../../src/dialects/prompts/run/index.ts";
import { next, report, runs, start } from "../../src/engine/index.ts";
import { itemCounts, liveFacts, progressOf } from "../../src/views/index.ts";
import { samples } from "../support/calling-samples.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const graph = (name: string, ...nodes: readonly string[]): Readonly<Record<string, string>> => ({
  [`.archon/workflows/${name}.yaml`]: [`name: ${name}`, "description: A case.", "nodes:", ...nodes.map((node) => `  - ${node}`), ""].join(
    "\n",
  ),
});

const files = {
  "src/a.js": "a\n",
  "src/b.js": "b\n",
  ".archon/steps/one.md": "One.\n",
  ".archon/workflows/chain.yaml": "name: chain\ndescription: A case.\nsteps:\n  - { workflow: fans }\n  - { step: one }\n",
  ...samples.checklist("looks"),
  ...samples.steps("around", "looks"),
  ...graph("pair", "{ id: x, bash: echo x }", "{ id: y, depends_on: [x], prompt: Y }"),
  ...graph(
    "fans",
    '{ id: list, bash: "echo [1,2,3]" }',
    "{ id: all, depends_on: [list], workflow: pair, fan_out: { items: $list.output, as: it } }",
    "{ id: end, depends_on: [all], bash: echo end }",
  ),
  ...graph(
    "calls",
    "{ id: before, bash: echo before }",
    "{ id: look, depends_on: [before], workflow: looks }",
    "{ id: end, depends_on: [look], prompt: End. }",
  ),
  ...graph("twice", "{ id: first, workflow: calls }", "{ id: then, depends_on: [first], prompt: Then. }"),
};

interface Counted {
  readonly done: number;
  readonly total: number;
}

/** What each place says, one after the other. */
async function counted(run: string): Promise<Readonly<Record<string, Counted | undefined>>> {
  const { context } = engine;
  const handle = await context.runs.open(run);
  const { program, state } = handle;
  const { nodes } = (await describeRun(context, run)).data as { readonly nodes?: { readonly completed: number; readonly total: number } };
  const rows = (await nodeRows(context, handle))?.filter(({ group }) => group === undefined);
  const { completed, total } = itemCounts(handle);
  const line = (await runs(context, {})).find(({ id }) => id === run)?.line;
  const own = (of: Counted | undefined): Counted | undefined => of && { done: of.done, total: of.total };
  return {
    items: { done: completed, total },
    status: own(progressOf(handle).progress as Counted | undefined),
    runs: own(line),
    live: own(liveFacts({ id: run, program, state }, { strands: {}, used: {} })),
    ...(rows && { rows: { done: rows.filter(({ status }) => status === "completed").length, total: rows.length } }),
    ...(nodes && { nodes: { done: nodes.completed, total: nodes.total } }),
  };
}

/** Does all that is open, one after the other; what every place says each time. */
async function walk(workflow: string, inputs: Readonly<Record<string, string>>): Promise<readonly Counted[]> {
  engine = await openTestEngine(files);
  await engine.allow(workflow);
  const { context, caller } = engine;
  const { run } = await start(context, caller, { workflow, inputs });
  const seen: Counted[] = [];
  for (;;) {
    const { standing, state } = await next(context, caller, { run });
    const [first, ...others] = Object.values(await counted(run)).filter((each) => each !== undefined);
    expect(others).toEqual(others.map(() => first));
    if (first !== undefined) seen.push(first);
    if (state.status !== "running") return seen;
    if (standing.kind === "action") await report(context, caller, { run, action: standing.action.id, status: "success", result: "ok" });
  }
}

const me = { user_message: "me" };

test.each([
  ["a checklist", "calls"],
  ["a graph for each item of a list", "fans"],
])("a graph that calls %s counts its own nodes and nothing inside them", async (_what, workflow) => {
  const seen = await walk(workflow, me);
  expect(seen.map(({ total }) => total)).toEqual(seen.map(() => 3));
  expect(seen.at(-1)).toEqual({ done: 3, total: 3 });
});

test("a graph that calls a graph that calls a checklist counts its own two nodes", async () => {
  expect(new Set((await walk("twice", me)).map(({ done, total }) => `${done}/${total}`))).toEqual(new Set(["0/2", "1/2", "2/2"]));
});

test("what a workflow without items of its own calls does not vanish", async () => {
  expect((await walk("chain", me)).at(-1)).toEqual({ done: 3, total: 3 });
  await engine.close();
  expect((await walk("around", {})).at(-1)).toEqual({ done: 4, total: 4 });
});
