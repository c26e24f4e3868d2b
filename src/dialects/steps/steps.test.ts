import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isObject, type Diagnostic, type Json, type JsonObject } from "../../base/index.ts";
import { standardTaskPrompt, type DoBlock, type Program } from "../../program/index.ts";
import { callsOf, explainPlan, importsOf, loadSteps, renderPlanMermaid, renderPlanText, stepsJsonSchema } from "./definition/index.ts";
import { renderDiagnostic, type ExpressionChecker, type LoweredWorkflow as LoadedSteps } from "../../source/index.ts";
import { stepsCodes } from "./codes.ts";
import { checkWritePath } from "./definition/check/check-writes.ts";
import type { CheckContext } from "./definition/check/check-context.ts";
import { stepsFeatures } from "../../../test/support/dialect-features.ts";

function load(text: string, checker?: ExpressionChecker): LoadedSteps {
  return loadSteps({ main: { path: "w.yaml", text, name: "w", source: "project" }, imports: {}, workflows: {} }, checker);
}

function lowered(steps: string, more = ""): Program {
  const { program, diagnostics } = load(`name: w\ndescription: d\nversion: "1"\n${more}\nsteps:\n${steps}`);
  expect(diagnostics.filter((each) => each.severity === "error")).toEqual([]);
  return program!;
}

