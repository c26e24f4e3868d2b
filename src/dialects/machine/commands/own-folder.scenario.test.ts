/** What `run` says before agents work in the user's own folder instead of a worktree. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { bundledMachine, makeRepository } from "../../../../test/support/machine-world.ts";

let bench: CliBench;
afterEach(() => bench.close());

const script = JSON.stringify({ turns: [{ match: "none is like this", do: [] }] });
const run = ["run", "delivery", "Fix it", "--agent", "script:agent.json"];
const overwritten =
  /^! 1 file here has changes that are not committed, and agents may overwrite them\. Commit them, or add `--worktree`\.$/m;
const oneAtATime = /^! Tasks are done one at a time: `parallel` counts only in a run with a worktree \(`waymark run --worktree`\)\.$/m;

test("work that is not committed, and an input that counts only with a worktree, are warned about", async () => {
  bench = await openCliBench({ ...(await bundledMachine()), "agent.json": script, ".gitignore": ".waymark/store/\n.agents-work/\n" });
  await makeRepository(bench.workspace, true);
  await bench.run(["allow", "delivery"], { terminal: true, typed: ["y"] });
  const clean = await bench.run([...run, "--permission", "edit"]);
  expect(clean.stdout).toMatch(/^Started run /m);
  expect(clean.stdout).not.toMatch(overwritten);
  expect(clean.stdout).not.toMatch(oneAtATime);
  await bench.write("mine.txt", "not committed\n");
  const warned = await bench.run([...run, "--permission", "edit", "--input", "parallel=3"]);
  expect(warned.stdout).toMatch(overwritten);
  expect(warned.stdout).toMatch(oneAtATime);
  const apart = await bench.run([...run, "--permission", "edit", "--input", "parallel=3", "--worktree"]);
  expect(apart.stdout).toMatch(/^Started run /m);
  expect(apart.stdout).not.toMatch(overwritten);
  expect(apart.stdout).not.toMatch(oneAtATime);
});
