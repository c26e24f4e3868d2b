/** The bundled workflow that fixes an issue, driven by the built command: a plan that a person rejects once, a change that a review rejects once. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { issue, issueFiles, issueScript } from "../support/issue-agents.ts";
import { openCliBench } from "./cli-world.ts";
import { openPackage, type Package } from "./mcp-package.ts";

let built: Package;
afterEach(() => built.close());

async function waymark(...args: readonly string[]): Promise<{ readonly code: number | string; readonly out: string }> {
  const child = built.start([...args, "--agent", "script:team.yaml", "--permission", "edit"]);
  child.process.stdin.end();
  const code = await child.ended;
  return { code, out: child.stdout() + child.stderr() };
}

test("an issue is reproduced, planned, approved, fixed in two rounds and summarised", async () => {
  built = await openPackage({ ...issueFiles, "team.yaml": issueScript });
  const asked = await waymark("run", "fix-issue", issue);
  expect(asked, asked.out).toMatchObject({ code: 3 });
  const run = /wf-[\w-]+/.exec(asked.out)?.[0] ?? "";
  const desk = await openCliBench();
  const person = (...words: readonly string[]) =>
    desk.run(["decide", run, "approve", ...words], { terminal: true, typed: [""], cwd: built.workspace, env: built.command([]).env });
  try {
    expect(await person("reject", "--reason", "too big")).toMatchObject({ code: 0 });
    const again = await waymark("drive", run);
    expect(again, again.out).toMatchObject({ code: 3 });
    expect(again.out).toContain("Smaller.");
    expect(await person("approve", "--revision", "2")).toMatchObject({ code: 0 });
  } finally {
    await desk.close();
  }
  const done = await waymark("drive", run);
  expect(done, done.out).toMatchObject({ code: 0 });
  expect(done.out.match(/✓ fix\/\w+/g)).toEqual(
    ["implement", "verify", "review", "implement", "verify", "review"].map((id) => `✓ fix/${id}`),
  );
  expect(await readFile(join(built.workspace, "mean.cjs"), "utf8")).toContain("all.length === 0 ? 0");
  const folders = await readdir(join(built.workspace, ".archon/artifacts"));
  const artifacts = join(built.workspace, ".archon/artifacts", folders[0] ?? "");
  expect(await readFile(join(artifacts, "plan.md"), "utf8")).toBe("Small.");
  expect(await readFile(join(artifacts, "pull-request.md"), "utf8")).toBe("Mean of nothing is 0");
});
