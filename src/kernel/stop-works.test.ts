import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun, replay } from "../../test/support/memory-run.ts";
import { textOf, type Json } from "../base/index.ts";
import type { Block, Part, WorkBlock } from "../program/index.ts";

// What happens to works and their tasks when the run fails elsewhere, and when it is retried.

/** A list expression names its items letter by letter; steps are called after the item they are for. */
const evaluate: MemoryRun["evaluate"] = ({ exprs, locals }) => {
  const item = (locals["item"] as { readonly id?: string } | undefined)?.id ?? "";
  return Object.fromEntries(
    Object.entries(exprs).map(([key, { of }]): [string, Json] => {
      if (key === "items")
        return [
          key,
          textOf(of)
            .split("")
            .map((id) => ({ id: `${item}${id}` })),
        ];
      return [key, key === "name" ? `${textOf(of)}${item}` : ["raw", "out"]];
    }),
  );
};

function runOf(blocks: Block[], more: Partial<Part> = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? "", more), evaluate);
  run.start();
  return run;
}

const seq = (id: string, ...blocks: string[]): Block => ({ kind: "seq", id, blocks });
const step = (id: string, more: Partial<Extract<Block, { kind: "do" }>> = {}): Block => agentStep(id, { name: value(`${id}:`), ...more });
const work = (more: Partial<WorkBlock> = {}): WorkBlock => ({
  kind: "work",
  id: "w",
  fill: value("AB"),
  mode: "strands",
  parallel: 5,
  join: "all",
  body: "t",
  ...more,
});
const appends = [{ path: value("p"), op: "append" as const }];
const waits = { side: { root: "side", by: "anyone" as const, main: "waits" as const } };

function act(run: MemoryRun, name: string, ok = true): void {
  const action = Object.values(run.state.actions).find((open) => open.step === name);
  if (action === undefined) throw new Error(`${name} is not open, but ${run.open().join(", ")}`);
  if (run.state.strands[action.strand]?.holder === undefined) run.input({ type: "claim", strand: action.strand, holder });
  const outcome = ok ? { ok: true as const, value: name } : { ok: false as const, code: "STEP_FAILED", message: "no" };
  const { fence = 0 } = run.state.strands[action.strand] ?? {};
  run.input({ type: "report", action: action.id, holder, fence, outcome, write: true });
}

const retry = (run: MemoryRun): unknown => run.input({ type: "retry", resetCounts: false });
const detached = (run: MemoryRun): MemoryRun["state"]["strands"][string] | undefined =>
  Object.values(run.state.strands).find(({ parent, item }) => parent === "main" && item === undefined);

test("a stopped task that goes through a list of its own continues with the item and the step where it stood", () => {
  const inner = work({ id: "t", mode: "each", fill: value("12"), body: "steps" });
  const run = runOf([work(), inner, seq("steps", "one", "two"), step("one"), step("two")]);
  for (const name of ["one:A1", "two:A1", "one:A2"]) act(run, name);
  act(run, "one:B1", false);
  expect(run.state.status).toBe("failed");
  retry(run);
  expect(run.open().sort()).toEqual(["one:B1", "two:A2"]);
});

test("a task that is stopped after its result came, but before it was written, writes it when it continues", () => {
  const blocks = [work(), seq("t", "one", "two"), step("one", { writes: appends }), step("two"), step("side")];
  const run = runOf(blocks, { entries: waits });
  run.input({ type: "entry", name: "side", args: {} });
  act(run, "one:A");
  expect(run.state.scopes["run"]?.raw).toEqual({});
  act(run, "one:B", false);
  expect(run.state).toMatchObject({ status: "failed", actions: {} });
  retry(run);
  expect(run.open().sort()).toEqual(["one:B", "two:A"]);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: ["one:A"] });
  expect(replay(run.events)).toEqual(run.state);
});

test("a task whose lost step is in question is asked about again when it continues, and its step stands open", () => {
  const run = runOf([work(), step("t", { whenLost: "ask" })]);
  const [a] = Object.values(run.state.actions);
  run.input({ type: "claim", strand: a?.strand ?? "", holder });
  run.input({ type: "release", strand: a?.strand ?? "", fence: 1, why: "lost" });
  run.input({ type: "claim", strand: a?.strand ?? "", holder: { ...holder, session: "s2" } });
  expect(Object.values(run.state.decisions)).toMatchObject([{ kind: "lost", step: "t:A" }]);
  act(run, "t:B", false);
  expect(run.state.decisions).toEqual({});
  retry(run);
  const [asked] = Object.values(run.state.decisions);
  expect(asked).toMatchObject({ kind: "lost", step: "t:A" });
  expect(run.state.strands[asked?.strand ?? ""]?.frames.at(-1)).toMatchObject({ kind: "do", phase: "open", ref: asked?.id });
});

test("a work that nobody waits for gives up everything that is open in it when the run fails, and has it all again on a retry", () => {
  const run = runOf([
    seq("root", "w", "m"),
    work({ join: "later", timeoutMs: 1_000, task: { name: "t", prompt: "p" } }),
    step("t"),
    step("m"),
  ]);
  expect(run.open().sort()).toEqual(["m:", "t:A", "t:B", "w"]);
  run.input({ type: "claim", strand: detached(run)?.id ?? "", holder });
  act(run, "m:", false);
  expect(run.state).toMatchObject({ status: "failed", actions: {}, timers: {} });
  expect(detached(run)).toMatchObject({ status: "blocked", blocked: { code: "STOPPED" } });
  expect(detached(run)).not.toHaveProperty("holder");
  retry(run);
  expect(run.open().sort()).toEqual(["m:", "t:A", "t:B", "w"]);
  expect(Object.values(run.state.timers)).toMatchObject([{ strand: detached(run)?.id, why: "timeout", due: run.clock + 1_000 }]);
});

test("a work that nobody holds is not given back when the run fails", () => {
  const run = runOf([seq("root", "w", "m"), work({ join: "later" }), step("t"), step("m")]);
  act(run, "m:", false);
  expect(run.events.filter(({ type }) => type === "released")).toEqual([]);
});

const rescued = work({ join: "later", rescue: { then: "body", body: "fix", after: "continue" } });

test("a work that nobody waits for and that stood in its error steps opens that step again on a retry", () => {
  const run = runOf([seq("root", "w", "m"), rescued, step("t"), step("m"), step("fix")]);
  act(run, "t:A", false);
  expect(run.open().sort()).toEqual(["fix:", "m:"]);
  act(run, "m:", false);
  expect(run.state.actions).toEqual({});
  const before = run.events.length;
  retry(run);
  const id = detached(run)?.id ?? "";
  expect(run.open().sort()).toEqual(["fix:", "m:"]);
  expect(run.events.slice(before)).toContainEqual({ type: "moved", strand: id, patch: { phase: "args", ref: null } });
});

test("a work that nobody waits for and whose error step is done keeps the result for a retry", () => {
  const blocks = [seq("root", "w", "m"), rescued, step("t"), step("m"), step("fix", { writes: appends }), step("side")];
  const run = runOf(blocks, { entries: waits });
  act(run, "t:A", false);
  run.input({ type: "entry", name: "side", args: {} });
  act(run, "fix:");
  act(run, "m:", false);
  expect(run.state).toMatchObject({ status: "failed", actions: {} });
  retry(run);
  expect(run.open()).toEqual(["m:"]);
  expect(run.state.scopes["run"]?.raw).toEqual({ out: ["fix:"] });
});
