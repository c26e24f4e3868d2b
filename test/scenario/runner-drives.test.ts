import { afterEach, expect, test } from "vitest";
import { answer, end, next, start, type Caller, report } from "../../src/engine/index.ts";
import { callDoor, openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
afterEach(async () => {
  await driven.close();
  await engine.close();
});

const two = `
name: two:steps
description: Two judgements and a message
steps:
  - { id: first, type: agent_shell_command, command: "wc -l a.txt", reason: You judge. , state_update: { path: raw.first } }
  - { id: say, type: user_message, message: "First is {{ first }}" }
  - { id: second, type: agent_shell_command, command: "wc -l b.txt", reason: You judge. }
`;

async function begin(behave: Behaviour): Promise<string> {
  engine = await openTestEngine({ ".waymark/workflows/two__steps.yaml": two });
  await engine.allow("two:steps");
  driven = await openDriven(engine, behave);
  const { run } = await start(engine.context, engine.caller, { workflow: "two:steps", held: false });
  return run;
}

const actionIn = ({ prompt }: { readonly prompt: string }): string =>
  /"action_id":"([^"]+)"/.exec(prompt)?.[1] ?? /\b(a\d+)\b/.exec(prompt)?.[1] ?? "";

test("an agent that reports each step through its door brings the run to its end; messages need no agent", async () => {
  const run = await begin(async (turn, door) => {
    const { text } = await door.call("workflow_progress", {
      run_id: /wf-[\w-]+/.exec(turn.prompt)?.[0],
      action_id: actionIn(turn),
      result: "7",
    });
    return { text };
  });
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns).toHaveLength(2);
  expect(driven.turns.map(({ session }) => session)).toEqual([undefined, undefined]);
  expect(driven.turns[0]?.prompt).toContain("wc -l a.txt");
  expect(driven.events.filter(({ type }) => type === "told")).toEqual([{ type: "told", text: "First is 7" }]);
  const messages = (await driven.kept(run)).flatMap(({ event }) => (event.type === "message" ? event.text : []));
  expect(messages).toEqual(Array(2).fill("The report is recorded. Your work is done: call nothing more, and end your turn."));
});

test("an agent that ends its turn without reporting is asked once, in the same conversation, for exactly the missing call; then the step has failed", async () => {
  const run = await begin(async () => ({}));
  const end = await driven.drive({ run });
  expect(end).toMatchObject({ kind: "failed" });
  expect(driven.turns).toHaveLength(2);
  expect(driven.turns[1]?.session).toMatch(/^session-/);
  expect(driven.turns[1]?.prompt).toMatch(
    /is not reported. Call workflow_progress .* with \{"run_id":"wf-two-steps-[^"]+","action_id":"a\d+"\}/,
  );
});

test("a token is good for its own step alone: not for another run, another tool, nor after the step", async () => {
  let before: { url: string; token: string } | undefined;
  const seen: string[] = [];
  const run = await begin(async (turn, door) => {
    if (before === undefined) {
      before = door;
      const { run: other } = await start(engine.context, engine.caller, { workflow: "two:steps" });
      seen.push((await door.call("workflow_next", { run_id: other })).text);
      seen.push((await door.call("workflow_abort", { run_id: other })).text);
      seen.push((await door.call("workflow_start", { workflow: "two:steps" })).text);
    } else seen.push((await callDoor(before.url, before.token, "workflow_next", { run_id: run })).text);
    await door.call("workflow_progress", { run_id: run, action_id: actionIn(turn), result: "1" });
    return {};
  });
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(seen[0]).toContain("is another run");
  expect(seen[1]).toContain("is not for driven agents");
  expect(seen[2]).toContain("is not for driven agents");
  expect(seen[3]).toBe("HTTP 401");
});

const tasks = `
name: two:tasks
description: Two tasks side by side
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks: { each: { steps: [{ id: work, type: agent_shell_command, command: make, state_update: { path: raw.out } }] } }
`;

