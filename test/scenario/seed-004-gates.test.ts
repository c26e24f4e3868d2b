/** Every gate of the process: what it lets through, what it does not, and what it shows. */
import { expect, test } from "vitest";
import { textOf } from "../../src/base/index.ts";
import { askingOf, asking, decisionIn, did, doing, order, type Recording } from "../support/seed-004-recording.ts";
import { failing, full, quiet, single, small, smallest, stubborn, unmet } from "../support/seed-004-runs.ts";

const minutes = 120_000;
const refusedOf = ({ refused }: Recording, step: string): string[] => refused.filter((line) => line.includes(`\`${step}\``));
const shownBy = (run: Recording, id: string): string => asking(run, id).at(-1)?.question ?? "";

test(
  "G1 INTAKE is left only with a spec that has testable criteria and with valid acceptance criteria",
  async () => {
    const run = await failing();
    expect(refusedOf(run, "SpecAgent:meta")[1]).toMatch(
      /`spec\.md` has no section `Acceptance Criteria`[\s\S]*`acceptance_criteria` is missing/,
    );
    expect(did(run).slice(0, 5)).toEqual(Array(5).fill("SpecAgent:meta"));
    expect(did(run)[5]).toBe("Architect:meta");
  },
  minutes,
);

test(
  "G2 INTAKE_LEAN is left only with its three files, and without an architecture",
  async () => {
    expect(doing(await small(), "SpecAgent:meta")[0]?.dispatch).toMatchObject({ leaves: ["spec", "acceptance", "tasks"] });
    expect(Object.keys((await small()).files)).not.toContain("architecture.md");
  },
  minutes,
);

