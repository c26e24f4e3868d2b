/** What a driver makes of the turns of one step: lost conversations, other agents, usage, denials, permissions and signals. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { answer, journal, next, readTotals, retry, runs, start } from "../../src/engine/index.ts";
import type { Budget } from "../../src/program/index.ts";
import type { AgentEvent } from "../../src/ports/index.ts";
import type { DriveRequest } from "../../src/runner/index.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
afterEach(async () => {
  await driven.close();
  await engine.close();
});

async function begin(
  files: Readonly<Record<string, string>>,
  behave: Behaviour,
  {
    workflow = "chain",
    agents,
    budget,
  }: { readonly workflow?: string; readonly agents?: readonly string[]; readonly budget?: Budget } = {},
): Promise<string> {
  engine = await openTestEngine(files);
  driven = await openDriven(engine, behave, agents);
  await engine.allow(workflow);
  return (await start(engine.context, engine.caller, { workflow, held: false, ...(budget === undefined ? {} : { budget }) })).run;
}

const prompts = { one: "Do one.", two: "Do two.", three: "Do three." };
const chain = (second: string): Record<string, string> => chainFiles(`  - step: one\n  - { step: two${second} }`, prompts);

/** An agent that cannot continue any conversation. */
const forgetful: Behaviour = async ({ session }) =>
  session === undefined ? {} : { stop: "error", errorKind: "lost", error: "The session is gone.", text: "" };

describe("a conversation that cannot be continued", () => {
  test("fails the step, and nothing is done in another one", async () => {
    const run = await begin(chain(""), forgetful);
    expect(await driven.drive({ run })).toMatchObject({
      kind: "failed",
      why: expect.stringMatching(
        /^The agent cannot continue the conversation of the last step. \(RUNNER_LOST_SESSION\) .*`waymark drive --on-lost fresh`/,
      ) as string,
    });
    expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Do one.", "Do two."]);
  });

  test.each(["", ", on_lost_context: fail"])("is begun again after a retry where who drives says so (two%s)", async (says) => {
    const run = await begin(chain(says), forgetful);
    expect(await driven.drive({ run })).toMatchObject({ kind: "failed" });
    const person = { ...engine.caller, holder: { kind: "person", name: "ada", session: "p" }, surface: "cli" } as const;
    await retry(engine.context, person, { run });
    await engine.context.holding.release(person.leaseOwner);
    expect(await driven.drive({ run, onLost: "fresh" })).toEqual({ run, kind: "completed" });
    expect(driven.turns.slice(2).map(({ prompt, session }) => [prompt, session === undefined])).toEqual([
      ["Do two.", false],
      ["Do two.", true],
    ]);
  });

  test("is told again where who drives says so, and where it is with another agent", async () => {
    const run = await begin(chain(", provider: other"), async () => ({}), { agents: ["scripted", "other"] });
    expect(await driven.drive({ run, onLost: "replay" })).toEqual({ run, kind: "completed" });
    expect(driven.turns.at(-1)?.prompt).toMatch(/You said:\ndone\n\n.*Do two\.$/s);
  });

  test("is begun again where the step says so, with its prompt alone", async () => {
    const run = await begin(chain(", on_lost_context: fresh"), forgetful);
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(driven.turns.map(({ prompt, session }) => [prompt, session === undefined])).toEqual([
      ["Do one.", true],
      ["Do two.", false],
      ["Do two.", true],
    ]);
    expect(driven.events).toContainEqual({ type: "notice", text: expect.stringContaining("`two` begins a fresh one.") as string });
  });

  test("is told again where the step says so, ahead of its prompt", async () => {
    const run = await begin(chain(", on_lost_context: replay"), forgetful);
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    // The prompt that was not taken is not part of it.
    expect(driven.turns.at(-1)?.prompt).toBe(
      "This continues a conversation that was lost. It was:\n\nYou were asked:\nDo one.\n\nYou said:\ndone\n\nNow:\n\nDo two.",
    );
  });

  test("is the case where another agent had it, before anything is asked", async () => {
    const run = await begin(chain(", provider: other"), async () => ({}), { agents: ["scripted", "other"] });
    expect(await driven.drive({ run })).toMatchObject({
      kind: "failed",
      why: expect.stringContaining("The conversation of the last step is with `scripted`.") as string,
    });
    expect(driven.turns).toHaveLength(1);
  });

  test("is chosen by a step of a workflow of steps, too", async () => {
    const steps = `name: tasks
description: Two tasks.
version: "1.0.0"
steps:
  - { id: one, type: agent_task, prompt: "Do one." }
  - { id: two, type: agent_task, prompt: "Do two.", context: last, on_lost_context: fresh }
`;
    const run = await begin({ ".waymark/workflows/tasks.yaml": steps }, forgetful, { workflow: "tasks" });
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(driven.turns).toHaveLength(3);
  });
});

