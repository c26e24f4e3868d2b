/** A bot's close is about the actions of bots: what a called workflow hands out is reported by its own call, and no close reports it. */
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/base/index.ts";
import { openCliBench, type CliBench } from "../../process/cli-world.ts";
import type { ToolReply } from "../../process/mcp-client.ts";
import { samples, type SampleFiles } from "../../support/calling-samples.ts";
import { handedOut } from "../../support/handed-out.ts";
import { openSeedBot, type SeedBot } from "../../support/seed-003-bench.ts";

const folder = ".waymark/workflows";
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

const steps = (name: string, ...lines: readonly string[]): SampleFiles => ({
  [`${folder}/${name}.yaml`]: [`name: ${name}`, "description: d", 'version: "1.0.0"', ...lines, ""].join("\n"),
});

const work = steps(
  "inner",
  "steps:",
  "  - { id: work, type: mcp_call, mcp: { method: do }, state_update: { path: raw.w } }",
  "  - { id: say, type: user_message, message: Mind the gap. }",
  '  - { id: sh, type: agent_shell_command, command: "rm -rf x", state_update: { path: raw.sh } }',
);
const tasks = steps(
  "inner",
  "steps: [{ id: both, type: parallel_foreach, items: [A, B], sub_agent_task: t }]",
  "sub_agent_tasks: { t: { description: t, steps: [{ id: s1, type: mcp_call, mcp: { method: m } }] } }",
);
const question = steps("inner", 'steps: [{ id: q, type: user_input, prompt: "Delete it?", state_update: { path: raw.q } }]');

/** A bot whose actions continue by themselves; `gather`, the first unless `first` comes before it, runs the workflow `inner`. */
function callingBot(first: readonly string[] = []): SampleFiles {
  const names = [...first, "gather", "render"];
  const actions = names.map((name, at): [string, string] => [
    `${folder}/outer/base_actions/${name}/action_config.json`,
    JSON.stringify({
      name,
      workflow: true,
      order: at + 1,
      next_action: names[at + 1] ?? null,
      auto_progress: true,
      ...(name === "gather" ? { calls: "inner" } : {}),
    }),
  ]);
  return {
    [`${folder}/outer/bot_config.json`]: JSON.stringify({ name: "outer", behaviors: ["shape"] }),
    [`${folder}/outer/behaviors/1_shape/instructions.md`]: "Shape it.",
    [`${folder}/outer/base_actions/correct/action_config.json`]: JSON.stringify({ name: "correct", workflow: false }),
    ...Object.fromEntries(actions),
    "a.js": "1;\n",
    "b.js": "2;\n",
  };
}

interface Talk {
  readonly bot: SeedBot;
  readonly run: string;
  readonly first: ToolReply;
  readonly close: (parameters?: Record<string, unknown>) => Promise<ToolReply>;
  /** Everything that was recorded. */
  readonly journal: () => Promise<string>;
}

async function talk(inner: SampleFiles, first: readonly string[] = []): Promise<Talk> {
  const bot = await openSeedBot({ files: { ...callingBot(first), ...inner } });
  opened.push(bot);
  const shown = await bot.call("outer_tool", { project_area: "docs" });
  const run = String(shown.data.data.run_id);
  return {
    bot,
    run,
    first: shown,
    close: (parameters) => bot.call("outer_close_current_action", parameters),
    journal: async () => JSON.stringify(await bot.engine.context.store.readRecords(run, 0, 10_000)),
  };
}

/** Reports the open step as the bot's tool says it is reported. */
async function reportShown({ bot }: Talk, more: JsonObject = {}): Promise<ToolReply> {
  const { next_call: call } = (await bot.call("outer_tool")).data.data;
  return bot.run({ ...call, arguments: { ...call.arguments, ...more } });
}

const said: readonly (readonly [string, Record<string, unknown>])[] = [
  ["nothing", {}],
  ["a summary", { summary: "all done" }],
  ["the action", { action: "gather", summary: "all done" }],
];

const called: readonly (readonly [string, SampleFiles, string])[] = [
  ["steps", work, "work"],
  ["a checklist", samples.checklist("inner"), "a.js#analyze"],
  ["a machine", samples.machine("inner"), "Maker:meta"],
];

