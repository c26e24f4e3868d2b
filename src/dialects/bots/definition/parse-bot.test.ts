import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../../base/index.ts";
import { parseBot, type ParsedBot } from "./parse-bot.ts";
import { recogniseBot } from "./read/bot-reading.ts";

type Files = Readonly<Record<string, Json>>;

/** The seed's form: one behaviour, two workflow actions, one independent. Texts are files as they are, everything else is JSON. */
const seed: Files = {
  "bot_config.json": { name: "demo", behaviors: ["shape", "reshape"] },
  "base_actions/1_first/action_config.json": { name: "first", workflow: true, order: 1, next_action: "second" },
  "base_actions/1_first/instructions.md": "Do the first thing.\n",
  "base_actions/2_second/action_config.json": { name: "second", workflow: true, order: 2, next_action: null, auto_progress: true },
  "base_actions/2_second/instructions.txt": "Do the second thing.",
  "base_actions/fix/action_config.json": { name: "fix", workflow: false, order: null, next_action: null },
  "base_actions/fix/instructions.json": { actionName: "fix", instructions: ["Look.", "Repair."] },
};

function parse(files: Readonly<Record<string, Json | undefined>>, root = "bots/demo"): ParsedBot {
  const list = Object.entries(files).flatMap(([path, value]) =>
    value === undefined ? [] : [{ path, text: typeof value === "string" ? value : JSON.stringify(value, null, 2) }],
  );
  return parseBot({ root, files: list, source: "project" });
}

/** `code file:line` of each problem. */
function told({ diagnostics }: ParsedBot): string[] {
  return diagnostics.map(({ code, place }) => `${code} ${place?.file ?? ""}:${place?.line ?? 0}`);
}
const action = (name: string, order: Json, next: Json, more: Files = {}): Json => ({
  name,
  workflow: true,
  order,
  next_action: next,
  instructions: "Do.",
  ...more,
});

describe("a bot in the seed's form", () => {
  test("is read without a word", () => {
    const { definition, info, diagnostics } = parse(seed);
    expect(diagnostics).toEqual([]);
    expect(definition).toMatchObject({ name: "demo", doneBy: "person", kept: {} });
    expect(definition?.behaviours.map(({ name, setting }) => [name, setting])).toEqual([
      ["shape", "manual"],
      ["reshape", "manual"],
    ]);
    expect(definition?.behaviours[0]?.actions).toEqual([
      {
        name: "first",
        description: "",
        instructions: ["Do the first thing."],
        workflow: true,
        order: 1,
        next: "second",
        autoProgress: false,
        setting: "manual",
        triggers: [],
        inputs: {},
        file: "base_actions/1_first/action_config.json",
      },
      expect.objectContaining({ name: "second", next: null, autoProgress: true, instructions: ["Do the second thing."] }),
    ]);
    expect(definition?.independent).toMatchObject([
      { name: "fix", workflow: false, order: null, next: null, autoProgress: false, instructions: ["Look.", "Repair."] },
    ]);
    expect(definition).not.toHaveProperty("choosesArea");
    expect(info).toMatchObject({
      name: "demo",
      version: "1.0.0",
      source: "project",
      path: "bots/demo/bot_config.json",
      problems: 0,
      includes: [],
    });
  });

  test("may keep its configuration in `config`, share its actions with the bots beside it, and number its folders", () => {
    const files = Object.fromEntries(
      Object.entries(seed).map(([path, value]) => [
        path === "bot_config.json" ? "config/bot_config.json" : `../${path.replace("fix/", "9-fix/")}`,
        value,
      ]),
    );
    const { definition, diagnostics, info } = parse(files);
    expect(diagnostics).toEqual([]);
    expect(definition?.behaviours[1]?.actions.map(({ name }) => name)).toEqual(["first", "second"]);
    expect(definition?.independent[0]?.file).toBe("../base_actions/9-fix/action_config.json");
    expect(info.path).toBe("bots/demo/config/bot_config.json");
    const broken = parse({ ...files, "../base_actions/1_first/action_config.json": action("first", 1, "sceond") });
    expect(told(broken)).toEqual(["BOTS_UNKNOWN_NEXT bots/base_actions/1_first/action_config.json:5"]);
  });

  test("finds the folder of a behaviour by its whole name", () => {
    const { definition, diagnostics } = parse({
      ...seed,
      "behaviors/2_reshape/instructions.md": "Of reshape.",
      "behaviors/10_shape/instructions.md": "Of {{behavior}}.",
    });
    expect(diagnostics).toEqual([]);
    expect(definition?.behaviours.map(({ name, instructions }) => [name, instructions])).toEqual([
      ["shape", ["Of shape."]],
      ["reshape", ["Of reshape."]],
    ]);
  });

  test("is recognised by its configuration", () => {
    expect(recogniseBot(".waymark/workflows/demo/bot_config.json")).toBe(".waymark/workflows/demo");
    expect(recogniseBot(".waymark\\workflows\\demo\\config\\bot_config.json")).toBe(".waymark/workflows/demo");
    expect(recogniseBot("bot_config.json")).toBe(".");
    expect(recogniseBot("/config/bot_config.json")).toBe("/");
    expect(recogniseBot("demo/my_bot_config.json")).toBeUndefined();
    expect(recogniseBot("demo/bot_config.json/x")).toBeUndefined();
  });

  test("is in order by `order`, never by the names of folders, and `next_action` wins", () => {
    const files: Record<string, Json> = { "bot_config.json": { name: "demo", behaviors: ["b"] } };
    for (const [folder, name, order, next] of [
      ["10_a", "a", 2, "b"],
      ["2_b", "b", 10, "d"],
      ["1_c", "c", 12, null],
      ["3_d", "d", 11.5, "c"],
    ] as const)
      files[`base_actions/${folder}/action_config.json`] = action(name, order, next);
    const { definition, diagnostics } = parse(files);
    expect(diagnostics).toEqual([]);
    expect(definition?.behaviours[0]?.actions.map(({ name }) => name)).toEqual(["a", "b", "d", "c"]);
  });
});

