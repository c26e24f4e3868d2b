import { afterAll, beforeAll, expect, test } from "vitest";
import { answer } from "./commands/answer.ts";
import { next } from "./commands/next.ts";
import { readState, updateState } from "./commands/state.ts";
import { report } from "./commands/report.ts";
import { SeedBench } from "../../test/support/seed-bench.ts";

let bench: SeedBench;
beforeAll(async () => {
  bench = await SeedBench.open();
});
afterAll(() => bench.close());

test.each([true, false])(
  "an answer that is acknowledged is in the state, though a wrong one came at the same time (person first: %s)",
  async (first) => {
    const run = await bench.run(`
default_state: { raw: { name: null } }
steps:
  - { id: q, type: user_input, prompt: who, validation: { pattern: "^[a-z]+$" }, state_update: { path: raw.name, value: "{{ result }}" } }
  - { id: end, type: user_message, message: x }
`);
    const { context } = run.engine;
    const { standing } = await next(context, run.caller, { run: run.id });
    if (standing.kind !== "question") throw new Error(standing.kind);
    const { id } = standing.decision;
    await updateState(context, run.caller, {
      run: run.id,
      updates: [{ path: standing.decision.paths[0] ?? "", value: "ada" }],
      key: `${id}@v0`,
    });
    expect((await readState(context, run.id)).state).toMatchObject({ name: "ada" });
    const wrong = () =>
      answer(
        context,
        { ...run.caller, surface: "cli-terminal", holder: { kind: "person", name: "p", session: "p" } },
        { run: run.id, decision: id, answer: "B 2", relayed: false },
      ).catch((error: unknown) => error);
    const right = () => report(context, run.caller, { run: run.id, action: id }).catch((error: unknown) => error);
    const both = first ? [wrong(), right()] : [right(), wrong()];
    const said = (await Promise.all(both))[first ? 1 : 0];
    const acknowledged = !(said instanceof Error);
    // The person's wrong answer takes back what was stored, so a report that is not acknowledged leaves nothing.
    expect((await readState(context, run.id)).state).toEqual({ name: acknowledged ? "ada" : null });
  },
);
