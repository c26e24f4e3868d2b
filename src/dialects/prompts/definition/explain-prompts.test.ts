import { expect, test } from "vitest";
import { promptsDialect } from "./prompts-dialect.ts";
import { explainPrompts } from "./explain-prompts.ts";

test("members of a parallel entry are in one bracket, and the step behind them comes after each", () => {
  const text = "name: x\ndescription: d\nsteps: [{ step: a }, { parallel: [{ step: b }, { step: a }] }, { step: b }]\n";
  const { program } = promptsDialect.load({
    main: { path: "x.yaml", text, name: "x", source: "project" },
    imports: Object.fromEntries(["a", "b"].map((name) => [`x.yaml\0steps/${name}.md`, { path: `steps/${name}.md`, text: name }])),
    workflows: {},
    called: {},
    programs: {},
    within: false,
  });
  const explained = explainPrompts(program!);
  expect(explained.text().split("\n").slice(3)).toEqual([
    "  1. a: fresh context",
    "┌ 2. b: fresh context",
    "└ 3. a: fresh context",
    "  4. b: fresh context",
  ]);
  expect(explained.mermaid().match(/n\d --> n\d/g)).toEqual(["n0 --> n1", "n0 --> n2", "n1 --> n3", "n2 --> n3"]);
  expect(explained.data()).toMatchObject({ steps: [{ step: "a" }, { parallel: 1 }, { parallel: 1 }, { step: "b" }] });
});