describe("a turn that says nothing and does nothing", () => {
  test("is asked once more, then the step has failed", async () => {
    const run = await begin(chain(""), async () => ({ text: "" }));
    expect(await driven.drive({ run })).toMatchObject({
      kind: "failed",
      why: "It was asked once more, and still: The turn ended without a word and without a tool call.",
    });
    expect(driven.turns.map(({ prompt, session }) => [prompt, session === undefined])).toEqual([
      ["Do one.", true],
      [expect.stringContaining("ended without a word and without a tool call"), false],
    ]);
  });

  test("counts for nothing after a failure in passing either", async () => {
    let turn = 0;
    const run = await begin(chainFiles("  - step: one", prompts), async () => {
      turn += 1;
      return turn === 1 ? { stop: "error", errorKind: "crash", error: "Cut off.", text: "I begin." } : { text: turn === 2 ? "" : "Done." };
    });
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Do one.", "Do one.", expect.stringContaining("without a word")]);
  });

  test("is told from one that used a tool and said nothing of it", async () => {
    const events: AgentEvent[] = [{ type: "tool", id: "t1", name: "edit", status: "done", input: { path: "a.txt" } }];
    const run = await begin(chainFiles("  - step: one", prompts), async () => ({ events, text: "" }));
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(driven.turns).toHaveLength(1);
  });
});

test("how many steps of a chain are done is known while it runs and when it is over", async () => {
  const seen: unknown[] = [];
  const line = async (): Promise<void> => {
    const [overview] = await runs(engine.context, {});
    seen.push([overview?.line.done, overview?.line.total]);
  };
  const run = await begin(chain(""), async () => {
    await line();
    return {};
  });
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  await line();
  expect(seen).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
  ]);
});

test("tokens, cost and what was denied are recorded with the step, over all of its turns", async () => {
  let turn = 0;
  const run = await begin(chainFiles("  - step: one\n    artifacts: [a.md]", prompts), async ({ prompt }) => {
    turn += 1;
    if (turn === 2) await engine.write(/\S+a\.md/.exec(prompt)?.[0] ?? "", "a");
    return { usage: { inputTokens: 100, outputTokens: 20, costUsd: 0.5 }, denied: [`run: rm -rf /${turn}`] };
  });
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  const { state } = await engine.context.runs.open(run);
  expect(state.budget.used).toMatchObject({ tokens: 240, money: 1 });
  expect(JSON.stringify(await journal(engine.context, run, 0, 100))).toContain('"denied":["run: rm -rf /1","run: rm -rf /2"]');
});

test("a permission that is taken back stops the run before the next agent, and driving continues when it is given again", async () => {
  const run = await begin(chainFiles("  - step: one\n  - step: two", prompts), async ({ prompt }) => {
    const { hash } = await engine.context.catalog.load("chain");
    if (prompt === "Do one.") await engine.host.permissions.revoke(hash);
    return {};
  });
  expect(await driven.drive({ run })).toMatchObject({ kind: "parked", why: expect.stringContaining("waymark allow chain") as string });
  expect(driven.turns).toHaveLength(1);
  await engine.allow("chain");
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Do one.", "Do two."]);
});

