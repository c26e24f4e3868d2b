/** What `include` puts in is part of the graph: its nodes are nodes of it, and everything that is true of these is true of them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { promptsDialect } from "../../src/dialects/prompts/definition/index.ts";
import { logOf, nodeRows } from "../../src/dialects/prompts/run/index.ts";
import { lineOfRun, whatItRuns } from "../../src/engine/index.ts";
import type { Turn } from "../../src/ports/index.ts";
import { itemCounts } from "../../src/views/index.ts";
import { GraphBench, type GraphRun } from "../support/graph-bench.ts";

let bench: GraphBench;
beforeAll(async () => {
  bench = await GraphBench.open({ ".archon/steps/say.md": "Say $INPUTS.what to $ARGUMENTS." });
  await bench.define("- id: q\n  approval: { message: 'Sure about $INPUTS.what?' }", "inputs: { what: { default: all } }", "asks");
  await bench.define("- id: stop\n  cancel: Enough of $ARGUMENTS.", "", "stops");
  await bench.define(
    "- id: a\n  when: \"$INPUTS.m == 'x'\"\n  bash: echo a\n- id: b\n  depends_on: [a]\n  trigger_rule: all_done\n  when: \"$INPUTS.m == 'b'\"\n  bash: echo b",
    "",
    "chooses",
  );
  await bench.define(
    "- id: one\n  bash: printf one\n- id: two\n  depends_on: [one]\n  prompt: 'TWO $INPUTS.what $one.output'",
    "",
    "two-steps",
  );
  await bench.define(
    "- id: in\n  include: two-steps\n  with: { what: 'deep $INPUTS.what' }\n- id: last\n  depends_on: [in]\n  prompt: 'LAST $in.output'",
    "",
    "outer",
  );
  await bench.define(
    "- id: first\n  bash: printf first\n- id: second\n  bash: printf second\n- id: off\n  when: \"$INPUTS.m == 'x'\"\n  bash: printf off",
    "",
    "three-ends",
  );
  await bench.define("- id: say\n  prompt: 'SAY $ARGUMENTS $CONTEXT'\n- id: more\n  depends_on: [say]\n  prompt: MORE", "", "talks");
  await bench.define("- id: c\n  bash: 'if [ $INPUTS.before = one ]; then printf two; else printf one; fi'", "", "counts");
});
afterAll(() => bench.close());

async function rows(run: GraphRun) {
  const handle = await bench.engine.context.runs.open(run.id);
  return (await nodeRows(bench.engine.context, handle)) ?? [];
}

async function statuses(run: GraphRun): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(
    (await rows(run)).map(({ id, status, reason }) => [id, reason === undefined ? status : `${status}: ${reason}`]),
  );
}

test("its nodes are listed with status and reason below its name, and counted as they are listed", async () => {
  const run = await bench.run("- id: x\n  include: chooses\n  with: { m: b }\n- id: y\n  depends_on: [x]\n  bash: printf %s $x.output");
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await statuses(run)).toEqual({
    x: "completed",
    "x/a": "skipped: its condition `$INPUTS.m == 'x'` does not hold",
    "x/b": "completed",
    y: "completed",
  });
  expect(await run.output("y")).toBe("b");
  const { program, state } = await bench.engine.context.runs.open(run.id);
  expect(itemCounts({ program, state })).toMatchObject({ total: 4, completed: 3, skipped: 1 });
});

test("where all of it is skipped, what waits for it sees skipped nodes", async () => {
  const run = await bench.run(
    "- id: p\n  bash: echo P\n- id: x\n  include: chooses\n  with: { m: y }\n- id: y\n  depends_on: [p, x]\n  trigger_rule: none_failed_min_one_success\n  bash: printf '<%s>' $x.output\n- id: z\n  depends_on: [x]\n  bash: echo",
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await statuses(run)).toMatchObject({ y: "completed", z: "skipped: `x/b` was skipped" });
  expect(await run.output("y")).toBe("<>");
});

test("one that is skipped skips all that it puts in, whatever the rules of these say", async () => {
  const run = await bench.run(
    "- id: p\n  bash: echo P\n- id: x\n  depends_on: [p]\n  when: \"$p.output == 'no'\"\n  include: chooses\n  with: { m: b }",
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await statuses(run)).toEqual({
    p: "completed",
    x: "skipped: its condition `$p.output == 'no'` does not hold",
    "x/a": "skipped: `x` was skipped",
    "x/b": "skipped: `x` was skipped",
  });
});

test("a cancel in it ends the run as cancelled, and nothing behind it begins", async () => {
  const run = await bench.run(
    "- id: i\n  include: stops\n- id: after\n  depends_on: [i]\n  trigger_rule: all_done\n  bash: echo",
    undefined,
    { message: "it" },
  );
  expect(run.end).toMatchObject({ kind: "cancelled", why: expect.stringContaining("Enough of it.") as string });
  expect((await rows(run)).find(({ id }) => id === "after")).toMatchObject({ status: "skipped" });
});

describe("a question in it", () => {
  test("has the name of both, and its rejection cancels the run", async () => {
    const run = await bench.run("- id: i\n  include: asks\n- id: j\n  depends_on: [i]\n  include: asks\n  with: { what: two }");
    expect(run.questions).toMatchObject([{ id: "i/q", question: "Sure about all?" }]);
    await run.answer("approve");
    await run.drive();
    expect(run.questions).toMatchObject([{ id: "j/q", question: "Sure about two?" }]);
    await run.answer("reject", "nope");
    await run.drive();
    expect(run.end).toMatchObject({ kind: "cancelled", why: expect.stringContaining("`j/q` was rejected: nope") as string });
  });

  test("a rejection may open again what an include put in, from inside and from outside", async () => {
    await bench.define(
      "- id: draft\n  prompt: 'DRAFT $REJECTION_REASON'\n- id: ok\n  depends_on: [draft]\n  approval: { message: '$draft.output?', on_reject: { reopens: [draft] } }",
      "",
      "drafts",
    );
    const said: string[] = [];
    const says = (prompt: string): string => String(said.push(prompt));
    const run = await bench.run(
      "- id: i\n  include: drafts\n- id: all\n  depends_on: [i]\n  approval: { message: All?, on_reject: { reopens: [i] } }",
      says,
    );
    await run.answer("reject", "short");
    await run.drive(says);
    expect(run.questions).toMatchObject([{ id: "i/ok", question: "2?", revision: 2 }]);
    await run.answer("approve", undefined, 2);
    await run.drive(says);
    await run.answer("reject", "long");
    await run.drive(says);
    expect(run.questions).toMatchObject([{ id: "i/ok", question: "3?", revision: 3 }]);
    expect(said.map((each) => each.trim())).toEqual(["DRAFT", "DRAFT short", "DRAFT long"]);
  });
});

test("includes of includes have their own inputs and names, and the output of what they end with", async () => {
  const said: string[] = [];
  const run = await bench.run(
    "- id: one\n  bash: printf top\n- id: i\n  depends_on: [one]\n  include: outer\n  with: { what: $one.output }\n- id: use\n  depends_on: [i]\n  bash: printf %s $i.output",
    (prompt) => `said ${said.push(prompt)}`,
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(said).toEqual(["TWO deep top one", "LAST said 1"]);
  expect((await rows(run)).map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    "one bash",
    "i include",
    "i/in include",
    "i/in/one bash",
    "i/in/two prompt",
    "i/last prompt",
    "use bash",
  ]);
  expect(await run.output("use")).toBe("said 2");
});

test("of several ends the last one that was done is the output, else that of `returns`", async () => {
  const use = (include: string): string =>
    `- id: i\n  include: ${include}\n  with: { m: y }\n- id: use\n  depends_on: [i]\n  trigger_rule: all_done\n  bash: printf %s $i.output`;
  expect(await (await bench.run(use("three-ends"))).output("use")).toBe("second");
  await bench.define('- id: a\n  bash: printf \'{"k":"v"}\'\n- id: b\n  depends_on: [a]\n  bash: echo b', "returns: a", "returns-a");
  const run = await bench.run(
    "- id: i\n  include: returns-a\n- id: use\n  depends_on: [i]\n  when: \"$i.output.k == 'v'\"\n  bash: printf %s $i.output.k",
  );
  expect(await run.output("use")).toBe("v");
});

test("a retry continues inside: what is done stays done, except always_run nodes", async () => {
  await bench.define(
    "- id: always\n  always_run: true\n  bash: echo x >> always.txt\n- id: once\n  bash: echo x >> once.txt\n- id: may\n  depends_on: [once, always]\n  bash: test -e ready.txt",
    "",
    "may-fail",
  );
  const run = await bench.run("- id: i\n  include: may-fail\n- id: use\n  depends_on: [i]\n  bash: wc -l < once.txt");
  expect(run.end).toMatchObject({ kind: "failed" });
  expect(await statuses(run)).toMatchObject({
    "i/once": "completed",
    "i/may": expect.stringContaining("failed") as string,
    use: "skipped: `i/may` failed",
  });
  await bench.engine.write("ready.txt", "");
  await run.retry();
  await run.drive();
  expect(run.end).toMatchObject({ kind: "completed" });
  expect((await run.output("use"))?.trim()).toBe("1");
  expect(await readFile(join(bench.engine.folder, "always.txt"), "utf8")).toBe("x\nx\n");
});

test("in a group each round has its own, with what the round before said", async () => {
  const run = await bench.run(`- id: g
  loop_group:
    until_bash: test $i.output = two
    max_iterations: 3
    nodes:
      - { id: n, bash: "printf '%s' $LOOP_PREV.i.output" }
      - { id: i, depends_on: [n], include: counts, with: { before: $n.output } }
- id: use
  depends_on: [g]
  bash: printf %s $g.output`);
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("use")).toBe("two");
  expect((await rows(run)).map(({ id, group }) => [id, group])).toEqual([
    ["g", undefined],
    ["g/n", "g"],
    ["g/i", "g"],
    ["g/i/c", "g"],
    ["use", undefined],
  ]);
});

test("what is put in may have groups, with includes inside of them", async () => {
  await bench.define(
    "- id: g\n  loop_group:\n    until_bash: test $say.output = \"$(printf two-in)\"\n    max_iterations: 3\n    nodes: [{ id: i, include: counts, with: { before: $LOOP_PREV.i.output } }, { id: say, depends_on: [i], bash: 'printf %s-%s $i.output $INPUTS.what' }]",
    "",
    "grouped",
  );
  const run = await bench.run(
    "- id: top\n  include: grouped\n  with: { what: in }\n- id: use\n  depends_on: [top]\n  bash: printf %s $top.output",
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("use")).toBe("two-in");
  expect((await rows(run)).map(({ id }) => id)).toEqual(["top", "top/g", "top/g/i", "top/g/i/c", "top/g/say", "use"]);
});

test("a conversation continues into it and out of it, as if all were written in one file, and the context of the run counts", async () => {
  const turns: [string, string | undefined][] = [];
  const says = (prompt: string, { session }: Turn): string => String(turns.push([prompt, session]));
  const nodes = "- id: a\n  prompt: A\n- id: i\n  depends_on: [a]\n  include: talks\n- id: b\n  depends_on: [i]\n  prompt: B";
  const run = await bench.run(nodes, says, { message: "me", inputs: { context: "CTX" } });
  expect(run.end).toMatchObject({ kind: "completed" });
  const session = turns[1]?.[1];
  expect(session).toBeDefined();
  expect(turns).toEqual([
    ["A\n\nCTX", undefined],
    ["SAY me CTX", session],
    ["MORE\n\nCTX", session],
    ["B\n\nCTX", session],
  ]);
  turns.length = 0;
  await bench.run(`${nodes}\n- id: beside\n  depends_on: [a]\n  prompt: BESIDE`, says, { message: "me", inputs: { context: "CTX" } });
  expect(turns.filter(([prompt]) => /^(?:SAY|BESIDE)/.test(prompt)).map(([, each]) => each)).toEqual([undefined, undefined]);
  turns.length = 0;
  const group = "nodes: [{ id: i, include: talks }, { id: e, depends_on: [i], prompt: E }]";
  await bench.run(`- id: g\n  loop_group: { until_bash: "false", max_iterations: 2, ${group} }`, says, { message: "me" });
  const first = turns[1]?.[1];
  expect(first).toBeDefined();
  expect(turns.map(([prompt, each]) => [prompt.trim(), each])).toEqual([
    ["SAY me", undefined],
    ["MORE", first],
    ["E", first],
    ["SAY me", first],
    ["MORE", first],
    ["E", first],
  ]);
});

test("the log has a line for each of its nodes, and for each that was skipped the reason", async () => {
  const run = await bench.run("- id: x\n  include: chooses\n  with: { m: b }");
  const lines = ((await logOf(bench.engine.context, run.id))?.lines ?? []).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ type, step, reason }) => [type, step, reason].filter((each) => each !== undefined))).toEqual([
    ["workflow_start"],
    ["node_start", "x"],
    ["node_complete", "x"],
    ["node_skipped", "x/a", "its condition `$INPUTS.m == 'x'` does not hold"],
    ["node_start", "x/b"],
    ["node_complete", "x/b"],
    ["workflow_complete"],
  ]);
});

test("a workflow that is called has a place of its own, also where an include has its name", async () => {
  await bench.define("- id: a\n  bash: printf 'called %s' \"$ARGUMENTS\"", "", "child");
  await bench.define("- id: c\n  workflow: child\n  input: x", "", "calls");
  const run = await bench.run(
    "- id: child\n  include: child\n- id: in\n  include: calls\n- id: use\n  depends_on: [child, in]\n  bash: printf '%s, %s' $child.output $in.output",
    undefined,
    { message: "me" },
  );
  expect(run.end).toMatchObject({ kind: "completed" });
  expect(await run.output("use")).toBe("called me, called x");
});

test("a permission is for what it puts in too, once, and each node is for the agent that its own file names", async () => {
  const inner = (say: string): string =>
    `name: named\ndescription: x\nprovider: codex\nmodel: inner\nnodes: [{ id: a, prompt: ${say} }, { id: g, loop_group: { until_bash: "true", max_iterations: 1, nodes: [{ id: b, prompt: B }] } }]\n`;
  const { engine } = bench;
  const { context } = engine;
  await engine.write(".archon/workflows/named.yaml", inner("Look."));
  const name = await bench.define("- id: i\n  include: named\n- id: z\n  depends_on: [i]\n  prompt: Z", "model: outer");
  const { program, hash } = await context.catalog.load(name);
  expect(whatItRuns(context, program!).map(lineOfRun)).toEqual([
    "agent (codex, model inner): Look.$CONTEXT",
    "agent (codex, model inner): B$CONTEXT",
    "command: true",
    "agent (model outer): Z$CONTEXT",
  ]);
  const text = promptsDialect.explain!(program!).text();
  expect(text.split("\n").slice(3)).toEqual([
    "  1. i: puts in the workflow named",
    "┌ 2. i/a: prompt; after i; fresh context; by codex, model inner",
    "└ 3. i/g: 1 node, repeated until `true` succeeds, at most 1 times; after i",
    "     1. b: prompt; fresh context in the first round, then continues the context of b in the round before; by codex, model inner",
    "  4. z: prompt; after i/a, i/g; fresh context; model outer",
  ]);
  expect(promptsDialect.explain!(program!).mermaid()).toContain('n1["i/a"]');
  await engine.write(".archon/workflows/named.yaml", inner("Destroy."));
  expect((await context.catalog.load(name)).hash).not.toBe(hash);
});

test("what cannot be put in is an error when the file is read", async () => {
  await bench.engine.write(".archon/workflows/chain.yaml", "name: chain\ndescription: x\nsteps: [{ step: say }]\n");
  expect(await bench.problems("- id: i\n  include: chain")).toEqual([
    "error PROMPTS_NOT_A_GRAPH: `chain` cannot be put in here: it is not a graph with `nodes`.",
  ]);
  expect(await bench.problems("- id: i\n  include: talks\n  with: { user_message: x }")).toEqual([
    "error PROMPTS_ONE_FORM: What is put in by `include` is asked for the same as this workflow: `user_message` of `with` has no meaning.",
  ]);
  await bench.engine.write(".archon/workflows/ring-a.yaml", "name: ring-a\ndescription: x\nnodes: [{ id: b, include: ring-b }]\n");
  await bench.engine.write(".archon/workflows/ring-b.yaml", "name: ring-b\ndescription: x\nnodes: [{ id: a, include: ring-a }]\n");
  expect(await bench.problems("- id: i\n  include: ring-a")).toEqual([
    "error DIALECTS_CALL_CYCLE: Workflows call each other in a circle: ring-a → ring-b → ring-a.",
  ]);
});
