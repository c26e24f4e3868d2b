import { afterEach, describe, expect, test } from "vitest";
import { calling, samples, type SampleDialect, type SampleFiles } from "../../../../test/support/calling-samples.ts";
import { bundledMachine, openMachineWorld, person, type MachineWorld } from "../../../../test/support/machine-world.ts";
import { goodTeam, reported } from "../../../../test/support/scripted-team.ts";
import { isObject, textOf, type Json } from "../../../base/index.ts";
import { answer, doctor, next, progress, start, type Position } from "../../../engine/index.ts";
import { reportCheck } from "../../checklist/run/index.ts";

const worlds: MachineWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

const folder = ".waymark/workflows";

/** A machine whose role writes before a person is asked, and whose last state is behind that gate. */
const notes: SampleFiles = {
  [`${folder}/inner.machine.yaml`]: [
    "machine: inner",
    "description: Writes notes and has them approved.",
    "inputs: { request: { type: string, required: false } }",
    "start: WRITE",
    "artifacts:",
    "  notes: { path: notes.md, sections: [Changes] }",
    "roles:",
    "  Writer: { title: Writes., instructions: roles/writer.md, writes: [notes] }",
    "  Printer: { title: Prints., instructions: roles/writer.md, reads: [notes] }",
    "states:",
    "  WRITE: { do: [{ dispatch: Writer, leaves: [notes] }], next: PUBLISH }",
    "  PUBLISH:",
    "    do: [{ gate: UD-PUBLISH, question: Publish them?, shows: [notes], binds: [notes], passes: approved }]",
    "    next: PRINT",
    "  PRINT: { do: [{ dispatch: Printer }, { finish: true }], next: end }",
    "done: {}",
    "",
  ].join("\n"),
  [`${folder}/roles/writer.md`]: "Write it.",
};

async function open(files: SampleFiles): Promise<{ readonly world: MachineWorld; readonly run: string }> {
  const world = await openMachineWorld(files, { workflow: "outer" });
  worlds.push(world);
  return { world, run: await world.begin({}) };
}

/** Does whatever the machine asks for; what the caller of another dialect asks for is done without a word. */
async function walk(world: MachineWorld, run: string): Promise<{ readonly seen: string[]; readonly position: Position }> {
  const { context, caller } = world.engine;
  const seen: string[] = [];
  for (let turn = 0; turn < 120; turn += 1) {
    const position = await next(context, caller, { run, waitMs: 20_000 });
    const { standing } = position;
    if (standing.kind === "question") {
      const { id, options, question } = standing.decision;
      if (id.startsWith("UD-")) seen.push(`ask ${id}${question.includes("without an answer from a person") ? " behind it" : ""}`);
      const word = id === "UD-REVIEW-STRATEGY" ? "per-batch" : id.startsWith("UD-") ? "approved" : (options?.[0]?.value ?? "area");
      await answer(context, person, { run, decision: id, answer: word, relayed: false });
    } else if (standing.kind === "action") {
      const { id, what, step, args } = standing.action;
      if (what === "role") seen.push(`do ${step}`);
      if (what === "check") await reportCheck(context, caller, { run, status: "completed", result: "read" });
      else
        await progress(context, caller, {
          run,
          action: id,
          status: "success",
          result: await resultOf(world, what, args["dispatch"]),
          waitMs: 0,
        });
    } else return { seen, position };
  }
  throw new Error(`The run does not end: ${seen.join(", ")}`);
}

async function resultOf(world: MachineWorld, what: string, dispatch: Json | undefined): Promise<Json> {
  if (what === "bot_action") return { summary: "Done." };
  if (what === "complete_workflow") return { again: false };
  if (!isObject(dispatch)) return null;
  const role = textOf(dispatch["role"] ?? "");
  if (role === "Writer") await world.write(`${textOf(dispatch["session"] ?? "")}/notes.md`, "# Notes\n\n## Changes\n\nNew.\n");
  return ((await goodTeam[role]?.(dispatch, world)) ?? reported("OK", "Done.")) as Json;
}

const once = ["do Writer:meta", "ask UD-PUBLISH", "do Printer:meta"];

/** A steps workflow that includes the machine so often. */
const including = (times: number): string =>
  Array.from({ length: times }, (_, index) => `  - { id: call_${index + 1}, type: include_workflow, workflow: inner }\n`).join("");

