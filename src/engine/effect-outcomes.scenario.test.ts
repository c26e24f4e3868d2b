import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Around } from "../../test/crash/around.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";
import { AlwaysBench } from "../../test/crash/engine-bench.ts";
import { nameTooLong, storeRefused, storeUnreachable } from "../store/store-errors.ts";
import { next } from "./commands/next.ts";
import { readState } from "./commands/state.ts";
import { start } from "./commands/start.ts";
import type { Settings } from "./settings.ts";

let bench: AlwaysBench;
beforeEach(() => {
  bench = new AlwaysBench();
});
afterEach(() => bench.close());

function lines(): number {
  const log = join(bench.base, "work", "log");
  return existsSync(log) ? readFileSync(log, "utf8").split("\n").length - 1 : 0;
}

const workflow = `
name: effect:one
default_state: { raw: {} }
steps:
  - { id: command, type: shell_command, command: "echo x >> log", on_error: continue, error_state_update: { path: raw.error } }
  - { id: after, type: user_message, message: done }
`;

/** Outcomes of effects are what is committed under a lease. */
function failing(made: () => Error, times: number): Around {
  let left = times;
  return async (_name, args, call) => {
    const { held } = (args[3] ?? {}) as { held?: unknown };
    if (held !== undefined && left-- > 0) throw made();
    return call();
  };
}

/** Performs the command, and looks until the step behind it is open. */
async function ran(
  store: Around,
  settings: Partial<Settings> = { leaseTtlMs: 1000, leaseBeatMs: 200 },
): Promise<{ readonly engine: ComposedEngine; readonly run: string }> {
  const engine = await bench.open({ settings, store });
  await engine.define("effect:one", workflow);
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "effect:one", waitMs: 0 });
  for (;;) {
    const { standing } = await next(engine.context, caller, { run, waitMs: 300 });
    if (standing.kind === "action") return { engine, run };
  }
}

test.each([
  ["STORE_REFUSED", () => storeRefused("postgres://h/d", "why", undefined)],
  ["STORE_NAME_TOO_LONG", () => nameTooLong("postgres://h/d", "why", undefined)],
])("of an outcome that the store refuses with %s the refusal is recorded, and the command is not repeated", async (code, made) => {
  const { engine, run } = await ran(failing(made, 1));
  const { error } = (await readState(engine.context, run)).state as { error: unknown };
  expect(error).toMatchObject({ type: code, message: expect.stringMatching(/^The outcome of `command` cannot be recorded: /) as string });
  expect(lines()).toBe(1);
});

const away = (): Error => storeUnreachable("postgres://h/d", 60_000, { cause: new Error("ECONNREFUSED"), uncertain: true });

test("an outcome is recorded once by the process that has it when the store is there again, also after its lease would have ended", async () => {
  const { engine, run } = await ran(failing(away, 5), { leaseTtlMs: 200, leaseBeatMs: 1_000_000 });
  expect(Object.keys((await readState(engine.context, run)).state)).not.toContain("error");
  expect(lines()).toBe(1);
  expect((await bench.stored(run)).keys.filter((key) => key.startsWith("effect:"))).toHaveLength(1);
});

test("an outcome that was recorded though the answer was lost is recorded once", async () => {
  let isLost = false;
  const { run } = await ran(async (_name, args, call) => {
    const { held } = (args[3] ?? {}) as { held?: unknown };
    const done = await call();
    if (held === undefined || isLost) return done;
    isLost = true;
    throw away();
  });
  expect([isLost, lines()]).toEqual([true, 1]);
  expect((await bench.stored(run)).keys.filter((key) => key.startsWith("effect:"))).toHaveLength(1);
});