describe("the catalogue", () => {
  test("has every code that the room uses, and no other", () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "codes.ts",
    );
    const used = new Set(
      sources.flatMap((name) => readFileSync(join(import.meta.dirname, name), "utf8").match(/(?<=")STEPS_[A-Z_]+(?=")/g) ?? []),
    );
    expect([...used].sort()).toEqual(Object.keys(stepsCodes).sort());
  });
  test("says in full sentences what, why and what to do", () => {
    for (const entry of Object.values(stepsCodes))
      for (const text of [entry.what, entry.why, entry.fix]) expect(text).toMatch(/^[A-Z`].*[.]$/);
  });
});

describe("the schema for editors", () => {
  const schema = stepsJsonSchema();
  test("is draft 7, describes every key and refers only to what it defines", () => {
    expect(schema["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
    const definitions = Object.keys(schema["definitions"] as JsonObject);
    const wrong: string[] = [];
    const visit = (value: Json, at: string): void => {
      if (Array.isArray(value)) return (value as Json[]).forEach((each, index) => visit(each, `${at}[${index}]`));
      if (!isObject(value)) return;
      const ref = value["$ref"];
      if (typeof ref === "string" && !definitions.includes(ref.replace("#/definitions/", ""))) wrong.push(`${at}: ${ref}`);
      for (const [key, held] of Object.entries((value["properties"] ?? {}) as JsonObject)) {
        if (!isObject(held) || typeof held["description"] !== "string" || held["description"].length < 5) wrong.push(`${at}.${key}`);
      }
      for (const [key, held] of Object.entries(value)) visit(held, `${at}.${key}`);
    };
    visit(schema, "");
    expect(wrong).toEqual([]);
  });
  test("knows the same step types and keys as the features", () => {
    const options = ((schema["definitions"] as JsonObject)["step"] as JsonObject)["oneOf"] as readonly JsonObject[];
    const keys = Object.fromEntries(
      options.map((option) => [
        ((option["properties"] as JsonObject)["type"] as JsonObject)["const"],
        Object.keys(option["properties"] as JsonObject),
      ]),
    );
    expect(keys).toEqual(stepsFeatures.stepKeys);
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual([...stepsFeatures.topLevelKeys, "workflow"]);
  });
});

describe("recognising files", () => {
  test("references are listed once, wherever they stand", () => {
    const text = [
      "workflow:",
      "  imports: [a.yaml, b.yaml, a.yaml, 5]",
      "  steps:",
      "    - { type: include_workflow, workflow: one }",
      "    - type: conditional",
      "      else: [{ type: while, body: [{ type: include_workflow, workflow: two, on_complete: [{ type: include_workflow, workflow: three }] }] }]",
      "    - { type: include_workflow, workflow: '{{ x }}' }",
      "    - { type: mcp_call, mcp: { params: { steps: [{ type: include_workflow, workflow: data }] } } }",
      "  sub_agent_tasks: { t: { steps: [{ type: include_workflow, workflow: one }], error_handling: { cleanup_on_error: [{ type: include_workflow, workflow: four }] } } }",
      "  error_handling: { on_failure: [{ type: include_workflow, workflow: five }] }",
    ].join("\n");
    expect(importsOf({ path: "w", text })).toEqual(["a.yaml", "b.yaml"]);
    expect([...new Set(callsOf({ path: "w", text }).map(({ name }) => name))]).toEqual(["one", "two", "three", "five", "four"]);
  });
});

describe("loading", () => {
  test("info tells what could be read, also of a file with errors", () => {
    const { info, program } = load(
      "name: other\ndescription: d\ninputs: { a: string, b: { type: number, default: 1 } }\nimports: [x.yaml]\nsteps:\n  - { type: nonsense }\n  - { type: parallel_foreach, items: [1], sub_agent_task: imported }\n",
    );
    expect(program).toBeUndefined();
    expect(info).toMatchObject({ name: "other", description: "d", version: "1.0.0", path: "w.yaml", source: "project", problems: 1 });
    expect(info.inputs).toEqual({ a: { type: "string", required: true }, b: { type: "number", required: false, default: 1 } });
    expect(load("- 1").info).toMatchObject({ name: "w", problems: 1, definition: {} });
  });
  test("without a checker everything but expressions is checked", () => {
    const { diagnostics } = load("name: w\nsteps:\n  - { type: user_message, message: '{{ ( }}', colour: red }\n");
    expect(diagnostics.map((each) => each.code)).toContain("STEPS_UNKNOWN_KEY");
    expect(diagnostics.map((each) => each.code)).not.toContain("STEPS_EXPRESSION");
  });
  test("a checker's offset is shown at its line and column, in every style of text", () => {
    const checker: ExpressionChecker = {
      check: ({ of }) => (typeof of === "string" && of.includes("#") ? [{ message: "no #", offset: of.indexOf("#") }] : []),
      names: () => [],
      cycles: () => [],
      collisions: () => [],
    };
    const text = [
      "name: w",
      "steps:",
      "  - type: conditional",
      "    condition: |",
      "      one &&",
      "        two # three",
      "    then:",
      "      - type: user_message",
      '        message: "\\ta {{ # }}"',
      "      - type: mcp_call",
      "        mcp: { method: m, params: { deep: [1, 'it''s {{ # }}'] } }",
    ].join("\n");
    const found = load(text, checker).diagnostics.filter((each) => each.code === "STEPS_EXPRESSION");
    expect(found.map(({ path, place }) => [path, place?.line, place?.column])).toEqual([
      ["steps[0].condition", 6, 13],
      ["steps[0].then[0].message", 9, 26],
      ["steps[0].then[1].mcp.params.deep[1]", 11, 57],
    ]);
  });
  test("tasks that start tasks may not multiply without bound", () => {
    const tasks = Array.from(
      { length: 20 },
      (_, level) =>
        `  t${level}: { steps: [${Array.from({ length: 3 }, () => (level === 19 ? "{ type: exit }" : `{ type: parallel_foreach, items: [1], sub_agent_task: t${level + 1} }`)).join(", ")}] }`,
    );
    const { diagnostics, program } = load(
      `name: w\nsteps: [{ type: parallel_foreach, items: [1], sub_agent_task: t0 }]\nsub_agent_tasks:\n${tasks.join("\n")}\n`,
    );
    expect(program).toBeUndefined();
    expect(diagnostics.filter((each) => each.severity === "error").map((each) => each.code)).toEqual(["STEPS_TOO_LARGE"]);
  });
  test("the files around a workflow may have any names", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      const { diagnostics } = load(
        `name: w\nimports: ["${name}"]\nsteps:\n  - { type: include_workflow, workflow: ${name} }\n  - { type: parallel_foreach, items: [1], sub_agent_task: ${name} }\n  - { type: ${name} }\n`,
      );
      expect(diagnostics.filter((each) => each.severity === "error").map((each) => each.code)).toEqual([
        "STEPS_IMPORT_NOT_FOUND",
        "STEPS_UNKNOWN_WORKFLOW",
        "STEPS_UNKNOWN_TASK",
        "STEPS_UNKNOWN_STEP_TYPE",
      ]);
    }
  });
});

test("a write path is accepted exactly when it is raw or state with keys that are not empty", () => {
  const key = fc.constantFrom("a", "b_c", "d-e", "", " ", "[0]", '["x.y"]', "{{ z }}", "computed");
  const tier = fc.constantFrom("raw", "state", "computed", "inputs", "", "Raw", "this");
  fc.assert(
    fc.property(tier, fc.array(key, { maxLength: 3 }), (first, keys) => {
      const path = [first, ...keys].join(".");
      const found: string[] = [];
      const names = { raw: new Set<string>(), state: new Set<string>(), computed: new Set<string>(), flat: new Set<string>(), open: false };
      const context = { complain: (_node, { code }) => void found.push(code), names } as Partial<CheckContext> as CheckContext;
      checkWritePath(context, { file: undefined as never, path: [], value: path });
      const good =
        (first === "raw" || first === "state") &&
        keys.length > 0 &&
        keys.every((each, index) => each !== "" && !each.startsWith("[") && (each !== " " || index < keys.length - 1));
      expect([path, found.length === 0]).toEqual([path, good]);
    }),
  );
});

describe("lowering", () => {
  test("a time to wait for is counted from the recorded now", () => {
    const program = lowered(
      "  - { id: a, type: wait, until: '2030-01-01T00:00:10Z' }\n  - { id: b, type: wait, until: '{{ x }}' }\n  - { id: c, type: wait, until: '{{ day }}T00:00:00Z' }\n  - { id: d, type: wait, seconds: '{{ n }}' }",
    );
    const ms = (id: string, names: Record<string, unknown>): unknown => {
      const code = ((program.blocks[id] as DoBlock).args["ms"]!.of as string).replace(/^\{\{|\}\}$/g, "");
      return runInNewContext(code, { ...names, now: () => "2030-01-01T00:00:00.000Z" });
    };
    expect(ms("a", {})).toBe(10_000);
    expect(ms("b", { x: "2029-01-01T00:00:00Z" })).toBe(0);
    expect(ms("c", { day: "2030-01-02" })).toBe(86_400_000);
    expect(ms("d", { n: 2 })).toBe(2000);
  });
  test("inputs of a task come from the item when they are only declared", () => {
    const program = lowered(
      "  - { id: p, type: parallel_foreach, items: [1], sub_agent_task: t }",
      "sub_agent_tasks: { t: { inputs: { a: string, b: { type: number, default: 3 }, c: '{{ item.x }}', d: { type: train }, item: string }, steps: [{ type: exit }] } }",
    );
    const block = program.blocks["p"]!;
    expect(block.kind === "work" && block.task).toEqual({
      name: "t",
      prompt: standardTaskPrompt,
      inputs: {
        a: { as: "value", of: '{{ item?.["a"] ?? null }}' },
        b: { as: "value", of: '{{ item?.["b"] ?? 3 }}' },
        c: { as: "value", of: "{{ item.x }}" },
        d: { as: "value", of: { type: "train" } },
        item: { as: "value", of: '{{ item?.["item"] ?? item ?? null }}' },
      },
    });
  });
});

describe("plans", () => {
  const program = lowered(
    [
      "  - { id: list, type: shell_command, command: git ls-files, output_format: lines, state_update: { path: raw.files } }",
      "  - { id: ask, type: user_input, prompt: 'Go on?', state_update: { path: raw.answer } }",
      "  - id: yes",
      "    type: conditional",
      "    condition: \"{{ answer === 'yes' }}\"",
      "    then: [{ id: check, type: mcp_call, mcp: { method: lint, params: { files: '{{ wanted }}' } } }, { id: odd, type: mcp_call, mcp: { method: 'x.{{ answer }}' } }]",
      "    else: [{ id: stop, type: exit }]",
      "  - { id: each, type: parallel_foreach, items: '{{ inputs.names }}', sub_agent_task: t }",
      "  - { id: fixed, type: parallel_foreach, items: [1, 2, 3], sub_agent_task: t }",
      "  - { id: unknown, type: parallel_foreach, items: '{{ files }}', sub_agent_task: t }",
    ].join("\n"),
    "inputs: { names: { type: array, default: [a] } }\nstate_schema: { computed: { wanted: { from: raw.files, transform: input } } }\nsub_agent_tasks: { t: { steps: [{ id: look, type: user_message, message: '{{ item }}' }] } }",
  );
  const plan = explainPlan(program);
  const step = (id: string): unknown =>
    plan.steps.flatMap((each) => [each, ...(each.branches ?? []).flatMap((branch) => branch.steps)]).find((each) => each.step_id === id);

  test("say what each step waits for and builds on", () => {
    expect(step("yes.check")).toMatchObject({ type: "mcp_call", conditions: ["answer === 'yes'"], dependencies: ["list"] });
    expect(step("yes.stop")).toMatchObject({ conditions: ["not (answer === 'yes')"] });
    expect(step("yes")).toMatchObject({ dependencies: ["ask"] });
    expect(plan.required_tools).toEqual(["lint"]);
    expect(plan.commands).toEqual(["git ls-files"]);
    expect(plan.estimated_duration).toBe("depends on a person: 1 engine step, 5 agent steps, 1 question; 3 loops repeat some of them");
  });
  test("count sub-agents only when their number is known", () => {
    expect(step("each")).toHaveProperty("estimated_sub_agents", 1);
    expect(step("fixed")).toHaveProperty("estimated_sub_agents", 3);
    expect(step("unknown")).not.toHaveProperty("estimated_sub_agents");
    expect(explainPlan(program, { names: ["a", "b"] }).steps.find((each) => each.step_id === "each")?.estimated_sub_agents).toBe(2);
  });
  test("are plain JSON, and every step is in the text and in the chart", () => {
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    for (const id of ["list", "yes", "yes.check", "each", "each.look"]) {
      expect(renderPlanText(plan)).toContain(`- ${id} [`);
      expect(renderPlanMermaid(plan)).toContain(`"${id}: `);
    }
  });
  test("a chart cannot be broken by what texts hold", () => {
    const odd = lowered('  - { id: a, type: conditional, condition: "x[\\"`}]<b>#\\"] > 1", then: [{ type: exit }] }');
    const lines = renderPlanMermaid(explainPlan(odd)).split("\n");
    expect(lines.find((line) => line.includes("a: if"))).toBe('  n2{"a: if x[#34;#96;}]#60;b#62;#35;#34;] #62; 1"}');
  });
});

