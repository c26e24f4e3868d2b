import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { doctor, next, progress, readState, start, type Caller } from "../../src/engine/index.ts";
import { bundleChild } from "../crash/bundle-child.ts";
import { codeOf } from "../crash/engine-bench.ts";
import { composeEngine, type ComposedEngine, type Composition } from "../crash/compose-engine.ts";
import type { DiskLine, DiskTask } from "../crash/disk-child.ts";

let program = "";
let base = "";
const engines: ComposedEngine[] = [];
beforeAll(async () => {
  program = await bundleChild("disk-child.ts");
});
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "waymark-disk-"));
});
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(options: Omit<Composition, "base"> = {}): Promise<ComposedEngine> {
  const engine = await composeEngine({ base, ...options });
  engines.push(engine);
  return engine;
}

async function close(engine: ComposedEngine): Promise<void> {
  engines.splice(engines.indexOf(engine), 1);
  await engine.close();
}

const workflow = `
name: disk:two
default_state: { raw: { log: [] } }
steps:
  - { id: one, type: user_message, message: one }
  - { id: command, type: shell_command, command: "echo x >> world.log; echo done", state_update: { path: raw.out } }
  - { id: two, type: user_message, message: "{{ out }}" }
`;
const large = `
name: disk:large
default_state: { raw: {} }
steps:
  - { id: print, type: shell_command, command: "head -c 9000000 /dev/zero | tr '\\\\0' x", on_error: continue, error_state_update: { path: raw.error, value: "{{ error.type }}" }, state_update: { path: raw.out } }
  - { id: after, type: user_message, message: "{{ error }}" }
`;

async function begun(): Promise<{ readonly engine: ComposedEngine; readonly run: string; readonly caller: Caller }> {
  const engine = await open();
  await engine.define("disk:two", workflow);
  await engine.define("disk:large", large);
  const caller = engine.caller();
  const { run } = await start(engine.context, caller, { workflow: "disk:two" });
  return { engine, run, caller };
}

async function child(task: Omit<DiskTask, "base">, limit = ""): Promise<readonly DiskLine[]> {
  const spawned = spawn(
    "/bin/sh",
    ["-c", `${limit === "" ? "" : `${limit}; `}exec "$0" "$@"`, process.execPath, program, JSON.stringify({ base, ...task })],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let out = "";
  let errors = "";
  spawned.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  spawned.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await once(spawned, "close");
  expect(errors).toBe("");
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as DiskLine);
}

/** Somebody else, with nothing in the way, finds everything that was acknowledged and brings the run to its end. */
async function expectGoesOn(run: string, recorded: number): Promise<void> {
  const engine = await open();
  const { state } = await readState(engine.context, run);
  expect((state["log"] as readonly string[]).length).toBe(recorded);
  expect((await doctor(engine.context)).problems).toEqual([]);
  const caller = engine.caller();
  let position = await next(engine.context, caller, { run, takeOver: true });
  while (position.state.status === "running") ({ position } = await progress(engine.context, caller, { run }));
  expect(position.state.status).toBe("completed");
  expect((await doctor(engine.context)).problems).toEqual([]);
}

test.skipIf(process.platform === "win32")(
  "a disk that becomes full refuses with STORE_FULL, shows what is there, and the run goes on afterwards",
  async () => {
    const { engine, run } = await begun();
    await close(engine);
    const lines = await child({ do: "fill", run }, "ulimit -f 2500");
    const recorded = lines.filter((line) => line.recorded !== undefined).length;
    const refusal = lines.find((line) => line.code !== undefined);
    expect(recorded).toBeGreaterThan(5);
    expect(refusal).toMatchObject({ code: "STORE_FULL", message: expect.stringMatching(/\.$/), fix: expect.any(String) });
    expect(lines.at(-1)).toMatchObject({ standing: { kind: "action", action: { step: "one" } } });
    await expectGoesOn(run, recorded);
  },
);

test.skipIf(process.platform === "win32")(
  "a command whose output does not fit on the disk fails with a code of its own, and leaves nothing behind",
  async () => {
    const { engine, run } = await begun();
    await close(engine);
    const lines = await child({ do: "large", run }, "ulimit -f 8000");
    expect(lines[0]).toMatchObject({ standing: { kind: "action", action: { step: "after", args: { message: "HOST_OUTPUT_NOT_KEPT" } } } });
    const left = join(base, "work", ".waymark", "store", "tmp");
    expect(readdirSync(left).filter((name) => statSync(join(left, name)).size > 0)).toEqual([]);
    await expectGoesOn(run, 0);
  },
);

test.skipIf(process.platform === "win32")(
  "a store that this user may not write to is refused with STORE_READ_ONLY, and the run goes on when it may",
  async () => {
    const { engine, run } = await begun();
    await close(engine);
    const store = join(base, "work", ".waymark", "store");
    const change = (folder: number, file: number): void => {
      for (const name of readdirSync(store)) chmodSync(join(store, name), statSync(join(store, name)).isDirectory() ? folder : file);
      chmodSync(store, folder);
    };
    chmodSync(base, 0o755);
    change(0o555, 0o444);
    const lines = await child({ do: "write", run, ...(process.getuid?.() === 0 ? { asUser: 65_534 } : {}) });
    change(0o755, 0o644);
    expect(lines).toEqual([{ code: "STORE_READ_ONLY", message: expect.stringContaining(store), fix: expect.any(String) }]);
    await expectGoesOn(run, 0);
  },
);

/** Another program that holds the database for itself. */
function lock(): () => void {
  const database = new DatabaseSync(join(base, "work", ".waymark", "store", "waymark.db"));
  database.exec("begin immediate");
  return () => {
    database.exec("rollback");
    database.close();
  };
}

test("a locked database is waited for; when that takes too long the refusal is STORE_LOCKED, and a repeat is recorded once", async () => {
  const { run, engine } = await begun();
  await close(engine);
  const impatient = await open({ busyTimeoutMs: 300 });
  const caller = impatient.caller();
  await next(impatient.context, caller, { run, takeOver: true });

  const unlock = lock();
  const refusal = await progress(impatient.context, caller, { run }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "STORE_LOCKED", message: expect.stringMatching(/\.$/), fix: expect.any(String) });
  expect((await next(impatient.context, caller, { run })).standing).toMatchObject({ kind: "action", action: { step: "one" } });
  unlock();

  const patient = await open();
  const again = lock();
  const waiting = next(patient.context, patient.caller(), { run, takeOver: true });
  setTimeout(again, 200);
  expect((await waiting).standing).toMatchObject({ kind: "action", action: { step: "one" } });
  await expectGoesOn(run, 0);
});

test("a command that ends while the database is locked is recorded when it is free, and not done again", async () => {
  let unlock = (): void => undefined;
  const { engine, run } = await begun();
  await close(engine);
  const impatient = await open({
    busyTimeoutMs: 100,
    logged: () => undefined,
    commands: async (_name, _args, call) => {
      const done = await call();
      unlock = lock();
      setTimeout(unlock, 500);
      return done;
    },
  });
  const caller = impatient.caller();
  await next(impatient.context, caller, { run, takeOver: true });
  const { position } = await progress(impatient.context, caller, { run });
  expect(position.standing).toMatchObject({ kind: "action", action: { step: "two", args: { message: "done" } } });
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(join(base, "work", "world.log"), "utf8")).toBe("x\n");
  expect(await codeOf(progress(impatient.context, caller, { run }))).toBe("ok");
  expect((await doctor(impatient.context)).problems).toEqual([]);
});
