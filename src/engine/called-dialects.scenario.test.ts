import { afterEach, describe, expect, test } from "vitest";
import { answer } from "./commands/answer.ts";
import { doctor } from "./commands/doctor.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { reportCheck } from "../dialects/checklist/run/index.ts";
import { start } from "./commands/start.ts";
import type { Caller } from "./caller.ts";
import type { Position } from "./commands/next.ts";
import { calling, samples, type SampleDialect, type SampleFiles } from "../../test/support/calling-samples.ts";
import { oldCalls } from "../../test/support/checklist-sample.ts";
import { reported } from "../../test/support/scripted-team.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";

let engine: TestEngine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

const dialects: readonly SampleDialect[] = ["steps", "checklist", "bots", "machine"];
const person: Caller = { holder: { kind: "person", name: "owner", session: "desk" }, surface: "cli-terminal", leaseOwner: "desk" };

/** What somebody answers who does whatever is asked. */
const results: Readonly<Record<string, unknown>> = {
  bot_action: { summary: "Done." },
  role: reported("OK", "Done."),
  complete_workflow: { again: false },
};

/** Does whatever is open until the run ends; answers the words of what was open, in order. */
async function walk({ context, caller }: TestEngine, run: string): Promise<{ readonly seen: string[]; readonly position: Position }> {
  const seen: string[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const position = await next(context, caller, { run, waitMs: 20_000 });
    const { standing } = position;
    if (standing.kind === "question") {
      const { id, options } = standing.decision;
      seen.push(`ask ${id}`);
      await answer(context, person, { run, decision: id, answer: options?.[0]?.value ?? "area", relayed: false });
    } else if (standing.kind === "action") {
      const { id, what } = standing.action;
      seen.push(what);
      if (what === "check") await reportCheck(context, caller, { run, status: "completed", result: "read" });
      else await progress(context, caller, { run, action: id, status: "success", result: (results[what] ?? null) as never, waitMs: 0 });
    } else return { seen, position };
  }
  throw new Error(`The run does not end: ${seen.join(", ")}`);
}

async function open(files: SampleFiles): Promise<{ readonly run: string; readonly engine: TestEngine }> {
  const opened = await openTestEngine(files);
  engine = opened;
  expect((await opened.context.catalog.load("outer")).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const { run } = await start(opened.context, opened.caller, { workflow: "outer" });
  return { run, engine: opened };
}

/** What each sample asks for, by itself. */
const does: Readonly<Record<SampleDialect, string>> = { steps: "user_message", checklist: "check", bots: "bot_action", machine: "role" };

describe.each(dialects)("%s calls", (caller) => {
  test.each(dialects)("%s and runs to its end", async (called) => {
    const { run, engine: opened } = await open(calling(caller, called));
    const { seen, position } = await walk(opened, run);
    expect(position.state.status, `${JSON.stringify(position.state.error ?? position.standing)} after ${seen.join(", ")}`).toBe(
      "completed",
    );
    expect(seen.filter((word) => word === does[called])).toHaveLength(caller === called ? 2 : 1);
    expect(seen).toContain(does[caller]);
    expect((await doctor(opened.context, run)).problems).toEqual([]);
  });
});

/** A steps workflow that includes several others. */
function including(...names: readonly string[]): SampleFiles {
  const [[path, text] = ["", ""]] = Object.entries(samples.steps("outer"));
  return { [path]: text + names.map((name) => `  - { id: do_${name}, type: include_workflow, workflow: ${name} }\n`).join("") };
}

test("a steps workflow runs two checklists, each on its own rows", async () => {
  const files = { ...including("first", "second"), ...samples.checklist("first"), ...samples.checklist("second"), "a.js": "1;\n" };
  const { run, engine: opened } = await open(files);
  const { seen, position } = await walk(opened, run);
  expect(position.state.status).toBe("completed");
  expect(seen).toEqual(["user_message", "check", "check"]);
  expect(Object.entries(position.state.lists).map(([list, { by }]) => [list, by.completed])).toEqual(
    expect.arrayContaining([
      ["first/files", 2],
      ["second/files", 2],
    ]),
  );
});

test("a workflow that is called by two others stands in the program once, and runs for each of them", async () => {
  const files = { ...including("robot", "engineer"), ...samples.bots("robot", "engineer"), ...samples.machine("engineer") };
  const { run, engine: opened } = await open(files);
  const { seen, position } = await walk(opened, run);
  expect(position.state.status, JSON.stringify(position.state.error ?? position.standing)).toBe("completed");
  expect(Object.keys(position.program.parts).toSorted()).toEqual(["engineer", "outer", "robot"]);
  expect(seen.filter((word) => word === "role")).toHaveLength(2);
});

test("a steps workflow comes to the question of the checklist that it includes", async () => {
  const workflow = { ".waymark/workflows/old-calls.workflow.yaml": oldCalls };
  const { run, engine: opened } = await open({ ...including("old-calls"), ...workflow, "a.js": "old('1');\n" });
  await progress(opened.context, opened.caller, { run, result: null });
  const position = await next(opened.context, opened.caller, { run, waitMs: 20_000 });
  expect(position.state.error).toBeUndefined();
  expect(position.standing).toMatchObject({ kind: "question", decision: { step: "approach" } });
});
