import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const workflow = (name: string, step: string): string => `name: ${name}\ndescription: d\nversion: "1.0"\nsteps: [{ ${step} }]\n`;

let bench: CliBench;
beforeEach(async () => {
  const asks = "id: ask, type: user_input, state_update: { path: raw.ok }";
  const choices = "answer_by: person, options: [{ value: 'yes', label: Ship }, 'no']";
  bench = await openCliBench({
    ".waymark/workflows/gate.yaml": workflow("gate", `${asks}, prompt: "Ship it?", ${choices}`),
    ".waymark/workflows/open.yaml": workflow("open", `${asks}, prompt: "How are you?"`),
  });
});
afterEach(() => bench.close());

const started = async (name: string): Promise<string> => String((await bench.json(["start", name]))["run_id"]);

test("the choice alone answers the only open question, by its value or label", async () => {
  const terminal = { terminal: true };
  for (const [typed, answer] of [
    ["yes", "yes"],
    ["Ship", "yes"],
    ["NO", "no"],
  ] as const) {
    const run = await started("gate");
    expect(await bench.json(["decide", run, typed], terminal)).toMatchObject({ answer, recorded: "now", relayed: false });
  }
});

test("what is no choice of it is not taken for an answer, and the refusal says where the answer goes", async () => {
  const run = await started("open");
  const asked = await bench.json(["next", run]);
  const free = await bench.run(["decide", run, "fine"]);
  expect(free).toMatchObject({ code: 2, stderr: expect.stringContaining("has no open question `fine`") });
  expect(free.stderr).toContain(`waymark decide ${run} ${String(asked["action_id"])} '<answer>'`);
  const gated = await started("gate");
  for (const words of [["maybe"], ["d99", "yes"], ["yes", "--decline", "later"]])
    expect((await bench.run(["decide", gated, ...words], { terminal: true, typed: [] })).stderr).toContain("CLI_NO_QUESTION");
});

test("a choice answers nothing while two questions are open", async () => {
  await bench.write(
    ".waymark/workflows/both.yaml",
    `name: both\ndescription: d\nversion: "1.0"\nsteps: [{ id: all, type: parallel_foreach, items: [1, 2], sub_agent_task: t }]\nsub_agent_tasks: { t: { steps: [{ id: q, type: user_input, prompt: Which?, choices: [red, blue], state_update: { path: "raw.q" } }] } }\n`,
  );
  const run = await started("both");
  expect((await bench.run(["decide", run, "red"])).stderr).toMatch(/no open question `red`\. Open: \w+, \w+\. \(CLI_NO_QUESTION\)/);
});
