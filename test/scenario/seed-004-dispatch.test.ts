/** What a role is handed, what is looked at before, and the files that Waymark writes. */
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { isObject, textOf, type JsonObject } from "../../src/base/index.ts";
import { checkRoleInput, conform, isSessionName, type SessionRole } from "../../src/dialects/machine/definition/index.ts";
import { decisionIn, did, doing, taskIn, textsIn, type Recording, type StatusFile, type Turn } from "../support/seed-004-recording.ts";
import { brought } from "../support/seed-004-brought.ts";
import { failing, full, quiet, single, small, smallest, spent } from "../support/seed-004-runs.ts";

const minutes = 120_000;
const dispatches = ({ turns }: Recording): Turn[] => turns.filter(({ kind }) => kind === "do");
/** A report that does not count has the same dispatch handed out again, as it was put together the first time. */
const firstHanded = ({ turns }: Recording, turn: Turn): Turn => turns.find(({ dispatch }) => isDeepStrictEqual(dispatch, turn.dispatch))!;
const inputOf = ({ dispatch }: Turn): JsonObject => (isObject(dispatch["input"]) ? dispatch["input"] : {});
const contextOf = (turn: Turn): string[] =>
  textsIn(taskIn(turn)["context_files"]).map((path) =>
    path.includes("design-specs/") ? "design-spec" : path.includes("research/") ? "research" : basename(path),
  );

test.each([
  ["R45", "SpecAgent", "none"],
  ["R46", "Researcher", "spec.md acceptance.json"],
  ["R47", "Architect", "spec.md acceptance.json research"],
  ["R48", "Designer", "spec.md architecture.md acceptance.json"],
  ["R49", "Planner", "spec.md acceptance.json architecture.md design-spec research"],
  ["R50", "Coder", "spec.md tasks.yaml architecture.md design-spec"],
  ["R51", "Reviewer", "spec.md tasks.yaml architecture.md design-spec"],
  ["R52", "QA", "spec.md acceptance.json tasks.yaml design-spec"],
  ["R53", "Security", "tasks.yaml architecture.md"],
  ["R54", "Integrator", "tasks.yaml acceptance.json"],
  ["R55", "Docs", "spec.md tasks.yaml acceptance.json architecture.md"],
])(
  "%s context files of %s: %s",
  async (_id, role, files) => {
    const [first] = dispatches(await full()).filter(({ dispatch }) => dispatch["role"] === role);
    expect(contextOf(first!)).toEqual(files === "none" ? [] : files.split(" "));
  },
  minutes,
);

test(
  "R56 once there is a design spec, every Coder, Reviewer and QA gets it",
  async () => {
    const run = await full();
    const given = dispatches(run).filter(({ what }) => /^(?:Coder|Reviewer|QA):/.test(what));
    expect(given.length).toBeGreaterThan(10);
    for (const turn of given) expect(contextOf(turn)).toContain("design-spec");
  },
  minutes,
);

test(
  "R57 every dispatch carries its complete input, checked before it is handed out",
  async () => {
    const checked: number[] = [];
    for (const run of [await full(), await single(), await small(), await spent(), await failing()]) {
      for (const turn of dispatches(run)) {
        const folder = `.agents-work/${turn.status.session}`;
        const { present } = firstHanded(run, turn);
        expect(turn.dispatch["session"]).toBe(folder);
        expect(textsIn(inputOf(turn)["artifact_list"]).toSorted()).toEqual(present.map((name) => `${folder}/${name}`).toSorted());
        const where = { session: turn.status.session, existing: present, taskIds: Object.keys(turn.tasks) };
        expect(checkRoleInput(turn.what.split(":")[0] as SessionRole, inputOf(turn), where)).toEqual([]);
      }
      checked.push(dispatches(run).length);
    }
    expect(checked).toEqual([37, 16, 5, 31, 10]);
  },
  minutes,
);

