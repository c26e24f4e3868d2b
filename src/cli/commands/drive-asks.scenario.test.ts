/** A driver at a terminal that asks in place: what ends its prompt beside an answer. */
import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../../test/process/cli-world.ts";
import { chainFiles } from "../../../test/support/prompt-files.ts";

const asking = `turns:
  - { match: "The answer: keep", do: [{ say: "Planned with the old name." }] }
  - match: Plan
    do: [{ call: { tool: workflow_ask, with: { question: "Keep the old name?", options: [keep, drop] } } }, { say: "I wait." }]
  - { do: [{ say: "Done." }] }
`;
const chain = chainFiles("  - step: plan\n  - step: ship", { plan: "Plan it.", ship: "Ship it." });

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ...chain, "asking.yaml": asking, "limited.yaml": limited });
  await bench.run(["allow", "chain", "--yes"], { terminal: true });
});
afterEach(() => bench.close());

const limited = `turns:
  - { match: Plan, error: { kind: limit, text: "The limit is reached." } }
`;

interface Driver {
  readonly ended: Promise<CliResult>;
  readonly stop: AbortController;
  readonly input: PassThrough;
  readonly run: string;
  readonly text: () => string;
}

/** A driver that asks by now, or has shown what it waits for. */
async function asked(agent = "asking", shown = /> $/): Promise<Driver> {
  let text = "";
  const [stop, input] = [new AbortController(), new PassThrough()];
  let isAsked = (): void => undefined;
  const prompted = new Promise<void>((done) => (isAsked = done));
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString("utf8");
      if (shown.test(text)) isAsked();
      done();
    },
  });
  const argv = ["run", "chain", "dark mode", "--agent", `script:${agent}.yaml`, "--permission", "edit"];
  const ended = bench.run(argv, { terminal: true, world: { stdin: input, stdout, stopSignal: () => stop.signal } });
  await Promise.race([prompted, ended.then(({ stderr }) => Promise.reject(new Error(text + stderr)))]);
  return { ended, stop, input, run: /Started run (\S+)\./.exec(text)?.[1] ?? "", text: () => text };
}

test("the first signal ends it: the question stays open", async () => {
  const { ended, stop, run, text } = await asked();
  stop.abort();
  expect((await ended).code).toBe(3);
  expect(text()).toContain(`Run ${run} waits for a person:`);
  expect(await bench.json(["status", run])).toMatchObject({ questions: [{ question: "Keep the old name?" }] });
});

test("an answer that is given elsewhere ends the prompt with one line, and driving continues", async () => {
  const { ended, run, text } = await asked();
  await bench.run(["decide", run, "keep"], { terminal: true });
  expect((await ended).code).toBe(0);
  expect(
    text()
      .split("\n")
      .filter((line) => line.includes("answered elsewhere")),
  ).toEqual(["! The question was answered elsewhere."]);
  expect(text()).toContain(`Run ${run} is complete.`);
});

test("the end of the run elsewhere ends the prompt and the driver", async () => {
  const { ended, run, text } = await asked();
  await bench.run(["abort", run]);
  expect((await ended).code).toBe(1);
  expect(text()).toContain("! The run is over: there is nothing to answer any more.");
  expect(text()).toContain(`Run ${run} was cancelled`);
});

test("a line that is typed answers as before", async () => {
  const { ended, input, text } = await asked();
  input.write("perhaps\nkeep\n");
  expect((await ended).code).toBe(0);
  expect(text()).toContain("must be one of");
  expect(text()).not.toContain("elsewhere");
});

test("Ctrl-C while it only waits for a limit says nothing of an open turn", async () => {
  const { ended, stop, text } = await asked("limited", /Waiting until/);
  stop.abort();
  expect((await ended).code).toBe(4);
  expect(text()).toContain("Waymark stops.\n");
  expect(text()).not.toContain("open turn");
});
