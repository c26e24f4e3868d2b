import { describe, expect, test } from "vitest";
import type { Json } from "../../../base/index.ts";
import { parseBot, type ParsedBot } from "./parse-bot.ts";

type Files = Readonly<Record<string, Json>>;

function parse(files: Files, root = "b"): ParsedBot {
  const list = Object.entries(files).map(([path, value]) => ({
    path,
    text: typeof value === "string" ? value : JSON.stringify(value, null, 2),
  }));
  return parseBot({ root, files: list, source: "project" });
}
const codes = ({ diagnostics }: ParsedBot): string[] => diagnostics.map(({ code, severity }) => `${severity} ${code}`);
const names = ({ definition }: ParsedBot): string[][] =>
  (definition?.behaviours ?? []).map(({ actions }) => actions.map(({ name }) => name));

/** Five actions in common; the behaviour brings its own sequence. */
const later: Files = {
  "bot_config.json": { name: "story", behaviors: ["shape"] },
  "behaviors/shape/behavior.json": {
    behaviorName: "shape",
    order: 1,
    description: "Outline.",
    goal: "One page.",
    inputs: "an idea",
    outputs: ["a map", "questions"],
    instructions: ["Be brief."],
    baseActionsPath: "somewhere/else/base_actions",
    trigger_words: { patterns: ["outline"], priority: 2 },
    actions_workflow: {
      actions: [
        { name: "build", order: 3, next_action: "validate", instructions: ["Build {{behavior}}."] },
        { name: "clarify", order: 1, next_action: "strategy" },
        { name: "strategy", order: 2, next_action: "build" },
        { name: "render", order: 5 },
        { name: "validate", order: 4, next_action: "render" },
      ],
    },
  },
  "base_actions/clarify/action_config.json": { name: "clarify", workflow: true, order: 9, next_action: "gone", instructions: ["Ask."] },
  "base_actions/strategy/action_config.json": { name: "strategy", workflow: true, order: 9, instructions: ["Decide."], auto_confirm: true },
  "base_actions/build/action_config.json": { name: "build", workflow: true, instructions: ["Make."], wait_until_complete: true },
  "base_actions/validate/action_config.json": { name: "validate", workflow: true, instructions: ["Check."], skip_confirm: false },
  "base_actions/render/action_config.json": { name: "render", workflow: true, instructions: ["Write."] },
  "base_actions/help/action_config.json": { name: "help", workflow: false, instructions: ["Explain."] },
  "base_actions/rules/action_config.json": { name: "rules", workflow: false, instructions: ["List."] },
};

