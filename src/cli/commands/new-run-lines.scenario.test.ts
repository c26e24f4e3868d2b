/** The lines that start a new run of a workflow keep what the run before was given, and are accepted as they are. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";
import { makeRepository } from "../../../test/support/machine-world.ts";

const failing = `name: failing\ndescription: Fails.\ninputs: { depth: { type: number, default: 1 } }\nnodes: [{ id: boom, bash: 'test -n "$ARGUMENTS" && exit 3' }]\n`;
const apart = `name: apart
description: Works in worktrees.
nodes:
  - { id: list, bash: "echo '[1]'" }
  - { id: each, depends_on: [list], workflow: failing, input: x, isolation: worktree, fan_out: { items: $list.output, as: one } }
`;
const secret = `name: secret
description: Fails.
version: "1"
inputs: { what: { type: string, required: true }, key: { type: string, secret: true } }
steps: [{ id: boom, type: shell_command, command: exit 3 }]
`;

let bench: CliBench;
beforeEach(async () => {
  const ignored = { "agent.json": '{ "turns": [{ "match": "none", "do": [] }] }', ".gitignore": ".waymark/store/\n.archon/logs/\n" };
  const graphs = { ".archon/workflows/failing.yaml": failing, ".archon/workflows/apart.yaml": apart };
  bench = await openCliBench({ ...graphs, ".waymark/workflows/secret.yaml": secret, ...ignored });
  await makeRepository(bench.workspace, true);
  await bench.run(["allow", "failing", "--yes"], { terminal: true });
});
afterEach(() => bench.close());

const started = (stdout: string): string => /start a new one: waymark (.*)/.exec(stdout)?.[1] ?? "";
/** As a shell reads them, of words without escapes. */
const words = (line: string): string[] => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

test("a failed run in a worktree: the line has the worktree, the inputs and all other options", async () => {
  const options = ["--workers", "2", "--budget-usd", "3", "--max-minutes", "9", "--no-wait", "--worktree"];
  const first = await bench.run(["run", "failing", "do it now", "--input", "depth=2", ...options]);
  const line = `run failing --input 'user_message=do it now' --input depth=2 ${options.join(" ")}`;
  expect([first.code, started(first.stdout)]).toEqual([1, line]);
  const again = await bench.run(words(line));
  expect([again.code, started(again.stdout)]).toEqual([1, line]);
  const run = /wf-failing-[\w-]+/.exec(first.stdout)?.[0] ?? "";
  const kept = "run failing --input 'user_message=do it now' --input depth=2";
  // A driver that had nothing to wait for may never have held the run: then its options are not kept.
  const heldOrNot = new RegExp(`^${kept}( --workers 2)? --worktree$`);
  expect(started((await bench.run(["status", run])).stdout)).toMatch(heldOrNot);
  expect(started((await bench.run(["drive", run, "--workers", "3"])).stdout)).toBe(`${kept} --workers 3 --worktree`);
});

test("a secret is left to be filled in", async () => {
  await bench.run(["allow", "secret", "--yes"], { terminal: true });
  const { stdout } = await bench.run(["run", "secret", "use hunter22", "--input", "key=hunter22"]);
  expect(started(stdout)).toBe("run secret --input 'what=<what>' --input 'key=<key>'");
});

test("a workflow that needs a worktree is started with one", async () => {
  const { stdout } = await bench.run(["allow", "apart", "--yes"], { terminal: true });
  expect(stdout).toContain("\n→ waymark run apart --worktree\n");
  expect((await bench.run(["info", "apart"])).stdout).toContain("\n→ waymark run apart --worktree\n");
  const { stdout: driven, stderr } = await bench.run(["run", "apart", "--worktree", "--agent", "script:agent.json"]);
  expect([driven, stderr]).toEqual([expect.stringContaining("Started run wf-apart-"), ""]);
});
