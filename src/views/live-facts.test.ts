import { expect, test } from "vitest";
import { agentStep, program, taskWork, value } from "../../test/support/make-program.ts";
import { MemoryRun } from "../../test/support/memory-run.ts";
import { type AgentActivity, liveFacts } from "./live-facts.ts";

const used = { tokens: 100, costUsd: 0.5 };
const idle: AgentActivity = { strands: {}, used };
const turn = { tokens: 20, costUsd: 0.25 };

/** Two tasks that an agent holds, each at its step `a`. */
function withTasks(): MemoryRun {
  const run = new MemoryRun(program([taskWork({ fill: value("all") }), agentStep("a")], "w"), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "x" }, { id: "y" }] : key])),
  );
  run.start();
  return run;
}

test("without a transcript the holder of a strand works on its step, with one the agent does", () => {
  const run = new MemoryRun(program([agentStep("a")], "a"), () => ({}));
  run.start();
  const facts = liveFacts({ id: "wf-test", program: run.program, state: run.state }, idle);
  const [action] = Object.values(run.state.actions);
  expect(facts).toMatchObject({ run: "wf-test", status: "running", standing: "a (user_message)", done: 0, total: 0, questions: [], used });
  expect(facts.agents).toEqual([{ agent: "tester", step: "a", since: action!.openedAt }]);
  const at = { agent: "claude", action: action!.id, doing: "Edit a.ts", since: 7, turn };
  const driven = liveFacts({ id: "wf-test", program: run.program, state: run.state }, { strands: { main: at }, used });
  expect(driven.agents).toEqual([{ agent: "claude", step: "a", doing: "Edit a.ts", since: 7 }]);
  expect(driven.used).toEqual({ tokens: 120, costUsd: 0.75 });
});

test("what an agent did in an earlier action is not what happens now", () => {
  const run = new MemoryRun(program([agentStep("a")], "a"), () => ({}));
  run.start();
  const at = { agent: "claude", action: "earlier", doing: "Edit a.ts", since: 7, turn };
  const { agents } = liveFacts({ id: "wf-test", program: run.program, state: run.state }, { strands: { main: at }, used });
  expect(agents).toMatchObject([{ agent: "tester", step: "a" }]);
});

test("tasks that a part of Waymark's own hands out are counted, since its name says nothing to people", () => {
  const work = taskWork({ fill: value("all"), id: "LOOP.ahead.tasks", task: { name: "Coder", prompt: "Begin." } });
  const run = new MemoryRun(program([work, agentStep("a")], work.id), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "x" }, { id: "y" }] : key])),
  );
  run.start();
  expect(liveFacts({ id: "wf-test", program: run.program, state: run.state }, idle).standing).toBe("waiting for 2 tasks");
});

test("agents of tasks are shown with their task", () => {
  const run = withTasks();
  const tasks = Object.values(run.state.strands).filter(({ task }) => task !== undefined);
  expect(tasks).toHaveLength(2);
  const strands = Object.fromEntries(
    tasks.map(({ id, waits }) => [id, { agent: "claude", action: waits?.on === "action" ? waits.id : "", since: 1, turn }]),
  );
  const { agents } = liveFacts({ id: "wf-test", program: run.program, state: run.state }, { strands, used });
  expect(agents.map(({ agent, step }) => [agent, step])).toEqual(tasks.map(() => ["claude", expect.stringContaining("a")]));
  expect(new Set(agents.map(({ task }) => task)).size).toBe(2);
});

test("agents of items that have no names are shown with the place of their item and the item, shortened", () => {
  const work = taskWork({ fill: value("all"), parallel: 3, unit: "item" });
  const items = ["src/a.ts", { weight: 2, file: "src/b.ts" }, `src/${"long/".repeat(20)}c.ts`];
  const run = new MemoryRun(program([work, agentStep("a")], "w"), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? items : key === "parallel" ? 3 : key])),
  );
  run.start();
  const open = Object.values(run.state.strands).filter(({ waits }) => waits?.on === "action");
  const strands = Object.fromEntries(
    open.map(({ id, waits }) => [id, { agent: "claude", action: waits?.on === "action" ? waits.id : "", since: 1, turn }]),
  );
  const { agents } = liveFacts({ id: "wf-test", program: run.program, state: run.state }, { strands, used });
  expect(agents.map(({ task }) => task)).toEqual(["1: src/a.ts", "2: src/b.ts", "3: src/long/long/long/...ong/long/long/c.ts"]);
});

test("a run that asks about its budget says so, and does not name an inner step", () => {
  const blocks = [{ kind: "seq", id: "root", blocks: ["a", "b"] } as const, agentStep("a"), agentStep("b")];
  const run = new MemoryRun(program(blocks, "root"), () => ({}));
  run.start({ budget: { steps: 1 } });
  run.report(Object.keys(run.state.actions)[0] ?? "");
  const { standing, questions } = liveFacts({ id: "wf-test", program: run.program, state: run.state }, idle);
  expect(standing).toBe("the budget waits for an answer");
  expect(questions).toHaveLength(1);
});
