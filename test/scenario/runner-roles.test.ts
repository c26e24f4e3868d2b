/** Who plays the roles of a run that Waymark drives, and that each dispatch has a conversation of its own. */
import { afterEach, describe, expect, test } from "vitest";
import { isWaymarkError } from "../../src/base/index.ts";
import { next, start, type Settings } from "../../src/engine/index.ts";
import type { Turn } from "../../src/ports/index.ts";
import { checkAgents } from "../../src/runner/index.ts";
import { openDriven, type Behaviour, type DrivenRun } from "../support/driven-run.ts";
import { passes, reported } from "../support/scripted-team.ts";
import { openTestEngine, type TestEngine } from "../support/test-engine.ts";

let engine: TestEngine;
let driven: DrivenRun;
afterEach(async () => {
  await driven.close();
  await engine.close();
});

const agents = ["scripted", "codex", "other", "third"];

function machine(bound = ""): Record<string, string> {
  return {
    ".waymark/workflows/note.machine.yaml": `machine: note
description: One writes, another one judges, twice.
start: WRITE
artifacts: { report: { form: report } }
roles:
  Writer: { title: Writes., instructions: roles/any.md, writes: [report] }
  Reviewer: { title: Judges., instructions: roles/any.md${bound} }
states:
  WRITE: { title: Written., do: [{ dispatch: Writer }], next: JUDGE }
  JUDGE: { title: Judged., do: [{ dispatch: Reviewer, goal: Judge it. }, { dispatch: Reviewer, goal: Judge it again. }, { finish: true }], next: end }
done: {}
`,
    ".waymark/workflows/roles/any.md": "Do it.\n",
  };
}

const all = ", agent: other, model: opus, permission: read";

/** Reports through the door, as the agent of a role does. */
const plays: Behaviour = async ({ prompt }, door) => {
  const [, run, action] = /"run_id":"([^"]+)","action_id":"([^"]+)"/.exec(prompt) ?? [];
  const result = prompt.includes("You are Reviewer.") ? passes() : reported("OK", "Written.");
  await door.call("workflow_progress", { run_id: run, action_id: action, result });
  return {};
};

async function begin(
  files: Readonly<Record<string, string>>,
  { settings = {}, workflow = "note", behave = plays }: { settings?: Partial<Settings>; workflow?: string; behave?: Behaviour } = {},
): Promise<string> {
  engine = await openTestEngine(files, settings);
  driven = await openDriven(engine, behave, agents);
  await engine.allow(workflow);
  return (await start(engine.context, engine.caller, { workflow, held: false })).run;
}

/** Who was asked, in order: role, agent, model and permission. */
async function asked(run: string): Promise<readonly (string | undefined)[][]> {
  const kept = (await driven.kept(run)).filter(({ event }) => event.type === "session");
  return driven.turns.map(({ prompt, model, permission }: Turn, at) => [
    /You are (\w+)\./.exec(prompt)?.[1],
    kept[at]?.agent,
    model,
    permission.level,
  ]);
}

async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isWaymarkError(error) ? { code: error.code, message: error.message } : { code: "none", message: String(error) };
}

describe("who plays a role", () => {
  test("is the agent of the run where nobody says otherwise", async () => {
    const run = await begin(machine());
    expect(await driven.drive({ run, model: "m" })).toEqual({ run, kind: "completed" });
    expect(await asked(run)).toEqual([
      ["Writer", "scripted", "m", "edit"],
      ["Reviewer", "scripted", "m", "edit"],
      ["Reviewer", "scripted", "m", "edit"],
    ]);
  });

  test("is what the definition says, with its model and permission; the run's own model is not one of another agent", async () => {
    const run = await begin(machine(all));
    await driven.drive({ run, model: "m" });
    expect(await asked(run)).toEqual([
      ["Writer", "scripted", "m", "edit"],
      ["Reviewer", "other", "opus", "read"],
      ["Reviewer", "other", "opus", "read"],
    ]);
  });

  test("is what the configuration says before that, and who drives before both; the permission stays the role's", async () => {
    const settings = { roles: { Reviewer: { agent: "codex", fromProject: false }, Nobody: { agent: "gone", fromProject: false } } };
    const run = await begin(machine(all), { settings });
    await driven.drive({ run, model: "m" });
    expect((await asked(run))[1]).toEqual(["Reviewer", "codex", undefined, "read"]);
    await engine.close();
    await driven.close();
    const again = await begin(machine(all), { settings });
    await driven.drive({ run: again, roles: { Reviewer: { agent: "third", model: "x" }, Writer: { permission: { level: "all" } } } });
    expect((await asked(again)).slice(0, 2)).toEqual([
      ["Writer", "scripted", undefined, "all"],
      ["Reviewer", "third", "x", "read"],
    ]);
  });

  test("is not what a project's configuration says before a person has allowed it", async () => {
    const settings = { roles: { Reviewer: { agent: "codex", fromProject: true } } };
    const run = await begin(machine(), { settings });
    expect(await driven.drive({ run })).toMatchObject({
      kind: "parked",
      why: expect.stringContaining("agent (codex): each step of the role `Reviewer`") as string,
      allow: { workflow: "note" },
    });
    expect(await driven.drive({ run, roles: { Reviewer: { agent: "other" } } })).toEqual({ run, kind: "completed" });
  });

  test.each(["steps", "checklist"] as const)("a role of a task of %s is bound in the same way", async (workflow) => {
    const task = "prompt: Judge it., role: Reviewer, agent: other";
    const files = {
      steps: {
        ".waymark/workflows/steps.yaml": `name: steps\ndescription: d\nversion: "1.0.0"\nsteps:\n  - { id: a, type: agent_task, ${task} }\n`,
      },
      checklist: {
        ".waymark/workflows/checklist.workflow.yaml": `type: checklist\nname: One\ndescription: d\nversion: "1.0.0"\nfile_patterns: ["none/*"]
phases:\n  - { id: inventory, name: I, description: Lists. }\n  - { id: judge, name: J, description: Judges., task: { ${task} } }\n`,
      },
    };
    const run = await begin(files[workflow], { workflow, behave: async () => ({ text: "fine" }) });
    await driven.drive({ run, roles: { Reviewer: { agent: "codex", permission: { level: "read" } } } });
    expect(await asked(run)).toEqual([[undefined, "codex", undefined, "read"]]);
  });
});

