import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, review } from "../../../../test/support/checklist-sample.ts";
import { openTestEngine, type TestEngine } from "../../../../test/support/test-engine.ts";
import type { JsonObject } from "../../../base/index.ts";
import type { ChecklistConfig } from "./checklist-run.ts";
import { refuseStart } from "./refuse-start.ts";

let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine({ ".waymark/workflows/review.workflow.yaml": review, "a.js": "1", "sub/b.js": "2" });
});
afterAll(() => engine.close());

test.each<[string, JsonObject, string]>([
  ["a file that is not there", { scope: "files", path: "gone.js" }, "`gone.js` is not there, or is a link that points nowhere."],
  ["a folder named as a file", { scope: "files", path: "sub" }, "sub"],
  ["a file named as a folder", { scope: "directory", path: "a.js" }, "`a.js` is a file, not a folder."],
  ["a folder that is not there", { scope: "directory", path: "none" }, "`none` is not there"],
  ["a folder outside", { scope: "directory", path: "/" }, "`/` leads out of the folder that is worked on"],
  [
    "an unknown option",
    { options: { max_file: 1, zzzzzzzz: 2 } },
    "Unknown: `options.max_file` (did you mean `max_files`?), `options.zzzzzzzz`.",
  ],
  ["an unknown wish", { initial_processing: { max_files: 1 } }, "Unknown: `initial_processing.max_files`"],
])("%s is refused before anything is begun", async (_what, inputs, message) => {
  await expect(begin(engine, "review", inputs)).rejects.toMatchObject({
    code: "ENGINE_WRONG_INPUTS",
    message: expect.stringMatching(/Nothing was started\.$/) as string,
  });
  await expect(begin(engine, "review", inputs)).rejects.toThrow(message);
  expect(await engine.context.store.listRuns({ limit: 10 })).toEqual([]);
});

test.each<[JsonObject]>([
  [{ scope: "files", path: "gone.js,a.js" }],
  [{ scope: "directory", path: "sub" }],
  [{ scope: "directory", path: "./" }],
  [{ scope: "workspace", path: "gone.js" }],
  [{ options: { max_files: 1 }, initial_processing: { timeout_ms: 1 } }],
])("a start with something to work on is let through: %o", async (inputs) => {
  await expect(refuseStart(engine.context, { definition: { phases: [] } } as unknown as ChecklistConfig, inputs)).resolves.toBeUndefined();
});

test("an upgrade names the versions that it lacks, in its options or its definition", async () => {
  const lacks = (options: JsonObject | null, versionUpgrade?: object): Promise<string> =>
    refuseStart(engine.context, { definition: { phases: [{ role: "guides" }], versionUpgrade } } as unknown as ChecklistConfig, {
      options,
    }).then(
      () => "nothing",
      (error: Error) => error.message,
    );
  const both = "An upgrade needs `source_version` and `target_version` in its options. Nothing was started.";
  expect(await lacks(null)).toBe(both);
  expect(await lacks({})).toBe(both);
  expect(await lacks({ source_version: "BC21" })).toBe("An upgrade needs `target_version` in its options. Nothing was started.");
  expect(await lacks({ target_version: "BC27" })).toBe("An upgrade needs `source_version` in its options. Nothing was started.");
  expect(await lacks({ target_version: "BC27" }, { source: "BC21" })).toBe("nothing");
  expect(await lacks({ source_version: "BC21" }, { target: "BC27" })).toBe("nothing");
});