describe("rendering a problem", () => {
  const problem: Diagnostic = {
    code: "X_Y",
    severity: "error",
    message: "It is wrong.",
    fix: "Do it right.",
    path: "a.b",
    place: { file: "f.yaml", line: 2, column: 4, endLine: 2, endColumn: 7 },
  };
  test("shows where, what, the line with a caret, and the fix", () => {
    expect(renderDiagnostic(problem, "one\ntwo three\nfour")).toBe(
      "f.yaml:2:4 error X_Y: It is wrong.\n  1 | one\n  2 | two three\n    |    ^^^\n  3 | four\n  at: a.b\n  fix: Do it right.\n",
    );
  });
  test("keeps the caret in its place after tabs, in long lines and at the end of the file", () => {
    expect(renderDiagnostic(problem, "\n\t\tabcdef")).toContain("  2 |     abcdef\n    |      ^^^\n");
    const long = renderDiagnostic({ ...problem, place: { file: "f", line: 1, column: 301 } }, `${"x".repeat(300)}!${"y".repeat(300)}`);
    const [, line = "", caret = ""] = long.split("\n");
    expect(line.length).toBe("  1 | ".length + 120);
    expect(line[caret.indexOf("^")]).toBe("!");
    expect(renderDiagnostic({ ...problem, place: { file: "f", line: 9, column: 9 } }, "a")).toContain("^");
  });
  test("does without a file and without a place", () => {
    expect(renderDiagnostic(problem)).toBe("f.yaml:2:4 error X_Y: It is wrong.\n  at: a.b\n  fix: Do it right.\n");
    expect(renderDiagnostic({ code: "X", severity: "warning", message: "Hm." })).toBe("warning X: Hm.\n");
  });
});