describe("a behaviour changes the common actions", () => {
  test("order, next action, confirmation and instructions, for itself only", () => {
    const { definition, diagnostics } = parse({
      ...seed,
      "behaviors/shape/x.md": "",
      "behaviors/reshape/1_second/action_config.json": { order: 1, next_action: "first", auto_progress: false },
      "behaviors/reshape/actions/first/action_config.json": {
        order: 5,
        next_action: null,
        instructions: ["Then {{action}} of {{behaviour}}."],
      },
      "behaviors/reshape/first/instructions.md": "More.",
    });
    expect(diagnostics).toEqual([]);
    const [shape, reshape] = definition?.behaviours ?? [];
    expect(shape?.actions.map(({ name, next }) => [name, next])).toEqual([
      ["first", "second"],
      ["second", null],
    ]);
    expect(reshape?.actions.map(({ name, order, next, autoProgress }) => [name, order, next, autoProgress])).toEqual([
      ["second", 1, "first", false],
      ["first", 5, null, false],
    ]);
    expect(reshape?.actions[1]?.instructions).toEqual(["Do the first thing.", "More.", "Then first of reshape."]);
    expect(shape?.actions[0]?.instructions).toEqual(["Do the first thing."]);
  });

  test("an action of its own joins its sequence; other folders are content", () => {
    const { definition, diagnostics } = parse({
      ...seed,
      "behaviors/shape/x.md": "",
      "behaviors/reshape/second/action_config.json": { next_action: "third" },
      "behaviors/reshape/third/action_config.json": action("third", 3, null),
      "behaviors/reshape/2_content/templates/t.md": "{{whatever}}",
    });
    expect(diagnostics).toEqual([]);
    expect(definition?.behaviours.map(({ actions }) => actions.map(({ name }) => name))).toEqual([
      ["first", "second"],
      ["first", "second", "third"],
    ]);
  });

  test("what it says about an independent action is told with its name", () => {
    const { definition } = parse({ ...seed, "behaviors/shape/x.md": "", "behaviors/reshape/fix/instructions.md": "In {{behavior}} only." });
    expect(definition?.independent[0]?.instructions).toEqual(["Look.", "Repair.", "In the behaviour `reshape`:\nIn reshape only."]);
  });

  test("a contradiction that only it has names it, and is told once", () => {
    const result = parse({ ...seed, "behaviors/shape/x.md": "", "behaviors/reshape/second/action_config.json": { next_action: "first" } });
    expect(told(result)).toEqual([
      "BOTS_NO_FIRST bots/demo/base_actions/1_first/action_config.json:2",
      "BOTS_CYCLE bots/demo/base_actions/1_first/action_config.json:5",
    ]);
    expect(result.diagnostics[1]?.message).toBe(
      "In the behaviour `reshape`: The actions lead in a circle: `first` → `second` → `first`, in `base_actions/1_first/action_config.json` and `base_actions/2_second/action_config.json`.",
    );
  });
});