describe("before a run starts", () => {
  const check = async (request: object, workflow = "note"): Promise<unknown> => {
    const { program } = await engine.context.catalog.loadValid(workflow);
    const parts = { context: engine.context, agents: driven.agents };
    return checkAgents(parts, { agent: "scripted", permission: { level: "edit" }, ...request } as never, program, false);
  };

  test("a role that the workflow does not have is refused with the nearest name", async () => {
    await begin(machine());
    expect(await refusal(check({ roles: { Reviewr: { agent: "codex" } } }))).toEqual({
      code: "RUNNER_NO_ROLE",
      message: "`note` has no role `Reviewr`. Did you mean `Reviewer`? Nothing was started.",
    });
  });

  test("agents of roles must be there", async () => {
    await begin(machine(", agent: gone"));
    expect(await refusal(check({}))).toMatchObject({ message: expect.stringContaining("no agent gone") as string });
    expect(await check({ roles: { Reviewer: { agent: "codex" } } })).toEqual([]);
  });

  test("agents of all tasks of a role must be there, whatever each names", async () => {
    const task = (id: string, agent: string): string =>
      `  - { id: ${id}, type: agent_task, prompt: Judge it., role: Reviewer, agent: ${agent} }\n`;
    const steps = `name: steps\ndescription: d\nversion: "1.0.0"\nsteps:\n${task("a", "gone")}${task("b", "codex")}`;
    await begin({ ".waymark/workflows/steps.yaml": steps }, { workflow: "steps" });
    expect(await refusal(check({}, "steps"))).toMatchObject({ message: expect.stringContaining("no agent gone") as string });
  });
});

describe("a conversation of its own", () => {
  const sessions = async (run: string): Promise<readonly string[]> =>
    (await driven.kept(run)).flatMap(({ event }) => (event.type === "session" ? [event.sessionId] : []));

  test("is what each dispatch has, also where the steps of a strand share one", async () => {
    const run = await begin(machine());
    await driven.drive({ run, shared: true });
    expect(new Set(await sessions(run)).size).toBe(3);
  });

  const inTask = `name: outer
description: d
version: "1.0.0"
steps:
  - { id: p, type: parallel_foreach, items: [1], sub_agent_task: t, max_parallel: 1 }
sub_agent_tasks:
  t: { description: t, steps: [{ id: inc, type: include_workflow, workflow: note }] }
`;

  test("is what each dispatch of a machine in a task has, where the steps of the task share one", async () => {
    const run = await begin({ ...machine(), ".waymark/workflows/outer.yaml": inTask }, { workflow: "outer" });
    expect(await driven.drive({ run, shared: true })).toEqual({ run, kind: "completed" });
    expect(driven.turns.map(({ session }) => session)).toEqual([undefined, undefined, undefined]);
    expect(new Set(await sessions(run)).size).toBe(3);
  });

  test("is what a second review has after a first one whose agent crashed once it had reported", async () => {
    const crashes: Behaviour = async (turn, door) => {
      await plays(turn, door);
      return turn.prompt.includes("You are Reviewer.") ? { stop: "error", errorKind: "crash", error: "gone", text: "" } : {};
    };
    const run = await begin(machine(), { behave: crashes });
    expect(await driven.drive({ run })).toEqual({ run, kind: "completed" });
    expect(driven.turns.map(({ session }) => session)).toEqual([undefined, undefined, undefined]);
    expect(new Set(await sessions(run)).size).toBe(3);
  });
});

describe("an agent that drives by hand", () => {
  test("is asked to start a sub-agent, by the agent that plays the role", async () => {
    const settings = { roles: { Writer: { agent: "codex", model: "gpt-5", permission: { level: "read" }, fromProject: false } } as const };
    const run = await begin(machine(), { settings });
    const { standing } = await next(engine.context, engine.caller, { run });
    expect(standing).toMatchObject({
      shown: {
        step: {
          instructions: expect.stringMatching(
            /^Start a fresh sub-agent \(codex, model gpt-5, permission read\) with what follows and definition; report its answer\. You are Writer\./,
          ) as string,
        },
      },
    });
  });
});