describe("signals", () => {
  test("finish lets the open turn come to its end, and begins no other", async () => {
    const finish = new AbortController();
    const run = await begin(chain(""), async ({ signal }) => {
      finish.abort();
      expect(signal?.aborted).toBe(false);
      return {};
    });
    expect(await driven.drive({ run, finish: finish.signal })).toMatchObject({ kind: "parked", why: "It was interrupted." });
    expect(driven.turns).toHaveLength(1);
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Do one.", "Do two."]);
  });

  test("finish that comes when the next step is begun: its turn is not, and it is not called interrupted", async () => {
    const finish = new AbortController();
    const run = await begin(chain(""), async () => ({}));
    const watch: DriveRequest["watch"] = (event) => void (event.type === "step" && event.step === "two" && finish.abort());
    expect(await driven.drive({ run, finish: finish.signal, watch })).toMatchObject({ kind: "parked", why: "It was interrupted." });
    expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Do one."]);
  });

  test("finish begins no command of the run; another run on the same engine is not held back", async () => {
    const finish = new AbortController();
    const nodes = (name: string): string =>
      `name: ${name}\ndescription: A turn, then a command.\nnodes:\n  - { id: turn, prompt: "Of ${name}." }\n  - { id: command, depends_on: [turn], bash: "echo ${name} >> began" }\n`;
    const files = { ".archon/workflows/held.yaml": nodes("held"), ".archon/workflows/other.yaml": nodes("other") };
    let other = "";
    const run = await begin(
      files,
      async ({ prompt }) => {
        if (!prompt.includes("Of held.")) return {};
        finish.abort();
        // While this drive ends, another one on the same engine comes to its end.
        expect(await driven.drive({ run: other })).toEqual({ run: other, kind: "completed" });
        return {};
      },
      { workflow: "held" },
    );
    await engine.allow("other");
    other = (await start(engine.context, engine.caller, { workflow: "other", held: false })).run;
    expect(await driven.drive({ run, finish: finish.signal })).toMatchObject({ kind: "parked", why: "It was interrupted." });
    const began = (): Promise<string> => readFile(join(engine.context.host.workspace, "began"), "utf8");
    await engine.context.effects.settle(() => new AbortController().signal);
    expect(await began()).toBe("other\n");
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(await began()).toBe("other\nheld\n");
  });

  test("cancel ends the open turn; driving again continues its conversation with the step's own prompt", async () => {
    const [finish, cancel] = [new AbortController(), new AbortController()];
    const run = await begin(chain(""), ({ signal }) =>
      cancel.signal.aborted
        ? Promise.resolve({})
        : new Promise((done) => {
            signal?.addEventListener("abort", () => done({ stop: "cancelled", text: "" }));
            finish.abort();
            cancel.abort();
          }),
    );
    const end = await driven.drive({ run, finish: finish.signal, cancel: cancel.signal });
    expect(end).toEqual({ run, kind: "parked", why: "`one` was interrupted." });
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    const [first, again] = driven.turns;
    expect([again?.prompt, again?.session]).toEqual([first?.prompt, expect.stringMatching(/^session-/)]);
  });
});

const report: Behaviour = async ({ prompt }, door) => {
  const [, run, action] = /"run_id":"([^"]+)"[^}]*"action_id":"([^"]+)"/.exec(prompt) ?? [];
  const task = /"task_id":"([^"]+)"/.exec(prompt)?.[1];
  const { text, isError } = await door.call("workflow_progress", {
    run_id: run,
    action_id: action,
    result: "ok",
    ...(task === undefined ? {} : { task_id: task }),
  });
  return isError ? { stop: "error", error: text } : { text };
};

