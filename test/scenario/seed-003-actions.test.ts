/** Stories 6 to 15 of the seed: the five actions of a behaviour, walked through once and looked at from all sides. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ToolReply } from "../process/mcp-client.ts";
import { openPlacedBot, type Entry, type SeedBot, type State } from "../support/seed-003-bench.ts";

/** What was seen when an action was open, and after it was closed. */
interface Seen {
  readonly opened: { readonly reply: ToolReply; readonly state: State };
  readonly closed: { readonly reply: ToolReply; readonly state: State; readonly asked: readonly string[]; readonly entry: Entry };
}

const walked = ["gather_context", "decide_planning_criteria", "build_knowledge", "render_output", "validate_rules"] as const;
type Walked = (typeof walked)[number];

const content: Partial<Record<Walked, { path: string; text: string }[]>> = {
  build_knowledge: [{ path: "knowledge/shape.json", text: '{ "epics": [] }\n' }],
  render_output: [{ path: "stories/shape.md", text: "# Story map\n" }],
};

let bot: SeedBot;
const seen = {} as Record<Walked, Seen>;
beforeAll(async () => {
  bot = await openPlacedBot();
  for (const action of walked) {
    const opened = { reply: await bot.call("story_bot_tool"), state: await bot.state() };
    const before = bot.asked.length;
    const reply = await bot.call("story_bot_close_current_action", {
      action,
      summary: `${action} is ready.`,
      inputs: { from: "notes" },
      ...(content[action] === undefined ? {} : { content: content[action] }),
    });
    const entry = (await bot.log()).findLast((each) => each.action === action && each.action_state === "completed");
    seen[action] = { opened, closed: { reply, state: await bot.state(), asked: bot.asked.slice(before), entry: entry! } };
  }
});
afterAll(() => bot.close());

const completedIn = ({ completed_actions: all }: State): string[] => all.map((entry) => entry.action);

describe("stories 6, 8, 10, 12 and 14: what an action does is on record", () => {
  const tracked = [
    ["6", "gather_context"],
    ["8", "decide_planning_criteria"],
    ["10", "build_knowledge"],
    ["12", "render_output"],
    ["14", "validate_rules"],
  ];

  test.each(tracked)("%s.1 %s is executed", (_story, action) => {
    const { opened } = seen[action as Walked];
    expect(opened.reply.data).toMatchObject({ status: "started", behavior: "shape", action });
    expect(opened.state).toMatchObject({ current_action: action, action_state: "started" });
  });

  test.each(tracked)(
    "%s.2 its activity is tracked: start and completion of %s, with inputs, outputs and duration",
    async (_story, action) => {
      const entries = (await bot.log()).filter((entry) => entry.action === action && entry.behavior === "shape");
      expect(entries.map((entry) => entry.action_state)).toEqual(["started", "completed"]);
      expect(entries[0]).toMatchObject({ inputs: {}, outputs: {}, duration: null });
      expect(entries[1]).toMatchObject({ inputs: { from: "notes" }, outputs: { summary: `${action} is ready.` } });
      expect(entries[1]?.duration).toBeGreaterThan(0);
    },
  );
});

describe("stories 7, 9 and 13: an action that a person calls done", () => {
  const confirmed = [
    ["7", "gather_context", "decide_planning_criteria"],
    ["9", "decide_planning_criteria", "build_knowledge"],
    ["13", "render_output", "validate_rules"],
  ];

  test.each(confirmed)("%s.1 the work of %s is reported", (_story, action) => {
    expect(seen[action as Walked].closed.reply.isError).toBe(false);
    expect(seen[action as Walked].closed.entry.outputs).toMatchObject({ summary: `${action} is ready.` });
  });

  test.each(confirmed)("%s.2 and a person was asked whether %s is done, after its results were shown", (_story, action) => {
    const { asked } = seen[action as Walked].closed;
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`${action} is ready.`);
    expect(asked[0]).toContain("Is it done?");
  });

  test.each(confirmed)("%s.3 the state with %s completed is saved", (_story, action) => {
    expect(completedIn(seen[action as Walked].closed.state)).toContain(action);
    expect(completedIn(seen[action as Walked].opened.state)).not.toContain(action);
  });

  test("13.4 what render_output submits is written into the project area and listed", async () => {
    expect(await readFile(join(bot.engine.folder, "docs/stories/shape.md"), "utf8")).toBe("# Story map\n");
    expect(seen.render_output.closed.entry.outputs).toMatchObject({ files: ["docs/stories/shape.md"] });
  });

  test.each([
    ["7.4", "gather_context", "decide_planning_criteria"],
    ["9.4", "decide_planning_criteria", "build_knowledge"],
    ["13.5", "render_output", "validate_rules"],
  ])("%s the instructions of %s lead to %s", (_number, action, next) => {
    expect(seen[action as Walked].opened.reply.text.match(/^When done, proceed to .*$/gm)).toEqual([`When done, proceed to ${next}`]);
  });

  test.each([
    ["7.5", "gather_context", "decide_planning_criteria"],
    ["9.5", "decide_planning_criteria", "build_knowledge"],
    ["13.6", "render_output", "validate_rules"],
  ])("%s after %s the workflow proceeds to %s", (_number, action, next) => {
    expect(seen[action as Walked].closed.reply.data).toMatchObject({ next_action: next, next: { action: next, status: "started" } });
    expect(seen[action as Walked].closed.state).toMatchObject({ current_action: next, action_state: "started" });
  });
});

describe("story 11: an action that goes on by itself", () => {
  test("11.1 the work of build_knowledge is reported", () => {
    expect(seen.build_knowledge.closed.reply.data).toMatchObject({ status: "completed", completed_action: "build_knowledge" });
  });

  test("11.2 the state with build_knowledge completed is saved", () => {
    expect(completedIn(seen.build_knowledge.closed.state)).toContain("build_knowledge");
  });

  test("11.3 what it submits is written into the project area and listed", async () => {
    expect(await readFile(join(bot.engine.folder, "docs/knowledge/shape.json"), "utf8")).toBe('{ "epics": [] }\n');
    expect(seen.build_knowledge.closed.entry.outputs).toMatchObject({ files: ["docs/knowledge/shape.json"] });
  });

  test("11.4 the workflow proceeds to render_output, and nobody is asked", () => {
    expect(seen.build_knowledge.closed.asked).toEqual([]);
    expect(seen.build_knowledge.closed.state).toMatchObject({ current_action: "render_output", action_state: "started" });
    expect(seen.build_knowledge.opened.reply.data.data.needs_confirmation).toBe(false);
  });
});

describe("story 15: the last action", () => {
  test("15.1 the work of validate_rules is reported", () => {
    expect(seen.validate_rules.closed.reply.data).toMatchObject({ status: "completed", completed_action: "validate_rules" });
  });

  test("15.2 its results are presented", () => {
    expect(seen.validate_rules.closed.asked[0]).toContain("validate_rules is ready.");
  });

  test("15.3 and a person says that it is done", () => {
    expect(seen.validate_rules.closed.asked).toHaveLength(1);
  });

  test("15.4 the state with validate_rules completed is saved", () => {
    expect(completedIn(seen.validate_rules.closed.state)).toEqual(["initialize_project", ...walked]);
  });

  test("15.5 it is the end of the sequence: nothing follows, and the behaviour is complete", () => {
    expect(seen.validate_rules.closed.reply.data).toMatchObject({
      next_action: null,
      completed_behavior: "shape",
      next_behavior: "prioritization",
    });
    expect(seen.validate_rules.opened.reply.data.data.instructions).toContain("its workflow is complete");
  });
});
