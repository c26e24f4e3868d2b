/** The only open question of a machine is answered by one of the words that it lists, without naming the question. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";

let bench: CliBench;
afterEach(() => bench.close());

const machine = `machine: ask
description: Asks twice.
inputs: { request: string }
start: ASK
artifacts: {}
roles: {}
states:
  ASK:
    do:
      - { gate: UD-HOW, question: How?, choices: { per-batch: After every task., single-final: Once. }, also: { per-batch: [per task] } }
      - { gate: UD-GO, question: Shall it go?, passes: approved }
      - finish: true
    next: end
done: { rules: [{ when: "false", message: It is never done. }] }
`;
const terminal = { terminal: true };

async function started(): Promise<string> {
  bench = await openCliBench({ ".waymark/workflows/ask.machine.yaml": machine });
  return (await bench.json<{ run_id: string }>(["start", "ask", "--input", "request=r"])).run_id;
}

test("a choice in its own word or in another one of the gate, the word that passes it, and what a run that cannot end takes", async () => {
  const run = await started();
  expect(await bench.json(["decide", run, "Per", "task"], terminal)).toMatchObject({ decision: "UD-HOW", answer: "per-batch" });
  expect(await bench.json(["decide", run, "approved"], terminal)).toMatchObject({ decision: "UD-GO", answer: "approved" });
  for (const answer of ["retry", "stop"])
    expect(await bench.json(["decide", run, answer], terminal)).toMatchObject({ answer, recorded: "now" });
});

test("words that only keep the rule, and an id that is mistyped, are not an answer", async () => {
  const run = await started();
  for (const words of [["UD-HOVV"], ["single"], ["per-batch|single-final"], [""]]) {
    const { code, stderr } = await bench.run(["decide", run, ...words], { terminal: true, typed: [] });
    expect([code, stderr]).toEqual([2, expect.stringContaining("CLI_NO_QUESTION")]);
  }
  for (const word of ["single-final", "approved"]) await bench.json(["decide", run, word], terminal);
  const free = await bench.run(["decide", run, "waive:", "all", "of", "it"], { terminal: true, typed: [] });
  expect(free.stderr).toContain("has no open question `waive:`");
});

test("without a terminal the word is refused like any other answer to a question for a person", async () => {
  const run = await started();
  expect((await bench.run(["decide", run, "per-batch"])).stderr).toContain("CLI_PERSON_ONLY");
});