describe("everything that is wrong is told at once, each with its file", () => {
  test("missing order, unknown next action, cycle, two first actions, placed independent action", () => {
    const result = parse({
      "bot_config.json": { name: "demo", behaviors: ["b"] },
      "base_actions/a/action_config.json": action("a", 1, "b"),
      "base_actions/b/action_config.json": action("b", 2, "nothing_like_it"),
      "base_actions/c/action_config.json": { name: "c", workflow: true, next_action: null, instructions: "Do." },
      "base_actions/d/action_config.json": action("d", 4, "e"),
      "base_actions/e/action_config.json": action("e", 5, "d"),
      "base_actions/f/action_config.json": action("f", 6, "c"),
      "base_actions/g/action_config.json": { name: "g", workflow: false, order: 7, next_action: "a", instructions: "Do." },
      "base_actions/h/notes.md": "",
      "base_actions/i/action_config.json": action("i", 2, null),
    });
    expect(result.definition).toBeUndefined();
    expect(told(result)).toEqual([
      "BOTS_UNKNOWN_NEXT bots/demo/base_actions/b/action_config.json:5",
      "BOTS_NO_ORDER bots/demo/base_actions/c/action_config.json:1",
      "BOTS_CYCLE bots/demo/base_actions/d/action_config.json:5",
      "BOTS_TWO_FIRST bots/demo/base_actions/f/action_config.json:2",
      "BOTS_INDEPENDENT_PLACED bots/demo/base_actions/g/action_config.json:4",
      "BOTS_INDEPENDENT_PLACED bots/demo/base_actions/g/action_config.json:5",
      "BOTS_NO_ACTION_CONFIG bots/demo/base_actions/h/action_config.json:1",
      "BOTS_UNREACHABLE bots/demo/base_actions/i/action_config.json:2",
      "BOTS_DUPLICATE_ORDER bots/demo/base_actions/i/action_config.json:4",
    ]);
    const say = (code: string): string => result.diagnostics.find((each) => each.code === code)?.message ?? "";
    expect(say("BOTS_TWO_FIRST")).toContain("`a` in `base_actions/a/action_config.json` and `f` in `base_actions/f/action_config.json`");
    expect(say("BOTS_DUPLICATE_ORDER")).toContain("`base_actions/b/action_config.json` and `base_actions/i/action_config.json`");
    expect(result.info.problems).toBe(9);
    for (const each of result.diagnostics) expect(each.fix).toMatch(/^[A-Z`].*[.?]$/);
  });

  test("every action follows another: there is a circle and no first one", () => {
    const result = parse({
      "bot_config.json": { name: "demo", behaviors: ["b"] },
      "base_actions/a/action_config.json": action("a", 1, "a"),
    });
    expect(told(result)).toEqual([
      "BOTS_NO_FIRST bots/demo/base_actions/a/action_config.json:2",
      "BOTS_CYCLE bots/demo/base_actions/a/action_config.json:5",
    ]);
    const none = parse({
      ...seed,
      "base_actions/1_first/action_config.json": undefined,
      "base_actions/1_first/instructions.md": undefined,
      "base_actions/2_second/action_config.json": { name: "second", workflow: false },
    });
    expect(told(none)).toContain("BOTS_NO_FIRST bots/demo/base_actions:1");
  });

  test("the lowest order begins, so what leads to it is never reached", () => {
    const result = parse({
      "bot_config.json": { name: "demo", behaviors: ["b"] },
      "base_actions/a/action_config.json": action("a", 2, "b"),
      "base_actions/b/action_config.json": action("b", 1, null),
    });
    expect(told(result)).toEqual(["BOTS_UNREACHABLE bots/demo/base_actions/a/action_config.json:2"]);
  });

  test.each([
    ["is no map", "[]"],
    ["is not JSON", "{"],
    ["has no `workflow`", { name: "write", order: 2, next_action: null, instructions: "Do." }],
    ["has a `workflow` of another type", { name: "write", workflow: "yes", order: 2, next_action: null, instructions: "Do." }],
    ["has an `order` of another type", { name: "write", workflow: true, order: "2", next_action: null, instructions: "Do." }],
  ])("a misspelt `next_action` is told what it may mean, also when the configuration of that %s", (_what, config) => {
    const { diagnostics } = parse({
      "bot_config.json": { name: "demo", behaviors: ["b"] },
      "base_actions/1_ask/action_config.json": action("ask", 1, "wrote"),
      "base_actions/2_write/action_config.json": config,
    });
    expect(diagnostics.find(({ code }) => code === "BOTS_UNKNOWN_NEXT")?.fix).toBe("Did you mean `write`?");
  });

  test("a listed behaviour is told the folder that it may mean", () => {
    const { diagnostics } = parse({
      ...seed,
      "bot_config.json": { name: "demo", behaviors: ["plan", "pck"] },
      "behaviors/1_plan/instructions.md": "Plan.",
      "behaviors/2_pack/instructions.md": "Pack.",
    });
    expect(diagnostics.find(({ code }) => code === "BOTS_NO_BEHAVIOUR_FOLDER")?.fix).toBe("Did you mean `pack`?");
  });

  test("required fields, types, names, and folders that are no behaviour", () => {
    const result = parse({
      "bot_config.json": { name: "my bot", behaviors: ["shape", "1_shape", "other"], description: 4, done_by: "nobody" },
      "behaviors/1_shape/behavior.json": { description: ["x"] },
      "behaviors/othre/notes.md": "",
      "behaviors/_hidden/notes.md": "",
      "base_actions/a/action_config.json": { workflow: "yes", order: "1", next_action: 7, instructions: "Do." },
      "base_actions/b/action_config.json": "[]",
    });
    expect(told(result)).toEqual([
      "BOTS_BAD_NAME bots/demo/bot_config.json:2",
      "BOTS_DUPLICATE_NAME bots/demo/bot_config.json:5",
      "BOTS_NO_BEHAVIOUR_FOLDER bots/demo/bot_config.json:6",
      "BOTS_WRONG_TYPE bots/demo/bot_config.json:8",
      "BOTS_BAD_VALUE bots/demo/bot_config.json:9",
      "BOTS_MISSING_KEY bots/demo/base_actions/a/action_config.json:1",
      "BOTS_WRONG_TYPE bots/demo/base_actions/a/action_config.json:2",
      "BOTS_WRONG_TYPE bots/demo/base_actions/a/action_config.json:3",
      "BOTS_WRONG_TYPE bots/demo/base_actions/a/action_config.json:4",
      "BOTS_WRONG_TYPE bots/demo/base_actions/b/action_config.json:1",
      "BOTS_WRONG_TYPE bots/demo/behaviors/1_shape/behavior.json:2",
      "BOTS_UNKNOWN_BEHAVIOUR bots/demo/behaviors/othre:1",
    ]);
    expect(result.diagnostics.at(-1)?.fix).toContain("Did you mean `other`?");
  });

  test("no configuration, no behaviours, no actions", () => {
    expect(told(parse({}))).toEqual(["BOTS_NO_CONFIG bots/demo/bot_config.json:1"]);
    expect(told(parse({ "bot_config.json": { name: "x", behaviors: [] } }))).toEqual(["BOTS_NO_BEHAVIOURS bots/demo/bot_config.json:3"]);
    expect(told(parse({ "bot_config.json": { name: "x" } }))).toEqual(["BOTS_NO_BEHAVIOURS bots/demo/bot_config.json:1"]);
    expect(told(parse({ "bot_config.json": { name: "x", behaviors: ["b"] } }))).toEqual(["BOTS_NO_FIRST bots/demo/base_actions:1"]);
  });

  test.each([
    ['{ "name": "demo",\n"name": "demo", "behaviors": ["shape", "reshape"] }', "BOTS_DUPLICATE_KEY", 2],
    ['{ "name": "demo", "behaviors": ["shape", "reshape"],\n"__proto__": 1 }', "BOTS_FORBIDDEN_KEY", 2],
    [`${"[".repeat(100)}${"]".repeat(100)}`, "BOTS_TOO_DEEP", 1],
  ])("%s is a problem of the text", (text, code, line) => {
    expect(told(parse({ ...seed, "bot_config.json": text }))).toEqual([`${code} bots/demo/bot_config.json:${line}`]);
  });

  test("a file with comments is not JSON; the others are still checked", () => {
    const result = parse({
      ...seed,
      "base_actions/1_first/action_config.json": '{\n  "name": "first", // the first\n}',
      "base_actions/2_second/action_config.json": action("second", "2", null),
    });
    expect(told(result)).toEqual([
      "BOTS_JSON_SYNTAX bots/demo/base_actions/1_first/action_config.json:2",
      "BOTS_WRONG_TYPE bots/demo/base_actions/2_second/action_config.json:4",
    ]);
    expect(result.diagnostics[0]).toMatchObject({
      place: { line: 2, column: 20 },
      message: expect.stringContaining("JSON has no comments") as string,
    });
  });

  test("two actions, two folders, or two tools of one name", () => {
    expect(told(parse({ ...seed, "base_actions/3_first/action_config.json": action("first", 3, null) }))).toEqual([
      "BOTS_DUPLICATE_NAME bots/demo/base_actions/3_first/action_config.json:2",
    ]);
    expect(told(parse({ ...seed, "behaviors/1_shape/a.md": "", "behaviors/2_shape/a.md": "", "behaviors/reshape/a.md": "" }))).toEqual([
      "BOTS_DUPLICATE_NAME bots/demo/behaviors/2_shape:1",
    ]);
    const unnamed = parse({
      ...seed,
      "base_actions/9_first/action_config.json": '\n{ "workflow": true, "order": 3, "next_action": null }',
    });
    expect(told(unnamed)).toContain("BOTS_DUPLICATE_NAME bots/demo/base_actions/9_first/action_config.json:2");
    const clash = parse({ ...seed, "base_actions/fix/action_config.json": { name: "tool", workflow: false } });
    expect(told(clash)).toContain("BOTS_TOOL_CLASH bots/demo/bot_config.json:3");
  });
});

describe("what is only worth a warning", () => {
  test("unknown keys are told once and kept by file; foreign ones as well", () => {
    const { definition, diagnostics } = parse({
      ...seed,
      "bot_config.json": { name: "demo", behaviors: ["shape"], mcp: { env: { A: "1" } }, descripton: "x" },
      "base_actions/1_first/action_config.json": action("first", 1, "second", { colour: "red" }),
      "base_actions/2_second/action_config.json": action("second", 2, null, { colour: "blue", action_class: "x.Y" }),
    });
    expect(diagnostics.map(({ code, severity, message }) => [code, severity, message.slice(0, 12)])).toEqual([
      ["BOTS_FOREIGN_KEY", "warning", "`mcp` is a k"],
      ["BOTS_UNKNOWN_KEY", "warning", "`descripton`"],
      ["BOTS_UNKNOWN_KEY", "warning", "`colour` has"],
      ["BOTS_FOREIGN_KEY", "warning", "`action_clas"],
    ]);
    expect(diagnostics[1]?.fix).toBe("Did you mean `description`?");
    expect(diagnostics[2]?.message).toContain("It is also in `base_actions/2_second/action_config.json`");
    expect(definition?.kept).toEqual({
      "bot_config.json": { mcp: { env: { A: "1" } }, descripton: "x" },
      "base_actions/1_first/action_config.json": { colour: "red" },
      "base_actions/2_second/action_config.json": { colour: "blue", action_class: "x.Y" },
    });
  });

  test("a folder with another name leads to the action by either", () => {
    const { definition, diagnostics } = parse({
      ...seed,
      "base_actions/1_first/action_config.json": action("begin", 1, "second"),
      "base_actions/0_zero/action_config.json": action("zero", 0, "first"),
      "behaviors/shape/first/instructions.md": "By folder.",
      "behaviors/reshape/begin/instructions.md": "By name.",
    });
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([["BOTS_FOLDER_DIFFERS", "warning"]]);
    expect(definition?.behaviours.map(({ actions }) => actions[1]?.instructions.at(-1))).toEqual(["By folder.", "By name."]);
    expect(definition?.behaviours[0]?.actions[0]?.next).toBe("begin");
  });

  test("no instructions, keys without effect, a second configuration", () => {
    const result = parse({
      ...seed,
      "config/bot_config.json": { name: "other" },
      "base_actions/1_first/action_config.json": action("first", 1, "second", { instructions: "", inputs: { a: 1 } }),
      "base_actions/1_first/instructions.md": undefined,
      "base_actions/fix/action_config.json": { name: "fix", workflow: false, auto_progress: true },
    });
    expect(told(result)).toEqual([
      "BOTS_NO_INSTRUCTIONS bots/demo/base_actions/1_first/action_config.json:1",
      "BOTS_WITHOUT_EFFECT bots/demo/base_actions/1_first/action_config.json:7",
      "BOTS_WITHOUT_EFFECT bots/demo/base_actions/fix/action_config.json:4",
      "BOTS_WITHOUT_EFFECT bots/demo/config/bot_config.json:1",
    ]);
    expect(result.definition?.name).toBe("demo");
  });
});

