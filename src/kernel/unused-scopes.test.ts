import { expect, test } from "vitest";
import { agentStep, part, program, taskWork } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block, Part } from "../program/index.ts";
import type { Frame } from "./frame.ts";
import type { Need } from "./input.ts";
import type { Scope, Strand } from "./run-state.ts";
import { unusedScopes } from "./walk-call.ts";

type Asked = Extract<Need, { type: "evaluate" }>;

/** A run whose lists have the items A and B; its parts besides the main one are named in `parts`. */
function runOf(blocks: Block[], parts: Readonly<Record<string, Part>>): MemoryRun {
  const evaluate = ({ exprs }: Asked): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(exprs).map(([key, { of }]): [string, Json] => [key, key === "items" ? [{ id: "A" }, { id: "B" }] : of]),
    );
  const whole = program(blocks, blocks[0]?.id ?? "");
  const run = new MemoryRun({ ...whole, parts: { ...whole.parts, ...parts } }, evaluate);
  run.start();
  return run;
}

function report(run: MemoryRun, step: string, { task, ok = true }: { readonly task?: string; readonly ok?: boolean } = {}): void {
  const action = Object.values(run.state.actions).find(
    (open) => open.step === step && (task === undefined || run.state.strands[open.strand]?.task === task),
  );
  if (action === undefined) throw new Error(`${step} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  const outcome = ok ? { ok, value: null } : { ok, code: "STEP_FAILED", message: "no" };
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

const call = (id: string, of: string, more: Partial<Extract<Block, { kind: "call" }>> = {}): Block => ({
  kind: "call",
  id,
  part: of,
  inputs: {},
  as: `kept_${id}`,
  ...more,
});

test("the scope of a task's call stays while the blocks after the call run, whatever its siblings finish", () => {
  const run = runOf([taskWork({ body: "call" }), call("call", "callee", { onComplete: "after" }), agentStep("in"), agentStep("after")], {
    callee: part("in"),
  });
  const front = (task: string): string | undefined => {
    const frames = Object.values(run.state.strands).find((strand) => strand.task === task)?.frames ?? [];
    return frames.find((frame) => frame.kind === "call")?.scope;
  };
  report(run, "in", { task: "A" });
  report(run, "in", { task: "B" });
  const scopes = [front("A"), front("B")];
  expect(scopes.map((id) => run.state.scopes[id ?? ""]?.part)).toEqual(["callee", "callee"]);
  expect(new Set(scopes).size).toBe(2);
  report(run, "after", { task: "A" });
  report(run, "after", { task: "B" });
  expect(run.state.status).toBe("completed");
  expect(replay(run.events)).toEqual(run.state);
});

test("tasks that a called part does not wait for keep its scope when it is called again", () => {
  const run = runOf(
    [
      { kind: "repeat", id: "twice", max: 2, onLimit: "warn", body: "call" },
      call("call", "callee"),
      { kind: "seq", id: "inside", blocks: ["w"] },
      taskWork({ join: "later" }),
      agentStep("a"),
    ],
    { callee: part("inside") },
  );
  const tasks = Object.values(run.state.strands).filter((strand) => strand.task !== undefined);
  expect(new Set(tasks.map(({ scope }) => scope)).size).toBe(2);
  expect(tasks.map(({ scope }) => run.state.scopes[scope]?.part)).toEqual(["callee", "callee", "callee", "callee"]);
});

test.each([
  ["comes to its end", true],
  ["is broken off", false],
] as const)("a loop whose call %s has no more scopes after many rounds than after a few", (_how, ok) => {
  const run = runOf(
    [
      { kind: "repeat", id: "loop", max: 60, onLimit: "warn", body: "call" },
      call("call", "callee", { rescue: { then: "continue" } }),
      call("nested", "below", { as: "below" }),
      agentStep("in"),
    ],
    { callee: part("nested"), below: part("in") },
  );
  const counts: number[] = [];
  while (run.state.status === "running") {
    report(run, "in", { ok });
    counts.push(Object.keys(run.state.scopes).length);
  }
  expect(counts).toHaveLength(60);
  expect(Math.max(...counts)).toBe(Math.max(...counts.slice(0, 5)));
  expect(Math.max(...counts)).toBeLessThanOrEqual(5);
  expect(replay(run.events)).toEqual(run.state);
});

const scope = (more: Partial<Scope> = {}): Scope => ({
  part: "p",
  raw: {},
  state: {},
  inputs: {},
  fixed: {},
  version: 0,
  calls: {},
  parent: "run",
  ...more,
});
const { parent: _none, ...main } = scope({ part: "main" });
const strand = (frames: readonly Frame[]): Strand => ({ id: "main", status: "ready", scope: "run", frames, fence: 0 });

test.each<[string, readonly Frame[]]>([
  ["a call in progress", [{ kind: "call", block: "b", phase: "inside", scope: "c1", outer: "run" }]],
  ["the caller of a call", [{ kind: "call", block: "b", phase: "inside", scope: "c9", outer: "c1" }]],
  ["a failure inside a call", [{ kind: "rescue", block: "b", of: 0, error: { code: "X", message: "x" }, phase: "body", inner: "c1" }]],
  [
    "a choice that is made again",
    [
      {
        kind: "choose",
        block: "b",
        branch: null,
        before: { branch: 0, frames: [{ kind: "call", block: "b", phase: "complete", scope: "c1" }] },
      },
    ],
  ],
  [
    "a task that was stopped",
    [
      {
        kind: "work",
        block: "b",
        phase: "run",
        list: "l",
        mode: "strands",
        open: [],
        total: 1,
        failed: [],
        kept: { A: { scope: "c1", frames: [] } },
      },
    ],
  ],
])("%s uses its scope", (_title, frames) => {
  const scopes = { run: main, c1: scope({ calls: { below: "c2" } }), c2: scope(), c3: scope(), c9: scope() };
  expect(unusedScopes({ scopes, strands: { main: strand([]) } })).toEqual(["c1", "c2", "c3"]);
  expect(unusedScopes({ scopes, strands: { main: strand(frames) } })).toEqual(["c3"]);
});

test("of scopes that nothing refers to the newest of each part stays", () => {
  const scopes = { run: main, c8: scope(), c9: scope(), c10: scope(), c11: scope({ part: "q" }) };
  expect(unusedScopes({ scopes, strands: { main: strand([]) } })).toEqual(["c8", "c9"]);
});
