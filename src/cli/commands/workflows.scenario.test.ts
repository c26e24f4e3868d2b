import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const good = `name: good
description: All is well
version: "2.1.0"
inputs: { files: { type: array, description: What to look at }, token: { type: string, secret: true, default: s3cret } }
steps:
  - { id: build, type: shell_command, command: "npm run build" }
  - { id: maybe, type: conditional, condition: "inputs.files.length > 1", then: [{ id: say, type: user_message, message: many }] }
`;
const bad = `name: bad
description: Several mistakes
version: "1.0.0"
steps:
  - { id: one, type: user_mesage, message: hi }
  - { id: two, type: user_message, mesage: hi }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/good.yaml": good });
});
afterEach(() => bench.close());

const searched = [".waymark", ".aromcp", ".archon", ".claude", ".agents"].map((name) => `${name}/workflows`);

describe("list", () => {
  test("shows name, source and description, and marks what is shadowed or broken", async () => {
    await bench.write(".waymark/workflows/bad.yaml", bad);
    await bench.write(".waymark/workflows/good.waymark-test.yaml", "tests: [{ name: x }]");
    mkdirSync(join(bench.home, ".waymark/workflows"), { recursive: true });
    writeFileSync(join(bench.home, ".waymark/workflows/good.yaml"), good);
    const { stdout } = await bench.run(["list"]);
    expect(stdout).toMatch(/^NAME +SOURCE +VERSION +DESCRIPTION$/m);
    expect(stdout).toMatch(/^good +project +2\.1\.0 +All is well$/m);
    expect(stdout).toMatch(/^bad +project +1\.0\.0 +has problems: waymark validate bad$/m);
    expect(stdout).not.toContain("waymark-test");
    expect(stdout).toContain("Shadowed by one of the same name: good (global).");
    expect(stdout).not.toMatch(/^good +global/m);
    expect((await bench.run(["list", "--all"])).stdout).toMatch(/^good +global \(shadowed\)/m);
    expect((await bench.run(["list", "--all", "--no-global"])).stdout).not.toContain("shadowed");
    expect((await bench.run(["list", "--names", "--no-global"])).stdout.split("\n")).toContain("good");
    expect(stdout).not.toContain("Waymark looked in");
    expect(await bench.json(["list"])).not.toHaveProperty("looked_in");
  });

  test("says where it looked when the project has no workflows of its own", async () => {
    const empty = await openCliBench();
    const folders = searched.map((name) => join(empty.workspace, name));
    const { stdout } = await empty.run(["list"]);
    expect(stdout).toContain(`The project has no workflows of its own. Waymark looked in ${folders.join(", ")}.\n→ waymark info `);
    expect(await empty.json(["list"])).toMatchObject({ looked_in: folders });
    const names = await empty.run(["list", "--names"]);
    expect(names.stdout).not.toContain("Waymark looked in");
    expect(names.stderr).toBe(`The project has no workflows of its own. Waymark looked in ${folders.join(", ")}.\n`);
    await empty.close();
  });
});

describe("info", () => {
  test("shows inputs, hides secrets, and says what it would run and that it is not allowed yet", async () => {
    const { stdout } = await bench.run(["info", "good"]);
    expect(stdout).toMatch(/files +array +required +What to look at/);
    expect(stdout).not.toContain("s3cret");
    expect(stdout).toContain("It would run (not allowed yet):\n  command: npm run build");
    expect(stdout).toContain("→ waymark allow good");
    expect(await bench.json(["info", "good"])).toMatchObject({ name: "good", permission: "needed", steps: 2 });
  });

  test("of a broken workflow says so and ends with 1", async () => {
    await bench.write(".waymark/workflows/bad.yaml", bad);
    const { code, stdout } = await bench.run(["info", "bad"]);
    expect(code).toBe(1);
    expect(stdout).toContain("→ waymark validate bad");
  });
});

describe("validate", () => {
  test("shows all problems at once, with place, frame and suggestion, and ends with 1", async () => {
    await bench.write(".waymark/workflows/bad.yaml", bad);
    const { code, stdout } = await bench.run(["validate"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/bad\.yaml:5:\d+ error/);
    expect(stdout).toMatch(/bad\.yaml:6:\d+ error/);
    expect(stdout).toContain("`user_message`");
    expect(stdout).toContain("`message`");
    expect(stdout).toMatch(/5 \| {3}- \{ id: one, type: user_mesage/);
    expect(stdout).toContain("✓ good");
    expect(stdout).toMatch(/^2 workflows, \d+ errors, \d+ warnings?\.$/m);
  });

  test("shows and counts what is wrong in a workflow that is called once", async () => {
    await bench.write(
      ".waymark/workflows/bad.yaml",
      "name: bad\ndescription: d\nversion: 1.0\nsteps: [{ id: m, type: user_message, message: hi }]\n",
    );
    const calls = 'name: calls\ndescription: d\nversion: "1.0"\nsteps: [{ id: c, type: include_workflow, workflow: bad }]\n';
    await bench.write(".waymark/workflows/calls.yaml", calls);
    const { code, stdout } = await bench.run(["validate"]);
    expect(code).toBe(1);
    expect(stdout.match(/bad\.yaml:3:10 error/g)).toHaveLength(1);
    expect(stdout).toMatch(/^✗ calls .*\n {2}calls what is in .*bad\.yaml, whose problems are shown there$/m);
    expect(stdout).toMatch(/^3 workflows, 1 error, 0 warnings\.$/m);
    expect(stdout).toContain("`version` must be a text, but is `1.0`.");
    expect(stdout).toContain('fix: Put quotes around it: `"1.0"`.');
    expect((await bench.run(["validate", "calls"])).stdout).toMatch(/bad\.yaml:3:10 error[^]*^1 workflow, 1 error, 0 warnings\.$/m);
  });

  test("takes files that lie anywhere", async () => {
    await bench.write("drafts/new.yaml", bad.replace("name: bad", "name: draft"));
    const document = await bench.json<{ valid: boolean; workflows: { name: string; diagnostics: unknown[] }[] }>(
      ["validate", "drafts/new.yaml", "good"],
      { code: 1 },
    );
    expect(document.valid).toBe(false);
    expect(document.workflows.map(({ name, diagnostics }) => [name, diagnostics.length > 0])).toEqual([
      ["draft", true],
      ["good", false],
    ]);
    expect((await bench.run(["validate", "drafts/none.yaml"])).stderr).toContain("does not exist");
  });

  test("with --strict warnings count", async () => {
    await bench.write("drafts/warned.yaml", good.replace("description: All is well\n", ""));
    expect((await bench.run(["validate", "drafts/warned.yaml"])).code).toBe(0);
    expect((await bench.run(["validate", "drafts/warned.yaml", "--strict"])).code).toBe(1);
  });

  test("of a project without workflows ends with 1 and says where it looked", async () => {
    const empty = await openCliBench();
    const folders = searched.map((name) => join(empty.workspace, name));
    const { code, stdout, stderr } = await empty.run(["validate"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      `✗ The workspace \`${empty.workspace}\` has no workflows. Waymark looked in ${folders.join(", ")}. (CLI_NO_WORKFLOWS)\n→ `,
    );
    expect(await empty.json(["validate"], { code: 1 })).toEqual({ valid: false, workflows: [], looked_in: folders });
    await empty.close();
  });
});

describe("explain and schema", () => {
  test("the plan comes as text, JSON and Mermaid", async () => {
    expect((await bench.run(["explain", "good"])).stdout).toContain("maybe [conditional]");
    expect((await bench.run(["explain", "good", "--format", "mermaid"])).stdout).toMatch(/^flowchart TD/);
    expect(await bench.json(["explain", "good"])).toMatchObject({ workflow: "good", commands: ["npm run build"] });
  });

  test("a broken workflow has no plan", async () => {
    await bench.write("bad.yaml", bad);
    expect(await bench.run(["explain", "bad.yaml"])).toMatchObject({ code: 2, stderr: expect.stringContaining("ENGINE_INVALID_WORKFLOW") });
  });

  test("the schema is a JSON Schema of workflows", async () => {
    expect(JSON.parse((await bench.run(["schema", "--dialect", "checklist"])).stdout)).toMatchObject({
      type: "object",
      properties: { phases: {} },
    });
    const schema = JSON.parse((await bench.run(["schema"])).stdout) as { $schema: string; properties: object };
    expect(schema.$schema).toContain("json-schema.org");
    expect(Object.keys(schema.properties)).toContain("steps");
  });
});
