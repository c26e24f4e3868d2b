import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  approved,
  at,
  folder,
  good,
  pending,
  samples,
  session,
  status,
  strategy,
  tasksYaml,
} from "../../../../../test/support/broken-sessions.ts";
import type { Json } from "../../../../base/index.ts";
import { machineCodes } from "../../codes.ts";
import { writeAcceptance } from "./acceptance-json.ts";
import { conform, type Defect } from "./conformity.ts";
import { writeStatus, type CompleteStatus } from "./status-json.ts";
import { writeTasks } from "./tasks-yaml.ts";

const of = (defects: readonly Defect[], kind: string): readonly Defect[] => defects.filter((each) => each.kind === kind);

test("a session that conforms has no defect, in any state", () => {
  expect(conform(session())).toEqual([]);
  for (const state of ["INTEGRATE", "RELEASE", "DONE", "FIX_REVIEW", "FIX_BUILD"])
    expect(conform(status({ current_state: state })), state).toEqual([]);
  expect(conform(status({ current_state: "ASK_USER", user_decisions: [approved, strategy, pending()] }))).toEqual([]);
  expect(conform(status({ current_state: "APPROVE_DESIGN", user_decisions: [pending("UD-APPROVE-DESIGN", "APPROVE_DESIGN")] }))).toEqual(
    [],
  );
  expect(conform(status({ current_state: "BLOCKED", blocker: { code: "x", detail: "d", since: at, recovery: "r" } }))).toEqual([]);
  expect(
    conform(
      status(
        { current_state: "INTAKE", user_decisions: [] },
        { "spec.md": undefined, "tasks.yaml": undefined, "acceptance.json": undefined },
      ),
    ),
  ).toEqual([]);
});

test("a lean session has neither gates nor architecture", () => {
  const lean = tasksYaml.slice(0, tasksYaml.indexOf("  - id: T-002"));
  const change = { "tasks.yaml": lean, "architecture.md": undefined };
  for (const state of ["INTAKE_LEAN", "IMPLEMENT_LOOP", "DONE"])
    expect(conform(status({ current_state: state, user_decisions: [] }, change)), state).toEqual([]);
});

