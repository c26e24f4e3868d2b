import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import type { Program } from "../program/index.ts";
import { requirePermissionToWork, sealOwn } from "./permission.ts";
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
async function seenFrom(here: TestEngine, program: Program, own?: string): Promise<RunHandle> {
  const { run } = await start(here.context, here.caller, { workflow: "one", held: false });
  const opened = await here.context.runs.open(run);
  const state = own === undefined ? opened.state : { ...opened.state, options: { ...opened.state.options, own } };
  return Object.assign(Object.create(opened) as RunHandle, { program, state });
}

const command = (name: string, text: string): string =>
  `name: ${name}\nsteps: [{ id: own, type: shell_command, command: ${JSON.stringify(text)} }]\n`;

const sealKey = ({ folder }: TestEngine): string => join(folder, "../data/waymark/seal.key");

/** A run that was started there by who has the key of this user's answers, of a workflow that is not of a project, as it is seen here. */
async function startedThere(there: TestEngine, here: TestEngine, name: string): Promise<RunHandle> {
  const workflow = await there.context.catalog.loadValid(name);
  expect(workflow.own).toBe(true);
  await copyFile(sealKey(here), sealKey(there));
  return seenFrom(here, workflow.program, await sealOwn(there.context, workflow));
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

test("a workflow of a colleague's home folder is not the user's own, also where they have the key of the user's answers", async () => {
  const [here, there] = [await open("Do it."), await open("Do it.")];
  await there.write("../home/.waymark/workflows/mine.yaml", command("mine", "touch made"));
  for (const engine of [here, there]) await engine.host.seal("an answer");
  const run = await startedThere(there, here, "mine");
  await expect(requirePermissionToWork(here.context, run)).rejects.toMatchObject({ code: "ENGINE_NOT_ALLOWED" });
  await expect(requirePermissionToWork(there.context, await seenFrom(there, run.program, run.state.options.own))).resolves.toBeUndefined();
});

test("a bundled workflow that a colleague started is the one that is bundled here, wherever it is installed", async () => {
  const [here, there] = [await open("Do it."), await open("Do it.")];
  for (const engine of [here, there]) {
    await engine.host.seal("an answer");
    await engine.write("../bundled/deep/made.yaml", command("made", "touch made"));
  }
  await requirePermissionToWork(here.context, await startedThere(there, here, "made"));
  await here.write("../bundled/deep/made.yaml", command("made", "touch something"));
  await expect(requirePermissionToWork(here.context, await startedThere(there, here, "made"))).rejects.toMatchObject({
    code: "ENGINE_NOT_ALLOWED",
  });
});

test("a graph that names a script of the project is the same content in every checkout, and another script is not", async () => {
  const files = (script: string) => ({
    ".archon/workflows/one.yaml": graph("Do it."),
    ".archon/workflows/scripted.yaml": "name: scripted\ndescription: x\nnodes: [{ id: only, script: hello, runtime: bun }]\n",
    ".archon/scripts/hello.js": `console.log(${script});\n`,
  });
  const [here, there, other] = await Promise.all(["1", "1", "2"].map(async (script) => openTestEngine(files(script))));
  opened.push(here!, there!, other!);
  await here!.allow("scripted");
  const program = async (of: TestEngine): Promise<Program> => (await of.context.catalog.loadValid("scripted")).program;
  await requirePermissionToWork(here!.context, await seenFrom(here!, await program(there!)));
  await expect(requirePermissionToWork(here!.context, await seenFrom(here!, await program(other!)))).rejects.toMatchObject({
    code: "ENGINE_NOT_ALLOWED",
  });
});
