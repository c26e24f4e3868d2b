import { expect, test } from "vitest";
import { agentStep, program, value } from "../../test/support/make-program.ts";
import { holder, MemoryRun } from "../../test/support/memory-run.ts";
import type { Json } from "../base/index.ts";
import type { Write } from "../program/index.ts";

const path = { as: "path", of: "raw.out" } as const;

/** What a failed step with this write leaves at its path, when its expression gives `given`. */
function leftBy(write: Write, given: Json = null): Json | undefined {
  const step = agentStep("a", { rescue: { writes: [write], then: "continue" } });
  const run = new MemoryRun(program([step], "a"), ({ exprs }) =>
    Object.fromEntries(Object.keys(exprs).map((key): [string, Json] => [key, key.startsWith("path:") ? ["raw", "out"] : given])),
  );
  run.start();
  const action = Object.keys(run.state.actions)[0] ?? "";
  run.input({ type: "report", action, holder, fence: 1, outcome: { ok: false, code: "STEP_FAILED", message: "no" }, write: true });
  return run.state.scopes["run"]?.raw["out"];
}

test("what a failed step writes is the value that its author wrote, also null and false", () => {
  for (const given of [null, false, 0, "", "x"]) expect(leftBy({ path, op: "set", value: value("v") }, given)).toBe(given);
});

test("without a value it is true", () => {
  expect(leftBy({ path, op: "set" })).toBe(true);
});
