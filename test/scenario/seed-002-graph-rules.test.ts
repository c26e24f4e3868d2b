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
  return [...mix].toSorted((a, b) => "skf".indexOf(a) - "skf".indexOf(b)).join("");
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
        depends_on: [...mix].map((outcome, at) => `${outcome}${at}`),
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