test("a token is refused for another task of the same run, by its name and by its action, whoever holds it; its own task is not", async () => {
  engine = await openTestEngine({ ".waymark/workflows/two__tasks.yaml": tasks });
  await engine.allow("two:tasks");
  const seen: string[] = [];
  const other: Caller = { holder: { kind: "agent", name: "other", session: "s-other" }, surface: "mcp-stdio", leaseOwner: "s-other" };
  let run = "";
  /** Of the run's state, before and after the attempts: the other's action is open, and is another one. */
  const others: boolean[] = [];
  driven = await openDriven(engine, async (turn, door) => {
    const mine = actionIn(turn);
    if (seen.length === 0) {
      const { standing } = await next(engine.context, other, { run });
      const theirs = standing.kind === "action" ? standing.action.id : "";
      const isOpen = async () => theirs !== mine && theirs in (await engine.context.runs.open(run)).state.actions;
      const { strands } = (await engine.context.runs.open(run)).state;
      const task_id = standing.kind === "action" ? strands[standing.action.strand]?.task : undefined;
      others.push(task_id !== undefined, await isOpen());
      const attempt = async (tool: string, args: object) => seen.push((await door.call(tool, { run_id: run, ...args })).text);
      for (const held of [true, false]) {
        if (!held) await engine.context.holding.release("s-other");
        await attempt("workflow_next", { task_id });
        await attempt("workflow_progress", { action_id: theirs, result: "forged" });
        await attempt("workflow_progress", { task_id, action_id: theirs, result: "forged" });
        await attempt("workflow_state_update", { task_id, updates: [{ path: "raw.out", value: "forged" }] });
      }
      others.push(await isOpen());
    }
    await door.call("workflow_progress", { run_id: run, action_id: mine, result: "made" });
    return {};
  });
  ({ run } = await start(engine.context, engine.caller, { workflow: "two:tasks", held: false }));
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect([others, seen.length]).toEqual([[true, true, true], 8]);
  for (const text of seen) expect(text).toContain("and on nothing else");
  expect(driven.turns).toHaveLength(2);
});

test("a limit with a time parks the run until then, and is not a failure of the step", async () => {
  const run = await begin(async () => ({ stop: "error", errorKind: "limit", error: "Usage limit reached.", resetAt: 4_102_444_800_000 }));
  expect(await driven.drive({ run, waits: false })).toEqual({ run, kind: "parked", why: "Usage limit reached.", until: 4_102_444_800_000 });
});

const review = `
type: tiny-review
name: Tiny review
description: Two entries for every file
version: "1.0.0"
file_patterns: ["**/*.txt"]
phases:
  - { id: inventory, name: Inventory, description: Lists the files. }
  - { id: review, name: Review, description: Every file. }
per_file_checklist:
  - { id: read, type: analysis, description: Read the file. }
  - { id: judge, type: validation, description: Judge it. }
`;

test.each([
  { shared: false, sessions: [undefined, undefined, undefined, undefined] },
  { shared: true, sessions: [undefined, "session", undefined, "session"] },
])(
  "a checklist is driven entry by entry, each in a conversation of its own or those of one file in one (shared: $shared)",
  async ({ shared, sessions }) => {
    engine = await openTestEngine({ ".waymark/workflows/tiny-review.workflow.yaml": review, "a.txt": "a\n", "b.txt": "b\n" });
    await engine.allow("tiny-review");
    driven = await openDriven(engine, async (turn, door) => {
      const run = /wf-[\w-]+/.exec(turn.prompt)?.[0];
      const { data } = await door.call("workflow_next", { run_id: run });
      const call = data["next_call"] as { tool: string; arguments: object };
      await door.call(call.tool, {
        ...call.arguments,
        ...(call.tool === "workflow_progress" ? { status: "completed", result: "read" } : {}),
      });
      return {};
    });
    const { run } = await start(engine.context, engine.caller, { workflow: "tiny-review", held: false });
    expect(await driven.drive({ run, shared })).toEqual({ run, kind: "completed" });
    const entries = driven.turns.slice(0, 4);
    expect(entries.map(({ prompt }) => /^analyze_file \S+|^\S+ \S+ \(item \w+\)/m.exec(prompt)?.[0].replace(/^\S+ /, ""))).toEqual([
      "a.txt",
      "a.txt (item judge)",
      "b.txt",
      "b.txt (item judge)",
    ]);
    expect(entries.map(({ session }) => (session === undefined ? undefined : "session"))).toEqual(sessions);
  },
);

const asking = `
name: ask:first
description: A gate before the work
steps:
  - { id: may, type: user_input, prompt: "Deploy?", answer_by: person, state_update: { path: state.may } }
  - { id: after, type: agent_shell_command, command: "true", reason: You judge. }
`;

