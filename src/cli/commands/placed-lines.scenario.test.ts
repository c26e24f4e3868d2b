/** Under `--store` and `-C`, what is printed can be typed as it is: every line that names a command names the place too. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench, type CliResult } from "../../../test/process/cli-world.ts";

const asks = `name: asks
description: One step, then a question.
version: "1"
steps:
  - { id: work, type: agent_shell_command, command: echo Work., reason: "To work." }
  - { id: ask, type: user_input, prompt: "Go on?", options: ["yes", "no"] }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/asks.yaml": asks });
});
afterEach(() => bench.close());

const commands = (text: string): string[] => text.match(/waymark (?:(?:-C|--store) (?:'.*?'|\S+) )*[a-z].*/g) ?? [];

/** The words of a line, as a shell reads them. */
const words = (line: string): string[] => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "").slice(1);

function expectAt({ stdout, stderr }: CliResult, at: string): void {
  const lines = commands(stdout + stderr);
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter((line) => !line.startsWith(at))).toEqual([]);
}

test("every printed line names the store that was given, as an absolute path, and works when it is typed", async () => {
  const store = join(bench.workspace, "elsewhere");
  const at = `waymark --store ${store} `;
  const started = await bench.run(["--store", "elsewhere", "start", "asks"]);
  const run = /Started run (\S+)\./.exec(started.stdout)?.[1] ?? "";
  const list = await bench.run(["--store", store, "runs"]);
  const status = await bench.run(["--store", store, "status", run]);
  const wrong = await bench.run(["--store", store, "status", "wf-nobody"]);
  for (const result of [started, list, status, wrong]) expectAt(result, at);
  const [next = ""] = commands(status.stdout);
  expect(await bench.run(next.split(" ").slice(1))).toMatchObject({ code: 0 });
  const data = await bench.json(["--store", store, "next", run]);
  expect(data["next_command"]).toEqual(expect.stringContaining(at));
});

test("an address with a password is left to be filled in", async () => {
  const store = "postgres://ada:secret@127.0.0.1:9/runs";
  const { stdout } = await bench.run(["--store", store, "validate", "asks"]);
  expect(commands(stdout)).toEqual(["waymark --store '<address of the store>' explain asks"]);
});

test("every printed line names the folder that was given, quoted and as an absolute path, beside the store, and works when it is typed elsewhere", async () => {
  const folder = join(bench.workspace, "one here");
  await bench.write("one here/.waymark/workflows/asks.yaml", asks);
  const at = `waymark -C '${folder}' `;
  const started = await bench.run(["-C", "one here", "start", "asks"]);
  const run = /Started run (\S+)\./.exec(started.stdout)?.[1] ?? "";
  const near = ["-C", "one here"];
  const seen = [started];
  for (const line of [
    ["status", run],
    ["runs"],
    ["status"],
    ["status", "wf-nobody"],
    ["decide", run, "yes"],
    ["list"],
    ["validate", "asks"],
  ])
    seen.push(await bench.run([...near, ...line]));
  const [next = ""] = commands(seen[1]?.stdout ?? "");
  const shown = await bench.run(words(next), { cwd: bench.home });
  expect(shown.code).toBe(0);
  const data = await bench.json(["-C", folder, "next", run]);
  expect(data["next_command"]).toEqual(expect.stringContaining(at));
  for (const result of [...seen, shown, await bench.run([...near, "abort", run])]) expectAt(result, at);
  const stored = await bench.run([...near, "--store", "kept", "start", "asks"]);
  expectAt(stored, `${at}--store ${join(bench.workspace, "kept")} `);
});

test("lines in the document of a step name the folder too", async () => {
  const tasks = `sub_agent_tasks: { part: { description: One, steps: [{ id: edit, type: agent_shell_command, command: make }] } }`;
  const each = `{ id: each, type: parallel_foreach, items: "{{ [1, 2] }}", sub_agent_task: part }`;
  await bench.write(".waymark/workflows/many.yaml", `name: many\ndescription: Many\nversion: "1"\nsteps: [${each}]\n${tasks}\n`);
  const { stdout } = await bench.run(["--json", "-C", bench.workspace, "start", "many"]);
  const lines = stdout.match(/waymark [^"]*/g) ?? [];
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((line) => !line.startsWith(`waymark -C ${bench.workspace} `))).toEqual([]);
});

test("without the flag lines are as they were", async () => {
  const { stdout } = await bench.run(["start", "asks"]);
  expect(commands(stdout).filter((line) => line.includes("--store"))).toEqual([]);
});