test(
  "R58 a dispatch names role, instructions, session, what to leave behind, what may change and the words of the answer",
  async () => {
    const [first] = doing(await full(), "Architect:meta");
    expect(Object.keys(first!.dispatch).slice(0, 5)).toEqual(["step", "role", "instructions", "session", "input"]);
    expect(first?.dispatch).toMatchObject({
      role: "Architect",
      instructions: expect.stringMatching(/roles\/architect\.md$/) as string,
      deliver: [expect.stringMatching(/^\.agents-work\/[^/]+\/architecture\.md$/)],
      may_change: [expect.stringMatching(/architecture\.md$/), expect.stringMatching(/adr\/\*\.md$/)],
      answers: ["OK", "BLOCKED", "FAIL"],
    });
  },
  minutes,
);

test(
  "R59 project type, branch, state of the build and its last failed step are told",
  async () => {
    const run = await full();
    expect(inputOf(doing(run, "Coder:T-001")[0]!)).toMatchObject({
      project_type: "lib",
      repo_state: { branch: "main", ci_status: "unknown", last_failed_step: null },
    });
    const mending = run.turns.find(({ dispatch, what }) => what === "Coder:meta" && dispatch["repair"] === "FIX_BUILD");
    expect(inputOf(mending!)).toMatchObject({ repo_state: { ci_status: "red", last_failed_step: "node check.mjs" } });
  },
  minutes,
);

test(
  "R60 one dispatch is open at a time",
  async () => {
    for (const run of [await full(), await single(), await quiet(), await small()]) expect(run.together).toBe(1);
  },
  minutes,
);

test(
  "R61 whether there are project instructions is found out at the start, kept in runtime_flags, and read again later",
  async () => {
    const flags = ({ writes }: Recording): unknown[] => writes.map((status) => status["runtime_flags"]);
    for (const each of flags(await full()))
      expect(each).toMatchObject({ copilot_instructions_exists: true, copilot_checked_at: expect.any(String) as string });
    for (const each of flags(await single())) expect(each).toMatchObject({ copilot_instructions_exists: false });
    for (const run of [await full(), await single()]) expect(new Set(flags(run).map((each) => JSON.stringify(each))).size).toBe(1);
  },
  minutes,
);

test(
  "R62 a session that was brought along without the flag has it found out again",
  async () => {
    expect((await brought()).strategy.writes[0]).toMatchObject({ runtime_flags: { copilot_instructions_exists: false } });
  },
  minutes,
);

test(
  "R63 every dispatch names the project instructions when there are any, and none when there are none",
  async () => {
    const [some, none] = [dispatches(await full()), dispatches(await single())];
    expect([some.length, none.length]).toEqual([37, 16]);
    for (const { dispatch } of some) expect(dispatch["project_instructions"]).toEqual([".github/copilot-instructions.md", "AGENTS.md"]);
    for (const { dispatch } of none) expect(dispatch).not.toHaveProperty("project_instructions");
  },
  minutes,
);

test(
  "R64 project instructions come last where instructions contradict each other",
  async () => {
    const given = dispatches(await full()).map(({ dispatch }) => dispatch["precedence"]);
    const order = "the form of inputs and reports > the role's instructions > the rules of the workflow > instructions of the project";
    expect(given).toEqual(Array(37).fill(order));
  },
  minutes,
);

test(
  "R65 in full mode nobody after DESIGN is dispatched before the approval is on disk",
  async () => {
    const later: number[] = [];
    for (const run of [await full(), await single(), await spent()]) {
      const after = dispatches(run).filter((turn) => !/^(?:SpecAgent|Researcher|Architect|Designer):/.test(turn.what));
      for (const { what, status } of after)
        expect([what, decisionIn(status, "UD-APPROVE-DESIGN")]).toMatchObject([what, { status: "answered", answer: "approved" }]);
      later.push(after.length);
    }
    expect(later).toEqual([27, 14, 29]);
  },
  minutes,
);

