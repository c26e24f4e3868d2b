/** Failures of an agent that may pass: when its turn is begun again, and when it is not. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { end, start } from "../../src/engine/index.ts";
import type { DriveEnd, DriveEvent, DriveRequest } from "../../src/runner/index.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { DrivenTime } from "../support/driven-time.ts";
import { chainFiles } from "../support/prompt-files.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
let time: DrivenTime;
beforeEach(() => void (time = new DrivenTime()));
afterEach(async () => {
  await driven.close();
  await engine.close();
});

const overloaded: Behaviour = async () => ({ stop: "error", errorKind: "overloaded", error: "529", text: "" });

async function begin(step: string, behave: Behaviour): Promise<string> {
  engine = await openTestEngine(chainFiles(`  - { step: one${step} }`, { one: "Do one." }), {}, time);
  driven = await openDriven(engine, behave);
  await engine.allow("chain");
  return (await start(engine.context, engine.caller, { workflow: "chain", held: false })).run;
}

/** Drives; `paused` answers the n-th pause, when it has begun. */
function drive(request: Partial<DriveRequest> & { readonly run: string }): {
  readonly ended: Promise<DriveEnd>;
  readonly paused: () => Promise<string>;
} {
  const said: string[] = [];
  let hear: () => void = () => undefined;
  const watch = (event: DriveEvent): void => {
    if (event.type !== "notice") return;
    said.push(event.text);
    hear();
  };
  return {
    ended: driven.drive({ ...request, watch }),
    paused: async () => {
      if (said.length === 0) await new Promise<void>((heard) => void (hear = heard));
      return said.shift() ?? "";
    },
  };
}

test("one that may pass is tried again in the same conversation, twice, each time after a longer pause", async () => {
  const run = await begin("", overloaded);
  const { ended, paused } = drive({ run, waits: false });
  expect(await paused()).toBe("529. Trying again in 5 seconds (1 of 2).");
  await time.advance(4_999);
  expect(driven.turns).toHaveLength(1);
  await time.advance(1);
  expect(await paused()).toBe("529. Trying again in 20 seconds (2 of 2).");
  expect(driven.turns).toHaveLength(2);
  await time.advance(20_000);
  expect(await ended).toEqual({ run, kind: "parked", why: "529", until: time.now() + 60_000 });
  expect(driven.turns).toHaveLength(3);
  expect(new Set(driven.turns.slice(1).map(({ session }) => session)).size).toBe(1);
});

test("an agent that died is started again at once", async () => {
  const run = await begin("", async () => ({ stop: "error", errorKind: "crash", error: "It died.", text: "" }));
  const { ended, paused } = drive({ run });
  expect(await paused()).toBe("It died. Trying again (1 of 2).");
  expect(await ended).toMatchObject({ kind: "failed", why: "It died." });
  expect(driven.turns).toHaveLength(3);
});

test.each(["finish", "cancel"] as const)("%s ends a pause at once, and the run can be driven again", async (signal) => {
  const stop = new AbortController();
  const run = await begin("", overloaded);
  const { ended, paused } = drive({ run, [signal]: stop.signal });
  await paused();
  stop.abort();
  expect(await ended).toEqual({ run, kind: "parked", why: "`one` was interrupted." });
  expect(driven.turns).toHaveLength(1);
});

test("the end of the run ends a pause", async () => {
  const run = await begin("", overloaded);
  const { ended, paused } = drive({ run });
  await paused();
  const person = { ...engine.caller, holder: { ...engine.caller.holder, kind: "person" as const } };
  await end(engine.context, person, { run, status: "cancelled" });
  expect(await ended).toMatchObject({ kind: "cancelled" });
  expect(driven.turns).toHaveLength(1);
});

test.each([
  ["overloaded", "529"],
  ["crash", "It died."],
] as const)("a step that says itself how often it is tried is tried just so often (%s)", async (errorKind, error) => {
  const run = await begin(", retry: { max_attempts: 2 }", async () => ({ stop: "error", errorKind, error, text: "" }));
  const ended = driven.drive({ run });
  let isOver = false;
  void ended.finally(() => (isOver = true));
  while (!isOver) await time.advance(60_000);
  expect(await ended).toMatchObject({ kind: "failed", why: error });
  expect(driven.turns).toHaveLength(3);
  expect(driven.events.filter(({ type }) => type === "notice")).toEqual([]);
});
