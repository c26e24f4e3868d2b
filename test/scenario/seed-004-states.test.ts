/** Every state of the process and every way between them, in recorded runs: what status files showed, and who worked then. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { referencesOf, loadWorkflow } from "../support/all-dialects.ts";
import { importKey, type ExpressionChecker } from "../../src/source/index.ts";
import { machineOfProgram } from "../../src/dialects/machine/definition/index.ts";
import { checkExpr, namesOf } from "../../src/state/index.ts";
import { asking, did, doing, order, ways, type Recording } from "../support/seed-004-recording.ts";
import { failing, full, outgrown, overgrown, quiet, single, small, smallest, spent, stubborn } from "../support/seed-004-runs.ts";
import { shownEdges } from "../support/shown-edges.ts";

const runs = { full, single, quiet, small, smallest, outgrown, overgrown, stubborn, spent, failing };
const minutes = 120_000;

/** Roles that were dispatched while the status file showed this state, each once, in order. */
function rolesIn({ turns }: Recording, state: string): string[] {
  const found = turns.filter(({ kind, status }) => kind === "do" && status.current_state === state);
  return [...new Set(found.map(({ what }) => what.split(":")[0] ?? ""))];
}

const delivers = (recording: Recording, what: string): string[] =>
  ((doing(recording, what)[0]?.dispatch["deliver"] ?? []) as string[]).map((path) => path.split("/").slice(2).join("/"));

test(
  "S1 INTAKE: SpecAgent leaves spec.md and acceptance.json; status.json is there from the beginning",
  async () => {
    const run = await full();
    expect(run.shown[0]).toBe("INTAKE");
    expect(rolesIn(run, "INTAKE")).toEqual(["SpecAgent"]);
    expect(delivers(run, "SpecAgent:meta")).toEqual(["spec.md", "acceptance.json"]);
    expect(run.turns[0]).toMatchObject({ what: "SpecAgent:meta", status: { current_state: "INTAKE" } });
  },
  minutes,
);

test(
  "S2 INTAKE_LEAN: SpecAgent, told that it is lean, leaves spec, criteria and one task",
  async () => {
    const run = await small();
    expect(run.shown[0]).toBe("INTAKE_LEAN");
    expect(rolesIn(run, "INTAKE_LEAN")).toEqual(["SpecAgent"]);
    expect(delivers(run, "SpecAgent:meta")).toEqual(["spec.md", "acceptance.json", "tasks.yaml"]);
    expect(doing(run, "SpecAgent:meta")[0]?.dispatch).toMatchObject({ input: { task: { lean: true } } });
  },
  minutes,
);

test(
  "S3 DESIGN: Researcher if there is a question, then Architect, then Designer if there is something to see",
  async () => {
    const run = await full();
    expect(rolesIn(run, "DESIGN")).toEqual(["Researcher", "Architect", "Designer"]);
    expect(["Researcher:meta", "Architect:meta", "Designer:meta"].map((what) => delivers(run, what))).toEqual([
      ["research/*.md"],
      ["architecture.md"],
      ["design-specs/*.md"],
    ]);
    expect(rolesIn(await quiet(), "DESIGN")).toEqual(["Architect"]);
  },
  minutes,
);

test(
  "S4 APPROVE_DESIGN: a person is asked, under its own name, and roles work only on corrections",
  async () => {
    const run = await full();
    expect(asking(run, "UD-APPROVE-DESIGN").map(({ status }) => status.current_state)).toEqual(Array(5).fill("APPROVE_DESIGN"));
    expect(rolesIn(run, "APPROVE_DESIGN")).toEqual(["SpecAgent", "Architect", "Designer"]);
    expect(rolesIn(await quiet(), "APPROVE_DESIGN")).toEqual([]);
  },
  minutes,
);

test(
  "S5 PLAN: Planner leaves tasks.yaml",
  async () => {
    const run = await full();
    expect(rolesIn(run, "PLAN")).toEqual(["Planner"]);
    expect(delivers(run, "Planner:meta")).toEqual(["tasks.yaml"]);
  },
  minutes,
);

test(
  "S6 REVIEW_STRATEGY: a person is asked, under its own name, and no role works",
  async () => {
    const run = await full();
    expect(asking(run, "UD-REVIEW-STRATEGY").map(({ status }) => status.current_state)).toEqual(["REVIEW_STRATEGY", "REVIEW_STRATEGY"]);
    expect(rolesIn(run, "REVIEW_STRATEGY")).toEqual([]);
  },
  minutes,
);

