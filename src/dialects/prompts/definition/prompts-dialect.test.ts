import { expect, test } from "vitest";
import { promptsDialect } from "./prompts-dialect.ts";
import { promptReferences } from "./references.ts";

const owns = (text: string, path = "/w/.waymark/workflows/x.yaml"): boolean => promptsDialect.owns?.({ path, text }) === true;

test("a file is a chain by a step that names a prompt or a workflow, by a loop over a prompt, or by a graph", () => {
  for (const text of [
    "steps: [{ step: plan }]",
    "steps:\n  - command: plan",
    "steps:\n  - parallel: [{ step: a }]",
    "steps:\n  - workflow: other",
    "loop: { until: X }\nprompt: P",
    "nodes: []",
  ])
    expect(owns(`name: x\n${text}\n`), text).toBe(true);
});

test("a file of another dialect is not a chain, wherever it is", () => {
  for (const text of ["steps: [{ id: a, type: user_message, message: command }]", "machine: x\nstates: {}", "config: { step: 1 }"])
    expect(owns(`name: x\n${text}\n`), text).toBe(false);
  expect(owns("steps:\n  - { id: a, type: agent_shell_command, command: ls }\n", "/w/.claude/workflows/x.yaml")).toBe(false);
});

test("in folders for chains a file is one even when its steps are wrong", () => {
  expect(owns("name: x\nsteps: [{ stepp: plan }]\n", "/w/.archon/workflows/team/x.yaml")).toBe(true);
  expect(owns("name: x\nsteps: [{ stepp: plan }]\n")).toBe(false);
});

test("it names the prompts of its steps, each once, and no name that leads elsewhere", () => {
  const text =
    "steps: [{ step: a }, { parallel: [{ command: b }, { step: a }] }, { step: ../c }, { workflow: w, input: x, with: { y: 1 } }]\n";
  const { files, workflows } = promptReferences({ path: "x.yaml", text });
  expect(files).toEqual([
    ["<steps>/a.md", "steps/a.md"],
    ["<steps>/b.md", "steps/b.md"],
  ]);
  expect(workflows).toMatchObject([{ name: "w", inputs: ["user_message", "y"] }]);
});

test("a version is the file's, or 1.0.0; a program is only made of a file without errors", () => {
  const load = (text: string) =>
    promptsDialect.load({
      main: { path: "x.yaml", text, name: "x", source: "project" },
      imports: { "x.yaml\0steps/a.md": { path: "steps/a.md", text: "A" } },
      workflows: {},
      called: {},
      programs: {},
      within: false,
    });
  expect(load('name: x\ndescription: d\nversion: "2.1.0"\nsteps: [{ step: a }]\n').program?.parts["x"]?.version).toBe("2.1.0");
  expect(load("name: x\ndescription: d\nsteps: [{ step: a }]\n").info.version).toBe("1.0.0");
  expect(load("description: d\nsteps: [{ step: a }]\n")).toMatchObject({ info: { name: "x", problems: 1 } });
  expect(load("description: d\nsteps: [{ step: a }]\n").program).toBeUndefined();
});
