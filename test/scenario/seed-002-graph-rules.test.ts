/** Seed 002, graphs: which nodes run after what, and what becomes of the run. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeRow } from "../../src/dialects/prompts/run/index.ts";
import { GraphRun } from "../support/graph-run.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine();
});
afterAll(() => engine.close());

let made = 0;
function begin(nodes: string | readonly object[]): Promise<GraphRun> {
  return GraphRun.start(engine, `graph-${(made += 1)}`, nodes);
}

/**
 * Which mixes of outcomes above let a node run; s succeeded, k skipped, f failed. Written down from what the peer does, by hand: a mix is not
 * computed from another one.
 */
const runsAfter: Readonly<Record<string, string>> = {
  all_success: "s ss sss",
  one_success: "s ss sk sf sss ssk ssf skk skf sff",
  none_failed_min_one_success: "s ss sk sss ssk skk",
  all_done: "s k f ss sk sf kk kf ff sss ssk ssf skk skf sff kkk kkf kff fff",
};
const rules = Object.keys(runsAfter);

/** All of up to two outcomes in every order, and of three in one. */
const mixes = "s k f ss sk ks sf fs kk kf fk ff sss ssk ssf skk skf sff kkk kkf kff fff".split(" ");

function inOrder(mix: string): string {
  return mix
    .split("")
    .toSorted((a, b) => "skf".indexOf(a) - "skf".indexOf(b))
    .join("");
}

function isOpen({ status }: NodeRow): boolean {
  return status === "in_progress";
}

describe("trigger rules", () => {
  test("every rule runs after exactly the mixes of outcomes that it is for", async () => {
    const above = [0, 1, 2].flatMap((at) => [
      { id: `s${at}`, prompt: "S" },
      { id: `k${at}`, prompt: "K", depends_on: ["s0"], when: "$s0.output == 'never'" },
      { id: `f${at}`, prompt: "F" },
    ]);
    const below = mixes.flatMap((mix) =>
      rules.map((rule) => ({
        id: `${rule}-${mix}`,
        prompt: "P",
        depends_on: mix.split("").map((outcome, at) => `${outcome}${at}`),
        trigger_rule: rule,
      })),
    );
    const run = await begin([...above, ...below]);
    for (const at of [0, 1, 2]) await run.done(`s${at}`);
    for (const at of [0, 1, 2]) await run.fail(`f${at}`);
    let rows = await run.rows();
    for (; rows.some(isOpen); rows = await run.rows()) for (const { id } of rows.filter(isOpen)) await run.done(id);
    const ran = (rule: string, mix: string): boolean => rows.find(({ id }) => id === `${rule}-${mix}`)?.status === "completed";
    for (const rule of rules) {
      expect(
        mixes.filter((mix) => ran(rule, mix)),
        rule,
      ).toEqual(mixes.filter((mix) => runsAfter[rule]?.split(" ").includes(inOrder(mix))));
    }
    const left = rows.filter(({ id, status }) => id.includes("-") && status !== "completed");
    expect(left.every(({ status, reason }) => status === "skipped" && typeof reason === "string" && reason !== "")).toBe(true);
  });
});

test("a rule is asked when everything above is settled, not before", async () => {
  const below = rules.map((rule) => ({ id: rule, prompt: "P", depends_on: ["a", "b"], trigger_rule: rule }));
  const run = await begin([{ id: "a", prompt: "A" }, { id: "b", prompt: "B" }, ...below]);
  await run.done("a");
  expect(Object.values(await run.statuses())).toEqual(["completed", "in_progress", "pending", "pending", "pending", "pending"]);
  await run.fail("b");
  expect(await run.statuses()).toMatchObject({
    all_success: "skipped: `b` failed",
    one_success: "in_progress",
    none_failed_min_one_success: "skipped: `b` failed",
    all_done: "in_progress",
  });
});

test("every skip has a reason that names what spoke against the node", async () => {
  const run = await begin([
    { id: "a", prompt: "A" },
    { id: "f", prompt: "F" },
    { id: "off", prompt: "O", depends_on: ["a"], when: "$a.output == 'never'" },
    { id: "b", prompt: "B", depends_on: ["off"] },
    { id: "c", prompt: "C", depends_on: ["off", "f"], trigger_rule: "one_success" },
    { id: "d", prompt: "D", depends_on: ["off", "b"], trigger_rule: "none_failed_min_one_success" },
    { id: "e", prompt: "E", depends_on: ["a", "f"], trigger_rule: "none_failed_min_one_success" },
    { id: "g", prompt: "G", depends_on: ["a", "c"] },
  ]);
  await run.done("a");
  await run.fail("f");
  expect(await run.statuses()).toEqual({
    a: "completed",
    f: "failed",
    off: "skipped: its condition `$a.output == 'never'` does not hold",
    b: "skipped: `off` was skipped",
    c: "skipped: none of `off`, `f` succeeded",
    d: "skipped: none of `off`, `b` succeeded",
    e: "skipped: `f` failed",
    g: "skipped: `c` was skipped",
  });
});