describe("each kind of defect", () => {
  test("has a code with its reason", () => {
    expect(Object.keys(samples).filter((kind) => machineCodes[kind] === undefined)).toEqual([]);
  });

  test.each(Object.entries(samples))("%s", (kind, [sample, file, repairable]) => {
    const found = of(conform(sample), kind);
    expect(found.length).toBeGreaterThan(0);
    for (const defect of found) {
      expect(defect.file).toBe(file);
      expect(defect.message).toMatch(/^[A-Z`].*\.$/s);
      expect(defect.fix).not.toBe("");
      expect(defect.repair !== undefined).toBe(repairable);
      if (defect.repair === undefined) continue;
      const after = conform({ ...sample, files: { ...sample.files, [file]: defect.repair } });
      expect(of(after, kind).filter((each) => each.file === file)).toEqual([]);
    }
  });
});

describe("repairs", () => {
  test("lose no word of what stood there", () => {
    const { repair } = of(conform(samples["MACHINE_DECISION_NOTE"]?.[0] ?? session()), "MACHINE_DECISION_NOTE")[0] ?? {};
    expect(JSON.parse(repair ?? "")).toMatchObject({ historic_decisions: ["approved by chat"], user_decisions: [approved, strategy] });
    const twins = of(conform(samples["MACHINE_DUPLICATE_ID"]?.[0] ?? session()), "MACHINE_DUPLICATE_ID")[0]?.repair ?? "";
    expect(twins).toContain("id: T-001-2");
  });

  test("keep the comments of a plan that only lacks quotes", () => {
    const broken = `# mine\n${tasksYaml.replace("goal: Test it.", "goal: Test: it")}`;
    const [defect] = conform(session({ "tasks.yaml": broken }));
    expect(defect).toMatchObject({
      kind: "MACHINE_UNQUOTED",
      line: 20,
      repair: `# mine\n${tasksYaml.replace("goal: Test it.", 'goal: "Test: it"')}`,
    });
  });

  test("never make an open gate a passed one", () => {
    const answer = fc.constantFrom("approved", "not approved", "changes-requested: x", "", null, 4);
    const record = fc.record(
      {
        decision_id: fc.constant("UD-APPROVE-DESIGN"),
        id: fc.constant("UD-APPROVE-DESIGN"),
        question: fc.constant("q"),
        status: fc.constantFrom("pending", "answered", "done"),
        answer,
        asked_at: fc.constantFrom(at, "x"),
        resolved_at: fc.constantFrom(at, null),
        state_context: fc.constantFrom("APPROVE_DESIGN", "PLAN"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 3 }), (list) => {
        const sample = status({ user_decisions: [strategy, ...list] as Json });
        const open = (defects: readonly Defect[]): boolean => defects.some(({ kind }) => kind.startsWith("MACHINE_GATE_"));
        const found = conform(sample);
        const repair = found.find((each) => each.file === "status.json" && each.repair !== undefined)?.repair;
        fc.pre(repair !== undefined);
        expect(open(conform({ ...sample, files: { ...sample.files, "status.json": repair } }))).toBe(open(found));
      }),
      { numRuns: 25 },
    );
  });

  test("need a time where none is known", () => {
    const sample = status({ last_update: undefined, user_decisions: [], current_state: "INTAKE" });
    expect(of(conform(sample), "MACHINE_MISSING_KEY")[0]?.repair).toBeUndefined();
    expect(of(conform({ ...sample, now: at }), "MACHINE_MISSING_KEY")[0]?.repair).toContain(at);
  });

  test("of translated headings use the names that are given", () => {
    const german = session({ "spec.md": good["spec.md"]?.replace("## Goals", "## 1. Ziele") }, { headings: { Goals: ["Ziele"] } });
    expect(of(conform(german), "MACHINE_HEADING_FORM")[0]?.repair).toBe(good["spec.md"]);
  });
});

test("what the writers write conforms", () => {
  const written: CompleteStatus = {
    current_state: "INTAKE",
    session: folder,
    assumptions: [],
    known_issues: [],
    user_decisions: [],
    gate_tracking: null,
    runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: at, kept: {} },
    retry_counts: {},
    last_ci_result: "unknown",
    last_update: at,
    blocker: null,
    notes: [],
    kept: {},
  };
  const plan = { project: { name: "n", definition_of_done: [], kept: {} }, tasks: [], kept: {} };
  const files = {
    "status.json": writeStatus(written),
    "acceptance.json": writeAcceptance({ acceptance_criteria: [], kept: {} }),
    "tasks.yaml": writeTasks(plan),
  };
  expect(conform({ folder, files }).map(({ kind }) => kind)).toEqual(["MACHINE_NOTHING_LISTED", "MACHINE_NOTHING_LISTED"]);
});

test("nothing makes it throw, and every kind it tells is listed", () => {
  const scrap = fc.constantFrom(
    "{",
    "}",
    '"',
    ":",
    "\n",
    " ",
    "- ",
    "#",
    "null",
    "DONE",
    "\uFEFF",
    "\r",
    "T-001",
    "AC-001",
    "__proto__",
    "[",
    "pending",
  );
  const cut = fc.record({
    file: fc.constantFrom(...Object.keys(good)),
    from: fc.nat(600),
    length: fc.nat(30),
    text: fc.array(scrap, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.array(cut, { minLength: 1, maxLength: 4 }), (cuts) => {
      const files: Record<string, string> = { ...good };
      for (const { file, from, length, text } of cuts) {
        const held = files[file] ?? "";
        files[file] = `${held.slice(0, from)}${text.join("")}${held.slice(from + length)}`;
      }
      for (const { kind } of conform({ folder, files })) expect(samples).toHaveProperty(kind);
    }),
    { numRuns: 50 },
  );
  expect(conform({ files: {} }).map(({ kind }) => kind)).toEqual(["MACHINE_FILE_MISSING"]);
});

test("long runs of anything are read to their end", () => {
  const runs = [" ", "-", "#", ".", "`", "<!--", "[", "AC-", "\n#", "\n- ", "a: "].map((piece) => piece.repeat(3_000 / piece.length));
  for (const run of runs) {
    const text = `## Acceptance Criteria\n- ${run}x\n# ${run}x\n`;
    const files = {
      "spec.md": text,
      "report.md": text,
      "tasks.yaml": `tasks:\n  - id: ${run}x: y`,
      "status.json": `{"current_state":"${run}`,
      "acceptance.json": run,
    };
    expect(conform({ folder, files }).length).toBeGreaterThan(0);
  }
});
