import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { MemoryRun } from "../../test/support/memory-run.ts";
import type { Block, SeqBlock } from "../program/index.ts";

function runOf(blocks: Block[], options: Parameters<MemoryRun["start"]>[0] = {}): MemoryRun {
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key) => [key, key === "items" ? [{ id: "A" }] : true])),
  );
  run.start(options);
  return run;
}

const framesOf = (run: MemoryRun, strand = "main"): string[] => run.state.strands[strand]?.frames.map(({ block }) => block) ?? [];
const seq = (id: string, blocks: string[], more: Partial<SeqBlock> = {}): SeqBlock => ({ kind: "seq", id, blocks, ...more });

test("a sequence of one block that is nothing more than it is passed through", () => {
  const run = runOf([seq("root", ["one", "b"]), seq("one", ["two"]), seq("two", ["a"]), agentStep("a"), agentStep("b")]);
  expect(framesOf(run)).toEqual(["root", "a"]);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(framesOf(run)).toEqual(["root", "b"]);
});

test.each<[string, Partial<SeqBlock>]>([
  ["a label", { label: { kind: "phase", text: "Phase" } }],
  ["a rescue", { rescue: { then: "continue" } }],
  ["a time limit", { timeoutMs: 500 }],
])("a sequence of one block with %s is entered", (_title, more) => {
  expect(framesOf(runOf([seq("root", ["one", "b"]), seq("one", ["a"], more), agentStep("a"), agentStep("b")]))).toEqual([
    "root",
    "one",
    "a",
  ]);
});

test("the outermost block of a strand is entered, whatever it is", () => {
  expect(framesOf(runOf([seq("root", ["a"]), agentStep("a")]))).toEqual(["root", "a"]);
  const run = runOf([
    { kind: "work", id: "w", fill: value("x"), mode: "strands", join: "all", body: "task" },
    seq("task", ["a"]),
    agentStep("a"),
  ]);
  const task = Object.values(run.state.strands).find((strand) => strand.task === "A");
  expect(framesOf(run, task?.id)).toEqual(["task", "a"]);
  expect(task?.frames[0]?.locals).toMatchObject({ item: { id: "A" } });
});

test("a work begins with what it has to find out first", () => {
  const first = (more: Partial<Extract<Block, { kind: "work" }>>, serial = false): unknown => {
    const work: Block = { kind: "work", id: "w", mode: "strands", join: "all", body: "a", ...more };
    const entered = runOf([work, agentStep("a")], { serial }).events.find(({ type }) => type === "entered");
    return entered?.type === "entered" ? entered.frame : undefined;
  };
  const frame = { block: "w", kind: "work", list: "", mode: "strands", open: [], total: 0, failed: [] };
  expect(first({ fill: value("x") })).toEqual({ ...frame, phase: "fill" });
  expect(first({ fill: value("x") }, true)).toEqual({ ...frame, phase: "fill", mode: "each" });
  expect(first({ list: "jobs" })).toEqual({ ...frame, phase: "run", list: "jobs" });
  expect(first({ list: "jobs", where: { parent: value("p") } })).toEqual({ ...frame, phase: "where", list: "jobs" });
});

test("an effect carries its time limit, and a step that the agent does instead is watched by a timer", () => {
  const command = (more: Partial<Extract<Block, { kind: "do" }>>): Block => ({
    kind: "do",
    id: "c",
    who: "engine",
    what: "shell",
    args: {},
    writes: [],
    timeoutMs: 500,
    ...more,
  });
  const able = runOf([command({ orAgent: true })]);
  expect(Object.values(able.state.effects)).toMatchObject([{ timeoutMs: 500 }]);
  expect(able.state.timers).toEqual({});
  const unable = runOf([command({ orAgent: true })], { unable: ["shell"] });
  expect(unable.open()).toEqual(["c"]);
  expect(Object.values(unable.state.timers)).toMatchObject([{ why: "timeout", depth: 0 }]);
  const alone = runOf([command({})], { unable: ["shell"] });
  expect(Object.values(alone.state.effects)).toMatchObject([{ timeoutMs: 500 }]);
  expect(alone.state.timers).toEqual({});
});
