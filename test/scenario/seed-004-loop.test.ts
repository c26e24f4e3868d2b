/** Implementation, review and integration: who works when, on what, and with which files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { askingOf, decisionIn, did, doing, order, taskIn, type Recording } from "../support/seed-004-recording.ts";
import { full, outgrown, overgrown, quiet, single, small, smallest } from "../support/seed-004-runs.ts";

const minutes = 120_000;
const root = join(import.meta.dirname, "../..");
const reviewer = readFileSync(join(root, "workflows/roles/reviewer.md"), "utf8");
const changed = (run: Recording, what: string): JsonObject[] =>
  (taskIn(doing(run, what).at(-1)!)["session_changed_files"] ?? []) as JsonObject[];
const changedPaths = (run: Recording, what: string): string[] => changed(run, what).map(({ path }) => textOf(path ?? ""));
const goals = (run: Recording, what: string): string[] => doing(run, what).map((turn) => textOf(taskIn(turn)["goal"] ?? ""));

/** What the definition recommends for each of these plans, evaluated as runs do. */
async function recommended(plans: readonly (readonly JsonObject[])[]): Promise<Json[]> {
  const { states } = parse(readFileSync(join(root, "workflows/delivery.machine.yaml"), "utf8")) as {
    readonly states: { readonly REVIEW_STRATEGY: { readonly do: readonly [{ readonly recommend: string }] } };
  };
  const code = `return (${states.REVIEW_STRATEGY.do[0].recommend})`;
  const sandbox = createSandbox();
  const found: Json[] = [];
  for (const tasks of plans) {
    const result = await sandbox.evaluate({ space: "seed-004", code, bindings: { tasks } });
    found.push(result.ok ? result.value : null);
  }
  await sandbox.close();
  return found;
}
const tasksOf = (count: number, more: JsonObject = {}): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ depends_on: [], risk_flags: ["none"], ...(index === 0 ? more : {}) }));

test("R18 per-batch is recommended for five tasks or more, cross-cutting dependencies or risk flags, else single-final", async () => {
  const crossing = { depends_on: ["T-001", "T-002"] };
  const flagged = ["security", "perf", "breaking-change"].map((flag) => tasksOf(1, { risk_flags: [flag] }));
  expect(await recommended([tasksOf(5), tasksOf(2, crossing), ...flagged])).toEqual(Array(5).fill("per-batch"));
  expect(await recommended([tasksOf(4), tasksOf(2, { depends_on: ["T-001"] })])).toEqual(["single-final", "single-final"]);
});

test(
  "R19 per-batch: after each task Reviewer, then QA, then Security",
  async () => {
    const own = did(await full()).filter((what) => what.endsWith(":T-001"));
    const first = (role: string): number => own.indexOf(`${role}:T-001`);
    expect([first("Coder"), first("Reviewer"), first("QA"), first("Security")]).toEqual(
      [first("Coder"), first("Reviewer"), first("QA"), first("Security")].toSorted((a, b) => a - b),
    );
    expect(first("Coder")).toBe(0);
  },
  minutes,
);

test(
  "R20 QA runs for behaviour and logic, not for a task of words alone",
  async () => {
    expect(did(await full())).toContain("QA:T-001");
    expect(did(await full())).not.toContain("QA:T-002");
    expect(did(await smallest()).filter((what) => what.startsWith("QA"))).toEqual([]);
  },
  minutes,
);

test(
  "R21 Security runs when a task is flagged, or touches access, input or network",
  async () => {
    expect(did(await full())).toContain("Security:T-001");
    expect(did(await full())).not.toContain("Security:T-002");
    expect(taskIn(doing(await small(), "Security:T-001")[0]!)).toMatchObject({ risk_flags: ["none"] });
  },
  minutes,
);

test(
  "R22 a task is taken up when those it depends on are done",
  async () => {
    const run = await full();
    expect(doing(run, "Coder:T-002")[0]?.tasks).toMatchObject({ "T-001": "completed" });
    expect(doing(await single(), "Coder:T-002")[0]?.tasks).toMatchObject({ "T-001": "implemented" });
  },
  minutes,
);

test(
  "R23 tasks go from not-started to in-progress, implemented and completed, and tasks.yaml shows it at every step",
  async () => {
    const run = await full();
    const seen = run.turns.map(({ tasks }) => tasks["T-001"] ?? "").filter((word, index, list) => word !== "" && word !== list[index - 1]);
    expect(seen).toEqual(["not-started", "in-progress", "implemented", "completed"]);
    expect(doing(run, "Reviewer:T-001")[0]?.tasks["T-001"]).toBe("implemented");
  },
  minutes,
);