describe("behavior.json", () => {
  test("its list replaces the common sequence; nothing of the common order counts", () => {
    const result = parse(later);
    expect(codes(result)).toEqual(["warning BOTS_FOREIGN_KEY", "warning BOTS_FOREIGN_KEY"]);
    expect(names(result)).toEqual([["clarify", "strategy", "build", "validate", "render"]]);
    const [shape] = result.definition?.behaviours ?? [];
    expect(shape?.actions.map(({ next }) => next)).toEqual(["strategy", "build", "validate", "render", null]);
    expect(shape?.actions.map(({ autoProgress }) => autoProgress)).toEqual([false, true, false, false, false]);
    expect(shape?.actions[2]?.instructions).toEqual(["Make.", "Build shape."]);
    expect(shape?.instructions).toEqual(["Goal: One page.", "Inputs: an idea", "Outputs:\n- a map\n- questions", "Be brief."]);
    expect(shape).toMatchObject({ description: "Outline.", triggers: [{ patterns: ["outline"], priority: 2 }] });
    expect(result.definition?.independent.map(({ name }) => name)).toEqual(["help", "rules"]);
  });

  test("behaviours may differ in their steps", () => {
    const result = parse({
      ...later,
      "bot_config.json": { name: "story", behaviors: ["shape", "check"] },
      "behaviors/2_check/behavior.json": {
        actions_workflow: { actions: [{ name: "validate" }, { name: "own", instructions: ["Mine."] }] },
      },
    });
    expect(names(result)[1]).toEqual(["validate", "own"]);
    expect(result.definition?.behaviours[1]?.actions).toMatchObject([
      { next: "own" },
      { next: null, instructions: ["Mine."], file: "behaviors/2_check/behavior.json" },
    ]);
    expect(codes(result)).toContain("warning BOTS_NEXT_BY_ORDER");
  });

  test("a next action that names nothing gives way to the next order, with a warning", () => {
    const behaviour = {
      actions_workflow: {
        actions: [
          { name: "build", order: 1, next_action: "validate_output" },
          { name: "render", order: 2, next_action: "nothing" },
        ],
      },
    };
    const result = parse({ ...later, "behaviors/shape/behavior.json": behaviour });
    expect(codes(result).filter((each) => !each.includes("FOREIGN"))).toEqual(["warning BOTS_UNKNOWN_NEXT", "warning BOTS_UNKNOWN_NEXT"]);
    expect(result.definition?.behaviours[0]?.actions.map(({ next }) => next)).toEqual(["render", null]);
    const said = result.diagnostics.filter(({ code }) => code === "BOTS_UNKNOWN_NEXT").map(({ message }) => message);
    expect(said[0]).toContain("`render`, the next in order, follows instead");
    expect(said[1]).toContain("The behaviour ends here instead");
  });

  test("an action nobody reaches is left out with a warning; a circle stays an error", () => {
    const list = (actions: Json): Json => ({ actions_workflow: { actions } });
    const lost = parse({
      ...later,
      "behaviors/shape/behavior.json": list([
        { name: "build", order: 1, next_action: null },
        { name: "render", order: 2, next_action: null },
      ]),
    });
    expect(codes(lost)).toContain("warning BOTS_UNREACHABLE");
    expect(names(lost)).toEqual([["build"]]);
    const circle = parse({
      ...later,
      "behaviors/shape/behavior.json": list([
        { name: "build", order: 1, next_action: "render" },
        { name: "render", order: 2, next_action: "build" },
      ]),
    });
    expect(codes(circle)).toContain("error BOTS_CYCLE");
  });

  test("what it lists must exist, be listed once, and be no independent action with a place", () => {
    const result = parse({
      ...later,
      "behaviors/shape/behavior.json": {
        actions_workflow: {
          actions: [
            { name: "biuld", order: 1 },
            { name: "render", order: 2 },
            { name: "render", order: 3 },
            { name: "help", order: 4 },
            { order: 5 },
          ],
        },
      },
    });
    expect(codes(result).filter((each) => each.startsWith("error"))).toEqual([
      "error BOTS_UNKNOWN_ACTION",
      "error BOTS_DUPLICATE_NAME",
      "error BOTS_INDEPENDENT_PLACED",
      "error BOTS_MISSING_KEY",
    ]);
    expect(result.diagnostics.find(({ code }) => code === "BOTS_UNKNOWN_ACTION")?.fix).toBe("Did you mean `build`?");
  });

  test("an action may be listed by the name of its folder", () => {
    const result = parse({
      ...later,
      "base_actions/clarify/action_config.json": {
        name: "gather_context",
        workflow: true,
        order: 1,
        next_action: null,
        instructions: ["Ask."],
      },
    });
    expect(codes(result).filter((each) => each.includes("FOLDER"))).toEqual(["warning BOTS_FOLDER_DIFFERS", "warning BOTS_FOLDER_DIFFERS"]);
    expect(names(result)[0]?.[0]).toBe("gather_context");
  });

  test("its base actions may lie in another folder of the bot", () => {
    const result = parse({
      "bot_config.json": { name: "story", behaviors: ["shape"] },
      "behaviors/shape/behavior.json": { baseActionsPath: "special" },
      "special/one/action_config.json": { name: "one", workflow: true, order: 1, next_action: null, instructions: ["Do."] },
      "base_actions/two/action_config.json": { name: "two", workflow: true, order: 1, next_action: null, instructions: ["Do."] },
    });
    expect([codes(result), names(result)]).toEqual([[], [["one"]]]);
    const gone = parse({
      ...later,
      "behaviors/shape/behavior.json": { ...(later["behaviors/shape/behavior.json"] as Files), baseActionsPath: "nowhere" },
    });
    expect(codes(gone)).toContain("warning BOTS_NO_FOLDER");
  });

  test("the order of behaviours is that of the list, unless the list is alphabetical or missing", () => {
    const bot = (behaviors: Json | undefined): string[] => {
      const config: Files = behaviors === undefined ? { name: "story" } : { name: "story", behaviors };
      const result = parse({
        "bot_config.json": config,
        "behaviors/a/behavior.json": { order: 3 },
        "behaviors/b/behavior.json": { order: 1 },
        "behaviors/c/behavior.json": { order: 2 },
        "base_actions/one/action_config.json": { name: "one", workflow: true, order: 1, next_action: null, instructions: ["Do."] },
      });
      return [...(result.definition?.behaviours ?? []).map(({ name }) => name), ...codes(result)];
    };
    expect(bot(["c", "a", "b"])).toEqual(["c", "a", "b"]);
    expect(bot(["a", "b", "c"])).toEqual(["b", "c", "a", "warning BOTS_BEHAVIOUR_ORDER"]);
    expect(bot(undefined)).toEqual(["b", "c", "a"]);
  });

  test("two behaviours of the same order are an error that names both files", () => {
    const result = parse({
      "bot_config.json": { name: "story" },
      "behaviors/a/behavior.json": { order: 1 },
      "behaviors/b/behavior.json": { order: 1, behaviorName: "bee" },
      "base_actions/one/action_config.json": { name: "one", workflow: true, order: 1, next_action: null, instructions: ["Do."] },
    });
    expect(codes(result)).toEqual(["error BOTS_DUPLICATE_ORDER", "warning BOTS_FOLDER_DIFFERS"]);
    expect(result.diagnostics[0]?.message).toContain("`behaviors/a/behavior.json` and `behaviors/b/behavior.json`");
  });
});

