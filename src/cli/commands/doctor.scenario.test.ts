import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCliBench, type CliBench } from "../../../test/process/cli-world.ts";

const deploy = `name: deploy
description: A question to a person, then a step.
version: "1.0.0"
steps:
  - { id: ask, type: user_input, answer_by: person, prompt: "Deploy?", options: ["yes", "no"] }
  - { id: work, type: user_message, message: "Work." }
`;

let bench: CliBench;
beforeEach(async () => {
  bench = await openCliBench({ ".waymark/workflows/deploy.yaml": deploy });
});
afterEach(() => bench.close());

/** The key with which answers are sealed. */
async function sealKey(): Promise<string> {
  const [key = ""] = (await readdir(bench.home, { recursive: true })).filter((path) => path.endsWith("seal.key"));
  return join(bench.home, key);
}

test("a run that is stopped by an answer of another key is shown with what helps, and not with what cannot", async () => {
  const run = String((await bench.json(["start", "deploy"]))["run_id"]);
  expect((await bench.run(["decide", run], { terminal: true, typed: ["yes"] })).code).toBe(0);
  await rm(await sealKey());
  const { code, stdout } = await bench.run(["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toContain(`✗ ${run}: Run \`${run}\` is stopped here`);
  expect(stdout).toContain(`→ If a person answered on another computer or as another user, copy \`seal.key\` from there to`);
  expect(stdout).not.toContain("--rebuild");
  expect(await bench.json(["doctor"], { code: 1 })).toMatchObject({ problems: [{ run, fix: expect.stringContaining("seal.key") }] });
});
