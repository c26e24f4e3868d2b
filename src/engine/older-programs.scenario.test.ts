import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { StoredProgram } from "../program/index.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { createRun } from "./create-run.ts";
import { next } from "./commands/next.ts";

const engines: TestEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0).reverse()) await engine.close();
});

/** Programs as an earlier version pinned them, without the dialect of their parts. */
const golden = resolve(import.meta.dirname, "../../test/golden/programs/0.1.0");

test.each([
  ["checklist", "check"],
  ["checklist-checklist", "check"],
  ["machine", "role"],
  ["bots-machine", "bot_action"],
])("a run with the program of an earlier version, %s, continues in this one", async (name, what) => {
  const first = await openTestEngine({ "a.js": "1;\n" });
  const second = await first.again();
  engines.push(first, second);
  const stored = JSON.parse(readFileSync(join(golden, `${name}.json`), "utf8")) as StoredProgram;
  const { hash } = await first.context.store.putBlob(new TextEncoder().encode(JSON.stringify(stored)));
  const program = await first.context.runs.program(hash);
  const inputs = Object.fromEntries(
    Object.entries(program.parts[program.main]?.inputs ?? {}).flatMap(([key, { default: preset }]) =>
      preset === undefined ? [] : [[key, preset]],
    ),
  );
  const given = program.dialect === "bots" ? { ...inputs, project_area: "area" } : inputs;
  const options = { serial: false, unable: ["mcp"] };
  await createRun(first.context, first.caller, {
    run: "old",
    program,
    pin: { program: hash, sources: hash },
    inputs: given,
    options,
    budget: {},
  });
  const { standing, state } = await next(second.context, second.caller, { run: "old", takeOver: true, waitMs: 20_000 });
  expect(state.error).toBeUndefined();
  expect(standing).toMatchObject({ kind: "action", action: { what } });
});
