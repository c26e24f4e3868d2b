import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkProgram } from "../../program/index.ts";
import { checkExpr, namesOf } from "../../state/index.ts";
import {
  checkRoleOutput,
  machineDialect,
  machineEdges,
  machineOfProgram,
  sessionRoles,
  sessionStates,
  type MachineDefinition,
  type SessionRole,
} from "./definition/index.ts";
import { importKey, type ExpressionChecker, type LoweredWorkflow, type SourceSet } from "../../source/index.ts";
import { dialectOf, loadWorkflow, referencesOf } from "../../../test/support/all-dialects.ts";
import { shownEdges } from "../../../test/support/shown-edges.ts";
import { machineFeatures } from "../../../test/support/dialect-features.ts";

const root = join(import.meta.dirname, "../../..");
const delivery = "workflows/delivery.machine.yaml";
const triage = "examples/bug-triage/.waymark/workflows/bug-triage.machine.yaml";
const checker: ExpressionChecker = { check: checkExpr, names: namesOf, cycles: () => [], collisions: () => [] };

function setOf(path: string): SourceSet {
  const main = { path, text: readFileSync(join(root, path), "utf8"), name: "x", source: "bundled" as const };
  const imports = Object.fromEntries(
    referencesOf(main)
      .files.flat()
      .map((reference) => {
        const file = join(path, "..", reference);
        return [importKey(path, reference), { path: file, text: readFileSync(join(root, file), "utf8") }];
      }),
  );
  return { main, imports, workflows: {} };
}

const load = (path: string): LoweredWorkflow => loadWorkflow(setOf(path), checker);

function definitionOf(path: string): MachineDefinition {
  const { program } = load(path);
  return machineOfProgram(program!);
}