test(
  "S7 IMPLEMENT_LOOP: Coder, Reviewer, QA and Security work on tasks",
  async () => {
    expect(rolesIn(await full(), "IMPLEMENT_LOOP")).toEqual(["Coder", "Reviewer", "QA", "Security"]);
    expect(rolesIn(await small(), "IMPLEMENT_LOOP")).toEqual(["Coder", "Reviewer", "QA", "Security"]);
  },
  minutes,
);

test(
  "S8 INTEGRATE: Integrator in full mode; in lean mode Waymark runs the checks and nobody is dispatched",
  async () => {
    expect(rolesIn(await full(), "INTEGRATE")).toEqual(["Integrator"]);
    const run = await small();
    expect(rolesIn(run, "INTEGRATE")).toEqual([]);
    expect(run.writes.at(-1)).toMatchObject({ last_ci_result: "green" });
  },
  minutes,
);

test(
  "S9 RELEASE: Docs, then Integrator",
  async () => {
    const run = await full();
    expect(rolesIn(run, "RELEASE")).toEqual(["Docs", "Integrator"]);
    expect(delivers(run, "Docs:meta")).toEqual(["report.md"]);
  },
  minutes,
);

test(
  "S10 DONE: the last status says so, and the report is there",
  async () => {
    for (const run of [await full(), await small()]) {
      expect(run.ended).toBe("completed");
      expect(JSON.parse(run.files["status.json"] ?? "")).toMatchObject({ current_state: "DONE" });
      expect(run.files["report.md"]).toContain("## How to test");
      expect(rolesIn(run, "DONE")).toEqual([]);
    }
  },
  minutes,
);

test(
  "S11 ASK_USER: shown while an ad-hoc question is open, and only then",
  async () => {
    for (const run of [await full(), await single(), await small(), await spent()]) {
      const adHoc = run.turns.filter(({ kind, what }) => kind === "ask" && /^UD-\d+$/.test(what));
      expect(adHoc.length).toBeGreaterThan(0);
      for (const { status } of adHoc) expect(status.current_state).toBe("ASK_USER");
      const pending = run.writes
        .filter((status) => status.current_state === "ASK_USER")
        .map(({ user_decisions }) => user_decisions.flatMap(({ status, decision_id }) => (status === "pending" ? [decision_id] : [])));
      expect(new Set(pending.map((ids) => ids.join()))).toEqual(new Set(adHoc.map(({ what }) => what)));
      expect(rolesIn(run, "ASK_USER")).toEqual([]);
    }
  },
  minutes,
);

test.each([
  ["S12", "FIX_REVIEW", "off by one"],
  ["S13", "FIX_TESTS", "umlauts"],
  ["S14", "FIX_SECURITY", "injection"],
  ["S15", "FIX_BUILD", "red"],
])(
  "%s %s: Coder mends what was found: %s",
  async (_id, loop, finding) => {
    const mending = (await full()).turns.filter(({ dispatch }) => dispatch["repair"] === loop);
    expect(mending.length).toBeGreaterThan(0);
    for (const { what, status } of mending) expect([what.split(":")[0], status.current_state]).toEqual(["Coder", loop]);
    expect(JSON.stringify(mending.map(({ dispatch }) => dispatch["findings"]))).toContain(finding);
  },
  minutes,
);

test(
  "S16 BLOCKED: shown with code, detail, time and a way out while nothing goes on without a person",
  async () => {
    const halts = (await failing()).turns.filter(({ question }) => question.startsWith("Nothing can continue"));
    expect(halts.map(({ status }) => [status.current_state, status["blocker"]])).toMatchObject([
      ["BLOCKED", { code: "subagent_failure", recovery: expect.stringContaining("retry") as string }],
      ["BLOCKED", { code: "role_failed", detail: "The disk is full.", since: expect.any(String) as string }],
    ]);
  },
  minutes,
);