describe("a machine that is called", () => {
  test.each<SampleDialect>(["steps", "checklist", "bots", "machine"])(
    "by %s begins at its start and asks each gate once",
    async (caller) => {
      const { world, run } = await open({ ...calling(caller, "machine"), ...notes });
      const { seen, position } = await walk(world, run);
      expect(position.state.status, JSON.stringify(position.state.error ?? position.standing)).toBe("completed");
      expect(seen.filter((each) => each !== "do Maker:meta")).toEqual(once);
      expect((await doctor(world.engine.context, run)).problems).toEqual([]);
    },
  );

  test("through a workflow between them begins at its start too", async () => {
    const { world, run } = await open({ ...notes, ...samples.steps("outer", "middle"), ...samples.bots("middle", "inner") });
    const { seen, position } = await walk(world, run);
    expect(position.state.status, JSON.stringify(position.state.error ?? position.standing)).toBe("completed");
    expect(seen).toEqual(once);
  });

  test("a second time in one run begins again, in a session of its own", async () => {
    const [[path, text] = ["", ""]] = Object.entries(samples.steps("outer"));
    const { world, run } = await open({ ...notes, [path]: text + including(2) });
    const { seen, position } = await walk(world, run);
    expect(position.state.status, JSON.stringify(position.state.error ?? position.standing)).toBe("completed");
    expect(seen).toEqual([...once, ...once]);
  });

  test("with a plan works on every task of its own plan, however often it is called", async () => {
    const [[path, text] = ["", ""]] = Object.entries(samples.steps("outer"));
    const calls = including(2).replaceAll("workflow: inner", 'workflow: delivery, inputs: { request: "Make slugs" }');
    const files = { ...(await bundledMachine()), [path]: text + calls, "check.mjs": "process.exit(0);\n" };
    const { world, run } = await open(files);
    const { seen, position } = await walk(world, run);
    expect(position.state.status, JSON.stringify(position.state.error ?? position.standing)).toBe("completed");
    const half = seen.length / 2;
    expect(seen.slice(0, 2)).toEqual(["do SpecAgent:meta", "do Architect:meta"]);
    expect(seen.filter((each) => each === "ask UD-APPROVE-DESIGN")).toHaveLength(2);
    expect(seen.filter((each) => each === "do Coder:T-002")).toHaveLength(2);
    expect(seen.slice(half)).toEqual(seen.slice(0, half));
    expect((await doctor(world.engine.context, run)).problems).toEqual([]);
  });
});

const parallel = (workflow: string): SampleFiles => ({
  [`${folder}/outer.yaml`]: [
    "name: outer",
    "description: Calls at once.",
    'version: "1.0.0"',
    "steps:",
    "  - { id: p, type: parallel_foreach, items: [1, 2], sub_agent_task: t }",
    "sub_agent_tasks:",
    `  t: { description: t, steps: [{ id: inc, type: include_workflow, workflow: ${workflow} }] }`,
    "",
  ].join("\n"),
});

describe("parallel tasks", () => {
  test.each<[string, SampleFiles, status?: string]>([
    ["a machine", { ...samples.machine("inner"), ...parallel("inner") }],
    ["a bot", { ...samples.bots("inner"), ...parallel("inner") }],
    // There are no files to go through.
    ["a checklist", { ...samples.checklist("inner"), ...parallel("inner") }, "completed"],
    [
      "a machine through a workflow between them",
      { ...samples.machine("inner"), ...samples.steps("middle", "inner"), ...parallel("middle") },
    ],
  ])("cannot call %s: the run does not start, unless its tasks come one after another", async (_name, files, status = "running") => {
    const world = await openMachineWorld(files, { workflow: "outer", repository: "none" });
    worlds.push(world);
    const { context, caller } = world.engine;
    const { diagnostics } = await context.catalog.load("outer");
    expect(diagnostics).toMatchObject([{ code: "DIALECTS_PARALLEL_CALL", severity: "warning" }]);
    await world.engine.allow("outer").catch(() => undefined);
    const begin = (serial: boolean) => start(context, caller, { workflow: "outer", inputs: {}, serial });
    await expect(begin(false)).rejects.toMatchObject({
      code: "ENGINE_PARALLEL_CALL",
      fix: expect.stringContaining("serial: true") as string,
    });
    expect(await context.store.listRuns({})).toEqual([]);
    expect((await begin(true)).state.status).toBe(status);
  });
});
