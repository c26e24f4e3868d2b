import { expect, test } from "vitest";
import { agentStep, condition, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Block } from "../program/index.ts";

function runOf(blocks: Block[], given: Json = true): { readonly run: MemoryRun; readonly asked: string[][] } {
  const asked: string[][] = [];
  const run = new MemoryRun(program(blocks, blocks[0]?.id ?? ""), ({ exprs }) => {
    asked.push(Object.keys(exprs));
    return Object.fromEntries(Object.keys(exprs).map((key) => [key, given]));
  });
  run.start();
  return { run, asked };
}

test.each<[string, Block[]]>([
  ["a choice without branches", [{ kind: "choose", id: "x", branches: [], otherwise: "a" }, agentStep("a")]],
  [
    "a state whose outcome has no condition",
    [{ kind: "machine", id: "x", initial: "one", states: { one: { body: "a", outcomes: [{ to: null }] } } }, agentStep("a")],
  ],
  ["a finish without rules", [{ kind: "seq", id: "x", blocks: ["a", "y"] }, agentStep("a"), { kind: "leave", id: "y", how: "finish" }]],
  ["an exit without a message", [{ kind: "seq", id: "x", blocks: ["a", "y"] }, agentStep("a"), { kind: "leave", id: "y", how: "fail" }]],
])("%s asks for nothing", (_title, blocks) => {
  const { run, asked } = runOf(blocks);
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state.status).not.toBe("running");
  expect(asked).toEqual([]);
});

test("a run that is finished early leaves the exit as done and what is around it as skipped", () => {
  const { run } = runOf([{ kind: "seq", id: "root", blocks: ["stop", "a"] }, { kind: "leave", id: "stop", how: "finish" }, agentStep("a")]);
  const left = run.events.flatMap((event) => (event.type === "left" ? [[event.block, event.how]] : []));
  expect(left).toEqual([
    ["stop", "done"],
    ["root", "skipped"],
  ]);
});

test.each<[Json, string]>([
  ["too late", "too late"],
  ["", "The workflow was ended as failed by `x`."],
  [5, "The workflow was ended as failed by `x`."],
  [null, "The workflow was ended as failed by `x`."],
])("an exit whose message is %j fails with text", (given, message) => {
  const { run } = runOf([{ kind: "leave", id: "x", how: "fail", message: value("m") }], given);
  expect(run.state.error).toMatchObject({ code: "STEP_EXIT", message });
});

const choice: Block = { kind: "choose", id: "choose", branches: [{ when: condition("c"), then: "inner" }] };

test("a choice that is made once says which branch it took and nothing else", () => {
  const { run } = runOf([choice, agentStep("inner")]);
  expect(run.events).toContainEqual({ type: "moved", strand: "main", patch: { branch: 0 } });
});

test("a choice that was made again after an exit remembers nothing of the first time", () => {
  const blocks: Block[] = [
    choice,
    { kind: "seq", id: "inner", blocks: ["a", "exit"] },
    agentStep("a"),
    { kind: "leave", id: "exit", how: "fail" },
  ];
  const { run } = runOf(blocks);
  run.input({
    type: "report",
    action: Object.keys(run.state.actions)[0] ?? "",
    holder,
    fence: 1,
    outcome: { ok: true, value: null },
    write: true,
  });
  expect(run.state.status).toBe("failed");
  run.input({ type: "retry", resetCounts: false });
  expect(run.state.strands["main"]?.frames[0]).toMatchObject({ kind: "choose", branch: 0 });
  expect(run.state.strands["main"]?.frames[0]).not.toHaveProperty("before");
});
