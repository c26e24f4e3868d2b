import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { ExpressionChecker } from "../../../source/index.ts";
import { checkExpr, namesOf } from "../../../state/index.ts";
import { definitionCodes } from "../definition-codes.ts";
import { lowerMachine } from "./lower.ts";
import { parseMachine, type ParsedMachine } from "./parse-machine.ts";
import { recogniseMachine } from "./references.ts";

/** A small machine without a problem; samples change one place of it. */
const sound = `machine: small
description: Makes something and has it looked at.
start: MAKE
inputs:
  request: string
artifacts:
  plan: plan.md
  tasks: { form: tasks }
roles:
  Maker: { title: Makes things., instructions: roles/maker.md, reads: ["plan?"], writes: [plan, tasks, "src/**"] }
  Reviewer: { title: Looks at things., instructions: roles/reviewer.md }
states:
  MAKE:
    do:
      - { dispatch: Maker, leaves: [tasks], goal: "Make {{ inputs.request }}" }
      - { take_tasks: tasks }
    next: LOOP
  LOOP:
    each: tasks
    start: LOOK
    states:
      LOOK:
        do: [{ dispatch: Reviewer }, { checks: task }]
        on: [{ when: output.status === 'BLOCKED', to: FIX }]
        next: end
      FIX: { repair: { by: Maker, goal: Mend it., back: LOOK, accepted: end, cut_scope: MAKE } }
    next: ASK
  ASK:
    do: [{ gate: UD-SHIP, question: Ship it?, choices: { ship: Now., wait: Later. }, into: shipping }]
    on: [{ when: shipping === 'wait', to: MAKE }]
    next: DONE
  DONE: { do: [{ finish: true }], next: end }
done: { tasks: true }
`;

const files = {
  "roles/maker.md": { path: "/w/roles/maker.md", text: "Make." },
  "roles/reviewer.md": { path: "/w/roles/reviewer.md", text: "Look." },
};

const checker: ExpressionChecker = { check: checkExpr, names: namesOf, cycles: () => [], collisions: () => [] };

function parsed(text: string): ParsedMachine {
  return parseMachine({ path: "small.machine.yaml", text }, { source: "project", files, checker });
}

/** The sound machine with the first text replaced by the second, for each pair. */
function changed(...pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, () => to);
  }, sound);
}

test("a sound machine has no problem, and its definition is complete", () => {
  const { definition, diagnostics, info } = parsed(sound);
  expect(diagnostics).toEqual([]);
  expect(info).toMatchObject({ name: "small", problems: 0, version: "1.0.0" });
  expect(Object.keys(info.inputs)).toEqual(["request", "mode", "slug", "session", "confirmed", "project_type", "ui", "research"]);
  expect(definition).toMatchObject({
    folder: ".agents-work",
    defaultMode: "full",
    modes: { full: { start: "MAKE" } },
    artifacts: { plan: { path: "plan.md" }, tasks: { path: "tasks.yaml", form: "tasks" } },
    roles: {
      Maker: {
        instructions: "/w/roles/maker.md",
        text: "Make.",
        reads: [{ artifact: "plan", optional: true }],
        artifacts: ["plan", "tasks"],
        files: ["src/**"],
        output: "plain",
        answers: ["OK", "BLOCKED", "FAIL"],
        seesChanges: false,
      },
      Reviewer: { output: "Reviewer", seesChanges: true },
    },
    done: { tasks: true, criteria: false, report: false, checks: false, rules: [] },
  });
  expect(definition?.states["LOOP"]?.inner?.states["FIX"]).toMatchObject({
    repair: { role: "Maker", tries: 3, cutScope: "MAKE" },
    outcomes: [{ when: "repair.accepted === true", to: null }, { to: "LOOK" }],
  });
  expect(definition?.states["ASK"]?.steps[0]).toMatchObject({ step: "gate", gate: { id: "UD-SHIP", reasks: 3, into: "shipping" } });
});

