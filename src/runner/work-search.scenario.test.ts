import { afterEach, expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { start, type RunHandle } from "../engine/index.ts";
import type { WorkEvent } from "./work-on-runs.ts";
import { WorkSearch } from "./work-search.ts";

let engine: TestEngine;
afterEach(() => engine.close());

const two = `
name: two:parts
description: Two parts.
steps:
  - { id: all, type: parallel_foreach, items: [{ id: A }, { id: B }], sub_agent_task: each }
sub_agent_tasks:
  each:
    steps: [{ id: do, type: agent_task, prompt: "Do {{ item.id }}." }]
`;

interface Bench {
  readonly search: WorkSearch;
  readonly time: DrivenTime;
  readonly finish: AbortController;
  readonly said: WorkEvent[];
  /** How often the store was asked for work. */
  readonly looks: () => number;
  readonly hint: () => void;
  readonly startRun: () => Promise<string>;
  /** What a person does meanwhile. */
  readonly allow: () => void;
}

async function open(refuses: (handle: RunHandle) => Promise<string | undefined> = () => Promise.resolve(undefined)): Promise<Bench> {
  const time = new DrivenTime();
  engine = await openTestEngine({ ".waymark/workflows/two__parts.yaml": two }, {}, time);
  await engine.allow("two:parts");
  const { context } = engine;
  let looks = 0;
  const store = new Proxy(context.store, {
    get: (target, name) => {
      if (name === "findWork") looks += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
  let heard = (): void => undefined;
  const hints = { listen: (hear: () => void) => ((heard = hear), () => undefined), close: () => Promise.resolve() };
  const parts = { context: { ...context, store }, agents: undefined as never, doors: undefined as never, hints };
  const finish = new AbortController();
  const said: WorkEvent[] = [];
  let permissions = 0;
  const allowed = (): Promise<string> => Promise.resolve(String(permissions));
  const search = new WorkSearch(parts, { finish: finish.signal, pollMs: 2_000, refuses, allowed, watch: (event) => void said.push(event) });
  const startRun = async (): Promise<string> => (await start(context, engine.caller, { workflow: "two:parts", held: false })).run;
  return { search, time, finish, said, looks: () => looks, hint: () => heard(), startRun, allow: () => void (permissions += 1) };
}

test("workers of one process look together, and no more of them come than there are parts", async () => {
  const { search, time, finish, looks, startRun } = await open();
  const run = await startRun();
  const found: (string | undefined)[] = [];
  for (let worker = 0; worker < 5; worker += 1) void search.next().then((each) => found.push(each?.run));
  await time.advance(0);
  expect([found, looks()]).toEqual([[run, run], 1]);
  await time.advance(2_000);
  expect([found.length, looks()]).toEqual([2, 2]);
  finish.abort();
  await time.advance(0);
  expect(found.slice(2)).toEqual([undefined, undefined, undefined]);
});

test("a hint ends the wait at once, also one that comes while somebody looks", async () => {
  const { search, time, hint, looks, startRun } = await open();
  const found: (string | undefined)[] = [];
  void search.next().then((each) => found.push(each?.run));
  hint();
  await time.advance(0);
  expect([found, looks()]).toEqual([[], 2]);
  const run = await startRun();
  hint();
  await time.advance(0);
  expect(found).toEqual([run]);
});

test("a run that is refused is left alone for a minute, with the reason said once", async () => {
  const { search, time, said, looks, startRun } = await open(() => Promise.resolve("Not here."));
  const run = await startRun();
  void search.next();
  await time.advance(59_000);
  expect(said).toEqual([{ type: "refuses", run, workflow: "two:parts", why: "Not here." }]);
  const before = looks();
  await time.advance(2_000);
  // One look, and one after the refusal.
  expect(looks() - before).toBe(2);
  expect(said).toHaveLength(1);
});

test("a run that was refused is looked at again as soon as something is allowed", async () => {
  let isAllowed = false;
  const { search, time, startRun, allow } = await open(() => Promise.resolve(isAllowed ? undefined : "Not allowed."));
  const run = await startRun();
  const found: (string | undefined)[] = [];
  void search.next().then((each) => found.push(each?.run));
  await time.advance(10_000);
  expect(found).toEqual([]);
  isAllowed = true;
  allow();
  await time.advance(2_000);
  expect(found).toEqual([run]);
});

test("runs that this worker may not take hide no other, however many they are", async () => {
  const { search, time, startRun } = await open((handle) => Promise.resolve(handle.id === mine ? undefined : "Not here."));
  let mine = "";
  const pages = 12;
  // Found where the store has rows of them; that they cannot be opened is one more reason to leave them.
  const { store } = engine.context;
  const one = await startRun();
  const { program, sources } = (await store.readRun(one))!;
  const waiting = { free: 1, held: [] };
  for (let run = 0; run < pages * 100; run += 1) {
    const commit = { records: [], items: [], waiting, summary: { status: "running", line: "{}" } } as const;
    await store.createRun({ id: `theirs-${run}`, workflow: "two:parts", program, sources }, commit);
  }
  await time.advance(1);
  mine = await startRun();
  let found: string | undefined;
  void search.next().then((each) => (found = each?.run));
  for (let look = 0; look < 4 && found === undefined; look += 1) await time.advance(2_000);
  expect(found).toBe(mine);
});