const fanned = `
name: fanned
description: Tasks of sub-agents.
version: "1.0.0"
default_state: { raw: { files: [a.txt, b.txt, c.txt] } }
steps:
  - { id: each, type: parallel_foreach, items: "{{ files }}", sub_agent_task: judge }
sub_agent_tasks:
  judge:
    description: Judge one file.
    steps:
      - { id: look, type: agent_shell_command, command: "wc -l {{ item }}", reason: You judge. }
`;

test("tasks of sub-agents are done one after another, each in a conversation of its own", async () => {
  let open = 0;
  const run = await begin(
    { ".waymark/workflows/fanned.yaml": fanned },
    async (turn, door) => {
      expect((open += 1)).toBe(1);
      const done = await report(turn, door);
      open -= 1;
      return done;
    },
    { workflow: "fanned" },
  );
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns.map(({ prompt, session }) => [/wc -l (\S+)\.txt/.exec(prompt)?.[1], session])).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["c", undefined],
  ]);
});

const fannedAsking = fanned.replace("name: fanned", "name: fanned-asking").replace(
  "      - { id: look",
  `      - id: first
        type: conditional
        condition: "{{ item == 'a.txt' }}"
        then: [{ id: may, type: user_input, prompt: "May I read it?", answer_by: person }]
      - { id: look`,
);

test("a question of one task waits for its person while the others are done", async () => {
  const run = await begin({ ".waymark/workflows/fanned-asking.yaml": fannedAsking }, report, { workflow: "fanned-asking" });
  expect(await driven.drive({ run })).toMatchObject({ kind: "waits", questions: [{ question: "May I read it?" }] });
  const files = (): readonly (string | undefined)[] => driven.turns.map(({ prompt }) => /wc -l (\S+)\.txt/.exec(prompt)?.[1]);
  expect(files()).toEqual(["b", "c"]);
  const person = { ...engine.caller, holder: { kind: "person", name: "ada", session: "p" }, surface: "cli-terminal" } as const;
  const { state } = await engine.context.runs.open(run);
  const [decision = ""] = Object.keys(state.decisions);
  await answer(engine.context, person, { run, decision, answer: "yes", relayed: false });
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(files()).toEqual(["b", "c", "a"]);
});

test("a workflow that is begun again after its failure is driven on as the new run", async () => {
  const again = `
name: again
description: x
version: "1.0.0"
error_handling: { on_error: retry_workflow }
steps: [{ id: one, type: agent_task, prompt: "Do it." }]
`;
  let tries = 0;
  const run = await begin(
    { ".waymark/workflows/again.yaml": again },
    async () => ((tries += 1) === 1 ? { stop: "refused", text: "" } : {}),
    { workflow: "again" },
  );
  const end = await driven.drive({ run });
  expect(end.kind).toBe("completed");
  expect(end.run).not.toBe(run);
  expect(driven.events).toContainEqual({
    type: "notice",
    text: `The agent refused to do it. Its workflow asks for another attempt, which is run ${end.run}.`,
  });
});

/** A workflow of two attempts more, and what its agent says that each turn used. */
async function attempts(usage: object | undefined, budget: { readonly tokens: number }): Promise<string> {
  const again = `
name: again
description: x
version: "1.0.0"
error_handling: { on_error: retry_workflow, max_retries: 2 }
steps: [{ id: one, type: agent_task, prompt: "Do it." }]
`;
  const behave: Behaviour = async () => ({ stop: "refused", text: "", ...(usage === undefined ? {} : { usage }) });
  return begin({ ".waymark/workflows/again.yaml": again }, behave, { workflow: "again", budget });
}

test("a budget belongs to all attempts of a workflow together: what was used, the limit, and a question that can be answered", async () => {
  const run = await attempts({ inputTokens: 80, outputTokens: 40 }, { tokens: 200 });
  const end = await driven.drive({ run });
  expect(end).toMatchObject({
    kind: "waits",
    questions: [{ question: expect.stringContaining("The budget of 200 tokens is used up") as string }],
  });
  expect(driven.turns).toHaveLength(2);
  const handle = await engine.context.runs.open(end.run);
  expect(handle.state.budget).toMatchObject({ limits: { tokens: 200 }, used: { tokens: 240 } });
  const [question] = Object.values(handle.state.decisions);
  expect(question?.options?.[0]).toEqual({ value: "double", label: "allow 400 tokens in all" });
  const totals = await readTotals(engine.context, end.run);
  expect(totals).toMatchObject([{ turns: 2, tokens: { known: 240, unknown: 0 } }]);
});