const small: Files = {
  "bot_config.json": { name: "story", behaviors: ["shape"] },
  "behaviors/shape/notes.md": "Notes.",
  "base_actions/one/action_config.json": { name: "one", workflow: true, order: 1, next_action: "two" },
  "base_actions/two/action_config.json": { name: "two", workflow: true, order: 2, next_action: null, instructions: ["Do."] },
};
const linesOf = (result: ParsedBot): readonly string[] | undefined => result.definition?.behaviours[0]?.actions[0]?.instructions;

describe("instructions", () => {
  test("of all forms are put together: configuration, then files, the common ones first", () => {
    const result = parse({
      ...small,
      "base_actions/one/action_config.json": {
        name: "one",
        workflow: true,
        order: 1,
        next_action: "two",
        instructions: "In the configuration.",
      },
      "base_actions/one/instructions.json": ["In a list."],
      "base_actions/one/instructions.md": "# In markdown\n\nTwo lines.\n",
      "base_actions/one/instructions.txt": "In text.",
      "base_actions/one/README.md": "Nobody's business.",
      "behaviors/shape/one/instructions.json": { actionName: "one", instructions: ["Of the behaviour."] },
    });
    expect(codes(result)).toEqual([]);
    expect(linesOf(result)).toEqual([
      "In the configuration.",
      "In a list.",
      "# In markdown\n\nTwo lines.",
      "In text.",
      "Of the behaviour.",
    ]);
  });

  test("placeholders of the bot are filled, those of the run stay, others are told once", () => {
    const text = "{{bot_name}}/{{ behavior }}/{{action}} then {{next_action}} in {{project_area}}, {{scope}}; {{rules}} {{rules}}";
    const result = parse({
      ...small,
      "base_actions/one/instructions.md": `One.\n${text}`,
      "base_actions/two/instructions.md": "{{next_action}} {{rules}}",
    });
    expect(linesOf(result)).toEqual([`One.\nstory/shape/one then two in {{project_area}}, {{scope}}; {{rules}} {{rules}}`]);
    expect(result.definition?.behaviours[0]?.actions[1]?.instructions).toEqual(["Do.", "none {{rules}}"]);
    expect(codes(result)).toEqual(["warning BOTS_UNKNOWN_PLACEHOLDER"]);
    expect(result.diagnostics[0]?.place).toMatchObject({
      file: "b/base_actions/one/instructions.md",
      line: 2,
      column: text.indexOf("{{rules}}") + 1,
    });
  });

  test("files are taken in from beside the text, from the behaviour, or from the bot's folder, as they are", () => {
    const result = parse({
      ...small,
      "base_actions/one/instructions.md":
        "Read:\n@near.md\n- @notes.md\n@rules/all.md\n```\n@not/this.md\n```\nUse @near.md, and ask me@example.com or @someone.",
      "base_actions/one/near.md": "Near {{anything}}.\n",
      "rules/all.md": "All.",
    });
    expect(codes(result)).toEqual([]);
    expect(linesOf(result)).toEqual([
      "Read:\nNear {{anything}}.\nNotes.\nAll.\n```\n@not/this.md\n```\nUse @near.md, and ask me@example.com or @someone.\n\n@near.md:\nNear {{anything}}.",
    ]);
  });

  test("of another name than their folder are told, and count for the folder", () => {
    const result = parse({
      ...small,
      "base_actions/one/instructions.json": { actionName: "two", instructions: ["Do."] },
      "base_actions/two/instructions.json": { actionName: "two", instructions: ["Do more."] },
    });
    expect(codes(result)).toEqual(["warning BOTS_FOLDER_DIFFERS"]);
    expect(result.diagnostics[0]?.place).toMatchObject({ file: "b/base_actions/one/instructions.json" });
    expect(result.definition?.behaviours[0]?.actions[0]?.instructions).toContain("Do.");
  });

  test("a file that is missing is an error that names it and its line", () => {
    const result = parse({
      ...small,
      "base_actions/one/instructions.md": "Read\n  @gone/rules.md",
      "base_actions/two/instructions.json": { instructions: ["See @lost.md."] },
    });
    expect(codes(result)).toEqual(["error BOTS_INCLUDE_MISSING", "error BOTS_INCLUDE_MISSING"]);
    expect(result.diagnostics[0]?.message).toContain("`gone/rules.md`");
    expect(result.diagnostics[0]?.place).toEqual({ file: "b/base_actions/one/instructions.md", line: 2, column: 3 });
    expect(result.diagnostics[1]?.place).toMatchObject({ file: "b/base_actions/two/instructions.json", line: 3 });
  });
});

