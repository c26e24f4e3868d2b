/** The recordings that the tests of seed 004 look at. Each is driven at most once in a process, and as a rule once for all of them. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Play } from "./machine-world.ts";
import { git, inTurn, record, type Recording, type Script } from "./seed-004-recording.ts";
import { shareMade } from "./share-made.ts";
import { as, audit, failsTests, found, layout, lean, leaves, mend, notes, planned, redden, says, specified } from "./seed-004-team.ts";
import { acceptance, blocks, code, goodTeam, passes, plan, reported, reportText } from "./scripted-team.ts";

export const request = "Make slugs of titles";

const once = (name: string, script: () => Script): (() => Promise<Recording>) => {
  let held: Promise<Recording> | undefined;
  return () => (held ??= shareMade(`seed-004-${name}`, () => record(script())));
};

const designed = { artifacts: { design_spec_file: "design-specs/design-spec-slugs.md" } };
const researched = { artifacts: { research_summary: "none", confidence: "high", options: [] } };

/** Answers of a person who has no objections; more words for an id are said in turn, and the last one stays. */
export function saying(words: Readonly<Record<string, readonly string[]>> = {}): Script["answers"] {
  const left = new Map(Object.entries(words).map(([id, list]) => [id, [...list]]));
  return (id, question) => {
    const own = left.get(id) ?? [...left].find(([key]) => question.includes(key))?.[1];
    if (own !== undefined) return own.length > 1 ? own.shift() : own[0];
    if (id === "UD-APPROVE-DESIGN") return "approved";
    if (id === "UD-REVIEW-STRATEGY") return "per-batch";
    return question.includes("May Waymark run them") ? "allow" : undefined;
  };
}

/** Moves and deletes files, and breaks the check. */
const firstCode: Play = async (dispatch, world) => {
  await git(world, "mv", "before.txt", "after.txt");
  await rm(join(world.folder, "old.txt"));
  await redden(world);
  return code(dispatch, world);
};

const integrate: Play = as("Integrator");

