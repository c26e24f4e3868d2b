import { expect, test } from "vitest";
import type { SessionTask } from "../definition/index.ts";
import { reportText } from "./finish.ts";
import { emptyMemory, type MachineRun } from "./machine-run.ts";

const task = (id: string, title: string, goal: string): SessionTask => ({ id, title, goal }) as SessionTask;

/** The report's lines by the heading above them. */
function sections(memory: Partial<MachineRun["memory"]>, rest: Partial<Omit<Parameters<typeof reportText>[0], "run">>): unknown {
  const run = { session: "s1", memory: { ...emptyMemory, ...memory } } as MachineRun;
  const [title, ...parts] = reportText({ run, tasks: [], changes: [], files: [], ...rest }).split("\n## ");
  const lines = parts.map((part) => part.split("\n").filter((line) => line !== ""));
  return { title: title?.trim(), ...Object.fromEntries(lines.map(([heading = "", ...said]) => [heading, said])) };
}

const run = { "How to run": ["The change is part of the project; it runs as the project does."] };

test("a report of a session in which nothing happened says so in every part", () => {
  expect(sections({}, {})).toEqual({
    title: "# Report of s1",
    "What was done": ["Nothing was planned.", "Files:", "- none"],
    ...run,
    "How to test": ["No checks were named."],
    "Known issues": ["None are known."],
  });
});

test("a report names tasks, files, checks with their outcome, and known issues", () => {
  const memory = {
    results: { "npm test": { ok: true, output: "" }, lint: { ok: false, output: "x" } },
    known_issues: ["slow"],
  };
  const tasks = [task("T1", "Title", "Goal"), task("T2", "", "Goal alone")];
  expect(sections(memory, { tasks, changes: [{ path: "a.ts", change_type: "added" } as never] })).toEqual({
    title: "# Report of s1",
    "What was done": ["- T1: Title", "- T2: Goal alone", "Files:", "- a.ts (added)"],
    ...run,
    "How to test": ["- `npm test`: passed", "- `lint`: failed"],
    "Known issues": ["- slow"],
  });
});
