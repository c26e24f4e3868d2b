import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import * as shapes from "./definition/config-keys.ts";
import { botsCodes } from "./codes.ts";
import { botToolNames, parseBot, recogniseBot } from "./definition/index.ts";

const example = join(import.meta.dirname, "../../../examples/story-bot/.waymark/workflows/story_bot");
const files = readdirSync(example, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: path.slice(example.length + 1).replaceAll(sep, "/"), text: readFileSync(path, "utf8") }));

describe("the sample bot", () => {
  const { definition, diagnostics, info } = parseBot({ root: "story_bot", files, source: "project" });

  test("has no problem, and is found by its configuration", () => {
    expect(diagnostics).toEqual([]);
    expect(recogniseBot(`x/story_bot/${files.find(({ path }) => path.endsWith("bot_config.json"))?.path ?? ""}`)).toBe("x/story_bot");
    expect(info).toMatchObject({ name: "story_bot", path: "story_bot/bot_config.json", problems: 0 });
  });

  test("has five behaviours, each with the same six actions, and one action beside them", () => {
    expect(definition?.behaviours.map(({ name }) => name)).toEqual([
      "shape",
      "prioritization",
      "discovery",
      "exploration",
      "specification",
    ]);
    for (const { actions } of definition!.behaviours)
      expect(actions.map(({ name, order, next, autoProgress }) => [name, order, next, autoProgress])).toEqual([
        ["initialize_project", 1, "gather_context", false],
        ["gather_context", 2, "decide_planning_criteria", false],
        ["decide_planning_criteria", 3, "build_knowledge", false],
        ["build_knowledge", 4, "render_output", true],
        ["render_output", 5, "validate_rules", false],
        ["validate_rules", 7, null, false],
      ]);
    expect(definition?.independent.map(({ name, order, next }) => [name, order, next])).toEqual([["correct_bot", null, null]]);
    expect(definition).toMatchObject({ choosesArea: "initialize_project", doneBy: "person", kept: {} });
  });

  test("gives every action of every behaviour words of its own, with nothing left to fill but what a run knows", () => {
    const texts = new Map<string, string[]>();
    for (const { name, actions, instructions } of definition!.behaviours) {
      expect(instructions[0]).toMatch(/^Goal: /);
      for (const action of actions) {
        const text = action.instructions.join("\n");
        expect(text.length, `${name}.${action.name}`).toBeGreaterThan(300);
        expect(text.replaceAll("{{project_area}}", "")).not.toMatch(/\{\{|^@/m);
        texts.set(text, [...(texts.get(text) ?? []), `${name}.${action.name}`]);
      }
      expect(actions[5]?.instructions[0]).toContain("## Common rules");
      expect(actions[4]?.instructions.at(-1)).toMatch(/^# /m);
    }
    const shared = [...texts.values()].filter((actions) => actions.length > 1);
    const behaviours = ["shape", "prioritization", "discovery", "exploration", "specification"];
    expect([texts.size, ...shared]).toEqual([26, behaviours.map((name) => `${name}.initialize_project`)]);
  });

  test("its 42 tools cost less than 2,000 tokens", () => {
    const { full, compact, collisions } = botToolNames(definition!);
    const cost = full.reduce(
      (sum, { name, description, inputSchema }) => sum + encode(JSON.stringify({ name, description, inputSchema })).length,
      0,
    );
    expect([full.length, compact.length, collisions.length]).toEqual([42, 3, 0]);
    expect(cost).toBeLessThan(2000);
    expect(full.filter(({ description }) => description.includes("…"))).toEqual([]);
  });
});

describe("the catalogue and the features", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith("codes.ts"),
  );
  const used = new Set(
    sources.flatMap((name) => readFileSync(join(import.meta.dirname, name), "utf8").match(/(?<=")BOTS_[A-Z_]+(?=")/g) ?? []),
  );

  const ofRuns = Object.keys(botsCodes).filter((code) => !code.startsWith("BOTS_"));

  test("every code is listed, and every listed code is used", () => {
    expect([...used, ...ofRuns].sort()).toEqual(Object.keys(botsCodes).sort());
    const texts = sources.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")).join("\n");
    expect(ofRuns.filter((code) => !texts.includes(`"${code}"`))).toEqual([]);
    for (const { what, why, fix } of Object.values(botsCodes)) for (const text of [what, why, fix]) expect(text).toMatch(/^[A-Z`].*[.]$/);
  });

  test("every code is reached by a test", () => {
    const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"))
      .join("\n");
    expect(Object.keys(botsCodes).filter((code) => !ofRuns.includes(code) && !tests.includes(code))).toEqual([]);
  });

  test("every key of every file is described", () => {
    for (const shape of Object.values(shapes))
      for (const [key, { about }] of Object.entries(shape)) expect(about, key).toMatch(/^[A-Z].{5,}\.$/);
    expect(Object.keys(shapes.actionShape).filter((key) => shapes.actionShape[key]?.required === true)).toEqual(["name", "workflow"]);
  });
});
