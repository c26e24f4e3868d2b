/** The leaf `task`, as workflows of steps use it: `agent_task`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DrivenTime } from "../../../test/support/driven-time.ts";
import { SeedBench, SeedRun } from "../../../test/support/seed-bench.ts";
import { openTestEngine } from "../../../test/support/test-engine.ts";
import { next } from "../commands/next.ts";
import { start } from "../commands/start.ts";
import { updateState } from "../commands/state.ts";
import { lineOfRun, whatItRuns } from "../permission.ts";
import type { TurnWish } from "../turn-wish.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

async function wish({ position }: SeedRun): Promise<TurnWish | undefined> {
  const { context } = bench.engine;
  if (position.standing.kind !== "action") return undefined;
  const { action } = position.standing;
  const { at, leaf } = context.leaves.ofAction(context, await context.runs.open(position.run), action);
  return leaf.turn?.(at, { action });
}

test("it hands out the prompt with what it is about, and says what to bring", async () => {
  const run = await bench.run(
    `inputs: { topic: string }
steps:
  - id: review
    type: agent_task
    prompt: "Review {{ inputs.topic }}."
    give: { topic: "{{ inputs.topic }}", lines: 3 }
    files: [docs/style.md]
    artifacts: ["notes/{{ inputs.topic }}.md"]
`,
    { inputs: { topic: "tables" } },
  );
  expect(run.step).toMatchObject({
    type: "agent_task",
    definition: { prompt: "Review tables.", give: { topic: "tables", lines: 3 }, files: ["docs/style.md"], artifacts: ["notes/tables.md"] },
  });
  expect(run.step?.instructions).toContain("It is done only when these files are there: notes/tables.md.");
  expect(await wish(run)).toEqual({
    prompt: `Review tables.

## Given

\`\`\`json
{
  "topic": "tables",
  "lines": 3
}
\`\`\`

## Files to read first

- docs/style.md

## Files to leave

The task is done only when these files are there:

- notes/tables.md`,
    endIsReport: true,
    artifacts: ["notes/tables.md"],
  });
});

describe("returns", () => {
  const body = `default_state: { raw: { verdict: null } }
steps:
  - id: judge
    type: agent_task
    prompt: Judge it.
    returns: { type: object, required: [verdict], properties: { verdict: { enum: [good, bad] } } }
    state_update: { path: raw.verdict, value: "{{ result.verdict }}" }
`;

  test("a result that does not fit is refused and nothing is recorded; one that fits counts, as text between fences too", async () => {
    const run = await bench.run(body);
    for (const wrong of ["It is good.", { verdict: "fine" }, {}])
      await expect(run.done(wrong)).rejects.toMatchObject({ code: "ENGINE_TASK_RESULT" });
    await run.done('```json\n{ "verdict": "good" }\n```');
    expect(run.status).toBe("completed");
    expect(await run.read("raw.verdict")).toBe("good");
  });

  test("a runner is given the schema, in the prompt too", async () => {
    const turn = await wish(await bench.run(body));
    expect(turn?.returns).toMatchObject({ required: ["verdict"] });
    expect(turn?.prompt).toContain("End with one JSON value and nothing else");
  });

  test("a schema with words that are not checked is an error", async () => {
    const found = await bench.problems(`steps: [{ id: a, type: agent_task, prompt: P, returns: { oneOf: [] } }]`);
    expect(found).toEqual(["error STEPS_BAD_VALUE: `returns` uses `oneOf`, which Waymark does not check."]);
  });
});

describe("done_when", () => {
  const body = (more: string): string => `steps:
  - id: fix
    type: agent_task
    prompt: Fix it.
    done_when: "test -f fixed || { echo 'still broken'; exit 1; }"
${more}
`;

  test("the engine runs the command after the report; when it fails the task is handed out again with what it printed", async () => {
    const run = await bench.run(body("    on_error: retry\n    retry_count: 2\n    retry_delay: 0"));
    await run.done("done");
    expect(run.at).toBe("agent_task fix");
    expect(run.step?.instructions).toContain("Its output ends with: still broken");
    expect((await wish(run))?.prompt).toContain("## The last try failed");
    expect((await wish(run))?.prompt).toContain("`test -f fixed || { echo 'still broken'; exit 1; }` must succeed afterwards.");
    await bench.engine.write("fixed", "");
    await run.done("really done");
    expect(run.status).toBe("completed");
  });

  test("without a retry the step fails, and a person allows the command before", async () => {
    const run = await bench.run(body("").replaceAll("-f fixed", "-f never"));
    expect(whatItRuns(bench.engine.context, run.position.program).map(lineOfRun)).toEqual([
      "agent: Fix it.",
      "command: test -f never || { echo 'still broken'; exit 1; }",
    ]);
    await run.done("done");
    expect(run.error?.code).toBe("COMMAND_FAILED");
  });

  test("does not go together with a fallback", async () => {
    expect(await bench.problems(body("    on_error: continue\n    fallback_value: 1"))).toEqual([
      expect.stringContaining("STEPS_CONFLICTING_KEYS"),
    ]);
  });
});

test("context, permission, agent, model, tools and idle time reach a runner", async () => {
  const run = await bench.run(`steps:
  - id: a
    type: agent_task
    prompt: P
    context: last
    permission: { level: edit, commands: [npm test] }
    agent: claude
    model: opus
    tools: { allowed: [Read], denied: [Bash] }
    idle_timeout: 60000
`);
  expect(await wish(run)).toEqual({
    prompt: "P",
    endIsReport: true,
    context: "last",
    permission: { level: "edit", commands: ["npm test"] },
    agent: "claude",
    model: "opus",
    tools: { allowed: ["Read"], denied: ["Bash"] },
    idleMs: 60_000,
  });
});

test("a task that takes too long fails", async () => {
  const time = new DrivenTime();
  const engine = await openTestEngine(
    {
      ".waymark/workflows/slow.yaml":
        'name: slow\ndescription: x\nversion: "1.0.0"\nsteps: [{ id: a, type: agent_task, prompt: P, timeout: 1000 }]\n',
    },
    {},
    time,
  );
  try {
    const run = new SeedRun(engine, engine.caller, await start(engine.context, engine.caller, { workflow: "slow" }));
    await time.advance(1000);
    await run.next();
    expect(run.error?.code).toBe("TIMEOUT");
  } finally {
    await engine.close();
  }
});

test("a failed task writes its error or takes its fallback, and a lost one is asked about", async () => {
  const body = (more: string): string => `default_state: { raw: { why: null, got: null } }
steps: [{ id: a, type: agent_task, prompt: P, state_update: { path: raw.got }, error_state_update: { path: raw.why, value: "{{ error.message }}" }, ${more} }]`;
  const failed = await bench.run(body("on_error: continue"));
  await failed.fail("no");
  expect(await failed.read("raw.why")).toBe("no");
  const instead = await bench.run(body("on_error: continue, fallback_value: 7"));
  await instead.fail("no");
  expect(await instead.read("raw.got")).toBe(7);
  const lost = await bench.run(body("on_lost: ask"));
  const other = { ...bench.engine.caller, holder: { ...bench.engine.caller.holder, session: "other" }, leaseOwner: "other" };
  const taken = await next(bench.engine.context, other, { run: lost.id, takeOver: true });
  expect(taken.standing.kind).toBe("question");
});

test("files are checked too where the agent has stored the result itself", async () => {
  const run = await bench.run(`default_state: { raw: { note: null } }
steps:
  - { id: write, type: agent_task, prompt: Write., artifacts: [left.md], state_update: { path: raw.note } }
`);
  const { context, caller } = bench.engine;
  await updateState(context, caller, { run: run.id, updates: [{ path: "raw.note", value: "stored" }] });
  await expect(run.done(undefined, { status: "success" })).rejects.toMatchObject({ code: "ENGINE_TASK_FILES" });
  await bench.engine.write("left.md", "here");
  await run.done(undefined, { status: "success" });
  expect(run.status).toBe("completed");
});
