/** The examples with a chain of prompts and with a graph, and the bundled chain, walked by an agent that does what the prompts say. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../process/cli-world.ts";
import { readTree } from "../support/seed-examples.ts";

let bench: CliBench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

interface Shown {
  readonly run_id: string;
  readonly action_id?: string;
  readonly status: string;
  readonly step?: { readonly id: string; readonly definition: { readonly prompt: string } } | null;
}

/** Saves what a prompt asks for where it says, then reports. */
async function walk(cli: CliBench, workflow: string): Promise<{ readonly run: string; readonly steps: readonly string[] }> {
  const steps: string[] = [];
  let shown = await cli.json<Shown>(["start", workflow, "--input", "user_message=version 1.2"]);
  while (shown.step) {
    const { id, definition } = shown.step;
    steps.push(id.split("@")[0] ?? "");
    const path = /(?:Save \S+ (?:\S+ )?to:?|write) `([^`]+\.md)`/.exec(definition.prompt)?.[1];
    if (path !== undefined) {
      const file = path.startsWith("/") ? path : join(cli.workspace, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `What ${id} found.\n`);
    }
    shown = await cli.json<Shown>(["done", shown.run_id, "--action", shown.action_id ?? "", "--result", `Did ${id}.`]);
  }
  return { run: shown.run_id, steps };
}

test("the example writes release notes in three steps, each with the files that it must leave", async () => {
  bench = await openCliBench(await readTree(join(import.meta.dirname, "../../examples/prompt-chain")));
  expect((await bench.run(["validate", "release-notes"])).code).toBe(0);
  const early = await bench.json<Shown>(["start", "release-notes", "--input", "user_message=x"]);
  const refused = await bench.run(["done", early.run_id, "--result", "I did it."]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("ENGINE_TASK_FILES");
  const { run, steps } = await walk(bench, "release-notes");
  expect(steps).toEqual(["collect", "write", "proofread"]);
  const status = await bench.json<Record<string, unknown>>(["status", run]);
  expect(status).toMatchObject({
    status: "completed",
    artifacts: {
      files: [
        { path: "changes.md", bytes: 24 },
        { path: "notes.md", bytes: 22 },
      ],
    },
  });
});

test("the bundled workflow of the seed runs from plan to pull request", async () => {
  bench = await openCliBench();
  const { run, steps } = await walk(bench, "feature-development");
  expect(steps).toEqual(["plan", "implement", "create-pr"]);
  const { artifacts } = await bench.json<{ readonly artifacts: { readonly files: readonly { readonly path: string }[] } }>(["status", run]);
  expect(artifacts.files.map(({ path }) => path)).toEqual(["implementation-report.md", "plan.md"]);
});

test.each([
  ["The basket is empty after login", "✓ investigate", "Thank you. It came with 1.1.\n"],
  ["How do I log in?", "completed, 4 of 4 items", "Thank you.\n"],
])("the example with a graph answers %j", async (report, shown, answer) => {
  bench = await openCliBench(await readTree(join(import.meta.dirname, "../../examples/graph-triage")));
  expect((await bench.run(["explain", "triage"])).stdout).toContain("┌ 1. recent: shell command\n└ 2. classify: prompt");
  expect((await bench.run(["allow", "triage", "--yes"], { terminal: true })).code).toBe(0);
  const ran = await bench.run(["run", "triage", report, "--agent", "script:agent.yaml", "--permission", "edit"]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect(ran.stdout).toContain(shown);
  expect(ran.stdout.includes("✓ investigate")).toBe(report.startsWith("The"));
  const [folder = ""] = await readdir(join(bench.workspace, ".archon/artifacts"));
  expect(await bench.read(`.archon/artifacts/${folder}/answer.md`)).toBe(answer);
});
