/** Roles on the command line: `info` and `explain` show who plays them, and `allow` offers what the project says of them. */
import { afterEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../../test/process/cli-world.ts";
import { bundledMachine } from "../../../../test/support/machine-world.ts";

let bench: CliBench;
afterEach(() => bench.close());

const machine = `machine: note
description: One writes.
start: WRITE
roles:
  Writer: { title: Writes., instructions: roles/any.md, agent: claude, model: opus, permission: read }
  Other: { title: Does nothing., instructions: roles/any.md }
states:
  WRITE: { do: [{ dispatch: Writer }, { task: more, prompt: More., role: Other }, { finish: true }], next: end }
done: {}
`;
const files = { ".waymark/workflows/note.machine.yaml": machine, ".waymark/workflows/roles/any.md": "Do it.\n" };

test("the definition's own binding is shown by info and explain, and allowed with the workflow", async () => {
  bench = await openCliBench(files);
  expect((await bench.run(["info", "note"])).stdout).toMatch(
    /ROLE +AGENT +MODEL +PERMISSION +SAID BY\n +Writer +claude +opus +read +workflow *\n +Other *\n/,
  );
  expect(await bench.json(["info", "note"])).toMatchObject({
    roles: [{ role: "Writer", agent: "claude", model: "opus", permission: { level: "read" }, from: "workflow" }, { role: "Other" }],
    runs: ["agent (claude, model opus, permission read): each step of the role `Writer`", "agent: More."],
    permission: "needed",
  });
  expect((await bench.run(["explain", "note"])).stdout).toContain("role Writer: by claude, model opus, permission read\n");
  expect(await bench.json(["explain", "note"])).toMatchObject({ roles: { Writer: { agent: "claude", model: "opus" } } });
});

test("what the project's configuration says of a role is offered by allow, also of a bundled workflow, and nothing starts before", async () => {
  const config = "roles: { Reviewer: { agent: claude, permission: all }, Nobody: { agent: gone } }\nagents: {}\n";
  bench = await openCliBench({ ...(await bundledMachine()), ".waymark/config.yaml": config });
  const line = "agent (claude, permission all): each step of the role `Reviewer`";
  expect(await bench.json(["info", "delivery"])).toMatchObject({
    roles: expect.arrayContaining([
      { role: "Coder" },
      { role: "Reviewer", agent: "claude", permission: { level: "all" }, from: "project's configuration" },
    ]) as unknown,
    runs: [line],
    permission: "needed",
  });
  expect((await bench.run(["explain", "delivery"])).stdout).toContain("role Reviewer: by claude, permission all\n");
  const run = ["run", "delivery", "Fix it", "--agent", "script:none.yaml", "--permission", "edit"];
  expect(await bench.run(run)).toMatchObject({ code: 2, stderr: expect.stringContaining(line) as string });
  expect((await bench.run(["allow", "delivery"], { terminal: true, typed: ["y"] })).stdout).toContain(line);
  expect((await bench.run(run)).stderr).not.toContain("needs your permission");
});

test("a role that is bound on the command line is one of the workflow, and bound in a way that can be read", async () => {
  bench = await openCliBench(files);
  const run = (role: string): Promise<{ readonly stderr: string; readonly code: unknown }> =>
    bench.run(["run", "note", "--role", role, "--permission", "edit", "--agent", "script:none.yaml"]);
  expect(await run("Writr=claude")).toMatchObject({ stderr: expect.stringContaining("Did you mean `Writer`?") as string });
  expect(await run("Writer")).toMatchObject({ code: 2, stderr: expect.stringContaining("It names a role and who plays it.") as string });
});