test(
  "G3 DESIGN is left only with an architecture that says what it must",
  async () => {
    const [refusal] = refusedOf(await failing(), "Architect:meta");
    expect(refusal).toMatch(/no section `Overview`[\s\S]*no section `Modules/);
    expect(did(await failing()).filter((what) => what === "Architect:meta")).toHaveLength(3);
  },
  minutes,
);

test(
  "G4 DESIGN is left only with the research that was asked for",
  async () => {
    expect(refusedOf(await full(), "Researcher:meta")).toEqual([expect.stringContaining("`research/*.md` is missing")]);
  },
  minutes,
);

test(
  "G5 DESIGN is left only with a design spec where there is something to see",
  async () => {
    expect(refusedOf(await full(), "Designer:meta")).toEqual([expect.stringContaining("`design-specs/*.md` is missing")]);
  },
  minutes,
);

test(
  "G6 APPROVE_DESIGN passes with approved and nothing else",
  async () => {
    const run = await stubborn();
    const said = asking(run, "UD-APPROVE-DESIGN").map(({ given }) => given);
    expect(said).toEqual(["looks good", "approved? no, stop", "not approved", "go ahead", "fine", "(declined)", "approved"]);
    expect(order(run).indexOf("do Planner:meta")).toBe(order(run).lastIndexOf("ask UD-APPROVE-DESIGN") + 1);
  },
  minutes,
);

test(
  "G7 APPROVE_DESIGN shows scope, criteria, assumptions, modules, and the design spec when there is one",
  async () => {
    const shown = shownBy(await full(), "UD-APPROVE-DESIGN");
    for (const part of [
      "Goals: Make slugs",
      "AC-001: slug works",
      "Assumptions: Titles are short",
      "Modules: src/slug.mjs",
      "Layout: One field",
    ])
      expect(shown).toContain(part);
    for (const path of ["spec.md", "acceptance.json", "architecture.md", "design-spec-slugs.md"]) expect(shown).toContain(path);
    expect(shownBy(await quiet(), "UD-APPROVE-DESIGN")).not.toContain("design-specs");
  },
  minutes,
);

test(
  "G8 APPROVE_DESIGN asks whether to approve or what to change",
  async () => {
    const shown = shownBy(await full(), "UD-APPROVE-DESIGN");
    expect(shown).toContain("Do you approve this specification and design, or should something change?");
    expect(shown).toContain("Answer `approved`, or `changes-requested: <what to change>`.");
  },
  minutes,
);

test(
  "G9 PLAN is left only when every task has dependencies, checks and an end",
  async () => {
    const [refusal] = refusedOf(await failing(), "Planner:meta");
    expect(refusal).toMatch(/no `depends_on`[\s\S]*no `done_when`/);
  },
  minutes,
);

test(
  "G10 REVIEW_STRATEGY passes with an answer that names one strategy and with nothing else",
  async () => {
    const run = await stubborn();
    expect(asking(run, "UD-REVIEW-STRATEGY").map(({ given }) => given)).toEqual([
      "per-batch or single-final",
      "both",
      "you choose",
      "yes",
      "(declined)",
      // Nobody answers it when it is asked again.
      null,
    ]);
    expect(did(run)).not.toContain("Coder:T-001");
    for (const [ended, word] of [
      [await full(), "per-batch"],
      [await single(), "single-final"],
    ] as const)
      expect(decisionIn(ended.writes.at(-1)!, "UD-REVIEW-STRATEGY")).toMatchObject({ status: "answered", answer: word });
  },
  minutes,
);

test(
  "R95 another word for a strategy is written down as the strategy",
  async () => {
    const run = await single();
    expect(asking(run, "UD-REVIEW-STRATEGY").map(({ given }) => given)).toEqual(["Once at the end."]);
    expect(decisionIn(run.writes.at(-1)!, "UD-REVIEW-STRATEGY")).toMatchObject({ answer: "single-final" });
    expect(did(run)).not.toContain("Reviewer:T-001");
  },
  minutes,
);

test(
  "G11 REVIEW_STRATEGY shows the number of tasks, their scope, both strategies with what they cost, and a recommendation",
  async () => {
    const shown = shownBy(await full(), "UD-REVIEW-STRATEGY");
    for (const part of [
      "2 tasks",
      "T-001 (feat, risk: security): Part 1",
      "T-002 (docs, after T-001): Part 2",
      "per-batch: After every task. Takes longer, finds problems early.",
      "single-final: Once, after all tasks. Quicker, but late findings cost more rework.",
      "Recommended: per-batch.",
    ])
      expect(shown).toContain(part);
    expect(shownBy(await quiet(), "UD-REVIEW-STRATEGY")).toContain("Recommended: single-final.");
  },
  minutes,
);

test(
  "G12 REVIEW_STRATEGY shows every command that will be run, and the answer allows exactly these",
  async () => {
    expect(shownBy(await full(), "UD-REVIEW-STRATEGY")).toMatch(/exactly these commands as checks:\n- node check\.mjs\n/);
    expect(askingOf(await full(), "May Waymark run them")).toEqual([]);
    expect(askingOf(await small(), "May Waymark run them")).toHaveLength(1);
  },
  minutes,
);

test(
  "G13 a task is completed only when Reviewer, QA and Security have passed it",
  async () => {
    const run = await full();
    const last = run.turns.findLastIndex(({ what }) => what === "Security:T-001");
    const before = run.turns.slice(0, last + 1).map(({ tasks }) => tasks["T-001"]);
    expect(before).not.toContain("completed");
    expect(run.turns[last + 1]?.tasks).toMatchObject({ "T-001": "completed" });
  },
  minutes,
);

test(
  "G14 the combined review counts once for all tasks: none is completed before review, tests and audit have passed",
  async () => {
    const run = await single();
    const end = run.turns.findIndex(({ what }) => what === "Integrator:meta");
    expect(end).toBe(16);
    for (const { tasks } of run.turns.slice(0, end)) expect(Object.values(tasks)).not.toContain("completed");
    expect(run.turns[end]?.tasks).toEqual({ "T-001": "completed", "T-002": "completed" });
  },
  minutes,
);

test(
  "G15 the final review must pass: BLOCKED goes to FIX_REVIEW, PASS WITH NOTES passes without a question",
  async () => {
    const run = await full();
    const first = order(run).indexOf("do Reviewer:meta");
    expect(order(run).slice(first, first + 4)).toEqual(["do Reviewer:meta", "do Coder:meta", "do Reviewer:meta", "do Integrator:meta"]);
    expect(run.turns[first + 1]?.dispatch).toMatchObject({ repair: "FIX_REVIEW" });
    expect(run.turns[first + 2]?.given).toMatchObject({ verdict: "PASS WITH NOTES" });
  },
  minutes,
);

test(
  "G16 INTEGRATE is left only when the commands pass, run by Waymark, whatever the Integrator says",
  async () => {
    const run = await full();
    const [first] = doing(run, "Integrator:meta");
    expect(first?.given).toMatchObject({ status: "OK" });
    const at = run.turns.indexOf(first!);
    expect(run.turns[at + 1]).toMatchObject({ what: "Coder:meta", dispatch: { repair: "FIX_BUILD" }, status: { last_ci_result: "red" } });
    expect(run.turns[at + 2]).toMatchObject({ what: "Integrator:meta" });
    expect(run.turns[at + 3]).toMatchObject({ what: "Docs:meta", status: { last_ci_result: "green" } });
  },
  minutes,
);

test(
  "G17 RELEASE is left only with a report that has its four parts",
  async () => {
    const run = await full();
    expect(refusedOf(run, "Docs:meta")).toEqual([expect.stringContaining("no section `Known issues`")]);
    expect(doing(run, "Docs:meta")).toHaveLength(2);
  },
  minutes,
);

test(
  "G18 DONE is reached only when everything holds; what does not is told at once",
  async () => {
    const run = await unmet();
    expect(run.ended).toBe("question");
    const shown = run.turns.at(-1)?.question ?? "";
    for (const part of [
      "Task T-001 is not-started.",
      "AC-001 is not met: `node check.mjs` has not been run.",
      "`report.md` is missing.",
      "Checker has not worked in this session.",
    ])
      expect(shown).toContain(part);
  },
  minutes,
);

test(
  "G19 a criterion for a person's eyes is confirmed or waived by a person, by its name",
  async () => {
    const run = await smallest();
    const shown = run.turns.flatMap(({ kind, question, given }) =>
      kind === "ask" && /AC-00/.test(question) ? [`${question.match(/AC-\d+/g)?.join(" ") ?? ""}: ${textOf(given)}`] : [],
    );
    expect(shown).toEqual(["AC-002 AC-003: not-met: AC-002 is clumsy", "AC-003: confirmed", "AC-002: retry", "AC-002: waive: AC-002"]);
    expect(run.ended).toBe("completed");
  },
  minutes,
);
