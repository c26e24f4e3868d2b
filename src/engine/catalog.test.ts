import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { dialects, runtimes } from "../../test/support/all-dialects.ts";
import { bundledMachine } from "../../test/support/machine-world.ts";
import { openTestEngine, type TestEngine } from "../../test/support/test-engine.ts";
import { Catalog } from "./catalog.ts";
import { coreLeaves } from "./core-leaves/core-leaves.ts";
import { LeafTable } from "./runtime.ts";

const engines: TestEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function open(files: Readonly<Record<string, string>>): Promise<TestEngine> {
  const engine = await openTestEngine(files);
  engines.push(engine);
  return engine;
}

const named = ({ files }: { readonly files: readonly { readonly path: string }[] }): readonly string[] =>
  files.map(({ path }) => path.split("/workflows/").at(-1) ?? "").sort();

test("a machine whose role gets other instructions is loaded with these, and as before when it is put back", async () => {
  const main = ".waymark/workflows/delivery.machine.yaml";
  const engine = await open(await bundledMachine());
  const { context, folder } = engine;
  const text = await readFile(join(folder, main), "utf8");
  const before = await context.catalog.loadValid("delivery");
  const reference = /instructions: (roles\/\S+)/.exec(text)?.[1] ?? "";
  expect(named(before)).toContain(reference);

  await engine.write(".waymark/workflows/roles/other.md", "Do it in another way.\n");
  await engine.write(main, text.replace(reference, "roles/other.md"));
  const changed = await context.catalog.loadValid("delivery");
  expect(named(changed)).toEqual(
    named(before)
      .map((path) => (path === reference ? "roles/other.md" : path))
      .sort(),
  );
  expect(changed.hash).not.toBe(before.hash);

  await engine.write(main, text);
  const again = await context.catalog.loadValid("delivery");
  expect([named(again), again.hash]).toEqual([named(before), before.hash]);
});

test("the same definition with other instructions is another workflow", async () => {
  const engine = await open(await bundledMachine());
  const { context } = engine;
  const before = await context.catalog.loadValid("delivery");
  const role =
    before.files
      .find(({ path }) => path.endsWith(".md"))
      ?.path.split("/workflows/")
      .at(-1) ?? "";
  await engine.write(`.waymark/workflows/${role}`, "Do it in another way.\n");
  const after = await context.catalog.loadValid("delivery");
  expect(named(after)).toEqual(named(before));
  expect(JSON.stringify(after.program)).toContain("Do it in another way.");
  expect(after.hash).not.toBe(before.hash);
});

test("a workflow that needs what this version cannot do is refused when it is loaded, and what calls it has a problem in the list", async () => {
  const steps = (type: string): string =>
    `name: ${type}\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: s, type: ${type}, command: ls }]\n`;
  const { context } = await open({
    ".waymark/workflows/engine.yaml": steps("shell_command"),
    ".waymark/workflows/agent.yaml": steps("agent_shell_command"),
    ".waymark/workflows/outer.yaml": `name: outer\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: s, type: include_workflow, workflow: shell_command }]\n`,
  });
  const { shell: _unknown, ...known } = coreLeaves;
  const catalog = new Catalog({
    host: context.host,
    servers: [],
    leaves: new LeafTable(runtimes, known),
    dialects: () => Promise.resolve(dialects),
  });
  const refused = { code: "ENGINE_UNKNOWN_LEAF", details: { what: "shell" } };
  for (const name of ["shell_command", "outer"]) {
    await expect(catalog.load(name)).rejects.toMatchObject(refused);
    await expect(catalog.loadValid(name)).rejects.toMatchObject(refused);
  }
  expect((await catalog.loadValid("agent_shell_command")).program).toBeDefined();
  const listed = (await catalog.list()).filter(({ source }) => source === "project");
  expect(Object.fromEntries(listed.map(({ name, problems }) => [name, problems]))).toMatchObject({ agent_shell_command: 0, outer: 1 });
});

test("of several references to one file the first that exists counts, and is pinned", async () => {
  const { context } = await open({
    ".waymark/workflows/one.yaml": `name: one\ndescription: d\nversion: "1.0.0"\nsteps: [{ id: s, type: user_message, message: m }]\n`,
    ".waymark/workflows/second.md": "second",
    ".waymark/workflows/third.md": "third",
  });
  const leaves = new LeafTable(runtimes, coreLeaves);
  const naming = dialects.map((dialect) => ({
    ...dialect,
    references: () => ({ workflows: [], files: [["first.md", "second.md", "third.md"]] }),
  }));
  const catalog = new Catalog({ host: context.host, servers: [], leaves, dialects: () => Promise.resolve(naming) });
  const loaded = await catalog.loadValid("one");
  expect([named(loaded), loaded.imports]).toEqual([["one.yaml", "second.md"], ["second.md"]]);
});
