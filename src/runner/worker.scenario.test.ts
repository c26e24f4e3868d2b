import { afterEach, expect, test } from "vitest";
import { chainFiles } from "../../test/support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { end, next, report, start, type Caller } from "../engine/index.ts";
import type { AgentSteps } from "./agent-steps.ts";
import { Worker, type Pause } from "./worker.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const caller = (name: string): Caller => ({
  holder: { kind: "worker", name, session: `${engine.host.processId}-${name}` },
  surface: "runner",
  leaseOwner: `${engine.host.processId}-${name}`,
  stays: true,
});

/** A worker to whose step something happens between its last look at it and its report. */
async function overtakenBy(
  what: (run: string, action: string) => Promise<unknown>,
): Promise<{ readonly run: string; readonly pause: Pause }> {
  engine = await openTestEngine(chainFiles("  - step: one", { one: "Do one." }));
  await engine.allow("chain");
  const { context } = engine;
  const { run } = await start(context, engine.caller, { workflow: "chain", held: false });
  const own = caller("own");
  const steps: AgentSteps = {
    give: async ({ standing }) => {
      const action = standing.kind === "action" ? standing.action.id : "";
      await what(run, action);
      await report(context, own, { run, action, status: "success", result: "done" });
      return undefined;
    },
    close: () => Promise.resolve(),
  };
  const signal = new AbortController().signal;
  const parts = { context, agents: undefined as never, doors: undefined as never };
  const worker = new Worker({ parts, request: { run, finish: signal, cancel: signal }, steps, caller: own });
  return { run, pause: await worker.work() };
}

const person = (): Caller => ({ ...caller("ada"), holder: { kind: "person", name: "ada", session: "p" }, surface: "cli-terminal" });

test("a worker whose run is ended as it reports looks again, and sees the end", async () => {
  const { pause } = await overtakenBy((run) => end(engine.context, person(), { run, status: "cancelled", reason: "enough" }));
  expect(pause).toMatchObject({ kind: "idle" });
});

test("a worker whose step another one took and reported looks again", async () => {
  const { pause } = await overtakenBy(async (run) => {
    const other = caller("other");
    const { standing } = await next(engine.context, other, { run, takeOver: true });
    if (standing.kind === "action") await report(engine.context, other, { run, action: standing.action.id, result: "theirs" });
  });
  expect(pause).toMatchObject({ kind: "idle" });
});