describe("trigger words", () => {
  test("stand in any of their forms, the highest priority first; what is no expression is left out", () => {
    const result = parse({
      ...small,
      "base_actions/one/instructions.md": "Do.",
      "base_actions/one/trigger_words.json": {
        weak: { patterns: ["(?i)maybe"], priority: 1 },
        strong: { patterns: ["now", "(", ""], priority: 5 },
        bare: ["x"],
      },
      "behaviors/shape/trigger_words.json": { patterns: ["^map$"] },
      "behaviors/shape/one/trigger_words.json": ["of shape"],
    });
    expect(codes(result)).toEqual(["warning BOTS_BAD_PATTERN", "warning BOTS_BAD_PATTERN"]);
    expect(result.definition?.behaviours[0]?.actions[0]?.triggers).toEqual([
      { patterns: ["now"], priority: 5 },
      { patterns: ["maybe"], priority: 1 },
      { patterns: ["x"], priority: 0 },
      { patterns: ["of shape"], priority: 0 },
    ]);
    expect(result.definition?.behaviours[0]?.triggers).toEqual([{ patterns: ["^map$"], priority: 0 }]);
  });

  test("of the wrong type are told", () => {
    const result = parse({
      ...small,
      "base_actions/one/instructions.md": "Do.",
      "base_actions/one/trigger_words.json": { a: { priority: "high" }, b: [1], c: 4 },
      "base_actions/two/trigger_words.json": '"x"',
    });
    expect(codes(result)).toEqual([
      "error BOTS_MISSING_KEY",
      "error BOTS_WRONG_TYPE",
      "error BOTS_WRONG_TYPE",
      "error BOTS_WRONG_TYPE",
      "error BOTS_WRONG_TYPE",
    ]);
  });
});

const settingsOf = (result: ReturnType<typeof parse>): string[][] =>
  (result.definition?.behaviours ?? []).map(({ setting, actions }) => [setting, ...actions.map((each) => each.setting)]);

