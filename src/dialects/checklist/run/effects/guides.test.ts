import type { Job } from "../checklist-run.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestEngine, type TestEngine } from "../../../../../test/support/test-engine.ts";
import type { JsonObject } from "../../../../base/index.ts";
import { performGuides } from "./inventory.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine({});
});
afterAll(() => engine.close());

async function found(options: JsonObject, versionUpgrade?: object): Promise<unknown> {
  const definition = { versionUpgrade, patterns: { searchMarkers: [], transformationMarkers: [] } };
  const performed = await performGuides({ context: engine.context, run: { definition, options } } as unknown as Job);
  return performed?.outcome;
}

test("guides are not looked for without both versions", async () => {
  const refused = {
    ok: false,
    code: "ENGINE_WRONG_INPUTS",
    message: expect.stringContaining("`source_version` and `target_version`") as string,
  };
  expect(await found({})).toEqual(refused);
  expect(await found({ source_version: "BC21" })).toEqual(refused);
  expect(await found({ target_version: "BC22" })).toEqual(refused);
});

test("versions of the options come before those of the definition", async () => {
  const upgrade = { source: "BC21", target: "BC23", guidePattern: "none-{source}-{target}", guideTags: [] };
  expect(await found({}, upgrade)).toMatchObject({
    ok: true,
    value: { source: "BC21", target: "BC23", steps: ["BC21-BC22", "BC22-BC23"] },
  });
  expect(await found({ source_version: "BC22" }, upgrade)).toMatchObject({ ok: true, value: { source: "BC22", steps: ["BC22-BC23"] } });
});