describe.each(called)("while a step of %s is open", (_name, inner, step) => {
  test.each(said)("a close with %s is refused, as often as it is sent, and nothing is recorded", async (_words, parameters) => {
    const by = await talk(inner);
    const { action_id: id } = by.first.data.data;
    expect(by.first.data.data.next_call).toMatchObject({ tool: "workflow_progress", arguments: { run_id: by.run, action_id: id } });
    const before = await by.journal();
    for (let time = 0; time < 3; time += 1) {
      const { data, text, isError } = await by.close(parameters);
      expect({ isError, data }).toMatchObject({
        isError: true,
        data: {
          error: { code: "ENGINE_WRONG_STEP", details: { open_step: `${step}@${id}` } },
          next_call: { tool: "outer_tool", arguments: {} },
          later: { tool: "workflow_progress", arguments: { run_id: by.run, action_id: id } },
        },
      });
      for (const word of [`${step}@${id}`, "Nothing was changed.", "workflow_progress("]) expect(text).toContain(word);
    }
    expect(await by.journal()).toBe(before);
    expect((await by.bot.run({ tool: "workflow_next", arguments: { run_id: by.run } })).data).toMatchObject({ action_id: id });
  });

  test("a close that names the step by its id does not report it either", async () => {
    const by = await talk(inner);
    const { action_id: id } = by.first.data.data;
    const before = await by.journal();
    const { data } = await by.close({ action: id, summary: "all done" });
    expect(data).toMatchObject({ error: { code: expect.stringMatching(/^ENGINE_/) as string }, next_call: { tool: "outer_tool" } });
    expect(await by.journal()).toBe(before);
  });
});

test.each([...called, ["parallel tasks", tasks, "both"] as const])(
  "while another client drives %s, a close is refused as held, and nothing is handed out, held or recorded",
  async (_name, inner) => {
    const by = await talk(inner);
    const other = await by.bot.client();
    const before = await by.journal();
    const leases = await by.bot.engine.context.store.readLeases("strand/");
    for (const [, parameters] of said) {
      const { data } = await other.call("outer_close_current_action", { parameters });
      expect(data.error).toMatchObject({ code: "STRAND_HELD" });
      expect(await by.journal()).toBe(before);
    }
    const held = (await by.bot.engine.context.store.readLeases("strand/")).map(({ key, owner }) => ({ key, owner }));
    expect(held).toEqual(leases.map(({ key, owner }) => ({ key, owner })));
  },
);

test("the close of an independent action by another client takes no file of a called checklist", async () => {
  const by = await talk(samples.checklist("inner"));
  const other = await by.bot.client();
  const { action_id: id } = (await other.call("outer_shape_correct", {})).data.data;
  const { data } = await other.call("outer_close_current_action", { parameters: { action: id, summary: "Corrected." } });
  expect(data).toMatchObject({ completed_action: "correct" });
  expect((await reportShown(by, { status: "completed", result: "read" })).data).toMatchObject({ step: { id: handedOut("b.js#analyze") } });
});

test("a close does not take the file of a holder that is gone", async () => {
  const by = await talk(samples.checklist("inner"));
  const { store } = by.bot.engine.context;
  for (const { key, owner } of await store.readLeases("strand/")) await store.releaseLease(key, owner);
  const other = await by.bot.client();
  const before = await by.journal();
  const { data } = await other.call("outer_close_current_action", { parameters: { summary: "all done" } });
  expect(data).toMatchObject({ error: { code: "ENGINE_NO_ACTION" }, next_call: { tool: "outer_tool" } });
  expect((await by.journal()) === before).toBe(true);
  expect(await store.readLeases("strand/")).toEqual([]);
});