/** Per-batch, with everything that can come up on the way: each loop once or twice, every kind of question. */
export const full = once("full", () => ({
  inputs: { request, research: "Which libraries are there?", ui: true, project_type: "lib" },
  files: {
    "before.txt": "a\nb\nc\n",
    "old.txt": "old\n",
    ".github/copilot-instructions.md": "Use ES modules.\n",
    "AGENTS.md": "Write tests.\n",
  },
  cast: {
    ...goodTeam,
    SpecAgent: specified,
    Researcher: inTurn(
      says(reported("NEEDS_INFO", "Which alphabet?", { artifacts: { notes: ["Which alphabet is used?"] } })),
      says(reported("OK", "None.", researched)),
      found,
    ),
    Designer: inTurn(says(reported("OK", "One field.", designed)), layout),
    Planner: planned(["T-001", "T-002"], ["T-001", "risk_flags: [none]", "risk_flags: [security]"], ["T-002", "type: feat", "type: docs"]),
    Coder: inTurn(firstCode, mend),
    Reviewer: inTurn(
      says(notes()),
      says(blocks("off by one")),
      says(passes()),
      says(notes()),
      says(blocks("two names for one thing")),
      says(notes()),
    ),
    QA: inTurn(says(failsTests()), as("QA")),
    Security: inTurn(says(audit("NEEDS_DECISION", "medium")), says(audit("BLOCKED", "high", "injection")), as("Security")),
    Integrator: inTurn(async (dispatch, world) => {
      await redden(world);
      return integrate(dispatch, world);
    }, integrate),
    Docs: inTurn(leaves({ "report.md": reportText.replace(/## Known issues[\s\S]*/, "") }), as("Docs")),
  },
  answers: saying({
    "UD-APPROVE-DESIGN": [
      "looks good",
      "changes-requested: the scope in spec.md is too wide",
      "changes-requested: name the modules",
      "changes-requested: the layout needs a preview",
      "approved",
    ],
    "UD-REVIEW-STRATEGY": ["every now and then", "per-batch"],
    "Which alphabet": ["latin only"],
    "passes with notes": ["fix", "accept"],
    "The audit found": ["fix-now"],
  }),
}));

/** Single-final, with another process in between; QA sends the whole pass round once. */
export const single = once("single", () => ({
  inputs: { request },
  cast: {
    ...goodTeam,
    QA: inTurn(says(failsTests()), as("QA")),
    Security: inTurn(says(audit("NEEDS_DECISION", "medium")), as("Security")),
    Reviewer: inTurn(says(blocks("off by one")), says(passes())),
  },
  answers: saying({ "UD-REVIEW-STRATEGY": ["Once at the end."], "The audit found": ["fix-later"] }),
  reopenAt: "Coder:T-002",
}));

/** Per-batch, of tasks that need neither tests nor audit. */
export const quiet = once("quiet", () => ({
  inputs: { request },
  cast: { ...goodTeam, Planner: planned(["T-001"], ["T-001", "type: feat", "type: docs"]) },
  answers: saying(),
}));

/** Lean, with a task that touches input: tests and audit are needed. */
export const small = once("small", () => ({
  inputs: { request: "Check the input", ...lean },
  cast: { ...goodTeam, SpecAgent: leanSpec("feat", "Check the input") },
  answers: saying(),
}));

/** Lean, with a task that needs neither, and criteria for a person's eyes. */
export const smallest = once("smallest", () => ({
  inputs: { request: "Fix a typo", ...lean },
  cast: {
    ...goodTeam,
    SpecAgent: async (dispatch, world) => {
      await leanSpec("docs", "Fix a typo")(dispatch, world);
      const criteria = [
        { id: "AC-001", description: "the check passes", verify: ["cmd: node check.mjs"] },
        { id: "AC-002", description: "it reads well", verify: ["manual: read it"] },
        { id: "AC-003", description: "it is short", verify: ["manual: count"] },
      ];
      return leaves({ "acceptance.json": JSON.stringify({ acceptance_criteria: criteria }) })(dispatch, world);
    },
  },
  answers: saying({
    "need to be looked at by a person": ["not-met: AC-002 is clumsy", "confirmed"],
    "cannot end yet": ["retry", "waive: AC-002"],
  }),
}));

function leanSpec(type: string, goal: string): Play {
  return async (dispatch, world) => {
    await as("SpecAgent")(dispatch, world);
    return planned(["T-001"], ["T-001", "type: feat", `type: ${type}`], ["T-001", "goal: Build part 1", `goal: ${goal}`])(dispatch, world);
  };
}

/** Lean, left because the Coder says that it is not small. */
export const outgrown = once("outgrown", () => ({
  inputs: { request: "Fix a typo", ...lean },
  cast: { ...goodTeam, Coder: says(reported("BLOCKED", "This is larger.", { artifacts: { patch_summary: [] } })) },
  answers: saying(),
  stopAt: ["Architect:meta", 1],
}));

/** Lean, left because more files changed than it allows. */
export const overgrown = once("overgrown", () => ({
  inputs: { request: "Fix a typo", ...lean },
  cast: {
    ...goodTeam,
    Coder: async (dispatch, world) => {
      for (const name of ["a", "b", "c", "d"]) await world.write(`src/${name}.mjs`, "export {};\n");
      return reported("OK", "Coded.", { artifacts: { patch_summary: ["four files"] } });
    },
  },
  answers: saying(),
  stopAt: ["SpecAgent:meta", 2],
}));

/** Gates that get no valid answer, or none at all. */
export const stubborn = once("stubborn", () => {
  const words: (string | { readonly declined: string })[] = [
    "looks good",
    "approved? no, stop",
    "not approved",
    "go ahead",
    "fine",
    { declined: "Not this month." },
    "retry",
    "approved",
    "per-batch or single-final",
    "both",
    "you choose",
    "yes",
    { declined: "Later." },
    "retry",
  ];
  return {
    inputs: { request },
    cast: goodTeam,
    answers: () => words.shift(),
  };
});

/** Every repair loop of a task until its budget is spent, each time with another way out. */
export const spent = once("spent", () => {
  let round = 0;
  const other = (): string => `finding ${(round += 1)}`;
  return {
    inputs: { request },
    cast: {
      ...goodTeam,
      Planner: planned(["T-001"], ["T-001", "risk_flags: [none]", "risk_flags: [security]"]),
      Coder: async (dispatch, world) => {
        if (dispatch["repair"] === undefined) await redden(world);
        return code(dispatch, world);
      },
      Reviewer: async () => blocks(other()),
      QA: async () => failsTests(other()),
      Security: async () => audit("BLOCKED", "high", other()),
    },
    answers: saying({
      "FIX_BUILD of T-001": ["other-approach", "accept"],
      "FIX_REVIEW of T-001": ["guidance: use a table", "accept"],
      "FIX_TESTS of T-001": ["accept"],
      "FIX_SECURITY of T-001": ["cut-scope"],
    }),
    stopAt: ["Planner:meta", 2],
  } satisfies Script;
});

/** Roles that fail: unusable reports, artifacts that do not pass, a role that gives up. */
export const failing = once("failing", () => ({
  inputs: { request },
  cast: {
    ...goodTeam,
    SpecAgent: inTurn(
      says({ status: "DONE" }),
      leaves({ "spec.md": "# Slugs\n\n## Goals\n\nFast.\n", "acceptance.json": "{}" }),
      leaves({ "spec.md": "# Slugs\n" }),
      async (dispatch, world) => {
        await world.write("src/sneaky.mjs", "x\n");
        return as("SpecAgent")(dispatch, world);
      },
      async (dispatch, world) => {
        await rm(join(world.folder, "src/sneaky.mjs"), { force: true });
        return as("SpecAgent")(dispatch, world);
      },
    ),
    Architect: inTurn(says(reported("FAIL", "The disk is full.")), leaves({ "architecture.md": "# Nothing\n" }), as("Architect")),
    Planner: inTurn(leaves({ "tasks.yaml": "tasks:\n  - {id: T-001, goal: g, acceptance_checks: ['cmd: x']}\n" }), as("Planner")),
  },
  answers: saying({ "Nothing can continue": ["retry", "guidance: free some space", "retry"] }),
  stopAt: ["Coder:T-001", 1],
}));

/** Lean, by a person who leaves notes and a finding without an answer, explicitly. */
export const declining = once("declining", () => ({
  inputs: { request: "Check the input", ...lean },
  cast: {
    ...goodTeam,
    SpecAgent: leanSpec("docs", "Check the input"),
    Reviewer: says(notes()),
    Security: says(audit("NEEDS_DECISION", "medium")),
  },
  answers: (id, question, world) =>
    /passes with notes|The audit found/.test(question) ? { declined: "Not today." } : saying()(id, question, world),
}));

/** Goes straight to the end of a machine that has done nothing of what its definition of done wants. */
export const unmet = once("unmet", () => ({
  inputs: { request },
  workflow: "hasty",
  files: { ".waymark/workflows/hasty.machine.yaml": hasty, ".waymark/workflows/roles/planner.md": "Plan.\n" },
  cast: { Writer: leaves({ "tasks.yaml": plan(["T-001"]), "acceptance.json": acceptance }) },
  answers: saying(),
}));

const hasty = `machine: hasty
description: Plans, and would like to be done.
inputs: { request: string }
modes:
  full: { default: true, start: PLAN, roles: [Writer, Checker] }
artifacts:
  tasks: { form: tasks }
  acceptance: { form: acceptance }
  report: { form: report }
roles:
  Writer: { title: Plans., instructions: roles/planner.md, writes: [tasks, acceptance, report] }
  Checker: { title: Checks., instructions: roles/planner.md, reads: [tasks] }
states:
  PLAN:
    do: [{ dispatch: Writer, leaves: [tasks, acceptance] }, { take_tasks: tasks }, { dispatch: Checker, when: changed_files > 100 }]
    next: DONE
  DONE:
    do: [{ finish: true }]
    next: end
done: { tasks: true, criteria: true, report: true, checks: true }
`;

/** The first writes of the status file fail this often; how often writing was tried until it was there or given up. */
export async function unwritable(times: number): Promise<{ readonly tried: number; readonly ended: string }> {
  let tried = 0;
  const failingOnes = (path: string): string | undefined => {
    if (!path.endsWith("/status.json")) return undefined;
    tried += 1;
    return tried <= times ? "the disk is full" : undefined;
  };
  const script = { inputs: { request }, cast: {}, answers: saying(), failing: failingOnes };
  const ended = await record(script).then(
    ({ open }) => open,
    (error: unknown) => String(error),
  );
  return { tried, ended };
}