describe("what an action does", () => {
  test("one that calls a workflow needs no instructions", () => {
    const { definition, info, diagnostics } = parse({
      ...seed,
      "base_actions/2_second/action_config.json": {
        name: "second",
        workflow: true,
        order: 2,
        next_action: null,
        calls: "standards:fix",
        inputs: { folder: "src" },
      },
      "base_actions/2_second/instructions.txt": undefined,
    });
    expect(diagnostics).toEqual([]);
    expect(definition?.behaviours[0]?.actions[1]).toMatchObject({ calls: "standards:fix", inputs: { folder: "src" }, instructions: [] });
    expect(info.includes).toEqual(["standards:fix"]);
    const bad = parse({ ...seed, "base_actions/2_second/action_config.json": action("second", 2, null, { calls: "no such!" }) });
    expect(told(bad)).toEqual(["BOTS_BAD_NAME bots/demo/base_actions/2_second/action_config.json:7"]);
  });

  test("the project area is chosen by the action that says so, or by custom", () => {
    const custom = { ...seed, "base_actions/0_init/action_config.json": action("initialize_project", 0, "first") };
    expect(parse(custom).definition?.choosesArea).toBe("initialize_project");
    const said = parse({
      ...custom,
      "base_actions/1_first/action_config.json": action("first", 1, "second", { chooses_project_area: true }),
    });
    expect(said.definition?.choosesArea).toBe("first");
    const denied = parse({
      ...custom,
      "base_actions/0_init/action_config.json": action("initialize_project", 0, "first", { chooses_project_area: false }),
    });
    expect(denied.definition).not.toHaveProperty("choosesArea");
    const two = parse({
      ...seed,
      "base_actions/1_first/action_config.json": action("first", 1, "second", { chooses_project_area: true }),
      "base_actions/2_second/action_config.json": action("second", 2, null, { chooses_project_area: true }),
    });
    expect(told(two)).toEqual(["BOTS_TWO_CHOOSERS bots/demo/base_actions/2_second/action_config.json:7"]);
  });

  test("who says done is for the bot to choose", () => {
    expect(parse({ ...seed, "bot_config.json": { name: "demo", behaviors: ["shape"], done_by: "relay" } }).definition?.doneBy).toBe(
      "relay",
    );
  });
});

