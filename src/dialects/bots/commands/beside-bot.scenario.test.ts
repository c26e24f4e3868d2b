/** Independent actions and jumps of a bot on the command line: every printed line can be run, also twice. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench(smallBot({}, { done_by: "relay" }));
  await bench.json(["bot", "small_bot", "--area", "docs"]);
});
afterEach(() => bench.close());

const wordsOf = (line: unknown): string[] => String(line).split(" ").slice(1);
const log = async (): Promise<string[]> =>
  (JSON.parse(await bench.read("docs/activity_log.json")) as { readonly action: string; readonly action_state: string }[]).map(
    (entry) => `${entry.action} ${entry.action_state}`,
  );

test("the report of an independent action is recorded once, and the same line again says so", async () => {
  const { next_command: line } = await bench.json(["bot", "small_bot", "shape", "correct"]);
  expect(line).toMatch(/^waymark done \S+ --task s\d+ --action a\d+ --result /);
  const resumed = await bench.json(["resume", String(wordsOf(line)[1])]);
  expect(resumed["next_command"]).toMatch(/ --action a\d+ --result '\{"summary": "<what was done>"\}'$/);
  const unfilled = await bench.run([...wordsOf(line).slice(0, 6), "--result", '{"summary": "<what was done>"}']);
  expect([unfilled.code, unfilled.stderr]).toEqual([2, expect.stringContaining("(CLI_NOT_FILLED_IN)")]);
  const report = [...wordsOf(line).slice(0, 6), "--result", "Corrected it."];
  expect(await bench.json(report)).toMatchObject({ recorded: "now" });
  expect(await bench.json(report)).toMatchObject({ recorded: "before" });
  expect(await log()).toEqual(["gather started", "correct started", "correct completed"]);
  expect(JSON.parse(await bench.read("docs/activity_log.json"))).toMatchObject([{}, {}, { outputs: { summary: "Corrected it." } }]);
});

test("lists and progress show the names that the author gave, and none of the parts that a bot is made of", async () => {
  const { stdout } = await bench.run(["status"]);
  expect(stdout).toMatch(/^wf-small-bot-\S+ +running +shape\.gather \(0\/6\) /m);
  const closed = await bench.run(["bot", "close", "small_bot", "--result", "Gathered."]);
  expect(closed.stderr).not.toMatch(/agent\.|submit/);
  expect((await bench.run(["status"])).stdout).toMatch(/^wf-small-bot-\S+ +(?:running|1 question) +(?!\S*agent\.)/m);
});

test("closing without an id while both are open is refused with lines that can be run", async () => {
  const shown = (await bench.json(["bot", "small_bot", "shape", "correct"])) as { readonly data: { readonly action_id: string } };
  const refused = await bench.run(["bot", "close", "small_bot", "--result", "Corrected it."]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(`shape.correct (${shown.data.action_id})`);
  expect(refused.stderr).toMatch(/for shape\.gather: waymark bot close small_bot a\d+ --result '<what was done>'\n/);
  const close = ["bot", "close", "small_bot", shown.data.action_id, "--result", "Corrected it."];
  expect(await bench.json(close)).toMatchObject({ completed_action: "correct", next: { action: "gather" } });
  expect(await bench.json(close)).toMatchObject({ completed_action: "correct", recorded: "before" });
  expect(await log()).toEqual(["gather started", "correct started", "correct completed"]);
});

test.each([
  ["go", "build", "check"],
  ["stay", "shape", "gather"],
])("after %s the printed line leads to %s.%s, also when the answer is given again", async (word, behavior, action) => {
  const { data } = (await bench.json(["bot", "small_bot", "build", "check"])) as {
    readonly data: { readonly run_id: string; readonly decision_id: string };
  };
  const decide = ["decide", data.run_id, data.decision_id, word];
  for (const recorded of ["now", "before"]) {
    const answered = await bench.json(decide, { terminal: true });
    expect(answered).toMatchObject({ recorded, next_command: `waymark next ${data.run_id}` });
    const at = await bench.run(wordsOf(answered["next_command"]));
    expect(at).toMatchObject({ code: 0, stdout: expect.stringContaining(`${behavior}.${action}`) as string });
  }
});

test("the text that all behaviours share names the behaviour it was asked for, in every spelling", async () => {
  await bench.close();
  bench = await openCliBench(
    smallBot({
      "base_actions/correct/instructions.md": "Correct {{behavior}} ({{ behaviour_name }}) in {{project_area}}.",
      "instructions.md": "You work on {{behavior}}.",
    }),
  );
  await bench.json(["bot", "small_bot", "--area", "docs"]);
  const { stdout } = await bench.run(["bot", "small_bot", "build", "correct"]);
  expect(stdout).toContain("Correct build (build) in docs.");
  expect(stdout).toContain("You work on build.");
});

test.each([
  ["continue", { continues: "ada" }, "ada", "shape.gather"],
  ["retry", { next_command: expect.stringMatching(/^waymark next \S+ --task s\d+$/) as string }, "bob", "shape.correct"],
])("after %s for an interrupted independent action the answer names the line or who has what is open", async (word, then, user, step) => {
  const { next_command: line } = await bench.json(["bot", "small_bot", "shape", "correct"]);
  const [, run = "", ...named] = wordsOf(line);
  const other = { terminal: true, world: { user: "bob" } };
  const { action_id: id } = await bench.json<{ readonly action_id: string }>(["resume", run, ...named.slice(0, 2)], other);
  const answered = await bench.json(["decide", run, id, word], other);
  expect(answered).toMatchObject(then);
  const next = wordsOf(answered["next_command"] ?? `waymark next ${run}`);
  expect(await bench.run(next, { world: { user } })).toMatchObject({ code: 0, stdout: expect.stringContaining(step) as string });
});

test("on a terminal a bot that is complete is not said to be left in the middle", async () => {
  const behaviour = ["Asked.", "done", "Rendered.", "Checked.", "done"];
  const { stdout } = await bench.run(["bot", "small_bot"], { terminal: true, typed: [...behaviour, ...behaviour] });
  expect(stdout).toContain("All behaviours of small_bot are complete.");
  expect(stdout).not.toContain("Left as it is");
});