test("a question for a person stops a run that nobody watches, and costs no turn", async () => {
  engine = await openTestEngine({ ".waymark/workflows/ask__first.yaml": asking });
  driven = await openDriven(engine, async () => ({}));
  const { run } = await start(engine.context, engine.caller, { workflow: "ask:first", held: false });
  expect(await driven.drive({ run })).toMatchObject({ kind: "waits", questions: [{ question: "Deploy?" }] });
  expect(driven.turns).toHaveLength(0);
});

test("a run that is ended while a turn runs cancels the turn, and driving ends as the run did", async () => {
  const run = await begin(
    (turn) =>
      new Promise((done) => {
        turn.signal?.addEventListener("abort", () => done({ stop: "cancelled", text: "" }));
        const person = { ...engine.caller, holder: { ...engine.caller.holder, kind: "person" as const } };
        void end(engine.context, person, { run: /wf-[\w-]+/.exec(turn.prompt)?.[0] ?? "", status: "cancelled" });
      }),
  );
  expect(await driven.drive({ run })).toMatchObject({ kind: "cancelled" });
});

const chain = {
  ".archon/workflows/pair.yaml":
    "name: pair\ndescription: Two steps of one conversation, and one of its own\nsteps: [{ step: one }, { step: two }, { step: three, clearContext: true }]\n",
  ".archon/steps/one.md": "Do one.",
  ".archon/steps/two.md": "Do two.",
  ".archon/steps/three.md": "Do three.",
};

async function beginChain(behave: Behaviour): Promise<string> {
  engine = await openTestEngine(chain);
  await engine.allow("pair");
  driven = await openDriven(engine, behave);
  const { run } = await start(engine.context, engine.caller, { workflow: "pair", held: false });
  return run;
}

test("a step that continues a conversation keeps its token, so that an agent need not open the conversation again; a fresh one has its own", async () => {
  const tokens: string[] = [];
  const refused: boolean[] = [];
  const run = await beginChain(async (_turn, door) => {
    tokens.push(door.token);
    refused.push((await door.call("workflow_next", { run_id: run })).isError);
    return {};
  });
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns.map(({ session }) => session === undefined)).toEqual([true, false, true]);
  expect(refused).toEqual([false, false, false]);
  expect(tokens[1]).toBe(tokens[0]);
  expect(tokens[2]).not.toBe(tokens[0]);
});

const lost = { stop: "error", errorKind: "lost", error: "It is gone.", text: "" } as const;
const crash = { stop: "error", errorKind: "crash", error: "It ended.", text: "" } as const;

test("an agent that dies in a conversation of the step's own, and has lost it, gets the step's prompt in a new one, at most twice", async () => {
  const run = await beginChain(async ({ session }) => (driven.turns.length > 2 ? {} : session === undefined ? crash : lost));
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns.slice(0, 3).map(({ prompt, session }) => [prompt, session === undefined])).toEqual([
    ["Do one.", true],
    ["Do one.", false],
    ["Do one.", true],
  ]);
});

test("an agent that dies and loses its conversation each time fails the step", async () => {
  const run = await beginChain(async ({ session }) => (session === undefined ? crash : lost));
  expect(await driven.drive({ run })).toMatchObject({ kind: "failed", why: "It ended." });
  expect(driven.turns.filter(({ session }) => session === undefined)).toHaveLength(3);
});

test("an agent that dies in the conversation of the last step, and has lost it, fails the step", async () => {
  const run = await beginChain(async ({ prompt }) => (prompt !== "Do two." ? {} : driven.turns.length === 2 ? crash : lost));
  expect(await driven.drive({ run })).toMatchObject({ kind: "failed", why: expect.stringContaining("RUNNER_LOST_SESSION") as string });
  expect(driven.turns).toHaveLength(3);
});

test("who does not hold a driven step learns that, before anything about the report", async () => {
  const errors: string[] = [];
  const run = await begin(async (turn, door) => {
    const other = { ...engine.caller, holder: { ...engine.caller.holder, session: "other" }, leaseOwner: "other" };
    const said = { run: /wf-[\w-]+/.exec(turn.prompt)?.[0] ?? "", action: actionIn(turn) };
    await report(engine.context, other, { ...said, status: "success" }).catch((error: { code: string }) => errors.push(error.code));
    await end(engine.context, other, { run: said.run, status: "cancelled" }).catch((error: { code: string }) => errors.push(error.code));
    await door.call("workflow_progress", { run_id: said.run, action_id: said.action, result: "1" });
    return {};
  });
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(errors).toEqual(["HOLDER_LOST", "STRAND_HELD", "HOLDER_LOST", "STRAND_HELD"]);
});

