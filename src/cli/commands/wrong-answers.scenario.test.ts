/** A wrong word never closes a question for a person; three close one that an agent may relay. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";
import { oldCalls } from "../../../test/support/checklist-sample.ts";

const asks = (name: string, by: string): string => `name: ${name}
description: d
version: "1.0.0"
steps: [{ id: ask, type: user_input, answer_by: ${by}, prompt: "Ship it?", options: [now, later], state_update: { path: raw.ok } }]
`;

const machine = `machine: ask
description: Asks once.
inputs: { request: string }
start: ASK
artifacts: {}
roles: {}
states:
  ASK:
    do:
      - { gate: UD-GO, question: Shall it go?, passes: approved }
      - { gate: UD-ON, question: Shall it go on?, passes: approved }
      - finish: true
    next: end
done: { rules: [{ when: "false", message: It is never done. }] }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ".waymark/workflows/person.yaml": asks("person", "person"),
    ".waymark/workflows/relay.yaml": asks("relay", "relay"),
    ".waymark/workflows/ask.machine.yaml": machine,
    ".waymark/workflows/o.workflow.yaml": oldCalls,
    ".waymark/workflows/p.workflow.yaml": `${oldCalls.replace("type: old-calls", "type: person-calls")}\napproach: { answer_by: person }\n`,
    "a.js": "old(x);\n",
  });
});
afterEach(() => bench.close());

const terminal = { terminal: true };
interface Asked {
  readonly run_id: string;
  readonly action_id: string;
}
const started = (name: string, ...more: readonly string[]): Promise<Asked> => bench.json(["start", name, ...more]);
const wrong = ["perhaps", "a", "b", "c", "d", "e"];

test("a person who types wrong words is asked until one is right, and nothing says that tries are left", async () => {
  const { run_id: run } = await started("person");
  const asked = await bench.run(["decide", run], { terminal: true, typed: [...wrong, "later"] });
  expect(asked.code).toBe(0);
  expect(asked.stdout.match(/! The answer must be one of `now`, `later`\.$/gm)).toHaveLength(wrong.length);
  expect(asked.stdout).not.toMatch(/tries|last try/);
  expect(asked.stdout).toContain('Recorded: "later".');
});

test("each wrong word on a line of its own leaves the question of a person open, of steps, of a checklist and of a machine", async () => {
  for (const [name, right, ...more] of [
    ["person", "now"],
    ["person-calls", "review_by_file"],
    ["ask", "approved", "--input", "request=r"],
  ] as const) {
    const { run_id: run, action_id: id } = await started(name, ...more);
    for (const word of wrong) {
      const { code, stderr } = await bench.run(["decide", run, id, word], terminal);
      expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining("(ANSWER_REFUSED)\n→ Answer again: waymark decide ")]);
    }
    expect(await bench.json(["decide", run, id, right], terminal)).toMatchObject({ recorded: "now", answer: right });
  }
});

test("three wrong answers close a question that may be relayed; of a checklist the run has failed, and a retry asks again", async () => {
  for (const name of ["relay", "old-calls"]) {
    const { run_id: run, action_id: id } = await started(name);
    for (const left of ["2 tries are left.", "1 try is left.", "That was the last try"])
      expect((await bench.run(["decide", run, id, `no ${left.length}`])).stderr).toContain(left);
    expect(await bench.json(["status", run])).toMatchObject({ status: "failed" });
    expect(await bench.json(["retry", run])).toMatchObject({ run_id: run, status: "question" });
  }
});

test("a word that stands for the choice of a gate is recorded as that choice and passes it, as a person's own", async () => {
  const { run_id: run } = await started("ask", "--input", "request=r");
  const said = await bench.run(["decide", run, "yes"], { terminal: true, typed: ["y"] });
  expect(said.stdout).toContain("`yes` is taken as `approved`. Record that? [Y/n]");
  expect(said.stdout).toContain('Recorded: "approved".');
  expect(said.stdout).not.toContain("It is asked again");
  const status = await bench.run(["status", run]);
  expect(status.stdout).toContain("UD-ON");
  expect(status.stdout).not.toContain("no person gave");
});
