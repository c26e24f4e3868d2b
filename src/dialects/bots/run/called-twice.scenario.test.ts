import { afterEach, describe, expect, test } from "vitest";
import { samples, type SampleFiles } from "../../../../test/support/calling-samples.ts";
import { openMachineWorld, type MachineWorld } from "../../../../test/support/machine-world.ts";
import { reported } from "../../../../test/support/scripted-team.ts";
import { answer, next, progress } from "../../../engine/index.ts";

let world: MachineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const folder = ".waymark/workflows";

function action(bot: string, name: string, more: object): SampleFiles {
  return {
    [`${folder}/${bot}/base_actions/${name}/action_config.json`]: JSON.stringify({ name, workflow: true, auto_progress: true, ...more }),
    [`${folder}/${bot}/base_actions/${name}/instructions.md`]: `Do ${name}.`,
  };
}

function bot(name: string, gather: object = {}): SampleFiles {
  return {
    [`${folder}/${name}/bot_config.json`]: JSON.stringify({ name, behaviors: ["shape", "discovery"] }),
    ...action(name, "gather", { order: 1, next_action: "render", ...gather }),
    ...action(name, "render", { order: 2, next_action: null }),
    [`${folder}/${name}/behaviors/1_shape/behavior.json`]: "{}",
    [`${folder}/${name}/behaviors/2_discovery/behavior.json`]: "{}",
  };
}

const steps = (...lines: readonly string[]): SampleFiles => ({
  [`${folder}/outer.yaml`]: ["name: outer", "description: Calls.", 'version: "1.0.0"', "steps:", ...lines, ""].join("\n"),
});

const actions = ["shape.gather", "shape.render", "discovery.gather", "discovery.render"];

/** Drives the run to its end, with these project areas in their order; answers the actions of the inner bot. */
async function walk(files: SampleFiles, areas: readonly string[]): Promise<readonly string[]> {
  world = await openMachineWorld({ ...bot("inner"), ...files }, { workflow: "outer", repository: "none" });
  const { context, caller } = world.engine;
  const run = await world.begin({});
  const seen: string[] = [];
  const left = [...areas];
  for (let turn = 0; turn < 100; turn += 1) {
    const { standing, state } = await next(context, caller, { run, waitMs: 20_000 });
    if (standing.kind === "question") {
      const area = standing.decision.question.includes("of outer") ? "outer-area" : (left.shift() ?? "more");
      await answer(context, caller, { run, decision: standing.decision.id, answer: area, relayed: true });
    } else if (standing.kind === "action") {
      const { id, what, step, strand } = standing.action;
      if (what === "bot_action" && state.scopes[state.strands[strand]?.scope ?? ""]?.part === "inner") seen.push(step);
      const result = what === "role" ? reported("OK", "Done.") : what === "bot_action" ? { summary: "Done." } : "ok";
      await progress(context, caller, { run, action: id, status: "success", result, waitMs: 0 });
    } else {
      if (state.status !== "completed") throw new Error(JSON.stringify(state.error ?? standing));
      return seen;
    }
  }
  throw new Error(`The run does not end: ${seen.join(", ")}`);
}

const include = (id: string): string => `  - { id: ${id}, type: include_workflow, workflow: inner }`;

const callers: Readonly<Record<string, SampleFiles>> = {
  "two includes": steps(include("one"), include("two")),
  "a loop": steps("  - id: each", "    type: foreach", "    items: [1, 2]", "    steps:", `    ${include("one")}`),
  "a machine": Object.fromEntries(
    Object.entries(samples.machine("outer", "inner")).map(([path, text]) => [
      path,
      text.replace("{ workflow: inner }", "{ workflow: inner }, { workflow: inner }"),
    ]),
  ),
  "another bot": bot("outer", { calls: "inner" }),
};

describe("a bot that is called a second time in one run", () => {
  test.each(Object.keys(callers))("by %s does all its actions again", async (caller) => {
    expect(await walk(callers[caller]!, ["one", "two"])).toEqual([...actions, ...actions]);
  });

  test("keeps its log and its state in an area of its own", async () => {
    await walk(callers["two includes"]!, ["one", "two"]);
    for (const area of ["one", "two"]) {
      const log = JSON.parse(await world!.text(`${area}/activity_log.json`)) as unknown[];
      const state = JSON.parse(await world!.text(`${area}/workflow_state.json`)) as { completed_actions: unknown[] };
      expect([log.length, state.completed_actions.length]).toEqual([8, 4]);
    }
  });

  test("in the same area does all its actions again, and the log keeps both", async () => {
    expect(await walk(callers["two includes"]!, ["one", "one"])).toEqual([...actions, ...actions]);
    expect(JSON.parse(await world!.text("one/activity_log.json"))).toHaveLength(16);
  });
});