test("what a turn of an attempt used that nobody knows stops the next attempt, and a person is asked", async () => {
  const run = await attempts(undefined, { tokens: 200 });
  const end = await driven.drive({ run });
  expect(end).toMatchObject({ kind: "waits", questions: [{ binds: { unknown: "yes" } }] });
  expect([end.run === run, driven.turns.length]).toEqual([false, 1]);
});

test("the minutes of a budget are those of all attempts", async () => {
  const run = await attempts({ inputTokens: 1 }, { tokens: 200 });
  const { startedAt } = (await engine.context.runs.open(run)).state;
  const end = await driven.drive({ run });
  const { state } = await engine.context.runs.open(end.run);
  expect([state.startedAt >= startedAt, state.budget.since]).toEqual([true, startedAt]);
});

test("a loop that has done all its rounds may do as many again when a person retries the run", async () => {
  const loop = "name: rounds\ndescription: x\nloop: { until: ALL_DONE, max_iterations: 2 }\nprompt: Do one thing.\n";
  const files = { ".archon/workflows/rounds.yaml": loop };
  const run = await begin(files, async () => ({ text: driven.turns.length === 3 ? "<promise>ALL_DONE</promise>" : "More." }), {
    workflow: "rounds",
  });
  const failed = { run, kind: "failed", why: "2 rounds without `ALL_DONE`." };
  expect(await driven.drive({ run })).toEqual(failed);
  expect(await driven.drive({ run })).toEqual(failed);
  const person = { ...engine.caller, holder: { kind: "person", name: "ada", session: "p" }, surface: "cli" } as const;
  await retry(engine.context, person, { run });
  await engine.context.holding.release(person.leaseOwner);
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns).toHaveLength(3);
});

const asking = `
name: ask
description: A gate before the work.
version: "1.0.0"
steps:
  - { id: may, type: user_input, prompt: "Deploy?", answer_by: person, state_update: { path: raw.may } }
  - { id: after, type: agent_task, prompt: "Deploy: {{ may }}" }
`;

test("a person in front is asked in place, and the answer reaches the next prompt", async () => {
  const run = await begin({ ".waymark/workflows/ask.yaml": asking }, async () => ({}), { workflow: "ask" });
  const person = { ...engine.caller, holder: { kind: "person", name: "ada", session: "p" }, surface: "cli-terminal" } as const;
  const end = await driven.drive({
    run,
    ask: async (_run, { id }) => {
      await answer(engine.context, person, { run, decision: id, answer: "yes", relayed: false });
      return true;
    },
  });
  expect(end).toEqual({ run, kind: "completed" });
  expect(driven.turns.map(({ prompt }) => prompt)).toEqual(["Deploy: yes"]);
});

test("a run that another one alive works on is left to it", async () => {
  const run = await begin(chain(""), async () => ({}));
  await next(engine.context, engine.caller, { run });
  expect(await driven.drive({ run })).toMatchObject({ kind: "parked", why: expect.stringContaining("is held by") as string });
  expect(driven.turns).toHaveLength(0);
});

test("what an agent did in a turn that failed is kept", async () => {
  const said: AgentEvent[] = [{ type: "tool", id: "t1", name: "read", status: "done", input: { path: "a.txt" } }];
  const run = await begin(chain(""), async () => ({ events: said, stop: "error", error: "It broke.", text: "" }));
  expect(await driven.drive({ run })).toMatchObject({ kind: "failed", why: "It broke." });
  const kept = await driven.kept(run);
  expect(kept.map(({ event }) => event.type)).toEqual(["prompt", "session", "tool", "result"]);
});
