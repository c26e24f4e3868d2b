import { expect, test } from "vitest";
import { fillPlaceholders, type ActionDefinition, type BotDefinition } from "../definition/index.ts";
import { botInstructions } from "./bot-action.ts";

const action = (name: string, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
  name,
  description: "",
  instructions: [`Do ${name} in {{project_area}} within {{ scope }}, {{other}}.`],
  workflow: true,
  order: 1,
  next: null,
  autoProgress: false,
  setting: "manual",
  triggers: [],
  inputs: {},
  file: "",
  ...more,
});
const bot = (actions: readonly ActionDefinition[]): BotDefinition => ({
  name: "b",
  description: "",
  instructions: [],
  behaviours: [{ name: "shape", description: "", instructions: [], actions, triggers: [], setting: "manual" }],
  independent: [],
  doneBy: "person",
  kept: {},
});
const scopeOf = (definition: BotDefinition) => ({ definition, area: "docs", limits: { type: "story" }, problems: [] });

test("what only a run knows is filled in as the dialect would", () => {
  const definition = bot([action("a")]);
  const [text = ""] = definition.behaviours[0]!.actions[0]!.instructions;
  const filled = fillPlaceholders(text, { project_area: "docs", scope: '{"type":"story"}' });
  expect(botInstructions(scopeOf(definition), { behaviour: "shape", action: "a" }).split("\n")[0]).toBe(filled);
});

test("a text that all behaviours share names the one that is meant, in every spelling of the dialect", () => {
  const text = "{{behavior}} {{ behavior_name }} {{behaviour}} {{behaviour_name }} {{goal}} {{behaviors}}";
  const definition = { ...bot([action("a")]), independent: [action("fix", { workflow: false, instructions: [text] })] };
  const filled = fillPlaceholders(text, { behavior: "shape" });
  expect(filled).toBe("shape shape shape shape {{goal}} {{behaviors}}");
  expect(botInstructions(scopeOf(definition), { behaviour: "shape", action: "fix" })).toBe(filled);
});

test("what a setting skips is not what comes next", () => {
  const definition = bot([action("a", { next: "b" }), action("b", { next: "c", setting: "skip" }), action("c")]);
  expect(botInstructions(scopeOf(definition), { behaviour: "shape", action: "a" })).toContain("When done, proceed to c");
});

test("an action without instructions is told by its description", () => {
  const definition = bot([action("a", { instructions: [], description: "Peel the apple." })]);
  expect(botInstructions(scopeOf(definition), { behaviour: "shape", action: "a" })).toContain("Peel the apple.");
});
