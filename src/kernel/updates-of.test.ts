import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json, JsonObject } from "../base/index.ts";
import type { Block, DoBlock } from "../program/index.ts";

const seq = (...blocks: string[]): Block => ({ kind: "seq", id: "root", blocks });
const other = { kind: "agent" as const, name: "other", session: "s2" };

function runOf(blocks: Block[], values: (key: string, locals: JsonObject) => Json | undefined = () => undefined): MemoryRun {
  const run = new MemoryRun(program(blocks, "root"), ({ exprs, locals }) =>
    Object.fromEntries(
      Object.keys(exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "log"] : (values(key, locals) ?? key)]),
    ),
  );
  run.start();
  return run;
}
const only = (run: MemoryRun) => Object.values(run.state.actions)[0]?.id ?? "";

test("a wrong answer to the question about an interrupted step leaves what its holder stored", () => {
  const step: DoBlock = agentStep("a", { whenLost: "ask", writes: [{ path: value("p"), op: "append" }] });
  const run = runOf([seq("a"), step]);
  run.input({
    type: "set",
    scope: "run",
    handOut: only(run),
    holder,
    updates: [{ tier: "raw", keys: ["log"], op: "append", value: "done" }],
  });
  expect(run.state.scopes["run"]?.raw).toEqual({ log: ["done"] });
  run.input({ type: "release", strand: "main", fence: 1, why: "lost" });
  run.input({ type: "claim", strand: "main", holder: other }, { ...other, surface: "test" });
  const asked = Object.values(run.state.decisions)[0];
  expect(asked?.kind).toBe("lost");
  run.answer(asked?.id ?? "", "perhaps");
  expect(run.state.scopes["run"]?.raw).toEqual({ log: ["done"] });
  run.answer(asked?.id ?? "", "continue");
  expect(run.state.scopes["run"]?.raw).toEqual({ log: ["done"] });
  expect(run.state.status).toBe("completed");
});

test("what was set and then added to, both stored, is left as it is by a report of the same result", () => {
  const writes = [
    { path: value("p"), op: "set" as const, value: value([]) },
    { path: value("p"), op: "append" as const },
  ];
  const run = runOf([seq("a"), agentStep("a", { what: "ask_agent", writes })], (key) => (key === "value:0" ? [] : undefined));
  const id = only(run);
  run.input({
    type: "set",
    scope: "run",
    handOut: id,
    holder,
    updates: [
      { tier: "raw", keys: ["log"], op: "set", value: [] },
      { tier: "raw", keys: ["log"], op: "append", value: "r" },
    ],
  });
  expect(run.state.scopes["run"]?.raw).toEqual({ log: ["r"] });
  run.report(id, "r");
  expect(run.state.scopes["run"]?.raw).toEqual({ log: ["r"] });
});

test("what is set and then added to is written in order when nothing was stored", () => {
  const writes = [
    { path: value("p"), op: "set" as const, value: value([]) },
    { path: value("p"), op: "append" as const },
  ];
  const run = runOf([seq("a"), agentStep("a", { what: "ask_agent", writes })], (key) => (key === "value:0" ? [] : undefined));
  run.report(only(run), "r");
  expect(run.state.scopes["run"]?.raw).toEqual({ log: ["r"] });
});