test(
  "R66 in full mode nobody reviews, tests or audits before a canonical strategy is on disk",
  async () => {
    const chosen: [answer: string, times: number][] = [];
    for (const run of [await full(), await single(), await spent()]) {
      const judging = dispatches(run).filter((turn) => /^(?:Reviewer|QA|Security):/.test(turn.what));
      const answers = new Set(judging.map(({ status }) => decisionIn(status, "UD-REVIEW-STRATEGY")?.answer));
      chosen.push([[...answers].join(), judging.length]);
    }
    expect(chosen).toEqual([
      ["per-batch", 11],
      ["single-final", 6],
      ["per-batch", 13],
    ]);
  },
  minutes,
);

test(
  "R67 gates are never dispatched to a role",
  async () => {
    const roles = new Set((await full()).turns.flatMap(({ dispatch }) => (typeof dispatch["role"] === "string" ? [dispatch["role"]] : [])));
    expect([...roles].toSorted()).toEqual(
      "Architect Coder Designer Docs Integrator Planner QA Researcher Reviewer Security SpecAgent".split(" "),
    );
  },
  minutes,
);

test(
  "R68 a role that changes what is not its own has its report refused, with the file named",
  async () => {
    const refusals = (await failing()).refused.filter((line) => line.includes("sneaky"));
    expect(refusals).toEqual([expect.stringContaining("`src/sneaky.mjs` was changed, and SpecAgent may not change it.")]);
  },
  minutes,
);

test(
  "R69 everything of a session lies in .agents-work, in a folder named by date and two to four words",
  async () => {
    const run = await full();
    for (const { session } of run.writes) expect(isSessionName(session)).toBe(true);
    expect(run.writes[0]?.session).toMatch(/^\d{4}-\d{2}-\d{2}_make-slugs-titles$/);
    expect(Object.keys(run.files).toSorted()).toEqual([
      "acceptance.json",
      "approve-design-history.jsonl",
      "architecture.md",
      "design-specs/design-spec-slugs.md",
      "report.md",
      "research/research-slugs.md",
      "spec.md",
      "status.json",
      "tasks.yaml",
    ]);
  },
  minutes,
);

test(
  "R70 status.json has the documented keys, and no status of tasks",
  async () => {
    const keys =
      "current_state session assumptions known_issues user_decisions gate_tracking runtime_flags retry_counts last_ci_result last_update";
    expect(Object.keys((await full()).writes.at(-1) as StatusFile)).toEqual(keys.split(" "));
    for (const status of (await full()).writes) expect(JSON.stringify(status)).not.toMatch(/"(?:tasks|completed_tasks)"/);
  },
  minutes,
);

test(
  "R71 a finished session conforms to the documented form in every file",
  async () => {
    for (const run of [await full(), await single(), await small(), await smallest()]) {
      const folder = run.writes[0]?.session ?? "";
      expect(conform({ folder, files: run.files })).toEqual([]);
    }
  },
  minutes,
);

test(
  "R72 status.json and tasks.yaml are written at every transition",
  async () => {
    const run = await full();
    expect(run.writes.length).toBeGreaterThan(run.turns.length);
    const times = run.writes.map((status) => Date.parse(textOf(status["last_update"] ?? "")));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  },
  minutes,
);

test(
  "R73 no finished run has a pending decision, an open task or a red build",
  async () => {
    for (const run of [await full(), await single(), await quiet(), await small(), await smallest()]) {
      const last = run.writes.at(-1) as StatusFile;
      expect(last).toMatchObject({ current_state: "DONE", last_ci_result: "green" });
      expect(last.user_decisions.filter(({ status }) => status === "pending")).toEqual([]);
      expect(run.files["tasks.yaml"]).not.toMatch(/status: (?!completed)/);
    }
  },
  minutes,
);

test(
  "R74 lean mode counts Coder and Reviewer as its roles; SpecAgent only prepares",
  async () => {
    expect(new Set(did(await smallest()))).toEqual(new Set(["SpecAgent:meta", "Coder:T-001", "Reviewer:T-001"]));
  },
  minutes,
);