describe("what becomes of the run", () => {
  test("it fails with any failed node, also where a later node deals with the failure", async () => {
    const run = await begin([
      { id: "a", prompt: "A" },
      { id: "f", prompt: "F" },
      { id: "tidy", prompt: "T", depends_on: ["f"], trigger_rule: "all_done" },
    ]);
    await run.done("a");
    await run.fail("f");
    expect(await run.status()).toBe("running");
    await run.done("tidy");
    expect(await run.status()).toBe("failed");
    expect(await run.error()).toEqual({ code: "TASKS_FAILED", message: "Node `f`: broken" });
  });

  test("it fails when nothing was done", async () => {
    const run = await begin([
      { id: "a", prompt: "A", when: "$INPUTS.user_message == 'never'" },
      { id: "b", prompt: "B", depends_on: ["a"] },
    ]);
    expect(await run.statuses()).toEqual({
      a: "skipped: its condition `$INPUTS.user_message == 'never'` does not hold",
      b: "skipped: `a` was skipped",
    });
    expect(await run.status()).toBe("failed");
    expect(await run.error()).toEqual({ code: "TASKS_SKIPPED", message: "None of the 2 nodes was done: all were skipped." });
  });

  test("it completes with one success and only skips beside it", async () => {
    const run = await begin([
      { id: "a", prompt: "A" },
      { id: "b", prompt: "B", depends_on: ["a"], when: "$a.output == 'never'" },
      { id: "c", prompt: "C", depends_on: ["b"] },
    ]);
    await run.done("a");
    expect(await run.status()).toBe("completed");
  });

  test("a cancel node begins nothing new: what runs may finish, then the run is cancelled", async () => {
    const run = await begin([
      { id: "a", prompt: "A" },
      { id: "slow", prompt: "S" },
      { id: "stop", cancel: "Nothing to do.", depends_on: ["a"] },
      { id: "after-stop", prompt: "P", depends_on: ["stop"] },
      { id: "after-slow", prompt: "P", depends_on: ["slow"] },
      { id: "beside", prompt: "P", depends_on: ["a"] },
    ]);
    await run.done("a");
    expect(await run.status()).toBe("running");
    expect(await run.statuses()).toMatchObject({
      slow: "in_progress",
      stop: "completed",
      "after-stop": "pending",
      "after-slow": "pending",
    });
    await run.done("slow", "finished");
    // It was ready together with the cancel node, and was begun with it.
    await run.done("beside");
    expect(await run.status()).toBe("cancelled");
    expect(await run.error()).toEqual({ code: "RUN_CANCELLED", message: "Nothing to do." });
    expect(await run.statuses()).toEqual({
      a: "completed",
      slow: "completed",
      stop: "completed",
      "after-stop": "skipped: Nothing to do.",
      "after-slow": "skipped: Nothing to do.",
      beside: "completed",
    });
  });

  test("a failure beside a cancel node does not hide that the run was cancelled", async () => {
    const run = await begin([
      { id: "a", prompt: "A" },
      { id: "slow", prompt: "S" },
      { id: "stop", cancel: "Enough.", depends_on: ["a"] },
    ]);
    await run.done("a");
    await run.fail("slow");
    expect(await run.status()).toBe("cancelled");
    expect(await run.statuses()).toEqual({ a: "completed", slow: "failed", stop: "completed" });
  });
});

test("a failed node that comes after an always_run node is judged again at a retry, by what that node comes to now", async () => {
  const run = await begin([
    { id: "a", prompt: "A", always_run: true },
    { id: "b", prompt: "B", depends_on: ["a"], trigger_rule: "one_success" },
  ]);
  await run.done("a");
  await run.fail("b");
  await run.retry();
  await run.fail("a");
  expect(await run.statuses()).toEqual({ a: "failed", b: "skipped: `a` did not succeed" });
});

test("a retry does again what comes after a failed node also where an always_run node is between them", async () => {
  const run = await begin([
    { id: "a", prompt: "A" },
    { id: "b", prompt: "B", depends_on: ["a"], always_run: true },
    { id: "c", prompt: "C", depends_on: ["b"] },
  ]);
  await run.fail("a");
  await run.retry();
  expect(await run.statuses()).toEqual({ a: "in_progress", b: "pending", c: "pending" });
});

test("a rejection also does again what came after a node that is at work again", async () => {
  const run = await begin([
    { id: "a", prompt: "A" },
    { id: "b", prompt: "B", depends_on: ["a"], always_run: true },
    { id: "c", prompt: "C", depends_on: ["b"] },
    { id: "gate", approval: { message: "Good?", on_reject: { reopens: ["a"] } }, depends_on: ["a"], always_run: true },
    { id: "f", prompt: "F" },
  ]);
  for (const node of ["a", "b", "c"]) await run.done(node);
  await run.decide("gate", "approve");
  await run.fail("f");
  await run.retry();
  expect(await run.statuses()).toMatchObject({ a: "completed", b: "in_progress", c: "completed", gate: "in_progress" });
  await run.decide("gate", "reject");
  expect(await run.statuses()).toMatchObject({ a: "in_progress", b: "pending", c: "pending", gate: "pending" });
});

test("a question that is asked again takes what was done behind it along when it is rejected", async () => {
  const run = await begin([
    { id: "a", prompt: "A" },
    { id: "gate", approval: { message: "Good?", on_reject: { reopens: ["a"] } }, depends_on: ["a"], always_run: true },
    { id: "behind", prompt: "B", depends_on: ["gate"] },
    { id: "f", prompt: "F" },
  ]);
  await run.done("a");
  await run.decide("gate", "approve");
  await run.done("behind");
  await run.fail("f");
  await run.retry();
  expect(await run.statuses()).toMatchObject({ gate: "in_progress", behind: "completed" });
  await run.decide("gate", "reject");
  expect(await run.statuses()).toMatchObject({ a: "in_progress", gate: "pending", behind: "pending" });
});

test("questions that wait hold up nothing but what comes after them, however many there are", async () => {
  const gates = Array.from({ length: 12 }, (_, at) => ({ id: `gate${at}`, approval: { message: "Good?" } }));
  const run = await begin([...gates, { id: "work", prompt: "W" }, { id: "after", prompt: "A", depends_on: ["gate0"] }]);
  expect(await run.statuses()).toMatchObject({ gate11: "in_progress", work: "in_progress", after: "pending" });
});
