import * as fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { botToolNames, type BotTool } from "./bot-tool-names.ts";
import type { BotDefinition } from "./bot-definition.ts";

const action = (name: string, description = ""): BotDefinition["independent"][number] => ({
  name,
  description,
  instructions: [],
  workflow: true,
  order: 1,
  next: null,
  autoProgress: false,
  setting: "manual",
  triggers: [],
  inputs: {},
  file: "x",
});
interface Parts {
  readonly name?: string;
  readonly behaviours?: readonly string[];
  readonly actions?: readonly string[];
  readonly independent?: readonly string[];
  readonly description?: string;
}
function bot({ name = "demo", behaviours = ["shape"], actions = ["one"], independent = [], description = "" }: Parts): BotDefinition {
  return {
    name,
    description,
    instructions: [],
    behaviours: behaviours.map((each) => ({
      name: each,
      description,
      instructions: [],
      actions: actions.map((one) => action(one, description)),
      triggers: [{ patterns: ["\\bdraw (the )?map\\b", "outline", "third"], priority: 1 }],
      setting: "manual",
    })),
    independent: independent.map((one) => action(one, description)),
    doneBy: "relay",
    kept: {},
  };
}
const cost = (tools: readonly BotTool[]): number =>
  tools.reduce((sum, { name, description, inputSchema }) => sum + encode(JSON.stringify({ name, description, inputSchema })).length, 0);

test("there is one for the bot, one per behaviour, one per behaviour and action, and one to close", () => {
  const { full, compact, collisions } = botToolNames(bot({ behaviours: ["1_shape", "plan"], actions: ["2_one"], independent: ["fix"] }));
  expect(full.map(({ name, kind, behaviour, action: one }) => [name, kind, behaviour, one])).toEqual([
    ["demo_tool", "bot", undefined, undefined],
    ["demo_shape_tool", "behaviour", "1_shape", undefined],
    ["demo_shape_one", "action", "1_shape", "2_one"],
    ["demo_shape_fix", "action", "1_shape", "fix"],
    ["demo_plan_tool", "behaviour", "plan", undefined],
    ["demo_plan_one", "action", "plan", "2_one"],
    ["demo_plan_fix", "action", "plan", "fix"],
    ["demo_close_current_action", "close", undefined, undefined],
  ]);
  expect(compact.map(({ name, kind }) => [name, kind])).toEqual([
    ["demo_tool", "bot"],
    ["demo_behavior_tool", "behaviour"],
    ["demo_close_current_action", "close"],
  ]);
  expect(compact[1]?.inputSchema).toMatchObject({ properties: { behavior: { enum: ["1_shape", "plan"] } }, required: ["behavior"] });
  expect(full[0]?.inputSchema).toEqual({ type: "object", properties: { parameters: { type: "object" } } });
  expect(collisions).toEqual([]);
});

test("what is independent elsewhere and in the sequence here has one tool here", () => {
  const { full, collisions } = botToolNames(bot({ actions: ["one", "fix"], independent: ["fix"] }));
  expect(collisions).toEqual([]);
  expect(full.filter(({ action: name }) => name === "fix")).toHaveLength(1);
});

test.each([
  ["\\bprioriti[sz]e\\b", "prioritise"],
  ["\\bwhat (do we do )?first\\b", "what do we do first"],
  ["the bot (got|did) (it|this) wrong", "the bot got it wrong"],
  ["discover(?:y)?|explore", "discovery"],
  ["^increments?$", "increments"],
])("the trigger word %s is said as a person would say it: %s", (pattern, said) => {
  const plain = bot({ description: "Draws a map." });
  const behaviours = plain.behaviours.map((behaviour) => ({ ...behaviour, triggers: [{ patterns: [pattern], priority: 0 }] }));
  expect(botToolNames({ ...plain, behaviours }).full[1]?.description).toBe(`Draws a map. Goes to its current action. Say: ${said}.`);
});

test("descriptions are the first sentence and a few trigger words", () => {
  const { full } = botToolNames(bot({ description: "Draws a map. And more." }));
  expect(full[1]?.description).toBe("Draws a map. Goes to its current action. Say: draw the map, outline.");
  expect(full[2]?.description).toBe("Draws a map.");
  expect(botToolNames(bot({ actions: ["gather_context"] })).full[2]?.description).toBe("Gather context.");
});

describe("tokens", () => {
  const behaviours = ["shape", "prioritization", "discovery", "exploration", "specification"];
  const actions = [
    "initialize_project",
    "gather_context",
    "decide_planning_criteria",
    "build_knowledge",
    "render_output",
    "validate_rules",
  ];
  const long =
    "Explains at length, with many words and without an end in sight, what this part of the bot is about and for whom it was made";

  test("five behaviours with seven actions cost less than 2,000, however long the descriptions are", () => {
    for (const description of ["", long]) {
      const { full, compact } = botToolNames(bot({ name: "story_bot", behaviours, actions, independent: ["correct_bot"], description }));
      expect(full).toHaveLength(42);
      expect(cost(full)).toBeLessThan(2000);
      expect(compact).toHaveLength(3);
      expect(cost(compact)).toBeLessThan(250);
    }
  });

  test("names as long as they may be leave less room for descriptions", () => {
    const stretched = (names: readonly string[]): string[] => names.map((name) => `${name}_of_the_whole_company`);
    const { full } = botToolNames(
      bot({
        name: "business_analysis_bot",
        behaviours: stretched(behaviours),
        actions: stretched(actions),
        independent: ["correct_bot"],
        description: long,
      }),
    );
    expect(Math.max(...full.map(({ name }) => name.length))).toBe(60);
    expect(cost(full)).toBeLessThan(2300);
  });
});

describe("names", () => {
  test("that would be the same are collisions, whatever their letters' case", () => {
    const twice = botToolNames(bot({ behaviours: ["a", "a_b"], actions: ["b_c", "c"] }));
    expect(twice.collisions.map(({ name, tools }) => [name, tools.length])).toEqual([["demo_a_b_c", 2]]);
    expect(botToolNames(bot({ actions: ["tool"] })).collisions).toHaveLength(1);
    expect(botToolNames(bot({ behaviours: ["Shape", "shape"] })).collisions).toHaveLength(2);
    expect(botToolNames(bot({ behaviours: ["close_current"], actions: ["action"] })).collisions).toHaveLength(1);
  });

  test("that are too long keep both ends, stay the same from start to start, and stay apart", () => {
    const name = (one: string): string =>
      botToolNames(bot({ name: "a_bot_with_a_long_name", behaviours: ["a_behaviour_with_a_long_name"], actions: [one] })).full[2]?.name ??
      "";
    const first = name("gather_all_context_of_january");
    expect(first).toMatch(/^a_bot_with_a_long_name_a_behav\w*_[0-9a-z]{7}_\w*context_of_january$/);
    expect(first).toHaveLength(60);
    expect(name("gather_all_context_of_january")).toBe(first);
    expect(name("gather_some_context_of_january")).not.toBe(first);
  });

  test("are always valid in every client", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.stringMatching(/^[a-z0-9_-]{1,50}$/));
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), fc.array(text, { maxLength: 3 }), (name, behaviours, actions) => {
        const { full, compact } = botToolNames(bot({ name, behaviours, actions }));
        for (const tool of [...full, ...compact]) expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,60}$/);
      }),
    );
  });
});
