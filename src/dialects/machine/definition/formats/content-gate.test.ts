import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentGate, type ArtifactKind } from "./content-gate.ts";
import { criteriaIn, findSection, sectionsOf } from "./markdown-sections.ts";

const spec = `# Login

## Goals
People log in.

## Acceptance Criteria
- AC-001: A wrong password is refused.
- **AC-002** - The session ends after an hour.

## Definition of Done
- all checks pass
`;
const gate = (kind: ArtifactKind, text: string | undefined, mode: "full" | "lean" = "full"): string[] =>
  contentGate(kind, text, mode).map(({ message }) => message);

describe("sections", () => {
  test.each([
    "## Goals",
    "## 1. Goals",
    "### 2.1 GOALS",
    "# **Goals**",
    "## Goals:",
    "## 1) Goals ##",
    "Goals\n-----",
    "## Section 3: Goals",
    "## 🎯 Goals",
    "## Goals (first)",
  ])("%j is found", (heading) =>
    expect(findSection(sectionsOf(`x\n\n${heading}\ntext\n`), ["Goals"])).toMatchObject({
      body: expect.stringContaining("text") as string,
    }),
  );
  test.each(["## Goalkeeper", "Goals", "```\n## Goals\n```", "<!--\n## Goals\n-->", "    ## Goals", "## Non-Goals", "##Goals"])(
    "%j is not",
    (text) => expect(findSection(sectionsOf(`${text}\ntext\n`), ["Goals"])).toBeUndefined(),
  );
  test("end at the next heading of their level or above", () => {
    const sections = sectionsOf("# A\n1\n## B\n2\n### C\n3\n## D\n4\n");
    expect(sections.map(({ heading, body, line, bodyLine }) => [heading, body.replaceAll("\n", " ").trim(), line, bodyLine])).toEqual([
      ["A", "1 ## B 2 ### C 3 ## D 4", 1, 2],
      ["B", "2 ### C 3", 3, 4],
      ["C", "3", 5, 6],
      ["D", "4", 7, 8],
    ]);
  });
  test("of any text have lines that exist", () => {
    const piece = fc.constantFrom("# ", "## A", "\n", "```", "===", "---", "<!--", "-->", "text", "\r\n", "- AC-1: x", "| AC-2 |", "1. ");
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        for (const section of sectionsOf(text)) {
          expect(section.line).toBeLessThanOrEqual(text.split(/\r\n|\n/).length);
          criteriaIn(section);
        }
      }),
    );
  });
});

describe("criteria", () => {
  const read = (body: string): ReturnType<typeof criteriaIn> =>
    criteriaIn({ level: 2, heading: "Acceptance Criteria", line: 1, body, bodyLine: 2 });
  test("are entries, rows or headings", () => {
    const { criteria, faults } = read(
      "Some words.\n- [ ] AC-001: a\n* **AC-002** b\n  - detail\n1. AC-003 - c\n| ID | What |\n|---|---|\n| AC-004 | d |\n### AC-005 Title\n- step\n### AC-006\nGiven x\n",
    );
    expect(criteria.map(({ id, line }) => [id, line])).toEqual([
      ["AC-001", 3],
      ["AC-002", 4],
      ["AC-003", 6],
      ["AC-004", 9],
      ["AC-005", 10],
      ["AC-006", 12],
    ]);
    expect(criteria[5]?.text).toBe("Given x");
    expect(faults).toEqual([]);
  });
  test("without id, without words and twice are told", () => {
    expect(read("- it is fast\n- AC-001: TBD\n- AC-002: x\n- AC-002: y\n").faults.map(({ message }) => message)).toEqual([
      "The criterion on line 2 has no id such as `AC-001`.",
      "The criterion `AC-001` says nothing that could be tested.",
      "The criterion `AC-002` is there twice.",
    ]);
  });
});

