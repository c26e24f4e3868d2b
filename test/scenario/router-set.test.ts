import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedWorkflows, readRoutables, readUtterances, routedProject } from "../support/routed-project.ts";
import { scoreRouting, type RoutingScore } from "../support/score-routing.ts";
import { openEngine } from "../../src/bin/open-engine.ts";
import { openCliBench } from "../process/cli-world.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
beforeAll(async () => void (engine = await openTestEngine(routedProject())));
afterAll(() => engine.close());

const files = ["utterances.yaml", "held-out.yaml", "fresh.yaml", "hard.yaml"] as const;

/** What is not as good as it has to be. `least`: how many percent of the requests are routed. */
function missing({ requests, routed, right, asked, startedByTalk }: RoutingScore, least: number): readonly string[] {
  const lacks = (what: string, part: number, whole: number, percent: number): readonly string[] =>
    part * 100 >= whole * percent ? [] : [`${part} of ${whole} ${what}, less than ${percent} %`];
  return [
    ...lacks("requests are routed", routed, requests, least),
    ...lacks("that are routed are right", right, routed, 95),
    ...lacks("requests are right or among three", right + asked, requests, 90),
    ...(startedByTalk === 0 ? [] : [`${startedByTalk} started by conversation`]),
  ];
}

describe.each([
  ["shop", 60],
  ["hospital", 60],
  ["game-engine", 60],
  ["bank", 55],
] as const)("over the workflows of a %s, written by another hand like its texts", (set, least) => {
  test("what is routed is right, most are, and no conversation is", async () => {
    const [workflows, texts] = [readRoutables(`${set}/workflows.yaml`), readUtterances(`${set}/utterances.yaml`)];
    const names = new Set(workflows.map(({ name }) => name));
    expect(texts.filter(({ wanted }) => wanted !== undefined && !names.has(wanted))).toEqual([]);
    expect([workflows.length, texts.length > 180]).toEqual([18, true]);
    const score = await scoreRouting(texts, workflows);
    expect(missing(score, least), score.misses.join("\n")).toEqual([]);
  });
});

describe("over 18 workflows of all five dialects, as the catalogue lists them", () => {
  test("there are these workflows, and each says what its file says", async () => {
    const workflows = await engine.context.catalog.startable();
    const said = workflows.map(({ name, description, triggers }) => ({ name, description: description.trim(), triggers }));
    expect(said.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      describedWorkflows
        .map(({ name, description, triggers = [] }) => ({ name, description: description.trim(), triggers }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    expect(new Set(describedWorkflows.map(({ dialect }) => dialect)).size).toBe(5);
    expect(workflows).toHaveLength(18);
  });

  test("there are enough texts, no text twice, and every third one asks for nothing", () => {
    const all = files.flatMap(readUtterances);
    expect(new Set(all.map(({ text }) => text.toLowerCase())).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(all.filter(({ wanted }) => wanted === undefined).length).toBeGreaterThan(all.length / 3);
    const names = new Set(describedWorkflows.map(({ name }) => name));
    expect(all.flatMap(({ wanted }) => (wanted === undefined || names.has(wanted) ? [] : [wanted]))).toEqual([]);
  });

  test.each(files)("of the texts in %s what is routed is right, most are, and no conversation is", async (file) => {
    const score = await scoreRouting(readUtterances(file), await engine.context.catalog.startable());
    expect(missing(score, 60), score.misses.join("\n")).toEqual([]);
  });

  test("descriptions alone are enough for the same, with half of the requests routed", async () => {
    const workflows = describedWorkflows.map(({ name, description }) => ({ name, description }));
    const score = await scoreRouting(files.flatMap(readUtterances), workflows);
    expect(missing(score, 50), score.misses.join("\n")).toEqual([]);
  });

  test("bundled workflows beside them take nothing away from this", async () => {
    const bench = await openCliBench(routedProject());
    const opened = await openEngine({ workspace: bench.workspace, env: { HOME: bench.home } });
    const workflows = await opened.context.catalog.startable();
    await opened.close();
    await bench.close();
    expect(workflows.length).toBeGreaterThan(25);
    const score = await scoreRouting(files.flatMap(readUtterances), workflows);
    expect(missing(score, 60), score.misses.join("\n")).toEqual([]);
  });
});