describe("always", () => {
  test("a chain in any folders and any order of files is read from its first action to its last", () => {
    const names = ["alpha", "beta", "gamma", "delta", "epsilon"];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(names, { minLength: 1 }),
        fc.array(fc.nat(99), { minLength: 5, maxLength: 5 }),
        fc.uniqueArray(fc.double({ noNaN: true, noDefaultInfinity: true, min: -50, max: 50 }), {
          minLength: 5,
          maxLength: 5,
          // 0 and -0 are one place.
          comparator: "IsStrictlyEqual",
        }),
        fc.boolean(),
        (chain, numbers, orders, backwards) => {
          const sorted = [...orders].sort((a, b) => a - b);
          const entries = chain.map((name, index): [string, Json] => [
            `base_actions/${numbers[index] ?? 0}_${name}/action_config.json`,
            action(name, sorted[index] ?? 0, chain[index + 1] ?? null),
          ]);
          const files = Object.fromEntries([
            ...(backwards ? entries.reverse() : entries),
            ["bot_config.json", { name: "x", behaviors: ["b"] }],
          ]);
          const { definition, diagnostics } = parse(files);
          expect(diagnostics).toEqual([]);
          expect(definition?.behaviours[0]?.actions.map(({ name }) => name)).toEqual(chain);
          expect(definition?.behaviours[0]?.actions.at(-1)?.next).toBeNull();
        },
      ),
    );
  });

  test("a sequence is either refused, or visits each workflow action exactly once from the lowest order on", () => {
    const names = ["a", "b", "c", "d"];
    const whole = { minLength: 4, maxLength: 4 };
    const change = fc.option(fc.tuple(fc.nat(3), fc.constantFrom(...names, null)));
    let accepted = 0;
    fc.assert(
      fc.property(fc.shuffledSubarray(names, whole), fc.shuffledSubarray([1, 2, 3, 4], whole), change, (chain, orders, changed) => {
        const files: Record<string, Json> = { "bot_config.json": { name: "x", behaviors: ["b"] } };
        for (const [index, name] of chain.entries())
          files[`base_actions/${name}/action_config.json`] = action(
            name,
            orders[index] ?? 0,
            changed?.[0] === index ? changed[1] : (chain[index + 1] ?? null),
          );
        const { definition, diagnostics } = parse(files);
        const done = definition?.behaviours[0]?.actions.map(({ name }) => name);
        accepted += definition === undefined ? 0 : 1;
        expect(diagnostics.length > 0).toBe(definition === undefined);
        expect(done === undefined || (done.length === 4 && new Set(done).size === 4)).toBe(true);
        expect(definition?.behaviours[0]?.actions[0]?.order ?? 1).toBe(1);
      }),
      { numRuns: 1_000 },
    );
    // About one in twelve is accepted; so few that all were refused would say nothing.
    expect(accepted).toBeGreaterThan(20);
  });

  test("whatever the files hold, it does not throw, and every problem has a file", () => {
    const paths = [
      ...Object.keys(seed),
      "behaviors/shape/behavior.json",
      "behaviors/reshape/first/action_config.json",
      "execution_settings.json",
      "behaviors/shape/trigger_words.json",
    ];
    const keys = [
      "name",
      "workflow",
      "order",
      "next_action",
      "behaviors",
      "instructions",
      "actions_workflow",
      "actions",
      "patterns",
      "calls",
      "inputs",
      "demo.shape.first",
    ];
    const value = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom<Json>(null, true, 1, "first", "second", "{{x}} @a.md", ""),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("json"), { maxKeys: 4 }),
      ),
    })).json;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...paths), fc.oneof(value, fc.string()), { maxKeys: 5 }), (changed) => {
        const { definition, diagnostics, info } = parse({ ...seed, ...changed });
        expect(definition === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
        expect(info.problems).toBe(diagnostics.filter(({ severity }) => severity === "error").length);
        for (const { place } of diagnostics) expect(place?.file).toMatch(/^bots\//);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a folder in a behaviour that fits no action", () => {
  const warned = (files: Files) => parse({ ...seed, "behaviors/2_reshape/x.md": "", ...files }).diagnostics;

  test("is warned about at its text, with the nearest action", () => {
    expect(warned({ "behaviors/1_shape/2_secnd/instructions.md": "Never read." })).toEqual([
      expect.objectContaining({
        code: "BOTS_WITHOUT_EFFECT",
        severity: "warning",
        message: "`behaviors/1_shape/2_secnd/instructions.md` is never used: the behaviour `shape` has no action `secnd`.",
        fix: "Did you mean `second`? Rename the folder.",
        place: expect.objectContaining({ file: "bots/demo/behaviors/1_shape/2_secnd/instructions.md", line: 1 }),
      }),
    ]);
  });

  test("is warned about for trigger words, and below `actions`, and named an own action where none is near", () => {
    expect(warned({ "behaviors/1_shape/actions/unheard/trigger_words.json": ["go"] })).toMatchObject([
      { code: "BOTS_WITHOUT_EFFECT", fix: "Rename the folder, add `action_config.json` to make it an action, or remove it." },
    ]);
  });

  test("is content of the bot when nothing in it is for an action", () => {
    expect(warned({ "behaviors/1_shape/templates/outline.md": "# Outline" })).toEqual([]);
  });
});
