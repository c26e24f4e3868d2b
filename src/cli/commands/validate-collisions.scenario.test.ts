import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const end = `version: "1.0.0"\nsteps: [{ id: say, type: user_message, message: hi }]\n`;
const site = `name: publish-site\ndescription: Deploys the website to production and runs a smoke test.\n${end}`;
const web = `{ "name": "deploy-web",\n  "description": "Deploys the website to production, with a smoke test.",\n  "steps": [{ "step": "work" }] }\n`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({
    ".waymark/workflows/site.yaml": site,
    ".archon/workflows/web.yaml": web,
    ".archon/steps/work.md": "Work.\n",
  });
});
afterEach(() => bench.close());

test("two descriptions that collide are named once, with both files, what they share and what to write", async () => {
  const { stdout, code } = await bench.run(["validate"]);
  expect(code).toBe(0);
  expect(stdout.match(/CLI_DESCRIPTIONS_COLLIDE/g)).toHaveLength(1);
  expect(stdout).toMatch(/\.(?:waymark|archon)\/workflows\/\w+\.yaml:2:\d warning CLI_DESCRIPTIONS_COLLIDE: /);
  expect(stdout).toMatch(
    /`(?:publish-site|deploy-web)` and `(?:publish-site|deploy-web)` \(\.\w+\/workflows\/\w+\.yaml\) have descriptions/,
  );
  expect(stdout).toContain("website");
  expect(stdout).toMatch(/fix: .* `not_for: \["\.\.\.: that is (?:publish-site|deploy-web)"\]`/);
  expect(stdout).toContain("2 workflows, 0 errors, 1 warning.");
  expect((await bench.run(["validate", "--strict"])).code).toBe(1);
});

test("one that is checked alone is compared with all others", async () => {
  for (const name of ["publish-site", "deploy-web"]) {
    const { workflows } = await bench.json<{ workflows: readonly { diagnostics: readonly { code: string; message: string }[] }[] }>([
      "validate",
      name,
    ]);
    expect(workflows[0]?.diagnostics).toMatchObject([
      { code: "CLI_DESCRIPTIONS_COLLIDE", message: expect.stringMatching(`^\`${name}\` and `) },
    ]);
  }
});

test("`not_for` that names the other one settles it", async () => {
  await bench.write(".waymark/workflows/site.yaml", `not_for: ["previews: that is deploy-web"]\n${site}`);
  expect((await bench.run(["validate", "--strict"])).stdout).toContain("2 workflows, 0 errors, 0 warnings.");
});

test("a trigger of two workflows is a warning at its line", async () => {
  const trigger = `name: notes\ndescription: Collects what changed since a day.\ntriggers: ["what changed"]\n${end}`;
  await bench.write(".waymark/workflows/site.yaml", trigger);
  await bench.write(
    ".waymark/workflows/diff.yaml",
    trigger.replace("notes", "diff").replace("Collects what changed since a day", "Compares two branches"),
  );
  const { stdout } = await bench.run(["validate"]);
  expect(stdout).toMatch(
    /\w+\.yaml:3:1 warning CLI_SAME_TRIGGER: `\w+` and `\w+` \(\.waymark\/workflows\/\w+\.yaml\) have the same trigger: "what changed"\./,
  );
});

test("a workflow with errors, or a shadowed one, collides with nothing", async () => {
  await bench.write(".archon/workflows/web.yaml", web.replace("steps", "stepps"));
  expect((await bench.run(["validate"])).stdout).not.toContain("CLI_DESCRIPTIONS_COLLIDE");
});
