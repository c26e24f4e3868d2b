import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../test/support/test-engine.ts";
import { next } from "./next.ts";
import { progress } from "./progress.ts";
import { runWarnings } from "./run-warnings.ts";
import { start } from "./start.ts";

let engine: TestEngine;
afterEach(() => engine.close());

test("warnings of a run are found without reading its large values", async () => {
  const workflow = `name: large
description: d
version: "1.0.0"
default_state: { raw: {} }
steps:
  - { id: first, type: agent_shell_command, command: x, state_update: { path: raw.first } }
  - { id: small, type: user_message, message: m }
  - { id: odd, type: conditional, condition: "{{ raw.none.deeper }}", then: [{ id: never, type: user_message, message: n }] }
  - { id: second, type: agent_shell_command, command: x, state_update: { path: raw.second } }
  - { id: end, type: user_message, message: done }
`;
  engine = await openTestEngine({ ".waymark/workflows/large.yaml": workflow });
  const { context, caller } = engine;
  const { run } = await start(context, caller, { workflow: "large" });
  for (const result of ["a".repeat(100_000), undefined, "b".repeat(100_000)]) {
    await next(context, caller, { run });
    await progress(context, caller, { run, ...(result === undefined ? {} : { result }) });
  }
  const other = await engine.again();
  try {
    const handle = await other.context.runs.open(run);
    let read = 0;
    const store = { ...other.context.store, readBlob: (hash: string) => ((read += 1), other.context.store.readBlob(hash)) };
    const warnings = await runWarnings({ ...other.context, store }, handle);
    expect(warnings.map(({ code }) => code)).toEqual(["EXPRESSION_NULL_PROPERTY"]);
    expect(read).toBe(0);
  } finally {
    await other.close();
  }
});
