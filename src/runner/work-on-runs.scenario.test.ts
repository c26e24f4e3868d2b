import { afterEach, beforeEach, expect, test } from "vitest";
import { openDriven, type Behaviour, type DrivenRun } from "../../test/support/driven-run.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { start, type EngineContext, type RunHandle } from "../engine/index.ts";
import { storeUnreachable } from "../store/store-errors.ts";
import { workOnRuns, type WorkEvent } from "./work-on-runs.ts";

let engine: TestEngine;
let driven: DrivenRun | undefined;
beforeEach(async () => {
  engine = await openTestEngine({ ".waymark/workflows/good.yaml": flow("good"), ".waymark/workflows/bad.yaml": flow("bad") });
  for (const name of ["good", "bad"]) await engine.allow(name);
});
afterEach(async () => {
  await driven?.close();
  await engine.close();
});

function flow(name: string): string {
  return `name: ${name}\ndescription: One.\nversion: "1.0.0"\nsteps: [{ id: do, type: agent_task, prompt: "Do ${name}." }]\n`;
}

const begin = async (workflow: string): Promise<string> => (await start(engine.context, engine.caller, { workflow, held: false })).run;

interface Working {
  readonly said: WorkEvent[];
  readonly done: Promise<unknown>;
  readonly finish: AbortController;
  readonly until: (is: (event: WorkEvent) => boolean) => Promise<void>;
}

/** Two workers; `opens` is in the place of opening the run. */
async function work(behave: Behaviour, opens: (run: string, open: () => Promise<RunHandle>) => Promise<RunHandle>): Promise<Working> {
  driven = await openDriven(engine, behave);
  const runs = new Proxy(engine.context.runs, {
    get: (target, name) => {
      if (name === "open") return (run: string) => opens(run, () => target.open(run));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
  const context: EngineContext = { ...engine.context, runs };
  const [said, finish]: [WorkEvent[], AbortController] = [[], new AbortController()];
  const waiting: (() => void)[] = [];
  const { agents } = driven;
  const doors = { open: () => ({ url: "", token: "", brief: () => Promise.resolve(""), close: () => Promise.resolve() }) };
  const done = workOnRuns(
    { context, agents, doors, hints: { listen: () => () => undefined, close: () => Promise.resolve() } },
    {
      workers: 2,
      pollMs: 20,
      agent: "scripted",
      permission: { level: "edit" },
      finish: finish.signal,
      cancel: new AbortController().signal,
      refuses: () => Promise.resolve(undefined),
      allowed: () => Promise.resolve(""),
      watch: (event) => {
        said.push(event);
        for (const look of waiting) look();
      },
    },
  ).catch((error: unknown) => error);
  const until = (is: (event: WorkEvent) => boolean): Promise<void> =>
    new Promise((resolve) => waiting.push(() => (said.some(is) ? resolve() : undefined)));
  return { said, done, finish, until };
}

const refused = (event: WorkEvent): boolean => event.type === "refuses";
const left = (event: WorkEvent): boolean => event.type === "leaves";

test("a run that cannot be opened is named once with its code and what to do, and the others are worked on", async () => {
  const bad = await begin("bad");
  const good = await begin("good");
  const broken = (run: string, open: () => Promise<RunHandle>): Promise<RunHandle> =>
    run === bad ? Promise.reject(new SyntaxError("Unexpected end of JSON input")) : open();
  const { said, done, finish, until } = await work(() => Promise.resolve({}), broken);
  await until(left);
  finish.abort();
  expect(await done).toBeUndefined();
  const why = "Something failed that should not: Unexpected end of JSON input";
  const fix = expect.stringContaining("waymark doctor <run>") as string;
  expect(said.filter(refused)).toEqual([{ type: "refuses", run: bad, workflow: "bad", why, code: "RUNNER_UNEXPECTED", fix }]);
  expect(said.filter(left)).toEqual([{ type: "leaves", run: good, end: expect.objectContaining({ kind: "completed" }) as object }]);
});

test("what fails while one run is driven ends no turn of another", async () => {
  const bad = await begin("bad");
  const good = await begin("good");
  let go = (): void => undefined;
  const told = new Promise<void>((resolve) => (go = resolve));
  let begun = (): void => undefined;
  const working = new Promise<void>((resolve) => (begun = resolve));
  let opened = 0;
  // It is found to be in order, and is broken when it is driven, in the middle of the other turn.
  const breaks = async (run: string, open: () => Promise<RunHandle>): Promise<RunHandle> => {
    if (run === bad && (opened += 1) > 1) {
      await working;
      throw new Error("broken");
    }
    return open();
  };
  const takesLong: Behaviour = async () => {
    begun();
    await told;
    return {};
  };
  const { said, done, finish, until } = await work(takesLong, breaks);
  await until(refused);
  go();
  await until(left);
  finish.abort();
  expect(await done).toBeUndefined();
  expect(said.filter(refused)).toMatchObject([{ run: bad, code: "RUNNER_UNEXPECTED" }]);
  expect((await engine.context.runs.open(good)).state.status).toBe("completed");
});

test("what ends all work cancels the open turns before it is said", async () => {
  const bad = await begin("bad");
  await begin("good");
  let begun = (): void => undefined;
  const working = new Promise<void>((resolve) => (begun = resolve));
  const away = storeUnreachable("postgres://h/d", 60_000, { cause: new Error("ECONNREFUSED"), uncertain: false });
  let opened = 0;
  const breaks = async (run: string, open: () => Promise<RunHandle>): Promise<RunHandle> => {
    if (run === bad && (opened += 1) > 1) {
      await working;
      throw away;
    }
    return open();
  };
  let isCancelled = false;
  const untilCancelled: Behaviour = async ({ signal }) => {
    begun();
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    isCancelled = true;
    return { stop: "cancelled" };
  };
  const { done } = await work(untilCancelled, breaks);
  expect(await done).toBe(away);
  expect(isCancelled).toBe(true);
});