test.each([
  ["T1", "INTAKE", "DESIGN", "full"],
  ["T2", "DESIGN", "APPROVE_DESIGN", "full"],
  ["T3", "APPROVE_DESIGN", "PLAN", "full"],
  ["T4", "PLAN", "REVIEW_STRATEGY", "full"],
  ["T5", "REVIEW_STRATEGY", "IMPLEMENT_LOOP", "full"],
  ["T6", "IMPLEMENT_LOOP", "INTEGRATE", "full"],
  ["T7", "INTEGRATE", "RELEASE", "full"],
  ["T8", "RELEASE", "DONE", "full"],
  ["T9", "INTAKE_LEAN", "IMPLEMENT_LOOP", "small"],
  ["T10", "INTEGRATE", "DONE", "small"],
  ["T11", "IMPLEMENT_LOOP", "INTAKE", "outgrown"],
  ["T12", "IMPLEMENT_LOOP", "FIX_REVIEW", "full"],
  ["T13", "FIX_REVIEW", "IMPLEMENT_LOOP", "full"],
  ["T14", "IMPLEMENT_LOOP", "FIX_TESTS", "full"],
  ["T15", "FIX_TESTS", "IMPLEMENT_LOOP", "full"],
  ["T16", "IMPLEMENT_LOOP", "FIX_SECURITY", "full"],
  ["T17", "FIX_SECURITY", "IMPLEMENT_LOOP", "full"],
  ["T18", "INTEGRATE", "FIX_BUILD", "full"],
  ["T19", "FIX_BUILD", "INTEGRATE", "full"],
  ["T20", "IMPLEMENT_LOOP", "FIX_BUILD", "full"],
  ["T21", "FIX_BUILD", "IMPLEMENT_LOOP", "full"],
  ["T22", "DESIGN", "ASK_USER", "full"],
  ["T23", "ASK_USER", "DESIGN", "full"],
  ["T24", "IMPLEMENT_LOOP", "ASK_USER", "full"],
  ["T25", "ASK_USER", "IMPLEMENT_LOOP", "full"],
  ["T26", "FIX_REVIEW", "ASK_USER", "spent"],
  ["T27", "ASK_USER", "FIX_REVIEW", "spent"],
  ["T28", "FIX_SECURITY", "PLAN", "spent"],
  ["T29", "APPROVE_DESIGN", "BLOCKED", "stubborn"],
  ["T30", "BLOCKED", "APPROVE_DESIGN", "stubborn"],
  ["T31", "REVIEW_STRATEGY", "BLOCKED", "stubborn"],
  ["T32", "BLOCKED", "REVIEW_STRATEGY", "stubborn"],
  ["T33", "INTAKE", "BLOCKED", "failing"],
  ["T34", "BLOCKED", "INTAKE", "failing"],
])(
  "%s %s leads to %s",
  async (_id, from, to, name) => expect(ways(await runs[name as keyof typeof runs]())).toContain(`${from} -> ${to}`),
  minutes,
);

test(
  "T35 APPROVE_DESIGN leads to itself when changes are requested",
  async () => {
    const run = await full();
    const first = order(run).indexOf("ask UD-APPROVE-DESIGN");
    const last = order(run).lastIndexOf("ask UD-APPROVE-DESIGN");
    expect(order(run).slice(first, last + 1)).toEqual([
      "ask UD-APPROVE-DESIGN",
      "ask UD-APPROVE-DESIGN",
      "do SpecAgent:meta",
      "ask UD-APPROVE-DESIGN",
      "do Architect:meta",
      "ask UD-APPROVE-DESIGN",
      "do Designer:meta",
      "ask UD-APPROVE-DESIGN",
    ]);
    expect(new Set(run.turns.slice(first, last + 1).map(({ status }) => status.current_state))).toEqual(new Set(["APPROVE_DESIGN"]));
  },
  minutes,
);

test(
  "T36 the full order, and nothing else in between when nothing comes up",
  async () => {
    expect((await quiet()).shown).toEqual(
      "INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY IMPLEMENT_LOOP INTEGRATE RELEASE DONE".split(" "),
    );
  },
  minutes,
);

test(
  "T37 the lean order; only the commands are asked about",
  async () => {
    const run = await small();
    expect(run.shown).toEqual("INTAKE_LEAN IMPLEMENT_LOOP ASK_USER IMPLEMENT_LOOP INTEGRATE DONE".split(" "));
    expect(did(run).map((what) => what.split(":")[0])).toEqual(["SpecAgent", "Coder", "Reviewer", "QA", "Security"]);
  },
  minutes,
);

test(
  "T38 no recorded run took a way that the machine does not have",
  async () => {
    const known = new Set(edges());
    expect(known.size).toBeGreaterThan(30);
    for (const [name, run] of Object.entries(runs)) expect([name, ways(await run()).filter((way) => !known.has(way))]).toEqual([name, []]);
  },
  minutes,
);

function edges(): string[] {
  const root = join(import.meta.dirname, "../..");
  const path = "workflows/delivery.machine.yaml";
  const main = { path, text: readFileSync(join(root, path), "utf8"), name: "delivery", source: "bundled" as const };
  const imports = Object.fromEntries(
    referencesOf(main)
      .files.flat()
      .map((name) => [importKey(path, name), { path: name, text: readFileSync(join(root, "workflows", name), "utf8") }]),
  );
  const checker: ExpressionChecker = { check: checkExpr, names: namesOf, cycles: () => [], collisions: () => [] };
  const { program } = loadWorkflow({ main, imports, workflows: {} }, checker);
  return shownEdges(machineOfProgram(program!)).map(({ from, to }) => `${from} -> ${to}`);
}