describe.each([delivery, triage])("%s", (path) => {
  test("loads without a problem into a sound program", () => {
    const { diagnostics, program, info } = load(path);
    expect(diagnostics).toEqual([]);
    expect(checkProgram(program!)).toEqual([]);
    expect(program?.dialect).toBe("machine");
    expect(info.problems).toBe(0);
    expect(dialectOf(setOf(path).main)).toBe("machine");
  });

  test("the example report in each role's instructions would count", () => {
    const roles = Object.entries(definitionOf(path).roles);
    expect(roles.length).toBeGreaterThan(0);
    for (const [name, { text, output, answers }] of roles) {
      const role: SessionRole = sessionRoles.find((each) => each === output) ?? "SpecAgent";
      const json = /```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
      const checked = checkRoleOutput(role, json);
      expect(checked.problems, name).toEqual([]);
      expect(answers).toContain(checked.output?.status);
    }
  });

  test("the diagram has every state and every way, the text every state", () => {
    const { program } = load(path);
    const definition = machineOfProgram(program!);
    expect(edgesOfDiagram(machineDialect.explain!(program!).mermaid()).sort()).toEqual(
      machineEdges(definition)
        .map(({ from, to }) => `${from} -> ${to}`)
        .sort(),
    );
    const text = machineDialect.explain!(program!).text();
    for (const [name, { inner }] of Object.entries(definition.states))
      for (const each of [name, ...Object.keys(inner?.states ?? {}).map((held) => `${name}.${held}`)])
        expect(text).toMatch(new RegExp(`^\\s*${each.replace(".", "\\.")}(?: \\(for each task\\))?: `, "m"));
  });
});

/** Ways of a diagram, read from its text alone. */
function edgesOfDiagram(diagram: string): string[] {
  const found: string[] = [];
  let around = "";
  for (const line of diagram.split("\n")) {
    const opened = /^\s*state (\w+) \{$/.exec(line)?.[1];
    if (opened !== undefined) around = opened;
    if (/^\s*\}$/.test(line)) around = "";
    const [, from = "", to = ""] = /^\s*(\S+) --> ([^\s:]+)(?:: [^:;#]+)?$/.exec(line) ?? [];
    const name = (id: string, ends: string): string => (id === "[*]" ? ends : id.replace("__", "."));
    if (from !== "") found.push(`${name(from, around === "" ? "start" : around)} -> ${name(to, around === "" ? "end" : `${around}.end`)}`);
  }
  return found;
}

/** Written by hand: the states of the process, what follows each, its repairs, and who may have to wait for a person. */
const process = `
start -> INTAKE, INTAKE_LEAN
INTAKE -> DESIGN
DESIGN -> APPROVE_DESIGN
APPROVE_DESIGN -> PLAN, APPROVE_DESIGN
PLAN -> REVIEW_STRATEGY
REVIEW_STRATEGY -> IMPLEMENT_LOOP
INTAKE_LEAN -> IMPLEMENT_LOOP
IMPLEMENT_LOOP -> FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD, INTEGRATE, INTAKE
FIX_REVIEW -> IMPLEMENT_LOOP, PLAN
FIX_TESTS -> IMPLEMENT_LOOP, PLAN
FIX_SECURITY -> IMPLEMENT_LOOP, PLAN
FIX_BUILD -> IMPLEMENT_LOOP, INTEGRATE, PLAN
INTEGRATE -> FIX_BUILD, RELEASE, DONE, INTAKE
RELEASE -> DONE
DONE -> end
ASK_USER <-> DESIGN, IMPLEMENT_LOOP, FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD, INTEGRATE, DONE
BLOCKED <-> INTAKE, INTAKE_LEAN, DESIGN, APPROVE_DESIGN, PLAN, REVIEW_STRATEGY, IMPLEMENT_LOOP, INTEGRATE, RELEASE
BLOCKED <-> FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD
`;

/** Inside the loop, one line per state; \`end\` ends the task or the pass. */
const inside: Readonly<Record<string, string>> = {
  IMPLEMENT_LOOP: `
start -> TASK
TASK -> CODE_LEAN, CODE
CODE -> CHECK
CODE_LEAN -> INTAKE, CHECK
CHECK -> INTAKE, FIX_BUILD, CODED
CODED -> end, REVIEW
REVIEW -> FIX_REVIEW, FIX_REVIEW, REVIEWED
REVIEWED -> QA, SECURITY, COMPLETE
QA -> FIX_TESTS, TESTED
TESTED -> SECURITY, COMPLETE
SECURITY -> FIX_SECURITY, FIX_SECURITY, COMPLETE
COMPLETE -> end
FIX_BUILD -> CODED, CHECK, PLAN
FIX_REVIEW -> REVIEWED, REVIEW_AGAIN, PLAN
FIX_TESTS -> TESTED, QA_AGAIN, PLAN
FIX_SECURITY -> COMPLETE, SECURITY_AGAIN, PLAN
REVIEW_AGAIN -> INTAKE, REVIEW
QA_AGAIN -> INTAKE, QA
SECURITY_AGAIN -> INTAKE, SECURITY
`,
  FINAL_REVIEW: `
start -> REVIEW
REVIEW -> FIX_REVIEW, REVIEWED
REVIEWED -> QA, SECURITY, end
QA -> FIX_TESTS, TESTED
TESTED -> SECURITY, end
SECURITY -> FIX_SECURITY, FIX_SECURITY, end
FIX_REVIEW -> REVIEWED, REVIEW, PLAN
FIX_TESTS -> TESTED, QA, PLAN
FIX_SECURITY -> end, SECURITY, PLAN
`,
  COMBINED_REVIEW: `
start -> REVIEW
REVIEW -> FIX_REVIEW, QA
QA -> FIX_TESTS, SECURITY
SECURITY -> FIX_SECURITY, FIX_SECURITY, COMPLETE
COMPLETE -> end
FIX_REVIEW -> QA, REVIEW, PLAN
FIX_TESTS -> SECURITY, REVIEW, PLAN
FIX_SECURITY -> COMPLETE, REVIEW, PLAN
`,
};

function edgesWritten(list: string): string[] {
  return list
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [, from = "", sign = "", targets = ""] = /^(\S+) (<?->) (.+)$/.exec(line) ?? [];
      return targets.split(", ").flatMap((to) => (sign === "->" ? [`${from} -> ${to}`] : [`${from} -> ${to}`, `${to} -> ${from}`]));
    });
}

describe("the ways of delivery are those of the process it was made from", () => {
  test("as status files show them", () => {
    const shown = shownEdges(definitionOf(delivery)).map(({ from, to }) => `${from} -> ${to}`);
    expect(shown.sort()).toEqual(edgesWritten(process).sort());
    const states = new Set(shown.flatMap((edge) => edge.split(" -> ")));
    expect([...states].filter((name) => name !== "start" && name !== "end").sort()).toEqual([...sessionStates].sort());
  });

  test.each(Object.keys(inside))("inside %s", (outer) => {
    const own = edgesOfDiagram(machineDialect.explain!(load(delivery).program!).mermaid())
      .filter((edge) => edge.includes(`${outer}.`) && !/ASK_USER|BLOCKED/.test(edge))
      .map((edge) => edge.replaceAll(`${outer}.`, "").replace(new RegExp(`^${outer} -> `), "start -> "));
    expect(own.sort()).toEqual(edgesWritten(inside[outer] ?? "").sort());
  });

  test("between its outermost states", () => {
    const outer = machineEdges(definitionOf(delivery)).filter(
      ({ from, to, kind }) => !from.includes(".") && !to.includes(".") && kind !== "ask" && kind !== "block",
    );
    const after = (name: string): string[] => outer.filter(({ from }) => from === name).map(({ to }) => to);
    expect(after("IMPLEMENT_LOOP")).toEqual(["INTEGRATE", "COMBINED_REVIEW", "FINAL_REVIEW"]);
    expect(after("FINAL_REVIEW")).toEqual(["INTEGRATE"]);
    expect(after("COMBINED_REVIEW")).toEqual(["INTEGRATE"]);
    expect(after("INTEGRATE")).toEqual(["FIX_BUILD", "INTEGRATED"]);
    expect(after("INTEGRATED")).toEqual(["DONE", "RELEASE"]);
    expect(after("FIX_BUILD")).toEqual(["INTEGRATED", "INTEGRATE_AGAIN", "PLAN"]);
    expect(after("INTEGRATE_AGAIN")).toEqual(["INTAKE", "INTEGRATE"]);
  });
});

test("delivery keeps the numbers and words of the process", () => {
  const { states, modes, roles } = definitionOf(delivery);
  const all = Object.values(states).flatMap((state) => [state, ...Object.values(state.inner?.states ?? {})]);
  const repairs = all.flatMap(({ repair }) => repair ?? []);
  expect(repairs).toHaveLength(11);
  expect(new Set(repairs.map(({ tries, cutScope }) => `${tries} ${cutScope ?? ""}`))).toEqual(new Set(["3 PLAN"]));
  const goals = all.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.step === "dispatch" && step.meta ? [`${step.role}: ${step.goal ?? ""}`] : [])),
  );
  expect(goals.filter((goal) => goal.startsWith("Reviewer"))).toEqual([
    "Reviewer: Cross-task final review of all session changes",
    "Reviewer: Single-final review of all session changes",
  ]);
  const gates = all.flatMap(({ steps }) => steps.flatMap((step) => (step.step === "gate" ? [step.gate] : [])));
  expect(gates).toMatchObject([
    {
      id: "UD-APPROVE-DESIGN",
      passes: "approved",
      reasks: 3,
      binds: ["spec", "acceptance", "architecture", "design"],
      changes: { prefix: "changes-requested:", history: "approve-design-history.jsonl", state: "APPROVE_DESIGN" },
    },
    { id: "UD-REVIEW-STRATEGY", into: "strategy", reasks: 3, allowsCommands: true },
  ]);
  expect(gates[0]?.changes?.route.map(({ role }) => role).sort()).toEqual(["Architect", "Designer", "SpecAgent"]);
  expect(Object.keys(gates[1]?.choices ?? {})).toEqual(["per-batch", "single-final"]);
  expect(modes["full"]?.roles).toEqual(["SpecAgent", "Architect", "Planner", "Coder", "Reviewer", "QA", "Security", "Integrator", "Docs"]);
  expect(modes["lean"]).toMatchObject({ roles: ["Coder", "Reviewer"], mostFiles: 3, otherwise: "INTAKE" });
  expect(Object.keys(modes["lean"]?.onlyIf ?? {})).toHaveLength(6);
  expect(Object.keys(roles)).toHaveLength(11);
});

test("a machine can be called from steps, with its inputs", () => {
  const { main, imports } = setOf(triage);
  const steps = {
    path: "caller.yaml",
    name: "caller",
    source: "project" as const,
    text: JSON.stringify({
      name: "caller",
      description: "Calls a machine.",
      version: "1.0.0",
      steps: [{ id: "go", type: "include_workflow", workflow: "bug-triage", inputs: { request: "broken" } }],
    }),
  };
  const { program, diagnostics } = loadWorkflow({ main: steps, imports, workflows: { "bug-triage": main } }, checker);
  expect(diagnostics).toEqual([]);
  expect(checkProgram(program!)).toEqual([]);
  expect(Object.keys(program?.parts ?? {})).toEqual(["caller", "bug-triage"]);
});

test("the schema and the list of features name every key", () => {
  const schema = JSON.stringify(machineDialect.jsonSchema!());
  for (const keys of [
    machineFeatures.topLevelKeys,
    ...Object.values(machineFeatures.sectionKeys),
    ...Object.values(machineFeatures.stepKeys),
  ]) {
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(schema).toContain(`"${key}"`);
  }
  expect(machineFeatures.sectionKeys["states.*"]).toContain("repair");
  expect(machineFeatures.inputs).toContain("confirmed");
});

test("the first machine of docs/machines.md has no problem, and every key is explained there or in the reference", () => {
  const page = readFileSync(join(root, "docs/machines.md"), "utf8");
  const text = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const main = { path: "notes.machine.yaml", name: "notes", source: "project" as const, text };
  const imports = Object.fromEntries(
    referencesOf(main)
      .files.flat()
      .map((name) => [importKey(main.path, name), { path: name, text: "Do it." }]),
  );
  const { diagnostics, program } = loadWorkflow({ main, imports, workflows: {} }, checker);
  expect(diagnostics).toEqual([]);
  expect(checkProgram(program!)).toEqual([]);
  for (const word of [...Object.keys(machineFeatures.stepKeys), ...machineFeatures.conditionNames, ...machineFeatures.inputs])
    expect(page).toMatch(new RegExp(`\\b${word}\\b`));
});