test("what a refusal says, sent word for word, leads to the step and reports nothing that asks for a result", async () => {
  const by = await talk(work);
  const { data } = await by.close({ summary: "all done" });
  expect((await by.bot.run(data.later)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
  const shown = await by.bot.run(data.next_call);
  expect(shown.data.data).toMatchObject({ step: { id: handedOut("work") }, next_call: { tool: "workflow_progress" } });
  expect((await by.bot.run(shown.data.data.next_call)).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
});

test("a close while a message is open shows the message, and leaves it open for its own report", async () => {
  const by = await talk(work);
  await reportShown(by, { result: 1 });
  const { data, text } = await by.close({ summary: "all done" });
  expect(text).toContain("Mind the gap.");
  expect(data.error).toMatchObject({ code: "ENGINE_WRONG_STEP", message: expect.stringContaining("Mind the gap.") as string });
  expect((await by.bot.run(data.next_call)).data.data).toMatchObject({ step: { id: handedOut("say") } });
  expect((await by.bot.run(data.later)).data).toMatchObject({ step: { id: handedOut("sh") } });
});

test("the words of a close that was refused close nothing after the called workflow has ended", async () => {
  const by = await talk(work);
  await by.close({ summary: "all done" });
  await reportShown(by, { result: 1 });
  await reportShown(by);
  await by.close({ summary: "all done" });
  const { run_id, action_id } = (await by.bot.run({ tool: "workflow_next", arguments: { run_id: by.run } })).data;
  await by.bot.run({ tool: "workflow_progress", arguments: { run_id, action_id, result: "x" } });
  const again = await by.close({ summary: "all done" });
  expect(again.data).toMatchObject({ completed_action: "gather", recorded: "before", next: { action: "render", status: "started" } });
  expect((await by.bot.run({ ...again.data.next.data.next_call })).data.error).toMatchObject({ code: "ENGINE_NO_RESULT" });
  expect((await by.close({ summary: "Rendered." })).data).toMatchObject({ completed_action: "render" });
});

test("the step that the reply to a close shows is what the next close would be about", async () => {
  const by = await talk(work, ["ask"]);
  const { data } = await by.close({ summary: "Asked." });
  expect(data).toMatchObject({ completed_action: "ask", next: { action: "gather", data: { step: { id: handedOut("work") } } } });
  expect((await by.close({ summary: "Worked." })).data.error).toMatchObject({ code: "ENGINE_WRONG_STEP" });
  expect((await by.close({ summary: "Asked." })).data).toMatchObject({ error: { code: "ENGINE_WRONG_STEP" } });
  expect(await by.bot.events()).toEqual(["ask started", "ask completed", "gather started"]);
});

test("an independent action beside it is closed by its id alone", async () => {
  const by = await talk(work);
  const { action_id: id } = (await by.bot.call("outer_shape_correct")).data.data;
  const refused = (await by.close({ summary: "all done" })).data;
  expect(refused).toMatchObject({
    error: { code: "ENGINE_WRONG_STEP", details: { open_step: expect.stringMatching(/^work@/) as string } },
  });
  expect((await by.close({ action: id, summary: "Corrected." })).data).toMatchObject({ completed_action: "correct" });
});

test("questions and tasks of a called workflow are told as such", async () => {
  const asked = await talk(question);
  expect((await asked.close({ summary: "all done" })).data.error).toMatchObject({ code: "ENGINE_NEEDS_ANSWER" });
  const by = await talk(tasks);
  for (const [, parameters] of said) {
    const { data } = await by.close(parameters);
    expect(data).toMatchObject({ error: { code: "TASKS_OPEN" }, next_call: { tool: "outer_tool" } });
  }
});

test("a question of a called workflow is not answered by a close, also when it is named like the action", async () => {
  const by = await talk(
    steps("inner", 'steps: [{ id: shape.gather, type: user_input, prompt: "Delete it?", state_update: { path: raw.q } }]'),
  );
  const before = await by.journal();
  for (const [, parameters] of said) expect((await by.close(parameters)).data.error).toMatchObject({ code: "ENGINE_NEEDS_ANSWER" });
  expect(await by.journal()).toBe(before);
});

test.each([
  ["a called workflow", [], "gather"],
  ["the bot itself", ["ask"], "ask"],
])("a close while a step of %s waits for its time says that nothing is open, and not that it is completed", async (_of, first, action) => {
  const by = await talk(work, first);
  const { action_id } = by.first.data.data;
  const wait = { run_id: by.run, action_id, blocked_until: "2099-01-01T00:00:00Z", error: "limit" };
  expect((await by.bot.run({ tool: "workflow_progress", arguments: wait })).data).toMatchObject({ status: "blocked" });
  const { data } = await by.close({ action, summary: "all done" });
  expect(data.error).toMatchObject({ code: "ENGINE_NO_ACTION", message: expect.stringContaining("Nothing was changed.") as string });
});

test("a bot that is called by a bot is closed action by action, and counts each action once", async () => {
  const by = await talk(samples.bots("inner"));
  expect(by.first.data.data.progress).toEqual({ done: 0, total: 3 });
  expect((await by.close({ summary: "Asked." })).data).toMatchObject({ completed_action: "gather", next: { action: "render" } });
  expect((await by.close({ summary: "Rendered." })).data.next).toMatchObject({
    status: "completed",
    data: { progress: { done: 3, total: 3 } },
  });
});

describe("on the command line", () => {
  async function atStep(inner: SampleFiles): Promise<{ readonly bench: CliBench; readonly run: string; readonly id: string }> {
    const bench = await openCliBench({ ...callingBot(), ...inner });
    opened.push(bench);
    const shown = await bench.json(["bot", "outer", "--area", "docs"]);
    return { bench, run: String(shown["run_id"]), id: String(shown["action_id"]) };
  }

  test.each(called)(
    "a close while a step of %s is open is refused, and names the step and the line that shows it",
    async (_, inner, step) => {
      const { bench, run, id } = await atStep(inner);
      for (const words of [[], ["--result", "all done"], ["--result", "all done"], [id, "--result", "all done"]]) {
        const { code, stderr } = await bench.run(["bot", "close", "outer", ...words]);
        expect(code).toBe(2);
        expect(stderr).toContain("Nothing was changed.");
      }
      const { stderr } = await bench.run(["bot", "close", "outer", "--result", "all done"]);
      expect(stderr).toContain(`${step}@${id}`);
      expect(stderr).toContain("ENGINE_WRONG_STEP");
      const line = /waymark (next \S+)$/m.exec(stderr)?.[1] ?? "no line";
      const shown = await bench.json(line.split(" "));
      expect(shown).toMatchObject({ run_id: run, action_id: id, next_command: expect.stringContaining(`--action ${id}`) as string });
    },
  );
});