test("what the token does not name is filled in by it: no other run and no other task is shown", async () => {
  engine = await openTestEngine({ ".waymark/workflows/two__tasks.yaml": tasks });
  await engine.allow("two:tasks");
  const [seen, late]: [string[], string[]] = [[], []];
  let run = "";
  driven = await openDriven(engine, async (turn, door) => {
    if (seen.length === 0) {
      seen.push((await door.call("workflow_status", {})).text, (await door.call("workflow_next", { run_id: run })).text);
      seen.push((await door.call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.other", value: 1 }] })).text);
      seen.push((await door.call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.out", value: "kept" }] })).text);
    }
    await door.call("workflow_progress", { run_id: run, action_id: actionIn(turn), result: "made" });
    late.push((await door.call("workflow_progress", { run_id: run, action_id: actionIn(turn), status: "failed", error: "no" })).text);
    await door.call("workflow_state_update", { workflow_id: run, updates: [{ path: "raw.out", value: "too late" }] });
    return {};
  });
  const { run: other } = await start(engine.context, engine.caller, { workflow: "two:tasks" });
  ({ run } = await start(engine.context, engine.caller, { workflow: "two:tasks", held: false }));
  expect(await driven.drive({ run })).toMatchObject({ kind: "completed" });
  expect(late).toEqual(Array(2).fill("Your step is over, and nothing was changed. Call nothing more, and end your turn."));
  expect(seen[0]).not.toContain(other);
  expect(seen[1]).toContain("make");
  expect(seen[1]).not.toContain("sub-agent");
  expect(seen[2]).toContain("not to `raw.other`");
  expect(seen[3]).toMatch(/^Written\./);
  expect((await engine.context.runs.open(run)).state.scopes["run"]?.raw).toEqual({ out: "made" });
});

test("steps of the project are given to an agent only when a person has allowed it", async () => {
  engine = await openTestEngine({ ".waymark/workflows/two__steps.yaml": two });
  driven = await openDriven(engine, async () => ({}));
  const { run } = await start(engine.context, engine.caller, { workflow: "two:steps", held: false });
  const parked = await driven.drive({ run });
  const why = expect.stringContaining("waymark allow two:steps") as string;
  expect(parked).toEqual({ run, kind: "parked", why, allow: { workflow: "two:steps" } });
  expect(driven.turns).toEqual([]);
});

const gates = `
name: gate:tasks
description: Three tasks, one with a question
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }, { id: C }], sub_agent_task: each }
sub_agent_tasks:
  each:
    steps:
      - id: which
        type: conditional
        condition: "{{ item.id === 'A' }}"
        then:
          - { id: may, type: user_input, prompt: "May I do A?", answer_by: person, state_update: { path: raw.may } }
      - { id: work, type: agent_task, prompt: "Make {{ item.id }}." }
`;

test("a question in one task holds up no other: who is in front is asked when nothing else is left", async () => {
  engine = await openTestEngine({ ".waymark/workflows/gate__tasks.yaml": gates });
  await engine.allow("gate:tasks");
  const order: string[] = [];
  driven = await openDriven(engine, async ({ prompt }) => {
    order.push(prompt);
    return { text: "made" };
  });
  const { run } = await start(engine.context, engine.caller, { workflow: "gate:tasks", held: false });
  expect(await driven.drive({ run })).toMatchObject({ kind: "waits" });
  expect(order).toEqual(["Make B.", "Make C."]);
  const person: Caller = { holder: { kind: "person", name: "p", session: "p" }, surface: "cli-terminal", leaseOwner: "p" };
  const ask = async (_position: unknown, { id }: { readonly id: string }): Promise<boolean> => {
    order.push("asked");
    await answer(engine.context, person, { run, decision: id, answer: "yes", relayed: false });
    return true;
  };
  expect(await driven.drive({ run, ask })).toMatchObject({ kind: "completed" });
  expect(order).toEqual(["Make B.", "Make C.", "asked", "Make A."]);
});
