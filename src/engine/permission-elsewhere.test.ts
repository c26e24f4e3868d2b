import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { Program } from "../program/index.ts";
import { requirePermissionToWork } from "./permission.ts";
import type { RunHandle } from "./run-cache.ts";
import { start } from "./commands/start.ts";

const opened: TestEngine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

const graph = (prompt: string): string => `name: one\ndescription: One part.\nnodes:\n  - { id: only, prompt: ${prompt} }\n`;

async function open(prompt: string): Promise<TestEngine> {
  const engine = await openTestEngine({ ".archon/workflows/one.yaml": graph(prompt) });
  opened.push(engine);
  return engine;
}

/** A run of this program, as a store that is shared shows it to the engine of another checkout. */
async function seenFrom(here: TestEngine, program: Program): Promise<RunHandle> {
  const { run } = await start(here.context, here.caller, { workflow: "one", held: false });
  return Object.assign(Object.create(await here.context.runs.open(run)) as RunHandle, { program });
}

test("what a person allowed in one checkout is allowed in a run that was started from another one", async () => {
  const [here, there] = [await open("Do it."), await open("Do it.")];
  const { program } = await there.context.catalog.loadValid("one");
  const run = await seenFrom(here, program);
  await expect(requirePermissionToWork(here.context, run)).rejects.toMatchObject({ code: "ENGINE_NOT_ALLOWED" });
  await here.allow("one");
  await requirePermissionToWork(here.context, run);
});

test("other content from another checkout is not allowed, and neither is the same content in another file", async () => {
  const [here, there] = [await open("Do it."), await open("Do something else.")];
  await here.allow("one");
  const other = (await there.context.catalog.loadValid("one")).program;
  const own = (await here.context.catalog.loadValid("one")).program;
  const elsewhere = (file: string): string => file.replace(here.folder, "/checkout").replace("one.yaml", "two.yaml");
  const places = Object.entries(own.places).map(([id, place]) => [id, { ...place, file: elsewhere(place.file) }]);
  for (const program of [other, { ...own, places: Object.fromEntries(places) as Program["places"] }])
    await expect(requirePermissionToWork(here.context, await seenFrom(here, program))).rejects.toMatchObject({
      code: "ENGINE_NOT_ALLOWED",
    });
});