describe("execution settings", () => {
  const bot: Files = { ...small, "base_actions/one/instructions.md": "Do." };

  test("skip and combine actions and behaviours; those of the workspace win, those of other bots are ignored", () => {
    const result = parse({
      ...bot,
      "bot_config.json": { name: "story", behaviors: ["shape", "reshape"] },
      "behaviors/reshape/notes.md": "",
      "execution_settings.json": { "story.shape.one": "skip", "story.reshape.2_two": "skip", "other.shape.one": "what" },
      "../../../execution_settings.json": { "story.shape.one": "auto", "story._behavior.shape": "combine_with_next" },
    });
    expect(codes(result)).toEqual([]);
    expect(settingsOf(result)).toEqual([
      ["combine", "combine", "combine"],
      ["manual", "manual", "skip"],
    ]);
  });

  test("a behaviour is combined with the next one by its last action, unless that one is to be called done by itself", () => {
    const config = { name: "story", behaviors: ["shape", "reshape", "reform"] };
    const folders = { "behaviors/reshape/notes.md": "", "behaviors/reform/notes.md": "" };
    const set = (of: Json) => parse({ ...bot, ...folders, "bot_config.json": config, "execution_settings.json": of });
    expect(settingsOf(set({ "story._behavior.shape": "combine_with_next", "story.shape.two": "skip" }))[0]).toEqual([
      "combine",
      "combine",
      "skip",
    ]);
    const kept = set({ "story._behavior.shape": "combine_with_next", "story.shape.two": "manual" });
    expect(codes(kept)).toEqual(["warning BOTS_WITHOUT_EFFECT"]);
    expect(settingsOf(kept)[0]).toEqual(["manual", "manual", "manual"]);
    const over = set({ "story._behavior.reshape": "auto", "story._behavior.reform": "skip" });
    expect(codes(over)).toEqual(["warning BOTS_WITHOUT_EFFECT"]);
    expect(settingsOf(over)[1]).toEqual(["manual", "manual", "manual"]);
  });

  test("an independent action runs no workflow, and saying so is an error", () => {
    const aside = { name: "aside", workflow: false, order: null, next_action: null, calls: "standards:fix" };
    const result = parse({ ...bot, "base_actions/aside/action_config.json": aside });
    expect(codes(result)).toEqual(["error BOTS_WITHOUT_EFFECT"]);
    expect(result.definition).toBeUndefined();
  });

  test("what has no effect is told: the last action has no next one, and independent actions are in no sequence", () => {
    const result = parse({
      ...bot,
      "base_actions/aside/action_config.json": { name: "aside", workflow: false, order: null, next_action: null, instructions: "Look." },
      "execution_settings.json": {
        "story.shape.two": "combine_next",
        "story.shape.aside": "skip",
        "storry.shape.one": "skip",
        "another_one.shape.one": "skip",
        nonsense: "skip",
      },
    });
    expect(codes(result)).toEqual([
      "warning BOTS_WITHOUT_EFFECT",
      "warning BOTS_WITHOUT_EFFECT",
      "warning BOTS_UNKNOWN_SETTING",
      "warning BOTS_UNKNOWN_SETTING",
    ]);
    expect(result.diagnostics.map(({ place }) => place?.line)).toEqual([2, 3, 4, 6]);
    expect(result.diagnostics[0]?.fix).toContain("story._behavior.shape");
    expect(result.diagnostics[2]?.fix).toContain("`story`");
    expect(settingsOf(result)).toEqual([["manual", "manual", "manual"]]);
  });

  test("unknown targets are a warning, unknown words an error", () => {
    const result = parse({
      ...bot,
      "execution_settings.json": { "story.shape.oen": "skip", "story._behavior.spahe": "skip", "story.shape.one": "sometimes" },
    });
    expect(codes(result)).toEqual(["warning BOTS_UNKNOWN_SETTING", "warning BOTS_UNKNOWN_SETTING", "error BOTS_BAD_VALUE"]);
    expect(result.diagnostics.map(({ place }) => place?.line)).toEqual([2, 3, 4]);
    expect(result.diagnostics[0]?.fix).toContain("`one`");
  });

  test("nothing may be left without anything to do", () => {
    const all = parse({ ...bot, "execution_settings.json": { "story.shape.one": "skip", "story.shape.two": "skip" } });
    expect(codes(all)).toEqual(["error BOTS_ALL_SKIPPED"]);
    expect(all.diagnostics[0]?.message).toContain("`shape`");
    expect(codes(parse({ ...bot, "execution_settings.json": { "story._behavior.shape": "skip" } }))).toEqual(["error BOTS_ALL_SKIPPED"]);
    expect(codes(parse({ ...bot, "execution_settings.json": "[1]" }))).toEqual(["error BOTS_WRONG_TYPE"]);
  });
});
