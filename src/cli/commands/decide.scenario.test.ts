import { afterEach, beforeEach, describe, expect, test } from "vitest";
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

describe("a word for a choice, at a terminal", () => {
  const asks = (name: string, more: string): Promise<void> =>
    bench.write(
      `.waymark/workflows/${name}.yaml`,
      workflow(name, `id: ask, type: user_input, state_update: { path: raw.ok }, prompt: "Ship it?", answer_by: person, ${more}`),
    );

  test.each([
    ["yes", "approve"],
    ["OK.", "approve"],
    ["lgtm", "approve"],
    ["no", "reject"],
    ["Rejected", "reject"],
  ])("%s means %s: it is shown, and y or Enter counts", async (typed, answer) => {
    await asks("review", "options: [approve, reject, wait]");
    const [first, second] = [await started("review"), await started("review")];
    const said = await bench.run(["decide", first, typed], { terminal: true, typed: [""] });
    expect(said.stdout).toMatch(
      new RegExp(`^Ship it\\?\n\`${typed.replace(".", "\\.")}\` is taken as \`${answer}\`\\. Record that\\? \\[Y/n\\] `),
    );
    expect(said.stdout).toContain(`Recorded: "${answer}".`);
    const asked = await bench.run(["decide", second], { terminal: true, typed: [typed, "y"] });
    expect(asked.stdout).toContain(`is taken as \`${answer}\``);
    expect(asked.stdout).toContain(`Recorded: "${answer}".`);
  });

  test("what is not confirmed is not recorded, and asked again where it was asked", async () => {
    await asks("review", "options: [approve, reject]");
    const run = await started("review");
    const left = await bench.run(["decide", run, "ok"], { terminal: true, typed: ["n"] });
    expect(left).toMatchObject({ code: 2, stderr: expect.stringContaining("The answer was not confirmed. Nothing was recorded.") });
    const again = await bench.run(["decide", run], { terminal: true, typed: ["ok", "no", "reject"] });
    expect(again.stdout).toContain('Recorded: "reject".');
  });

  test("what could mean several choices, or none, is not understood; a text is taken as it is", async () => {
    await asks("several", "options: [approve, approve-with-changes, reject]");
    await asks("none", "options: [red, blue]");
    const run = await started("several");
    expect((await bench.run(["decide", run, "yes"], { terminal: true, typed: [""] })).stderr).toContain("CLI_NO_QUESTION");
    const other = await bench.run(["decide", await started("none")], { terminal: true, typed: ["yes", "red"] });
    expect(other.stdout).toMatch(/! The answer must be one of `red`, `blue`\.[^]*Recorded: "red"/);
    const free = await bench.run(["decide", await started("open")], { terminal: true, typed: ["ok"] });
    expect(free.stdout).toContain('Recorded: "ok".');
  });

  test("an agent is not understood so: its word is taken literally", async () => {
    await bench.write(
      ".waymark/workflows/relay.yaml",
      workflow("relay", `id: ask, type: user_input, state_update: { path: raw.ok }, prompt: "Ship it?", options: [approve, reject]`),
    );
    const run = await started("relay");
    expect((await bench.run(["decide", run, "yes"])).stderr).toContain("CLI_NO_QUESTION");
    expect(await bench.json(["decide", run, "approve"])).toMatchObject({ answer: "approve", relayed: true });
  });
});