test("a role can say who plays it, and a task can name a role of the machine", () => {
  const bound = changed(
    ["reviewer.md }", "reviewer.md, agent: codex, model: gpt-5, permission: { level: edit, commands: [npm test] } }"],
    ["- { take_tasks: tasks }", "- { take_tasks: tasks }\n      - { task: look, prompt: Look., role: Reviewer }"],
  );
  const { definition, diagnostics } = parsed(bound);
  expect(diagnostics).toEqual([]);
  const permission = { level: "edit", commands: ["npm test"] };
  expect(definition?.roles["Reviewer"]).toMatchObject({ agent: "codex", model: "gpt-5", permission });
  const { blocks } = lowerMachine(definition!, { file: "f", line: 1, column: 1 });
  expect(blocks["LOOP.LOOK.1.act"]).toMatchObject({
    args: { bound: { of: { role: "Reviewer", agent: "codex", model: "gpt-5", permission } } },
  });
  expect(blocks["MAKE.1.act"]).toMatchObject({ args: { dispatch: expect.anything() as object } });
  expect(Object.keys((blocks["MAKE.1.act"] as { args: object }).args)).toEqual(["dispatch"]);
  expect(blocks["MAKE.3.act"]).toMatchObject({ args: { role: { of: "Reviewer" }, agent: { of: "codex" }, model: { of: "gpt-5" } } });
  const wrong = bound.replace("role: Reviewer", "role: Reviewr").replace("permission: {", "permision: {");
  expect(parsed(wrong).diagnostics.map(({ code, fix }) => [code, fix])).toEqual([
    ["MACHINE_UNKNOWN_KEY", expect.stringContaining("permission") as string],
    ["MACHINE_UNKNOWN_ROLE", expect.stringContaining("Reviewer") as string],
  ]);
  const continued = bound.replace("role: Reviewer", "role: Reviewer, context: last");
  expect(parsed(continued).diagnostics).toMatchObject([
    { code: "MACHINE_BAD_VALUE", message: expect.stringContaining("a conversation of its own") as string },
  ]);
});

test("the limit of the mode stands in conditions under its own name", () => {
  const text = changed(
    ["start: MAKE", "modes: { full: { start: MAKE }, small: { start: MAKE, most_files: 3 } }"],
    ["output.status === 'BLOCKED'", "changed_files > most_files"],
  );
  const { definition, diagnostics } = parsed(text);
  expect(diagnostics).toEqual([]);
  const when = definition?.states["LOOP"]?.inner?.states["LOOK"]?.outcomes[0]?.when ?? "";
  expect(checkExpr({ as: "condition", of: when })).toEqual([]);
  const holds = (changed_files: number, mode: string): unknown => runInNewContext(when, { changed_files, mode });
  expect([holds(4, "small"), holds(3, "small"), holds(400, "full")]).toEqual([true, false, false]);
});

test("machines are recognised by key or name", () => {
  expect(recogniseMachine({ path: "x.yaml", text: sound })).toBe(true);
  expect(recogniseMachine({ path: "x.machine.yaml", text: "" })).toBe(true);
  expect(recogniseMachine({ path: "x.yaml", text: `${sound}steps: []\n` })).toBe(false);
  expect(recogniseMachine({ path: "x.yaml", text: "name: x\nsteps:\n  - id: a\n    machine: b\n" })).toBe(false);
});

type Sample = readonly [code: string, at: string, text: string, words: RegExp];

const maker = 'Maker: { title: Makes things., instructions: roles/maker.md, reads: ["plan?"], writes: [plan, tasks, "src/**"] }';

