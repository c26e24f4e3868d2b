import { expect, test } from "vitest";
import { agentStep, itemRow, program } from "../../test/support/make-program.ts";
import { MemoryRun } from "../../test/support/memory-run.ts";
import type { Block } from "../program/index.ts";

/** Stands at a list that is handed out on request, or at the step before it. */
function runOf(count: number, there = true): MemoryRun {
  const work: Block = { kind: "work", id: "w", list: "l", mode: "strands", pull: true, join: "all", body: "a" };
  const run = new MemoryRun(
    program([{ kind: "seq", id: "root", blocks: ["begin", "w"] }, agentStep("begin"), work, agentStep("a")], "root"),
    () => ({}),
  );
  run.start();
  const items = Array.from({ length: count }, (_, index) => itemRow(`i${String(index).padStart(3, "0")}`));
  run.input({ type: "items", change: { add: [{ list: "l", items }] }, reason: "r" });
  if (there) run.report(Object.keys(run.state.actions)[0] ?? "");
  return run;
}

const pull = (run: MemoryRun, strand = "main"): string | undefined => run.input({ type: "pull", strand })?.code;

test("a list without a limit of its own is handed out to 64 at once", () => {
  const run = runOf(70);
  for (let open = 1; open < 64; open += 1) expect(pull(run)).toBeUndefined();
  expect(Object.keys(run.state.actions)).toHaveLength(64);
  expect(run.input({ type: "pull", strand: "main" })).toEqual({
    code: "NOTHING_TO_PULL",
    message: "64 parts of run `wf-test` are held already, which is the limit.",
  });
});

test("nothing is handed out without such a list, or when nothing is left of it", () => {
  expect(pull(runOf(2, false))).toBe("NOTHING_TO_PULL");
  expect(pull(runOf(2), "s99")).toBe("NOTHING_TO_PULL");
  expect(runOf(1).input({ type: "pull", strand: "main" })?.message).toBe("Other agents hold all open items of `w`.");
});