test(
  "R24 single-final: nobody reviews, tests or audits before all tasks are implemented",
  async () => {
    const run = await single();
    expect(did(run).filter((what) => /^(?:Reviewer|QA|Security):T-/.test(what))).toEqual([]);
    expect(doing(run, "Reviewer:meta")[0]?.tasks).toEqual({ "T-001": "implemented", "T-002": "implemented" });
  },
  minutes,
);

test(
  "R25 single-final: one combined pass about the session as a whole, with its own goal",
  async () => {
    const run = await single();
    expect(new Set(goals(run, "Reviewer:meta"))).toEqual(new Set(["Single-final review of all session changes"]));
    expect(taskIn(doing(run, "Reviewer:meta")[0]!)).toMatchObject({ id: "meta" });
  },
  minutes,
);

test(
  "R26 single-final: after a repair the whole pass runs again, and the tries are counted for meta",
  async () => {
    const run = await single();
    const pass = did(run).slice(did(run).indexOf("Reviewer:meta"), did(run).indexOf("Integrator:meta"));
    expect(pass).toEqual("Reviewer Coder Reviewer QA Coder Reviewer QA Security".split(" ").map((role) => `${role}:meta`));
    expect(run.writes.at(-1)?.retry_counts).toEqual({ meta: { FIX_REVIEW: 1, FIX_TESTS: 1, FIX_SECURITY: 0, FIX_BUILD: 0 } });
  },
  minutes,
);

test(
  "R27 single-final: the combined pass is the final review; no second one follows",
  async () => {
    expect(goals(await single(), "Reviewer:meta")).toEqual(Array(3).fill("Single-final review of all session changes"));
  },
  minutes,
);

test(
  "R28 single-final: all tasks are completed together, then comes INTEGRATE",
  async () => {
    const run = await single();
    const counts = run.turns.map(({ tasks }) => Object.values(tasks).filter((word) => word === "completed").length);
    expect(new Set(counts)).toEqual(new Set([0, 2]));
    expect(run.turns[counts.indexOf(2)]).toMatchObject({ what: "Integrator:meta" });
  },
  minutes,
);

test(
  "R29 the chosen strategy holds for another process that knows nothing but what is stored",
  async () => {
    const run = await single();
    expect(decisionIn(doing(run, "Coder:T-002")[0]!.status, "UD-REVIEW-STRATEGY")?.answer).toBe("single-final");
    expect(did(run).slice(did(run).indexOf("Coder:T-002") + 1)[0]).toBe("Reviewer:meta");
  },
  minutes,
);

test(
  "R30 Reviewer is given all files that the session changed, by whoever it was, beside its context files",
  async () => {
    const run = await full();
    expect(changedPaths(run, "Reviewer:T-001")).toEqual(["after.txt", "old.txt", "src/T-001.mjs"]);
    expect(changedPaths(run, "Reviewer:T-002")).toEqual(["after.txt", "old.txt", "src/T-001.mjs", "src/T-002.mjs"]);
    expect(changedPaths(run, "Reviewer:meta")).toEqual(["after.txt", "old.txt", "src/T-001.mjs", "src/T-002.mjs", "src/meta.mjs"]);
    for (const turn of doing(run, "Reviewer:T-001")) expect(taskIn(turn)["context_files"]).not.toContain("src/T-001.mjs");
  },
  minutes,
);

test(
  "R31 each changed file says how: added, modified, deleted, or renamed with its old path",
  async () => {
    expect(changed(await full(), "Reviewer:T-001")).toEqual([
      { path: "after.txt", change_type: "renamed", old_path: "before.txt" },
      { path: "old.txt", change_type: "deleted" },
      { path: "src/T-001.mjs", change_type: "added" },
    ]);
  },
  minutes,
);

test(
  "R32 nobody but the Reviewer is given that list",
  async () => {
    const work = (await full()).turns.filter(({ kind }) => kind === "do");
    const given = work.filter((turn) => "session_changed_files" in taskIn(turn)).map(({ what }) => what);
    expect(given).toEqual([...Array(3).fill("Reviewer:T-001"), "Reviewer:T-002", "Reviewer:meta", "Reviewer:meta"]);
  },
  minutes,
);

