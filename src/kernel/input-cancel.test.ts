import { expect, test } from "vitest";
import { agentStep, program } from "../../test/support/make-program.ts";
import { MemoryRun, replay } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";

const ask: Block = { kind: "do", id: "ask", who: "person", what: "ask", args: {}, writes: [], ask: { answerBy: "person" } };

function asking(): { readonly run: MemoryRun; readonly strand: string; readonly decision: string } {
  const run = new MemoryRun(
    program([agentStep("a"), ask], "a", { entries: { side: { root: "ask", by: "anyone", main: "goes_on" } } }),
    () => ({}),
  );
  run.start();
  run.input({ type: "entry", name: "side", args: {} });
  const [decision] = Object.values(run.state.decisions);
  return { run, strand: decision?.strand ?? "", decision: decision?.id ?? "" };
}

test("what a command asks is closed with the reason, and main does not wait for it any more", () => {
  const { run, strand, decision } = asking();
  run.report(Object.keys(run.state.actions)[0] ?? "");
  expect(run.state.status).toBe("running");
  expect(run.input({ type: "cancel", strand, reason: "nobody wants it" })).toBeUndefined();
  expect(run.events).toContainEqual({ type: "decision_closed", decision, status: "cancelled", reason: "nobody wants it" });
  expect(run.state).toMatchObject({ status: "completed", decisions: {} });
  expect(replay(run.events)).toEqual(run.state);
});

test("a strand that has ended, one that does not exist and the main one stay as they are", () => {
  const { run, strand } = asking();
  run.input({ type: "cancel", strand, reason: "once" });
  const before = run.state;
  for (const id of [strand, "s999", "main"]) expect(run.input({ type: "cancel", strand: id, reason: "again" })).toBeUndefined();
  expect(run.state).toEqual(before);
  expect(run.open()).toEqual(["a"]);
});