describe("the gate of", () => {
  test("a spec wants three sections with content and testable criteria", () => {
    expect(gate("spec", spec)).toEqual([]);
    expect(gate("spec", spec.replace("People log in.", "TODO"))).toEqual(["The section `Goals` of `spec.md` says nothing."]);
    expect(gate("spec", spec.replace(/## Definition[\s\S]*/, ""))).toEqual(["`spec.md` has no section `Definition of Done`."]);
    expect(gate("spec", spec.replace(/## Definition[\s\S]*/, ""), "lean")).toEqual([]);
    expect(gate("spec", spec.replace(/AC-00\d:? ?/g, ""))).toHaveLength(2);
    expect(gate("spec", spec.replace(/- AC[\s\S]*hour\./, "It works."))).toEqual(["No acceptance criterion has an id such as `AC-001`."]);
    expect(gate("spec", undefined)).toEqual(["`spec.md` is missing."]);
    expect(gate("spec", " \n")).toEqual(["`spec.md` is empty."]);
  });

  test("a spec in another language passes when its headings are named, and says so when they are not", () => {
    const german = spec.replace("Goals", "1. Ziele").replace("Acceptance Criteria", "Abnahme").replace("Definition of Done", "Fertig wenn");
    expect(
      contentGate("spec", german, "full", { Goals: ["Ziele"], "Acceptance Criteria": ["Abnahme"], "Definition of Done": ["Fertig wenn"] }),
    ).toEqual([]);
    expect(contentGate("spec", german, "full")[0]?.code).toBe("MACHINE_HEADINGS_UNKNOWN");
  });

  test("an architecture wants overview and modules, but not in the lean way", () => {
    expect(gate("architecture", "# Overview\nx\n# Modules / Components\ny\n")).toEqual([]);
    expect(gate("architecture", "# Overview\nx\n")).toEqual(["`architecture.md` has no section `Modules`."]);
    expect(gate("architecture", undefined, "lean")).toEqual([]);
  });

  test("a report wants its four parts", () => {
    const report = "## What was done\na\n## How to run\n```\nnpm start\n```\n## How to test\nc\n## Known issues\nNone.\n";
    expect(gate("report", report)).toEqual([]);
    expect(gate("report", "## Work done\na\n## Running\nb\n## Testing\nc\n## Open issues\nd\n")).toEqual([]);
    expect(gate("report", "# Report\nall good\n")).toHaveLength(4);
    expect(gate("report", report.replace("npm start", ""))).toEqual(["The section `How to run` of `report.md` says nothing."]);
  });

  test("acceptance criteria wants one whole criterion", () => {
    expect(gate("acceptance", '{"acceptance_criteria":[{"id":"AC-1","description":"d","verify":["x"]}]}')).toEqual([]);
    expect(gate("acceptance", '{"acceptance_criteria":[]}')).toEqual(["`acceptance.json` has no criterion."]);
    expect(gate("acceptance", '{"acceptance_criteria":[{"id":"AC-1","description":"d","verify":[]}]}')).toEqual([
      "`acceptance_criteria[0]` has no `verify`.",
    ]);
    expect(gate("acceptance", "{")).toHaveLength(1);
  });

  test("tasks wants what a plan must say, and one task in the lean way", () => {
    const one =
      "project: {name: x, definition_of_done: []}\ntasks:\n  - {id: T-1, status: not-started, goal: g, acceptance_checks: ['cmd: x']}\n";
    expect(gate("tasks", one)).toEqual(["`tasks[0]` has no `depends_on`.", "`tasks[0]` has no `done_when`."]);
    expect(gate("tasks", one, "lean")).toEqual([]);
    expect(gate("tasks", `${one}  - {id: T-2, goal: g, acceptance_checks: ['cmd: x']}\n`, "lean")).toEqual([
      "The lean way has one task, but `tasks.yaml` has 2.",
    ]);
    expect(gate("tasks", "tasks: []")).toEqual(["`tasks.yaml` has no task."]);
    expect(gate("tasks", "tasks:\n  - id: a: b")).toHaveLength(1);
  });

  test("a status wants a known state and valid decisions", () => {
    expect(gate("status", '{"current_state":"DESIGN"}')).toEqual([]);
    expect(gate("status", '{"current_state":"DESIGNING"}')).toHaveLength(1);
    const record = {
      decision_id: "UD-1",
      question: "q",
      status: "answered",
      answer: null,
      asked_at: "2026-03-02T10:15:00Z",
      resolved_at: null,
      resolution_reason: null,
      state_context: "PLAN",
    };
    expect(gate("status", JSON.stringify({ current_state: "PLAN", user_decisions: [record] }))).toHaveLength(2);
  });
});
