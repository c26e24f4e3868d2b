import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeFile, mkdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doctor } from "./commands/doctor.ts";
import { next } from "./commands/next.ts";
import { progress } from "./commands/progress.ts";
import { start } from "./commands/start.ts";
import { AlwaysBench, codeOf } from "../../test/crash/engine-bench.ts";
import type { ComposedEngine } from "../../test/crash/compose-engine.ts";

const bench = new AlwaysBench();
let engine: ComposedEngine;
beforeAll(async () => {
  engine = await bench.open();
});
afterAll(() => bench.close());

const folder = (): string => join(bench.base, "work", ".waymark", "workflows");

async function write(name: string, text: string): Promise<void> {
  await mkdir(folder(), { recursive: true });
  await writeFile(join(folder(), name), text);
}

const caller = (text: string): string => `
name: pin:caller
imports: [shared.yaml]
steps:
  - { id: one, type: user_message, message: "${text} one" }
  - { id: all, type: parallel_foreach, items: [1], sub_agent_task: shared_task }
  - { id: call, type: include_workflow, workflow: "pin:called" }
  - { id: three, type: user_message, message: "${text} three" }
`;
const called = (text: string): string => `
name: pin:called
steps:
  - { id: two, type: user_message, message: "${text} two" }
`;
const shared = (text: string): string => `
sub_agent_tasks:
  shared_task:
    steps:
      - { id: inside, type: user_message, message: "${text} inside" }
`;

async function writeAll(text: string): Promise<void> {
  await write("shared.yaml", shared(text));
  await write("pin__called.yaml", called(text));
  await write("pin__caller.yaml", caller(text));
}

/** The messages a run hands out, from where it stands to its end. */
async function rest(on: ComposedEngine, run: string, takeOver: boolean): Promise<string[]> {
  const holder = on.caller();
  const said: string[] = [];
  let position = await next(on.context, holder, { run, takeOver });
  for (let turn = 0; position.state.status === "running" && turn < 20; turn += 1) {
    const { standing } = position;
    if (standing.kind === "action" && standing.action.what === "parallel_tasks") {
      const task = standing.tasks?.[0]?.task ?? "";
      const inner = await next(on.context, holder, { run, task });
      if (inner.standing.kind === "action") said.push(JSON.stringify(inner.standing.action.args["message"]));
      await progress(on.context, holder, { run, task });
      position = await next(on.context, holder, { run });
    } else {
      if (standing.kind === "action") said.push(JSON.stringify(standing.action.args["message"]));
      ({ position } = await progress(on.context, holder, { run }));
    }
  }
  return said;
}

test.each([
  ["edited", () => writeAll("new")],
  [
    "broken",
    async () => {
      await write("pin__caller.yaml", "name: pin:caller\nsteps: nonsense");
      await write("pin__called.yaml", ":");
      await write("shared.yaml", "x");
    },
  ],
  ["deleted", async () => rmSync(folder(), { recursive: true })],
])("rule 5: a run keeps the program and files it started with when they are %s", async (_how, change) => {
  await writeAll("old");
  const { run } = await start(engine.context, engine.caller(), { workflow: "pin:caller" });
  await change();
  const fresh = await bench.open();
  expect(await rest(fresh, run, true)).toEqual(['"old one"', '"old inside"', '"old two"', '"old three"']);
  expect((await doctor(fresh.context, run)).problems).toEqual([]);
});

test("rule 5: a new run takes the definition as it is then", async () => {
  await writeAll("old");
  const first = await start(engine.context, engine.caller(), { workflow: "pin:caller" });
  await writeAll("new");
  const second = await start(engine.context, engine.caller(), { workflow: "pin:caller" });
  expect([await rest(engine, first.run, true), await rest(engine, second.run, true)].map((said) => said[0])).toEqual([
    '"old one"',
    '"new one"',
  ]);
  expect(first.state.program).not.toBe(second.state.program);
  rmSync(folder(), { recursive: true });
  expect(await codeOf(start(engine.context, engine.caller(), { workflow: "pin:caller" }))).toBe("ENGINE_NO_WORKFLOW");
});

test("rule 5: the pinned program and sources are kept as long as the run, also when blobs are collected", async () => {
  await writeAll("old");
  const { run } = await start(engine.context, engine.caller(), { workflow: "pin:caller" });
  const row = await engine.context.store.readRun(run);
  const { utimesSync } = await import("node:fs");
  const past = new Date(Date.now() - 7_200_000);
  for (const hash of [row?.program ?? "", row?.sources ?? ""]) utimesSync(await engine.context.store.blobFile(hash), past, past);
  await engine.context.store.collectBlobs();
  const fresh = await bench.open();
  expect(await rest(fresh, run, true)).toHaveLength(4);
  const sources = JSON.parse(Buffer.from((await fresh.context.store.readBlob(row?.sources ?? "")) ?? []).toString()) as {
    path: string;
    text: string;
  }[];
  expect(new Set(sources.map(({ path }) => path.split("/").at(-1)))).toEqual(
    new Set(["pin__called.yaml", "pin__caller.yaml", "shared.yaml"]),
  );
});