/** A code, the text its place begins with, a definition that raises it, and words that its message or fix must have. */
const samples: readonly Sample[] = [
  ["MACHINE_SYNTAX", "", changed(["start: MAKE", 'start: "MAKE']), /quote/],
  ["MACHINE_UNQUOTED_TEMPLATE", "{{", changed(['"Make {{ inputs.request }}"', "{{ inputs.request }}"]), /quotes/],
  ["MACHINE_ALIAS", "*none", changed(["machine: small", "machine: *none"]), /\*none/],
  ["MACHINE_SEVERAL_DOCUMENTS", "---", `${sound}---\nmachine: other\n`, /several/],
  ["MACHINE_NOT_A_MAP", "", "- machine\n", /machine:/],
  ["MACHINE_NOT_JSON", ".inf", changed(["done: { tasks: true }", "done: { tasks: .inf }"]), /JSON/],
  ["MACHINE_DUPLICATE_KEY", "start", changed(["start: MAKE", "start: MAKE\nstart: MAKE"]), /second time/],
  ["MACHINE_FORBIDDEN_KEY", "__proto__", changed(["  plan: plan.md", "  plan: plan.md\n  __proto__: x.md"]), /not allowed/],
  ["MACHINE_TOO_DEEP", "", `machine: ${"[".repeat(600)}${"]".repeat(600)}\n`, /levels/],
  ["MACHINE_UNKNOWN_KEY", "then test it.", changed(["goal: Mend it.", "goal: Mend it, then test it."]), /comma/],
  ["MACHINE_UNKNOWN_KEY", "leafs", changed(["leaves:", "leafs:"]), /`leaves`/],
  [
    "MACHINE_MISSING_KEY",
    "{ title",
    changed(["{ title: Looks at things., instructions: roles/reviewer.md }", "{ title: Looks at things. }"]),
    /`instructions`/,
  ],
  ["MACHINE_WRONG_TYPE", "7", changed(["machine: small", "machine: 7"]), /quotes/],
  ["MACHINE_BAD_VALUE", "0", changed(["back: LOOK,", "back: LOOK, tries: 0,"]), /at least 1/],
  ["MACHINE_UNKNOWN_WORD", "taks", changed(["each: tasks", "each: taks"]), /`tasks`/],
  ["MACHINE_BAD_NAME", "A.B", changed(["  plan: plan.md", "  plan: plan.md\n  A.B: b.md"]), /letter/],
  ["MACHINE_RESERVED_NAME", "mode", changed(["  request: string", "  request: string\n  mode: string"]), /Every machine/],
  [
    "MACHINE_RESERVED_NAME",
    "BLOCKED",
    changed(["  DONE:", "  BLOCKED: { next: DONE }\n  DONE:"], ["next: DONE", "next: BLOCKED"]),
    /state/,
  ],
  ["MACHINE_BAD_PATH", "../plan.md", changed(["plan: plan.md", "plan: ../plan.md"]), /\.\./],
  ["MACHINE_BAD_PATH", "/etc/x.md", changed(["instructions: roles/maker.md", "instructions: /etc/x.md"]), /relative/],
  ["MACHINE_UNKNOWN_STATE", "LOOOP", changed(["next: LOOP", "next: LOOOP"]), /`LOOP`/],
  ["MACHINE_UNKNOWN_STATE", "LOK", changed(["back: LOOK", "back: LOK"]), /`LOOK`/],
  ["MACHINE_UNKNOWN_STATE", "MAK", changed(["start: MAKE", "start: MAK"]), /`MAKE`/],
  ["MACHINE_UNKNOWN_STATE", "NOPE", changed(["start: MAKE", "modes: { full: { start: NOPE } }"]), /`NOPE`/],
  ["MACHINE_UNKNOWN_ROLE", "Makr", changed(["dispatch: Maker", "dispatch: Makr"]), /`Maker`/],
  ["MACHINE_UNKNOWN_ROLE", "Makr", changed(["by: Maker", "by: Makr"]), /`Maker`/],
  ["MACHINE_UNKNOWN_ARTIFACT", "plann?", changed(['"plan?"', "plann?"]), /`plan`/],
  ["MACHINE_UNKNOWN_ARTIFACT", "plann", changed(["writes: [plan,", "writes: [plann,"]), /`plan`/],
  ["MACHINE_UNKNOWN_ARTIFACT", "task", changed(["leaves: [tasks]", "leaves: [task]"]), /`tasks`/],
  ["MACHINE_UNKNOWN_MODE", "lean", changed(["plan: plan.md", "plan: { path: plan.md, not_in: [lean] }"]), /mode/],
  ["MACHINE_UNKNOWN_NAME", "shiping", changed(["shipping === 'wait'", "shiping === 'wait'"]), /`shipping`/],
  ["MACHINE_UNKNOWN_NAME", "inputs.requst", changed(["inputs.request", "inputs.requst"]), /`request`/],
  ["MACHINE_UNKNOWN_NAME", "task", changed(["shipping === 'wait'", "task.id === 'wait'"]), /`task`/],
  ["MACHINE_CONDITION", "=", changed(["shipping === 'wait'", "shipping === = 'wait'"]), /JavaScript/],
  [
    "MACHINE_TWO_DEFAULTS",
    "true",
    changed(["start: MAKE", "modes: { a: { start: MAKE, default: true }, b: { start: MAKE, default: true } }"]),
    /default/,
  ],
  ["MACHINE_LIMIT_UNUSED", "most_files", changed(["start: MAKE", "modes: { full: { start: MAKE, most_files: 3 } }"]), /changed_files/],
  ["MACHINE_NO_START", "", changed(["start: MAKE\n", ""]), /begins/],
  ["MACHINE_NO_START", "start", changed(["start: MAKE", "start: MAKE\nmodes: { full: { start: MAKE } }"]), /beside/],
  ["MACHINE_NO_DONE", "", changed(["done: { tasks: true }\n", ""]), /done:/],
  ["MACHINE_DONE_UNMEETABLE", "report", changed(["done: { tasks: true }", "done: { report: true }"]), /`report`/],
  ["MACHINE_NO_FINISH", "DONE", changed(["DONE: { do: [{ finish: true }], next: end }", "DONE: { next: end }"]), /finish/],
  ["MACHINE_NO_END", "MAKE", changed(["DONE: { do: [{ finish: true }], next: end }", "DONE: { next: MAKE }"]), /end/],
  ["MACHINE_DEAD_END", "ASK", changed(["    next: DONE\n", ""]), /`ASK`/],
  ["MACHINE_UNREACHABLE", "LOST", changed(["  DONE:", "  LOST: { next: DONE }\n  DONE:"]), /`LOST`/],
  ["MACHINE_UNREACHABLE", "LOST", changed(["      FIX:", "      LOST: { next: LOOK }\n      FIX:"]), /`LOST`/],
  ["MACHINE_STATE_FORM", "repair", changed(["cut_scope: MAKE } }", "cut_scope: MAKE }, next: LOOK }"]), /`next`/],
  ["MACHINE_STATE_FORM", "states", changed(["    start: LOOK\n", ""]), /begins/],
  ["MACHINE_STEP_FORM", "{ dispath", changed(["{ dispatch: Reviewer }", "{ dispath: Reviewer }"]), /`dispatch`/],
  ["MACHINE_STEP_FORM", "{ finish", changed(["{ finish: true }", "{ finish: true, report: true }"]), /several/],
  ["MACHINE_NO_TASK", "task", changed(["{ finish: true }", "{ checks: task }, { finish: true }"]), /`all`/],
  ["MACHINE_NO_TASKS", "tasks", changed(["      - { take_tasks: tasks }\n", ""]), /take_tasks/],
  ["MACHINE_WRONG_FORM", "plan", changed(["take_tasks: tasks", "take_tasks: plan"]), /form/],
  ["MACHINE_WRONG_FORM", "jobs.yaml", changed(["tasks: { form: tasks }", "tasks: { form: tasks, path: jobs.yaml }"]), /tasks\.yaml/],
  [
    "MACHINE_GATE_OPEN",
    "UD-SHIP",
    changed(["choices: { ship: Now., wait: Later. }, into: shipping", "reasks: 1"], ["shipping ===", "answer ==="]),
    /passes/,
  ],
  ["MACHINE_NO_EFFECT", "reasks", changed(["into: shipping", "reasks: 1, into: shipping"]), /a wrong answer never closes a gate/],
  ["MACHINE_GATE_WORD", "Ship", changed(["into: shipping", "also: { wait: [later, Ship] }, into: shipping"]), /another word/],
  ["MACHINE_GATE_WORD", '"..."', changed(["into: shipping", 'also: { wait: ["..."] }, into: shipping']), /another word/],
  ["MACHINE_GATE_WORD", "stay", changed(["into: shipping", "also: { stay: [later] }, into: shipping"]), /`ship`, `wait`/],
  [
    "MACHINE_STEP_FORM",
    "also",
    changed(["{ finish: true }", "{ gate: UD-A, question: Q, passes: y, also: { y: [z] } }, { finish: true }"]),
    /`choices`/,
  ],
  [
    "MACHINE_GATE_TWICE",
    "UD-SHIP",
    changed(["{ finish: true }", "{ gate: UD-SHIP, question: Sure?, passes: yes }, { finish: true }"]),
    /own id/,
  ],
  ["MACHINE_GATE_INSIDE", "UD-LOOK", changed(["{ checks: task }]", "{ gate: UD-LOOK, question: Well?, passes: good }]"]), /outermost/],
  ["MACHINE_BAD_ANSWER", "NEEDS_INFO", changed(["roles/reviewer.md }", "roles/reviewer.md, answers: [OK, NEEDS_INFO] }"]), /Reviewer/],
  ["MACHINE_NO_INSTRUCTIONS", "roles/none.md", changed(["roles/maker.md", "roles/none.md"]), /Write the file/],
  ["MACHINE_NOT_WRITTEN", "tasks", changed(["writes: [plan, tasks,", "writes: [plan,"]), /`writes`/],
  ["MACHINE_NEVER_WRITTEN", "plan", changed([maker, maker.replace('"plan?"', "plan").replace("[plan, tasks", "[tasks")]), /plan\?/],
  ["MACHINE_NO_TASKS", "ahead", changed(["    each: tasks\n", '    ahead: { role: Maker, most: "2" }\n']), /does not run for each task/],
  [
    "MACHINE_ROLE_IDLE",
    "Maker",
    changed(["    each: tasks\n", '    each: tasks\n    ahead: { role: Maker, most: "2" }\n']),
    /can begin no task ahead/,
  ],
  [
    "MACHINE_BAD_VALUE",
    "Maker",
    changed(
      ["    each: tasks\n", '    each: tasks\n    ahead: { role: Maker, most: "2" }\n'],
      ["do: [{ dispatch: Reviewer }, { checks: task }]", "do: [{ dispatch: Maker }, { dispatch: Reviewer }, { checks: task }]"],
    ),
    /writes artifacts of the session/,
  ],
  [
    "MACHINE_ROLE_IDLE",
    "Idler",
    changed(["  Reviewer:", "  Idler: { title: Idles., instructions: roles/maker.md }\n  Reviewer:"]),
    /`Idler`/,
  ],
];