test(
  "R33 of one task the Reviewer reads its own files in full, of the session every file that still exists",
  async () => {
    expect(reviewer).toMatch(/For one task: its own files in full; of the other changed files only what calls it or depends on it/);
    expect(reviewer).toMatch(/`task\.id` is `meta`\): every file that still exists in full/);
    expect(reviewer).toMatch(/Deleted files by their diff/);
    expect(new Set(goals(await full(), "Reviewer:T-001"))).toEqual(
      new Set(["Review the changes of this task, and what they touch elsewhere."]),
    );
  },
  minutes,
);

test(
  "R34 per-batch: once all tasks are completed one more review, across all of them, before INTEGRATE",
  async () => {
    const run = await full();
    const [first] = doing(run, "Reviewer:meta");
    expect(first).toMatchObject({ status: { current_state: "IMPLEMENT_LOOP" }, tasks: { "T-001": "completed", "T-002": "completed" } });
    expect(taskIn(first!)).toMatchObject({ id: "meta", goal: "Cross-task final review of all session changes" });
    expect(reviewer).toMatch(/interfaces that do not fit, the same logic twice, assumptions that contradict, things that worked before/);
  },
  minutes,
);

test(
  "R35 there is no final review in lean mode",
  async () => {
    expect(did(await small())).not.toContain("Reviewer:meta");
  },
  minutes,
);

test(
  "R36 lean mode always reviews after the task",
  async () => {
    for (const run of [await small(), await smallest()]) expect(did(run)).toContain("Reviewer:T-001");
  },
  minutes,
);

test(
  "R37 lean mode has no DESIGN, no architecture, no Architect, Planner, Designer, Integrator, Docs or Researcher",
  async () => {
    const run = await small();
    expect(run.shown).not.toContain("DESIGN");
    expect(Object.keys(run.files).toSorted()).toEqual(["acceptance.json", "report.md", "spec.md", "status.json", "tasks.yaml"]);
    expect(did(run).filter((what) => /^(?:Architect|Planner|Designer|Integrator|Docs|Researcher):/.test(what))).toEqual([]);
  },
  minutes,
);

test(
  "R38 lean mode is left for INTAKE when the Coder finds it complex",
  async () => {
    const run = await outgrown();
    expect(order(run)).toEqual(["do SpecAgent:meta", "do Coder:T-001", "do SpecAgent:meta"]);
    expect(run.writes.at(-1)?.assumptions).toEqual([expect.stringContaining("The mode lean was left")]);
    expect(taskIn(doing(run, "SpecAgent:meta")[1]!)).not.toHaveProperty("lean");
  },
  minutes,
);

test(
  "R39 lean mode is left for INTAKE when more files change than it allows",
  async () => {
    const run = await overgrown();
    expect(run).toMatchObject({ open: "SpecAgent:meta", shown: ["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTAKE"] });
  },
  minutes,
);

test(
  "R40 in lean mode a person allows the commands before they are run",
  async () => {
    const [asked] = askingOf(await small(), "May Waymark run them");
    expect(asked?.question).toContain("- node check.mjs");
    expect(asked?.status).toMatchObject({ last_ci_result: "unknown" });
  },
  minutes,
);

test(
  "R41 in lean mode Waymark writes the report, with its four parts",
  async () => {
    const { files } = await small();
    expect(files["report.md"]?.match(/^## .+$/gm)).toEqual(["## What was done", "## How to run", "## How to test", "## Known issues"]);
  },
  minutes,
);

test(
  "R42 every core role works at least once in a full run, also where no task needed it",
  async () => {
    const core = "SpecAgent Architect Planner Coder Reviewer QA Security Integrator Docs".split(" ");
    for (const run of [await full(), await single(), await quiet()]) {
      const worked = new Set(did(run).map((what) => what.split(":")[0]));
      expect(core.filter((role) => !worked.has(role))).toEqual([]);
    }
    expect(did(await quiet())).toEqual(expect.arrayContaining(["QA:meta", "Security:meta"]));
  },
  minutes,
);

test(
  "R43 Researcher and Designer work only when asked for",
  async () => {
    const optional = (run: Recording): string[] => did(run).filter((what) => /^(?:Researcher|Designer):/.test(what));
    expect(optional(await quiet())).toEqual([]);
    expect(new Set(optional(await full()))).toEqual(new Set(["Researcher:meta", "Designer:meta"]));
  },
  minutes,
);

test(
  "R44 Security may find nothing, but it has run",
  async () => {
    expect(doing(await quiet(), "Security:meta")[0]?.given).toMatchObject({ status: "OK", artifacts: { findings: [] } });
  },
  minutes,
);
