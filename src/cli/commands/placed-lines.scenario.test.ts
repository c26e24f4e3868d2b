/** Under `--store`, what is printed can be typed as it is: every line that names a command names the store too. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

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

const commands = (text: string): string[] => text.match(/waymark (?:--store (?:'.*?'|\S+) )?[a-z].*/g) ?? [];

test("every printed line names the store that was given, as an absolute path, and works when it is typed", async () => {
  const store = join(bench.workspace, "elsewhere");
  const at = `waymark --store ${store} `;
  const started = await bench.run(["--store", "elsewhere", "start", "asks"]);
  const run = /Started run (\S+)\./.exec(started.stdout)?.[1] ?? "";
  const list = await bench.run(["--store", store, "runs"]);
  const status = await bench.run(["--store", store, "status", run]);
  const wrong = await bench.run(["--store", store, "status", "wf-nobody"]);
  for (const { stdout, stderr } of [started, list, status, wrong]) {
    const lines = commands(stdout + stderr);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !line.startsWith(at))).toEqual([]);
  }
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

test("without the flag lines are as they were", async () => {
  const { stdout } = await bench.run(["start", "asks"]);
  expect(commands(stdout).filter((line) => line.includes("--store"))).toEqual([]);
});