/** The text at a place of a definition. */
function textAt(text: string, place: { readonly line: number; readonly column: number } | undefined): string {
  return place === undefined ? "" : (text.split("\n")[place.line - 1] ?? "").slice(place.column - 1);
}

describe("every problem has its code, its place and a way out", () => {
  test.each(samples)("%s at %j", (code, at, text, words) => {
    const { definition, diagnostics } = parsed(text);
    const found = diagnostics.filter((each) => each.code === code);
    expect(diagnostics.map((each) => each.code)).toContain(code);
    expect(definition === undefined).toBe(found.some(({ severity }) => severity === "error"));
    const fitting = found.filter((each) => words.test(`${each.message} ${each.fix ?? ""}`) && textAt(text, each.place).startsWith(at));
    expect(fitting, JSON.stringify(found)).not.toEqual([]);
    for (const { message, fix } of diagnostics) {
      expect(message).toMatch(/^[A-Z`].*[.?]$/);
      expect(fix).toMatch(/[.?]$/);
    }
  });

  test("there is a sample for every code that only definitions have", () => {
    const shown = new Set(samples.map(([code]) => code));
    expect(Object.keys(definitionCodes).filter((code) => !shown.has(code))).toEqual([]);
  });

  test("a single mistake is told once, and alone", () => {
    const alone: readonly string[] = [
      "MACHINE_NO_INSTRUCTIONS",
      "MACHINE_NOT_WRITTEN",
      "MACHINE_UNREACHABLE",
      "MACHINE_CONDITION",
      "MACHINE_GATE_TWICE",
    ];
    const mistakes = samples.filter(([each]) => alone.includes(each));
    expect(new Set(mistakes.map(([code]) => code))).toEqual(new Set(alone));
    for (const [code, , text] of mistakes) expect(parsed(text).diagnostics.map((each) => each.code)).toEqual([code]);
  });
});

test("all problems are told at once, in the order of the text", () => {
  const text = changed(
    ["description:", "descripton:"],
    ["start: MAKE", "start: MAK"],
    ["by: Maker", "by: Makr"],
    ["shipping === 'wait'", "shiping === 'wait'"],
    ["done: { tasks: true }", "done: { task: true }"],
  );
  const { diagnostics } = parsed(text);
  expect(diagnostics.map(({ code, place }) => [place?.line, code])).toEqual([
    [1, "MACHINE_MISSING_KEY"],
    [2, "MACHINE_UNKNOWN_KEY"],
    [3, "MACHINE_UNKNOWN_STATE"],
    [26, "MACHINE_UNKNOWN_ROLE"],
    [30, "MACHINE_UNKNOWN_NAME"],
    [33, "MACHINE_UNKNOWN_KEY"],
  ]);
});

test("a machine is described without its instructions, which are not counted as missing then", () => {
  const { info, diagnostics } = parseMachine({ path: "small.machine.yaml", text: sound }, { source: "project", files: {} });
  expect(diagnostics.map(({ code }) => code)).toEqual(["MACHINE_NO_INSTRUCTIONS", "MACHINE_NO_INSTRUCTIONS"]);
  expect(info.problems).toBe(0);
});
