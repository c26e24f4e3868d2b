/** What `waymark bot close` ends with when the work is recorded and the action is not closed yet. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { smallBot } from "../../../../test/support/bot-sample.ts";

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench(smallBot());
  await bench.json(["bot", "small_bot", "--area", "docs"]);
});
afterEach(() => bench.close());

const terminal = { terminal: true };
const log = async (): Promise<unknown[]> => JSON.parse(await bench.read("docs/activity_log.json")) as unknown[];

test("without a terminal the report is recorded, and to wait for a person is not an error", async () => {
  const { code, stdout, stderr } = await bench.run(["bot", "close", "small_bot", "--result", '{"summary": "Asked the team."}']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("✗") as string });
  expect(stdout).toContain("The work is recorded. Only a person can say that it is done.");
  expect(stdout).toContain("Asked the team.");
  expect(stdout + stderr).toMatch(/→ waymark bot close small_bot d\d+/);
  const again = await bench.run(["bot", "close", "small_bot", "--result", '{"summary": "Asked the team."}']);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("CLI_PERSON_ONLY");
  expect(again.stderr).toContain("Nothing was changed.");
  expect(await bench.json(["bot", "close", "small_bot"], terminal)).toMatchObject({ completed_action: "gather" });
});

test("as JSON it says that it was recorded, and which question waits", async () => {
  const shown = await bench.json(["bot", "close", "small_bot", "--result", "Asked."]);
  expect(shown).toMatchObject({
    status: "recorded",
    next: { status: "question", action: "gather", data: { about: "done", answer_by: "person" } },
    next_command: expect.stringMatching(/^waymark bot close small_bot d\d+$/) as string,
  });
});

test("files that could not be written end it with 1, and the action is closed by a word of its own", async () => {
  const result = JSON.stringify({ summary: "Wrote.", content: [{ path: "../evil.txt", text: "x" }] });
  const { code, stdout } = await bench.run(["bot", "close", "small_bot", "--result", result], terminal);
  expect(code).toBe(1);
  expect(stdout).toContain("Not done: ../evil.txt is outside the project area.");
  expect(await log()).toHaveLength(1);
  expect(await bench.json(["bot", "close", "small_bot"], terminal)).toMatchObject({ completed_action: "gather" });
});

test("without a terminal nothing is closed without word of what was done, and the line that says it is told", async () => {
  for (const more of [[], ["--result", "{}"], ["--result", '{"sumary": "x"}']]) {
    const { code, stderr } = await bench.run(["bot", "close", "small_bot", ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain("ENGINE_NO_RESULT");
    expect(stderr).toMatch(/waymark bot close small_bot a\d+ --result '<what was done>'/);
  }
  expect(await log()).toHaveLength(1);
});

test("the line that recorded the work says so again while a person is asked", async () => {
  const { next_command: line } = await bench.json(["bot", "small_bot"]);
  const id = /close small_bot (a\d+)/.exec(String(line))?.[1] ?? "";
  const report = ["bot", "close", "small_bot", id, "--result", "Asked."];
  const first = await bench.json(report);
  expect(first).toMatchObject({ status: "recorded" });
  expect(await bench.json(report)).toEqual(first);
});

test("the line for a person keeps the id of the question, so running it again completes nothing else", async () => {
  await bench.json(["bot", "close", "small_bot", "--result", "Asked."]);
  const refused = await bench.run(["bot", "close", "small_bot"]);
  const id = /terminal: waymark bot close small_bot (d\d+)$/m.exec(refused.stderr)?.[1] ?? "no id";
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("CLI_PERSON_ONLY") as string });
  const line = ["bot", "close", "small_bot", id];
  expect(await bench.json(line, terminal)).toMatchObject({ completed_action: "gather" });
  const before = await log();
  for (let time = 0; time < 2; time += 1) {
    const again = await bench.run(line, terminal);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("was completed before") as string });
  }
  expect(await log()).toEqual(before);
});

test("on a terminal, too, nothing that was not reported is closed without word of what was done", async () => {
  for (const more of [[], ["gather"]]) {
    const { code, stderr } = await bench.run(["bot", "close", "small_bot", ...more], terminal);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("ENGINE_NO_RESULT") as string });
    expect(stderr).toMatch(/waymark bot close small_bot a\d+ --result '<what was done>'/);
  }
  expect(await log()).toHaveLength(1);
});
