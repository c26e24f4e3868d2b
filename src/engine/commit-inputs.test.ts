import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { Input } from "../kernel/index.ts";
import { actorOf } from "./caller.ts";
import { commitInputs } from "./commit-inputs.ts";
import type { Request } from "./draft.ts";
import { start } from "./commands/start.ts";

let engine: TestEngine;
let other: TestEngine;
let run: string;
beforeEach(async () => {
  engine = await openTestEngine({ ".waymark/workflows/one.yaml": "name: one\nsteps: [{ id: a, type: user_message, message: x }]\n" });
  other = await engine.again();
  ({ run } = await start(engine.context, engine.caller, { workflow: "one" }));
});
afterEach(async () => {
  await other.close();
  await engine.close();
});

const count = (name: string, at = 1): Input => ({
  type: "items",
  change: { count: { [name]: 1 } },
  reason: "counted",
  at,
  by: actorOf(engine.caller),
});
const open = (of: TestEngine) => of.context.runs.open(run);
const records = () => engine.context.store.readRecords(run, 0, 1_000);

test("what has been decided under a key is not decided again in any process, and the answer is the record of it", async () => {
  const [mine, theirs] = [await open(engine), await open(other)];
  const request: Request = { input: count("n"), key: "k", facts: { why: "x" } };
  expect(await commitInputs(engine.context, mine, [request])).toMatchObject({ kind: "accepted", events: [{}] });
  const before = await records();
  for (const [of, handle] of [
    [engine, mine],
    [other, theirs],
  ] as const) {
    expect(await commitInputs(of.context, handle, [request])).toMatchObject({
      kind: "repeated",
      record: { key: "k", facts: '{"why":"x"}' },
    });
    expect(handle.head).toBe(mine.head);
    expect(handle.state.counters["n"]).toBe(1);
  }
  expect(await records()).toEqual(before);
});

test("a key that depends on what came of an input counts from then on", async () => {
  const handle = await open(engine);
  const request: Request = { input: count("n"), keyAfter: (events) => (events.length > 0 ? "later" : undefined) };
  expect((await commitInputs(engine.context, handle, [request])).kind).toBe("accepted");
  expect((await commitInputs(engine.context, handle, [{ input: count("n"), key: "later" }])).kind).toBe("repeated");
  expect(handle.state.counters["n"]).toBe(1);
});

test("times in a journal never go back, whatever time an input was asked at", async () => {
  const handle = await open(engine);
  const newest = (await records()).at(-1)?.at ?? 0;
  await commitInputs(engine.context, handle, [{ input: count("n", newest - 1_000) }]);
  expect((await records()).at(-1)?.at).toBe(newest);
  await commitInputs(engine.context, handle, [{ input: count("n", newest + 5_000) }, { input: count("n", newest) }]);
  await commitInputs(engine.context, handle, [{ input: count("n", newest) }]);
  expect((await records()).slice(-3).map(({ at }) => at - newest)).toEqual([5_000, 5_000, 5_000]);
});

test("an input that depends on the state is asked again for the head that it is decided against", async () => {
  const [mine, theirs] = [await open(engine), await open(other)];
  await commitInputs(engine.context, mine, [{ input: count("n") }]);
  const seen: (number | undefined)[] = [];
  const input: Request["input"] = (draft) => (seen.push(draft.state.counters["n"]), Promise.resolve(count("n")));
  expect((await commitInputs(other.context, theirs, [{ input }])).kind).toBe("accepted");
  expect(seen).toEqual([undefined, 1]);
  expect((await open(engine)).state.counters["n"]).toBe(2);
});

test("inputs are accepted together or not at all", async () => {
  const handle = await open(engine);
  const { head } = handle;
  const claim: Input = { type: "claim", strand: "none", holder: engine.caller.holder, at: 1, by: actorOf(engine.caller) };
  expect(await commitInputs(engine.context, handle, [{ input: count("n") }, { input: claim }])).toMatchObject({ kind: "rejected" });
  expect(handle).toMatchObject({ head });
  expect((await records()).at(-1)?.position).toBe(head);
  expect((await commitInputs(engine.context, handle, [{ input: count("n") }])).kind).toBe("accepted");
});

test("an input that changes nothing and has no key leaves no record", async () => {
  const handle = await open(engine);
  const before = await records();
  const nothing: Input = { type: "items", change: {}, reason: "r", at: 1, by: actorOf(engine.caller) };
  expect(await commitInputs(engine.context, handle, [{ input: nothing }])).toEqual({ kind: "accepted", events: [] });
  expect(await records()).toEqual(before);
  await commitInputs(engine.context, handle, [{ input: nothing, key: "k" }]);
  expect(await records()).toHaveLength(before.length + 1);
});
