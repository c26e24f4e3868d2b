import { afterEach, expect, test } from "vitest";
import { start } from "../../src/engine/index.ts";
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
  driven = await openDriven(engine, behave);
  const { run } = await start(engine.context, engine.caller, { workflow: "two:steps" });
  await engine.context.holding.release(engine.caller.leaseOwner);
  return run;
}

const actionIn = ({ prompt }: { readonly prompt: string }): string => /"action_id":"([^"]+)"/.exec(prompt)?.[1] ?? /\b(a\d+)\b/.exec(prompt)?.[1] ?? "";

test("an agent that reports each step through its door brings the run to its end; messages need no agent", async () => {
  const run = await begin(async (turn, door) => {
    const { text } = await door.call("workflow_progress", { run_id: /wf-[\w-]+/.exec(turn.prompt)?.[0], action_id: actionIn(turn), result: "7" });
    return { text };
  });
  expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
  expect(driven.turns).toHaveLength(2);
  expect(driven.turns.map(({ session }) => session)).toEqual([undefined, undefined]);
  expect(driven.turns[0]?.prompt).toContain("wc -l a.txt");
  expect(driven.events.filter(({ type }) => type === "told")).toEqual([{ type: "told", text: "First is 7" }]);
  const messages = driven.kept.flatMap(({ event }) => (event.type === "message" ? event.text : []));
  expect(messages).toEqual(Array(2).fill("The report is recorded. Your work is done: call nothing more, and end your turn."));
});

test("an agent that ends its turn without reporting is asked once, in the same conversation, for exactly the missing call; then the step has failed", async () => {
  const run = await begin(async () => ({}));
  const end = await driven.drive({ run });
  expect(end).toMatchObject({ kind: "failed" });
  expect(driven.turns).toHaveLength(2);
  expect(driven.turns[1]?.session).toMatch(/^session-/);
  expect(driven.turns[1]?.prompt).toMatch(/is not reported. Call workflow_progress .* with \{"run_id":"wf-two-steps-[^"]+","action_id":"a\d+"\}/);
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

test("a limit with a time parks the run until then, and is not a failure of the step", async () => {
  const run = await begin(async () => ({ stop: "error", errorKind: "limit", error: "Usage limit reached.", resetAt: 4_102_444_800_000 }));
  expect(await driven.drive({ run })).toEqual({ run, kind: "parked", why: "Usage limit reached.", until: 4_102_444_800_000 });
});

test("a failure that may pass is tried again in the same conversation, at most twice", async () => {
  const run = await begin(async () => ({ stop: "error", errorKind: "overloaded", error: "529" }));
  expect(await driven.drive({ run })).toMatchObject({ kind: "failed", why: expect.stringContaining("529") as string });
  expect(driven.turns).toHaveLength(3);
  expect(new Set(driven.turns.slice(1).map(({ session }) => session)).size).toBe(1);
});
